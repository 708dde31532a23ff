"""`fractions.Fraction` of a member's integers: exact, as in Python, as long as they fit."""

from __future__ import annotations

import collections
import dataclasses
import fractions
import functools
import heapq
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from pcbatch.semantics import rationals
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check

N = np.array([0, 1, 2, 3, 5, 8])
HALF = Fraction(1, 2)


def converted(n):
    f = Fraction(3 - n, 6)
    ways = [math.floor(f), math.ceil(f), math.trunc(f), int(f), round(f)]
    near = float(round(f, 2)), float(round(f * 1000, -1))
    parts = f.numerator, f.denominator, f.as_integer_ratio(), f.conjugate().real.numerator
    return ways, near, parts, float(f), bool(f), abs(f).numerator, math.sqrt(abs(f))


def made(n):
    fs = [
        Fraction(n), Fraction(-n, -4), Fraction(n, Fraction(3, 2)), Fraction(Fraction(n, 3)),
        Fraction(n > 2), Fraction("3/4") * n, Fraction("0.1") + n, Fraction(0.75) - n,
        fractions.Fraction(3) / (n + 1), Fraction(),
    ]  # fmt: skip
    return [f.numerator for f in fs], [f.denominator for f in fs]


def operators(n):
    a, b = Fraction(n, 3), Fraction(-2, n + 2)
    fs = [
        a + b, a - b, a * b, a / b, a % b, a**2, b**-2, 1 / b, 2 - a, 2 * b, 1 + a, 3 % b, +a, -a,
        Fraction(2, 3) ** n, Fraction(-2, 3) ** (n - 4),
    ]  # fmt: skip
    whole, rest = divmod(a, b)
    return [f.numerator for f in fs], [f.denominator for f in fs], a // b, 7 // b, whole, rest < 0


def assigned(n):
    a = Fraction(n, 3)
    a += 1
    a -= HALF
    a *= 2
    a /= 3
    b = a
    b **= 2
    c = a
    c %= 1
    d = a
    d //= 1
    return a.numerator, b.numerator, c.denominator, d


def with_floats(n):
    a = Fraction(n, 3)
    powers = a**0.5, 2.0**a, 2**HALF, math.log2(a + 1)
    return a + 0.5, 0.5 * a, a / 2.0, 1.5 - a, a // 0.5, a % 0.5, [round(x, 6) for x in powers]


def compared(n):
    a, b = Fraction(n, 3), Fraction(n + 1, 4)
    own = a < b, a <= b, a == b, a != b, a >= b, a > b
    numbers = a < 1, 1 <= a, a == 1, 0.5 > a, a == n / 3, a != 0.5, a > float("nan"), a < math.inf
    others = a == "a", a is None, HALF < n, n * HALF == 1, a == complex(n, 0) / 3
    return own, numbers, others, max(a, b) == a, float(max(a, 1)), float(min(a, b, 1))


def of_large_integers(n):
    a = Fraction(10**15 + n, 10**9 + 7)
    b = Fraction(10**15 + n + 1, 10**9 + 9)
    xs = [b if k % 2 else a for k in range(n)]
    return a < b, a == b, a > 0.1, max(a, b) == a, [x == a for x in sorted(xs)]


def kinds(n):
    f = Fraction(n, 2)
    known = isinstance(f, Fraction), isinstance(f, (int, float)), type(f) is Fraction
    return known, isinstance(HALF, Fraction), 1 if f.denominator == 1 else 2


def texts(n):
    return str(Fraction(n, 4)), f"{Fraction(n, 4)}!", repr(Fraction(n, 2))


def limited(n):
    f = Fraction(n * 7 + 1, 1000 + n).limit_denominator(n + 3)
    return f.numerator, f.denominator


def summed(n):
    xs = [Fraction(1, k) for k in range(1, n + 1)]
    ways = sum(xs), sum(xs, HALF), sum(Fraction(1, k) for k in range(1, n + 1)), sum(xs[:2])
    more = math.prod(xs, start=HALF), functools.reduce(lambda a, b: a - b, xs, HALF)
    return [x.numerator for x in (*ways, *more)], any(xs), all(xs), all(x < 1 for x in xs)


def in_order(n):
    xs = [Fraction(k * 7 % 5 - 2, k) for k in range(1, n + 2)]
    ys = sorted(xs)
    xs.sort(reverse=True)
    by_key = sorted(xs, key=lambda x: (-abs(x), x))
    fs = *ys, *xs, *by_key, max(xs), min(ys)
    return [float(y) for y in fs], xs.index(max(xs)), HALF in xs, 1 in xs, xs.count(Fraction(0))


def pairs_in_order(n):
    pairs = []
    for k in range(1, n + 2):
        pairs.append((Fraction(k * 7 % 5, k), k))
    queue = list(pairs)
    heapq.heapify(queue)
    pairs.sort()
    return [k for _, k in pairs], min(pairs)[1], heapq.heappop(queue)[1]


