"""In which order Python goes over sets: members have its order, or stop with a limit."""

import collections
import random

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics.limits import says_limit
from pcbatch.semantics.lists import python_sets, set_order
from tests.support.members import check

N = np.arange(6)


def least_size(count: int) -> int:
    """The size of the smallest table that a set of so many elements can have."""
    size = 8
    while 3 * (size - 1) <= 5 * count:
        size *= 2
    return size


MADE = {
    "of a list": lambda xs, ys: set(xs),
    "by a comprehension": lambda xs, ys: {x for x in xs},  # noqa: C416
    "copy": lambda xs, ys: set(xs).copy(),
    "union": lambda xs, ys: set(xs) | set(ys),
    "intersection": lambda xs, ys: set(xs) & set(ys),
    "update": lambda xs, ys: _changed(set(xs), "update", ys),
    "intersection_update": lambda xs, ys: _changed(set(xs), "intersection_update", ys),
    "of a set from which some were taken": lambda xs, ys: set(
        _changed(set(xs), "difference_update", ys)
    ),
}


def _changed(found: set, method: str, values: list) -> set:
    getattr(found, method)(values)
    return found


@pytest.mark.parametrize("name", MADE)
def test_small_numbers_are_gone_over_in_ascending_order(name):
    source = random.Random(1)
    for _ in range(2000):
        most = source.choice([4, 8, 20, 40])
        xs, ys = ([source.randrange(most) for _ in range(source.randrange(30))] for _ in range(2))
        found = MADE[name](xs, ys)
        if all(x < least_size(len(found)) for x in found):
            assert list(found) == sorted(found)


# --- Sets that are changed at random -------------------------------------------------------------


def changed_at_random(ops, others):
    s = set()
    given = set()
    for y in others:
        given.add(y)
    for k in range(len(ops)):
        op, x = ops[k][0], ops[k][1]
        if op < 4:
            s.add(x)
        elif op == 4:
            s.discard(x)
        elif op == 5 and s:
            s.pop()
        elif op == 6:
            s -= given
        elif op == 7:
            s &= given | {x}
        elif op == 8:
            s ^= {x, x + 1}
        elif op == 9:
            s = s - {x}
        elif op == 10:
            s = s ^ given
        elif op == 11:
            s |= given
        elif op == 12:
            s = s.copy()
        elif op == 13:
            s.update([x, 2 * x])
        elif op == 14 and x == 0:
            s.clear()
    return [x for x in s]  # noqa: C416


@pytest.mark.thorough
@pytest.mark.parametrize(("kinds", "least"), [((0, 5), -20), ((0, 15), 0)])
def test_random_changes(kinds, least):
    source = np.random.default_rng([*kinds, abs(least)])
    count, steps = 300, 12
    which = source.integers(*kinds, [count, steps])
    numbers = source.integers(least, source.choice([8, 20, 40], [count, 1]), [count, steps])
    ops = np.stack([which, numbers], 2).astype(np.int32)
    others = source.integers(0, 20, [count, 4]).astype(np.int32)
    batched = pcbatch.autobatch(changed_at_random, jit=False)
    result = batched.run(tf.constant(ops), tf.constant(others))
    known = 0
    for k in range(count):
        message = result.message(k).partition("\n")[0]
        if says_limit(message):
            continue
        assert not message
        truth = changed_at_random(ops[k].tolist(), others[k].tolist())
        assert result.value[k].numpy().tolist() == truth, (ops[k].tolist(), others[k].tolist())
        known += 1
    assert known > 50


# --- What members do with the order --------------------------------------------------------------


def rows_and_columns(n):
    m = [[(i * j + n) % 4 for j in range(4)] for i in range(3)]
    rows = set()
    cols = set()
    for i in range(3):
        for j in range(4):
            if m[i][j] == 0:
                rows.add(i)
                cols.add(j)
    for i in rows:
        m[i] = [0] * 4
    for j in cols:
        for i in range(3):
            m[i][j] = 0
    return sum(map(sum, m))


def longest_consecutive(n):
    xs = {(n * 7 + i * i * 3 + i * n) % 23 for i in range(10)}
    best = 0
    for x in xs:
        if x - 1 not in xs:
            y = x
            while y in xs:
                y += 1
            best = max(best, y - x)
    return best


def of_pairs(n):
    cells = set()
    for i in range(6):
        cells.add((i * n % 5 - 2, i * i % 7))
    code = 0
    for i, j in cells:
        code = (code * 31 + 7 * i + j) % 10007
    return code


