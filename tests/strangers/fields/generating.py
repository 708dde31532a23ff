"""Sequences without an end, of which a part is taken."""

import itertools
from itertools import islice, takewhile


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def primes():
    found = []
    candidate = 2
    while True:
        if all(candidate % p for p in found):
            found.append(candidate)
            yield candidate
        candidate += 1


def look_and_step(seed):
    while True:
        yield seed
        seed = (seed * 1103515245 + 12345) % 2147483648


def collatz(n):
    while n != 1:
        yield n
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    yield 1


def triangular():
    total = 0
    for k in itertools.count(1):
        total += k
        yield total


def sum_of_first_fibonacci(n):
    return sum(itertools.islice(fibonacci(), n))


def even_fibonacci_below(limit):
    return sum(x for x in takewhile(lambda x: x < limit, fibonacci()) if x % 2 == 0)


def first_primes(n):
    return list(islice(primes(), n))


def nth_prime(n):
    return next(islice(primes(), n - 1, None))


def weighted_digits(digits):
    return sum(d * p for p, d in zip(primes(), digits))


def highest_of_orbit(n):
    steps = 0
    highest = 0
    for steps, x in enumerate(collatz(n)):
        highest = max(highest, x)
    return steps, highest


def first_triangular_with_divisors(wanted):
    for t in triangular():
        divisors = sum(1 for d in range(1, t + 1) if t % d == 0)
        if divisors >= wanted:
            return t


def skipped_and_taken(seed, skip, count):
    draws = []
    for x in islice(look_and_step(seed), skip, skip + count):
        draws.append(x % 100)
    return draws


def primes_from(low):
    total = 0
    for p in itertools.dropwhile(lambda p: p < low, primes()):
        total += p
        if total > 200:
            break
    return total, p


class Node:
    def __init__(self, value):
        self.value = value
        self.left = None
        self.right = None

    def insert(self, value):
        if value < self.value:
            if self.left is None:
                self.left = Node(value)
            else:
                self.left.insert(value)
        elif self.right is None:
            self.right = Node(value)
        else:
            self.right.insert(value)

    def inorder(self):
        if self.left:
            yield from self.left.inorder()
        yield self.value
        if self.right:
            yield from self.right.inorder()


def in_order(n):
    root = Node(n)
    for i in range(n):
        root.insert((i * 7 + n) % 11)
    smaller = 0
    for value in root.inorder():
        if value < n:
            smaller += 1
    return list(root.inorder()), smaller


def permutations(xs, k=0):
    if k == len(xs):
        yield xs[:]
        return
    for i in range(k, len(xs)):
        xs[k], xs[i] = xs[i], xs[k]
        yield from permutations(xs, k + 1)
        xs[k], xs[i] = xs[i], xs[k]


def permuted(n):
    best = 0
    for p in permutations([n, 2, 5]):
        best = max(best, p[0] * 3 + p[1] * 2 - p[2])
    return best


def partitions(n, largest=None):
    if n == 0:
        yield []
        return
    for first in range(min(n, largest or n), 0, -1):
        for rest in partitions(n - first, first):
            yield [first] + rest


def number_of_distinct_partitions(n):
    return sum(1 for p in partitions(n) if len(set(p)) == len(p))


def dice(seed, sides):
    while True:
        seed = (seed * 1103515245 + 12345) % 2147483648
        yield (seed >> 16) % sides + 1


def throws_until_double_six(seed):
    die = dice(seed, 6)
    count = 1
    while (next(die), next(die)) != (6, 6):
        count += 1
        if count > 200:
            return -1
    return count


def snakes_and_ladders(seed, players):
    jumps = {3: 11, 6: 17, 9: 18, 14: 4, 19: 8, 22: 20}
    die = dice(seed, 4)
    places = [0] * players
    order = itertools.cycle(range(players))
    for turn in range(400):
        who = next(order)
        place = places[who] + next(die)
        places[who] = jumps.get(place, place)
        if places[who] >= 24:
            return who, turn
    return None


