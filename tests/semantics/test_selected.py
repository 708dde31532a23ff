"""What a condition of the member chooses of an array, and what is assigned there: NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ProgramError
from tests.support.members import of_member
from tests.support.tolerances import Tolerance, assert_close

NAN = float("nan")
V = np.array(
    [
        [1.5, -2.0, 3.0, 0.5],
        [0.25, 9.0, -1.0, 2.0],
        [0.0, 1.0, 1.0, NAN],
        [-1.0, -1.0, -2.0, -3.0],
    ]
)
N = np.array([3, 1, 2, 0])


def reductions(v, n):
    w = v[v > n]
    return w.sum(), len(w), w.size, v[v > 0].max(), np.any(v[v > 0] > 2), np.count_nonzero(w > 2)


def loops(v, n):
    total = 0.0
    for x in v[v > 0]:
        total = total * 10 + x
    for i in np.where(v > 0)[0]:
        total = total * 2 + i
    return total


def chosen_twice(v, n):
    w = v[v > -2]
    return w[w < 2].sum(), (w * 2).sum(), list(w), sorted(v[v > 0])


def places(v, n):
    places = np.flatnonzero(v > 0)
    (nonzero,) = np.nonzero(v)
    m = np.outer(v, v)
    i, j = (m > 2).nonzero()
    return (
        len(places),
        v[places].sum(),
        nonzero.sum(),
        i.sum() * 10 + j.sum(),
        np.argwhere(m > 2).sum(),
    )


def of_matrices(v, n):
    m = v.reshape(2, 2)
    return m[m > 0].sum(), m[m[:, 0] > 0].sum(), m[m[:, 0] > 0, 1].sum()


def an_element(v, n):
    return v[v > 0][n]


def each_once(v, n):
    u, k = np.unique(v), np.array([n, 1, n, 3])
    return len(u), u[0], u[-1], np.unique(k).sum(), len(np.unique(v[:n]))


def assigned_where(v, n):
    v[v > 0] *= 2
    v[v < 0] = v[v < 0] * n
    v[np.flatnonzero(v > 3)] = 9
    m = np.outer(v, v)
    m[m > 1] -= 1
    m[v > 0] = v * 1
    m[v < 0, 1] = 3
    return v, m


def assigned_a_row_of_values(v, n):
    v[v > 0] = [1.0, 2.0]
    return v


def assigned_at_integers(v, n):
    v[[1, 0]] = [n, 2 * n]
    at = np.array([n, 0, n])
    v[at] = [5.0, 6.0, 7.0]
    v[at] += 1
    m = np.outer(v, v)
    m[[0, 1, 0], [n, 2, n]] = [1, 2, 3]
    m[[1, 2]] = 0.5
    m[:, [n, 1]] += 1
    return v, m


def out_of_range(v, n):
    v[[n, n + 1]] = 1
    return v


def slices(v, n):
    v[1:3] += n
    v[:n] *= 2
    v[n:] -= 1
    v[1:n] = v[0]
    v[n : n - 3 : -1] = 3
    v[:2] = v[1:3]
    v[:n] = v[1 : n + 1] * 1
    m = np.outer(v, v)
    m[:, 1] += 1
    m[:n] += 1
    m[n:, 1] = 0
    m[1:n] = v * 1
    m[0] = m[1]
    return v, m


def a_slice_of_another_length(v, n):
    v[:n] = [1.0, 2.0]
    return v


def a_slice_of_a_list(v, n):
    xs = [1, 2, 3]
    ys = xs
    xs[1:] += [n, n]
    return len(ys), ys[-1], xs[0]


def beside_lists(v, n):
    """An array and a list in which there are numbers of the member."""
    row = np.array([3.0, 1, 4, 1])
    w = v - [1.0, n, 2, 3] - (n, n, 1, 0)
    w *= [n, 1, 1, 2]
    return w, [n, 1, 2, 3] - row, np.outer(v, v) * [n, 1, 2, 3], v @ [n, 1, 1, 2.0], row < [n] * 4


def in_a_loop(v, n):
    for k in range(n):
        v[k % 4 :] *= 0.5
        steep = np.flatnonzero(v[:-1] > v[1:])
        if len(steep) == 0:
            break
        v[[steep[0], steep[0] + 1]] += [-k / 4, k / 4]
    return v


PROGRAMS = (
    reductions, loops, chosen_twice, places, of_matrices, an_element, each_once, assigned_where,
    assigned_a_row_of_values, assigned_at_integers, out_of_range, slices,
    a_slice_of_another_length, a_slice_of_a_list, beside_lists, in_a_loop,
)  # fmt: skip


def check(function: Any, **how: Any) -> None:
    """Each member has NumPy's values, or its exception."""
    result = pcbatch.autobatch(function).run(V, N, **how)
    for k, status in enumerate(result.status.numpy()):
        try:
            expected = function(V[k].copy(), int(N[k]))
        except (IndexError, ValueError) as error:
            assert result.faults[int(status)].message.startswith(type(error).__name__), k
            continue
        assert status == 0, (k, result.faults[int(status)])
        mine = of_member(result.value, k)
        listed = tf.nest.map_structure(lambda x: np.asarray(x).tolist(), expected)
        for own, theirs in zip(tf.nest.flatten(mine), tf.nest.flatten(listed), strict=True):
            assert_close(np.asarray(own), theirs, Tolerance(1e-14))


