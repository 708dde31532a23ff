"""The first call of a sampler takes little memory, whatever the width and the processor."""

from __future__ import annotations

import pytest

from tests import memory


@pytest.mark.thorough
@pytest.mark.every(2, 2)
@pytest.mark.parametrize(
    ("name", "width", "isa"),
    [("normal", 40, "AVX2"), ("horseshoe", 30, "SSE4_2")],
)
def test_a_first_call_stays_within_its_memory(name: str, width: int, isa: str) -> None:
    """Without `pcbatch.materialize` the first of these took 24 GB and had not ended."""
    assert memory.measured(name, width, isa) is not None


def test_there_are_twenty_typical_targets() -> None:
    assert len(memory.TYPICAL) == 20


@pytest.mark.thorough
def test_more_than_the_limit_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LIMIT", 100)
    assert memory.measured("normal", 1, "AVX2") is None
