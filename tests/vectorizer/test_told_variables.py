"""A function around a batched call knows the variables that the program reads, however often it is
traced."""

from __future__ import annotations

import tensorflow as tf

import pcbatch

SCALE = tf.Variable(2.0)


@pcbatch.autobatch(max_stack_depth=4)
def scaled(x):
    if x > 0.0:
        return SCALE * x
    return x


def test_every_function_around_a_call_has_them() -> None:
    scaled(tf.ones([3]))
    for _ in range(2):
        traced = tf.function(scaled).get_concrete_function(tf.TensorSpec([3]))
        assert [x.ref() for x in traced.variables] == [SCALE.ref()]
