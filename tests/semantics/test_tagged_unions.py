"""Objects of several classes in one variable, list, attribute or dict."""

from __future__ import annotations

import abc
import dataclasses
import functools
import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.support.members import check

NUMBERS = np.array([0, 1, 2, 3, 5, 8])


class Figure(abc.ABC):
    kind = 0

    @abc.abstractmethod
    def area(self): ...

    def twice(self, times=2):
        return times * self.area()

    @property
    def size(self):
        return self.area() + self.kind


class Disk(Figure):
    kind = 1

    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return 3 * self.radius**2

    @staticmethod
    def corners():
        return 0


class Box(Figure):
    __slots__ = ("height", "width")

    def __init__(self, width, height=2):
        self.width, self.height = width, height

    def area(self):
        if self.width > self.height:
            return self.width * self.height
        return self.height

    @staticmethod
    def corners():
        return 4


@dataclasses.dataclass(frozen=True)
class Line:
    length: int
    kind: int = 7

    def area(self):
        return 0

    def twice(self, times=3):
        return times

    @property
    def size(self):
        return self.length


def in_a_variable(n):
    figure = Disk(n) if n % 2 else Box(n)
    return figure.area(), figure.twice(), figure.twice(times=5), figure.size, figure.corners()


def in_a_list(n):
    figures = []
    for k in range(n):
        figures.append(Disk(k) if k % 3 else Box(k, 3))
        if k % 4 == 1:
            figures.append(Line(k))
    return sum(f.twice() + f.kind for f in figures), max((f.size for f in figures), default=-1)


def chosen_by_a_number(n):
    figures = [Disk(n), Box(n), Disk(2)]
    one = figures[n % 3]
    if isinstance(one, Disk):
        one.radius += 10
    return sum(f.area() for f in figures), isinstance(one, (Box, Line)), isinstance(one, Figure)


def in_a_queue_and_a_dict(n):
    queue, table = deque(), {}
    for k in range(n):
        queue.append(Box(k) if k % 2 else Line(k))
    while queue:
        figure = queue.popleft()
        table[figure.size] = figure
        if isinstance(figure, Box) and figure.width > 3:
            queue.append(Disk(figure.width - 3))
    return len(table), sum(f.area() for f in table.values())


def an_attribute_of_some(n):
    figure = Disk(n) if n % 2 else Box(n)
    return figure.radius


def asked_for_attributes(n):
    figure = Disk(n) if n % 2 else Box(n)
    return hasattr(figure, "radius"), hasattr(figure, "twice"), hasattr(figure, "depth")


def its_type(n):
    a, b = Disk(n) if n % 2 else Box(n), Disk(n) if n % 3 else Line(n)
    return type(a).__name__, type(a) is Disk, type(a) is not type(b), b.__class__ is not Line


def none_among_them(n):
    best = None
    for k in range(n):
        if best is None or best.area() < 4 * k:
            best = Disk(k) if k % 2 else Box(k)
    return -1 if best is None else best.area()


class Account:
    fee = 1

    def __init__(self, balance):
        self.balance = balance

    def month(self):
        self.balance -= self.fee

    def withdraw(self, amount):
        if amount > self.balance:
            return False
        self.balance -= amount
        return True


class Savings(Account):
    def __init__(self, balance, rate):
        super().__init__(balance)
        self.rate = rate

    def month(self):
        super().month()
        self.balance += self.balance * self.rate // 100


class Student(Savings):
    fee = 0

    def withdraw(self, amount):
        return super().withdraw(amount + self.fee) if amount < 30 else False


def derived_from_each_other(n):
    accounts = []
    for k in range(n):
        kind = k % 3
        if kind == 0:
            accounts.append(Account(60 * k))
        elif kind == 1:
            accounts.append(Savings(60 * k, 5))
        else:
            accounts.append(Student(60 * k, 7))
    paid = 0
    for amount in (20, 35):
        for account in accounts:
            account.month()
            paid += account.withdraw(amount)
    return paid, sum(account.balance for account in accounts)


class Idle:
    def next(self, machine, coin):
        if coin == 0:
            return self
        machine.credit += coin
        return Paid(machine.credit)


class Paid:
    def __init__(self, credit):
        self.credit = credit

    def next(self, machine, coin):
        if coin > 0:
            machine.credit += coin
            return self
        machine.sold += self.credit
        return Idle()


class Machine:
    def __init__(self):
        self.state, self.credit, self.sold = Idle(), 0, 0


def states(n):
    machine = Machine()
    for k in range(n):
        machine.state = machine.state.next(machine, k * n % 3)
    return machine.credit, machine.sold, isinstance(machine.state, Paid)


class Leaf:
    def __init__(self, symbol, weight):
        self.symbol, self.weight = symbol, weight


class Fork:
    def __init__(self, left, right):
        self.left, self.right = left, right
        self.weight = left.weight + right.weight


def cost(node, depth):
    if isinstance(node, Leaf):
        return depth * node.weight
    return cost(node.left, depth + 1) + cost(node.right, depth + 1)


