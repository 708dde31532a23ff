"""What programs on arrays give beside NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pcbatch
from tests.strangers.comparing import differences


def plain(value: Any) -> Any:
    """What NumPy gives, as Python's numbers and lists."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def differing(program: Callable[[Any], Any], members: np.ndarray, **how: Any) -> list[Any]:
    """Where a batch differs from the function itself.

    Args:
      program: a function of an integer.
      members: the integers.
      **how: options of the run.
    """
    result = pcbatch.autobatch(program).run(members, **how)
    return list(differences(result, [plain(program(int(n))) for n in members]))
