"""What Python raises for constants stops the members that get there, and refuses no program."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pcbatch

WAYS = [{}, {"jit": False}, {"strategy": "local"}, {"strategy": "loop"}]
PAIR, TABLE = (1.0, 2.0), {"a": 1.0}


@pcbatch.autobatch
def leaf(node, left, bases):
    if left[node] < 0:
        return bases[node]
    return leaf(left[node], left, bases)


@pcbatch.autobatch
def from_four(left, bases):
    return leaf(4, left, bases)


def pick(values, k):
    return values[k]


def checked(x, k):
    if k > 3:
        raise ValueError(f"{k} is too large")
    return x


@pcbatch.autobatch
def unlucky(kind, x, row):
    """Each kind fails in its own way, from kind 1 on."""
    k, zero, text = 7, 0, "x"
    if kind == 1:
        x += PAIR[3]
    elif kind == 2:
        x += TABLE["b"]
    elif kind == 3:
        x += 10 // zero
    elif kind == 4:
        x += math.sqrt(zero - 1)
    elif kind == 5:
        x += int(text)
    elif kind == 6:
        x += row[..., 3]
    elif kind == 7:
        x += row[-4]
    elif kind == 8:
        x += pick(row, k)
    elif kind == 9:
        x = checked(x, k)
    elif kind == 10:
        x += (x, row)[2][0]
    elif kind == 11:
        for _ in range(0, 4, zero):
            x += 1.0
    for k in range(5):  # unrolled, as the elements have two types
        if kind < 12 and k < 2:
            x += (0.0, row)[k] if k == 0 else row[k]
    return x


SAID = (
    "IndexError: tuple index out of range",
    "KeyError: 'b'",
    "ZeroDivisionError: integer division or modulo by zero",
    "ValueError: math domain error",
    "ValueError: invalid literal for int() with base 10: 'x'",
    "IndexError: index 3 is out of bounds for axis 0 with size 3",
    "IndexError: index -4 is out of bounds for axis 0 with size 3",
    "IndexError: index 7 is out of bounds for axis 0 with size 3",
    "ValueError: 7 is too large",
    "IndexError: tuple index out of range",
    "ValueError: range() arg 3 must not be zero",
)


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_a_literal_argument_is_no_index_of_a_branch_that_is_not_taken(how) -> None:
    left = np.array([[-1, -1, 0, 1, 2]] * 2)
    bases = np.array([[7, 8], [9, 10]])
    np.testing.assert_array_equal(from_four.run(left, bases, **how).value, [7, 9])


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_members_that_get_there_stop_with_pythons_message(how) -> None:
    kinds = np.arange(13)
    result = unlucky.run(kinds, np.ones(13), np.ones((13, 3)), **how)
    assert (result.status.numpy() != 0).tolist() == [k in range(1, 12) for k in kinds]
    for k, said in enumerate(SAID, 1):
        assert said in result.message(k)
        assert "tests/semantics/test_static_faults.py" in result.message(k)
    np.testing.assert_array_equal(result.value.numpy()[[0, 12]], [2.0, 1.0])


@pytest.mark.parametrize("kind", [0, 12])
def test_the_members_that_do_not_are_as_in_python(kind) -> None:
    assert unlucky.single(kind, 1.0, np.ones(3)) == {0: 2.0, 12: 1.0}[kind]


def test_what_fails_for_all_members_is_refused_at_once() -> None:
    @pcbatch.autobatch
    def always(x):
        return x + PAIR[2]

    with pytest.raises(pcbatch.ProgramError, match="tuple index out of range"):
        always(np.ones(2))


def test_a_type_that_does_not_fit_is_refused_wherever_it_stands() -> None:
    @pcbatch.autobatch
    def mistaken(x, row):
        return row + np.ones(7) if x > 1 else row

    with pytest.raises(pcbatch.ProgramError):
        mistaken(np.ones(2), np.ones((2, 3)))
