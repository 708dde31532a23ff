"""Python objects among tensors: read as they are now, never changed in place, never leaked."""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.support.members import shared

N = tf.constant([1, 2, 5])


def run(function: Any, *args: Any) -> list[int]:
    return function.run(*args, strategy="local", throw=True).value.numpy().tolist()


class Config:
    def __init__(self) -> None:
        self.scale = 2
        self.sizes = [1, 2]
        self.table = {"k": 3}
        self.weights = np.array([1, 2])


CONFIG = Config()
FACTOR = 2
OFFSET = tf.constant(3)


def helper(x):
    return x * FACTOR + OFFSET


@pcbatch.autobatch
def with_config(x):
    return x * CONFIG.scale + len(CONFIG.sizes) + CONFIG.table["k"] + int(CONFIG.weights[0])


@pcbatch.autobatch
def with_helper(x):
    if x > 2:
        return helper(x)
    return x


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda c: setattr(c, "scale", 3), [9, 12, 21]),
        (lambda c: c.sizes.append(3), [9, 11, 17]),
        (lambda c: c.table.update(k=13), [18, 20, 26]),
        (lambda c: c.weights.__setitem__(0, 101), [108, 110, 116]),
    ],
)
def test_a_changed_attribute_is_seen(monkeypatch, change, expected):
    config = Config()
    monkeypatch.setattr(f"{__name__}.CONFIG", config)
    assert run(with_config, N) == [8, 10, 16]
    change(config)
    assert run(with_config, N) == expected


def test_what_a_plain_function_reads_is_seen(monkeypatch):
    assert run(with_helper, N) == [1, 2, 13]
    monkeypatch.setattr(f"{__name__}.FACTOR", 10)
    assert run(with_helper, N) == [1, 2, 53]
    monkeypatch.setattr(f"{__name__}.OFFSET", tf.constant(0))
    assert run(with_helper, N) == [1, 2, 50]


def test_nothing_is_traced_anew_without_a_change():
    with_config.run(N, strategy="local")
    made = len(with_config._specializations)
    with_config.run(N, strategy="local")
    assert len(with_config._specializations) == made


@dataclasses.dataclass
class Line:
    slope: Any
    offset: int

    @pcbatch.autobatch
    def at(self, x):
        if x > 2:
            return self.slope * x
        return x + self.offset


class Spring(NamedTuple):
    stiffness: Any

    @pcbatch.autobatch
    def steps(self, x):
        n = 0
        while x > 0:
            x -= self.stiffness
            n += 1
        return n


@pcbatch.autobatch
def methods_of_local_structures(x):
    line = Line(x + 1, 2)
    bound = line.at
    return line.at(x) + bound(1) + Spring(x).steps(10)


def test_methods_of_structures_with_tensors():
    plain = [int(methods_of_local_structures.single(x)) for x in N]
    assert run(methods_of_local_structures, N) == plain


def test_methods_of_a_captured_structure_read_its_tensors_at_call_time(monkeypatch):
    captured = Line(tf.constant(2), 7)

    @pcbatch.autobatch
    def at(x):
        return captured.at(x)

    assert run(at, N) == [8, 9, 10]
    captured.slope = tf.constant(100)
    assert run(at, N) == [8, 9, 500]
    captured.offset = 0
    assert run(at, N) == [1, 2, 500]


@pcbatch.autobatch
def scaled(x, by, offset=0):
    if x > 2:
        return x * by + offset
    return offset - x


def test_partial_calls_of_autobatched_functions():
    @pcbatch.autobatch
    def f(x):
        first = functools.partial(scaled, x)
        second = functools.partial(first, offset=x)
        return first(3) + second(2) + second(by=2, offset=1)

    assert run(f, N) == [int(f.single(x)) for x in N]


@pcbatch.autobatch
def counts(x):
    items = [x]
    items = [*items, x + 1]
    table = {"n": len(items)}
    table = {**table, "x": items[-1]}
    return table["n"] * table["x"]


def test_containers_are_replaced_not_changed():
    assert run(counts, N) == [4, 6, 12]


def adds_in_a_branch(x):
    seen = set()
    if x > 2:
        seen.add(1)
    return len(seen)


def adds_by_a_name(x):
    seen = set()
    add = seen.add
    if x > 2:
        add(1)
    return len(seen)


def adds_within_a_tuple(x):
    state = (set(), x)
    if x > 2:
        state[0].add(1)
    return len(state[0])


def takes_from_a_deque(x):
    queue = collections.deque([1, 2])
    if x > 2:
        queue.popleft()
    return len(queue)


def lengthens_bytes(x):
    codes = bytearray(3)
    if x > 2:
        codes.append(1)
    return len(codes)


@pytest.mark.parametrize("strategy", ["pc", "local", "loop"])
def test_no_object_is_changed_for_all_members_by_one_of_them(strategy):
    with pytest.raises(pcbatch.ProgramError, match="is changed in place") as caught:
        pcbatch.autobatch(lengthens_bytes).run(N, strategy=strategy, jit=False)
    assert "as a list" in str(caught.value)


OWN = (adds_in_a_branch, adds_by_a_name, adds_within_a_tuple, takes_from_a_deque)


@pytest.mark.every(2)
@pytest.mark.parametrize("function", OWN, ids=lambda f: f.__name__)
@pytest.mark.parametrize("strategy", ["pc", "local", "loop"])
def test_each_member_has_a_set_or_a_queue_of_its_own(function, strategy):
    found = shared(function).run(N, strategy=strategy, jit=False)
    assert found.value.numpy().tolist() == [function(int(x)) for x in N]


class Counter:
    """An object that its own method changes."""

    def __init__(self):
        self.n = 0

    def add(self):
        self.n += 1


class BuiltWhenUsed:
    """An object that changes itself at its first use only, as layers do."""

    def __init__(self):
        self.factor = None

    def __call__(self, x):
        if self.factor is None:
            self.factor = 3
        return x * self.factor


def counts_by_a_name(x):
    add = COUNTER.add
    if x > 2:
        add()
    return x


COUNTER, BUILT = Counter(), BuiltWhenUsed()


def counts_in_a_global(x):
    if x > 2:
        COUNTER.add()
    return x


@pytest.mark.parametrize("program", [counts_by_a_name, counts_in_a_global])
@pytest.mark.parametrize("strategy", ["pc", "local", "loop"])
def test_objects_that_change_themselves_are_refused(program, strategy):
    """One change in a branch would be all members'."""
    with pytest.raises(pcbatch.ProgramError, match="is changed in place") as caught:
        pcbatch.autobatch(program).run(N, strategy=strategy, jit=False)
    assert "make the object in the function" in str(caught.value)


def test_objects_that_are_built_when_they_are_used_are_not():
    @pcbatch.autobatch
    def scaled_in_a_branch(x):
        if x > 2:
            return BUILT(x)
        return x

    assert run(scaled_in_a_branch, N) == [x if x <= 2 else 3 * x for x in map(int, N)]
