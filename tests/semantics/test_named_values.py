"""Changes of dicts of texts and of objects: Python's, or a refusal where another has them."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ProgramError
from tests.support.members import of_member, shared

NUMBERS = np.array([0, 3, 4, 9])


@dataclasses.dataclass
class Ball:
    height: float
    speed: float = 0.0

    def energy(self):
        return self.height + self.speed * self.speed


@dataclasses.dataclass
class Book:
    cash: float
    log: list


class Record(NamedTuple):
    cash: float
    log: list


@dataclasses.dataclass
class Doubled:
    """One whose own code makes something else of what it is given."""

    log: list

    def __post_init__(self):
        self.log = [*self.log, *self.log]


def counters(n):
    counts = {"odd": 0, "even": 0}
    while n > 0:
        if n % 2:
            counts["odd"] += 1
        else:
            counts["even"] += 1
        n //= 2
    return counts["odd"] * 10 + counts["even"]


def a_key_of_the_member(n):
    counts = {"odd": 0, "even": 0, 7: 1}
    state = "odd"
    while n > 0:
        counts["odd" if n % 2 else "even"] += 1
        counts[state] = counts[state] + 2.5
        state = "even" if n > 3 else "odd"
        n //= 2
    return counts["odd"] * 10 + counts["even"] + counts[7]


def every_method(n):
    d = {"a": n, "b": 2, 3: 4}
    k = d.pop("b")
    d[3] += k
    x = d.setdefault("a", 5) + d.setdefault("e", 6)
    d.update({"c": n * 2}, f=1)
    d |= {"g": 1}
    del d["a"]
    last = d.popitem()[0]
    whole = d[3] * 10 + len(d) + x + len(last)
    d.clear()
    return whole + len(d)


def begun_empty(n):
    d = {}
    d["a"] = n
    d["b"] = [n, n + 1]
    d["b"].append(4)
    d["a"], d["c"] = d["a"] + d["b"][0], d["a"]
    return d["a"] + sum(d["b"]) + d["c"], len(d)


def default_and_counter(n):
    d = collections.defaultdict(int)
    d["x"] += n
    d["x"] += n
    c = collections.Counter(a=1)
    c.update(a=n)
    c.update({"b": n})
    c.subtract({"b": 1})
    return d["x"], c["a"] * 100 + c["b"]


def a_missing_key(n):
    d = {"a": n}
    if n > 3:
        del d["q"]
    return d["a"]


def caught(n):
    d = {"x": n, "y": 0}
    try:
        d["x"] = 7
        d["y"] = 10 // (n - 3)
        d["x"] = 8
    except ZeroDivisionError:
        d["x"] += 100
    return d["x"] + d["y"]


def in_a_recursion(n):
    d, b = {"x": n}, Ball(1.0)
    if n > 0:
        d["x"] += in_a_recursion(n - 1)
        b.speed += d["x"]
    b.height += b.speed
    return d["x"] + int(b.height)


def moving(n):
    b = Ball(4.0)
    for _ in range(n):
        b.speed -= 1.0
        b.height += b.speed
        if b.height < 0:
            b.height, b.speed = -b.height, -b.speed
    return b.height, b.energy()


def two_names_one_after_the_other(n):
    p, q = Ball(1.0), Ball(2.0)
    p.height = n + 0.5
    q.height += p.height
    p, q = q, p
    p.speed = 3.0
    r = p
    r.speed += 1.0
    return r.height + q.height * 10 + r.speed


def lists_in_objects(n):
    b = Book(1.0, [3, 1])
    for i in range(n):
        b.log.append(i)
        b.cash *= 2
    b.log = [*b.log, 5]
    b.log[0] = n
    b.log.sort()
    return b.cash, len(b.log), b.log[0]


def made_anew(n):
    r = Record(1.0, [])
    for i in range(n):
        r = Record(r.cash * 2, [*r.log, i])
    s = Record(log=[], cash=0.0)
    for i in range(n):
        s = s._replace(log=[*s.log, i])
    b = Book(1.0, [])
    for i in range(n):
        b = dataclasses.replace(b, log=[*b.log, i], cash=b.cash + 1)
        r.log.append(i)
    return r.cash, len(r.log), len(s.log), b.cash, len(b.log)


def one_list_in_two_objects(n):
    log = []
    a, b = Record(1.0, log), Record(2.0, log)
    for i in range(n):
        a.log.append(i)
    return len(b.log)


def best_so_far(n):
    best = Ball(0.0)
    for i in range(n):
        new = Ball(i * 1.0)
        new.speed = float((i * 7) % 5)
        if new.speed > best.speed:
            best = new
    return best.height + best.speed


def grown(n):
    balls = []
    for i in range(n):
        b = Ball(1.0)
        b.height += i
        balls.append(b)
    return sum(b.height for b in balls)


def in_a_nested_function(n):
    def made(k):
        b, queue = Ball(k * 1.0), collections.deque()
        for i in range(k):
            b.speed += i
            queue.append(i)
        return b.speed, len(queue)

    return made(n)


def a_copy_of_its_own(n):
    d = {"x": n}
    e, b = dict(d), Ball(1.0)
    c = copy.copy(b)
    d["x"] = 5
    c.height = 3.0
    return e["x"] + d["x"], b.height + c.height


def a_list_has_it(n):
    d = {"x": n}
    xs = [d]
    d["x"] = 5
    return xs[0]["x"]


def another_variable_has_it(n):
    p = Ball(1.0)
    q = p
    p.height = n * 1.0
    return p.height + q.height


def a_caller_has_it(n):
    def push(p, k):
        for i in range(k):
            p.height += i

    p = Ball(1.0)
    push(p, n)
    return p.height


def a_function_around_has_it(n):
    d = {"x": 0}

    def add(k):
        d["x"] += k

    for i in range(n):
        add(i)
    return d["x"]


def a_nested_function_has_it(n):
    p = Ball(1.0)
    f = lambda: p.height  # noqa: E731
    p.height = n
    return f()


def its_method_has_it(n):
    p = Ball(1.0)
    f = p.energy
    p.height = n
    return f()


def part_of_a_dict(n):
    d = {"p": {"x": n}}
    d["p"]["x"] = 3
    return d["p"]["x"]


RIGHT = (
    counters, a_key_of_the_member, every_method, begun_empty, default_and_counter, a_missing_key,
    caught, in_a_recursion, moving, two_names_one_after_the_other, lists_in_objects, made_anew,
    one_list_in_two_objects, best_so_far, grown, in_a_nested_function, a_copy_of_its_own,
    a_list_has_it, another_variable_has_it, a_caller_has_it, a_function_around_has_it,
    a_nested_function_has_it, its_method_has_it, part_of_a_dict,
)  # fmt: skip


def check(result: pcbatch.Result, function: Any) -> None:
    """Each member has plain Python's value, or its exception."""
    for k, status in enumerate(result.status.numpy()):
        try:
            expected = function(int(NUMBERS[k]))
        except KeyError as error:
            assert result.faults[int(status)].message.startswith(f"KeyError: {error}"), k
            continue
        assert status == 0, result.faults[int(status)]
        assert of_member(result.value, k) == expected, k


