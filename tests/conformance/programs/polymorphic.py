"""Objects of several classes in one variable, list or attribute."""

from __future__ import annotations

import dataclasses
import heapq

import pcbatch
from tests.conformance.programs.record import Program, ints


@dataclasses.dataclass(frozen=True)
class Number:
    value: int

    def worth(self, x):
        return self.value


@dataclasses.dataclass(frozen=True)
class Unknown:
    def worth(self, x):
        return x


@dataclasses.dataclass(frozen=True)
class Pair:
    left: object
    right: object


class Sum(Pair):
    def worth(self, x):
        return self.left.worth(x) + self.right.worth(x)


class Product(Pair):
    def worth(self, x):
        return self.left.worth(x) * self.right.worth(x) % 1009


def derivative(e):
    if isinstance(e, Number):
        return Number(0)
    if isinstance(e, Unknown):
        return Number(1)
    if isinstance(e, Sum):
        return Sum(derivative(e.left), derivative(e.right))
    return Sum(Product(derivative(e.left), e.right), Product(e.left, derivative(e.right)))


@pcbatch.autobatch
def expression_trees(n):
    """A power of `x + n`, its value, and that of its derivative."""
    e = Number(1)
    for _ in range(n % 4):
        e = Product(e, Sum(Unknown(), Number(n)))
    return e.worth(2), derivative(e).worth(3)


class Event:
    def __init__(self, time):
        self.time = time

    def __lt__(self, other):
        return self.time < other.time


class Arrival(Event):
    def happens(self, shop):
        shop.waiting += 1
        if shop.waiting == 1:
            heapq.heappush(shop.events, Departure(self.time + shop.service))
        if self.time < 12:
            heapq.heappush(shop.events, Arrival(self.time + 2))


class Departure(Event):
    def happens(self, shop):
        shop.waiting -= 1
        shop.served += 1
        if shop.waiting > 0:
            heapq.heappush(shop.events, Departure(self.time + shop.service))


class Shop:
    def __init__(self, service):
        self.events, self.service = [Arrival(0)], service
        self.waiting = self.served = self.end = 0

    def run(self):
        while self.events:
            event = heapq.heappop(self.events)
            event.happens(self)
            self.end = event.time
        return self.served, self.end


@pcbatch.autobatch
def events(service):
    """A queue of events of two classes, each of which makes others."""
    return Shop(service).run()


@pcbatch.autobatch
def purse(n):
    """Coins of two classes that stand inside the function, in a linked list."""

    class Coin:
        def __init__(self, face, below):
            self.face, self.below = face, below

        def worth(self):
            return self.face + (self.below.worth() if self.below else 0)

    class Clipped(Coin):
        def worth(self):
            return super().worth() - 1

    top = None
    for k in range(n):
        top = Clipped(k, top) if k % 3 == 1 else Coin(k, top)
    return top.worth() if top else -1


class Hand:
    def __init__(self, strength, number):
        self.strength, self.number = strength, number

    def __lt__(self, other):
        return self.strength < other.strength


class Blind(Hand):
    def __lt__(self, other):
        return self.strength // 2 < other.strength // 2


@pcbatch.autobatch
def in_order(n):
    """Objects of two classes, which are sorted by what the class of each says."""
    hands = [Blind(7 * k % 5, k) if n % 2 else Hand(7 * k % 5, k) for k in range(n)]
    hands.sort(reverse=n > 5)
    total = 0
    for hand in hands:
        total = total * 10 + hand.number
    return total


PROGRAMS = (
    Program("in_order", in_order, (ints(0, 1, 2, 3, 4, 5, 6, 7),), plain="python"),
    Program("purse", purse, (ints(0, 1, 2, 3, 4, 5, 6, 7),), plain="python"),
    Program("expression_trees", expression_trees, (ints(0, 1, 2, 3, 4, 5, 6, 7),), plain="python"),
    Program("events", events, (ints(1, 2, 3, 4, 5, 1, 2, 3),), plain="python", tags=("xla",)),
)
