"""Sets and dicts as textbooks use them: loops over them, their order, what is taken out."""

from collections import Counter


def clear_rows_and_columns(n):
    """The sum of a matrix in which each row and column with a zero has become zero."""
    matrix = [[(i * j + n) % 4 for j in range(4)] for i in range(3)]
    rows = set()
    columns = set()
    for i in range(3):
        for j in range(4):
            if matrix[i][j] == 0:
                rows.add(i)
                columns.add(j)
    for i in rows:
        matrix[i] = [0] * 4
    for j in columns:
        for i in range(3):
            matrix[i][j] = 0
    return sum(map(sum, matrix))


def longest_run(n):
    """The length of the longest run of consecutive numbers among some."""
    numbers = set((n * 7 + i * i * 3 + i * n) % 23 for i in range(10))  # noqa: C401
    best = 0
    for x in numbers:
        if x - 1 not in numbers:
            y = x
            while y in numbers:
                y += 1
            best = max(best, y - x)
    return best


def least_recently_used(n):
    """How often a cache of three places has what is asked for."""
    cache = {}
    hits = 0
    for i in range(12):
        key = (n * 7 + i * i) % 5
        if key in cache:
            hits += 1
            cache.pop(key)
        elif len(cache) == 3:
            oldest = next(iter(cache))
            del cache[oldest]
        cache[key] = i
    return hits, len(cache)


def next_generation(n):
    """Cells of the game of life after two rounds: how many there are, and their sum."""
    alive = {(0, 1), (1, 2), (2, 0), (2, 1), (2, 2), (n % 3, 0)}
    for _ in range(2):
        near = Counter()
        for i, j in alive:
            for a in (-1, 0, 1):
                for b in (-1, 0, 1):
                    if a or b:
                        near[i + a, j + b] += 1
        following = set()
        for cell, count in near.items():
            if count == 3 or (count == 2 and cell in alive):
                following.add(cell)
        alive = following
    return len(alive), sum(i + 10 * j for i, j in alive)


def flood(n):
    """How many squares of a grid are reached from a corner."""
    walls = {(i, (i * i + n) % 5) for i in range(1, 5)}
    frontier = {(0, 0)}
    reached = {(0, 0)}
    while frontier:
        new = set()
        for i, j in frontier:
            for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                if 0 <= a < 5 and 0 <= b < 5 and (a, b) not in walls and (a, b) not in reached:
                    reached.add((a, b))
                    new.add((a, b))
        frontier = new
    return len(reached)


def primes_left(n):
    """The primes below a bound: what is left of the numbers without the composites."""
    numbers = set(range(2, n + 12))
    composites = set()
    for p in range(2, n + 12):
        for multiple in range(2 * p, n + 12, p):
            composites.add(multiple)
    primes = numbers - composites
    product = 1
    for p in primes:
        product = product * p % 9973
    return product, len(primes)


def components(n):
    """The number of connected parts of a graph, by taking out what has been seen."""
    edges = [(i, (i * i + n) % 9) for i in range(0, 9, 2)]
    left = set(range(9))
    parts = 0
    while left:
        stack = [left.pop()]
        parts += 1
        while stack:
            at = stack.pop()
            for a, b in edges:
                other = b if a == at else a if b == at else at
                if other in left:
                    left.discard(other)
                    stack.append(other)
    return parts


def inverted(n):
    """A table from values to the first of their keys, and what is oldest and newest in it."""
    values = dict(zip(range(6), [(i * n + 2) % 5 for i in range(6)], strict=True))
    keys = {}
    for key, value in values.items():
        keys.setdefault(value, key)
    first, last = next(iter(keys.items())), list(keys.items())[-1]
    return first, last, min(keys, key=keys.get), [key for key in reversed(keys)]


_N = [(n,) for n in range(8)]
CASES = [
    (f, _N)
    for f in (
        clear_rows_and_columns, longest_run, least_recently_used, next_generation, flood,
        primes_left, components, inverted,
    )
]  # fmt: skip
