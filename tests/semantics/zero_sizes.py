"""Programs with values without elements. XLA aborted the process for some, so it is one of its own.

`python -m tests.semantics.zero_sizes WAY...` runs every program in these ways and compares with
plain Python.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch

WAYS: dict[str, dict[str, Any]] = {
    "loop": {"strategy": "loop"},
    "local": {"strategy": "local"},
    "hybrid": {"strategy": "hybrid"},
    "eager": {"jit": False},
    "eager-sweep": {"jit": False, "schedule": "sweep"},
    "sweep": {"schedule": "sweep"},
    "switch": {"schedule": "switch"},
    "shards": {"shards": 3},
    "crowd": {},
}
CROWD = 400
"""So many members that blocks run on buckets and in crews."""


class State(NamedTuple):
    position: Any
    nothing: Any


@pcbatch.autobatch
def across_calls(z, n):
    """Saved across calls of a recursion."""
    if n <= 0:
        return z, n
    y, m = across_calls(z + 1, n - 1)
    w, k = across_calls(y, n - 2)
    return w + z, m + k + 1


@pcbatch.autobatch
def in_buffers(z, n):
    """Buffers of no elements, and of elements that have none."""
    rows, a, b = pcbatch.buffer(3, like=z), pcbatch.buffer(0, like=n), pcbatch.buffer(0, like=n)
    while n > 0:
        rows[n % 3] = z[0] + rows[0]
        new = pcbatch.buffer(0, like=n)
        a, b = b, new
        n -= 1
    return rows, rows[1], a, b, len(a), n


@pcbatch.autobatch
def in_registers(z, x, n):
    """Carried by a loop, part of a structure, result of a branch, and made in expressions."""
    state, total = State(x, z), x[0]
    while n > 0:
        state = State(state.position + 1, state.nothing * 2)
        if n % 2 == 0:
            state = state._replace(nothing=tf.concat([state.nothing, z], 1))
        none = x[:0]
        total += tf.reduce_sum(none) + tf.reduce_sum(none[:, None] @ none[None, :]) + x[1]
        n -= 1
    holds = tf.reduce_all(state.nothing > 0)
    return state, total, holds, tf.concat([x, z[0]], 0), EMPTY + z[0], KEPT * 2.0


@pcbatch.autobatch
def alone(z):
    """No argument has an element."""
    for _ in range(3):
        z = z + 1
    return z, tf.reduce_sum(z) + 1


EMPTY, KEPT = np.zeros([0], np.float32), tf.zeros([0, 3])
N = np.array([0, 1, 2, 3, 5, 4], np.int32)
Z = np.zeros([6, 2, 0], np.float32)
X = np.arange(12, dtype=np.float32).reshape(6, 2)
PROGRAMS: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (across_calls, (Z, N)),
    (in_buffers, (Z, N)),
    (in_registers, (Z, X, N)),
    (alone, (Z,)),
)


def plain(function: Any, args: tuple[Any, ...]) -> Any:
    """What plain Python gives for each member, together."""
    members = [function.single(*map(tf.constant, row)) for row in zip(*args, strict=True)]
    return tf.nest.map_structure(lambda *leaves: np.stack([*map(np.asarray, leaves)]), *members)


def run(function: Any, args: tuple[Any, ...], way: str) -> Any:
    """The batch, in a way, as arrays; a crowd is many copies of it, and they must agree."""
    index = np.arange(CROWD) % len(args[0]) if way == "crowd" else np.arange(len(args[0]))
    result = function.run(*(x[index] for x in args), throw=True, **WAYS[way]).value
    whole = tf.nest.map_structure(np.asarray, result)
    first = tf.nest.map_structure(lambda x: x[: len(args[0])], whole)
    compare(whole, tf.nest.map_structure(lambda x: x[index], first))
    return first


def compare(found: Any, wanted: Any) -> None:
    def same(a: np.ndarray, b: np.ndarray) -> None:
        assert a.shape == b.shape, (a.shape, b.shape)
        np.testing.assert_array_equal(a, b)

    tf.nest.map_structure(same, found, wanted)


def vectorized() -> None:
    """The same without a program: `pcbatch.vectorize`, eager and compiled."""

    def f(z: Any, x: Any) -> Any:
        return z * 2, tf.reduce_sum(z) + x, tf.concat([z, [x]], 0), z[:, None] @ z[None, :]

    batched: Callable[..., Any] = pcbatch.vectorize(f)
    args = tf.zeros([4, 0]), tf.ones([4])
    for way in (batched, tf.function(batched, jit_compile=True)):
        assert [tuple(x.shape) for x in way(*args)] == [(4, 0), (4,), (4, 1), (4, 0, 0)]


def main(ways: list[str]) -> None:
    for function, args in PROGRAMS:
        wanted = plain(function, args)
        for way in ways:
            print(function.__name__, way, flush=True)
            compare(run(function, args, way), wanted)
        nobody = tf.nest.map_structure(np.asarray, function(*(x[:0] for x in args)))
        compare(nobody, tf.nest.map_structure(lambda x: x[:0], wanted))
    vectorized()
    print("done")


if __name__ == "__main__":
    main(sys.argv[1:])
