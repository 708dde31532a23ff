"""A literal as the first operand of `max` met an int64 (inference refused it)."""

from typing import Any, NamedTuple

import tensorflow as tf

import pcbatch


class Pair(NamedTuple):
    count: Any
    level: Any


SHARED = tf.constant([5, -3, 11, 0, 42], tf.int32)


@pcbatch.autobatch
def f0(fuel, log, v1, v2, v3, v4):
    while v2 > 3:
        v2 -= 4
    return max(12, v2, 12) + min(3, v2)


@pcbatch.autobatch
def main(fuel, a, b, c, d):
    log = pcbatch.buffer(4, like=a)
    return f0(fuel, log, a, b, c, d), log
