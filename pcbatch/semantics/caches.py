"""Caches of results: a function of a program is pure, so without one it gives the same."""

from __future__ import annotations

import functools
from typing import Any

CACHED: Any = type(functools.cache(lambda: None))
"""Functions that remember their results."""
DECORATORS = (functools.lru_cache, functools.cache)
"""What makes a function remember its results."""


def uncached(function: Any) -> Any:
    """The function behind `lru_cache` and `cache`."""
    while isinstance(function, CACHED):
        function = function.__wrapped__
    return function
