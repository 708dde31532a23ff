"""Lists that are written to, and lists that grow."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import pcbatch
from tests.conformance.programs.record import Program, floats, ints


@pcbatch.autobatch
def bubble_sort(xs):
    """Of an argument: the caller's list stays as it is."""
    xs = list(xs)
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


@pcbatch.autobatch
def partition(xs, low, high):
    pivot, i = xs[high], low - 1
    for j in range(low, high):
        if xs[j] <= pivot:
            i += 1
            xs[i], xs[j] = xs[j], xs[i]
    xs[i + 1], xs[high] = xs[high], xs[i + 1]
    return i + 1


@pcbatch.autobatch
def sort_between(xs, low, high):
    if low < high:
        middle = partition(xs, low, high)
        sort_between(xs, low, middle - 1)
        sort_between(xs, middle + 1, high)


@pcbatch.autobatch
def quicksort(xs):
    """Recursion that is handed a list, and writes to it."""
    xs = xs[:]
    sort_between(xs, 0, len(xs) - 1)
    return xs


@pcbatch.autobatch
def edit_distance(a, b):
    """Dynamic programming in a list of lists; one row is read through a name of its own."""
    table = [[0] * 6 for _ in range(6)]
    for i in range(6):
        table[i][0] = i
        table[0][i] = i
    for i in range(1, 6):
        before, row = table[i - 1], table[i]
        for j in range(1, 6):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + cost)
    return table[-1][-1]


@pcbatch.autobatch
def two_rows(n):
    """A list made anew in each round, and two names that change places."""
    before = [1] + [0] * 5
    for _ in range(n):
        row = [0] * 6
        for j in range(6):
            row[j] = before[j] + before[j - 1]
        before = row
    return before


@pcbatch.autobatch
def is_free(columns, row, column):
    for k in range(row):
        if columns[k] == column or abs(columns[k] - column) == row - k:
            return False
    return True


@pcbatch.autobatch
def placed(columns, row, n):
    if row == n:
        return 1
    total = 0
    for column in range(n):
        if is_free(columns, row, column):
            columns[row] = column
            total += placed(columns, row + 1, n)
    return total


@pcbatch.autobatch
def queens_in_a_list(n):
    return placed([0] * 5, 0, n)


@pcbatch.autobatch
def collatz_path(n):
    """A list that grows; what is read of it depends on its length."""
    path = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path.append(n)
    return len(path), max(path), path[-2] if len(path) > 1 else 0, sum(path), 16 in path


@pcbatch.autobatch
def run_lengths(n):
    """The elements are read, in the text, before anything says what they are."""
    runs = []
    for k in range(9):
        bit = n >> k & 1
        if runs and runs[-1][0] == bit:
            runs[-1] = (bit, runs[-1][1] + 1)
        else:
            runs.append((bit, 1))
    return len(runs), max(length for _, length in runs)


@pcbatch.autobatch
def widths_of_halves(n):
    """A stack of pairs."""
    stack = [(0, n)]
    leaves = total = 0
    while stack:
        low, high = stack.pop()
        if high - low <= 2:
            leaves += 1
            total += low
        else:
            middle = (low + high) // 2
            stack.append((low, middle))
            stack.append((middle, high))
    return leaves, total


@pcbatch.autobatch
def steps_away(start):
    """A search in breadth, with a queue."""
    distance = [-1] * 12
    distance[start] = 0
    queue = [start]
    while queue:
        node = queue.pop(0)
        for other in ((node * 2) % 12, (node + 5) % 12):
            if distance[other] < 0:
                distance[other] = distance[node] + 1
                queue.append(other)
    return distance


@pcbatch.autobatch
def many_methods(xs, n):
    xs = list(xs)
    xs.extend([n, 7, n])
    xs.insert(1, 40)
    xs.insert(-1, 41)
    xs.remove(7)
    xs.reverse()
    found = xs.index(n), xs.count(n), xs.pop(2), xs.pop()
    ordered, copied = sorted(xs), xs.copy()
    copied.sort(reverse=True)
    xs[1:3] = [1, 2]
    return found, ordered[0], copied[0], len(xs), xs[1] + xs[2], xs == copied


