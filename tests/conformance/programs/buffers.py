"""Buffers: per-member arrays that are written one element at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from tests.conformance.programs.record import Program, ints


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


class Pair(NamedTuple):
    left: Any
    right: Any


def _helper(n):
    """No autobatched function: it makes two buffers and writes one of them."""
    written = pcbatch.buffer(2, like=n)
    written[0] = n
    return written, pcbatch.buffer(2, like=n), written


@pcbatch.autobatch
def made_together(n):
    """Each buffer that one statement makes is one of its own, and has one name or several."""
    a, b = pcbatch.buffer(2, like=n), pcbatch.buffer(3, like=n)
    pair = Pair(pcbatch.buffer(2, like=n), pcbatch.buffer(2, like=n))
    table = {"x": pcbatch.buffer(2, like=n), "y": pcbatch.buffer(2, like=n)}
    q, r = [pcbatch.buffer(2, like=n) for _ in range(2)]
    u, v, w = _helper(n)
    c = d = pcbatch.buffer(2, like=n)
    a[0] = n
    b[2] = 2
    pair.left[-1] = 3
    table["x"][1] = 4
    q[0] += 5
    w[1] = 6
    c[0] = 7
    a = pcbatch.buffer(2, like=n)
    a[1] = 8
    return a, b, pair, table, q, r, u, v, w, c, d, c[0] + 3 * d[0]


@pcbatch.autobatch
def double_buffering(n):
    """Two buffers change their names in each round; a third name keeps the first."""
    now, then = pcbatch.buffer(4, like=n), pcbatch.buffer(4, like=n)
    now[0] = 1
    first = now
    for _ in range(n):
        for j in range(4):
            then[j] = now[j] + now[j - 1]
        now, then = then, now
    first[3] += 100
    return now, then, first is now, now[0] + then[-1]


@pcbatch.autobatch
def generations(n):
    """A buffer is made in each round, while the last two are in use."""
    pair = (pcbatch.buffer(2, like=n), pcbatch.buffer(2, like=n))
    unused = 0
    for i in range(n):
        new = pcbatch.buffer(2, like=n)
        scratch = pcbatch.buffer(1, like=n)
        new[0] = pair[0][0] + i
        new[1] += pair[1][1] + 1
        scratch[0] += i
        unused += scratch[0]
        if i % 3 == 2:
            continue
        pair = (pair[1], new)
    return pair, unused


@pcbatch.autobatch
def sorted_two(x, y):
    a = pcbatch.buffer(2, like=x)
    a[0], a[1] = x, y
    if a[0] > a[1]:
        a[0], a[1] = a[1], a[0]
    return a


@pcbatch.autobatch
def made_by_a_callee(n):
    """A function that makes a buffer is called several times, in a loop, too."""
    best, other = sorted_two(n, 2), sorted_two(3, n)
    for i in range(n):
        found = sorted_two(i, n - i)
        if found[0] > best[0]:
            best = found
        found[1] += 10
    other[0] += 100
    return best, other


@pcbatch.autobatch
def some(n, given):
    """Two of the results may be one buffer, or the one that it was given."""
    a = pcbatch.buffer(2, like=n)
    a[0] = n
    if n % 2 == 0:
        return a, a, given
    b = pcbatch.buffer(2, like=n)
    b[0] = -n
    if n > 3:
        return given, b, a
    return a, b, given


@pcbatch.autobatch
def one_or_two(n):
    given = pcbatch.buffer(2, like=n)
    x, y, z = some(n, given)
    x[1] += 1
    y[1] += 2
    z[1] += 4
    given[0] += 8
    u, v, w = some(n + 1, y)
    u[1] += 16
    v[1] += 32
    w[1] += 64
    return given, x, y, z, u, v, w, u is v, w is y


@pcbatch.autobatch
def own_in_each_call(n):
    """Every activation of a recursion has buffers of its own, which change places."""
    a, b = pcbatch.buffer(2, like=n), pcbatch.buffer(2, like=n)
    a[0], b[0] = n, 2 * n
    if n <= 1:
        return n
    if n % 2 == 0:
        a, b = b, a
    a[1] += own_in_each_call(n - 1)
    b[1] += own_in_each_call(n - 2)
    return (a[0] + 2 * b[0] + 3 * a[1] + 5 * b[1]) % 101


@pcbatch.autobatch
def returned_from_each_call(n):
    if n <= 0:
        leaf = pcbatch.buffer(3, like=n)
        leaf[0] = 1
        return leaf
    left = returned_from_each_call(n - 1)
    right = returned_from_each_call(n - 2)
    out = pcbatch.buffer(3, like=n)
    for i in range(3):
        out[i] = left[i] + 2 * right[i - 1]
    left[0] = 50
    return out


@pcbatch.autobatch
def writes_and_goes_on(b, n):
    b[0] += n
    if n > 0:
        makes_and_passes_on(n - 1)
    b[1] += b[0]
    return b[1]


@pcbatch.autobatch
def makes_and_passes_on(n):
    """The callee writes the caller's buffer, and leads back to where that was made."""
    b = pcbatch.buffer(2, like=n)
    b[1] = 1
    r = writes_and_goes_on(b, n)
    return r + b[0]


