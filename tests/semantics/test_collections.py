"""Sets, dicts and queues of one member are Python's for each member."""

from __future__ import annotations

import builtins
import collections
import heapq
from collections import Counter, defaultdict, deque

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import floats, ints
from tests.support.members import check

N = ints(0, 1, 3, 5)
XS = np.array([[1, 2, 3, 1], [4, 4, 5, 6], [1, 2, 1, 2], [0, 0, 0, 7]], np.int32)
"""A sequence of numbers for each member."""

FEES = {0: 30, 1: 25, 3: 5}
ROADS = {0: [1, 2], 1: [3], 2: []}
MOVES = {(0, 1): 7, (1, 0): 2.5}
EMPTY = {}


def constant_tables(n):
    total = FEES.get(n, -1) + (100 if n in {1, 3, 8} else 0) + (7 if (n, 1) in MOVES else 0)
    total += (n in FEES.values()) + (n not in EMPTY) + EMPTY.get(n, 2)
    return total, FEES[n % 2], len(ROADS[n % 3]), sum(ROADS[n % 3]), MOVES.get((n, n + 1), 0)


def missing_key(n):
    return FEES[n]


def equal_keys(n, x, b):
    """1, 1.0 and True are one key; no integer is 0.5."""
    near = {0.5, 1.0, 2**40, "one"}
    known = {1: 10, 0: 20}
    return n in near, x in near, b in near, known[b], known.get(x, 0), n + 0.5 in near


def sets(xs, n):
    seen, same = {n}, set(xs)
    other = seen
    for x in xs:
        if x in seen:
            seen.discard(x)
        else:
            seen.add(x)
    other.add(9)
    same.remove(xs[0])
    both = same | seen
    answers = (
        len(seen),
        len(same),
        len(both),
        len(both & same),
        len(both - {1, 2}),
        len(same ^ seen),
    )
    return *answers, sorted(both), sum(both), max(both), min(both), same <= both, 9 in seen


def dicts(xs, n):
    counts = {}
    for x in xs:
        counts[x] = counts.get(x, 0) + 1
    again = counts
    again[n] = -5
    copy = dict(counts)
    taken = counts.pop(xs[1])
    code = 0
    for key, value in counts.items():
        code = code * 10 + key * value
    for key in counts:
        code += counts[key]
    last = copy.popitem()
    default = copy.setdefault(xs[0] + 20, n)
    copy.update(counts)
    both = n in counts, 77 in counts, counts.get(77, -1)
    return (
        code,
        taken,
        last,
        default,
        *both,
        len(copy),
        list(counts),
        list(counts.values()),
        max(counts),
    )


def tallies(xs):
    counts, odd = Counter(xs), defaultdict(int)
    for x in xs:
        odd[x % 2] += x
    counts[xs[0]] += 2
    often = counts.most_common(1)[0]
    return often, counts[88], len(counts), counts.total(), odd.get(1, 0), len(odd)


def pairs(xs):
    """Keys that are tuples."""
    seen, place = set(), {}
    for i, x in enumerate(xs):
        seen.add((x, i % 2))
        place[x, i % 2] = i, x
    return len(seen), (4, 0) in seen, place[xs[3], 1], (0, 0, 0) in seen


def queues(xs, n):
    queue = deque([n])
    for x in xs:
        if x % 2:
            queue.appendleft(x)
        else:
            queue.append(x)
    queue.rotate(1)
    queue[0] = 8
    queue.extend([n, 2])
    queue.extendleft([5, 6])
    queue.remove(2)
    first, last, size, places = queue.popleft(), queue.pop(), len(queue), queue.index(8)
    total = 0
    for x in queue:
        total = total * 10 + x
    code = 0
    while queue:
        code = code * 10 + queue.popleft()
    return first, last, size, places, total, code, not queue


def heaps(xs, n):
    """The places in a heap are Python's, too, and pairs are compared as tuples."""
    heap = [(n, 0)]
    for k, x in enumerate(xs):
        heapq.heappush(heap, (x, n - k))
    code = 0
    for a, b in heap:
        code = code * 3 + a - b
    while heap:
        a, b = heapq.heappop(heap)
        code = code * 3 + a - b
    return code


def comprehensions(xs, n):
    """Sets and dicts that comprehensions make, and what does not depend on a set's order."""
    odd = {x for x in xs if x % 2}
    squares = {k: k * k for k in range(n)}
    faces = sorted([x * 10 for x in odd])
    table = {**squares, n: 7} | {-1: n}
    return len(odd), sum(squares.values()), len(faces), any(x > 4 for x in odd), sum(table.values())


def in_place(xs, n):
    """An assignment with an operator changes what another name means, too."""
    seen, queue, table = {n}, deque([n], maxlen=3), {n: 1}
    same, other = seen, table
    for x in xs:
        seen |= {x}
        queue.append(x)
    seen -= {xs[0]}
    seen &= {1, 2, 4, 6, 7}
    table |= {n + 1: 2}
    copy = table.copy()
    copy[50] = 1
    return len(same), list(queue), len(other), len(copy), [1, n, 1].count(n)


def by_reference(n):
    """A callee changes what it is handed, and returns what it has made."""
    seen, memo = set(), {0: 1}
    note(seen, memo, n)
    made = of_divisors(n + 12)
    return len(seen), memo[n + 1], len(made), 4 in made


@pcbatch.autobatch
def note(seen, memo, n):
    seen.add(n)
    memo[n + 1] = len(seen) + 4


@pcbatch.autobatch
def of_divisors(n):
    found = set()
    for k in range(1, n + 1):
        if n % k == 0:
            found.add(k)
    return found


