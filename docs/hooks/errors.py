"""MkDocs makes the page of errors out of `tests/conformance/errors`, which the tests keep true."""

from __future__ import annotations

import importlib
import pathlib
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "conformance" / "errors"

WITHOUT_PROGRAM = (
    "pcbatch.frontend.diagnostics.syntax:TypeStatement",
    "pcbatch.frontend.diagnostics.syntax:UnknownSyntax",
    "pcbatch.runtime.cluster.refusals:HostCallCannotTravel",
)
"""Kinds of mistakes that no program of the folder can make, as the tests run under Python 3.11."""

HEAD = """\
# Errors

Every refusal of pcbatch, and every way in which members fail, with a program that leads to it. A
test compares the text of each message.

A refusal says what is wrong, where, why (`why:`), and what to do (`help:`). It comes when the
function is first called, before anything has run. Its last line (`see:`) is the address of a
section of this page, which has the name of the class of `error.diagnostic`. To find a message by
its words, put a part of it into the search above.
"""

SECTION = """
## {kind} {{#{kind}}}
"""

CASE = """
### {title} {{#{name}}}

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
      kind: its section on the page, from its last line.
      title: its first line, without the exception's name.
      where: the lines up to the first reason.
      reasons: the paragraphs that begin with `why:` or `help:`, in order.
    """

    kind: str
    title: str
    where: str
    reasons: list[str]


def on_files(files: Any, config: Any) -> Any:
    """Add the page; MkDocs calls this once a build."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "errors.md", content=page()))
    return files


def page() -> str:
    """The page, in Markdown: a section for each kind, in the order of the alphabet."""
    sections = {name.partition(":")[2]: described(name) for name in WITHOUT_PROGRAM}
    for path in sorted(FOLDER.glob("*.py")):
        message = parsed(path.with_suffix(".txt").read_text())
        sections[message.kind] = sections.get(message.kind, "") + case(path, message)
    return HEAD + "".join(SECTION.format(kind=kind) + sections[kind] for kind in sorted(sections))


def described(name: str) -> str:
    """What the class of a kind says, where there is no program."""
    module, _, kind = name.partition(":")
    diagnostic = getattr(importlib.import_module(module), kind)
    title, reason, remedy = (
        re.sub(r"\{(\w+)\}", r"`\1`", text)
        for text in (diagnostic.title, diagnostic.reason, diagnostic.remedy)
    )
    said = (f"why: {reason}", f"help: {remedy}")
    return f"\n{escaped(title)}\n" + "".join(map(paragraph, said))


def case(path: pathlib.Path, message: Message) -> str:
    """A program, and the message that it leads to."""
    return CASE.format(
        name=path.stem,
        title=escaped(message.title),
        program=path.read_text().strip(),
        where=message.where,
        reasons="".join(map(paragraph, message.reasons)),
    )


def parsed(text: str) -> Message:
    """Take a message apart."""
    said, _, address = text.strip().rpartition("\nsee: ")
    before, *rest = re.split(r"^(?=why: |help: )", said, flags=re.MULTILINE)
    title = before.splitlines()[0].partition(": ")[2]
    kind = re.search(r"#(\w+)", address)[1]
    return Message(kind, title, before.strip(), [part.rstrip() for part in rest])


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
