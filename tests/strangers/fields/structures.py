"""Classes as a textbook on data structures and simulation writes them, without decorators."""

import math
from functools import total_ordering

import numpy as np


class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        if self.is_empty():
            raise IndexError("pop from an empty stack")
        return self.items.pop()

    def peek(self):
        return self.items[-1]

    def is_empty(self):
        return len(self.items) == 0

    def size(self):
        return len(self.items)


def postfix_value(codes):
    """Evaluate a postfix expression: 100 is plus, 101 minus, 102 times, others are numbers."""
    stack = Stack()
    for code in codes:
        if code < 100:
            stack.push(code)
            continue
        b = stack.pop()
        a = stack.pop()
        if code == 100:
            stack.push(a + b)
        elif code == 101:
            stack.push(a - b)
        else:
            stack.push(a * b)
    return stack.pop()


class DisjointSet:
    def __init__(self, n):
        self.parent = list(range(n))
        self.rank = [0] * n
        self.count = n

    def find(self, x):
        if self.parent[x] != x:
            self.parent[x] = self.find(self.parent[x])
        return self.parent[x]

    def union(self, x, y):
        rx, ry = self.find(x), self.find(y)
        if rx == ry:
            return False
        if self.rank[rx] < self.rank[ry]:
            rx, ry = ry, rx
        self.parent[ry] = rx
        if self.rank[rx] == self.rank[ry]:
            self.rank[rx] += 1
        self.count -= 1
        return True


