"""Results of two runs that must be the same."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

import pcbatch


def bits(value: Any) -> list[tuple[Any, bytes]]:
    return [(x.dtype, x.numpy().tobytes()) for x in tf.nest.flatten(value)]


def assert_same(found: pcbatch.Result, wanted: pcbatch.Result) -> None:
    """Values, statuses, what these mean, and counts."""
    assert bits(found.value) == bits(wanted.value)
    assert found.status.numpy().tolist() == wanted.status.numpy().tolist()
    assert found.faults == wanted.faults
    assert found.stats == wanted.stats
