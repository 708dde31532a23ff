"""`sorted` and `sort` of objects whose class says what is less."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

import pcbatch
from tests.support.members import check

N = np.array([0, 1, 4, 9])


class Item:
    def __init__(self, weight, number):
        self.weight, self.number = weight, number

    def __lt__(self, other):
        return self.weight < other.weight


def numbers_of(items):
    total = 0
    for item in items:
        total = total * 10 + item.number
    return total


def sorted_in_place(n):
    items = [Item(7 * k % 5, k) for k in range(n)]
    items.sort()
    return numbers_of(items)


def greatest_first(n):
    """Of equal elements the first stays the first."""
    items = []
    for k in range(n):
        items.append(Item(5 * k % 3, k))
    found = sorted(items, reverse=True)
    items.sort(reverse=n > 4)
    return numbers_of(found), numbers_of(items)


def of_a_generator(n):
    return numbers_of(sorted(Item(3 * k % 4, k) for k in range(n)))


def of_known_length(n):
    items = [Item(n % 3, 1), Item(2 * n % 5, 2), Item(1, 3)]
    found = numbers_of(sorted(items))
    items.sort(reverse=True)
    return found, numbers_of(items)


@functools.total_ordering
class Card:
    def __init__(self, suit, rank):
        self.suit, self.rank = suit, rank

    def __eq__(self, other):
        return self.rank == other.rank and self.suit == other.suit

    def __lt__(self, other):
        if self.rank != other.rank:
            return self.rank < other.rank
        return self.suit < other.suit


def cards(n):
    """Numbers are sorted beside them."""
    hand = [Card(7 * k % 4, 5 * k % 13) for k in range(n + 1)]
    best = sorted(hand)[-1]
    hand.sort(reverse=True)
    return best.rank * 4 + best.suit, hand[-1].rank, sorted([5, n, 2])[1]


def best_of_cards(n):
    hand = [Card(7 * k % 4, 5 * k % 13) for k in range(n + 1)]
    least, greatest = min(hand), max(hand)
    two = min(hand[0], hand[-1])
    first = max(Card(1, n % 3), Card(n % 5, 1), Card(2, 2))
    none = min((card for card in hand if card.rank > 20), default=hand[0])
    numbers = min(n, 4), max(2, n, 3), max([n, 5])
    return least.rank, greatest.suit, two.rank, first.suit, none.suit, numbers


class Racer:
    def __init__(self, number, time):
        self.number, self.time = number, time

    def __gt__(self, other):
        if self.time == other.time:
            return self.number > other.number
        return self.time > other.time


def by_greater_alone(n):
    """Python asks the other object where a class says nothing of `<`."""
    racers = [Racer(k, 7 * k % 4) for k in range(n + 1)]
    return min(racers).number, max(racers).number, sorted(racers)[0].number


class Student:
    def __init__(self, name, grade):
        self.name, self.grade, self.next = name, grade, None

    def __lt__(self, other):
        return (self.grade, self.name) > (other.grade, other.name)


def on_the_heap(n):
    students = []
    for k in range(n):
        student = Student(k, 3 * k % 4)
        if students:
            students[-1].next = student
        students.append(student)
    students.sort()
    total = 0
    for student in students:
        total = total * 10 + student.name + (student.next.name if student.next else 0)
    return total


@dataclasses.dataclass(order=True)
class Pair:
    first: int
    second: int


def by_fields(n):
    pairs = [Pair(3 * k % 4, k) for k in range(n + 1)]
    pairs.sort()
    return pairs[0].second, sorted(pairs, reverse=True)[0].second


FUNCTIONS = (
    sorted_in_place, greatest_first, of_a_generator, of_known_length, cards, on_the_heap, by_fields,
    best_of_cards, by_greater_alone,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_objects_are_sorted_by_their_class(function):
    check(function, N, jit=False)


@pytest.mark.parametrize("strategy", ("local", "loop"))
def test_the_same_under_each_strategy(strategy):
    check(on_the_heap, N, strategy=strategy)


class Plain:
    def __init__(self, value):
        self.value = value


def without_order(n):
    found = []
    for k in range(n):
        found.append(Plain(k))
    found.sort()
    return len(found)


def test_objects_without_an_order_are_refused_as_python_does():
    with pytest.raises(pcbatch.ProgramError, match="'<' not supported between instances of"):
        pcbatch.autobatch(without_order)(N)
