"""`with` statements: contexts of the user's classes, and those of libraries that are known."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check, shared

N = ints(0, 1, 2, 3, 5, 8, -1)


class Depth:
    """How deep one is in its blocks, and how many were left by an exception."""

    def __init__(self):
        self.depth = self.most = self.failed = 0

    def __enter__(self):
        self.depth += 1
        self.most = max(self.most, self.depth)
        return self

    def __exit__(self, kind, value, trace):
        self.depth -= 1
        if kind is not None:
            self.failed += 1
        return False


class Ignoring:
    def __init__(self, kinds):
        self.kinds = kinds
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            return False
        self.count += 1
        return issubclass(kind, self.kinds)


class Swallowing:
    """Whether it does depends on the member; it changes what it has given."""

    def __init__(self, n):
        self.n = n

    def __enter__(self):
        return self.n

    def __exit__(self, *told):
        if self.n > 2:
            self.n = 0
        return told[0] is ZeroDivisionError and self.n == 0


class Stack:
    def __init__(self):
        self.items = []

    def __enter__(self):
        self.items.append(1)
        return self.items

    def __exit__(self, *_):
        self.items.pop()


@dataclasses.dataclass
class Frame:
    depth: int = 0

    def __enter__(self):
        self.depth += 1
        if self.depth > 3:
            raise RecursionError("too deep")
        return self

    def __exit__(self, *_):
        self.depth -= 1


def every_way_out(n):
    d = Depth()
    for k in range(n):
        with d:
            if k == 3:
                break
            with d as e:
                if k == 1:
                    continue
                e.most += 1
    return d.depth, d.most, d.failed


def returned(n):
    with Depth() as d:
        return 10 // n, d.depth


def raised_through(n):
    d = Depth()
    try:
        with d:
            y = 10 // n
    except ZeroDivisionError:
        y = -7
    return y, d.depth, d.failed


def ignored_by_class(n):
    g = Ignoring(LookupError)
    total = 0
    for k in range(-1, n):
        with g:
            total += [1, 2, 3][k]
    return total, g.count


def ignored_or_not(n):
    g = Ignoring((ZeroDivisionError,))
    with g:
        n = 10 // n
    with g:
        n = [1, 2, 3, 4, 5, 6][n]
    return n, g.count


def swallowed(n):
    s = Swallowing(n)
    with s as m:
        y = m // (n - 3) + m // n
        return y
    return -5


def changes_a_list(n):
    s, total = Stack(), 0
    for k in range(n):
        with s as items:
            items.append(k)
            total += len(items)
    return total, s.items


def two_in_one(n):
    f = Frame()
    with f as g, f:
        return g.depth + f.depth + n


def entering_raises(n):
    f = Frame()
    for _ in range(n):
        f.__enter__()
    with f:
        return f.depth


def of_a_parameter(n):
    def deeper(frame):
        with frame:
            if n > 3:
                frame.depth += 10
        return frame.depth

    f = Frame()
    return deeper(f), f.depth


def name_bound_anew(n):
    f = Frame()
    g = f
    with f:
        f = Frame(n)
        y = f.depth
    return y, g.depth, f.depth


class Told:
    """Asks what it may ask of an exception."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        known = isinstance(value, ZeroDivisionError) and not isinstance(value, LookupError)
        return known and type(value) is kind and value is not None and trace is not None


def told(n):
    with Told():
        return 5 // n
    return -1


class Again:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is ZeroDivisionError:
            raise value
        if kind is not None:
            raise ValueError("another")


def raised_again(n):
    with Again():
        return 5 // n + [1, 2, 3][n]


def suppressed(n):
    total = 0
    for k in range(-2, n):
        with contextlib.suppress(ZeroDivisionError, IndexError):
            if k == 4:
                break
            if k == 1:
                continue
            total += [5, 6][k] + 12 // k
    return total


def not_suppressed(n):
    with contextlib.suppress(ValueError), Depth():
        return 10 // n
    return 5


def without_effect(n):
    with contextlib.nullcontext(n + 1) as m, tf.name_scope("x"), contextlib.nullcontext() as none:
        m += none is None
    with np.errstate(divide="ignore", invalid="ignore"):
        v = np.array([1.0, 0.0]) / np.array([0.0, n])
    return m, np.isnan(v[1])


RIGHT = (
    every_way_out, returned, raised_through, ignored_by_class, ignored_or_not, swallowed,
    changes_a_list, two_in_one, entering_raises, of_a_parameter, name_bound_anew, told,
    raised_again, suppressed, not_suppressed, without_effect,
)  # fmt: skip


@pytest.mark.every(4)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_contexts_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.parametrize("how", [{}, {"strategy": "local"}, {"strategy": "loop"}], ids=str)
def test_contexts_are_pythons_in_other_ways(how: dict[str, Any]) -> None:
    check(shared(every_way_out), N, **how)


LOCK = threading.Lock()
OUTSIDE = Depth()


def a_lock(n):
    with LOCK:
        return n


def a_lock_by_default(n, lock=LOCK):
    with lock:
        return n


def made_outside(n):
    with OUTSIDE:
        return n


def a_file(n):
    with open("numbers.txt") as file:
        return n + len(file.readline())


def raises_of_floats(n):
    with np.errstate(all="raise"):
        return n


def may_be_none(n):
    f = None
    if n > 2:
        f = Frame()
    with f:
        return n


class Asking:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return value.strerror == "no"


def asks_for_an_attribute(n):
    with Asking():
        return 5 // n


def changed_and_caught(n):
    def walk(frame, n):
        with frame:
            if n <= 0:
                return frame.depth
            return walk(frame, n - 2)

    return walk(Frame(), n)


@pytest.mark.every(2)
@pytest.mark.parametrize("function", [may_be_none, changed_and_caught], ids=lambda f: f.__name__)
def test_which_context_it_is_may_depend_on_the_member(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (a_lock, "`with LOCK` is not supported"),
        (a_lock_by_default, "`with` of a lock"),
        (made_outside, "`with OUTSIDE` is not supported"),
        (a_file, "is not supported"),
        (raises_of_floats, "is not supported"),
        (asks_for_an_attribute, "an exception is asked for what it says"),
    ],
)
def test_what_cannot_be_a_context_is_refused(function: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        pcbatch.autobatch(function).run(N, jit=False)


def block(x):
    with np.errstate(all="raise") as context:
        return x + (context is None)


def with_a_plain_function(n):
    """What the message says of another context, followed."""
    return block(n)


def test_what_the_message_says_works() -> None:
    check(with_a_plain_function, N, jit=False)
