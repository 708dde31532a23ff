"""Large plain data: read as one thing, cheap to ask after, and no change of it goes unnoticed."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics import change_detection, data, pytree

N = 3000
X = np.array([1, 2])


def numbers() -> list[Any]:
    return [float(k) for k in range(N)]


CONTAINERS = {
    "list": numbers,
    "integers": lambda: list(range(N)),
    "strings": lambda: [f"s{k}" for k in range(N)],
    "mixture": lambda: [k if k % 2 else f"s{k}" for k in range(N)],
    "NumPy scalars": lambda: [np.float64(k) for k in range(N)],
    "grid": lambda: [[float(k * j) for j in range(60)] for k in range(60)],
    "rows of tuples": lambda: [(k, float(k)) for k in range(N)],
    "dict": lambda: {k: float(k) for k in range(N)},
    "dict of rows": lambda: {f"r{k}": [k, k + 1] for k in range(N)},
    "keys of tuples": lambda: {(k, k): k for k in range(N)},
    "NaN": lambda: [float("nan")] * N,
    "one row often": lambda: [[0.0] * 60] * 60,
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_what_is_equal_matches(kind: str) -> None:
    one, other = CONTAINERS[kind](), CONTAINERS[kind]()
    assert data.is_large(one)
    seen = data.Data(one)
    assert seen.matches(one) and seen.matches(other)
    assert seen == data.Data(other) and data.same(one, other)
    assert not seen.matches(tuple(one)) and not seen.matches(None)
    leaves, tree = pytree.flatten((one, 3), whole=True)
    assert leaves == [one, 3] and leaves[0] is one
    assert pytree.unflatten(tree, leaves)[0] is one
    assert pytree.flatten({"a": [one]}, whole=True)[0][0] is one


def _assign(value: Any) -> Any:
    def change(xs: Any) -> None:
        xs[7] = value

    return change


CHANGES = {
    "assigned": _assign(0.5),
    "an integer": _assign(7),
    "a NumPy number": _assign(np.float64(7.0)),
    "a tensor": _assign(tf.constant(7.0)),
    "an array": _assign(np.arange(3)),
    "a string": _assign("7.0"),
    "nothing": _assign(None),
    "appended": lambda xs: xs.append(1.0),
    "popped": lambda xs: xs.pop(),
    "cleared": lambda xs: xs.clear(),
    "turned round": lambda xs: xs.reverse(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(change: str) -> None:
    xs = numbers()
    seen = data.Data(xs)
    CHANGES[change](xs)
    assert not seen.matches(xs)


def test_equal_values_of_other_types_are_a_change() -> None:
    for before, after in [(1, True), (1, 1.0), (0.0, -0.0), (True, 1), (1.0, 1 + 0j)]:
        for rest in ([0.5] * N, ["x"] * N, [[2.0] * 40] * 40):
            xs = [before, *rest]
            seen = data.Data(xs)
            xs[0] = after
            assert before == after and not seen.matches(xs), (before, after)
            xs[0] = before
            assert seen.matches(xs)


def test_a_change_within_is_seen() -> None:
    grid = CONTAINERS["grid"]()
    seen = data.Data(grid)
    grid[59][59] = 0.0
    assert not seen.matches(grid)
    rows = CONTAINERS["dict of rows"]()
    seen = data.Data(rows)
    rows["r9"][1] = True
    assert not seen.matches(rows)
    table = CONTAINERS["dict"]()
    seen = data.Data(table)
    table[1] = table.pop(1)  # the same, in another order
    assert not seen.matches(table)


def test_what_is_no_plain_data_is_a_structure() -> None:
    for value in ([0.0] * 10, [tf.constant(0.0)] * N, [object()] * N, np.zeros(N), range(N)):
        assert not data.is_large(value)
    endless: list[Any] = [0.0] * N
    endless.append(endless)
    assert not data.is_large(endless)


# --- In programs ---------------------------------------------------------------------------------

LIST = numbers()
GRID = CONTAINERS["grid"]()
TABLE = {k: float(k) for k in range(N)}
ARRAY = np.arange(70_000.0)
TYPED = array.array("d", range(N))
BOX = {"small": 1.0, "rows": numbers()}


def first_of(xs: Any) -> Any:
    return xs[0]


class Holder:
    def __init__(self) -> None:
        self.xs = numbers()

    @pcbatch.autobatch(jit=False)
    def read(self, n):
        return self.xs[3] + n


@pcbatch.autobatch(jit=False)
def of_a_list(n):
    return LIST[3] + n


@pcbatch.autobatch(jit=False)
def of_its_length(n):
    ys = LIST
    return len(ys) + n


@pcbatch.autobatch(jit=False)
def of_any_element(n):
    return LIST[n] + first_of(LIST)


@pcbatch.autobatch(jit=False)
def of_a_grid(n):
    return GRID[3][4] + n


@pcbatch.autobatch(jit=False)
def of_a_table(n):
    return TABLE[3] + n


@pcbatch.autobatch(jit=False)
def of_an_array(n):
    return ARRAY[3] + n


@pcbatch.autobatch(jit=False)
def of_a_typed_array(n):
    return TYPED[3] + n


@pcbatch.autobatch(jit=False)
def of_a_box(n):
    return BOX["rows"][3] + BOX["small"] + n


@pcbatch.autobatch(jit=False)
def of_a_default(n, xs=LIST):
    return xs[3] + n


@pcbatch.autobatch(jit=False)
def of_two(n):
    ys = LIST
    if n > 1:
        ys = TABLE
    return n + len(ys)


@pcbatch.autobatch(jit=False)
def inner(n, xs):
    return xs[2] + n


@pcbatch.autobatch(jit=False)
def passed_on(n):
    k = 0
    while k < 2:
        k = k + 1
    return inner(n, LIST) + inner(k, xs=LIST)


@pcbatch.autobatch(jit=False)
def with_a_default(n, xs=LIST):
    return xs[3] + n


@pcbatch.autobatch(jit=False)
def of_a_default_of_a_callee(n):
    return with_a_default(n) + with_a_small_default(n)


SMALL = [1.0, 2.0]


@pcbatch.autobatch(jit=False)
def with_a_small_default(n, xs=SMALL):
    return xs[1] + n


def closure():
    xs = numbers()

    @pcbatch.autobatch(jit=False)
    def read(n):
        return xs[3] + n

    return read, xs


def _set(value: Any, *keys: Any) -> Any:
    *outer, last = keys
    for key in outer:
        value = value[key]
    before = value[last]
    value[last] = type(before)(100)
    return lambda: value.__setitem__(last, before)


CASES = [
    (of_a_list, LIST, (3,)),
    (of_any_element, LIST, (0,)),
    (of_a_grid, GRID, (3, 4)),
    (of_a_table, TABLE, (3,)),
    (of_an_array, ARRAY, (3,)),
    (of_a_typed_array, TYPED, (3,)),
    (of_a_box, BOX, ("rows", 3)),
    (of_a_default, LIST, (3,)),
    (passed_on, LIST, (2,)),
    (of_a_default_of_a_callee, LIST, (3,)),
    (of_a_default_of_a_callee, SMALL, (1,)),
]


def values(f: Any) -> tuple[list[float], list[float]]:
    """What a batch gives, and what plain Python gives."""
    return f(X).numpy().tolist(), [float(f.single(int(n))) for n in X]


@pytest.mark.parametrize("f, value, keys", CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_a_change_is_noticed_at_the_next_call(f: Any, value: Any, keys: Any) -> None:
    before, wanted = values(f)
    assert before == wanted
    known = len(f._specializations)
    assert values(f)[0] == before
    assert len(f._specializations) == known
    back = _set(value, *keys)
    changed, wanted = values(f)
    assert changed == wanted != before
    back()
    assert values(f)[0] == before


def test_other_ways_to_change_a_list() -> None:
    read, xs = closure()
    holder = Holder()
    for f, rows in [(read, xs), (holder.read, holder.xs)]:
        assert values(f)[0] == values(f)[1]
        rows[3] = 50.0
        assert values(f)[0] == values(f)[1] == [51.0, 52.0]
        rows[3] = 50
        assert f(X).dtype == tf.int64
        assert len(f._specializations) == 3
    before, wanted = values(of_its_length)
    assert before == wanted
    LIST.append(0.0)
    assert values(of_its_length)[0] == values(of_its_length)[1] != before
    LIST.pop()


def test_a_list_made_anew_with_the_same_values_is_the_same(monkeypatch: Any) -> None:
    of_a_list(X)
    known = len(of_a_list._specializations)
    monkeypatch.setitem(globals(), "LIST", numbers())
    assert values(of_a_list)[0] == values(of_a_list)[1]
    assert len(of_a_list._specializations) == known


def test_structures_that_need_their_parts_have_them() -> None:
    with pytest.raises(pcbatch.ProgramError, match="two types"):
        of_two(X)

    @pcbatch.autobatch(jit=False)
    def star(n):
        return inner(n, *[LIST]) + unpacked(n, *LIST[:3])

    @pcbatch.autobatch(jit=False)
    def unpacked(n, *xs):
        return xs[1] + n

    assert values(star)[0] == values(star)[1]


def test_messages_about_large_data_are_short() -> None:
    @pcbatch.autobatch(jit=False)
    def differs(n):
        ys = LIST if n > 1 else LIST[:2000]
        return ys[0]

    with pytest.raises(pcbatch.ProgramError, match=r"2,000 in all\) .*3,000 in all\)|in all") as e:
        differs(X)
    assert len(str(e.value)) < 2000


def test_arrays_that_cannot_change_are_not_looked_at() -> None:
    frozen = np.arange(10.0)
    frozen.flags.writeable = False
    assert change_detection.snapshot(frozen) == [("is", frozen)]
    view = frozen[:3]
    assert change_detection.snapshot(view)[0][0] == "array"
    one, other = np.array([0.0, np.nan]), np.array([-0.0, np.nan])
    assert change_detection.unchanged(
        change_detection.snapshot(one), change_detection.snapshot(one.copy())
    )
    assert not change_detection.unchanged(
        change_detection.snapshot(one), change_detection.snapshot(other)
    )
