"""Programs that several tests run."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import pcbatch

WEIGHTS = np.linspace(-1.0, 1.0, 900, dtype=np.float32).reshape(30, 30)


@pcbatch.autobatch
def fib(n):
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)


@pcbatch.autobatch
def halvings(n):
    """Single numbers in a loop."""
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else n + 1
        steps += 1
    return steps


@pcbatch.autobatch(in_axes=(0, None))
def collatz_path(n, scale):
    """A buffer, a shared argument, and a structure as the result."""
    path = pcbatch.buffer(4, like=n)
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path[steps % 4] = n
        steps += 1
        assert steps < 100
    return {"steps": steps, "path": path, "scale": scale, "constant": 3}


@pcbatch.autobatch
def double(n):
    return n + n


@pcbatch.autobatch
def climb(n):
    """Small blocks only: a recursion, a call, a short branch and a loop."""
    if n <= 0 or n % 7 == 6:
        return 1
    rest = n
    while rest > 3:
        rest = rest - 3 if rest % 2 == 0 else rest - 1
    left = climb(n - 1)
    right = climb(n - 3)
    return left + double(right) + rest


def step(x):
    return tf.tanh(tf.linalg.matvec(WEIGHTS, x))


@pcbatch.expensive(flops=5e4)
def far(x):
    return step(step(x))


@pcbatch.autobatch
def approach(x, n):
    """A dominant block (`far`), a large one (`step`), and small ones."""
    i = 0
    while i < n:
        if i % 3 == 2:
            x = far(x)
        else:
            x = step(x)
        i += 1
    return x, i
