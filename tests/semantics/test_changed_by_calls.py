"""Objects and dicts that functions change: every name of one sees it, or it is refused."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.support.members import check, of_member
from tests.support.tolerances import Tolerance, assert_close

NUMBERS = np.array([0, 3, 4, 9])
QUOTIENT = Tolerance(1e-7, 1e-7)
"""A central difference with steps of 1e-6 is off by about 1e-10 / 1e-6 of rounding."""


@dataclasses.dataclass
class Box:
    x: float
    y: float = 1.0

    def add(self, k):
        self.x += k

    def itself(self):
        self.add(1.0)
        return self


@dataclasses.dataclass
class Pair:
    left: Box
    right: Box


def add(box, k):
    box.x += k


def both(a, b):
    a.x += 1.0
    b.x *= 2.0


def either(a, b, k):
    if k > 3:
        return a
    return b


def made(k):
    if k > 3:
        return Box(k * 1.0)
    return Box(-1.0)


def plain(k):
    return Box(k * 2.0)


def two_names(n):
    a = Box(n * 1.0)
    b = a
    add(a, 1.0)
    b.add(2.0)
    return a.x, b.x


def one_object_handed_twice(n):
    a = Box(n * 1.0)
    both(a, a)
    return a.x


def two_objects(n):
    a, b = Box(n * 1.0), Box(3.0)
    both(a, b)
    return a.x, b.x


def in_an_object_and_in_a_list(n):
    a = Box(n * 1.0)
    pair, several = Pair(a, Box(0.0)), [a, Box(5.0), a]
    add(pair.left, 1.0)
    for one in several:
        one.add(2.0)
    several[1].x += 1.0
    return a.x, pair.left.x, several[0].x, several[1].x, several[2].x


def another_in_its_place(n):
    def renew(pair):
        pair.left.x += 1.0
        pair.left = Box(100.0)
        pair.left.x += 1.0

    pair = Pair(Box(n * 1.0), Box(0.0))
    old = pair.left
    renew(pair)
    return old.x, pair.left.x


def what_it_is_handed_is_rebound(n):
    def f(a):
        a.x += 1.0
        a = Box(50.0)
        a.x += 1.0
        return a

    a = Box(n * 1.0)
    b = f(a)
    b.x += 1.0
    return a.x, b.x


def it_is_changed_and_returned(n):
    a = Box(n * 1.0)
    b = a.itself()
    b.x *= 2.0
    c = b.itself()
    c.x += 1.0
    return a.x, b.x, c.x


def made_by_functions(n):
    a, b, c, d = made(n), made(n + 1), plain(n), plain(n + 1)
    for one in (a, b, c, d):
        add(one, 1.0)
    also = c
    also.x += 1.0
    return a.x, b.x, c.x, d.x


def made_in_each_round(n):
    old, new = Box(0.0), Box(0.0)
    for i in range(n):
        old, new = new, Box(old.x + i)
        new.add(1.0)
        old.y += new.x
    return old.x, old.y, new.x


def made_in_each_call(n):
    def f(a, k):
        own = Box(a.x + 1.0)
        if k > 0:
            f(own, k - 1)
        a.y += own.x + own.y

    a = Box(n * 1.0)
    f(a, n % 3)
    return a.x, a.y


def exchanged_in_each_call(n):
    def f(a, b, k):
        a.x += k
        if k > 0:
            f(b, a, k - 1)

    a, b = Box(n * 1.0), Box(10.0)
    f(a, b, 2)
    f(a, a, 1)
    return a.x, b.x


def a_method_in_a_variable(n):
    a = Box(n * 1.0)
    f = a.add
    f(1.0)
    f(2.0)
    return a.x


def functions_in_a_list(n):
    table = {"n": n * 1.0}
    fs = [lambda k: table.update(n=table["n"] + k), lambda k: table.update(n=table["n"] * k)]
    for f in fs:
        f(3.0)
    return table["n"]


def a_nested_function_that_is_made_anew(n):
    """Once it kept a dict that was no longer the function's."""
    table, k = {"n": 0.0}, 1.0

    def shown():
        return table["n"] + k

    k = 2.0 * n
    table["n"] = 5.0
    return shown()


def an_array_in_an_object(n):
    def shifted(box):
        box.x = box.x + 1.0
        box.x += 1.0

    box = Box(np.array([1.0, 2.0]) * n)
    before = box.x * 1.0
    shifted(box)
    return np.sum(before), np.sum(box.x)


