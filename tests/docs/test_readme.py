"""The code of the README and of other pages runs, in order, and prints what the page says."""

from __future__ import annotations

import contextlib
import io
import linecache
import pathlib
import re
import subprocess
import sys
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).parents[2]
README = ROOT / "README.md"
RUN = ("gradients.md", "going_on.md", "what_comes_out.md")
PAGES = (README, *(ROOT / "docs" / name for name in RUN))
"""Of pages other than the README, code runs that begins with its imports."""
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sections(page: pathlib.Path = README) -> list[tuple[int, str, str]]:
    """`(line, code, output)` per Python block; output is in the next block, without language."""
    text = page.read_text()
    blocks = [(m[1], m[2], text[: m.start()].count("\n") + 2) for m in FENCE.finditer(text)]
    found = []
    for (language, code, line), following in zip(blocks, [*blocks[1:], ("end", "", 0)]):
        if language == "python" and (page == README or code.startswith("import ")):
            found.append((line, code, following[1] if following[0] == "" else ""))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_prints_what_the_page_says(
    page: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    namespace: dict[str, Any] = {"__name__": "readme"}
    assert sections(page)
    for line, code, expected in sections(page):
        padded = "\n" * (line - 1) + code
        file = f"<{page.name} block at line {line}>"
        entry = (len(padded), None, padded.splitlines(keepends=True), file)
        monkeypatch.setitem(linecache.cache, file, entry)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(padded, file, "exec"), namespace)
        assert printed.getvalue() == expected, f"{page.name}, code at line {line}"


def test_readme_has_what_a_reader_needs() -> None:
    """A recursive example with output, the commands, and the limits."""
    text = README.read_text()
    assert len(sections()) >= 4
    assert all(output for _, code, output in sections() if "print(" in code)
    for wanted in ("make nuts", "make test", "## When to use it", "## Limits"):
        assert wanted in text
    first = sections()[0][1]
    body = first[first.index("@") :]
    assert len([line for line in body.splitlines() if line.strip()]) <= 15
    assert re.search(r"return fib\(n - 1\)", body)


def test_a_script_beside_the_clone_finds_the_package(tmp_path: pathlib.Path) -> None:
    """Python takes a folder of the package's name for a package, if nothing better is on the path;
    an editable installation by an import hook is not (see `EDITABLE` in the Makefile)."""
    (tmp_path / "pcbatch").mkdir()
    script = tmp_path / "script.py"
    script.write_text("import importlib.util; print(importlib.util.find_spec('pcbatch').origin)")
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str(README.parent / "pcbatch" / "__init__.py")
