"""Arrays that are made with a shape of the member, and assignments to their elements."""

from __future__ import annotations

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 6, 7)


def table_of_costs(n):
    costs = np.zeros((n + 1, n + 2), dtype=int)
    costs[:, 0] = -2 * np.arange(n + 1)
    costs[0, :] = -2 * np.arange(n + 2)
    for i in range(1, n + 1):
        for j in range(1, n + 2):
            s = 1 if (i * j) % 3 == 1 else -1
            costs[i, j] = max(costs[i - 1, j - 1] + s, costs[i - 1, j] - 2, costs[i, j - 1] - 2)
    return int(costs[n, n + 1]), int(costs.sum()), int(costs.max()), int(costs.min(axis=0)[n])


def element_of_a_row(n):
    counts, fixed = np.zeros((n + 1, n + 2), dtype=int), np.zeros((3, 3))
    for i in range(n + 1):
        for j in range(n + 2):
            counts[i][j] = i * j
        counts[i][0] += 7
        fixed[i % 3][1] += counts[i][-1]
    return int(counts[n][n]), int(counts[:, 0].sum()), float(fixed[1][1])


def sieve(n):
    prime = np.ones(n + 2, dtype=bool)
    prime[:2] = False
    for p in range(2, int((n + 2) ** 0.5) + 1):
        if prime[p]:
            prime[p * p :: p] = False
    return [int(v) for v in np.nonzero(prime)[0]], int(prime.sum()), bool(prime.any())


def steps_of_a_lattice(n):
    j = np.arange(n + 1)
    s = 100.0 * 1.5 ** (n - 2.0 * j)
    v = np.maximum(100.0 - s, 0.0)
    for _ in range(n, 0, -1):
        s = s[:-1] * 0.5
        v = 0.5 * (0.5 * v[:-1] + 0.25 * v[1:])
        v = np.where(100 - s > v, 100 - s, v)
    return float(v[0]), len(v)


