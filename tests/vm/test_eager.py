"""The machine without XLA."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.vm import eager
from pcbatch.vm.traced_function import TracedFunction

BESIDE = 20
"""So many variables wait for the end of a loop."""


def test_a_block_is_given_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []

    class Counted(TracedFunction):
        def __call__(self, *args: Any) -> Any:
            given.append(len(tf.nest.flatten(args)))
            return super().__call__(*args)

    monkeypatch.setattr(eager, "TracedFunction", Counted)

    @pcbatch.autobatch
    def total(n, beside):
        result = 0
        while n > 0:
            result = result + n
            n = n - 1
        return result + sum(beside)

    n = np.array([0, 1, 5], np.int32)
    beside = tuple(np.full(3, i, np.int32) for i in range(BESIDE))
    expected = np.array([0, 1, 15]) + sum(range(BESIDE))
    assert total.run(n, beside, jit=False).value.numpy().tolist() == expected.tolist()
    assert max(given) > BESIDE  # the block that adds them all up
    assert np.median(given) < BESIDE  # the loop's blocks, which run most often