@pcbatch.autobatch
def small_primes(n):
    found = []
    for k in range(2, n):
        is_prime = True
        for p in found:
            if k % p == 0:
                is_prime = False
        if is_prime:
            found.append(k)
    return found


@pcbatch.autobatch
def primes_twice(n):
    """A function that returns a list of its own is called twice."""
    few, more = small_primes(n), small_primes(n + 6)
    few.append(100)
    return len(few), few[-1], len(more), more[-1]


@pcbatch.autobatch
def degrees(n):
    """Lists in a list, each of its own length."""
    near = [[] for _ in range(5)]
    for k in range(n):
        near[k % 5].append((k * k) % 5)
        near[(k * 3) % 5].append(k)
    return [len(row) for row in near], sum(near[0]), near[n % 5] == near[1]


@pcbatch.autobatch
def doubled(n):
    return 2 * n


@pcbatch.autobatch
def comprehensions(n):
    """Lists whose lengths depend on a condition, or on a number of rounds."""
    odd = [k for k in range(n) if k % 2]
    primes = [k for k in range(2, n) if all(k % p for p in range(2, k))]
    calls = [doubled(k) for k in odd if k % 3]
    pairs = [a * b for a in primes for b in odd if a < b]
    calls.append(n)
    return sum(odd), len(primes), len(pairs), sum(pairs), calls[-1], max(calls)


@pcbatch.autobatch
def starred(n):
    """Displays with stars, of lists that grow."""
    path = [n]
    while n > 1 and len(path) < 30:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path = [*path, n]
    both = [0, *path, *path]
    return len(path), max(path), len(both), both[-1]


@pcbatch.autobatch
def running_means(x, n):
    means = [0.0, x]
    while len(means) < n:
        means.append((means[-1] + means[-2]) / 2)
    return means[-1], min(means)


_NUMBERS = np.random.default_rng(0).integers(0, 9, (5, 8)).astype(np.int32)
_LETTERS = np.random.default_rng(1).integers(0, 3, (2, 8, 5)).astype(np.int32)


@pcbatch.autobatch
def digits_of(n, base):
    """A tuple that grows, made anew in each round in three ways."""
    found, places = (), ()
    while n > 0:
        found = (*found, n % base)
        places += (len(places),)
        n //= base
    turned = found[::-1] + (base,)
    code = 0
    for digit in turned:
        code = 11 * code + digit
    return code, sum(places), turned[0], turned == (1, 0, 2)


@pcbatch.autobatch
def logarithms(y, n):
    """What TensorFlow and NumPy give is appended, and reduced by all three."""
    found, halves = [], []
    for _ in range(n):
        y = y * 0.5
        found.append(tf.math.log(y))
        halves.append(np.sqrt(y))
    return found[-1], sum(found), np.mean(halves), tf.reduce_max(found), len(halves)


@pcbatch.autobatch
def positions(v, n):
    """Vectors in lists: in a loop, made anew in each round, and of a recursion."""

    def falls(v, k):
        way = []
        while k > 0:
            way.append(v)
            v = v * 0.5 - 1.0
            k -= 1
        return v if len(way) == 0 else way[-1] + falls(v, len(way) - 1)

    path, ends = [v], []
    for k in range(n):
        steps = []
        for j in range(k + 1):
            steps.append(v * j)
        ends.append(steps[-1])
        path.append(path[-1] * 0.5 + ends[k])
    return path[-1], sum(path), falls(v, n), np.array(path)[:, 1].max(), len(ends)


@pcbatch.autobatch
def stacked(y, v):
    """Lists of a known length: in loops that can be unrolled, and in a helper."""

    def powers(y, count):
        found = []
        for k in range(count):
            found.append(y**k)
        return found

    rows, flat = [], []
    for k in range(3):
        rows.append(v * k)
        flat.extend([y, y + k])
    flat.pop()
    return tf.stack(rows), tf.stack(flat), tf.stack(powers(y, 4)), tf.reduce_sum(rows, axis=0)


