"""`min`, `max` and `sorted` with a key, of sets, dicts and lists of lists of the member."""

from __future__ import annotations

import enum
import math
from collections import Counter

import pytest

from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 5, 8)


def of_sets(n):
    s = {k * 7 % 5 for k in range(n)} | {9}
    pairs = {(k % 3, k * 7 % 5) for k in range(n + 1)}
    even = max((2 * x for x in s if x % 2), key=lambda x: -x)
    return (
        min(s, key=lambda x: -x), sorted(s, key=lambda x: (x % 3, x)), even,
        max(pairs, key=lambda p: 10 * p[1] + p[0]), min(set(), key=abs, default=n),
    )  # fmt: skip


def of_dicts(n):
    d, counts = {}, Counter(k * k % 7 for k in range(n + 1))
    for k in range(n + 1):
        d[k * 7 % 5] = k * 3 % 4
    return (
        max(d, key=d.get), min(d.keys(), key=d.get), sorted(d, key=d.get),
        max(d.items(), key=lambda kv: kv[1]), max(d.values(), key=lambda v: -v),
        sorted(d.items(), key=lambda kv: kv[1], reverse=True)[0], max(counts, key=counts.get),
    )  # fmt: skip


def of_rows(n):
    """Keys that are builtins, of rows of different lengths."""
    rows = [[3, 1]]
    for k in range(n):
        rows.append([k * 5 % 7] * (k % 3))
    by_last, total = sorted(rows, key=lambda r: (len(r), -sum(r))), 0
    for f in (len, sum, min, max):
        total = total * 7 + f(rows[0])
    return (
        len(max(rows, key=len)), max(rows, key=sum), [len(r) for r in by_last], by_last[-1][0],
        sum(sorted(rows, key=sum, reverse=True)[0]), total, sum(map(len, rows)),
    )  # fmt: skip


class Side(enum.Enum):
    LEFT, RIGHT, UP = 1, 2, 3


def of_texts_that_are_known(n):
    """Dicts, and pairs, in which Python knows the texts, and members have the numbers."""
    votes = {"red": n * 3 % 7, "green": n % 5, "blue": 3}
    first, worst = max(votes, key=votes.get), min(votes, key=votes.__getitem__)
    name, count = max(votes.items(), key=lambda item: item[1])
    least = min(votes.items(), key=lambda kv: (kv[1], kv[0]))
    order = sorted(votes.items(), key=lambda kv: (-kv[1], kv[0]))
    names = sorted(votes, key=lambda k: (votes[k], k), reverse=True)
    gain = {Side.LEFT: n % 3, Side.RIGHT: n % 4, Side.UP: 1}
    side = max(gain, key=gain.get)
    return (
        first, votes[worst], name == first, count, least, order, names.index("red"),
        side is Side.RIGHT, side.value, min(["pear", "fig"], key=lambda w: abs(len(w) - n)),
        max([("b", n % 3, 1.5), ("a", 2, 0.5)], key=lambda r: (r[1], r[0])),
    )  # fmt: skip


def nothing(n):
    s = {k for k in range(n)}  # noqa: C416
    return max(s, key=lambda x: -x)


def none_among_the_keys(n):
    d = {k: -k for k in range(n) if k != 1}
    return sorted(range(n), key=d.get)


def builtins_as_values(n):
    """What the user's code has of a builtin, and what it gives of numbers, lists and texts."""
    words, known, total = ("ab cde f " * n).split(), {"a": min, "b": max, "c": sum}, 0

    def applied(f, x):
        return f(x)

    for f in (abs, int, lambda x: x * x, bool, round):
        if f(n - 3) > 1:
            total += f(n - 3)
    words.sort(key=len)
    found = known["a"](n, 3), known["b"]([n, 3]), known["c"]([n, 3]), applied(len, [n] * 3)
    return max(words, key=len, default=""), words, total, found, applied(sorted, [3, n, 1])


def test_builtins_are_values():
    check(builtins_as_values, N, jit=False)


_KEYED = [of_sets, of_dicts, of_rows, of_texts_that_are_known, nothing, none_among_the_keys]


@pytest.mark.thorough
@pytest.mark.parametrize("f", _KEYED)
def test_the_key_is_asked(f):
    check(f, N, jit=False)


TIED = NotImplementedError(
    "two elements of a set have keys of which neither is less, and the order of a set says which "
    "comes first; have the key tell them apart: key=lambda x: (f(x), x) (a limit of pcbatch, not "
    "of Python)"
)


def modes(n):
    xs = [k % 3 for k in range(n + 1)]
    return max(set(xs), key=xs.count)


def by_remainder(n):
    return sorted({k for k in range(n + 1)}, key=lambda x: x % 5)  # noqa: C416


def is_not_a_number(n):
    return min({k for k in range(n + 1)}, key=lambda x: math.nan if x == 1 else 0.5 * x)  # noqa: C416


def of_what_was_taken_out(n):
    xs = {n % 3 + 8, 3, 1}
    xs.remove(3)
    xs.add(3)
    return max(xs, key=lambda x: x // 20)


@pytest.mark.every(16)
@pytest.mark.parametrize(
    ("f", "truths"),
    [
        (modes, None),
        (by_remainder, None),
        (is_not_a_number, None),
        (of_what_was_taken_out, [TIED] * 6),
    ],
)
def test_the_order_of_a_set_stops_a_member(f, truths):
    check(f, N, truths=truths, jit=False)