def heat(n):
    u = np.zeros(n + 3)
    u[0] = 1.0
    for _ in range(5):
        new = u.copy()
        new[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = new
    return float(u.sum()), [float(v) for v in u]


def links(n):
    m = n + 2
    p = np.zeros((m, m))
    for i in range(m):
        for j in range(m):
            if (i * 7 + j * 3) % 4 == 1:
                p[j, i] = 1.0 + i
    col = p.sum(axis=0)
    p[:, col == 0] = 1.0
    p[p > 4] -= 0.5
    return float(p.sum()), float(col.sum()), int((col == 0).sum()), int((p > 1).sum())


def matrices(n):
    m = n + 2
    a = 2 * np.eye(m) - np.eye(m, k=1) - np.eye(m, k=-1)
    b = np.linspace(0.0, 1.0, m)
    x = np.linalg.solve(a, b)
    off = a @ x - b
    return (
        bool(np.abs(off).max() < 1e-9), round(float(np.linalg.det(a)), 6), float(np.trace(a @ a)),
        round(float((np.linalg.inv(a) @ a)[0, 0]), 9), float((a.T @ a).max()),
        float(np.diag(np.arange(m))[-1, -1]), float(np.outer(b, b).max()), a.shape[0],
    )  # fmt: skip


def other_shapes(n):
    a = np.arange((n + 1) * (n + 2)).reshape(n + 1, -1)
    a[a % 2 == 0] = 0
    b = a[a > 3]
    rows = np.ones((n + 1, 3))
    rows[0] = [4, 5, 6]
    rows[:, 1:] *= 2
    return (
        int(a.argmax()), [int(v) for v in a.ravel()], [int(v) for v in a.max(axis=1)], len(b),
        int(np.cumsum(a, axis=1)[n, n]), rows.shape[1], float(rows.mean()), float(rows[-1, 0]),
    )  # fmt: skip


def put_together(n):
    a = np.concatenate([np.arange(n), np.ones(2)])
    b = np.append(a, 5.0)
    return float(b.sum()), len(b), int(np.argsort(-b)[0]), float(np.full_like(b, 2).sum())


def gone_over(n):
    x, out = np.arange(n + 1), 0
    for i, v in enumerate(x):
        out += i * v
    for a, b in zip(x, x[1:], strict=False):  # noqa: RUF007
        out += a * b
    return int(out), [int(v) for v in np.arange(n, 0, -1)], int(max(x)), bool(2 in x)


def with_steps(n):
    x = np.arange(0, 1, 1 / (n + 1))
    y = np.linspace(0, 1, n + 1, endpoint=False)
    return len(x), float(x[-1]), float(y[-1]), len(np.arange(n, -1, step=-2)), len(np.arange(5, n))


def best_of(n, room):
    if n == 0:
        return np.zeros(room + 1)
    best = best_of(n - 1, room)
    weight, worth = n * 3 % 5 + 1, n * 7 % 11 + 0.5
    new = best.copy()
    for r in range(weight, room + 1):
        new[r] = max(best[r], best[r - weight] + worth)
    return new


def copies(n):
    v = best_of(n, n + 2)
    a, b, c = np.array(v), v.astype(float), v.flatten()
    a[0] += 1
    b[0] += 2
    c[0] += 3
    return float(v[-1]), float(a[0]), float(b[0]), float(c[0]), float(v[0])


def in_recursion(n):
    if n < 2:
        return float(np.ones(n + 1).sum())
    x = np.ones(n)
    x[n // 2] = 3.0
    return float(x @ x) + in_recursion(n - 1)


class Series:
    def __init__(self, n):
        self.values = np.zeros(n + 1)

    def put(self, i, v):
        self.values[i] = v


def attribute(n):
    s = Series(n)
    for i in range(n):
        s.put(i, i * 2.0)
    return float(s.values.sum()), float(s.values[-1])


def rows_of_an_array(n):
    m = np.zeros((2, 3)) + n
    v = m[:, : n % 3 + 1]
    w = np.arange(8.0)[:: n + 1]
    u = np.zeros((n + 1, 4)) + np.arange(4)
    end = None if n % 2 else n % 3
    return (
        float(v.sum()), v.shape[1], float(m[n % 2, n % 2 :].sum()), len(w), float(w[-1]),
        float(u[:, :: n % 3 + 1].sum()), float(u[::-1, :end].sum()),
        float(u[: n % 2 + 1, -1].sum()),
    )  # fmt: skip


def written_behind_another_axis(n):
    m, w = np.zeros((3, 8)), np.arange(8.0)
    m[:, :n] = 1
    m[1:, n:] = 5
    m[0, : n % 4] = np.arange(n % 4)
    m[n % 3, w > n] -= 2
    m[:, 1:n] += w[1:n]
    return float(m.sum()), float(m[:, n % 8].max()), float(m.min(axis=1)[1])


def equal_to(n):
    v = np.arange(10.0)[: n + 1]
    return int((v == 0).sum()), bool((v != 1).all()), float((n - 2.0 * v).sum())


def too_large(n):
    return float(np.zeros(n - 3).sum()), float(np.ones(n)[3])


def too_few_points(n):
    return float(np.linspace(0.0, 1.0, n - 1).sum())


def no_such_places(n):
    v, a = np.arange(5.0), np.zeros(4)
    a[np.arange(n) % 5] = 1.0
    return float(v[np.flatnonzero(v > n) + 3 - n].sum()), float(a.sum())


def not_as_many(n):
    a = np.zeros(4)
    a[n // 2 :] = np.arange(4 - n % 3)
    return float(a.sum())


def in_two_dimensions(n):
    x = np.ones((n + 1, 3))
    return float(x[0, n - 2]) + float(x[n % 5, 0])


def of_two_lengths(n):
    x, y = np.ones((n + 1, 2)), np.ones(n + 2 - n // 6)
    return float((x[:, 0] + y).sum())


PROGRAMS = (
    table_of_costs, element_of_a_row, sieve, steps_of_a_lattice, heat, links, matrices,
    other_shapes, put_together, gone_over, with_steps, in_recursion, copies, attribute,
    rows_of_an_array, written_behind_another_axis, equal_to, too_large, too_few_points,
    no_such_places, not_as_many, in_two_dimensions, of_two_lengths,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_is_what_numpy_gives(program):
    check(program, N)


@pytest.mark.every(5)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_compiled(program):
    check(program, N, jit=True)


def test_a_result_is_ragged():
    f = pcbatch.autobatch(lambda n: (np.zeros(n), np.eye(n + 1)))
    zeros, eyes = f.run(N[:3], jit=False, throw=True).value
    assert zeros.to_list() == [[], [0.0], [0.0, 0.0]]
    assert eyes.to_list() == [np.eye(n + 1).tolist() for n in range(3)]


def test_a_long_array_has_the_run_begin_again():
    f = pcbatch.autobatch(lambda n: np.arange(n).sum())
    value = f.run(np.array([3, 400]), jit=False, throw=True).value
    assert np.asarray(value).tolist() == [3, 79800]


def second_name(n):
    x = np.zeros(n + 1)
    y = x
    x += 1
    return float(y.sum())


def part_of_another(n):
    x = np.arange(n + 1.0)
    y = x[1:]
    x += 1
    return float(y.sum())


def of_a_parameter(n):
    s = Series(n)
    values = s.values
    s.put(0, 5.0)
    return float(values.sum())


def in_a_dict(n):
    x = np.arange(4.0) * n
    d = {"x": x}
    x += 1
    return float(d["x"].sum())


class Node:
    def __init__(self, x, near):
        self.x, self.near = x, near


def in_an_object_on_the_heap(n):
    x = np.arange(4.0) * n
    a = Node(x, None)
    a.near = Node(x + 1, a)
    x += 1
    return float(a.near.near.x.sum())


def in_dicts_of_a_list(n):
    x = np.arange(4.0) * n
    rows = []
    for k in range(n + 1):
        rows.append({"x": x, "k": k})
    x += 1
    return float(rows[0]["x"].sum())


@pytest.mark.parametrize(
    "program",
    [
        second_name, part_of_another, of_a_parameter, in_a_dict, in_an_object_on_the_heap,
        in_dicts_of_a_list,
    ],
    ids=lambda p: p.__name__,
)  # fmt: skip
def test_a_change_that_another_name_would_see_is_refused(program):
    with pytest.raises(ProgramError, match=r"may be the same array|is read afterwards"):
        pcbatch.autobatch(program).run(N, jit=False)


def of_a_condition(n):
    a = np.zeros((3, 4))
    a[n > 2][1] = 5.0
    return float(a.sum())


def of_several_rows(n):
    a = np.zeros((3, 4))
    a[np.array([0, 1])][n % 2] = 5.0
    return float(a.sum())


@pytest.mark.parametrize("program", [of_a_condition, of_several_rows], ids=lambda p: p.__name__)
def test_an_element_of_a_copy_is_not_assigned(program):
    with pytest.raises(ProgramError, match="and the part is no row"):
        pcbatch.autobatch(program).run(N, jit=False)
