"""Buffers: per-member arrays that are written one element at a time."""

from __future__ import annotations

import numpy as np

import pcbatch
from tests.programs.record import Program, ints


@pcbatch.autobatch
def sieve(n):
    """Count the primes up to `n`, which is at most 40."""
    crossed = pcbatch.buffer(41, like=n)
    count = 0
    for i in range(2, n + 1):
        if crossed[i] == 0:
            count += 1
            for multiple in range(i * i, n + 1, i):
                crossed[multiple] = 1
    return count


@pcbatch.autobatch
def recorded_path(n):
    """The Collatz path; the buffer itself is a result."""
    path = pcbatch.buffer(20, like=n)
    length = 0
    while n != 1 and length < 20:
        path[length] = n
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        length += 1
    return path, length


@pcbatch.autobatch
def histogram(xs, n):
    counts = pcbatch.buffer(4, like=n)
    for i in range(n):
        counts[xs[i] % 4] += 1
    return counts


@pcbatch.autobatch
def depth_first(left, right, value):
    """Pre-order traversal with a stack that lives in a buffer."""
    stack = pcbatch.buffer(12, like=left[0])
    order = pcbatch.buffer(11, like=value[0])
    size, visited = 1, 0
    while size > 0:
        size -= 1
        node = stack[size]
        order[visited] = value[node]
        visited += 1
        if right[node] >= 0:
            stack[size] = right[node]
            size += 1
        if left[node] >= 0:
            stack[size] = left[node]
            size += 1
    return order, visited


@pcbatch.autobatch
def memo_fib(memo, n):
    """Recursion that shares one buffer among all its frames."""
    if n <= 1:
        return n
    if memo[n] == 0:
        memo[n] = memo_fib(memo, n - 1) + memo_fib(memo, n - 2)
    return memo[n]


@pcbatch.autobatch
def memoized(n):
    memo = pcbatch.buffer(41, like=n)
    return memo_fib(memo, n), memo[5]


@pcbatch.autobatch
def insertion_sort(xs):
    n = len(xs)
    out = pcbatch.buffer(n, like=xs[0])
    for i in range(n):
        x = xs[i]
        j = i
        while j > 0 and out[j - 1] > x:
            out[j] = out[j - 1]
            j -= 1
        out[j] = x
    return out


@pcbatch.autobatch
def orbit(x, turns):
    """A buffer of vectors: one row per step that was recorded."""
    rows = pcbatch.buffer(6, like=x)
    recorded = 0
    for turn in range(turns):
        x = x * 0.5 + 1
        if turn % 2 == 0:
            rows[recorded] = x
            recorded += 1
    return rows, recorded


@pcbatch.autobatch
def coin_ways(coins, total):
    """Dynamic programming: ways to make up to 15 from each member's own three coins."""
    ways = pcbatch.buffer(16, like=total)
    ways[0] = 1
    for k in range(3):
        for amount in range(coins[k], total + 1):
            ways[amount] += ways[amount - coins[k]]
    return ways[total]


@pcbatch.autobatch
def two_buffers(n):
    """Two allocation sites with one helper: each call must write its own buffer."""
    first = pcbatch.buffer(3, like=n)
    second = pcbatch.buffer(3, like=n)
    fill(first, n, 1)
    if n % 2 == 0:
        fill(second, n, 10)
    return first, second


@pcbatch.autobatch
def fill(target, n, step):
    for i in range(3):
        if i < n:
            target[i] = n + i * step


@pcbatch.autobatch
def heap_permute(items, length, log):
    """Heap's algorithm: swaps in a buffer that is shared through the recursion."""
    if length == 1:
        log[0] = log[0] * 2 % 997 + items[0] * 3 + items[1]
        return 1
    count = 0
    for i in range(length):
        count += heap_permute(items, length - 1, log)
        if i < length - 1:
            other = i if length % 2 == 0 else 0
            kept = items[other]
            items[other] = items[length - 1]
            items[length - 1] = kept
    return count


@pcbatch.autobatch
def permutations(n):
    items = pcbatch.buffer(4, like=n)
    log = pcbatch.buffer(1, like=n)
    for i in range(4):
        items[i] = i + 1
    return heap_permute(items, n, log), log[0]


_RNG = np.random.default_rng(7)
_TREES = (
    np.array(
        [[1, 3, -1, -1, -1], [-1, -1, -1, -1, -1], [1, 2, 3, 4, -1], [-1, -1, 3, -1, -1]], np.int32
    ).repeat(2, axis=0),
    np.array(
        [[2, 4, -1, -1, -1], [-1, -1, -1, -1, -1], [-1, -1, -1, -1, -1], [1, 2, 4, -1, -1]],
        np.int32,
    ).repeat(2, axis=0),
    _RNG.integers(1, 100, size=(8, 5)).astype(np.int32),
)

PROGRAMS = (
    Program("sieve", sieve, (ints(0, 1, 2, 3, 10, 25, 31, 40),), plain="tensor", tags=("xla",)),
    Program(
        "recorded_path",
        recorded_path,
        (ints(1, 2, 3, 6, 7, 9, 16, 27),),
        plain="tensor",
        tags=("xla",),
    ),
    Program(
        "histogram",
        histogram,
        (_RNG.integers(0, 9, size=(8, 6)).astype(np.int32), ints(0, 1, 2, 3, 4, 5, 6, 6)),
        plain="tensor",
    ),
    Program("depth_first_in_buffer", depth_first, _TREES, plain="tensor"),
    Program(
        "memo_in_buffer",
        memoized,
        (ints(0, 1, 2, 5, 10, 20, 30, 6),),
        plain="tensor",
        tags=("xla",),
    ),
    Program(
        "insertion_sort",
        insertion_sort,
        (_RNG.integers(0, 9, size=(8, 5)).astype(np.int32),),
        plain="tensor",
    ),
    Program(
        "buffer_of_vectors",
        orbit,
        (_RNG.normal(size=(8, 3)).astype(np.float32), ints(0, 1, 2, 3, 5, 8, 11, -1)),
        tolerance="ROUNDING",
        plain="tensor",
    ),
    Program(
        "coin_ways",
        coin_ways,
        (_RNG.integers(1, 6, size=(8, 3)).astype(np.int32), ints(0, 1, 2, 5, 8, 12, 15, 10)),
        plain="tensor",
    ),
    Program("two_buffers", two_buffers, (ints(0, 1, 2, 3, 4, 5, -1, 10),), plain="tensor"),
    Program("heap_permutations", permutations, (ints(1, 2, 3, 4, 4, 3, 2, 1),), plain="tensor"),
)
