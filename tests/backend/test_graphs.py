"""Loops of the machine ask TensorFlow for less than `tf.while_loop` does."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import tensorflow as tf

from pcbatch.backend.private import xla_operations

LOOPS = ("While", "StatelessWhile")


def nested(while_loop: Any, x: tf.Tensor) -> tf.Tensor:
    """x * 2**6 in two loops, one in the other."""

    def twice(i: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        inner = while_loop(lambda j, _: j < 2, lambda j, z: (j + 1, z * 2), (0, y))
        return i + 1, inner[1]

    result: tf.Tensor = while_loop(lambda i, _: i < 3, twice, (tf.constant(0), x))[1]
    return result


@pytest.mark.parametrize(
    ("while_loop", "looks"),
    [(xla_operations.while_loop, False), (tf.while_loop, True)],
    ids=["ours", "theirs"],
)
def test_loops_look_for_constants_in_the_loops_within(while_loop: Any, looks: bool) -> None:
    """TensorFlow 2.21 does; where it no longer does, our own loop can go."""
    nested_in = functools.partial(nested, while_loop)
    function = tf.function(nested_in, jit_compile=True, autograph=False)
    x = tf.constant([1.0, 2.0])
    assert function(x).numpy().tolist() == [64.0, 128.0] == nested_in(x).numpy().tolist()
    definition = function.get_concrete_function(x).graph.as_graph_def()
    nodes = [*definition.node, *(n for f in definition.library.function for n in f.node_def)]
    found = [n.attr["_xla_propagate_compile_time_consts"].b for n in nodes if n.op in LOOPS]
    assert found == [looks, looks]
