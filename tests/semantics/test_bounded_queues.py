"""Queues with a `maxlen`, which may be the member's."""

from __future__ import annotations

from collections import deque

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(-1, 0, 1, 2, 3, 4, 5, 8)


def appended(n):
    queue = deque(maxlen=n)
    for k in range(6):
        queue.append(k * n)
    return list(queue), queue.maxlen, len(queue), sum(queue)


def appended_left(n):
    queue = deque([1, 2, 3], maxlen=n)
    first = list(queue)
    for k in range(3):
        queue.appendleft(k * n)
    return first, list(queue)


def extended(n):
    queue = deque(range(5), n)
    queue.extend([7, 8])
    queue.extendleft([1, n])
    queue += [3]
    return list(queue)


def of_a_list_of_the_member(n):
    xs = [k * n for k in range(n)]
    queue = deque(xs, maxlen=n - 2)
    queue.extend(xs[:2])
    queue.rotate(1)
    return list(queue), queue.maxlen


def inserted(n):
    queue = deque([2, 3], maxlen=n + 1)
    queue.insert(1, 9)
    return list(queue)


def repeated(n):
    queue, same = deque([1, 2], maxlen=n), deque([n, 2], maxlen=3)
    queue *= 3
    same *= 2
    xs = [1, 2][:n]
    xs *= 3
    return list(queue), list(same), xs


def of_a_length_that_all_share(n):
    queue = deque([n], maxlen=3)
    queue.extend([n, 2, n + 1, 5])
    first = list(queue)
    queue.extendleft([7, 8])
    queue.popleft()
    queue.insert(1, n)
    return first, list(queue), queue.maxlen


def copied(n):
    queue = deque(maxlen=n)
    queue.append(1)
    other = queue.copy()
    for k in range(4):
        other.append(k)
    return list(other), list(queue), other.maxlen


class Average:
    def __init__(self, width):
        self.window = deque(maxlen=width)

    def process(self, x):
        self.window.append(x)
        return sum(self.window) / len(self.window)


def in_an_object(n):
    mine, other = Average(n + 1), Average(3)
    total = 0.0
    for k in range(7):
        total += mine.process(k * k) - other.process(k)
    return total, mine.window.maxlen


def on_two_paths(n):
    queue = deque(maxlen=n) if n > 3 else deque(maxlen=2)
    for k in range(6):
        queue.append(k * n)
    return list(queue)


def last_of(xs, k):
    queue = deque(xs, maxlen=k)
    return list(queue)


def in_a_function(n):
    return last_of([1, 2, 3], n), last_of(range(n), 2)


PROGRAMS = [
    appended, appended_left, extended, of_a_list_of_the_member, inserted, repeated,
    of_a_length_that_all_share, copied, in_an_object, on_two_paths, in_a_function,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_is_pythons(program):
    check(program, N, jit=False)


@pytest.mark.parametrize("program", [appended, extended], ids=lambda p: p.__name__)
def test_compiled(program):
    check(program, N, jit=True)


def test_more_elements_than_there_is_room_for():
    check(appended, ints(1, 70, 3), jit=False, list_capacity=4)


def half(n):
    return len(deque(maxlen=n / 2))


def test_a_length_is_an_integer():
    with pytest.raises(ProgramError, match="an integer is required"):
        pcbatch.autobatch(half).run(N, jit=False)


def repeated(n):
    q = deque([1, n])
    q *= n
    return len(q)


def test_a_queue_of_a_known_length_is_not_repeated():
    with pytest.raises(ProgramError, match="a deque is repeated as often as a member says"):
        pcbatch.autobatch(repeated)(N)
