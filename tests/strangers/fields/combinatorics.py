"""Combinatorics."""

import math
from itertools import combinations, permutations


def binomial(n, k):
    if k < 0 or k > n:
        return 0
    k = min(k, n - k)
    result = 1
    for i in range(k):
        result = result * (n - i) // (i + 1)
    return result


def binomial_recursive(n, k):
    if k == 0 or k == n:
        return 1
    return binomial_recursive(n - 1, k - 1) + binomial_recursive(n - 1, k)


def pascal_row(n):
    row = [1]
    for k in range(n):
        row.append(row[k] * (n - k) // (k + 1))
    return row


def derangements(n):
    if n < 0:
        raise ValueError("n must not be negative")
    if n == 0:
        return 1
    if n == 1:
        return 0
    return (n - 1) * (derangements(n - 1) + derangements(n - 2))


def stirling_second(n, k):
    table = [[0] * (k + 1) for _ in range(n + 1)]
    table[0][0] = 1
    for i in range(1, n + 1):
        for j in range(1, min(i, k) + 1):
            table[i][j] = j * table[i - 1][j] + table[i - 1][j - 1]
    return table[n][k]


def bell(n):
    """By the triangle."""
    row = [1]
    for _ in range(n):
        new = [row[-1]]
        for x in row:
            new.append(new[-1] + x)
        row = new
    return row[0]


def partitions(n, largest):
    if n == 0:
        return 1
    if n < 0 or largest == 0:
        return 0
    return partitions(n - largest, largest) + partitions(n, largest - 1)


def next_permutation(values):
    i = len(values) - 2
    while i >= 0 and values[i] >= values[i + 1]:
        i -= 1
    if i >= 0:
        j = len(values) - 1
        while values[j] <= values[i]:
            j -= 1
        values[i], values[j] = values[j], values[i]
    values[i + 1 :] = reversed(values[i + 1 :])
    return values


def permutation_rank(values):
    rank = 0
    n = len(values)
    for i in range(n):
        smaller = sum(1 for v in values[i + 1 :] if v < values[i])
        rank += smaller * math.factorial(n - 1 - i)
    return rank


def josephus(n, k):
    if n < 1 or k < 1:
        raise ValueError("n and k must be positive")
    survivor = 0
    for size in range(2, n + 1):
        survivor = (survivor + k) % size
    return survivor + 1


def josephus_order(n, k):
    circle = list(range(1, n + 1))
    order = []
    i = 0
    while circle:
        i = (i + k - 1) % len(circle)
        order.append(circle.pop(i))
    return order


def count_combinations(values, target):
    """Triples with a sum."""
    return sum(1 for triple in combinations(values, 3) if sum(triple) == target)


def best_order(costs):
    """The cheapest assignment of three tasks."""
    return min(sum(costs[i][p[i]] for i in range(3)) for p in permutations(range(3)))


def multinomial(counts):
    return math.factorial(sum(counts)) // math.prod(math.factorial(c) for c in counts)


def power_set_sums(values):
    """All sums of subsets."""
    sums = [0]
    for v in values:
        sums += [s + v for s in sums]
    return sums


def lattice_paths(width, height):
    return math.comb(width + height, width)


CASES = [
    (binomial, [(5, 2), (10, 0), (10, 10), (3, 5), (40, 20), (4, -1)]),
    (binomial_recursive, [(5, 2), (6, 0), (6, 6), (7, 3), (1, 1), (8, 2)]),
    (pascal_row, [(0,), (1,), (2,), (5,), (8,), (3,)]),
    (derangements, [(0,), (1,), (2,), (4,), (-1,), (7,)]),
    (stirling_second, [(0, 0), (4, 2), (5, 5), (5, 1), (7, 3), (3, 4)]),
    (bell, [(0,), (1,), (2,), (3,), (6,), (5,)]),
    (partitions, [(0, 0), (4, 4), (5, 2), (7, 7), (3, 1), (6, 3)]),
    (
        next_permutation,
        [
            ([1, 2, 3, 4],),
            ([4, 3, 2, 1],),
            ([1, 3, 2, 4],),
            ([2, 4, 3, 1],),
            ([1, 1, 2, 2],),
            ([3, 1, 4, 2],),
        ],
    ),
    (
        permutation_rank,
        [
            ([0, 1, 2, 3],),
            ([3, 2, 1, 0],),
            ([1, 0, 3, 2],),
            ([2, 3, 0, 1],),
            ([0, 3, 1, 2],),
            ([3, 0, 1, 2],),
        ],
    ),
    (josephus, [(1, 1), (7, 3), (41, 3), (0, 2), (10, 2), (5, 10)]),
    (josephus_order, [(1, 1), (7, 3), (5, 2), (6, 1), (4, 9), (3, 3)]),
    (
        count_combinations,
        [
            ([1, 2, 3, 4, 5], 9),
            ([0, 0, 0, 0, 0], 0),
            ([5, -5, 0, 1, -1], 0),
            ([1, 1, 1, 2, 2], 4),
            ([10, 20, 30, 40, 50], 60),
            ([1, 2, 4, 8, 16], 7),
        ],
    ),
    (
        best_order,
        [
            ([[4, 2, 8], [4, 3, 7], [3, 1, 6]],),
            ([[1, 1, 1], [1, 1, 1], [1, 1, 1]],),
            ([[9, 1, 9], [1, 9, 9], [9, 9, 1]],),
            ([[5, 6, 7], [8, 9, 1], [2, 3, 4]],),
            ([[0, 5, 5], [5, 0, 5], [5, 5, 0]],),
            ([[3, 2, 1], [1, 3, 2], [2, 1, 3]],),
        ],
    ),
    (
        multinomial,
        [([1, 2, 3],), ([0, 0, 0],), ([2, 2, 2],), ([5, 0, 1],), ([4, 3, 2],), ([1, 1, 1],)],
    ),
    (
        power_set_sums,
        [([1, 2, 4],), ([0, 0, 0],), ([5, 5, 5],), ([-1, 1, 3],), ([10, 20, 30],), ([7, -7, 1],)],
    ),
    (lattice_paths, [(0, 0), (1, 1), (2, 2), (10, 5), (15, 15), (3, 0)]),
]