def a_list_in_an_object(n):
    def noted(box, k):
        box.y.append(k)
        box.x += len(box.y)

    box = Box(0.0, [])
    for i in range(n):
        noted(box, i)
    return box.x, len(box.y)


def none_on_one_path(n):
    def f(box):
        if n > 3:
            box.x += 1.0
            return 3.0
        box.y = 4.0

    box = Box(n * 1.0)
    found = f(box)
    return box.x, box.y, -1.0 if found is None else found


@pcbatch.autobatch
def loss(box):
    return box.x * box.x + box.y


slope_of_loss = pcbatch.grad(loss)


def of_its_own_gradient(n):
    box = Box(n * 1.0)
    slope = slope_of_loss(box)
    box.x -= 0.25 * slope.x
    slope.x += 1.0
    return box.x, slope.x, slope.y


def one_of_equal_structure(n):
    """What `max` gives is one of the two; once it was a copy that saw no change."""
    a, b = Box(n * 1.0), Box(3.0)
    larger = max(a, b, key=lambda box: box.x)
    return larger.x


def a_float_in_a_method(n):
    """Once an int of the member was not added to a float in an attribute."""
    a = Box(1.0)
    a.add(n)
    return a.x


def which_object_it_is(n):
    """Once no object, no dict and no list was itself."""
    a, b = Box(n * 1.0), Box(n * 1.0)
    also, table = a, {"x": n}
    same, other = table, {"x": n}
    told = (a is also, a is b, a is not b, table is same, table is other, [n] == [n])
    return sum(2**k for k, one in enumerate(told) if one)


def all_but_itself(n):
    boxes = [Box(n * 1.0, 2.0), Box(3.0, 4.0), Box(5.0, 6.0)]
    for one in boxes:
        for other in boxes:
            if other is not one:
                one.x += other.y
    return boxes[0].x, boxes[1].x, boxes[2].x


def one_that_is_handed_twice(n):
    def f(a, b):
        if a is b:
            a.x += 1.0
        else:
            a.x += 100.0

    a, b = Box(n * 1.0), Box(1.0)
    f(a, a)
    f(a, b)
    return a.x


RIGHT = (
    two_names, one_object_handed_twice, two_objects, in_an_object_and_in_a_list,
    another_in_its_place, what_it_is_handed_is_rebound, it_is_changed_and_returned,
    made_by_functions, made_in_each_round, made_in_each_call, exchanged_in_each_call,
    a_method_in_a_variable, functions_in_a_list, a_nested_function_that_is_made_anew,
    an_array_in_an_object, a_list_in_an_object, none_on_one_path, one_of_equal_structure,
    a_float_in_a_method, which_object_it_is, all_but_itself, one_that_is_handed_twice,
)  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_every_name_sees_it(function: Callable[[Any], Any]) -> None:
    result = pcbatch.autobatch(function).run(NUMBERS, jit=False, throw=True)
    for k, number in enumerate(NUMBERS.tolist()):
        assert of_member(result.value, k) == function(number)


