"""A batch in shards gives what it gives in one."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ArgumentError


@pcbatch.autobatch
def collatz(n, scale):
    path = pcbatch.buffer(4, like=n)
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path[steps % 4] = n
        steps += 1
        assert steps < 100
    return {"steps": steps, "path": path, "scale": scale, "constant": 3}


NUMBERS = tf.range(1, 31)


@pytest.mark.parametrize("jit", [False, True])
def test_shards_change_no_result(jit: bool) -> None:
    scale = tf.constant([2.0, 3.0])
    whole = collatz.run(NUMBERS, scale, in_axes=(0, None), jit=jit)
    parts = collatz.run(NUMBERS, scale, in_axes=(0, None), jit=jit, shards=3)
    tf.nest.map_structure(np.testing.assert_array_equal, parts.value, whole.value)
    np.testing.assert_array_equal(parts.status, whole.status)
    assert set(parts.status.numpy()) == {0, 4}
    assert parts.faults == whole.faults
    for part, block in zip(parts.stats.blocks, whole.stats.blocks, strict=True):
        assert (part.label, part.active) == (block.label, block.active)
        assert part.active <= part.executions * part.batch_size
        assert part.batch_size <= 10
    assert parts.stats.steps <= sum(block.executions for block in parts.stats.blocks)


def test_shards_have_one_size() -> None:
    with pytest.raises(ArgumentError, match="batch of 30 cannot be cut into 4 shards"):
        collatz.run(NUMBERS, tf.zeros([30]), shards=4)
    with pytest.raises(ArgumentError, match="shards is 0"):
        collatz.run(NUMBERS, tf.zeros([30]), shards=0)


def test_a_call_inside_a_graph_has_one_shard() -> None:
    @tf.function(autograph=False)
    def inside(n):
        return collatz.run(n, tf.zeros([30]), shards=3, max_stack_depth=2).value

    with pytest.raises(ArgumentError, match="one shard"):
        inside(NUMBERS)
