"""Queues in lists, dicts and objects that are in a list; `any` of containers."""

from __future__ import annotations

import collections
from collections import defaultdict, deque

import numpy as np
import pytest

from tests.support.members import check

N = np.array([0, 1, 4, 9])


def in_a_dict(n):
    queues = {0: deque(), 1: deque()}
    for k in range(n):
        queues[k % 2].append(k)
    total = 0
    while queues[0]:
        total = total * 7 + queues[0].popleft()
    return total, len(queues[1])


def in_turn(n):
    """Three queues, which give each other work."""
    queues = [deque() for _ in range(3)]
    for k in range(n):
        queues[k % 3].append(k * k)
    total = turn = 0
    while any(queues):
        queue = queues[turn % 3]
        if queue:
            value = queue.popleft()
            if value % 2 and value > 3:
                queues[(turn + 1) % 3].append(value // 2)
            total = (total * 3 + value) % 10007
        turn += 1
    return total, turn


def of_missing_keys(n):
    queues = defaultdict(deque)
    for k in range(n):
        queues[k % 3].appendleft(k)
    return sum(len(queue) for queue in queues.values()), queues[0].pop() if n else -1


def methods(n):
    first, second = deque([1, 2, n]), collections.deque(range(n))
    queues = [first, second]
    queues[0].rotate(1)
    queues[1].extend(queues[0])
    queues[1].rotate(-2)
    second.extendleft([7, 8])
    queues[0][1] = 5
    first.remove(5)
    third = first.copy()
    third.reverse()
    queues.append(third)
    queues[2] += [3]
    code = [queue[0] + 10 * queue[-1] for queue in queues]
    return code, list(queues[1]), 2 in second, first.count(n), third == first


class Player:
    def __init__(self, cards):
        self.cards = deque(cards)

    def play(self):
        return self.cards.popleft()


def of_objects(n):
    players = [
        Player([(k * 7 + n) % 13 for k in range(5)]),
        Player([(k * 5 + 2 * n) % 13 for k in range(5)]),
    ]
    rounds = 0
    while players[0].cards and players[1].cards and rounds < 20:
        first, second = players[0].play(), players[1].play()
        winner = 0 if first >= second else 1
        players[winner].cards.append(first)
        players[winner].cards.append(second)
        rounds += 1
    return rounds, len(players[0].cards)


def radix_sort(n):
    buckets = [deque() for _ in range(10)]
    numbers = [(k * 37 + n) % 100 for k in range(8)]
    for unit in (1, 10):
        for x in numbers:
            buckets[x // unit % 10].append(x)
        numbers = []
        for bucket in buckets:
            while bucket:
                numbers.append(bucket.popleft())
    return numbers


def from_empty(n):
    queues = [deque() for _ in range(2)]
    queues[0].append(n)
    try:
        return queues[n % 2].popleft()
    except IndexError:
        return -1


def any_of_sets(n):
    """A set without elements is false."""
    sets, dicts = [], [{} for _ in range(n)]
    for k in range(n):
        sets.append({0} if k % 2 else set())
    for k in range(n // 2):
        sets[k].add(k)
        dicts[k % 3][k] = n
    three = [set() for _ in range(3)]
    for k in range(n % 3):
        three[n % 2].add(k)
    return [any(sets), all(sets), any(dicts), all(dicts), any(three), all(three)]


FUNCTIONS = (
    in_a_dict, in_turn, of_missing_keys, methods, of_objects, radix_sort, from_empty, any_of_sets,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_queues_in_containers(function):
    check(function, N, jit=False)


@pytest.mark.parametrize("strategy", ("local", "loop"))
def test_the_same_under_each_strategy(strategy):
    check(in_turn, N, strategy=strategy)
