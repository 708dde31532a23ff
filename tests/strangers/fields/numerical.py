"""Numerical analysis."""

import math


def newton_sqrt(a, tolerance):
    if a < 0:
        raise ValueError("math domain error")
    if a == 0:
        return 0.0
    x = a
    while True:
        y = 0.5 * (x + a / x)
        if abs(y - x) < tolerance:
            return y
        x = y


def bisection(a, b):
    """A root of x**3 - x - 2."""

    def f(x):
        return x**3 - x - 2

    if f(a) * f(b) > 0:
        raise ValueError("no change of sign in the interval")
    for _ in range(60):
        mid = (a + b) / 2
        if f(mid) == 0 or (b - a) / 2 < 1e-10:
            break
        if f(a) * f(mid) < 0:
            b = mid
        else:
            a = mid
    return (a + b) / 2


def secant(x0, x1):
    """A root of cos x - x."""
    for i in range(50):
        f0 = math.cos(x0) - x0
        f1 = math.cos(x1) - x1
        if abs(f1 - f0) < 1e-14:
            return x1
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
    return x1


def trapezoid(a, b, n):
    """The integral of sin over [a, b]."""
    if n <= 0:
        raise ValueError("n must be positive")
    h = (b - a) / n
    total = 0.5 * (math.sin(a) + math.sin(b))
    for i in range(1, n):
        total += math.sin(a + i * h)
    return total * h


def simpson(a, b, n):
    if n % 2 == 1:
        n += 1
    h = (b - a) / n
    total = math.exp(a) + math.exp(b)
    total += 4 * sum(math.exp(a + i * h) for i in range(1, n, 2))
    total += 2 * sum(math.exp(a + i * h) for i in range(2, n, 2))
    return total * h / 3


def euler(y, t_end, steps):
    """dy/dt = -2 y."""
    t = 0.0
    h = t_end / steps
    while t < t_end - 1e-12:
        y = y + h * (-2 * y)
        t += h
    return y


def runge_kutta(x, y, h, steps):
    """dy/dx = x + y, four stages."""

    def f(x, y):
        return x + y

    for _ in range(steps):
        k1 = f(x, y)
        k2 = f(x + h / 2, y + h * k1 / 2)
        k3 = f(x + h / 2, y + h * k2 / 2)
        k4 = f(x + h, y + h * k3)
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        x += h
    return y


def horner(coefficients, x):
    result = 0.0
    for c in reversed(coefficients):
        result = result * x + c
    return result


def lagrange(xs, ys, x):
    if len(xs) != len(ys):
        raise ValueError("xs and ys must have the same length")
    total = 0.0
    for i in range(len(xs)):
        term = ys[i]
        for j in range(len(xs)):
            if i != j:
                term *= (x - xs[j]) / (xs[i] - xs[j])
        total += term
    return total


def divided_differences(xs, ys):
    n = len(xs)
    coef = ys[:]
    for j in range(1, n):
        for i in range(n - 1, j - 1, -1):
            coef[i] = (coef[i] - coef[i - 1]) / (xs[i] - xs[i - j])
    return coef


def gauss_solve(a, b):
    """Solve a x = b with pivots."""
    n = len(a)
    for col in range(n):
        pivot = max(range(col, n), key=lambda r: abs(a[r][col]))
        if abs(a[pivot][col]) < 1e-12:
            raise ValueError("matrix is singular")
        a[col], a[pivot] = a[pivot], a[col]
        b[col], b[pivot] = b[pivot], b[col]
        for row in range(col + 1, n):
            factor = a[row][col] / a[col][col]
            for k in range(col, n):
                a[row][k] -= factor * a[col][k]
            b[row] -= factor * b[col]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = sum(a[i][j] * x[j] for j in range(i + 1, n))
        x[i] = (b[i] - s) / a[i][i]
    return x


def jacobi_iteration(a, b):
    n = len(b)
    x = [0.0] * n
    for _ in range(100):
        new = [(b[i] - sum(a[i][j] * x[j] for j in range(n) if j != i)) / a[i][i] for i in range(n)]
        if max(abs(p - q) for p, q in zip(new, x)) < 1e-12:
            return new
        x = new
    return x


def determinant(m):
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    total = 0.0
    for j in range(len(m)):
        minor = [row[:j] + row[j + 1 :] for row in m[1:]]
        total += (-1) ** j * m[0][j] * determinant(minor)
    return total


def exp_series(x):
    term = 1.0
    total = 1.0
    n = 1
    while abs(term) > 1e-15:
        term *= x / n
        total += term
        n += 1
    return total


def power_method(m):
    """The largest eigenvalue of a symmetric matrix."""
    v = [1.0] * len(m)
    value = 0.0
    for _ in range(60):
        w = [sum(x * y for x, y in zip(row, v)) for row in m]
        norm = math.sqrt(sum(x * x for x in w))
        if norm == 0:
            return 0.0
        v = [x / norm for x in w]
        value = norm
    return value