def as_keys(n):
    seen, table = set(), {}
    for k in range(1, n + 1):
        seen.add(Fraction(k, 4 + k % 3))
        table[Fraction(k % 3, 2)] = table.get(Fraction(k % 3, 2), 0) + k
    known = {HALF: 3, Fraction(2): 5, 7: 1}
    total = float(sum({Fraction(k, 6) for k in range(n)}))
    return len(seen), table.get(HALF, -1), known.get(Fraction(n, 2), 0), Fraction(n) in known, total


def among_known_keys(n):
    table, other = {0.5: 1, 2: 7, True: 3}, {HALF: 4, Fraction(3): 5, Fraction(1, 3): 6}
    found = other.get(n / 2, 0), other.get(n, 0), other.get(n / 3, 0)
    made = {Fraction(n, 2), HALF, Fraction(4, 2)}
    return table.get(Fraction(n, 2), 0), found, Fraction(n, 2) in {1.5, 4}, len(made)


def of_known_lengths(n):
    pairs = [(Fraction(n, 2), 1), (HALF, 2), (Fraction(1, 3), 3), (HALF, 0)]
    own = sorted([Fraction(n, 2), HALF, Fraction(-1, 3)], reverse=True)
    return [b for _, b in sorted(pairs)], min(pairs)[1], [float(x) for x in own]


def lists_compared(n):
    xs, ys = [Fraction(k, 2) for k in range(n)], [Fraction(2 * k, 4) for k in range(n)]
    longer = ys[:]
    longer.append(HALF)
    return xs == ys, xs == longer, xs < longer, longer > xs, xs != longer