@pcbatch.autobatch
def elements_in_turn(n):
    """Python's own ways through a list, also while it changes."""
    a, b = pcbatch.buffer(3, like=n), pcbatch.buffer(3, like=n)
    a[1] = n
    if n > 2:
        a, b = b, a
    b[2] = 4
    total = 0
    for k, x in enumerate(a):
        total = total * 3 + x
        if k < 2:
            a[k + 1] += 1
    for x, y in zip(a, b, strict=True):
        total = total * 3 + x - y
    p, _, q = a
    return total, sum(a), n in b, max(b), min(a), any(a), p + q, [x + 1 for x in a], sorted(b)


@pcbatch.autobatch
def stores_before_a_product(n, x):
    """A block that stores, then computes what is no part of a kernel, then stores again."""
    kept, total = pcbatch.buffer(5, like=n), x[0] * 0
    for k in range(n):
        kept[k] = n + k
        products = tf.linalg.matvec(tf.ones([40, 40]), x * tf.cast(kept[k], tf.float32))
        total += tf.reduce_sum(tf.exp(-products * products))
    return kept, total


_EIGHT = ints(0, 1, 2, 3, 5, 4, -1, 6)
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


@pcbatch.autobatch
def from_the_end(i, j):
    """Negative places count from the end, read and stored."""
    ring = pcbatch.buffer(5, like=i)
    for k in range(5):
        ring[k] = 10 * k
    ring[i] += 7
    ring[j] = ring[i] + ring[-1]
    ring[-2] += ring[j]
    return ring, ring[i]


PROGRAMS = (
    Program(
        "from_the_end",
        from_the_end,
        (ints(-5, -4, -1, 0, 3, 4, 2, -3), ints(-1, 4, -5, -2, 0, 1, -4, -3)),
        tags=("xla",),
    ),
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
        roundings=22,
        plain="tensor",
    ),
    Program(
        "coin_ways",
        coin_ways,
        (_RNG.integers(1, 6, size=(8, 3)).astype(np.int32), ints(0, 1, 2, 5, 8, 12, 15, 10)),
        plain="tensor",
    ),
    Program("two_buffers", two_buffers, (ints(0, 1, 2, 3, 4, 5, -1, 10),), plain="tensor"),
    Program("buffers_made_together", made_together, (_EIGHT,), plain="tensor"),
    Program("double_buffering", double_buffering, (_EIGHT,), plain="tensor", tags=("xla",)),
    Program("generations_of_buffers", generations, (_EIGHT,), plain="tensor"),
    Program("buffers_of_a_callee", made_by_a_callee, (_EIGHT,), plain="tensor"),
    Program("one_buffer_or_two", one_or_two, (_EIGHT,), plain="tensor"),
    Program("buffers_of_each_call", own_in_each_call, (_EIGHT,), plain="tensor"),
    Program(
        "buffers_from_each_call", returned_from_each_call, (_EIGHT,), plain="tensor", tags=("xla",)
    ),
    Program("buffers_passed_on", makes_and_passes_on, (_EIGHT,), plain="tensor"),
    Program("elements_of_a_buffer", elements_in_turn, (_EIGHT,), plain="tensor"),
    Program(
        "stores_before_a_product",
        stores_before_a_product,
        (ints(0, 1, 2, 3, 5, 4, 3, 1), _RNG.normal(size=(8, 40)).astype(np.float32)),
        roundings=200,
        plain="tensor",
        tags=("xla",),
    ),
    Program("heap_permutations", permutations, (ints(1, 2, 3, 4, 4, 3, 2, 1),), plain="tensor"),
)
