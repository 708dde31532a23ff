"""Small classes with methods, and helpers that fill in what they are given."""

import math
from dataclasses import dataclass


@dataclass
class Wallet:
    coins: int
    debts: int = 0

    def pay(self, amount):
        if amount <= self.coins:
            self.coins -= amount
            return True
        self.debts += amount - self.coins
        self.coins = 0
        return False

    def earn(self, amount):
        paid_back = min(amount, self.debts)
        self.debts -= paid_back
        self.coins += amount - paid_back


def month_of_spending(start, amounts):
    """Negative amounts are spent, positive ones earned; debts are paid back first."""
    wallet = Wallet(start)
    failures = 0
    for amount in amounts:
        if amount >= 0:
            wallet.earn(amount)
        elif not wallet.pay(-amount):
            failures += 1
    return wallet.coins, wallet.debts, failures


@dataclass
class Fighter:
    health: int
    strength: int

    def hit(self, other):
        other.health -= self.strength
        if other.health < 0:
            other.health = 0


def duel(health, strength, other_health, other_strength):
    """Two fighters hit each other in turn; who wins, and with how much health."""
    a = Fighter(health, strength)
    b = Fighter(other_health, other_strength)
    rounds = 0
    while a.health > 0 and b.health > 0 and rounds < 50:
        if rounds % 2 == 0:
            a.hit(b)
        else:
            b.hit(a)
        rounds += 1
    return rounds, a.health, b.health


@dataclass
class Planet:
    x: float
    v: float
    mass: float

    def pull(self, other, dt):
        d = other.x - self.x
        self.v += dt * other.mass * d / (abs(d) ** 3 + 0.1)

    def move(self, dt):
        self.x += self.v * dt


def three_on_a_line(x1, x2, x3, steps):
    """Three bodies on a line that pull at each other."""
    planets = [Planet(x1, 0.0, 1.0), Planet(x2, 0.0, 2.0), Planet(x3, 0.0, 0.5)]
    for _ in range(steps):
        for p in planets:
            for q in planets:
                if p is not q:
                    p.pull(q, 0.1)
        for p in planets:
            p.move(0.1)
    return round(planets[0].x, 6), round(planets[1].x, 6), round(planets[2].x, 6)


@dataclass
class Statistics:
    n: int = 0
    mean: float = 0.0
    m2: float = 0.0

    def push(self, x):
        self.n += 1
        delta = x - self.mean
        self.mean += delta / self.n
        self.m2 += delta * (x - self.mean)

    def deviation(self):
        if self.n < 2:
            return 0.0
        return math.sqrt(self.m2 / (self.n - 1))


def running_deviation(xs):
    """The standard deviation, one number after the other."""
    stats = Statistics()
    for x in xs:
        stats.push(x)
    return stats.mean, stats.deviation()


def tally(counts, vote):
    if vote == 1:
        counts["yes"] += 1
    elif vote == 0:
        counts["no"] += 1
    else:
        counts["invalid"] += 1


def election(votes):
    """The margin of yes over no, and how many votes did not count."""
    counts = {"yes": 0, "no": 0, "invalid": 0}
    for vote in votes:
        tally(counts, vote)
    return counts["yes"] - counts["no"], counts["invalid"]


