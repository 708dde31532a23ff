"""Probability and statistics."""

import math


def factorial(n):
    if n < 0:
        raise ValueError("n must not be negative")
    return 1 if n in (0, 1) else n * factorial(n - 1)


def binomial_pmf(k, n, p):
    if not 0 <= p <= 1:
        raise ValueError("p must be in [0, 1]")
    if k < 0 or k > n:
        return 0.0
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


def binomial_cdf(k, n, p):
    return sum(binomial_pmf(i, n, p) for i in range(k + 1))


def poisson_pmf(k, rate):
    if not isinstance(k, int):
        raise TypeError("k must be an integer")
    if k < 0:
        return 0.0
    return rate**k * math.exp(-rate) / math.factorial(k)


def birthday(people, days):
    """The probability that two have one birthday."""
    if people > days:
        return 1.0
    different = 1.0
    for i in range(people):
        different *= (days - i) / days
    return 1 - different


def normal_pdf(x, mu, sigma):
    if sigma <= 0:
        raise ValueError("sigma must be positive")
    z = (x - mu) / sigma
    return math.exp(-0.5 * z * z) / (sigma * math.sqrt(2 * math.pi))


def bayes(prior, sensitivity, specificity):
    positive = sensitivity * prior + (1 - specificity) * (1 - prior)
    return sensitivity * prior / positive


def mean_variance(values):
    """Welford."""
    mean, m2, n = 0.0, 0.0, 0
    for v in values:
        n += 1
        delta = v - mean
        mean += delta / n
        m2 += delta * (v - mean)
    return mean, m2 / (n - 1)


def gambler_ruin(start, goal, p):
    if start <= 0:
        return 0.0
    if start >= goal:
        return 1.0
    if math.isclose(p, 0.5):
        return start / goal
    r = (1 - p) / p
    return (1 - r**start) / (1 - r**goal)


def entropy(probabilities):
    if not math.isclose(sum(probabilities), 1.0):
        raise ValueError("probabilities must add up to 1")
    return -sum(p * math.log2(p) for p in probabilities if p > 0)


def dice_sum_ways(dice, total):
    """In how many ways do dice show a total?"""
    if dice == 0:
        return 1 if total == 0 else 0
    return sum(dice_sum_ways(dice - 1, total - face) for face in range(1, 7))


def markov_steps(matrix, start, steps):
    """The distribution after some steps from a state."""
    n = len(matrix)
    state = [0.0] * n
    state[start] = 1.0
    for _ in range(steps):
        state = [sum(state[i] * matrix[i][j] for i in range(n)) for j in range(n)]
    return state


def correlation(xs, ys):
    n = len(xs)
    mx, my = sum(xs) / n, sum(ys) / n
    cov = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    vx = sum((x - mx) ** 2 for x in xs)
    vy = sum((y - my) ** 2 for y in ys)
    if vx == 0 or vy == 0:
        return math.nan
    return cov / math.sqrt(vx * vy)


def mode(values):
    best, best_count = values[0], 0
    for v in values:
        c = values.count(v)
        if c > best_count:
            best, best_count = v, c
    return best


def percentile(values, q):
    if not 0 <= q <= 100:
        raise ValueError("q must be between 0 and 100")
    ordered = sorted(values)
    position = (len(ordered) - 1) * q / 100
    low = math.floor(position)
    high = math.ceil(position)
    if low == high:
        return ordered[int(position)]
    return ordered[low] * (high - position) + ordered[high] * (position - low)


SAMPLES = [
    [1.0, 2.0, 3.0, 4.0],
    [2.5, 2.5, 2.5, 2.5],
    [-1.0, 0.0, 1.0, 10.0],
    [100.0, 50.0, 25.0, 12.5],
    [0.1, 0.2, 0.3, 0.4],
    [9.0, -9.0, 9.0, -9.0],
]
CHAINS = [
    [[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]],
    [[0.9, 0.1, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]],
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.2, 0.3, 0.5], [0.5, 0.2, 0.3], [0.3, 0.5, 0.2]],
    [[0.1, 0.8, 0.1], [0.6, 0.2, 0.2], [0.7, 0.3, 0.0]],
]

CASES = [
    (factorial, [(0,), (1,), (5,), (10,), (-1,), (20,)]),
    (
        binomial_pmf,
        [(0, 5, 0.5), (2, 5, 0.3), (6, 5, 0.5), (-1, 5, 0.5), (3, 10, 1.5), (10, 20, 0.25)],
    ),
    (
        binomial_cdf,
        [(0, 5, 0.5), (2, 5, 0.3), (5, 5, 0.5), (-1, 5, 0.5), (3, 10, 0.1), (10, 20, 0.25)],
    ),
    (poisson_pmf, [(0, 1.0), (3, 2.5), (-1, 1.0), (10, 4.0), (5, 0.0), (1, 0.1)]),
    (birthday, [(1, 365), (23, 365), (50, 365), (8, 7), (0, 10), (4, 12)]),
    (
        normal_pdf,
        [
            (0.0, 0.0, 1.0),
            (1.0, 0.5, 2.0),
            (3.0, 3.0, 0.0),
            (-4.0, 0.0, 1.5),
            (10.0, 0.0, 1.0),
            (2.0, 1.0, -1.0),
        ],
    ),
    (
        bayes,
        [
            (0.01, 0.99, 0.95),
            (0.5, 0.8, 0.8),
            (0.0, 0.9, 1.0),
            (1.0, 0.5, 0.5),
            (0.001, 0.999, 0.999),
            (0.3, 0.0, 0.4),
        ],
    ),
    (mean_variance, [(values,) for values in SAMPLES]),
    (
        gambler_ruin,
        [(5, 10, 0.5), (5, 10, 0.6), (0, 10, 0.5), (10, 10, 0.4), (1, 3, 0.45), (3, 20, 0.55)],
    ),
    (
        entropy,
        [
            ([0.25, 0.25, 0.25, 0.25],),
            ([1.0, 0.0, 0.0, 0.0],),
            ([0.5, 0.25, 0.125, 0.125],),
            ([0.7, 0.1, 0.1, 0.1],),
            ([0.5, 0.5, 0.5, 0.5],),
            ([0.0, 0.0, 0.3, 0.7],),
        ],
    ),
    (dice_sum_ways, [(0, 0), (1, 3), (2, 7), (3, 10), (2, 13), (1, 0)]),
    (markov_steps, [(chain, i % 3, i) for i, chain in enumerate(CHAINS)]),
    (correlation, list(zip(SAMPLES, SAMPLES[::-1]))),
    (
        mode,
        [
            ([1, 2, 2, 3, 3],),
            ([5, 5, 5, 1, 1],),
            ([1, 2, 3, 4, 5],),
            ([0, 0, 9, 9, 9],),
            ([7, 7, 7, 7, 7],),
            ([3, 1, 3, 1, 2],),
        ],
    ),
    (
        percentile,
        [(values, q) for values, q in zip(SAMPLES, (50.0, 0.0, 100.0, 33.0, 101.0, 75.0))],
    ),
]
