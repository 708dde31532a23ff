"""What a program has read from Python is noticed when it changes, and looked at once while not."""

import collections
import dataclasses
import math
import types
import typing

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.frontend import free_value
from pcbatch.runtime import watch
from pcbatch.runtime.watch import Watch
from pcbatch.semantics import change_detection

NUMBER, WORDS, TABLE, ARRAY = 2.0, ("a", "b"), [1, [2, 3]], np.arange(4)
TENSOR, VARIABLE = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
MODULE = types.ModuleType("somebody")
MODULE.__file__, MODULE.scale = "/home/user/somebody.py", 3


class Pair(typing.NamedTuple):
    left: typing.Any
    right: typing.Any


@dataclasses.dataclass
class Config:
    scale: float


class Plain:
    def __init__(self):
        self.scale, self.parts = 1.0, [1, 2]


PAIR, NESTED, CONFIG, PLAIN = Pair(1, 2.0), Pair(1, [2]), Config(1.0), Plain()


def inner(x):
    return x * NUMBER


def helper(x):
    return inner(x) + TABLE[0]


def closed(scale):
    def function(x):
        return x * scale

    def again(other):
        nonlocal scale
        scale = other

    return function, again


CLOSED, SET_CLOSED = closed(3)


def reads(x):
    return (
        NUMBER, WORDS, TABLE, ARRAY, TENSOR, VARIABLE, MODULE.scale, PAIR, NESTED, CONFIG,
        PLAIN, helper(x), CLOSED(x), math.pi, len(x),
    )  # fmt: skip


IMMUTABLE = ("NUMBER", "WORDS", "VARIABLE", "MODULE", "PAIR", "CLOSED", "math", "len")
MUTABLE = ("TABLE", "ARRAY", "TENSOR", "NESTED", "CONFIG", "PLAIN", "helper")


def looks(monkeypatch, name):
    """A watch of a name, and the list of the looks at it."""
    made = []
    of_name = change_detection.of_name

    def noted(root, *rest):
        made.append(root)
        return of_name(root, *rest)

    monkeypatch.setattr(change_detection, "of_name", noted)
    return watch.name(reads, name), made


@pytest.mark.parametrize("name", IMMUTABLE)
def test_what_cannot_change_is_looked_at_once(monkeypatch, name):
    one, made = looks(monkeypatch, name)
    assert one.unchanged() and one.unchanged()
    assert len(made) == 1


@pytest.mark.parametrize("name", MUTABLE)
def test_what_can_change_in_its_place_is_looked_at_again(monkeypatch, name):
    one, made = looks(monkeypatch, name)
    assert one.unchanged()
    assert len(made) == 2


@pytest.mark.parametrize("name", ["NUMBER", "WORDS", "PAIR"])
def test_an_equal_value_is_the_same_and_its_place_is_learned(monkeypatch, name):
    one, made = looks(monkeypatch, name)
    value = globals()[name]
    equal = type(value)(*value) if isinstance(value, Pair) else type(value)(list(value)) if (
        isinstance(value, tuple)) else float(str(value))  # fmt: skip
    assert equal is not value
    monkeypatch.setitem(globals(), name, equal)
    assert one.unchanged() and one.unchanged()
    assert len(made) == 2


def _set(name, value):
    return lambda patch: patch.setitem(globals(), name, value)


def _replaced_code(patch):
    patch.setattr(inner, "__code__", (lambda x: x * TENSOR).__code__)


def _emptied(patch):
    patch.delitem(CLOSED.__globals__, "NUMBER")


