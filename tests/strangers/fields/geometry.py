"""Geometry."""

import math


def triangle_area(a, b, c):
    """Heron."""
    if a <= 0 or b <= 0 or c <= 0:
        raise ValueError("sides must be positive")
    if a + b < c or a + c < b or b + c < a:
        raise ValueError("these sides make no triangle")
    s = (a + b + c) / 2
    return math.sqrt(s * (s - a) * (s - b) * (s - c))


def triangle_kind(a, b, c):
    """3 for equilateral, 2 for isosceles, 1 for scalene, 0 for none."""
    a, b, c = sorted([a, b, c])
    if a + b <= c:
        return 0
    if a == b == c:
        return 3
    if a == b or b == c:
        return 2
    return 1


def polygon_area(xs, ys):
    """The shoelace formula."""
    n = len(xs)
    area = 0.0
    for i in range(n):
        j = (i + 1) % n
        area += xs[i] * ys[j]
        area -= xs[j] * ys[i]
    return abs(area) / 2


def point_in_polygon(xs, ys, x, y):
    inside = False
    j = len(xs) - 1
    for i in range(len(xs)):
        if (ys[i] > y) != (ys[j] > y):
            cross = (xs[j] - xs[i]) * (y - ys[i]) / (ys[j] - ys[i]) + xs[i]
            if x < cross:
                inside = not inside
        j = i
    return inside


def distance(p, q):
    if len(p) != len(q):
        raise ValueError("points have different dimensions")
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(p, q)))


def manhattan(p, q):
    return float(sum(abs(a - b) for a, b in zip(p, q)))


def orientation(p, q, r):
    """1 for a turn to the left, -1 to the right, 0 for none."""
    cross = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    return (cross > 0) - (cross < 0)


def segments_cross(p, q, r, s):
    d1 = orientation(p, q, r)
    d2 = orientation(p, q, s)
    d3 = orientation(r, s, p)
    d4 = orientation(r, s, q)
    return d1 != d2 and d3 != d4


def convex_hull_size(xs, ys):
    """The number of corners, by wrapping."""
    n = len(xs)
    start = 0
    for i in range(1, n):
        if xs[i] < xs[start] or (xs[i] == xs[start] and ys[i] < ys[start]):
            start = i
    hull = []
    p = start
    while True:
        hull.append(p)
        q = (p + 1) % n
        for i in range(n):
            turn = (xs[q] - xs[p]) * (ys[i] - ys[p]) - (ys[q] - ys[p]) * (xs[i] - xs[p])
            if turn < 0:
                q = i
        p = q
        if p == start or len(hull) > n:
            break
    return len(hull)


def haversine(lat1, lon1, lat2, lon2):
    phi1, phi2 = math.radians(lat1), math.radians(lat2)
    dphi = math.radians(lat2 - lat1)
    dlam = math.radians(lon2 - lon1)
    a = math.sin(dphi / 2) ** 2 + math.cos(phi1) * math.cos(phi2) * math.sin(dlam / 2) ** 2
    return 6371.0 * 2 * math.atan2(math.sqrt(a), math.sqrt(1 - a))


def rotate_point(x, y, degrees):
    t = math.radians(degrees)
    return x * math.cos(t) - y * math.sin(t), x * math.sin(t) + y * math.cos(t)


def circle_overlap(x1, y1, r1, x2, y2, r2):
    """The area that two circles share."""
    d = math.hypot(x2 - x1, y2 - y1)
    if d >= r1 + r2:
        return 0.0
    if d <= abs(r1 - r2):
        return math.pi * min(r1, r2) ** 2
    a = r1**2 * math.acos((d**2 + r1**2 - r2**2) / (2 * d * r1))
    b = r2**2 * math.acos((d**2 + r2**2 - r1**2) / (2 * d * r2))
    c = 0.5 * math.sqrt((-d + r1 + r2) * (d + r1 - r2) * (d - r1 + r2) * (d + r1 + r2))
    return a + b - c


def regular_polygon_area(sides, length):
    if not isinstance(sides, int) or sides < 3:
        raise ValueError("a polygon has at least three sides")
    return sides * length**2 / (4 * math.tan(math.pi / sides))


def closest_pair(points):
    best = float("inf")
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            d = math.dist(points[i], points[j])
            if d < best:
                best = d
    return best


