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
SPEC = tf.TensorSpec([], tf.int32)


def hosted(x, y):
    return (x * 3 - y) % 97


@pcbatch.autobatch
def f0(fuel, log, v1, v2, v3, v4):
    for v5, v6 in zip(SHARED[1:4], (1, 0, 2)):
        v2 -= sorted((v2, 10, 7))[0]
        v2 %= 97
        for v7, v8 in (
            ((v2 * 0 % 97), 1),
            ((f0(fuel - 1, log, v6, 2, 2.0, v4) if fuel > 2 else 1), 2),
        ):
            if not (v4 if v4 else (fuel > 1)):
                log[log[3] % 4] += v5 or log[0]
                log[log[3] % 4] %= 97
                v3 -= v3
                v3 %= 97
                log[log[0 % 4] % 4] += (SHARED[2] + log[2]) % 97
                log[log[0 % 4] % 4] %= 97
                log[(v5 if False else 5) % 4] += v5
                log[(v5 if False else 5) % 4] %= 97
            else:
                v2 = v2
        else:
            pass
    else:
        pass
    return v2


@pcbatch.autobatch
def main(fuel, a, b, c, d):
    log = pcbatch.buffer(4, like=a)
    return f0(fuel, log, a, b, c, d), log