@pcbatch.autobatch
def one_of_two(n, y):
    """A name that means one list or the other: what is added is seen under both names."""
    low, high = [y], [y + 1]
    mine = low if n > 3 else high
    mine += [3.0]
    mine.append(y)
    return len(low), len(high), sum(low), sum(high)


_VECTORS = np.random.default_rng(2).normal(size=(8, 3))


@pcbatch.autobatch
def rows_of_a_table(n):
    """Rows in a list of lists that a variable means, too, and rows that are taken out in front."""
    before = [0] * (n % 5 + 1)
    table = [before]
    for i in range(n):
        row = [i]
        for j in range(n % 5):
            row.append(max(before[j] + (i % 3 == j % 2), before[j + 1], row[j]))
        table.append(row)
        before = row
    waiting, seen = [[n % 3], [1, 2]], 0
    while waiting and seen < 9:
        path = waiting.pop(0)
        seen += len(path)
        waiting.insert(seen % 2, [*path, seen])
    return table[-1][-1], sum(map(sum, table)), seen, sum(map(len, waiting))


PROGRAMS = (
    Program(
        "logarithms",
        logarithms,
        (np.linspace(0.5, 4, 8), ints(*range(1, 9))),
        roundings=20,
        tags=("xla",),
    ),
    Program("positions", positions, (_VECTORS, ints(1, 2, 3, 4, 5, 1, 2, 6)), roundings=40),
    Program("stacked", stacked, (np.linspace(0.5, 4, 8), _VECTORS), roundings=10, tags=("xla",)),
    Program("one_of_two", one_of_two, (ints(1, 2, 3, 4, 5, 6, 7, 8), np.linspace(0.5, 4, 8))),
    Program("bubble_sort", bubble_sort, ([*_NUMBERS],)),
    Program("quicksort_in_a_list", quicksort, ([*_NUMBERS],), tags=("xla",)),
    Program("edit_distance_of_lists", edit_distance, tuple(_LETTERS), tags=("xla",)),
    Program("two_rows", two_rows, (ints(0, 1, 2, 3, 4, 5, 6, 7),)),
    Program("queens_in_a_list", queens_in_a_list, (ints(0, 1, 2, 3, 4, 5, 1, 4),)),
    Program("run_lengths", run_lengths, (ints(0, 1, 5, 73, 511, 341, 96, 12),)),
    Program("collatz_path", collatz_path, (ints(1, 2, 3, 5, 6, 9, 16, 17),), tags=("xla",)),
    Program("widths_of_halves", widths_of_halves, (ints(0, 1, 2, 3, 9, 17, 30, 40),)),
    Program("steps_away", steps_away, (ints(0, 1, 2, 3, 5, 7, 9, 11),), tags=("xla",)),
    Program("many_methods", many_methods, ([*_NUMBERS], ints(1, 2, 3, 4, 5, 6, 7, 8))),
    Program("primes_twice", primes_twice, (ints(3, 4, 6, 9, 12, 15, 20, 30),)),
    Program("degrees", degrees, (ints(0, 1, 2, 3, 5, 7, 9, 13),)),
    Program("running_means", running_means, (floats(*np.linspace(-1, 2, 8)), ints(*range(1, 9)))),
    Program("rows_of_a_table", rows_of_a_table, (ints(0, 1, 2, 5, 12, 9, 7, 3),), tags=("xla",)),
    Program("comprehensions", comprehensions, (ints(0, 1, 2, 5, 12, 20, 7, 3),), tags=("xla",)),
    Program("starred", starred, (ints(0, 1, 2, 5, 6, 27, 7, 3),)),
    Program(
        "digits_of",
        digits_of,
        (ints(0, 1, 2, 5, 6, 11, 7, 30), ints(3, 2, 5, 3, 2, 3, 10, 4)),
        tags=("xla",),
    ),
)
