"""How tests draw random programs: the same ones each time, as far as the imported modules are."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import pcbatch
from tests.support.members import check

FIXED = {
    "derandomize": True,
    "database": None,
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
}


def assert_run(count: int, run: Callable[..., bool], *drawn: st.SearchStrategy[Any]) -> None:
    """Assert that so many random programs run; one that is refused is another's place.

    Args:
      count: how many.
      run: says whether a program ran, or was refused. It asserts that it ran as it should.
      *drawn: its arguments.
    """
    ran = 0

    @settings(max_examples=count, **FIXED)
    @given(st.tuples(*drawn))
    def one(arguments: tuple[Any, ...]) -> None:
        nonlocal ran
        assume(run(*arguments))
        ran += 1

    one()
    assert ran >= count


def written(path: Path, source: str) -> ModuleType:
    """The module of a text that is written to a file: what is batched has its source in one."""
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_pythons(
    path: Path, source: str, members: np.ndarray, refusals: Sequence[str] = (), **options: Any
) -> bool:
    """Whether `program(n)` of a text ran, as it does in Python, rather than being refused.

    Members that raise have the status of what Python raises.

    Args:
      path: where the text is written.
      source: the text.
      members: the arguments.
      refusals: what may be said of a program that is refused; () if none may be.
      **options: of the run.
    """
    program = written(path, source).program
    try:
        check(program, members, **options)
    except pcbatch.ProgramError as error:
        assert any(said in str(error) for said in refusals), f"{source}\n{error}"
        return False
    return True
