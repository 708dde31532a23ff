"""MkDocs makes the page of errors out of `tests/conformance/errors`, which the tests keep true."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "conformance" / "errors"

HEAD = """\
# Errors

Every refusal of pcbatch, and every way in which members fail, with a program that leads to it. A
test compares the text of each message. To find a message, put a part of it into the search above.

A refusal says what is wrong, where, why (`why:`), and what to do (`help:`). It comes when the
function is first called, before anything has run.
"""

SECTION = """
## {title} {{#{name}}}

```python title="{name}.py"
{program}
```

```text
{where}
```
{reasons}"""


class Message(NamedTuple):
    """What the user reads.

    Attributes:
      title: its first line, without the exception's name.
      where: the lines up to the first reason.
      reasons: the paragraphs that begin with `why:` or `help:`, in order.
    """

    title: str
    where: str
    reasons: list[str]


def on_files(files: Any, config: Any) -> Any:
    """Add the page; MkDocs calls this once a build."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "errors.md", content=page()))
    return files


def page() -> str:
    """The page, in Markdown."""
    return HEAD + "".join(section(path) for path in sorted(FOLDER.glob("*.py")))


def section(path: pathlib.Path) -> str:
    """A program, and the message that it leads to."""
    message = parsed(path.with_suffix(".txt").read_text())
    return SECTION.format(
        name=path.stem,
        title=escaped(message.title),
        program=path.read_text().strip(),
        where=message.where,
        reasons="".join(map(paragraph, message.reasons)),
    )


def parsed(text: str) -> Message:
    """Take a message apart."""
    before, *rest = re.split(r"^(?=why: |help: )", text.strip(), flags=re.MULTILINE)
    first = before.splitlines()[0].partition(": ")[2]
    return Message(first, before.strip(), [part.rstrip() for part in rest])


def paragraph(reason: str) -> str:
    """A reason as a paragraph; its further lines, which are code or a list, as they stand."""
    kind, _, text = reason.partition(": ")
    first, *further = text.splitlines()
    name = {"why": "Why", "help": "What to do"}[kind]
    shown = f"\n**{name}:** {escaped(first)}\n"
    return shown + ("\n```text\n" + "\n".join(dedented(further)) + "\n```\n" if further else "")


def dedented(lines: list[str]) -> Iterator[str]:
    """Lines without the six places by which messages indent them."""
    return (line.removeprefix(" " * 6) for line in lines)


def escaped(text: str) -> str:
    """Text whose signs mean themselves in Markdown, but for code between backticks."""
    pieces = re.split(r"(`[^`]*`)", text)
    pieces[::2] = [re.sub(r"([*_<>\[\]])", r"\\\1", piece) for piece in pieces[::2]]
    return "".join(pieces)
