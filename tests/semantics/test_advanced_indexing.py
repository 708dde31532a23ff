"""Lists and arrays of integers in an index choose what NumPy chooses, and are checked."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics.indexing import indexed
from tests.support.members import shared
from tests.support.tolerances import EXACT, assert_close

ARRAY = np.arange(72.0).reshape(2, 3, 4, 3)
FIRST: tuple[Any, ...] = (
    0, -1, slice(1, None), [1, 0], np.array([0, 1, 1]), [[0], [1]], None, ..., [True, False],
    tf.constant([1, 0]), tf.constant(1),
)  # fmt: skip
SECOND: tuple[Any, ...] = (
    1, slice(None), [2, 0], np.array([[0, 1, 2]]), None, ..., tf.constant([0, 2]),
    tf.constant(2, tf.uint8),
)  # fmt: skip
THIRD: tuple[Any, ...] = (3, slice(None, None, -1), [3, 1], ..., tf.constant([[1], [3]]))
VALUES = {"tensor": tf.constant(ARRAY), "constant": ARRAY}


def as_numpy(part: Any) -> Any:
    return part.numpy() if tf.is_tensor(part) else part


@pytest.mark.every(3)
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("name", VALUES)
def test_every_mixture_is_numpys(name: str, count: int) -> None:
    compared = 0
    for parts in itertools.product(*(FIRST, SECOND, THIRD)[:count]):
        try:
            wanted = ARRAY[tuple(map(as_numpy, parts))]
        except IndexError:  # NumPy takes no two ellipses, and no arrays that cannot be broadcast.
            continue
        found = np.asarray(indexed(VALUES[name])[parts])
        assert found.shape == wanted.shape, parts
        np.testing.assert_array_equal(found, wanted, err_msg=str(parts))
        compared += 1
    assert compared > 5 * count * count


ROWS = np.arange(12.0).reshape(2, 6)
PLACES = np.array([4, -2])


def of_a_list(a: Any, n: Any) -> Any:
    return a[[n, 0, n + 1]]


def of_pairs(a: Any, n: Any) -> Any:
    return a.reshape(2, 3)[[0, 1, 0], [n % 3, 2, 0]]


def with_an_integer_beside(a: Any, n: Any) -> Any:
    return a.reshape(1, 2, 3)[0, :, [1, 0]] * n


def of_rows(a: Any, n: Any) -> Any:
    return a.reshape(2, 3)[[1, 0]] * n


@pytest.mark.parametrize("program", [of_a_list, of_pairs, with_an_integer_beside, of_rows])
@pytest.mark.parametrize("strategy", ["pc", "local", "hybrid", "loop"])
def test_of_members(program: Any, strategy: str) -> None:
    wanted = [program(a, int(n)) for a, n in zip(ROWS, PLACES, strict=True)]
    found = shared(program).run(ROWS, PLACES, strategy=strategy, jit=False, throw=True)
    assert_close(found.value, wanted, EXACT)


def test_compiled_and_differentiated() -> None:
    def program(a: Any, n: Any) -> Any:
        return tf.reduce_sum(of_pairs(a, n) ** 2) + of_a_list(a, n)[1]

    slope = pcbatch.grad(program).run(ROWS, PLACES, throw=True).value
    wanted = np.zeros((2, 6))
    for member, n in enumerate(PLACES):
        for place in (n % 3, 5, 0):
            wanted[member, place] += 2 * ROWS[member, place]
        wanted[member, 0] += 1
    assert_close(slope, wanted)


@pytest.mark.parametrize("strategy", ["pc", "local", "loop"])
def test_out_of_range(strategy: str) -> None:
    def program(a: Any, n: Any) -> Any:
        return a[[n, 0]]

    result = pcbatch.autobatch(program).run(ROWS, np.array([5, 6]), strategy=strategy, jit=False)
    assert np.asarray(result.status).astype(bool).tolist() == [False, True]
    assert "IndexError: index {[n, 0]} is out of bounds for axis 0 with size 6" in result.message(1)


# --- In plain functions ------------------------------------------------------------------------


def after(array: Any, k: Any) -> Any:
    return array[k + 1]


def chosen(array: Any, k: Any) -> Any:
    return array[0] + [1.0, 2.0, 3.0][k]


def from_there(array: Any, k: Any) -> Any:
    return array[k:].sum()


def from_a_table(array: Any, k: Any) -> Any:
    return array[1] * {-1: 2.0, 0: 3.0, 5: 1.0}[k]


def doubled(array: Any, k: Any) -> Any:
    copy = array.copy()
    copy[k] = 2.0 * copy[k]
    return copy.sum()


def counted(array: Any, k: Any) -> Any:
    found = [0.0] * 3
    found[k] += array[k]
    return found[k]


HELPERS = (after, chosen, from_there, from_a_table, doubled, counted)


@pytest.mark.every(5)
@pytest.mark.parametrize("helper", HELPERS)
@pytest.mark.parametrize("strategy", ["pc", "local", "hybrid", "loop"])
def test_a_plain_function_looks_up_as_python_does(helper: Any, strategy: str) -> None:
    def program(array: Any, k: Any) -> Any:
        return 0.5 * helper(array, k)

    rows, places = np.repeat(ROWS[:1], 6, axis=0), np.array([-1, 0, 2, 5, 6, -7])
    result = pcbatch.autobatch(program).run(rows, places, strategy=strategy, jit=False)
    for i, k in enumerate(places):
        try:
            wanted = program(rows[i], int(k))
        except (IndexError, KeyError) as error:
            assert result.status[i] > 0, (i, k)
            assert result.message(i).startswith(type(error).__name__)
        else:
            assert_close(result.value[i], wanted, EXACT)


def test_compiled_it_stops_what_is_out_of_range() -> None:
    def program(array: Any, n: Any) -> Any:
        total = 0.0
        for k in range(n):
            total = total * 0.5 + after(array, k)
        return total

    result = pcbatch.autobatch(program).run(ROWS, np.array([5, 6]))
    assert np.asarray(result.status).astype(bool).tolist() == [False, True]
    assert "IndexError: index {k + 1} is out of bounds" in result.message(1)
