"""What a loop, or a branch, leaves in its variables, where it has left anything."""


def last_divisor(n):
    for d in range(2, n):
        if n % d == 0:
            largest = d
    return largest


def eigenvalue(a, b, c, d):
    x, y, old = 1.0, 1.0, 0.0
    for iteration in range(100):
        u, v = a * x + b * y, c * x + d * y
        new = max(abs(u), abs(v))
        if new == 0:
            raise ValueError("the matrix has no dominant eigenvalue")
        x, y = u / new, v / new
        if abs(new - old) < 1e-9:
            break
        old = new
    return new, iteration


def grade(points):
    if points >= 90:
        letter = "A"
    elif points >= 75:
        letter = "B"
    elif points >= 60:
        letter = "C"
    return letter


def nearest_pair(values):
    for i in range(len(values)):
        for j in range(i + 1, len(values)):
            distance = abs(values[i] - values[j])
            if distance < 4:
                pair = values[i], values[j]
    return pair


def first_repeat(values):
    seen = []
    for position, value in enumerate(values):
        if value in seen:
            repeated = value
            break
        seen.append(value)
    try:
        return repeated, position
    except UnboundLocalError:
        return -1, position


def halved(n):
    while n % 2 == 0 and n > 0:
        n //= 2
        times = n
    return times


CASES = [
    (last_divisor, [(12,), (7,), (2,), (100,), (49,), (1,)]),
    (
        eigenvalue,
        [
            (2.0, 1.0, 1.0, 3.0),
            (1.0, 0.0, 0.0, 1.0),
            (4.0, 1.0, 2.0, 3.0),
            (0.0, 0.0, 0.0, 0.0),
            (5.0, 4.0, 1.0, 2.0),
            (1.0, 2.0, 3.0, 4.0),
        ],
    ),
    (grade, [(95,), (80,), (60,), (59,), (0,), (100,)]),
    (
        nearest_pair,
        [([1, 9, 4],), ([1, 10, 20],), ([5, 5, 5],), ([8, 1, 9],), ([0, 3, 6],), ([7, 0, 14],)],
    ),
    (
        first_repeat,
        [
            ([1, 2, 1, 2],),
            ([1, 2, 3, 4],),
            ([5, 5, 5, 5],),
            ([0, 3, 4, 3],),
            ([9, 8, 7, 9],),
            ([2, 4, 4, 2],),
        ],
    ),
    (halved, [(12,), (7,), (64,), (1,), (0,), (10,)]),
]