def rectangle_overlap(a, b):
    """Rectangles are (left, bottom, right, top)."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return width * height if width > 0 and height > 0 else 0


SHAPES = [
    ([0.0, 4.0, 4.0, 0.0], [0.0, 0.0, 3.0, 3.0]),
    ([0.0, 2.0, 3.0, 1.0], [0.0, 0.5, 2.0, 3.0]),
    ([0.0, 1.0, 0.0, -1.0], [-1.0, 0.0, 1.0, 0.0]),
    ([1.0, 5.0, 2.0, 0.0], [1.0, 1.0, 2.0, 6.0]),
    ([0.0, 10.0, 5.0, 4.9], [0.0, 0.0, 8.0, 1.0]),
    ([-2.0, 2.0, 2.5, -2.5], [-2.0, -2.5, 2.0, 2.5]),
]

CASES = [
    (
        triangle_area,
        [
            (3.0, 4.0, 5.0),
            (1.0, 1.0, 1.0),
            (1.0, 2.0, 10.0),
            (-1.0, 2.0, 2.0),
            (1.0, 2.0, 3.0),
            (7.5, 8.5, 9.0),
        ],
    ),
    (triangle_kind, [(3, 4, 5), (2, 2, 2), (2, 2, 3), (1, 2, 3), (10, 1, 1), (5, 6, 5)]),
    (polygon_area, SHAPES),
    (point_in_polygon, [(xs, ys, 1.0, 1.0) for xs, ys in SHAPES]),
    (distance, SHAPES),
    (
        manhattan,
        [
            ([1, 2, 3], [4, 0, 3]),
            ([0, 0, 0], [0, 0, 0]),
            ([-1, -1, 5], [2, 2, -2]),
            ([9, 9, 9], [1, 2, 3]),
            ([1, 1, 1], [1, 1, 2]),
            ([100, 0, 0], [0, 100, 0]),
        ],
    ),
    (
        segments_cross,
        [
            ([0, 0], [4, 4], [0, 4], [4, 0]),
            ([0, 0], [1, 1], [2, 2], [3, 3]),
            ([0, 0], [2, 0], [1, -1], [1, 1]),
            ([0, 0], [2, 0], [0, 1], [2, 1]),
            ([0, 0], [5, 5], [1, 0], [6, 5]),
            ([1, 1], [3, 4], [1, 4], [4, 0]),
        ],
    ),
    (convex_hull_size, [(xs, ys) for xs, ys in SHAPES]),
    (
        haversine,
        [
            (0.0, 0.0, 0.0, 90.0),
            (52.5, 13.4, 48.9, 2.35),
            (10.0, 10.0, 10.0, 10.0),
            (-33.9, 151.2, 51.5, -0.1),
            (90.0, 0.0, -90.0, 0.0),
            (40.7, -74.0, 34.05, -118.25),
        ],
    ),
    (
        rotate_point,
        [
            (1.0, 0.0, 90.0),
            (1.0, 1.0, 45.0),
            (0.0, 0.0, 10.0),
            (2.0, -3.0, 180.0),
            (5.0, 5.0, 360.0),
            (1.5, 2.5, -30.0),
        ],
    ),
    (
        circle_overlap,
        [
            (0.0, 0.0, 1.0, 1.0, 0.0, 1.0),
            (0.0, 0.0, 1.0, 5.0, 0.0, 1.0),
            (0.0, 0.0, 3.0, 1.0, 0.0, 1.0),
            (0.0, 0.0, 2.0, 2.0, 1.0, 1.5),
            (1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
            (0.0, 0.0, 2.0, 3.0, 0.0, 1.0),
        ],
    ),
    (regular_polygon_area, [(3, 1.0), (4, 2.0), (6, 1.5), (2, 1.0), (100, 0.1), (5, 0.0)]),
    (
        closest_pair,
        [
            ([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]],),
            ([[1.0, 1.0], [1.0, 1.0], [5.0, 5.0]],),
            ([[0.0, 1.0], [0.0, 3.0], [0.0, 6.0]],),
            ([[-1.0, -1.0], [1.0, 1.0], [9.0, 0.0]],),
            ([[2.5, 0.0], [0.0, 2.5], [7.0, 7.0]],),
            ([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]],),
        ],
    ),
    (
        rectangle_overlap,
        [
            ([0, 0, 2, 2], [1, 1, 3, 3]),
            ([0, 0, 1, 1], [1, 1, 2, 2]),
            ([0, 0, 9, 9], [2, 3, 4, 5]),
            ([0, 0, 1, 1], [5, 5, 6, 6]),
            ([-2, -2, 2, 2], [-1, -3, 1, 3]),
            ([0, 0, 4, 1], [3, 0, 8, 9]),
        ],
    ),
]
