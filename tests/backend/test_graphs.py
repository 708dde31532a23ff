"""Loops of the machine ask TensorFlow for less than `tf.while_loop` does."""

from __future__ import annotations

import tensorflow as tf

from pcbatch.backend import graphs

LOOPS = ("While", "StatelessWhile")


def nested(x: tf.Tensor) -> tf.Tensor:
    """x * 2**6 in two loops, one in the other."""

    def twice(i: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        inner = graphs.while_loop(lambda j, _: j < 2, lambda j, z: (j + 1, z * 2), (0, y))
        return i + 1, inner[1]

    result: tf.Tensor = graphs.while_loop(lambda i, _: i < 3, twice, (tf.constant(0), x))[1]
    return result


def test_no_loop_looks_for_its_constants_in_the_loops_within() -> None:
    function = tf.function(nested, jit_compile=True, autograph=False)
    x = tf.constant([1.0, 2.0])
    assert function(x).numpy().tolist() == [64.0, 128.0] == nested(x).numpy().tolist()
    definition = function.get_concrete_function(x).graph.as_graph_def()
    nodes = [*definition.node, *(n for f in definition.library.function for n in f.node_def)]
    loops = [node for node in nodes if node.op in LOOPS]
    assert len(loops) == 2
    assert not any(node.attr["_xla_propagate_compile_time_consts"].b for node in loops)
