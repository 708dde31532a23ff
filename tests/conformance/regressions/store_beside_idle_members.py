"""An inactive member's write-back of an old value undid another member's store (eager machine)."""

from typing import Any, NamedTuple

import tensorflow as tf

import pcbatch


class Pair(NamedTuple):
    count: Any
    level: Any


SHARED = tf.constant([5, -3, 11, 0, 42], tf.int32)


@pcbatch.autobatch
def f0(fuel, log, v1, v2, v3, v4):
    for v8 in range(3, v1 % 4, -1):
        log[2] = 10
    log[0] = fuel
    return f0(fuel - 1, log, tf.cast(tf.floor(v3), tf.int32), 0, v3, v4) if fuel > 0 else 2.5


@pcbatch.autobatch
def main(fuel, a, b, c, d):
    log = pcbatch.buffer(4, like=a)
    return f0(fuel, log, a, b, c, d), log