CASES = [
    (constant_tables, (ints(0, 1, 2, 30),)),
    (equal_keys, (ints(0, 1, 2, 3), floats(0.5, 1.0, 2.0, 0.0), np.array([True, False] * 2))),
    (sets, (XS, N)),
    (dicts, (XS, N)),
    (tallies, (XS,)),
    (pairs, (XS,)),
    (queues, (XS, N)),
    (heaps, (XS, N)),
    (comprehensions, (XS, N)),
    (in_place, (XS, N)),
    (by_reference, (N,)),
]


@pytest.mark.every(12)
@pytest.mark.parametrize(("function", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_python_says_so(function, args):
    check(function, *args)


def pops_an_empty_queue(n):
    queue = deque()
    for k in range(n):
        queue.append(k)
    return queue.popleft() + queue.pop()


def pops_an_empty_heap(n):
    heap = []
    for k in range(n):
        heap.append((k * 7) % 5)
    heapq.heapify(heap)
    return heapq.heappop(heap)


def removes_what_is_not_there(n):
    seen = {0, 3}
    seen.remove(n)
    return len(seen)


def grows_in_a_loop(n):
    table = {0: 1}
    for key in table:
        if n > 1:
            table[key + 1] = n
    return len(table)


FAULTS = [
    (missing_key, "KeyError: {n}", [0, 0, 0, 1]),
    (pops_an_empty_queue, "IndexError: pop from an empty deque", [1, 1, 0, 0]),
    (pops_an_empty_heap, "IndexError: index out of range", [1, 0, 0, 0]),
    (removes_what_is_not_there, "KeyError: {...}", [0, 1, 0, 1]),
    (grows_in_a_loop, "RuntimeError: dictionary changed size during iteration", [0, 0, 1, 1]),
]


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("function", "message", "stops"), FAULTS, ids=[f.__name__ for f, *_ in FAULTS]
)
def test_exceptions_are_statuses(function, message, stops):
    result = pcbatch.autobatch(function).run(N, strategy="local")
    for member, (n, status) in enumerate(zip(N, result.status.numpy(), strict=True)):
        assert bool(status) == bool(stops[member])
        if not status:
            assert result.value.numpy()[member] == function(int(n))
            continue
        assert result.faults[int(status)].message == message
        with pytest.raises(getattr(builtins, message.split(":")[0])):
            function(int(n))


@pcbatch.autobatch(jit=False, list_capacity=4)
def distinct_up_to(n):
    seen = set()
    for k in range(n):
        seen.add(k // 2)
    return len(seen)


def test_they_grow_as_lists_do():
    assert distinct_up_to(ints(0, 3, 4, 12)).numpy().tolist() == [0, 2, 2, 6]


def iterates_over_a_set(n):
    seen = {"red" if n > 2 else "green", "blue"}
    total = 0
    for x in seen:
        total = total * 2 + len(x)
    return total


def gets_without_a_default(n):
    near = ROADS.get(n)
    return 0 if near is None else len(near)


def values_of_two_kinds(n):
    return {0: "zero", 1: [1]}[n]


def other_kind_in_a_dict(n):
    rows = {}
    rows[n] = (n, 1)
    rows[2] = 1
    return len(rows)


def returns_a_set(n):
    return {n, 1}


def reads_keys_that_are_there(n):
    totals, halves = collections.defaultdict(int), collections.defaultdict(float, {1: 5, 2: 7})
    for k in range(8):
        totals[k * n % 3] += k
    total = 0
    for key in totals:
        total += key * totals[key]
    return total, totals[0], halves[n % 2 + 1], max(totals, key=lambda k: (totals[k], k))


def test_keys_of_a_defaultdict_that_are_there_are_read() -> None:
    check(reads_keys_that_are_there, np.array([0, 1, 2, 5]), jit=False)

    def missing(n):
        totals = collections.defaultdict(int)
        totals[n] += 1
        return totals[3]

    result = pcbatch.autobatch(missing).run(np.array([0, 3]), jit=False)
    assert [int(status) != 0 for status in result.status] == [True, False]
    with pytest.raises(pcbatch.MemberError, match="would add it"):
        result.check()


REFUSED = [
    (
        iterates_over_a_set,
        "the order of the elements of a set is asked for",
        "for x in sorted(seen):",
    ),
    (
        gets_without_a_default,
        "`get` of a member's key gives a list, or another object, or None",
        "give it a default of the kind of the values, or ask first:",
    ),
    (
        values_of_two_kinds,
        "which value of a dict is meant depends on the member, and they are not alike",
        "the values are of these kinds: list, str.",
    ),
    (
        other_kind_in_a_dict,
        "this does not fit into the dict",
        "make them alike, e.g. (x, 0) beside (x, y)",
    ),
    (
        returns_a_set,
        "the function returns a set of the member",
        "return sorted(seen)  # of a set",
    ),
]


@pytest.mark.parametrize(
    ("function", "title", "remedy"), REFUSED, ids=[f.__name__ for f, *_ in REFUSED]
)
def test_refused_with_a_remedy(function, title, remedy):
    with pytest.raises(ProgramError) as caught:
        pcbatch.autobatch(function, jit=False)(N)
    first, place, *_ = str(caught.value).splitlines()
    assert first == title
    assert place.endswith(f"in {function.__name__}")
    assert remedy in str(caught.value)


def counted_in_full(n):
    counts, seen = collections.defaultdict(int), collections.defaultdict(int)
    for k in range(n % 9):
        counts[k % 3] = counts[k % 3] + 1
        seen[k] = seen[k] - k
    return sum(counts.values()), len(counts), sum(seen.values())


def test_a_defaultdict_adds_what_is_read_to_be_assigned() -> None:
    check(counted_in_full, np.arange(8), jit=False)
