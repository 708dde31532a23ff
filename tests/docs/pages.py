"""Pages whose Python code runs, in order, and prints what the page says."""

from __future__ import annotations

import contextlib
import io
import linecache
import pathlib
import re
from typing import Any, NamedTuple

import pytest

ROOT = pathlib.Path(__file__).parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
NOT_RUN = r"(?:^<!-- not run: .+ -->\n)"
FENCE = re.compile(rf"{NOT_RUN}?^```(\w*)\n((?s:.*?))^```$", re.MULTILINE)
"""A block, with the line before it that says why it does not run."""


class Block(NamedTuple):
    """A block of Python.

    Attributes:
      line: where its code begins.
      code: as it stands on the page.
      output: what the page says that it prints: the next block, if that has no language.
      place: where the block of the output begins and ends in the text of the page; behind the
        code if there is none.
    """

    line: int
    code: str
    output: str
    place: tuple[int, int]


def blocks(page: pathlib.Path) -> list[Block]:
    """The blocks of Python on a page, in order."""
    text = page.read_text()
    fences = list(FENCE.finditer(text))
    found = []
    for fence, following in zip(fences, [*fences[1:], None]):
        if fence[1] == "python" and not fence[0].startswith("<!--"):
            line = text[: fence.start()].count("\n") + 2
            printed = following is not None and following[1] == ""
            place = (fence.end(), following.end() if printed else fence.end())
            found.append(Block(line, fence[2], following[2] if printed else "", place))
    return found


def run(page: pathlib.Path, chosen: list[Block], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run blocks of a page as parts of one script, `fib.py` of the page `fib.md`.

    Returns:
      What each block prints.
    """
    file, script = f"{page.stem}.py", "\n\n".join(block.code for block in chosen)
    entry = (len(script), None, script.splitlines(keepends=True), file)
    monkeypatch.setitem(linecache.cache, file, entry)
    namespace: dict[str, Any] = {"__name__": "page"}
    outputs, line = [], 0
    for block in chosen:
        code = compile("\n" * line + block.code, file, "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
        outputs.append(printed.getvalue())
        line += block.code.count("\n") + 2
    return outputs


def write(page: pathlib.Path, chosen: list[Block], printed: list[str]) -> None:
    """Put what the blocks printed into the page, in the place of what it said."""
    text = page.read_text()
    for block, output in reversed(list(zip(chosen, printed, strict=True))):
        start, end = block.place
        shown = f"\n\n```\n{output}```" if output else ""
        text = text[:start] + shown + text[end:]
    page.write_text(text)
