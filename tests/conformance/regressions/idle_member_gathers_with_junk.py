"""An idle member gathered with a junk index in the eager machine (found with seed 20262002)."""
# ruff: noqa: F841, RUF034, E731

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
    for v5 in range(3, 0 % 4, -1):
        v1 -= fuel if v4 else log[2]
        v1 %= 97
        if v4:
            log[1] += relay(f3, fuel - 1, log, False, 2.5) if fuel > 0 else v1
            log[1] %= 97
            if (v6 := (fuel * SHARED[1] % 97)) < 3:
                v7, v8 = (log[3], v3)
                v9, v10 = (v4, log[0])
                v5 = 1 * 0 % 97
            elif not False:
                v5 -= SHARED[3]
                v5 %= 97
        elif v4 if (fuel > 1) else v4:
            pass
        else:
            pass
    return [SHARED[0], v1]


@pcbatch.autobatch
def f1(fuel, log, v1):
    for v2, v3 in enumerate([(v1 or v1), v1], 1):
        break
    v4 = True
    if (v5 := tf.cast(tf.floor(v1), tf.int32)) < 3:
        k6 = (v5 - fuel) % 97
        h7 = lambda p8: SHARED[0]
        return (5, (0.75, v4))
    return f1(fuel - 1, log, tf.floor(0.5 * 0.5)) if fuel > 0 else (1, (v1, (fuel > 0)))


@pcbatch.autobatch
def f2(fuel, log, v1, v2, v3):
    v2 = relay(f3, fuel - 1, log, ((fuel > 0) and False), 0.25) if fuel > 0 else 2
    return (
        {"pair": Pair(count=SHARED[4], level=0.5), "on": (fuel > 2)}
        if (8 >= SHARED[2])
        else {"pair": Pair(count=SHARED[2], level=2.0), "on": True}
    )


@pcbatch.autobatch
def f3(fuel, log, v1, v2):
    for v3 in SHARED[:3]:
        w5 = 0
        while w5 < 3 and (fuel > 1):
            w5 += 1
            for v6, v7 in enumerate([SHARED[4], ((5 + fuel) % 97)], 1):
                v1 = (fuel > 0) or (v2 > 2.25 != v2)
            else:
                log[(v3 if True else fuel) % 4] = SHARED[4] // (9 % 5 + 1)
                v8 = [((v3 - fuel) % 97), ((w5 - SHARED[0]) % 97)]
            log[w5 % 4] = (8 - fuel) % 97
            v9 = (log[3], 0.0)
        if v1:
            pass
        elif v1 == (fuel > 0):
            pass
    else:
        pass
    return (log[8 % 4] - max(log[0], SHARED[0], 6)) % 97


@pcbatch.autobatch
def main(fuel, a, b, c, d):
    log = pcbatch.buffer(4, like=a)
    return f0(fuel, log, a, b, c, d), log