def merge_sorted(first, second):
    a, b = iter(first), iter(second)
    x, y = next(a, None), next(b, None)
    while x is not None or y is not None:
        if y is None or (x is not None and x <= y):
            yield x
            x = next(a, None)
        else:
            yield y
            y = next(b, None)


def median_of_two(first, second):
    both = list(merge_sorted(sorted(first), sorted(second)))
    middle = len(both) // 2
    return (both[middle] + both[~middle]) / 2


def make_counter(start, step):
    value = start

    def advance():
        nonlocal value
        value += step
        return value

    return advance


def meeting_point(a, step_a, b, step_b):
    first, second = make_counter(a, step_a), make_counter(b, step_b)
    x, y = first(), second()
    for _ in range(60):
        if x == y:
            return x
        if x < y:
            x = first()
        else:
            y = second()
    return -1


class ListNode:
    def __init__(self, value, next):
        self.value = value
        self.next = next


class LinkedList:
    def __init__(self):
        self.head = None

    def push(self, value):
        self.head = ListNode(value, self.head)

    def __iter__(self):
        node = self.head
        while node is not None:
            yield node.value
            node = node.next


def digits_of_sum(a, b):
    numbers = []
    for n in (a, b):
        digits = LinkedList()
        for ch in str(n):
            digits.push(int(ch))
        numbers.append(list(digits))
    carry, out = 0, []
    for x, y in itertools.zip_longest(*numbers, fillvalue=0):
        carry, digit = divmod(x + y + carry, 10)
        out.append(digit)
    if carry:
        out.append(carry)
    return out


def first_difference(seed, other):
    for k, (x, y) in enumerate(zip(dice(seed, 6), dice(other, 6))):
        if x != y or k == 30:
            return k


CASES = [
    (sum_of_first_fibonacci, [(0,), (1,), (2,), (5,), (10,), (30,)]),
    (even_fibonacci_below, [(0,), (2,), (10,), (100,), (1000,), (4000,)]),
    (first_primes, [(0,), (1,), (2,), (5,), (9,), (12,)]),
    (nth_prime, [(1,), (2,), (6,), (10,), (15,), (0,)]),
    (
        weighted_digits,
        [([1, 2, 3],), ([0, 0, 0],), ([9, 9, 9],), ([4, 0, 7],), ([5, 5, 1],), ([2, 8, 6],)],
    ),
    (highest_of_orbit, [(1,), (2,), (3,), (7,), (27,), (16,)]),
    (first_triangular_with_divisors, [(1,), (2,), (3,), (4,), (6,), (8,)]),
    (skipped_and_taken, [(1, 0, 3), (2, 5, 2), (3, 1, 0), (42, 2, 4), (7, 0, 1), (9, 3, 3)]),
    (primes_from, [(0,), (3,), (10,), (20,), (50,), (90,)]),
    (in_order, [(0,), (1,), (3,), (5,), (8,), (10,)]),
    (permuted, [(0,), (1,), (3,), (5,), (8,), (10,)]),
    (number_of_distinct_partitions, [(0,), (1,), (2,), (4,), (5,), (6,)]),
    (throws_until_double_six, [(0,), (1,), (2,), (7,), (99,), (12345,)]),
    (snakes_and_ladders, [(1, 2), (2, 2), (3, 3), (4, 2), (5, 4), (6, 1)]),
    (
        median_of_two,
        [
            ([3, 1], [2, 4, 5]),
            ([1, 9], [9, 9, 9]),
            ([5, 5], [0, 1, 2]),
            ([7, 2], [4, 4, 8]),
            ([0, -1], [3, -6, 2]),
            ([10, 20], [15, 5, 25]),
        ],
    ),
    (
        meeting_point,
        [(0, 3, 1, 5), (2, 2, 3, 2), (0, 7, 0, 9), (5, 4, 0, 3), (1, 1, 10, 1), (0, 6, 4, 8)],
    ),
    (digits_of_sum, [(0, 0), (5, 7), (99, 1), (123, 989), (40, 400), (7, 123456)]),
    (first_difference, [(0, 1), (5, 5), (3, 30), (1000, 1001), (8, 8), (21, 12)]),
]