def of_negative_and_large(n):
    xs = [k * k * 1000 - 4000 * n for k in range(n + 2)]
    return [x for x in set(xs)]  # noqa: C416


def of_whole_floats(n):
    return sum(x / 3 for x in {n * 1.0, n + 2.0, 7.0})


def first_ones(n):
    xs = {n % 3 + 1, 6, 4}
    (alone,) = {n}
    a, *more = xs
    return next(iter(xs)), alone, a, len(more), [i * x for i, x in enumerate(xs)], list(xs)


def taken_by_pop(n):
    xs = {n % 3, 5, 2, 7}
    code = 0
    while xs:
        code = 10 * code + xs.pop()
    return code


def pops_from_nothing(n):
    xs = set(range(n % 2))
    return xs.pop()


def left_by_a_sieve(n):
    left = set(range(2, n + 20))
    for p in range(2, 7):
        left -= set(range(2 * p, n + 20, p))
    total = 0
    for p in left:
        total = total * 3 + p
    return total


def grows_in_its_loop(n):
    xs = {1, 2, n}
    for x in xs:
        if x == 2:
            xs.add(n + 3)
    return len(xs)


def the_same_in_any_order(n):
    xs = {n, n + 100, 3}
    xs.discard(n)
    xs.add(n)
    pairs = xs & {n, 3} | {n + 50}
    total = sum(x * x for x in xs), sum(x for x in xs if x > 2), sum(1 for _ in pairs)
    return total, any(x > 99 for x in xs), max(x for x in xs), sorted(xs), sum(xs), len(xs)


def sums_of_some(n):
    sums = {0}
    for x in [n + 1, 3, 5]:
        for s in list(sums):
            sums.add(s + x)
    return list(sums)


def game_of_life(n):
    """The cells are counted in the order in which the set has them, and the dict keeps it."""
    cells = set()
    for cell in [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)]:
        cells.add(cell)
    sides = (-1, 0, 1)
    for _ in range(n % 5):
        counts = collections.Counter(
            (x + dx, y + dy) for x, y in cells for dx in sides for dy in sides if dx or dy
        )
        cells = {c for c, k in counts.items() if k == 3 or (k == 2 and c in cells)}
    return [10 * x + y for x, y in cells], max(cells)


def moved_constants(n):
    cells = {(1, 0), (2, 1)}
    for _ in range(n % 3):
        cells = {(x + 1, y - n) for x, y in cells}
    return [100 * x + y for x, y in cells]


@pytest.mark.parametrize("bound", [4, 1000])
def test_a_set_of_pythons_is_known_where_elements_came_in_any_order(bound):
    rng, known = np.random.default_rng(bound), 0
    for _ in range(300):
        made = {tuple(map(int, rng.integers(0, bound, 2))) for _ in range(rng.integers(0, 9))}
        if python_sets.state_of(made) == set_order.ADDED:
            known += 1
            again = set()
            for k in rng.permutation(len(made)):
                again.add(list(made)[k])
            assert list(again) == list(made)
    assert known > 60


@pytest.mark.every(12)
@pytest.mark.parametrize(
    "f",
    [
        game_of_life, moved_constants, the_same_in_any_order, sums_of_some, rows_and_columns,
        longest_consecutive, of_pairs, of_negative_and_large, of_whole_floats,
        first_ones, taken_by_pop, pops_from_nothing, left_by_a_sieve, grows_in_its_loop,
    ],
)  # fmt: skip
def test_as_python(f):
    check(f, N, jit=False)


def adds_what_was_taken(n):
    xs = {n, n + 9}
    xs.remove(n)
    xs.add(n)
    return [2 * x for x in xs]


def changes_to_as_many(n):
    xs = {1, 2, 3}
    for x in xs:
        xs.remove(x)
        xs.add(x + n + 5)
    return len(xs)


def of_halves(n):
    return [x for x in {n / 2, 0.25, 1.75}]  # noqa: C416


def adds_to_a_difference_of_constants(n):
    xs = set(range(2, 20)) - {4, 6}
    xs.add(4 + n % 2 * 2)
    return list(xs)


@pytest.mark.every(4)
@pytest.mark.parametrize(
    "f",
    [adds_what_was_taken, changes_to_as_many, of_halves, adds_to_a_difference_of_constants],
)
def test_members_whose_order_is_not_known_stop(f):
    result = pcbatch.autobatch(f, jit=False).run(N)
    messages = [result.message(k).partition("\n")[0] for k in range(6)]
    assert all(map(says_limit, messages)), messages
