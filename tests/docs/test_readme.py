"""The code of the README runs, in order, and prints what it says."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

from tests.docs.pages import README, blocks, run


@pytest.mark.every(2)
def test_code_prints_what_the_readme_says(monkeypatch: pytest.MonkeyPatch) -> None:
    sections = blocks(README)
    for block, printed in zip(sections, run(README, sections, monkeypatch), strict=True):
        assert printed == block.output, f"code at line {block.line}"


def test_readme_has_what_a_reader_needs() -> None:
    """A recursive example with output, the commands, and the limits."""
    text = README.read_text()
    sections = blocks(README)
    assert len(sections) >= 4
    assert all(block.output for block in sections if "print(" in block.code)
    for wanted in ("make nuts", "make test", "## When to use it", "## Limits"):
        assert wanted in text
    first = sections[0].code
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