CHANGES = {
    "a number": ("NUMBER", _set("NUMBER", 3.0)),
    "its type": ("NUMBER", _set("NUMBER", 2)),
    "its sign": ("NUMBER", lambda p: p.setitem(globals(), "NUMBER", -2.0)),
    "a tuple": ("WORDS", _set("WORDS", ("a", "c"))),
    "an array": ("ARRAY", lambda p: p.setattr("tests.runtime.test_watch.ARRAY", np.arange(5))),
    "a tensor's shape": ("TENSOR", _set("TENSOR", tf.constant([1.0]))),
    "a tensor's dtype": ("TENSOR", _set("TENSOR", tf.constant([1, 2]))),
    "a variable": ("VARIABLE", _set("VARIABLE", tf.Variable([1.0, 2.0]))),
    "a module's name": ("MODULE", lambda p: p.setattr(MODULE, "scale", 4)),
    "a module's name is gone": ("MODULE", lambda p: p.delattr(MODULE, "scale")),
    "the module": ("MODULE", _set("MODULE", types.SimpleNamespace(scale=4))),
    "a named tuple": ("PAIR", _set("PAIR", Pair(1, 3.0))),
    "its class": ("PAIR", _set("PAIR", (1, 2.0))),
    "a field": ("CONFIG", lambda p: p.setattr(CONFIG, "scale", 2.0)),
    "an attribute": ("PLAIN", lambda p: p.setattr(PLAIN, "scale", 2.0)),
    "an attribute more": ("PLAIN", lambda p: p.setattr(PLAIN, "more", 2.0, raising=False)),
    "all attributes": ("PLAIN", lambda p: p.setattr(PLAIN, "__dict__", {"scale": 1.0})),
    "a function": ("helper", _set("helper", inner)),
    "a function's function": ("helper", _set("inner", lambda x: x)),
    "what that reads": ("helper", _set("NUMBER", 3.0)),
    "the code of that": ("helper", _replaced_code),
    "a global is gone": ("helper", _emptied),
    "a builtin is shadowed": ("len", lambda p: p.setitem(globals(), "len", max)),
}


@pytest.mark.parametrize("name, change", CHANGES.values(), ids=CHANGES)
def test_each_change_is_noticed(monkeypatch, name, change):
    one = watch.name(reads, name)
    assert one.unchanged()
    with monkeypatch.context() as patch:
        change(patch)
        assert not one.unchanged()
    assert one.unchanged()


@pytest.mark.parametrize(
    "name, parts",
    [
        ("TABLE", TABLE),
        ("TABLE", TABLE[1]),
        ("ARRAY", ARRAY),
        ("NESTED", NESTED.right),
        ("PLAIN", PLAIN.parts),
        ("helper", TABLE),
    ],
)
def test_each_changed_element_is_noticed(name, parts):
    one, before = watch.name(reads, name), parts[0]
    assert one.unchanged()
    parts[0] = 7
    assert not one.unchanged()
    parts[0] = before
    assert one.unchanged()


def test_a_cell_is_watched():
    one = watch.name(reads, "CLOSED")
    assert one.unchanged()
    SET_CLOSED(4)
    assert not one.unchanged()
    SET_CLOSED(3)
    assert one.unchanged()


def test_a_watched_tensor_is_not_kept_when_another_takes_its_place(monkeypatch):
    one = watch.name(reads, "TENSOR")
    monkeypatch.setitem(globals(), "TENSOR", tf.constant([3.0, 4.0]))
    assert one.unchanged()
    assert not any(np.array_equal(x, [1.0, 2.0]) for x in _held(one) if tf.is_tensor(x))


def _held(one: Watch):
    return [x for _, _, x in one._fetches._names]


@pytest.mark.parametrize("value", [[1], {"a": 1}, {1}, collections.deque([1]), bytearray(b"a")])
def test_the_content_of_a_default_is_watched(value):
    one = watch.content((0, value))
    assert one.unchanged()
    value.update({2: 2}) if hasattr(value, "update") else value.append(2)
    assert not one.unchanged()


def test_attributes_of_an_object_are_watched():
    owner = Plain()
    del owner.parts
    one = watch.attributes(owner)
    assert one.unchanged()
    owner.scale = 2.0
    assert not one.unchanged()
    owner.scale = 1.0
    assert one.unchanged()
    owner.later = 1
    assert not one.unchanged()


def test_a_name_that_is_gone_is_an_error(monkeypatch):
    one = watch.name(reads, "NUMBER")
    assert free_value(reads, "NUMBER") == NUMBER
    monkeypatch.delitem(globals(), "NUMBER")
    with pytest.raises(Exception, match="NUMBER"):
        one.unchanged()


def test_the_functions_of_pcbatch_are_taken_as_they_are():
    function = pcbatch.random.uniform
    assert change_detection.snapshot(function) == [("is", function)]
