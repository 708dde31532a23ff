"""What everyday Python does with slices, containers, exceptions and arrays of one member."""

from __future__ import annotations

import heapq
import itertools
import math
from fractions import Fraction

import numpy as np

import pcbatch
from tests.conformance.programs.record import Program, ints


@pcbatch.autobatch
def parts_of_a_row(row, n):
    """Slices whose bounds are the member's."""
    first, rest = row[:n], row[n:]
    total = sum(first) - sum(rest) + len(row[n - 1 :])
    for x in row[n // 2 : n]:
        total = 2 * total + x
    return total, n in first, max(row[: n + 1])


@pcbatch.autobatch
def pairs_and_products(n):
    """Loops over `itertools`, whose rounds are the member's."""
    total = 0
    for a, b in itertools.combinations(range(n), 2):
        if (a + b) % 3 == 0:
            total += a * b
    for a, b in itertools.product(range(n), range(3)):
        total += a - b
    for k in itertools.takewhile(lambda k: k * k < 5 * n, itertools.count(1)):
        total = 2 * total + k
    return total


@pcbatch.autobatch
def own_table(n):
    """Stores into an array that the function makes: elements, a column, and chosen places."""
    table = np.zeros((3, 4))
    for i in range(3):
        for j in range(4):
            table[i, j] = i * n - j
    table[:, 1] = n
    table[table < 0] = 0.5
    row = table[2].copy()
    row[-1] += table[0, n % 4]
    return table.sum(), row


@pcbatch.autobatch
def entry(xs, k):
    if k < 0:
        raise ValueError("no such entry")
    return 12 // xs[k]


@pcbatch.autobatch
def caught(xs, n):
    """Exceptions of a callee, of an index and of a division, and what happens in any case."""
    found = score = 0
    for k in range(n - 2, n + 2):
        try:
            found += entry(xs, k)
        except ZeroDivisionError:
            score += 1
        except (IndexError, ValueError):
            score += 10
        else:
            score += 100
        finally:
            found = 2 * found + 1
    return found, score


@pcbatch.autobatch
def divided(n):
    """A list of each call, made of those that its calls return."""
    if n < 2:
        return [n]
    return [*divided(n // 2), n, *divided(n - n // 2 - 1)]


@pcbatch.autobatch
def lists_of_calls(n):
    parts = divided(n)
    return len(parts), sum(k * x for k, x in enumerate(parts)), max(parts)


@pcbatch.autobatch
def halves_in_order(n):
    """A heap, a dict and a set."""
    heap, counts, seen = [n, 2, n + 3], {}, set()
    heapq.heapify(heap)
    while heap:
        k = heapq.heappop(heap)
        counts[k % 3] = counts.get(k % 3, 0) + 1
        if k not in seen:
            seen.add(k)
            heapq.heappush(heap, k // 2)
    code = 0
    for key, count in counts.items():
        code = 100 * code + 10 * key + count
    return code, sum(seen), max(seen)


@pcbatch.autobatch
def ways_collected(n):
    """Paths that a recursion puts into a list, on a map that a comprehension draws."""
    passable = [[1 if (i * 2 + j * n + 1) % 4 else 0 for j in range(3)] for i in range(3)]
    found = []

    def walk(i, j, way):
        if i == 3 or j == 3 or not passable[i][j]:
            return
        if i + j == 4:
            found.append(way)
            return
        walk(i + 1, j, [*way, 0])
        walk(i, j + 1, [*way, 1])

    walk(0, 0, [])
    code = len(found)
    for way in found:
        code = (code * 7 + sum(k * step for k, step in enumerate(way))) % 1009
    return code, sum(map(sum, passable))


@pcbatch.autobatch
def last_of_a_kind(n):
    """Variables that have no value on some paths."""
    total = 0
    for k in range(1, n + 1):
        if n % k == 0 and k < n:
            divisor = k
        try:
            total += previous * k
        except NameError:
            total += 100
        previous = k % 3
        if k == 5:
            del previous
    return (divisor if n > 1 else -1), total


def primes_found():
    found, k = [], 2
    while True:
        if all(k % p for p in found):
            found.append(k)
            yield k
        k += 1


@pcbatch.autobatch
def first_primes(n):
    """Generators without an end, of which `itertools` takes elements."""
    total = sum(itertools.islice(primes_found(), n))
    for p in itertools.takewhile(lambda p: p < 2 * n, primes_found()):
        total = (3 * total + p) % 1009
    for k, p in zip(range(n), itertools.dropwhile(lambda p: p < n, primes_found())):
        total += k * p
    return total, next(itertools.islice(primes_found(), n, None))


def moves(k, a, b, c):
    if k > 0:
        yield from moves(k - 1, a, c, b)
        yield a, c
        yield from moves(k - 1, b, a, c)


@pcbatch.autobatch
def towers(n):
    """Generators that go over themselves, one with a list that it changes meanwhile."""
    pegs = [0, 0, 0]
    for a, c in moves(n % 5, 0, 1, 2):
        pegs[a] -= 1
        pegs[c] += 1
    seen = set()

    def visited(k):
        seen.add(k)
        yield k
        for following in ((2 * k + 1) % (n + 2), (3 * k + 2) % (n + 2)):
            if following not in seen:
                yield from visited(following)

    order = list(visited(0))
    return pegs[0], pegs[2], len(order), sum(i * k for i, k in enumerate(order))


@pcbatch.autobatch
def unit_fractions(n):
    """Fractions that are added up, compared and put in order."""
    rest, parts = Fraction(n, 11) + HALF, []
    while rest > 0 and len(parts) < 4:
        unit = Fraction(1, math.ceil(1 / rest))
        parts.append(unit)
        rest -= unit
    parts.sort()
    bottoms = [p.denominator for p in parts]
    return rest.as_integer_ratio(), sum(parts).numerator, sum(bottoms), rest == 0, HALF in parts


HALF = Fraction(1, 2)
_ROWS = np.random.default_rng(3).integers(0, 4, (8, 5)).astype(np.int32)
_EIGHT = ints(0, 1, 2, 3, 4, 5, 7, 9)

PROGRAMS = (
    Program(
        "parts_of_a_row", parts_of_a_row, (_ROWS, ints(1, 2, 3, 4, 5, 1, 3, 2)), tags=("turn",)
    ),
    Program("pairs_and_products", pairs_and_products, (_EIGHT,), tags=("turn",)),
    Program("own_table", own_table, (_EIGHT,), tags=("turn",)),
    Program(
        "caught",
        caught,
        ([*_ROWS.T], ints(0, 1, 2, 3, 4, 5, 6, 3)),
        plain="python",
        tags=("turn",),
    ),
    Program("lists_of_calls", lists_of_calls, (_EIGHT,), tags=("turn",)),
    Program("halves_in_order", halves_in_order, (_EIGHT,), tags=("turn",)),
    Program("ways_collected", ways_collected, (_EIGHT,), tags=("turn",)),
    Program("last_of_a_kind", last_of_a_kind, (_EIGHT,), plain="python", tags=("turn",)),
    Program("first_primes", first_primes, (_EIGHT,), plain="python", tags=("turn",)),
    Program("unit_fractions", unit_fractions, (_EIGHT,), plain="python", tags=("turn",)),
    Program("towers", towers, (_EIGHT,), plain="python", tags=("turn",)),
)