@pytest.mark.every(3)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_they_are_pythons(function) -> None:
    batched = pcbatch.autobatch(function)
    check(batched.run(NUMBERS, strategy="local", jit=False), function)


@pytest.mark.every(3)
@pytest.mark.parametrize("function", [moving, lists_in_objects], ids=lambda f: f.__name__)
@pytest.mark.parametrize("strategy", ["pc", "loop"])
def test_they_are_pythons_in_other_ways(function, strategy) -> None:
    check(shared(function).run(NUMBERS, strategy=strategy, jit=False), function)


def test_an_argument_is_the_functions_own() -> None:
    @pcbatch.autobatch
    def f(state, ball, given):
        while state["x"] < 10:
            state["x"] += ball.height
            ball.height *= 2.0
        given["xs"][0] = state["x"]
        given["xs"].append(1.0)
        return state["x"], ball.height, sum(given["xs"])

    x = np.array([1.0, 2.0, 12.0])
    state, ball, given = {"x": x}, Ball(x, x), {"xs": [x, x]}
    result = f.run(state, ball, given, strategy="local", jit=False, throw=True)
    assert state["x"] is x and ball.height is x and given == {"xs": [x, x]}
    for k, v in enumerate(x.tolist()):
        expected = f.single({"x": v}, Ball(v, v), {"xs": [v, v]})
        assert of_member(result.value, k) == expected


def a_partial_call_has_it(n):
    p = Ball(1.0)
    f = functools.partial(Ball.energy, p)
    p.height = n
    return f()


def in_place_with_two_names(n):
    d = {"x": 1}
    e = [d]
    d |= {"x": n}
    return e[0]["x"]


def test_what_another_has_is_not_changed_in_place() -> None:
    with pytest.raises(ProgramError, match="with keys of several kinds"):
        pcbatch.autobatch(in_place_with_two_names).run(NUMBERS, strategy="local", jit=False)


def test_a_text_of_the_member_adds_no_key_to_keys_of_several_kinds() -> None:
    def f(n):
        d = {"x": 1, 7: 2}
        d["x" if n < 4 else "y"] = n
        return d["x"]

    result = pcbatch.autobatch(f).run(NUMBERS, strategy="local", jit=False)
    np.testing.assert_array_equal(result.status.numpy() > 0, NUMBERS >= 4)
    assert "adds no key" in result.faults[int(result.status[2])].message


def a_class_that_makes_something_else(n):
    d = Doubled([1])
    d.log.append(n)
    return len(d.log)


@pytest.mark.parametrize(
    "function", [a_partial_call_has_it, a_class_that_makes_something_else], ids=lambda f: f.__name__
)
def test_an_object_has_what_python_has(function) -> None:
    check(pcbatch.autobatch(function).run(NUMBERS, jit=False), function)


def test_a_row_that_grows_is_not_the_list_around_it() -> None:
    """A list of known length that is followed: its row was taken for it, without a word."""

    def f(n):
        rows = [[n], [2]]
        rows[0].append(n)
        return tf.stack(rows[0])

    with pytest.raises(ProgramError, match="whose length depends on the member"):
        pcbatch.autobatch(f).run(NUMBERS, strategy="local", jit=False)


def test_a_list_in_an_argument_grows_after_an_element_is_assigned() -> None:
    """It ended in an IndexError of our own."""

    @pcbatch.autobatch
    def f(given, n):
        xs = given["xs"]
        xs[0] = n
        xs.append(4)
        return sum(xs)

    value = f.run({"xs": [NUMBERS, NUMBERS]}, NUMBERS, strategy="local", jit=False).value
    np.testing.assert_array_equal(value, 2 * NUMBERS + 4)
