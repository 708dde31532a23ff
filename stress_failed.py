import dataclasses
from typing import Any, NamedTuple

import tensorflow as tf

import pcbatch


class Pair(NamedTuple):
    count: Any
    level: Any


@dataclasses.dataclass(frozen=True)
class Box:
    size: Any
    open: Any

    def __tf_flatten__(self):
        return (), (self.size, self.open)

    @classmethod
    def __tf_unflatten__(cls, metadata, leaves):
        return cls(*leaves)


@pcbatch.autobatch
def relay(g, fuel, log, *args):
    return g(fuel, log, *args)


SHARED = tf.constant([5, -3, 11, 0, 42], tf.int32)


@pcbatch.autobatch
def f0(fuel, log, v1, v2, v3, v4):
    v5 = 0
    return Pair(count=0, level=0.0)


@pcbatch.autobatch
def f1(fuel, log, v1):
    v2 = 0
    return 0


@pcbatch.autobatch
def f2(fuel, log, v1):
    assert not (fuel == 2 and log[1] % 3 == 0), "injected fault"
    v2 = 0
    return 0


@pcbatch.autobatch
def f3(fuel, log, v1):
    v2 = 0
    return 0


@pcbatch.autobatch
def main(fuel, a, b, c, d):
    log = pcbatch.buffer(4, like=a)
    return f0(fuel, log, a, b, c, d), log
