"""Inference begins again where it learns how a list is kept; what it reads of the source stays."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch import frontend
from pcbatch.infer import program


def grown(n):
    """A list of the member, so that inference begins again."""
    odds = [0]
    for k in range(n):
        odds.append(added(k))
    return sum(odds)


def added(k):
    if k > 2:
        return k + 1
    return 0


def test_a_function_is_lowered_once_for_all_attempts_of_a_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = Counter[str]()
    lower, way, attempt = frontend.lower, program._infer, program._inferred

    def noted_lower(function: Any, **asked: Any) -> Any:
        seen[function.__name__] += 1
        return lower(function, **asked)

    def noted_way(*args: Any) -> Any:
        seen["ways"] += 1
        return way(*args)

    def noted_attempt(*args: Any) -> Any:
        seen["attempts"] += 1
        return attempt(*args)

    monkeypatch.setattr(frontend, "lower", noted_lower)
    monkeypatch.setattr(program, "_infer", noted_way)
    monkeypatch.setattr(program, "_inferred", noted_attempt)
    pcbatch.autobatch(grown).lower(np.array([3, 0, 5]))
    assert seen["attempts"] > seen["ways"]
    assert seen["added"] <= seen["grown"] == seen["ways"]
