"""A literal that varies keeps its weak type through `abs`, `round` and the reductions."""

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def f0(fuel, a, b):
    v6 = min(((f1(fuel - 1) if fuel > 0 else 1), b), key=abs)
    return v6 + a % 3 if v6 == 1 else v6


@pcbatch.autobatch
def f1(fuel):
    return 0 if fuel > 1 else -2


@pcbatch.autobatch
def main(fuel, a, b, c, d):
    return f0(fuel, tf.cast(a, tf.int64), b)
