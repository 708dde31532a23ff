"""Functions that nobody has decorated: the program calls them, or they are given to `autobatch`.

Where a plain function can be a part of a primitive it is one; where it decides, loops, recurses,
catches or changes a list by what only a member has, it is a function of the program.
"""

from __future__ import annotations

import functools
import gc
import importlib.util
import math
import types
from collections import deque
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.frontend import source
from tests.support.members import check
from tests.support.tolerances import Tolerance, assert_close


def clamp(x, low=-1, high=1):
    if x < low:
        return low
    if x > high:
        return high
    return x


def newton(x):
    guess = x
    while abs(guess * guess - x) > 1e-10:
        guess = (guess + x / guess) / 2
    return guess


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def total(values):
    result = 0
    for value in values:
        result += value
    return result


def push(values, x):
    values.append(x)


def quotient(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return 0.0


def checked(x):
    if x < 0:
        raise ValueError("negative")
    return math.sqrt(x)


def neighbours(v):
    if v % 2 == 0:
        return (v // 2, v - 1)
    return (v - 1, v - 3)


@functools.lru_cache(None)
def remembered(n):
    return n if n < 2 else remembered(n - 1) + remembered(n - 2)


def twice(f, x):
    return f(f(x))


def bisected(f, low, high):
    for _ in range(40):
        middle = (low + high) / 2
        if f(middle) > 0:
            high = middle
        else:
            low = middle
    return low


def adder(t):
    def add(x):
        if x > t:
            return x + t
        return x

    return add


add_three = adder(3)
at_least_zero = functools.partial(clamp, low=0)
relu = lambda v: v if v > 0 else 0.0  # noqa: E731
FEES = {0: 30, 1: 25, 2: 5}


def fee(state):
    return FEES[state]


def hypotenuse(a, b):
    return math.hypot(a, b) if isinstance(a, float) else -1.0


class Model:
    def __init__(self, top):
        self.top = top

    def step(self, x):
        if x > self.top:
            return x - self.top
        return x


MODEL = Model(2.0)


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def defaults_and_keywords(x):
    return clamp(x * 3) + clamp(x, high=3) + sum(clamp(x * k) for k in range(3))


def two_levels(x):
    return 2 * newton(x * x + newton(x + 1))


def a_grown_list(n):
    values = []
    for k in range(n):
        push(values, k * k)
    push(values, n)
    return total(values) + len(values)


def caught(x):
    try:
        return checked(x) + quotient(1.0, x - 3)
    except ValueError:
        return -1.0


def searched(n):
    queue, seen, count = deque([n]), {n}, 0
    while queue:
        v = queue.popleft()
        count += 1
        for w in neighbours(v):
            if w not in seen and w > 0:
                seen.add(w)
                queue.append(w)
    return count


def handed_over(x):
    values = [x, 2 * x, -x]
    add = lambda v: clamp(v) + 1  # noqa: E731
    mapped = sum(map(clamp, values)) + sum(map(add, values))
    return mapped + sorted(values, key=clamp)[0] + max(x, 0.5, key=clamp)


def reduced(n):
    values = [n, 12, 18, 7]
    values.sort(key=lambda k: gcd(k, 6))
    folded = functools.reduce(gcd, values) + functools.reduce(lambda a, b: gcd(a, b) + 1, values)
    return folded * 100 + values[0], len(list(filter(lambda k: gcd(k, n) == 1, range(1, 9))))


def of_functions(x):
    return (
        twice(clamp, x * 3)
        + twice(lambda v: clamp(v) * 2, x)
        + add_three(x)
        + relu(-x)
        + at_least_zero(x)
    )


def root(x):
    return bisected(lambda t: t * t * t - x, 0.0, 20.0) + hypotenuse(x, 4.0)


def of_a_method(x):
    return MODEL.step(MODEL.step(x))


def remembered_results(n):
    return remembered(n)


def looked_up(n):
    return fee(n % 3) + 1


def digits(n):
    return len(str(n))


def digits_of(n):
    return digits(37 * n + 1)


INTEGERS = np.array([0, 1, 3, 7])
FLOATS = np.array([0.25, 3.0, 0.7, 4.5])
SIGNED = np.array([3.0, -10.0, 0.7, 0.0])

CASES: list[tuple[Any, np.ndarray]] = [
    (fibonacci, INTEGERS), (is_even, INTEGERS), (defaults_and_keywords, SIGNED),
    (two_levels, FLOATS), (a_grown_list, INTEGERS), (caught, SIGNED), (searched, INTEGERS + 1),
    (handed_over, SIGNED), (reduced, INTEGERS + 1), (of_functions, SIGNED), (root, FLOATS),
    (of_a_method, FLOATS), (remembered_results, INTEGERS), (looked_up, INTEGERS),
    (digits_of, INTEGERS),
]  # fmt: skip


def assert_as_in_python(function: Any, xs: np.ndarray, **how: Any) -> None:
    got = pcbatch.autobatch(function).run(xs, **how).check().value
    want = [function(x.item()) for x in xs]
    for column, expected in zip(
        np.atleast_2d(np.array(got)), np.atleast_2d(np.array(want).T), strict=True
    ):
        assert_close(column, expected, Tolerance(1e-14, 0))


@pytest.mark.every(16)
@pytest.mark.parametrize(("function", "xs"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_plain_functions_are_functions_of_the_program(function, xs) -> None:
    assert_as_in_python(function, xs, jit=False)


@pytest.mark.parametrize("strategy", ["local", "loop"])
def test_other_strategies_call_them_too(strategy: str) -> None:
    assert_as_in_python(caught, SIGNED, strategy=strategy)
    assert_as_in_python(handed_over, SIGNED, strategy=strategy)


def scaled(x):
    return 3 * x


def scaled_and_clamped(x):
    return scaled(x) + clamp(x)


def test_what_can_be_part_of_a_primitive_is() -> None:
    text = pcbatch.autobatch(scaled_and_clamped).lower(FLOATS).as_text()
    assert "call clamp" in text
    assert "call scaled" not in text


def two_lambdas(x):
    double, raised = lambda v: clamp(v) * 2, lambda v: clamp(v) + 1
    return double(x), raised(x)


def test_two_lambdas_are_two_functions() -> None:
    assert_as_in_python(two_lambdas, SIGNED, jit=False)


def test_equal_functions_of_two_files_are_two(tmp_path) -> None:
    text = "def f(x):\n    return x if x > 0 else -x\n\n\ndef g(x):\n    return f(x) + 1\n"
    for name in ("one", "other"):
        (tmp_path / f"{name}.py").write_text(text)
        spec = importlib.util.spec_from_file_location(name, tmp_path / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        assert_as_in_python(module.g, SIGNED, jit=False)


@pytest.mark.parametrize("kept", [0, 1])
def test_equal_code_is_known_when_the_other_is_gone(kept: int) -> None:
    """A program that is inferred a second time makes its lambdas again."""

    def of(text: str) -> types.CodeType:
        return next(c for c in compile(text, __file__, "exec").co_consts if hasattr(c, "co_code"))

    both, found = [of("lambda x: x"), of("lambda x: x")], source.find(clamp)
    for code in both:
        source.remember(code, found)
    assert both[0] == both[1]
    del both[1 - kept]
    gc.collect()
    assert source._KNOWN.get(both.pop()) == (found.file, found.lines)


def test_a_helper_that_changes_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    function = pcbatch.autobatch(looked_up)
    np.testing.assert_array_equal(function(INTEGERS), [31, 26, 31, 26])
    monkeypatch.setitem(FEES, 0, 40)
    np.testing.assert_array_equal(function(INTEGERS), [41, 26, 41, 26])


RATES = {0: 1.0, 1: 2.0, 2: 4.0}
SEEN: list[float] = []


def rated(x):
    return RATES[1] * x + len(RATES) + sum(RATES.values())


def noted(x):
    SEEN.append(1.0)
    return x * 2.0


@pytest.mark.parametrize("jit", [True, False])
def test_what_a_helper_reads_is_seen_to_change(monkeypatch, jit: bool) -> None:
    def program(x):
        return rated(x) * 0.5

    function = pcbatch.autobatch(program, jit=jit)
    x = np.array([1.0, 3.0])
    np.testing.assert_array_equal(function(x), [(2.0 * v + 10.0) / 2 for v in x])
    monkeypatch.setitem(RATES, 1, 3.0)
    np.testing.assert_array_equal(function(x), [(3.0 * v + 11.0) / 2 for v in x])


def test_a_list_that_the_host_writes_to_is_no_reason_to_trace_again() -> None:
    def program(x):
        return pcbatch.host_call(noted, x, result=tf.TensorSpec([], tf.float64))

    function = pcbatch.autobatch(program, jit=False)
    for _ in range(3):
        function(np.ones(2))
    assert len(SEEN) == 3
    assert len(function._specializations) == 1


class Link:
    __match_args__ = ("value", "following")
    kind = 3

    def __init__(self, value, following):
        self.value, self.following = value, following


def first_of(link):
    match link:
        case None:
            return 0
        case Link(value, _):
            return value


def kind_of(x):
    match x:
        case float():
            return 1
        case int():
            return 2
        case (int(), _):
            return 4
    return 8


def matched(n):
    head, total = None, 0
    for k in range(n % 3):
        head = Link(k + 5, head)
        total += first_of(head.following) + head.kind
    return total + kind_of(n) + 16 * kind_of(n * 0.5) + 256 * kind_of((n, n)), first_of(head)


def test_a_match_in_a_plain_function_asks_what_a_member_has() -> None:
    check(matched, np.arange(5), jit=False)
