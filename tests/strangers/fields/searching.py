"""Searching."""

import math


def linear_search(values, target):
    for i, value in enumerate(values):
        if value == target:
            return i
    return -1


def binary_search(values, target):
    low, high = 0, len(values) - 1
    while low <= high:
        mid = (low + high) // 2
        if values[mid] == target:
            return mid
        if values[mid] < target:
            low = mid + 1
        else:
            high = mid - 1
    return -1


def binary_search_recursive(values, target, low, high):
    if low > high:
        return -1
    mid = low + (high - low) // 2
    if values[mid] == target:
        return mid
    elif values[mid] > target:
        return binary_search_recursive(values, target, low, mid - 1)
    else:
        return binary_search_recursive(values, target, mid + 1, high)


def bisect_left(values, target):
    low = 0
    high = len(values)
    while low < high:
        mid = (low + high) // 2
        if values[mid] < target:
            low = mid + 1
        else:
            high = mid
    return low


def interpolation_search(values, target):
    low, high = 0, len(values) - 1
    while low <= high and values[low] <= target <= values[high]:
        if values[low] == values[high]:
            return low if values[low] == target else -1
        position = low + (target - values[low]) * (high - low) // (values[high] - values[low])
        if values[position] == target:
            return position
        if values[position] < target:
            low = position + 1
        else:
            high = position - 1
    return -1


def jump_search(values, target):
    n = len(values)
    step = int(math.floor(math.sqrt(n)))
    prev = 0
    while values[min(step, n) - 1] < target:
        prev = step
        step += int(math.floor(math.sqrt(n)))
        if prev >= n:
            return -1
    while values[prev] < target:
        prev += 1
        if prev == min(step, n):
            return -1
    if values[prev] == target:
        return prev
    return -1


def ternary_search_peak(values):
    """The place of the peak of a list that rises and then falls."""
    left, right = 0, len(values) - 1
    while right - left > 2:
        a = left + (right - left) // 3
        b = right - (right - left) // 3
        if values[a] < values[b]:
            left = a
        else:
            right = b
    best = left
    for i in range(left, right + 1):
        if values[i] > values[best]:
            best = i
    return best


def quick_select(values, k):
    """The k-th smallest, counted from 1."""
    if k < 1 or k > len(values):
        raise IndexError("k is out of range")
    pivot = values[len(values) // 2]
    lows = [v for v in values if v < pivot]
    highs = [v for v in values if v > pivot]
    pivots = [v for v in values if v == pivot]
    if k <= len(lows):
        return quick_select(lows, k)
    if k <= len(lows) + len(pivots):
        return pivot
    return quick_select(highs, k - len(lows) - len(pivots))


def two_sum(values, target):
    seen = {}
    for i, value in enumerate(values):
        if target - value in seen:
            return seen[target - value], i
        seen[value] = i
    return -1, -1


def two_sum_sorted(values, target):
    i, j = 0, len(values) - 1
    while i < j:
        total = values[i] + values[j]
        if total == target:
            return (i, j)
        if total < target:
            i += 1
        else:
            j -= 1
    raise ValueError("no such pair")


def majority(values):
    """Boyer and Moore's vote."""
    candidate, count = None, 0
    for v in values:
        if count == 0:
            candidate = v
        count += 1 if v == candidate else -1
    if values.count(candidate) > len(values) // 2:
        return candidate
    return -1


def second_largest(values):
    largest = second = float("-inf")
    for v in values:
        if v > largest:
            largest, second = v, largest
        elif largest > v > second:
            second = v
    if second == float("-inf"):
        raise ValueError("there is no second largest")
    return second


def missing_number(values):
    n = len(values)
    return n * (n + 1) // 2 - sum(values)


def first_duplicate(values):
    seen = set()
    for v in values:
        if v in seen:
            return v
        seen.add(v)
    return None


ORDERED = [
    ([1, 3, 5, 7, 9, 11, 13], 7),
    ([1, 3, 5, 7, 9, 11, 13], 1),
    ([1, 3, 5, 7, 9, 11, 13], 8),
    ([2, 4, 8, 16, 32, 64, 128], 128),
    ([0, 0, 0, 1, 1, 1, 1], 1),
    ([-9, -4, -1, 0, 2, 6, 50], -10),
    ([5, 5, 5, 5, 5, 5, 5], 5),
]

CASES = [
    (linear_search, ORDERED),
    (binary_search, ORDERED),
    (binary_search_recursive, [(v, t, 0, len(v) - 1) for v, t in ORDERED]),
    (bisect_left, ORDERED),
    (interpolation_search, ORDERED),
    (jump_search, ORDERED),
    (
        ternary_search_peak,
        [
            ([1, 3, 8, 12, 4, 2],),
            ([1, 2, 3, 4, 5, 6],),
            ([9, 8, 7, 6, 5, 4],),
            ([1, 9, 5, 4, 3, 2],),
            ([0, 1, 2, 3, 9, 5],),
            ([2, 4, 6, 8, 7, 1],),
        ],
    ),
    (
        quick_select,
        [
            ([7, 2, 5, 1, 9], 1),
            ([7, 2, 5, 1, 9], 3),
            ([7, 2, 5, 1, 9], 5),
            ([7, 2, 5, 1, 9], 6),
            ([4, 4, 4, 4, 4], 2),
            ([1, 2, 3, 4, 5], 4),
        ],
    ),
    (
        two_sum,
        [
            ([2, 7, 11, 15], 9),
            ([3, 2, 4, 8], 6),
            ([3, 3, 1, 0], 6),
            ([1, 2, 3, 4], 100),
            ([0, -1, 5, 7], 4),
            ([9, 8, 1, 3], 11),
        ],
    ),
    (
        two_sum_sorted,
        [
            ([2, 7, 11, 15], 9),
            ([1, 2, 3, 4], 7),
            ([1, 2, 3, 4], 100),
            ([-3, 0, 2, 3], 0),
            ([1, 5, 6, 9], 11),
            ([0, 0, 1, 1], 2),
        ],
    ),
    (
        majority,
        [
            ([3, 3, 4, 2, 3],),
            ([1, 1, 1, 2, 2],),
            ([1, 2, 3, 4, 5],),
            ([9, 9, 9, 9, 9],),
            ([2, 1, 2, 1, 2],),
            ([4, 4, 5, 5, 6],),
        ],
    ),
    (
        second_largest,
        [
            ([3.0, 1.0, 2.0],),
            ([5.0, 5.0, 4.0],),
            ([1.0, 1.0, 1.0],),
            ([-1.0, -2.0, -3.0],),
            ([10.0, 20.0, 20.0],),
            ([0.5, 0.25, 0.75],),
        ],
    ),
    (
        missing_number,
        [([3, 0, 1],), ([0, 1, 2],), ([1, 2, 3],), ([0, 2, 3],), ([2, 0, 1],), ([3, 2, 0],)],
    ),
    (
        first_duplicate,
        [
            ([1, 2, 3, 2],),
            ([5, 5, 5, 5],),
            ([1, 3, 3, 1],),
            ([9, 8, 7, 9],),
            ([0, 1, 0, 1],),
            ([4, 6, 6, 4],),
        ],
    ),
]