def huffman(n):
    heap = [(k * k % 7 + 1, k, Leaf(k, k * k % 7 + 1)) for k in range(n)]
    heapq.heapify(heap)
    count = n
    while len(heap) > 1:
        first, _, left = heapq.heappop(heap)
        second, _, right = heapq.heappop(heap)
        heapq.heappush(heap, (first + second, count, Fork(left, right)))
        count += 1
    return cost(heap[0][2], 0) if heap else -1


class Vector:
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return self.x

    def __getitem__(self, k):
        return self.x + k

    def __call__(self, y):
        return self.x * y

    def __eq__(self, other):
        return self.x == other.x

    def __neg__(self):
        return Vector(-self.x)

    def __iter__(self):
        yield from range(self.x)


class Other:
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 2 * self.x

    def __getitem__(self, k):
        return self.x - k

    def __call__(self, y):
        return self.x - y

    def __eq__(self, other):
        return self.x == other.x + 1

    def __neg__(self):
        return Other(self.x + 100)

    def __iter__(self):
        for k in range(self.x):
            yield 2 * k


def operators(n):
    one = Vector(n) if n % 2 else Other(n)
    return len(one), one[2], one(3), one == Vector(3), (-one).x


def iterated(n):
    one, total = Vector(n) if n % 2 else Other(n), 0
    for x in one:
        total = total * 3 + x
    return total


RIGHT = (
    in_a_variable, in_a_list, chosen_by_a_number, in_a_queue_and_a_dict, an_attribute_of_some,
    asked_for_attributes, its_type, none_among_them, derived_from_each_other, states, huffman,
    operators, iterated,
)  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, NUMBERS, jit=False)


@pytest.mark.every(2)
@pytest.mark.parametrize("how", [{"strategy": "local"}, {"strategy": "hybrid"}], ids=str)
def test_they_are_pythons_in_other_ways(how: dict[str, Any]) -> None:
    check(chosen_by_a_number, NUMBERS, **how)


def new_attribute(n):
    figure = Disk(n) if n % 2 else Vector(n)
    if n > 2:
        figure.radius = 5
    return figure.area() if isinstance(figure, Disk) else 0


def test_a_new_attribute_of_some_is_a_limit() -> None:
    result = pcbatch.autobatch(new_attribute).run(np.array([1, 2, 3, 4]), jit=False)
    assert result.value.numpy()[:3].tolist() == [3, 0, 75]
    statuses = result.status.numpy()
    assert statuses[:3].tolist() == [0, 0, 0]
    fault = result.faults[int(statuses[3])]
    assert "assign it in the `__init__` of Vector" in fault.message


def kept_type(n):
    kind, same = type(Disk(n) if n % 2 else Box(n)), 0
    for k in range(n):
        other = type(Box(k) if k % 3 else Disk(k))
        if other is kind:
            same += k
        if k == 4:
            kind = other
    return same, kind is Disk, kind.__name__


def test_its_class_is_kept() -> None:
    check(kept_type, NUMBERS, jit=False)


def its_class_is_the_result(n):
    return type(Disk(n) if n % 2 else Box(n))


def test_its_class_is_no_result() -> None:
    with pytest.raises(pcbatch.ProgramError, match="returns the class of an object"):
        pcbatch.autobatch(its_class_is_the_result).run(np.array([1, 2]), jit=False)


@dataclasses.dataclass
class Sum:
    left: int


@dataclasses.dataclass
class Difference(Sum):
    right: int = 3


def equal_fields(n):
    a, b = Sum(n) if n % 2 else Difference(n), Difference(n)
    return 1 if a == b else 2


@dataclasses.dataclass
class Product:
    left: int


def equal_fields_without_a_base(n):
    a, b = Sum(n) if n % 2 else Product(n), Product(n)
    return 1 if a == b else 2


@dataclasses.dataclass(order=True)
class Mark:
    value: int


@dataclasses.dataclass(order=True)
class Grade(Mark):
    points: int = 0


@dataclasses.dataclass(order=True)
class Rank:
    value: int


def order_of_fields(n):
    return (Grade(3, n) if n > 1 else Mark(3)) < Grade(3, 4)


def order_of_fields_without_a_base(n):
    return (Rank(3) if n > 1 else Mark(3)) < Mark(4)


BY_FIELDS = (
    equal_fields, equal_fields_without_a_base, order_of_fields, order_of_fields_without_a_base,
)  # fmt: skip


@pytest.mark.parametrize("function", BY_FIELDS, ids=lambda f: f.__name__)
def test_all_attributes_are_not_compared(function: Callable[[Any], Any]) -> None:
    with pytest.raises(pcbatch.ProgramError, match="compares all attributes"):
        pcbatch.autobatch(function).run(np.array([1, 2]), jit=False)


def of_a_dataclass_and_one_derived(n):
    one = Sum(n) if n % 2 else Difference(n, 5)
    one.left += 1
    return one.left, one.right if isinstance(one, Difference) else -1


