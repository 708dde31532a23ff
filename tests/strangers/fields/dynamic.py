"""Dynamic programming."""

from functools import lru_cache


def fibonacci(n):
    if n < 0:
        raise ValueError("n must not be negative")
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@lru_cache(maxsize=None)
def fibonacci_memo(n):
    if n < 2:
        return n
    return fibonacci_memo(n - 1) + fibonacci_memo(n - 2)


def climb_stairs(n):
    if n <= 2:
        return n
    ways = [0] * (n + 1)
    ways[1] = 1
    ways[2] = 2
    for i in range(3, n + 1):
        ways[i] = ways[i - 1] + ways[i - 2]
    return ways[n]


def max_subarray(values):
    """Kadane."""
    best = current = values[0]
    for v in values[1:]:
        current = max(v, current + v)
        best = max(best, current)
    return best


def coin_change(coins, amount):
    """The fewest coins, or -1."""
    if amount < 0:
        raise ValueError("amount must not be negative")
    best = [0] + [float("inf")] * amount
    for a in range(1, amount + 1):
        for c in coins:
            if c <= a:
                best[a] = min(best[a], best[a - c] + 1)
    return best[amount] if best[amount] != float("inf") else -1


def coin_ways(coins, amount):
    ways = [1] + [0] * amount
    for c in coins:
        for a in range(c, amount + 1):
            ways[a] += ways[a - c]
    return ways[amount]


def longest_increasing(values):
    n = len(values)
    lengths = [1] * n
    for i in range(1, n):
        for j in range(i):
            if values[j] < values[i] and lengths[j] + 1 > lengths[i]:
                lengths[i] = lengths[j] + 1
    return max(lengths)


def longest_common_subsequence(a, b):
    m, n = len(a), len(b)
    table = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table[m][n]


def edit_distance(a, b):
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            cost = 0 if x == y else 1
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost))
        previous = current
    return previous[-1]


def knapsack(weights, values, capacity):
    n = len(weights)
    table = [[0 for _ in range(capacity + 1)] for _ in range(n + 1)]
    for i in range(1, n + 1):
        for w in range(capacity + 1):
            table[i][w] = table[i - 1][w]
            if weights[i - 1] <= w:
                table[i][w] = max(table[i][w], table[i - 1][w - weights[i - 1]] + values[i - 1])
    return table[n][capacity]


def rod_cutting(prices, n):
    if n == 0:
        return 0
    if n > len(prices):
        raise ValueError("the rod is longer than the table of prices")
    best = -1
    for i in range(n):
        best = max(best, prices[i] + rod_cutting(prices, n - i - 1))
    return best


def catalan(n):
    c = [0] * (n + 1)
    c[0] = 1
    for i in range(1, n + 1):
        for j in range(i):
            c[i] += c[j] * c[i - 1 - j]
    return c[n]


def min_path_sum(grid):
    rows, cols = len(grid), len(grid[0])
    for r in range(rows):
        for c in range(cols):
            if r == 0 and c == 0:
                continue
            if r == 0:
                grid[r][c] += grid[r][c - 1]
            elif c == 0:
                grid[r][c] += grid[r - 1][c]
            else:
                grid[r][c] += min(grid[r - 1][c], grid[r][c - 1])
    return grid[-1][-1]


def house_robber(values):
    take, skip = 0, 0
    for v in values:
        take, skip = skip + v, max(take, skip)
    return max(take, skip)


def partition_possible(values):
    """Can the list be split into two of the same sum?"""
    total = sum(values)
    if total % 2:
        return False
    half = total // 2
    reachable = [False] * (half + 1)
    reachable[0] = True
    for v in values:
        for s in range(half, v - 1, -1):
            if reachable[s - v]:
                reachable[s] = True
    return reachable[half]


def max_profit(prices):
    lowest = prices[0]
    profit = 0
    for p in prices:
        lowest = min(lowest, p)
        profit = max(profit, p - lowest)
    return profit


def matrix_chain(dims):
    n = len(dims) - 1
    cost = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i][j] = min(
                cost[i][k] + cost[k + 1][j] + dims[i] * dims[k + 1] * dims[j + 1]
                for k in range(i, j)
            )
    return cost[0][n - 1]