def beside_none(n):
    known = [None] * (n + 1)

    def f(k):
        if k == 0:
            return Fraction(1)
        if known[k] is None:
            known[k] = f(k - 1) / 2 + f(k // 2)
        return known[k]

    return f(n).numerator, sum(1 for x in known if x is None)


def beside_integers(n):
    """Akiyama and Tanigawa's way to Bernoulli numbers, in a list that begins with integers."""
    row = [0] * (n + 1)
    for m in range(n + 1):
        row[m] = Fraction(1, m + 1)
        for j in range(m, 0, -1):
            row[j - 1] = j * (row[j - 1] - row[j])
    mixed = [k if k % 2 else Fraction(k, 4) for k in range(n)] + [1]
    either = Fraction(1, 3) if n % 2 else 0
    return row[0].numerator, row[0].denominator, [float(x) for x in mixed], float(either)


def eliminated(n):
    size = n % 3 + 1
    m = [[Fraction(1, i + j + 1) for j in range(size)] + [Fraction(i)] for i in range(size)]
    for c in range(size):
        pivot = m[c][c]
        m[c] = [x / pivot for x in m[c]]
        for r in range(size):
            if r != c:
                times = m[r][c]
                m[r] = [a - times * b for a, b in zip(m[r], m[c])]
    return [int(row[-1]) for row in m]


@dataclasses.dataclass
class Point:
    x: Fraction
    y: Fraction

    def norm(self):
        return self.x * self.x + self.y * self.y


class Account:
    def __init__(self, value):
        self.value, self.history = value, [value]

    def pay(self, amount):
        self.value += amount
        self.history.append(self.value)


def in_objects(n):
    account, points = Account(Fraction(1, 3)), [Point(Fraction(k, 3), HALF) for k in range(n + 1)]
    for k in range(n):
        account.pay(Fraction(k, 2))
    points[0].x += 1
    table, groups = {"a": HALF, "b": Fraction(n, 3)}, collections.defaultdict(list)
    table["a"] += table["b"]
    for x in account.history:
        groups[x.denominator % 2].append(x)
    sums = sum(p.norm() for p in points), account.value, table["a"], sum(groups[0])
    return [float(x) for x in sums], float(max(points, key=lambda p: p.x).x)


def continued(k):
    return Fraction(1) if k == 0 else 1 + 1 / continued(k - 1)


def recursive(n):
    memo = {}

    def f(k):
        if k not in memo:
            memo[k] = Fraction(1) if k == 0 else f(k - 1) * Fraction(k, 2) + 1
        return memo[k]

    best = None
    for k in range(n):
        x = Fraction(k * 7 % 5, k + 1)
        if best is None or x > best:
            best = x
    return continued(n).numerator, f(n).numerator, -1.0 if best is None else float(best)


def caught(n):
    try:
        found = Fraction(1, n - 2)
    except ZeroDivisionError:
        return -1
    return found.denominator


FUNCTIONS = [
    converted, made, operators, assigned, with_floats, compared, of_large_integers, kinds, texts,
    limited, summed, in_order, pairs_in_order, as_keys, among_known_keys, of_known_lengths,
    lists_compared, beside_none, beside_integers, eliminated, in_objects, recursive, caught,
]  # fmt: skip


@pytest.mark.every(4)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_in_python(function: Callable[..., Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.every(5)
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_other_strategies(options: dict[str, Any]) -> None:
    check(operators, N, **options)
    check(in_order, N, **options)


def beside_a_float(x):
    third = Fraction(1, 3)
    return third < x, third <= x, third == x, third > x, third >= x, third != x, Fraction(x) == x


def test_a_comparison_with_a_float_is_exact() -> None:
    check(beside_a_float, np.array([1 / 3, 0.33333333333333337, 0.3333, -2.0, 7.25]), jit=False)


def of_a_float(x):
    return Fraction(x).as_integer_ratio(), float(Fraction(x).limit_denominator(100))


def of_one_by_name(x):
    return Fraction.from_float(x).as_integer_ratio()


def test_of_a_float_by_name() -> None:
    check(of_one_by_name, np.array([0.5, -2.75, 0.1]), jit=False)


def test_of_a_float() -> None:
    check(of_a_float, np.array([3.14159265358979, 0.5, -2.75, 0.1, 0.0, 1e-3, 2.0**60]), jit=False)


@pytest.mark.parametrize("x", [1e-9, 1e30])
def test_a_float_whose_integers_do_not_fit(x: float) -> None:
    result = pcbatch.autobatch(of_a_float).run(np.array([0.5, x]), jit=False)
    assert (np.asarray(result.status) != 0).tolist() == [False, True]


def ratio(n, d):
    return Fraction(n, d)


def inverse(n, d):
    return n / Fraction(d, 3)


def whole(n, d):
    return n // Fraction(d, 3)


def rest(n, d):
    return n % Fraction(d, 3)


@pytest.mark.parametrize(
    ("function", "checks"),
    [(ratio, True), (inverse, True), (whole, True), (rest, True), (ratio, False), (inverse, False)],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_a_denominator_that_is_zero(function: Callable[..., Any], checks: bool) -> None:
    batched = pcbatch.autobatch(function, checks=checks)
    result = batched.run(np.array([1, 2, 3]), np.array([2, 0, 7]), jit=False)
    assert (np.asarray(result.status) != 0).tolist() == [False, checks, False]


def test_what_the_status_says() -> None:
    batched = pcbatch.autobatch(lambda n: Fraction(5, n - 2))
    with pytest.raises(pcbatch.MemberError, match=r"ZeroDivisionError: Fraction\(5, 0\)"):
        batched.run(N, throw=True, jit=False)


def test_a_result_has_the_numerators_and_the_denominators() -> None:
    value = pcbatch.autobatch(ratio).run(np.array([2, 3]), np.array([4, 6])).value
    assert isinstance(value, rationals.Fraction)
    assert value.numerator.numpy().tolist() == [1, 1]
    assert value.denominator.numpy().tolist() == [2, 2]
    assert str(value) == "[1 1]/[2 2]"


def test_a_fraction_that_all_members_share() -> None:
    value = pcbatch.autobatch(lambda n, f: n * f, in_axes=(0, None)).run(N, HALF).value
    assert (value.numerator / value.denominator).numpy().tolist() == (N / 2).tolist()


def test_integers_that_do_not_fit() -> None:
    def grown(n):
        x = Fraction(1)
        for _ in range(n):
            x = x / 1000003 + 1
        return x

    batched = pcbatch.autobatch(grown, checks="overflow")
    result = batched.run(np.array([2, 3, 4]), jit=False)
    assert (np.asarray(result.status) != 0).tolist() == [False, False, True]


def chosen_float(n):
    return float(max(Fraction(n, 3), 0.5))


def sought_float(n):
    return 0.5 in [Fraction(k, 3) for k in range(n)]


def sought_among_floats(n):
    return HALF in [k / 2 for k in range(n)]


def exponent_of_member(n):
    return float(2 ** Fraction(n, 3))


def read_text(n):
    return Fraction(str(n) + "/3").numerator


def hashed(n):
    return hash(Fraction(n, 3)) % 7


def beside_floats(n):
    xs = []
    for k in range(n):
        xs.append(Fraction(k, 2) if k else 0.5)
    return len(xs)


REFUSED = {
    chosen_float: "a Fraction or a float is chosen by data",
    sought_float: "fractions and other numbers are compared",
    sought_among_floats: "fractions and other numbers are compared",
    exponent_of_member: "the exponent is a `Fraction` of the member",
    read_text: "a `Fraction` is made of a text that depends on the member",
    hashed: "`hash` is asked of a value of a member",
    beside_floats: "has two types where two paths meet",
}


@pytest.mark.parametrize(("function", "said"), REFUSED.items(), ids=lambda x: str(x)[:20])
def test_what_is_not_known(function: Callable[..., Any], said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        pcbatch.autobatch(function).lower(N)