def islands(n, seed):
    """How many components are left after n random edges on ten nodes."""
    sets = DisjointSet(10)
    for _ in range(n):
        seed = (seed * 1103 + 12345) % 65536
        sets.union(seed % 10, seed // 10 % 10)
    return sets.count


class MinHeap:
    def __init__(self):
        self.heap = []

    def __len__(self):
        return len(self.heap)

    def push(self, value):
        self.heap.append(value)
        i = len(self.heap) - 1
        while i > 0:
            parent = (i - 1) // 2
            if self.heap[parent] <= self.heap[i]:
                break
            self.heap[parent], self.heap[i] = self.heap[i], self.heap[parent]
            i = parent

    def pop(self):
        top = self.heap[0]
        last = self.heap.pop()
        if self.heap:
            self.heap[0] = last
            self._sift_down(0)
        return top

    def _sift_down(self, i):
        n = len(self.heap)
        while True:
            smallest = i
            for child in (2 * i + 1, 2 * i + 2):
                if child < n and self.heap[child] < self.heap[smallest]:
                    smallest = child
            if smallest == i:
                return
            self.heap[i], self.heap[smallest] = self.heap[smallest], self.heap[i]
            i = smallest


def cookies(sweetness, wanted):
    """Combine the two least sweet until all are sweet enough; how many steps that takes."""
    heap = MinHeap()
    for value in sweetness:
        heap.push(value)
    steps = 0
    while len(heap) > 1:
        least = heap.pop()
        if least >= wanted:
            return steps
        heap.push(least + 2 * heap.pop())
        steps += 1
    return steps if heap.pop() >= wanted else -1


class FenwickTree:
    def __init__(self, size):
        self.size = size
        self.tree = [0] * (size + 1)

    def update(self, index, delta):
        index += 1
        while index <= self.size:
            self.tree[index] += delta
            index += index & -index

    def prefix_sum(self, index):
        total = 0
        index += 1
        while index > 0:
            total += self.tree[index]
            index -= index & -index
        return total


def inversions(values):
    """How many pairs stand in the wrong order, by a Fenwick tree."""
    tree = FenwickTree(16)
    count = 0
    for seen, value in enumerate(values):
        count += seen - tree.prefix_sum(value)
        tree.update(value, 1)
    return count


class Rational:
    def __init__(self, numerator, denominator=1):
        if denominator == 0:
            raise ZeroDivisionError("denominator is zero")
        if denominator < 0:
            numerator, denominator = -numerator, -denominator
        divisor = math.gcd(numerator, denominator)
        self.numerator = numerator // divisor
        self.denominator = denominator // divisor

    def __add__(self, other):
        return Rational(
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        )

    def __mul__(self, other):
        return Rational(self.numerator * other.numerator, self.denominator * other.denominator)

    def __truediv__(self, other):
        return Rational(self.numerator * other.denominator, self.denominator * other.numerator)

    def __eq__(self, other):
        return self.numerator == other.numerator and self.denominator == other.denominator


def continued_fraction(a, b, c):
    """a + 1 / (b + 1 / c) as a fraction in its lowest terms."""
    one = Rational(1)
    value = Rational(a) + one / (Rational(b) + one / Rational(c))
    return value.numerator, value.denominator


class Matrix:
    def __init__(self, rows):
        self.rows = rows
        self.size = len(rows)

    @classmethod
    def identity(cls, n):
        return cls([[1 if i == j else 0 for j in range(n)] for i in range(n)])

    def __matmul__(self, other):
        n = self.size
        result = [[0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                for k in range(n):
                    result[i][j] += self.rows[i][k] * other.rows[k][j]
        return Matrix(result)

    def power(self, exponent):
        result = Matrix.identity(self.size)
        base = self
        while exponent > 0:
            if exponent % 2 == 1:
                result = result @ base
            base = base @ base
            exponent //= 2
        return result


def tribonacci(n):
    """The n-th tribonacci number by a power of a matrix."""
    step = Matrix([[1, 1, 1], [1, 0, 0], [0, 1, 0]])
    return step.power(n).rows[0][2]


class Account:
    interest = 0.02

    def __init__(self, balance):
        self.balance = balance
        self.transactions = 0

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("the amount must be positive")
        self.balance += amount
        self.transactions += 1

    def withdraw(self, amount):
        if amount > self.available():
            return False
        self.balance -= amount
        self.transactions += 1
        return True

    def available(self):
        return self.balance

    def end_of_year(self):
        self.balance *= 1 + self.interest


class CheckingAccount(Account):
    interest = 0.0

    def __init__(self, balance, overdraft):
        super().__init__(balance)
        self.overdraft = overdraft

    def available(self):
        return self.balance + self.overdraft


def two_accounts(amounts):
    """Amounts go from one account to another; the year ends after each third one."""
    savings, checking = Account(100.0), CheckingAccount(50.0, 30.0)
    for day, amount in enumerate(amounts, 1):
        if amount < 0:
            if checking.withdraw(-amount):
                savings.deposit(-amount)
        elif savings.withdraw(amount):
            checking.deposit(amount)
        if day % 3 == 0:
            savings.end_of_year()
            checking.end_of_year()
    return savings.balance, checking.balance, savings.transactions


class Temperature:
    def __init__(self, celsius):
        self.celsius = celsius

    @property
    def celsius(self):
        return self._celsius

    @celsius.setter
    def celsius(self, value):
        if value < -273.15:
            raise ValueError("below absolute zero")
        self._celsius = value

    @property
    def fahrenheit(self):
        return self.celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self.celsius = (value - 32) * 5 / 9


def cooling(start, steps):
    """Fahrenheit drops by 60 in each step, which may be too much."""
    temperature = Temperature(start)
    for _ in range(steps):
        temperature.fahrenheit -= 60
    return temperature.celsius


class PIDController:
    def __init__(self, kp, ki, kd, target):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.target = target
        self.integral = 0.0
        self.last_error = None

    def update(self, value, dt):
        error = self.target - value
        self.integral += error * dt
        derivative = 0.0
        if self.last_error is not None:
            derivative = (error - self.last_error) / dt
        self.last_error = error
        return self.kp * error + self.ki * self.integral + self.kd * derivative


def oven(outside, target):
    """Minutes until an oven is within a degree of its target."""
    controller = PIDController(0.8, 0.05, 0.1, target)
    temperature = outside
    minutes = 0
    while abs(temperature - target) > 1.0 and minutes < 100:
        heating = min(max(controller.update(temperature, 1.0), 0.0), 50.0)
        temperature += 0.5 * heating - 0.05 * (temperature - outside)
        minutes += 1
    return minutes


class LifeBoard:
    def __init__(self, size, seed):
        self.size = size
        self.cells = np.zeros((size, size), dtype=int)
        for i in range(size):
            for j in range(size):
                seed = (seed * 75 + 74) % 65537
                self.cells[i, j] = seed % 3 == 0

    def neighbours(self, i, j):
        total = -self.cells[i, j]
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                total += self.cells[(i + di) % self.size, (j + dj) % self.size]
        return total

    def step(self):
        new = np.zeros((self.size, self.size), dtype=int)
        for i in range(self.size):
            for j in range(self.size):
                n = self.neighbours(i, j)
                if n == 3 or (n == 2 and self.cells[i, j]):
                    new[i, j] = 1
        self.cells = new


def life(seed, generations):
    """How many cells live on a small torus after some generations."""
    board = LifeBoard(4, seed)
    for _ in range(generations):
        board.step()
    return int(board.cells.sum())


@total_ordering
class Version:
    def __init__(self, major, minor, patch):
        self.major, self.minor, self.patch = major, minor, patch

    def _key(self):
        return (self.major, self.minor, self.patch)

    def __eq__(self, other):
        return self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key()


def newest(numbers):
    """The newest of three versions, and how many are older than 2.0.0."""
    versions = [Version(n // 100, n // 10 % 10, n % 10) for n in numbers]
    best = max(versions)
    older = sum(1 for v in versions if v < Version(2, 0, 0))
    return best.major, best.minor, best.patch, older


class Elevator:
    def __init__(self, floors):
        self.floors = floors
        self.floor = 0
        self.moved = 0
        self.calls = set()

    def call(self, floor):
        if not 0 <= floor < self.floors:
            raise ValueError("no such floor")
        if floor != self.floor:
            self.calls.add(floor)

    def step(self):
        nearest = min(self.calls, key=lambda f: (abs(f - self.floor), f))
        direction = 1 if nearest > self.floor else -1
        self.floor += direction
        self.moved += 1
        if self.floor in self.calls:
            self.calls.remove(self.floor)


def rides(calls):
    """How many floors an elevator moves to answer all calls, the nearest first."""
    elevator = Elevator(12)
    for floor in calls:
        elevator.call(floor)
    while elevator.calls:
        elevator.step()
    return elevator.moved


class Ship:
    def __init__(self, x, y, length, vertical):
        self.cells = [(x, y + k) if vertical else (x + k, y) for k in range(length)]
        self.hits = 0

    def is_hit(self, x, y):
        if (x, y) in self.cells:
            self.hits += 1
            return True
        return False

    def is_sunk(self):
        return self.hits == len(self.cells)


def battleship(x, y, vertical):
    """Shots along a diagonal and a row until the ship has sunk; the number of shots, or -1."""
    ship = Ship(x, y, 3, vertical)
    shots = 0
    for row in range(6):
        for column in range(6):
            shots += 1
            ship.is_hit(column, row)
            if ship.is_sunk():
                return shots
    return -1


class ListNode:
    def __init__(self, value, following=None):
        self.value = value
        self.following = following


def reversed_digits(n):
    """The digits of a number, read from a linked list."""
    head = None
    while n > 0:
        head = ListNode(n % 10, head)
        n //= 10
    total = 0
    while head is not None:
        total = total * 10 + head.value
        head = head.following
    return total


class TreeNode:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None

    def insert(self, key):
        if key < self.key:
            if self.left is None:
                self.left = TreeNode(key)
            else:
                self.left.insert(key)
        elif self.right is None:
            self.right = TreeNode(key)
        else:
            self.right.insert(key)

    def height(self):
        left = self.left.height() if self.left is not None else 0
        right = self.right.height() if self.right is not None else 0
        return 1 + max(left, right)


def tree_height(keys):
    """The height of a search tree after all keys have been inserted."""
    root = TreeNode(keys[0])
    for key in keys[1:]:
        root.insert(key)
    return root.height()


CASES = [
    (
        postfix_value,
        [
            ([3, 4, 100, 2, 102],),
            ([9, 5, 101, 7, 100],),
            ([1, 2, 3, 102, 100],),
            ([8, 8, 101, 8, 102],),
            ([5, 100, 1, 2, 3],),
            ([99, 98, 102, 1, 101],),
        ],
    ),
    (islands, [(0, 1), (3, 7), (9, 99), (15, 5), (30, 12345), (1, 0)]),
    (
        cookies,
        [
            ([1, 2, 3, 9, 10, 12], 7),
            ([5, 5, 5, 5, 5, 5], 5),
            ([1, 1, 1, 1, 1, 1], 90),
            ([2, 30, 4, 8, 1, 6], 20),
            ([7, 1, 7, 1, 7, 1], 10),
            ([0, 0, 0, 0, 0, 0], 1),
        ],
    ),
    (
        inversions,
        [
            ([3, 1, 2, 0, 4, 5],),
            ([5, 4, 3, 2, 1, 0],),
            ([0, 1, 2, 3, 4, 5],),
            ([7, 15, 0, 9, 9, 2],),
            ([1, 1, 1, 1, 1, 1],),
            ([2, 3, 15, 14, 0, 1],),
        ],
    ),
    (continued_fraction, [(1, 2, 3), (0, 1, 1), (3, 7, 16), (2, -1, 1), (5, 0, 4), (1, 1, 0)]),
    (tribonacci, [(0,), (1,), (5,), (17,), (30,), (2,)]),
    (
        two_accounts,
        [
            ([10.0, -20.0, 30.0, 5.0],),
            ([-90.0, -10.0, 200.0, 1.0],),
            ([50.0, 40.0, -60.5, 20.0],),
            ([99.0, -140.0, 7.0, -1.0],),
            ([0.0, -0.5, 3.0, 4.0],),
            ([1.0, 1.0, 1.0, 300.0],),
        ],
    ),
    (cooling, [(20.0, 2), (100.0, 5), (-100.0, 6), (0.0, 0), (400.0, 20), (1.5, 1)]),
    (oven, [(20.0, 180.0), (15.0, 60.0), (25.0, 25.5), (5.0, 230.0), (0.0, 90.0), (30.0, 10.0)]),
    (life, [(1, 0), (2, 1), (3, 2), (4, 3), (77, 3), (1000, 2)]),
    (
        newest,
        [
            ([123, 201, 199],),
            ([100, 100, 99],),
            ([310, 205, 311],),
            ([1, 2, 3],),
            ([200, 199, 198],),
            ([555, 554, 556],),
        ],
    ),
    (
        rides,
        [
            ([3, 7, 1],),
            ([0, 0, 0],),
            ([11, 5, 5],),
            ([12, 1, 2],),
            ([2, 9, 4],),
            ([1, 0, 11],),
        ],
    ),
    (
        battleship,
        [(0, 0, True), (3, 2, False), (5, 3, True), (5, 5, False), (1, 1, True), (2, 0, False)],
    ),
    (reversed_digits, [(120,), (7,), (98765,), (0,), (11,), (90909,)]),
    (
        tree_height,
        [
            ([5, 3, 8, 1, 4],),
            ([1, 2, 3, 4, 5],),
            ([3, 1, 2, 5, 4],),
            ([9, 7, 8, 2, 3],),
            ([1, 1, 1, 1, 1],),
            ([2, 1, 3, 0, 4],),
        ],
    ),
]
