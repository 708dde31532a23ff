"""Lists and dicts some of whose elements are None, as memo tables are: `[None] * n`."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check, shared

N = ints(0, 1, 2, 3, 5, 8, 11)

# --- Tables ---------------------------------------------------------------------------------------


def memo_of_a_recursion(n):
    memo = [None] * (n + 1)

    def fib(k):
        if k < 2:
            return k
        if memo[k] is not None:
            return memo[k]
        memo[k] = fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(n)


def memo_of_two_numbers(n):
    memo = [[None] * 6 for _ in range(6)]

    def paths(i, j):
        if i == 0 or j == 0:
            return 1
        if memo[i][j] is None:
            memo[i][j] = paths(i - 1, j) + paths(i, j - 1)
        return memo[i][j]

    return paths(n % 5 + 1, n % 4 + 1)


def fewest_coins(n):
    best = [None] * (n + 1)
    best[0] = 0
    for a in range(1, n + 1):
        for coin in (3, 4):
            if coin <= a and best[a - coin] is not None:
                one_more = best[a - coin] + 1
                if best[a] is None or one_more < best[a]:
                    best[a] = one_more
    return best[n]


def open_addressing(n):
    slots = [None] * 7
    for i in range(n):
        key = (i * i + 3) % 50
        at = key % 7
        tries = 0
        while slots[at] is not None and slots[at] != key and tries < 7:
            at = (at + 1) % 7
            tries += 1
        if tries < 7:
            slots[at] = key
    return [0 if x is None else x for x in slots]


def parents(n):
    parent, seen = [None] * (n + 4), [False] * (n + 4)
    queue = deque([0])
    seen[0] = True
    while queue:
        u = queue.popleft()
        for v in ((2 * u + 1) % (n + 4), (u + 3) % (n + 4)):
            if not seen[v]:
                seen[v] = True
                parent[v] = u
                queue.append(v)
    x, depth = n + 3, 0
    while parent[x] is not None:
        x = parent[x]
        depth += 1
    return depth


def levels_of_a_queue(n):
    queue = deque([None])
    for i in range(n):
        queue.append(i)
        if i % 3 == 0:
            queue.append(None)
    level = total = 0
    while queue:
        x = queue.popleft()
        if x is None:
            level += 1
            continue
        total += x * level
    return total, level


def the_best_pair_of_each_kind(n):
    best = [None] * 4
    for i in range(n):
        k = i % 4
        if best[k] is None or best[k][0] < i * 7 % 5:
            best[k] = (i * 7 % 5, i)
    total = 0
    for pair in best:
        if pair is not None:
            value, i = pair
            total += value * 10 + i
    return total


class Place(NamedTuple):
    x: int
    y: int


def named_tuples(n):
    best = [None, None]
    for i in range(n):
        p = Place(i, i * i % 7)
        if best[i % 2] is None or p.y > best[i % 2].y:
            best[i % 2] = p
    return (best[0].x if best[0] is not None else -1), (best[1].y if best[1] is not None else -1)


TABLES = (
    memo_of_a_recursion, memo_of_two_numbers, fewest_coins, open_addressing, parents,
    levels_of_a_queue, the_best_pair_of_each_kind, named_tuples,
)  # fmt: skip


# --- What a list does -----------------------------------------------------------------------------


def _filled(n, room):
    slots = [None] * room
    for i in range(n):
        slots[i * i % room] = i - 2
    return slots


def searched(n):
    slots = _filled(n, 5)
    return None in slots, slots.count(None), 2 in slots, [None, None].count(None), len(slots)


def first_empty(n):
    return _filled(n, 6).index(None)


def chosen(n):
    kept = [x for x in _filled(n, 6) if x is not None]
    return kept, sum(kept), len(kept), sum(x for x in _filled(n, 4) if x is not None)


def largest_of_what_is_there(n):
    return max(x for x in _filled(n, 6) if x is not None)


def sorted_without_none(n):
    return sorted(x for x in _filled(n, 6) if x is not None)


def truths(n):
    slots = _filled(n, 4)
    number = 0
    for x in slots:
        if x:
            number += 1
    return (
        any(slots), all(slots), all(x is not None for x in slots), number, slots[0] or 7,
        sum(1 for i in range(4) if slots[i]), [i for i in range(4) if not slots[i]],
    )  # fmt: skip


def summed(n):
    return sum(_filled(n, 3))


def largest(n):
    return max(_filled(n, 3))


def least(n):
    slots = []
    for i in range(n):
        slots.append(i if i % 4 else None)
    return min(slots)


def put_in_order(n):
    slots = _filled(n, 3)
    slots.sort()
    return slots


def removed(n):
    slots = []
    for i in range(n):
        slots.append(None if i % 3 == 1 else i)
    while None in slots:
        slots.remove(None)
    return slots, slots == [0, 2]


def popped(n):
    stack = []
    for i in range(n):
        stack.append(i if i % 2 else None)
    total = empty = 0
    while stack:
        x = stack.pop()
        if x is None:
            empty += 1
        else:
            total += x
    return total, empty


def changed_in_many_ways(n):
    xs = [1, None, 3]
    xs.insert(n % 3, None)
    xs.extend([n, None])
    xs[0:2] = [None, n]
    del xs[1]
    xs[0], xs[1] = xs[1], xs[0]
    return xs, xs[::-1], xs[1:3] + [None], [*xs, n]


def equal(n):
    a, b = [None] * 3, [None] * 3
    a[n % 3] = n
    b[1] = n
    return a == b, a != b, a == [None, 1, None]


def of_two_lengths(n):
    return [None, n] if n % 2 else [n, None, 3]


def elements_of_tuples(n):
    xs = []
    for i in range(n):
        xs.append((i, None if i % 3 == 1 else i * 0.5))
    return [b for _, b in xs], len(xs)


def pairs(n):
    xs = []
    for i in range(n):
        xs.append(None if i % 3 == 1 else (i, i * 0.5))
    return xs


def joined_numbers(n):
    xs = [None, 1]
    xs.append(n * 0.5)
    return xs


def rows(n):
    table = [[None for _ in range(3)] for _ in range(3)]
    for i in range(n):
        table[i % 3][i * 2 % 3] = i
    return table, sum(1 for row in table for x in row if x is None)


def values_of_a_dict(n):
    table = {}
    for i in range(n):
        table[i % 4] = None if i % 3 == 0 else i
    total = sum(v for v in table.values() if v is not None)
    return total, table.get(2), table.get(3, 5) is None, [k for k in table if table[k] is None]


CONSTANT = {0: None, 1: 5, 2: 7}
NAMES = [None, 3, None, 8, 9]


def values_of_a_constant_dict(n):
    found = CONSTANT.get(n % 4)
    return (-1 if found is None else found), CONSTANT.get(n % 5, 1), CONSTANT[n % 3]


def elements_of_a_constant_list(n):
    found = NAMES[n % 5]
    return (0 if found is None else found * 2), NAMES[n % 5]


def arrays(n):
    best = [None] * 3
    for i in range(n):
        best[i % 3] = np.array([i, i + 1.0])
    total = 0.0
    for v in best:
        if v is not None:
            total += v.sum()
    return total


LISTS = (
    searched, first_empty, chosen, largest_of_what_is_there, sorted_without_none, truths, summed,
    largest, least, put_in_order, removed, popped, changed_in_many_ways, equal, of_two_lengths,
    elements_of_tuples, pairs, joined_numbers, rows, values_of_a_dict, values_of_a_constant_dict,
    elements_of_a_constant_list, arrays,
)  # fmt: skip

# --- What a condition says ------------------------------------------------------------------------


def twice_and_one(x):
    return x * 2 + 1


def or_zero(x):
    return 0 if x is None else x


def is_true(x):
    if x:
        return 1
    return 0


def handed_to_functions(n):
    xs, total = _filled(n, 3), 0
    for i in range(3):
        if xs[i] is not None:
            total += twice_and_one(xs[i]) + abs(xs[i]) + math.hypot(xs[i], 2) + max(xs[i], 2)
    return total, or_zero(xs[0]) + or_zero(xs[2]), is_true(xs[0])


def without_asking(n):
    xs = _filled(n, 4)
    return abs(xs[1]), math.gcd(xs[1], 6)


def as_an_index(n):
    xs = _filled(n, 4)
    return (4, 5, 6)[xs[2]], [7, 8, n][xs[3]]


def changed_behind_it(n):
    xs = [None] * 3
    xs[1] = n
    found = 0
    if xs[1] is not None:
        xs[1] = None
        if n % 2:
            xs[1] = 4
        found = xs[1]
    return found


def changed_by_a_call(n):
    xs = [None, n, None]

    def clear():
        xs[1] = None
        return 1

    if xs[1] is not None:
        return clear(), xs[1]
    return 0, 3


def of_another_place(n):
    xs, i = [None, 5, None], 1
    xs[2] = n
    found = 9
    if xs[i] is not None:
        i = n % 3
        found = xs[i]
    return found


def behind_an_early_exit(n):
    xs = _filled(n, 4)
    if xs[1] is None:
        return -1
    y = xs[1]
    return y + 10


def in_expressions(n):
    xs = _filled(n, 4)
    first = xs[1] is not None and xs[1] > 3
    second = xs[1] is None or xs[1] > 3
    return (
        first,
        second,
        xs[2] if xs[2] is not None else -5,
        [xs[i] for i in (0, 1) if xs[i] is not None],
    )


def not_is_none(n):
    xs = _filled(n, 4)
    if not (xs[0] is None or xs[1] is None):
        a, b = xs[0], xs[1]
        return a * b
    return -1


class Tracker:
    def __init__(self):
        self.low = self.high = None

    def add(self, x):
        if self.low is None or x < self.low:
            self.low = x
        if self.high is None or x > self.high:
            self.high = x


class Node:
    def __init__(self, key, following):
        self.key, self.following, self.best = key, following, None


def attributes(n):
    tracker = Tracker()
    for i in range(n):
        tracker.add(i * 7 % 5)
    return tracker.low, tracker.high


def attributes_of_nodes(n):
    node = None
    for i in range(n):
        node = Node(i, node)
        if i % 2:
            node.best = i * 10
    total = 0
    while node is not None:
        total += node.best if node.best is not None else -1
        node = node.following
    return total


CONDITIONS = (
    handed_to_functions, without_asking, as_an_index, changed_behind_it, changed_by_a_call,
    of_another_place, behind_an_early_exit, in_expressions, not_is_none, attributes,
    attributes_of_nodes,
)  # fmt: skip


@pytest.mark.every(54)
@pytest.mark.parametrize("function", TABLES + LISTS + CONDITIONS, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


WAYS: tuple[dict[str, Any], ...] = ({}, {"strategy": "hybrid"}, {"strategy": "loop"})


@pytest.mark.every(2)
@pytest.mark.parametrize("how", WAYS, ids=str)
def test_they_are_pythons_in_other_ways(how: dict[str, Any]) -> None:
    check(shared(open_addressing), N, **how)
    check(shared(the_best_pair_of_each_kind), N, **how)


# --- Behind an assignment -------------------------------------------------------------------------


def doubled_if_large(k):
    if k > 3:
        return k * 2
    return k


def asked_then_assigned(n):
    memo = [None] * (n + 1)

    def f(k):
        if memo[k] is None:
            if k < 2:
                memo[k] = doubled_if_large(k)
            else:
                memo[k] = f(k - 1) + f(k - 2)
        return memo[k]

    return f(n)


def assigned_on_both_paths(n):
    memo = [[None] * 6 for _ in range(6)]

    def longest(i, j):
        if i >= j:
            return 1 if i == j else 0
        if memo[i][j] is not None:
            return memo[i][j]
        if (i * j + n) % 3 == 0:
            memo[i][j] = longest(i + 1, j - 1) + 2
        else:
            memo[i][j] = max(longest(i + 1, j), longest(i, j - 1))
        return memo[i][j]

    return longest(0, n % 6)


def assigned_from_a_name(n):
    xs, y = [None] * 3, n * 2
    if xs[1] is None:
        xs[1] = y
    z = xs[1]
    y = None
    return z


def assigned_in_a_loop(n):
    xs, total = [None] * 3, 0
    for k in range(n):
        if xs[k % 3] is None:
            xs[k % 3] = doubled_if_large(k)
        total += xs[k % 3]
        if k % 4 == 3:
            xs[k % 3] = None
    return total


def assigned_in_a_try(n):
    xs = [None] * 3
    try:
        if xs[0] is None:
            xs[0] = 10 // n
        y = xs[0]
    except ZeroDivisionError:
        y = -1
    return y


def assigned_what_may_be_none(n):
    xs, y = [None] * 3, n if n % 2 else None
    if xs[1] is None:
        xs[1] = y
    return xs[1]


def of_another_place_behind_it(n):
    xs, i = [None] * 3, 1
    if xs[i] is None:
        xs[i] = n
        i = 2
    return xs[i]


def none_again(n):
    xs = [None] * 3
    if xs[1] is None:
        xs[1] = n
        if n > 3:
            xs[1] = None
    return xs[1]


NUMBERS = (
    asked_then_assigned, assigned_on_both_paths, assigned_from_a_name, assigned_in_a_loop,
    assigned_in_a_try,
)  # fmt: skip
OR_NONE = (assigned_what_may_be_none, of_another_place_behind_it, none_again)


@pytest.mark.every(5)
@pytest.mark.parametrize("function", NUMBERS + OR_NONE, ids=lambda f: f.__name__)
def test_behind_an_assignment_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, strategy="local")
    found = pcbatch.autobatch(function).run(N, strategy="local").value
    assert isinstance(found, pcbatch.Optional) == (function in OR_NONE)


def test_a_result_behind_the_condition_is_no_optional() -> None:
    found = pcbatch.autobatch(behind_an_early_exit)(N)
    assert found.numpy().tolist() == [behind_an_early_exit(n) for n in N.tolist()]


def test_a_list_of_a_length_per_member_is_filled() -> None:
    found = pcbatch.autobatch(pairs).run(N, strategy="local").value
    truth = [pairs(n) for n in N.tolist()]
    assert found.tolist() == truth
    numbers = pcbatch.autobatch(lambda n: [None, n][: n % 3]).run(N, strategy="local")
    assert numbers.value.filled(-1).to_list() == [[-1, n][: n % 3] for n in N.tolist()]


def lists_or_none(n):
    rows = [None] * 4
    rows[n % 4] = []
    rows[n % 4].append(n)
    return len(rows)


def none_as_a_key(n):
    seen = set()
    for i in range(n):
        seen.add(None if i % 2 else i)
    return len(seen)


def lists_in_order(n):
    a, b = [None] * 3, [None] * 3
    a[n % 3] = n
    b[1] = n
    return a < b


def always_none(n):
    return [None, None][n % 2] + n


REFUSED = (
    (always_none, "for \\+: 'NoneType' and 'int'"),
    (lists_or_none, "an element is None or a list"),
    (none_as_a_key, "this does not fit into the set"),
    (lists_in_order, "in which an element may be None are put in order"),
)


@pytest.mark.parametrize(("function", "said"), REFUSED)
def test_what_is_refused_says_so(function: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        pcbatch.autobatch(function).run(N, strategy="local")


def changed_by_the_condition(n):
    xs = [None, n, None]

    def clear(k):
        xs[1] = None if n > 2 else k
        return True

    if xs[1] is not None and clear(7):
        return xs[1]
    return -1


def of_a_place_that_the_condition_sets(n):
    xs, i = [None, n, 5], 1
    xs[n % 3] = None
    if xs[i] is not None and (i := n % 3) >= 0:
        return xs[i]
    return -1


def set_within_the_expression(n):
    xs, i = [None, n, 5], 1
    xs[0] = None if n > 1 else 4
    if xs[i] is not None:
        return [(i := 0), xs[i] is None, xs[i]]
    return [1, False, 4]


class Unsure:
    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        if self.n > other:
            return self.n
        return None


def an_operator_that_gives_none(n):
    xs = [None] * 3
    if xs[1] is None:
        xs[1] = Unsure(n) + 2
    return xs[1]


CHANGED = (
    changed_by_the_condition, of_a_place_that_the_condition_sets, set_within_the_expression,
    an_operator_that_gives_none,
)  # fmt: skip


@pytest.mark.parametrize("function", CHANGED, ids=lambda f: f.__name__)
def test_an_element_is_asked_again_where_it_may_have_changed(
    function: Callable[[Any], Any],
) -> None:
    check(function, N, strategy="local")


# --- Attributes -----------------------------------------------------------------------------------


class Account:
    def __init__(self):
        self.balance = 0
        self.largest = None

    def move(self, amount):
        self.balance += amount
        if self.largest is None or amount > self.largest:
            self.largest = amount
        return self.largest


def largest_of_several(n):
    accounts = [Account() for _ in range(3)]
    for i in range(n):
        accounts[i * i % 3].move(i * 7 % 5)
    return max((a.largest for a in accounts if a.largest is not None), default=-1)


def attribute_behind_an_assignment(n):
    account = Account()
    if account.largest is None:
        account.largest = doubled_if_large(n)
    return account.largest


def attribute_in_a_try(n):
    account = Account()
    try:
        if account.largest is None:
            account.largest = 10 // n
        y = account.largest
    except ZeroDivisionError:
        y = -1
    return y


def result_of_a_method(n):
    account, total = Account(), 0
    for i in range(n):
        total += account.move(i * 7 % 5)
    return total


ATTRIBUTES = (
    largest_of_several, attribute_behind_an_assignment, attribute_in_a_try, result_of_a_method,
)  # fmt: skip


@pytest.mark.every(4)
@pytest.mark.parametrize("function", ATTRIBUTES, ids=lambda f: f.__name__)
def test_attributes_are_narrowed_too(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)
    assert not isinstance(pcbatch.autobatch(function).run(N, jit=False).value, pcbatch.Optional)


class Emptying:
    def __init__(self, n):
        self.xs = [None, n, None]

    @property
    def last(self):
        self.xs[1] = None
        return 3


def changed_by_a_property(n):
    emptying = Emptying(n)
    if emptying.xs[1] is not None:
        y = emptying.last
        return y, emptying.xs[1]
    return 0, 1


def test_where_a_property_changes_an_element_the_member_stops() -> None:
    """Python has None there; a member never has a number."""
    result = pcbatch.autobatch(changed_by_a_property).run(N, strategy="local")
    assert all("has become None" in result.message(k) for k in range(len(N)))
