"""Each mistake in `tests/conformance/errors/` is reported with the expected text.

`NAME.py` is a program with one mistake and `NAME.txt` is what the user reads. A program file
defines `program`; with `stage = "lower"` it is only lowered by the frontend, otherwise it is called
on `args`. `pytest --update-golden` writes the texts anew.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import inspect
import os
import sys
import types
from pathlib import Path

import pytest

import pcbatch
from pcbatch import frontend
from pcbatch.errors import Diagnostic, PcbatchError
from pcbatch.frontend import diagnostics
from pcbatch.infer import diagnostics as of_inference
from pcbatch.infer import failures, refusals
from pcbatch.passes.reverse import derivative, derivatives, recomputed

FOLDER = Path(__file__).parent / "errors"
CASES = sorted(path.stem for path in FOLDER.glob("*.py"))

NOT_WRITABLE = {
    diagnostics.TypeStatement: "the `type` statement is a syntax error before Python 3.12",
    diagnostics.UnknownSyntax: "no syntax is unknown to this version",
}
"""Diagnostics without a program, and why."""


def load(name: str) -> types.ModuleType:
    """Import a program file."""
    spec = importlib.util.spec_from_file_location(
        f"tests.conformance.errors.{name}", FOLDER / f"{name}.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@functools.cache
def provoke(name: str) -> PcbatchError:
    """Run a program file and return the error that it ends with."""
    module = load(name)
    with pytest.raises(PcbatchError) as caught:
        if getattr(module, "stage", "call") == "lower":
            frontend.lower(
                module.program, needs_call=lambda value: isinstance(value, pcbatch.Autobatched)
            )
        else:
            module.program(*module.args)
    return caught.value


def shown(error: PcbatchError) -> str:
    """Return what the user reads, with the file names relative to this folder."""
    text = f"{type(error).__name__}: {error}\n"
    return text.replace(f"{FOLDER}{os.sep}", "")


@pytest.mark.every(4)
@pytest.mark.parametrize("name", CASES)
def test_error_text(name, update_golden):
    text = shown(provoke(name))
    golden = FOLDER / f"{name}.txt"
    if update_golden:
        golden.write_text(text)
    assert text == golden.read_text()


def test_no_orphans():
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == CASES


def kinds() -> list[type[Diagnostic]]:
    packages = (diagnostics, of_inference)
    modules = (failures, refusals, derivative, derivatives, recomputed)
    values = [getattr(package, name) for package in packages for name in package.__all__]
    values += [value for module in modules for value in vars(module).values()]
    classes = dict.fromkeys(value for value in values if inspect.isclass(value))
    return [c for c in classes if issubclass(c, Diagnostic) and hasattr(c, "title")]


def test_every_diagnostic_has_a_program():
    seen = {type(getattr(provoke(name), "diagnostic", None)) for name in CASES}
    assert set(kinds()) - seen == set(NOT_WRITABLE)


@pytest.mark.parametrize("kind", kinds())
def test_every_diagnostic_says_why_and_what_to_do(kind):
    fields = {field.name for field in dataclasses.fields(kind)}
    values = {name: name.upper() for name in fields - {"span", "calls"}}
    calls = {"calls": ("the way there",)} if "calls" in fields else {}
    text = kind(pcbatch.errors.NOWHERE, **calls, **values).render()
    assert "why: " in text
    assert "help: " in text
    assert all(value in text for value in values.values())
