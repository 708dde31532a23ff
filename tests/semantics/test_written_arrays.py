"""Arrays that are written to, put together or into others, and written by a condition."""

from __future__ import annotations

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(1, 2, 3, 5)


def put_together(n):
    v = np.array([100.0, 50.0]) * n
    total = v.sum()
    v[0] = 3.0
    return np.hstack([v, v / total, total]).tolist()


def put_into_a_slice(n):
    own = np.zeros(4)
    own[-1] = n / 2
    whole = np.zeros(6)
    whole[1:-1] = own
    own[0] = 9.0
    return whole.tolist(), own.tolist()


def put_into_a_column(n):
    own = np.zeros(3)
    own[n % 3] = n / 2
    whole = np.zeros((3, 2))
    whole[:, 1] = own
    own[0] = 9.0
    return whole.tolist()


def columns_where(n):
    m = np.arange(12.0).reshape(3, 4) * n
    total = m.sum(axis=0)
    m[:, total > 20] = 1.5
    return m.tolist()


def parts_where(n):
    m = np.arange(12).reshape(3, 4) * n
    m[1:, m[0] > 3] = -1
    m[m[:, 1] > 10, 0] = 7
    m[0, m[1] < 0] = 9
    return m.tolist()


ALIKE = (put_together, put_into_a_slice, put_into_a_column, columns_where, parts_where)


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_they_are_numpys(program):
    check(program, N)


def test_a_condition_of_another_length_is_refused():
    def program(n):
        m = np.zeros((3, 4))
        m[:, np.arange(3) < n] = 1.0
        return m

    with pytest.raises(ProgramError, match="boolean index did not match"):
        pcbatch.autobatch(program).run(N)