def golden_section(a, b):
    """The minimum of (x - 2)**2 on [a, b]."""
    phi = (math.sqrt(5) - 1) / 2
    c, d = b - phi * (b - a), a + phi * (b - a)
    while abs(b - a) > 1e-8:
        if (c - 2) ** 2 < (d - 2) ** 2:
            b = d
        else:
            a = c
        c, d = b - phi * (b - a), a + phi * (b - a)
    return (a + b) / 2


def least_squares_line(xs, ys):
    n = len(xs)
    mean_x = sum(xs) / n
    mean_y = sum(ys) / n
    sxx = sum((x - mean_x) ** 2 for x in xs)
    if sxx == 0:
        raise ValueError("all x are equal")
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / sxx
    return slope, mean_y - slope * mean_x


POINTS = [
    ([0.0, 1.0, 2.0], [1.0, 3.0, 7.0]),
    ([1.0, 2.0, 4.0], [0.0, 0.0, 6.0]),
    ([-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]),
    ([0.5, 1.5, 3.5], [2.0, 2.0, 2.0]),
    ([10.0, 20.0, 40.0], [-1.0, 5.0, -3.0]),
    ([2.0, 2.0, 2.0], [1.0, 2.0, 3.0]),
]
MATRICES = [
    [[4.0, 1.0, 0.5], [1.0, 5.0, 2.0], [0.5, 2.0, 6.0]],
    [[10.0, 2.0, 1.0], [2.0, 8.0, 1.0], [1.0, 1.0, 7.0]],
    [[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]],
    [[6.0, -1.0, 2.0], [-1.0, 4.0, 1.0], [2.0, 1.0, 9.0]],
    [[5.0, 1.0, 1.0], [1.0, 5.0, 1.0], [1.0, 1.0, 5.0]],
    [[7.0, 3.0, 2.0], [3.0, 9.0, 1.0], [2.0, 1.0, 8.0]],
]
SIDES = [
    [1.0, 2.0, 3.0],
    [0.0, 0.0, 0.0],
    [-1.0, 4.0, 2.5],
    [10.0, -10.0, 1.0],
    [7.0, 7.0, 7.0],
    [0.25, 1.5, -3.0],
]

CASES = [
    (newton_sqrt, [(2.0, 1e-9), (0.0, 1e-9), (-1.0, 1e-9), (1e6, 1e-6), (0.25, 1e-12), (9.0, 1.0)]),
    (bisection, [(1.0, 2.0), (0.0, 3.0), (2.0, 3.0), (-5.0, 5.0), (1.5, 1.6), (1.0, 100.0)]),
    (secant, [(0.0, 1.0), (1.0, 2.0), (-1.0, 1.0), (0.5, 0.6), (0.7, 0.8), (1.0, 1.0)]),
    (
        trapezoid,
        [
            (0.0, 1.0, 4),
            (0.0, 3.14, 50),
            (1.0, 1.0, 3),
            (0.0, 1.0, 0),
            (-1.0, 2.0, 9),
            (0.0, 6.0, 1),
        ],
    ),
    (
        simpson,
        [
            (0.0, 1.0, 4),
            (0.0, 2.0, 11),
            (1.0, 1.0, 2),
            (-1.0, 0.5, 6),
            (0.0, 3.0, 20),
            (2.0, 1.0, 1),
        ],
    ),
    (
        euler,
        [
            (1.0, 1.0, 10),
            (2.0, 0.5, 5),
            (0.0, 1.0, 4),
            (1.0, 2.0, 100),
            (-3.0, 1.0, 8),
            (1.0, 1.0, 1),
        ],
    ),
    (
        runge_kutta,
        [
            (0.0, 1.0, 0.1, 10),
            (1.0, 0.0, 0.05, 20),
            (0.0, 0.0, 0.5, 0),
            (0.0, 2.0, 0.25, 4),
            (-1.0, 1.0, 0.1, 7),
            (0.0, 1.0, 1.0, 1),
        ],
    ),
    (
        horner,
        [
            ([1.0, 2.0, 3.0], 2.0),
            ([0.0, 0.0, 1.0], -3.0),
            ([5.0, 0.0, 0.0], 9.0),
            ([1.5, -2.5, 0.5], 0.1),
            ([1.0, 1.0, 1.0], 1.0),
            ([-1.0, 3.0, -2.0], 10.0),
        ],
    ),
    (lagrange, [(xs, ys, 1.25) for xs, ys in POINTS]),
    (divided_differences, POINTS),
    (gauss_solve, list(zip(MATRICES, SIDES))),
    (jacobi_iteration, list(zip(MATRICES, SIDES))),
    (determinant, [(m,) for m in MATRICES]),
    (exp_series, [(0.0,), (1.0,), (-1.0,), (5.0,), (-3.5,), (0.001,)]),
    (power_method, [(m,) for m in MATRICES]),
    (golden_section, [(0.0, 5.0), (-10.0, 10.0), (2.0, 3.0), (1.0, 2.5), (0.0, 1.0), (1.9, 2.1)]),
    (least_squares_line, POINTS),
]