def test_a_class_and_one_derived_from_it() -> None:
    check(of_a_dataclass_and_one_derived, NUMBERS, jit=False)


class Square:
    def __init__(self, side):
        self.side = side
        self.area = side * side


class Round:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return self.radius


def a_method_or_an_attribute(n):
    one = Square(n) if n % 2 else Round(n)
    return one.area if isinstance(one, Square) else one.area()


def test_an_attribute_that_is_a_method_elsewhere_is_refused() -> None:
    with pytest.raises(pcbatch.ProgramError, match="a method, or a property, of another class"):
        pcbatch.autobatch(a_method_or_an_attribute).run(np.array([1, 2]), jit=False)


class Gauge:
    def __init__(self, x):
        self.x = x

    @property
    def level(self):
        return self.x

    @level.setter
    def level(self, x):
        self.x = min(x, 9)

    def raised(self, by):
        self.level = self.level + by


class Meter(Gauge):
    @property
    def level(self):
        return self.x * 2

    @level.setter
    def level(self, x):
        if x > 3:
            self.x = x // 2


def properties_that_methods_assign(n):
    one = Gauge(n) if n % 2 else Meter(n)
    one.raised(3)
    one.level += 1
    return one.x, one.level


def test_properties_that_methods_assign() -> None:
    check(properties_that_methods_assign, NUMBERS, jit=False)


class Piece:
    moves = ((0, 1),)
    worth = 1

    def steps(self):
        return len(self.moves)


class Knight(Piece):
    moves = ((1, 2), (2, 1))
    worth = 3


class Crown(Piece):
    moves = ((1, 1), (1, 0))

    def __len__(self):
        return 5

    def steps(self):
        yield self.worth


def what_the_body_of_a_class_has(n):
    piece, total = Knight() if n % 2 else Crown(), 0
    for k in range(n):
        total += piece.moves[k % 2][0] * piece.moves[k % 2][1]
    return total, piece.worth


def a_special_method_of_one(n):
    return len(Knight() if n % 2 else Crown())


def a_generator_or_a_method(n):
    piece = Knight() if n % 2 else Crown()
    return piece.steps()


def test_what_the_body_of_a_class_has() -> None:
    check(what_the_body_of_a_class_has, NUMBERS, jit=False)


def test_a_special_method_of_one_class() -> None:
    check(a_special_method_of_one, NUMBERS, jit=False)


def test_a_generator_beside_a_method_is_refused() -> None:
    with pytest.raises(
        pcbatch.ProgramError, match="another kind of thing in each of Crown and Kni"
    ):
        pcbatch.autobatch(a_generator_or_a_method).run(np.array([1, 2]), jit=False)


@functools.total_ordering
class Meters:
    places = 2

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value

    def __eq__(self, other):
        return self.value == other.value


@functools.total_ordering
class Yards:
    places = 2

    def __init__(self, yards):
        self.value = yards * 3 // 4

    def __lt__(self, other):
        return self.value < other.value

    def __eq__(self, other):
        return self.value == other.value


def what_classes_without_a_base_have_alike(n):
    one = Meters(n) if n % 2 else Yards(n)
    return one > Meters(3), one <= Yards(4), one.places


def test_what_classes_without_a_base_have_alike() -> None:
    check(what_classes_without_a_base_have_alike, NUMBERS, jit=False)


class Account:
    rate = 0.01

    def __init__(self, balance):
        self.balance = balance

    def month(self):
        self.balance += self.balance * self.rate


class Savings(Account):
    rate = 0.03

    def month(self):
        super().month()
        self.balance -= 1


def the_best_of_a_display(n):
    accounts = [Account(100.0), Savings(float(n) * 30)]
    for _ in range(n % 12):
        for account in accounts:
            account.month()
    richest = max(accounts, key=lambda a: a.balance)
    return richest.balance, isinstance(richest, Savings), sum(a.balance for a in accounts)


def a_display_in_order(n):
    accounts = [Account(100.0), Savings(float(n) * 30), Account(1.5)]
    first, *_ = sorted(accounts, key=lambda a: a.balance)
    accounts.sort(key=lambda a: -a.balance)
    return accounts[0].balance, first.rate, type(accounts[1]).__name__


def the_better_of_two(n):
    a, b = Account(100.0), Savings(float(n) * 30)
    best = max(a, b, key=lambda x: x.balance)
    worse = b if best is a else a
    worse.month()
    return best.rate, isinstance(best, Savings), a.balance


@pytest.mark.parametrize("f", [the_best_of_a_display, a_display_in_order, the_better_of_two])
def test_data_choose_among_objects_of_several_classes(f) -> None:
    check(f, NUMBERS, jit=False)


@pytest.mark.parametrize("strategy", ["local", "loop"])
def test_the_best_under_each_strategy(strategy) -> None:
    check(the_best_of_a_display, NUMBERS, strategy=strategy)