def collatz_tree(n, depth):
    """How many numbers lead to n in so many steps, and the largest of them."""
    found = {"count": 0, "largest": 0}

    def climb(k, left):
        found["count"] += 1
        found["largest"] = max(found["largest"], k)
        if left > 0:
            climb(2 * k, left - 1)
            if k % 6 == 4:
                climb((k - 1) // 3, left - 1)

    climb(n, depth)
    return found["count"], found["largest"]


def hanoi_counts(n, log):
    if n == 0:
        return
    hanoi_counts(n - 1, log)
    log["moves"] += 1
    if n % 2 == 0:
        log["even"] += 1
    hanoi_counts(n - 1, log)


def hanoi_moves(n):
    """The moves of the towers of Hanoi, and how many of them move a disk with an even number."""
    log = {"moves": 0, "even": 0}
    hanoi_counts(n, log)
    return log["moves"], log["even"]


@dataclass
class Job:
    cost: int
    number: int


def cheapest_job(costs, limit):
    """The first cheapest job that costs no more than the limit."""
    best = None
    for i in range(len(costs)):
        job = Job(costs[i], i)
        if job.cost > limit:
            continue
        if best is None or job.cost < best.cost:
            best = job
    if best is None:
        return -1, 0
    return best.number, best.cost


@dataclass
class Register:
    value: int = 0
    carry: bool = False

    def shift_in(self, bit):
        self.carry = self.value >= 128
        self.value = (self.value * 2 + bit) % 256
        return self

    def rotate(self):
        self.shift_in(0)
        if self.carry:
            self.value += 1
        return self


def shift_register(start, bits):
    """An eight-bit register into which bits are shifted, rotated after each."""
    register = Register(start)
    carries = 0
    for bit in bits:
        register.shift_in(bit).rotate()
        if register.carry:
            carries += 1
    return register.value, carries


class Turtle:
    def __init__(self, heading):
        self.x = 0
        self.y = 0
        self.heading = heading

    def forward(self, steps):
        if self.heading % 2 == 0:
            self.y += steps
        else:
            self.x += steps


def turtle_path(heading, steps):
    """A turtle that turns after each stretch."""
    turtle = Turtle(heading)
    for step in steps:
        turtle.forward(step)
        turtle.heading += 1
    return turtle.x, turtle.y


CASES = [
    (
        month_of_spending,
        [
            (10, [-3, -4, 5, -9]),
            (0, [-1, -2, 10, 1]),
            (100, [-200, 50, 50, 50]),
            (7, [0, 0, 0, 0]),
            (5, [-5, -5, 5, 5]),
            (1, [3, -4, 2, -2]),
        ],
    ),
    (duel, [(10, 3, 8, 2), (5, 1, 5, 1), (0, 1, 9, 9), (30, 4, 40, 3), (7, 0, 7, 0), (1, 9, 9, 9)]),
    (
        three_on_a_line,
        [
            (0.0, 1.0, 3.0, 5),
            (-1.0, 0.0, 1.0, 10),
            (2.0, 5.0, 9.0, 0),
            (0.5, 0.75, 1.0, 3),
            (0.0, 10.0, 20.0, 8),
            (1.0, -1.0, 4.0, 12),
        ],
    ),
    (
        running_deviation,
        [
            ([1.0, 2.0, 4.0],),
            ([0.0, 0.0, 0.0],),
            ([5.5, -5.5, 0.0],),
            ([1.0, 1.0, 2.0],),
            ([100.0, 101.0, 99.0],),
            ([-1.0, -2.0, -6.0],),
        ],
    ),
    (
        election,
        [
            ([1, 1, 0, 2],),
            ([0, 0, 0, 0],),
            ([9, 9, 1, 1],),
            ([1, 0, 1, 0],),
            ([1, 1, 1, 1],),
            ([2, 2, 2, 2],),
        ],
    ),
    (collatz_tree, [(1, 4), (8, 3), (10, 5), (5, 0), (16, 4), (4, 6)]),
    (hanoi_moves, [(0,), (1,), (2,), (3,), (5,), (6,)]),
    (
        cheapest_job,
        [
            ([5, 3, 8, 3], 10),
            ([5, 3, 8, 3], 2),
            ([9, 1, 1, 9], 1),
            ([4, 4, 4, 4], 4),
            ([7, 6, 5, 4], 6),
            ([0, 0, 0, 0], -1),
        ],
    ),
    (
        shift_register,
        [
            (0, [1, 0, 1, 1]),
            (255, [0, 0, 0, 0]),
            (128, [1, 1, 1, 1]),
            (85, [0, 1, 0, 1]),
            (1, [0, 0, 1, 0]),
            (200, [1, 0, 0, 1]),
        ],
    ),
    (
        turtle_path,
        [
            (0, [1, 2, 3]),
            (1, [4, 0, 2]),
            (2, [5, 5, 5]),
            (3, [1, 1, 1]),
            (4, [0, 7, 0]),
            (5, [2, 2, 9]),
        ],
    ),
]