CASES = [
    (fibonacci, [(0,), (1,), (10,), (50,), (-1,), (90,)]),
    (fibonacci_memo, [(0,), (1,), (2,), (7,), (12,), (10,)]),
    (climb_stairs, [(1,), (2,), (3,), (10,), (30,), (0,)]),
    (
        max_subarray,
        [
            ([-2, 1, -3, 4, -1, 2],),
            ([1, 2, 3, 4, 5, 6],),
            ([-3, -1, -2, -9, -8, -7],),
            ([5, -9, 6, -2, 3, 1],),
            ([0, 0, 0, 0, 0, 0],),
            ([10, -20, 30, -5, 6, -40],),
        ],
    ),
    (
        coin_change,
        [
            ([1, 2, 5], 11),
            ([2, 5, 10], 3),
            ([1, 3, 4], 6),
            ([7, 8, 9], 0),
            ([1, 2, 5], -1),
            ([3, 5, 7], 14),
        ],
    ),
    (
        coin_ways,
        [
            ([1, 2, 5], 5),
            ([2, 3, 7], 12),
            ([1, 5, 10], 25),
            ([4, 6, 8], 7),
            ([1, 2, 3], 0),
            ([1, 2, 3], 10),
        ],
    ),
    (
        longest_increasing,
        [
            ([10, 9, 2, 5, 3, 7, 101],),
            ([1, 2, 3, 4, 5, 6, 7],),
            ([7, 6, 5, 4, 3, 2, 1],),
            ([0, 1, 0, 3, 2, 3, 4],),
            ([4, 4, 4, 4, 4, 4, 4],),
            ([3, 1, 8, 2, 9, 0, 10],),
        ],
    ),
    (
        longest_common_subsequence,
        [
            ([1, 2, 3, 4], [2, 4, 3, 4, 5]),
            ([1, 1, 1, 1], [2, 2, 2, 2, 2]),
            ([5, 6, 7, 8], [5, 6, 7, 8, 9]),
            ([1, 3, 5, 7], [7, 5, 3, 1, 0]),
            ([0, 1, 0, 1], [1, 0, 1, 0, 1]),
            ([9, 8, 7, 6], [1, 9, 7, 2, 6]),
        ],
    ),
    (
        edit_distance,
        [
            ([1, 2, 3, 4], [2, 4, 3]),
            ([1, 1, 1, 1], [2, 2, 2]),
            ([5, 6, 7, 8], [5, 7, 8]),
            ([1, 3, 5, 7], [7, 5, 3]),
            ([0, 1, 0, 1], [1, 0, 1]),
            ([9, 8, 7, 6], [9, 8, 6]),
        ],
    ),
    (
        knapsack,
        [
            ([1, 3, 4, 5], [1, 4, 5, 7], 7),
            ([2, 2, 2, 2], [3, 1, 4, 1], 5),
            ([5, 6, 7, 8], [1, 1, 1, 1], 4),
            ([1, 2, 3, 4], [10, 20, 30, 40], 10),
            ([1, 1, 1, 1], [9, 8, 7, 6], 0),
            ([3, 4, 2, 1], [8, 9, 3, 2], 6),
        ],
    ),
    (
        rod_cutting,
        [
            ([1, 5, 8, 9, 10], 4),
            ([1, 5, 8, 9, 10], 0),
            ([3, 5, 8, 9, 10], 5),
            ([1, 5, 8, 9, 10], 6),
            ([2, 2, 2, 2, 2], 3),
            ([1, 1, 10, 1, 1], 5),
        ],
    ),
    (catalan, [(0,), (1,), (2,), (5,), (10,), (15,)]),
    (
        min_path_sum,
        [
            ([[1, 3, 1], [1, 5, 1], [4, 2, 1]],),
            ([[1, 2, 3], [4, 5, 6], [7, 8, 9]],),
            ([[0, 0, 0], [0, 9, 0], [0, 0, 0]],),
            ([[9, 1, 1], [1, 1, 9], [1, 1, 1]],),
            ([[5, 5, 5], [5, 5, 5], [5, 5, 5]],),
            ([[1, 9, 9], [1, 9, 9], [1, 1, 1]],),
        ],
    ),
    (
        house_robber,
        [
            ([1, 2, 3, 1],),
            ([2, 7, 9, 3],),
            ([0, 0, 0, 0],),
            ([5, 1, 1, 5],),
            ([10, 9, 8, 7],),
            ([1, 20, 3, 4],),
        ],
    ),
    (
        partition_possible,
        [
            ([1, 5, 11, 5],),
            ([1, 2, 3, 5],),
            ([2, 2, 2, 2],),
            ([1, 1, 1, 4],),
            ([3, 4, 5, 6],),
            ([8, 1, 3, 4],),
        ],
    ),
    (
        max_profit,
        [
            ([7, 1, 5, 3, 6, 4],),
            ([7, 6, 4, 3, 2, 1],),
            ([1, 2, 3, 4, 5, 6],),
            ([3, 3, 3, 3, 3, 3],),
            ([2, 9, 1, 5, 0, 8],),
            ([5, 1, 9, 0, 2, 3],),
        ],
    ),
    (
        matrix_chain,
        [
            ([10, 30, 5, 60],),
            ([40, 20, 30, 10],),
            ([1, 2, 3, 4],),
            ([5, 5, 5, 5],),
            ([100, 1, 100, 1],),
            ([2, 9, 4, 7],),
        ],
    ),
]
