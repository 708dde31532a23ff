"""f-strings, `format`, `%` and `str` give Python's texts of numbers and of containers of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics.numbers import float_digits
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check

N = np.array([0, -1, 7, 12, 305, 1234567])
X = np.array([np.inf, np.nan, 0.1, -2.5, 1 / 3, 1234567.25, 0.0, -0.0, 0.1 + 0.2, 2.0**53, 1e-4])


def grouped(n):
    return f"{n:,}|{n * 1000:_}|{n:_x}|{n:>14,}|{n:+,d}", f"{n:015,d}|{n:04,}", f"{n * 9:_b}"


def prefixed(n):
    return f"{n:#x} {n:#b} {n:#06x} {n:#o} {n:#X} {n:#d}", f"{n:*=8}|{n:x=+8d}|{n:0=5}"


def of_one_character(n):
    return f"{n % 26 + 65:c}|{n % 26 + 65:>3c}", "%c%3c" % (n % 26 + 65, "ab"[n % 2])  # noqa: UP031


def as_wide_as_the_member_says(n):
    wide = n % 7
    return (
        f"{n:>{wide}}|{n:0{wide + 1}d}|{'ab'[n % 2]:*^{wide}}", f"{n:>{6}}",
        "{:>{}}|{:0{w}d}".format(n, 4, n, w=wide),
    )  # fmt: skip


def represented(n):
    word = "ab"[n % 2 :]
    return f"{word!r:>5} {n!r} {n=} {n > 3=}", repr(word), repr(n), "%r %r" % (n, word)  # noqa: UP031


def containers(n):
    pair, word = (n, n / 2), "ab"[n % 2]
    return f"{pair} {[n, 2]}", str((n,)), str({"a": n, "b": [word, n > 3]}), "%s" % ([n],)  # noqa: UP031


def none_or_a_number(n):
    found = n if n > 3 else None
    return f"{found}", f"{found}!"


def table(n):
    lines = []
    for k in range(n % 8):
        lines.append(f"{k:>2} {k * k:>4,}")
    return "\n".join(lines)


OF_INTEGERS = [
    grouped, prefixed, of_one_character, as_wide_as_the_member_says, represented, containers,
    none_or_a_number, table,
]  # fmt: skip


@pytest.mark.every(8)
@pytest.mark.parametrize("function", OF_INTEGERS, ids=lambda f: f.__name__)
def test_texts_of_integers_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


def as_short_as_can_be(x):
    return f"{x:>12}"


def of_some_places(x):
    return f"{x:,.2f}|{x:.1%}"


def of_many_places(x):
    return f"{x:+.0f}|{x:.18f}|{x:010.3f}"


@pytest.mark.every(3)
@pytest.mark.parametrize("function", [as_short_as_can_be, of_some_places, of_many_places])
def test_texts_of_floats_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, X, jit=False)


def test_a_narrow_float_is_written_as_the_python_float_that_it_is() -> None:
    check(as_short_as_can_be, np.array([0.1, 2.675, -1e4, 16777216.0], np.float32), jit=False)


@pytest.mark.every(6)
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(lambda n: f"{n:,}|{n / 7}|{n:>{n % 5}}", N, **options)


def _written(digits: int, places: int) -> str:
    text = str(digits).zfill(places + 1)
    return f"{text[: len(text) - places]}.{text[len(text) - places :] or '0'}"


def test_the_digits_are_exact() -> None:
    """Powers of two are nearer to the number below; the others come from all magnitudes."""
    rng = random.Random(5)
    drawn = [10 ** rng.uniform(-4, 16) for _ in range(200)]
    short = [round(rng.uniform(0, 1000), rng.randrange(6)) for _ in range(200)]
    shortest = tf.function(float_digits.shortest)
    for x in [2.0**k for k in range(-13, 54)] + drawn + [s for s in short if s > 1e-4]:
        digits, places = shortest(tf.constant(x, tf.float64))
        assert _written(int(digits), int(places)) == repr(x)
    fixed = tf.function(lambda x: float_digits.fixed(x, 5))
    for x in [*drawn, *short, 1e-300, 2.0**62, 0.000005, 0.5**6, 3 * 0.5**6]:
        whole, part = fixed(tf.constant(x, tf.float64))
        assert f"{int(whole)}.{int(part):05d}" == f"{x:.5f}"


LIMITS = {
    "an exponent": (lambda x: str(x), [1e16, 1e-5], "a text of a float that Python writes with"),
    "many digits": (lambda x: f"{x:.1f}", [1e19], "a text of a float from 2\\*\\*63 on"),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("limit", LIMITS)
def test_a_member_stops_at_a_limit(limit: str) -> None:
    function, values, said = LIMITS[limit]
    result = pcbatch.autobatch(function).run(np.array([1.5, *values]), jit=False)
    assert result.status[0] == 0 and np.all(result.status[1:] != 0)
    with pytest.raises(pcbatch.errors.MemberError, match=said):
        pcbatch.autobatch(function)(np.array(values))


REFUSED = {
    "an exponent": lambda n: f"{n / 2:e}", "significant digits": lambda n: f"{n / 2:.3}",
    "too many places": lambda n: f"{n / 2:.19f}", "a text's sign": lambda n: f"{'ab'[n % 2]:+}",
    "a list of the member": lambda n: str(list(range(n))),
    "two widths": lambda n: f"{n / 2:{n}.{n}f}", "another letter": lambda n: f"{n:{'ab'[n % 2]}}",
}  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize("use", REFUSED)
def test_what_is_refused(use: str) -> None:
    with pytest.raises(pcbatch.ProgramError, match="is asked of a value of a member"):
        pcbatch.autobatch(REFUSED[use])(N)