@pytest.mark.every(6)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's own, on NaN and empty arrays
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_the_values_are_numpys(function) -> None:
    check(function, strategy="local", jit=False)


@pytest.mark.every(4)
@pytest.mark.parametrize("function", [places, assigned_where, assigned_at_integers, slices])
def test_the_values_are_numpys_under_xla(function) -> None:
    check(function)


def test_its_gradient_is_that_of_what_is_chosen() -> None:
    def f(v):
        w = v.copy()
        w[w < 0] *= 3.0
        return (v[v > 0] ** 2).sum() + w.sum()

    x = V[:2]
    value = pcbatch.grad(f).run(x, jit=False, throw=True).value
    np.testing.assert_array_equal(value, np.where(x > 0, 2 * x + 1, 3.0))


def behind_another(v, n):
    m = np.outer(v, v)
    m[:, :n] = 1
    return m


def beside_an_array(v, n):
    m = np.outer(v, v)
    return m[v > 0, np.array([0, 1])].sum()


def test_what_is_chosen_beside_an_array_is_refused() -> None:
    with pytest.raises(ProgramError, match="an index of several arrays"):
        pcbatch.autobatch(beside_an_array).run(V, N, jit=False)


def test_a_slice_may_stand_behind_other_parts_of_an_index() -> None:
    value = pcbatch.autobatch(behind_another).run(V, N, strategy="local", jit=False).value
    for k, found in enumerate(value):
        np.testing.assert_array_equal(found, behind_another(V[k].copy(), int(N[k])))


# --- What else has what changes ------------------------------------------------------------------


def a_list_of_two_names(n):
    log = [1]
    d = {"xs": log}
    d["xs"] += [n]
    for i in range(n):
        d["xs"] += [i]
    return len(log) + 10 * len(d["xs"])


def arrays_in_containers(n):
    d, xs = {"x": np.zeros(3)}, [np.zeros(3), np.ones(3)]
    for i in range(2):
        d["x"] += n
        xs[i] += n
    xs[0] += 1
    many = []
    for i in range(n):
        many.append(np.zeros(2))
        many[-1] += n
        many[i] += i
    return d["x"].sum() + 10 * xs[0].sum() + 100 * xs[1].sum() + 1000 * sum(x.sum() for x in many)


@pytest.mark.parametrize("function", [a_list_of_two_names, arrays_in_containers])
def test_an_operator_changes_what_a_container_has(function) -> None:
    value = pcbatch.autobatch(function).run(N, strategy="local", jit=False, throw=True).value
    np.testing.assert_array_equal(value, [function(int(n)) for n in N])


def another_name_of_an_array(n):
    v = np.zeros(3)
    d = {"x": v}
    d["x"] += n
    return v.sum()


def another_name_of_an_array_in_a_list(n):
    v = np.zeros(3)
    xs = [v, np.ones(3)]
    xs[0] += n
    return v.sum()


def twice_in_a_list(n):
    v = np.zeros(3)
    xs = [v, v]
    xs[0] += n
    return xs[1].sum()


def many_times_in_a_list(n):
    xs = [np.zeros(3)] * 3
    xs[0] += n
    return xs[1].sum()


def put_into_a_list_twice(n):
    v, xs = np.zeros(3), []
    xs.append(v)
    xs.append(v)
    xs[0] += n
    return xs[1].sum()


@pytest.mark.parametrize(
    "function",
    [
        another_name_of_an_array, another_name_of_an_array_in_a_list, twice_in_a_list,
        many_times_in_a_list, put_into_a_list_twice,
    ],
)  # fmt: skip
def test_an_array_with_two_names_is_refused(function) -> None:
    with pytest.raises(ProgramError, match=r"changed in place, and|may be there twice"):
        pcbatch.autobatch(function).run(N, strategy="local", jit=False)


def test_an_array_may_be_in_a_list_twice_that_gets_others() -> None:
    def f(n):
        path = [np.zeros(2)] * 3
        for i in range(3):
            path[i] = np.full(2, 1.0) * n + i
        return path[0].sum() + path[2].sum()

    value = pcbatch.autobatch(f).run(N, strategy="local", jit=False, throw=True).value
    np.testing.assert_array_equal(value, [f(int(n)) for n in N])


def test_a_part_keeps_the_dtype_of_its_array() -> None:
    def f(n):
        m = np.zeros((2, 3), int)
        m[0] += n / 2
        return m

    with pytest.raises(ProgramError, match="puts float64 into an array of int64"):
        pcbatch.autobatch(f).run(N, strategy="local", jit=False)
