"""Lists that are written to, or grow, are Python's lists for each member."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ArgumentError
from pcbatch.runtime.list_room import MOST_ELEMENTS, longer, wants_room
from pcbatch.semantics.limits import full
from tests.conformance.programs.record import floats, ints
from tests.support.members import check

N = ints(0, 1, 3, 5)


def writes(n):
    a = [0] * 6
    b = a
    a[n] = 7
    b[-1] += n
    a[1:3] = [n, n + 1]
    a[::2] = [1, 2, 3]
    a[0], a[1] = a[1], a[0]
    return a, b is a, a == [0, 1], sum(a), max(a), sorted(a)


def with_numbers_of_two_kinds(n, x):
    a = [0] * 3
    a[n % 3] = x
    return a


def grows(n):
    a = []
    for k in range(n):
        a.append(k * k)
    b = a
    a += [n, 2]
    a.insert(1, 9)
    c = a + [4]
    del c[0]
    a.remove(2)
    a.reverse()
    return a, b, c, len(a), a[-1], a[1:], a[:-1] == c, 9 in a, a.index(9), a.count(n)


def raises(n):
    a = [1, 2, 3]
    for _ in range(n):
        a.pop()
    return a


def out_of_range(n):
    a = [1, 2, 3]
    a[n] = 4
    return a[n - 4]


def missing(n):
    a = [1, 2, 3, 4]
    a.remove(n)
    return a


def of_two_lengths(n):
    if n > 2:
        return [n, n + 1]
    return []


def of_pairs(n):
    a = [(0, 0.5)]
    for k in range(n):
        a.append((k, a[-1][1] * 2))
    return a[-1], len(a)


def of_rows(n):
    rows = [[0] * 2 for _ in range(3)]
    row = rows[n % 3]
    row[0] = n
    rows[1], rows[2] = rows[2], rows[1]
    rows[0] = [5, 6]
    return rows


def of_rows_that_grow(n):
    rows = [[1]]
    for _ in range(n):
        row = [1]
        for k in range(len(rows[-1]) - 1):
            row.append(rows[-1][k] + rows[-1][k + 1])
        row.append(1)
        rows.append(row)
    return rows


def all_orders(n):
    found = []

    def go_on(order, used):
        if len(order) == 3:
            found.append(order[:])
            return 0
        for k in range(3):
            if not used[k]:
                used[k] = True
                order.append(k + n)
                go_on(order, used)
                order.pop()
                used[k] = False
        return 0

    go_on([], [False] * 3)
    return found


def in_a_dict(n):
    table = {"few": [0] * 2, "more": [1, 2]}
    table["few"][1] = n
    return table


def aliased(n):
    a = [n]
    b = a
    a += [1]
    return b


def repeated(n):
    a = [n, 1] * n
    for k in range(len(a)):
        a[k] += k
    return a


def through_a_loop(n):
    rows = [[1, 2], [3, 4]]
    for row in rows:
        row[0] = n
        row[1] += row[0]
    return rows


PROGRAMS = [
    writes, grows, raises, out_of_range, missing, of_two_lengths, of_rows, of_rows_that_grow,
    all_orders, in_a_dict, aliased, repeated, through_a_loop,
]  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_equals_plain_python(function):
    check(function, N)


@pytest.mark.every(4)
@pytest.mark.parametrize("function", [grows, of_rows_that_grow, raises], ids=lambda f: f.__name__)
@pytest.mark.parametrize("how", [{"strategy": "loop"}, {"strategy": "pc", "jit": False}], ids=str)
def test_under_other_strategies(function, how):
    check(function, N, **how)


def test_under_xla():
    check(of_rows_that_grow, N, strategy="pc")


def test_literal_integers_become_the_floats_that_are_stored():
    check(with_numbers_of_two_kinds, N, floats(0.5, 1, 2, 3))


def test_lists_of_tuples():
    (number, half), length = pcbatch.autobatch(of_pairs).run(N, strategy="local").value
    np.testing.assert_array_equal(number, [0, 0, 2, 4])
    np.testing.assert_array_equal(half, [0.5, 1, 4, 16])
    np.testing.assert_array_equal(length, N + 1)


def many(n):
    a = []
    for k in range(n):
        a.append(k)
    return a[-1], len(a)


@pytest.mark.every(4)
@pytest.mark.parametrize("strategy", ["pc", "local", "loop"])
def test_a_list_grows_beyond_its_first_room(strategy):
    function = pcbatch.autobatch(many)
    result = function.run(ints(3, 70, 200), strategy=strategy, jit=False, throw=True)
    np.testing.assert_array_equal(result.value[1], [3, 70, 200])
    np.testing.assert_array_equal(result.value[0], [2, 69, 199])


def test_the_room_of_lists_grows_fourfold_and_that_of_long_ones_twofold():
    assert [longer(64, 8), longer(64, 100_000), longer(1 << 18, 5)] == [256, 128, 1 << 19]
    assert longer(MOST_ELEMENTS // 2, 1) == longer(MOST_ELEMENTS, 1) == MOST_ELEMENTS


def test_what_has_a_size_of_its_own_does_not_grow():
    """Its member stops, and the run does not begin again with ever more room for other lists."""
    assert wants_room(full("list", 64), 64)
    assert wants_room(full("text", 32), 64) and wants_room(full("text", 31), 63)
    assert not wants_room(full("list", 3), 64)
    assert not wants_room("ValueError: 64", 64)


def test_inside_a_function_a_member_without_room_stops_and_says_so():
    @tf.function
    def outer(n):
        return pcbatch.autobatch(many).run(n).status

    status = outer(ints(3, 70))
    assert status[0] == 0 and status[1] != 0
    roomy = pcbatch.autobatch(many, list_capacity=80)
    np.testing.assert_array_equal(tf.function(roomy)(ints(3, 70))[1], [3, 70])


def test_the_capacity_is_a_number():
    with pytest.raises(ArgumentError, match="list_capacity"):
        pcbatch.autobatch(many, list_capacity=0)


def test_the_callers_arrays_stay_as_they_are():
    def first(xs):
        xs[0] = xs[1] * 2
        return xs

    given = [ints(1, 2), ints(3, 4)]
    result = pcbatch.autobatch(first).run(given, strategy="local").value
    np.testing.assert_array_equal(result[0], [6, 8])
    np.testing.assert_array_equal(given[0], [1, 2])


def test_lists_that_are_only_read_are_structures():
    def read(n):
        a = [n, n + 1]
        return [*a, a[0] * 2]

    lowered = pcbatch.autobatch(read).lower(N)
    assert "buffer" not in lowered.as_text("typed")
    assert [x.tolist() for x in map(np.asarray, pcbatch.autobatch(read)(N))][2] == [0, 2, 6, 10]


def test_a_row_and_a_list_are_not_confused():
    def kept(n):
        rows, row = [], [0, 0]
        rows.append(row)
        row[0] = n
        return rows

    check(kept, N)


def served(times, service):
    """A list of pairs that is empty where its first element is read, on the way of analysis."""
    waiting, gone, busy_until = [], 0, 0
    for k, time in enumerate(times):
        if busy_until > time:
            if waiting and waiting[0][0] < time - 3:
                came, who = waiting.pop(0)
                gone += (time - came) * who
            waiting.append((time, k))
        else:
            busy_until = time + service
        for came, who in waiting:
            gone += came - who
    return gone, len(waiting)


def always_empty(n):
    """Nothing is ever put into the list."""
    xs = []
    if n > 3:
        return xs[0] + xs.pop()
    return len(xs)


def test_elements_of_a_list_that_is_empty_so_far():
    times, service = np.array([[0, 1, 2, 9, 9, 12], [0, 5, 5, 6, 7, 30]]), np.array([3, 50])
    value = pcbatch.autobatch(served).run(times, service, strategy="local", jit=False).value
    mine = list(zip(*(np.asarray(part).tolist() for part in value), strict=True))
    assert mine == [served(t.tolist(), int(s)) for t, s in zip(times, service, strict=True)]


def test_a_list_into_which_nothing_is_put_has_no_elements():
    result = pcbatch.autobatch(always_empty).run(np.array([1, 4]), strategy="local", jit=False)
    assert np.asarray(result.value)[0] == 0
    assert result.message(1).startswith("IndexError: list index out of range")