def test_a_gradient_is_another_object() -> None:
    result = pcbatch.autobatch(of_its_own_gradient).run(NUMBERS, jit=False, throw=True)
    x = NUMBERS.astype(float)
    for found, expected in zip(result.value, (0.5 * x, 2 * x + 1, np.ones(4)), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_the_way_that_a_tape_goes() -> None:
    """The derivative of a function whose helper changes an object in a recursion."""

    def f(x):
        def push(box, k):
            box.y *= box.x
            if k > 0:
                push(box, k - 1)
                box.x += box.y

        box = Box(x, x)
        push(box, 2)
        return box.x + box.y

    x, step = np.array([0.5, 1.25]), 1e-6
    found = pcbatch.value_and_grad(pcbatch.autobatch(f)).run(x, jit=False, throw=True)
    values, slopes = found.value
    assert_close(values, [f(v) for v in x.tolist()])
    expected = [(f(v + step) - f(v - step)) / (2 * step) for v in x.tolist()]
    assert_close(slopes, expected, QUOTIENT)


def the_member_chooses(n):
    a, b = Box(1.0), Box(2.0)
    one = a if n > 3 else b
    other = b if n > 3 else a
    one.add(1.0)
    return other.x


def a_function_chooses(n):
    a, b = Box(1.0), Box(2.0)
    one = either(a, b, n)
    one.x += 1.0
    return a.x


def the_one_that_is_changed_is_read_no_more(n):
    """The only name that is left may be that of the other object."""
    a, b = Box(1.0), Box(2.0)
    a = either(b, a, n)
    b = b.itself() if n < 0 else b
    b.add(a.x)
    return a.x


def the_larger_of_two(n):
    a, b = Box(n * 1.0), Box(3.0)
    larger = max(a, b, key=lambda box: box.x)
    a.x = 20.0
    return larger.x


def kept_in_a_list(n):
    boxes, box = [], Box(1.0)
    for _ in range(n):
        add(box, 1.0)
        boxes.append(box)
    return boxes[0].x if n else 0.0


def put_by_the_one_that_changes_it(n):
    def put(boxes, box):
        box.x += 1.0
        boxes.append(box)

    boxes, box = [], Box(1.0)
    for _ in range(n):
        put(boxes, box)
    return boxes[0].x if n else 0.0


def put_by_the_one_that_makes_it(n):
    def new(boxes):
        box = Box(1.0)
        boxes.append(box)
        return box

    boxes = []
    for _ in range(n):
        box = new(boxes)
        box.x += 1.0
    return boxes[0].x if n else 0.0


def kept_from_an_earlier_round(n):
    best = Box(-1.0)
    for i in range(n):
        box = Box(i * 1.0)
        if i == 1:
            best = box
        box.add(1.0)
    return best.x


def handed_over_beside_what_it_may_be(n):
    a, b = Box(1.0), Box(2.0)
    both(either(a, b, n), a)
    return a.x


CONSTANT = Box(1.0)


def of_all_members(n):
    add(CONSTANT, n * 1.0)
    return CONSTANT.x


SEEN = (
    the_member_chooses, a_function_chooses, the_one_that_is_changed_is_read_no_more,
    the_larger_of_two, kept_in_a_list, put_by_the_one_that_changes_it,
    put_by_the_one_that_makes_it, kept_from_an_earlier_round, handed_over_beside_what_it_may_be,
)  # fmt: skip


def one_of_two(n):
    a, b = Box(1.0), Box(2.0)
    return (a if n > 3 else b) is a


def an_element_by_number(n):
    boxes = [[1.0, 2.0], [3.0, 4.0]]
    return boxes[n % 2] is boxes[0]


def one_that_a_list_has(n):
    boxes, box = [], Box(1.0)
    for _ in range(n):
        boxes.append(box)
    return boxes[0] is box if n else True


def test_which_list_it_is_may_depend_on_the_member() -> None:
    with pytest.raises(ProgramError, match=r"whether these are one .* depends on the member"):
        pcbatch.autobatch(an_element_by_number).run(NUMBERS, jit=False)


@pytest.mark.every(6)
@pytest.mark.parametrize(
    "function", [*SEEN, one_of_two, one_that_a_list_has], ids=lambda f: f.__name__
)
def test_which_object_it_is_may_depend_on_the_member(function: Callable[[Any], Any]) -> None:
    check(function, NUMBERS, jit=False)


def test_an_object_of_all_members_is_not_changed() -> None:
    before = copy.copy(CONSTANT)
    with pytest.raises(ProgramError, match="is not supported"):
        pcbatch.autobatch(of_all_members).run(NUMBERS, jit=False)
    assert before == CONSTANT


def test_a_copy_is_a_remedy() -> None:
    def f(n):
        a, b = Box(1.0), Box(2.0)
        one = copy.copy(a if n > 3 else b)
        one.add(n)
        return one.x + a.x

    result = pcbatch.autobatch(f).run(NUMBERS, jit=False, throw=True)
    assert result.value.numpy().tolist() == [f(n) for n in NUMBERS.tolist()]


def test_to_say_which_one_is_a_remedy() -> None:
    def f(n):
        a, b = Box(1.0), Box(2.0)
        if n > 3:
            a.add(n)
        else:
            b.add(n)
        return a.x * 100 + b.x

    result = pcbatch.autobatch(f).run(NUMBERS, jit=False, throw=True)
    assert result.value.numpy().tolist() == [f(n) for n in NUMBERS.tolist()]


def test_a_copy_in_what_is_differentiated_is_the_remedy() -> None:
    @pcbatch.autobatch
    def energy(box):
        own = copy.copy(box)
        own.add(1.0)
        return own.x * own.x

    slope = pcbatch.grad(energy)

    def f(n):
        box = Box(n * 1.0)
        return slope(box).x + box.x

    result = pcbatch.autobatch(f).run(NUMBERS, jit=False, throw=True)
    np.testing.assert_array_equal(result.value, 3.0 * NUMBERS + 2)
