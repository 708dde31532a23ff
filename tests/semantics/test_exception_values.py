"""What a handler asks of an exception is Python's: `e.code`, `e.args`, `str(e)`, its class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check

N = np.arange(8)


class Low(Exception):
    """A class of the user's, which keeps what it is given."""

    def __init__(self, need, have=3):
        super().__init__("insufficient")
        self.need, self.have = need, have

    def missing(self):
        return self.need - self.have


class Coded(Low):
    """Also one that inherits."""


def an_attribute(n):
    total = 0
    for k in range(n):
        try:
            if k % 3 == 1:
                raise Low(k * n)
            if k % 3 == 2:
                raise Low(k, have=n)
            total += 1
        except Low as e:
            total += 10 * e.need + e.have
    return total


def arguments(n):
    try:
        if n > 5:
            raise ValueError
        if n > 3:
            raise ValueError(n * 2)
        return -1 if n < 2 else 10 // (n - 2)
    except ValueError as e:
        return e.args[0] + 1 if len(e.args) == 1 else 0
    except ZeroDivisionError as e:
        return len(str(e))


def texts(n):
    out = []
    for k in range(n):
        try:
            if k % 3 == 0:
                raise ValueError(f"bad {k}")
            if k % 3 == 1:
                raise KeyError(k)
            out.append(str([1, 2][k]))
        except (ValueError, IndexError) as e:
            out.append(f"{e}!")
        except KeyError as e:
            out.append(str(e.args[0]))
    return out


def classes(n):
    try:
        if n > 5:
            raise Coded(n)
        if n > 3:
            raise ValueError("x")
        if n > 1:
            raise Low(n)
        return "none"
    except Exception as e:
        return type(e).__name__ + str(isinstance(e, Low))


def raised_again(n):
    seen = 0
    try:
        try:
            if n > 5:
                raise ValueError(n, 1)
            if n > 3:
                raise KeyError(n)
            return -1
        except ValueError as e:
            if e.args[0] == 6:
                return 5
            raise
        finally:
            seen += 100
    except (ValueError, KeyError) as err:
        return err.args[0] + seen


def another_one(n):
    try:
        try:
            return 12 // n
        except ZeroDivisionError as e:
            raise Low(n, len(str(e))) from e
    except Low as e:
        return e.have


def in_a_callee(n):
    def checked(k):
        if k > 5:
            raise Low(404)
        if k > 3:
            raise ValueError("too big")
        return k

    try:
        return str(checked(n))
    except Low as e:
        return str(e.need)
    except ValueError as e:
        return f"error: {e}"


RIGHT = [an_attribute, arguments, texts, classes, raised_again, another_one, in_a_callee]


@pytest.mark.every(4)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_what_an_exception_holds_is_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.every(3)
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(an_attribute, N, **options)


def of_a_callee(n):
    def checked(k):
        if k > 3:
            raise Low(k)
        return k

    try:
        return checked(n)
    except Low as e:
        return e.need


def of_an_operation(n):
    try:
        return {1: 2, 5: 7}[n]
    except KeyError as e:
        return e.args[0]


def a_method(n):
    try:
        if n > 3:
            raise Low(n)
        return 0
    except Low as e:
        return e.missing()


def an_object(n):
    last = None
    try:
        if n > 3:
            raise Low(n)
    except Low as e:
        last = e
    return last is None


REFUSED = {
    of_a_callee: "an exception is asked for what it says, or holds",
    of_an_operation: "an exception is asked for what it says, or holds",
    a_method: "an exception is asked for what it says, or holds",
    an_object: "the exception `e` is used as an object",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(ProgramError, match=REFUSED[function]):
        pcbatch.autobatch(function)(N)
