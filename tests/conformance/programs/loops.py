"""Loops: `while` and `for`, `break`, `continue`, `else`, early returns, and zero trips."""

from __future__ import annotations

import numpy as np

import pcbatch
from tests.conformance.programs.record import Program, ints


@pcbatch.autobatch
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@pcbatch.autobatch
def gcd_loop(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@pcbatch.autobatch
def two_squares(n):
    """The first `(a, b)` with `a <= b` and `a * a + b * b == n`, by early return."""
    for a in range(n + 1):
        for b in range(a, n + 1):
            square = a * a + b * b
            if square == n:
                return a, b
            if square > n:
                break
        if a * a > n:
            return -1, a
    return -1, -1


@pcbatch.autobatch
def smallest_factor(n):
    for d in range(2, n):
        if n % d == 0:
            break
    else:
        d = n
    return d


@pcbatch.autobatch
def search_while_else(n, target):
    x, steps = 1, 0
    while steps < n:
        x = (5 * x + 3) % 17
        steps += 1
        if x == target:
            break
    else:
        steps = -1
    return steps


@pcbatch.autobatch
def skip_multiples(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        if i % 5 == 0:
            total -= i
            continue
        total += i
    return total


@pcbatch.autobatch
def range_forms(start, stop):
    up, down, stride = 0, 0, 0
    for i in range(start, stop):
        up = 2 * up % 101 + i
    for i in range(stop, start, -1):
        down = 3 * down % 103 - i
    for i in range(start, stop, 3):
        stride += i
    return up, down, stride


@pcbatch.autobatch
def member_step(stop, step):
    """A step that differs between members, rising for some and falling for others."""
    total, trips = 0, 0
    for i in range(0, stop, step):
        total = total + i * i
        trips += 1
    return total, trips


@pcbatch.autobatch
def rebound_counter(n):
    """Rebinding the loop variable and the bound does not change the iteration."""
    total = 0
    i = -1
    for i in range(n):
        i = i * 2
        n = n - 1
        total += i
    return total, i, n


@pcbatch.autobatch
def until_break(n):
    low, high = 0, n
    while True:
        if low >= high:
            break
        low += 2
        if low % 7 == 3:
            continue
        high -= 1
    return low, high


@pcbatch.autobatch
def zero_trips(n):
    x = n
    for i in range(n):
        x = x * 2 + i
    while x < 0:
        x = x + 5
    return x


@pcbatch.autobatch
def unused_variables(n):
    unused = n * 1000
    for _ in range(n):
        unused = unused + 1
        other = unused
    if n > 3:
        other = 2  # noqa: F841
        return n
    return n + 1


@pcbatch.autobatch
def grade(score):
    if score >= 90:
        result = 5
    elif score >= 80:
        result = 4
    elif score >= 70:
        result = 3
    elif score >= 60:
        result = 2
    elif score >= 0:
        result = 1
    elif score == -1:
        return -100
    else:
        result = 0
    return result * 10


@pcbatch.autobatch
def digital_root(n):
    while n >= 10:
        total = 0
        while n > 0:
            total += n % 10
            n //= 10
        n = total
    return n


@pcbatch.autobatch
def integer_sqrt(n):
    if n < 2:
        return n
    x = n
    y = (x + 1) // 2
    while y < x:
        x = y
        y = (x + n // x) // 2
    return x


@pcbatch.autobatch
def bit_count(n):
    count = 0
    while n:
        n = n & (n - 1)
        count += 1
    return count


@pcbatch.autobatch
def triangle_walk(n):
    """Three nested loops with `break` and `continue` at different levels."""
    visits = 0
    for i in range(n):
        for j in range(i):
            k = 0
            while k < j:
                k += 1
                if (i + j + k) % 4 == 0:
                    continue
                if i * j * k % 11 == 7:
                    break
                visits += 1
            else:
                visits += 100
            if visits > 2000:
                return -visits
    return visits


@pcbatch.autobatch
def static_unroll(n):
    total = 0
    for factor in (3, 5, 7):
        if n % factor == 0:
            continue
        total += factor
        if total > 10:
            break
    else:
        total = total + 1000
    return total


@pcbatch.autobatch
def sum_elements(xs):
    """`for` over a tensor's leading axis."""
    total = 0.0
    for x in xs:
        if x < 0:
            break
        total += x
    return total


@pcbatch.autobatch
def both_bounds(n):
    last = n
    for last in range(n // 2, n * 2 - 1):
        if last * last > 50:
            break
    return last


_ROWS = np.random.default_rng(2).integers(-1, 9, size=(9, 6)).astype(np.float32)


@pcbatch.autobatch
def near_the_top(first, stop, step):
    """Ranges whose next number would wrap around."""
    rounds, last = 0, 0
    for i in range(first, stop, step):
        rounds += 1
        last = i
        if rounds > 20:
            return rounds, last
    for i in reversed(range(first, stop, step)):
        rounds += 1
        last = last ^ i
        if rounds > 40:
            return rounds, last
    for i in range(first, stop, 1000000007):
        rounds += 1
        last = last ^ i
    return rounds, last


_TOP = 2**31 - 1


@pcbatch.autobatch
def kept_ranges(n, k):
    steps = range(1, n + 1)
    squares = (i * i for i in steps if i % 2)
    total = 0
    for i in steps:
        for j in steps:
            if i * j in range(k, 3 * n, 2):
                total += i
    last = steps[-1] if n > 0 else -1
    return total, sum(squares), len(steps), k in steps, last


_MOVES = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1)]


@pcbatch.autobatch
def paths_of_a_knight(x, y, left):
    """Loops over Python's numbers whose bodies branch, and call the program, stay loops."""
    if left == 0:
        return 1
    count = 0
    for dx, dy in _MOVES:
        if not 0 <= x + dx < 4 or y + dy < 0:
            continue
        for most in (3, 9, 1, 5):
            if y + dy > most + left:
                break
        else:
            count += paths_of_a_knight(x + dx, y + dy, left - 1)
    return count


PROGRAMS = (
    Program(
        "loops_over_numbers",
        paths_of_a_knight,
        (
            ints(0, 1, 2, 3, 0, 1, 2, 3),
            ints(0, 2, 1, 3, 5, 0, 0, 1),
            ints(0, 1, 2, 3, 2, 3, 1, 4),
        ),
        tags=("xla",),
    ),
    Program(
        "kept_ranges", kept_ranges, (ints(0, 1, 2, 3, 5, 7, 4, 6), ints(1, 0, 2, 9, -3, 4, 5, 2))
    ),
    Program("collatz", collatz, (ints(1, 2, 3, 6, 7, 9, 16, 27, 97),), tags=("xla",)),
    Program(
        "gcd_loop",
        gcd_loop,
        (ints(0, 7, 0, 12, 18, 270, 1071, 1), ints(0, 0, 9, 18, 12, 192, 462, 5)),
    ),
    Program(
        "early_return_nested", two_squares, (ints(0, 1, 2, 3, 5, 7, 25, 50, 29),), tags=("xla",)
    ),
    Program(
        "for_else_break", smallest_factor, (ints(2, 3, 4, 9, 15, 35, 49, 31, 1),), tags=("xla",)
    ),
    Program(
        "while_else",
        search_while_else,
        (ints(0, 1, 20, 20, 20, 3, 16, 20), ints(8, 8, 9, 1, 12, 4, 0, 5)),
    ),
    Program("continue", skip_multiples, (ints(-1, 0, 1, 2, 6, 11, 30, 4),)),
    Program(
        "range_forms", range_forms, (ints(0, 0, 3, -4, 5, 2, 7, 1), ints(0, 5, 9, 4, 2, 3, 7, 20))
    ),
    Program(
        "range_member_step",
        member_step,
        (ints(10, 10, -10, -9, 0, 5, 7, 3), ints(1, 3, -2, -3, 1, 10, -1, 2)),
    ),
    Program(
        "range_near_the_top",
        near_the_top,
        (
            ints(_TOP - 5, _TOP - 4, _TOP - 1, 2000000000, -2000000000, 0, 5, -_TOP),
            ints(_TOP - 1, _TOP, _TOP, -2147483648, _TOP, 7, 5, _TOP),
            ints(3, 2, 1, -1000000000, 1500000000, 5, -7, 2000000000),
        ),
        tags=("xla",),
    ),
    Program("rebound_counter", rebound_counter, (ints(0, -3, 1, 2, 5, 8, 13, 3),)),
    Program("while_true_break", until_break, (ints(0, -1, 1, 2, 5, 20, 50, 33),), tags=("xla",)),
    Program("zero_trips", zero_trips, (ints(0, -1, -17, 1, 2, 5, 8, -5),)),
    Program("unused_variables", unused_variables, (ints(0, 1, 2, 3, 4, 5, 10, -2),)),
    Program("elif_chain", grade, (ints(100, 90, 85, 70, 60, 59, 0, -1, -2),)),
    Program("digital_root", digital_root, (ints(0, 9, 10, 38, 99, 12345, 999999, 7),)),
    Program("integer_sqrt", integer_sqrt, (ints(0, 1, 2, 3, 4, 99, 100, 12345678),)),
    Program("bit_count", bit_count, (ints(0, 1, 2, 255, 256, 2**30, 2**31 - 1, 6),)),
    Program("triangle_walk", triangle_walk, (ints(0, 1, 2, 3, 5, 8, 10, 12),)),
    Program("static_unroll", static_unroll, (ints(0, 1, 3, 5, 7, 15, 21, 105),)),
    Program("for_over_tensor", sum_elements, (_ROWS,)),
    Program("loop_variable_after", both_bounds, (ints(0, 1, 2, 3, 4, 5, 8, 100),)),
)
