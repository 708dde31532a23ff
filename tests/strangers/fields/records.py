"""Bookkeeping with dicts and classes, and arrays with masks."""

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Account:
    balance: float
    fees: float = 0.0
    history: list = field(default_factory=list)


def account_after(amounts, fee):
    """Deposits and withdrawals; one that is not covered costs a fee."""
    account = Account(100.0)
    for amount in amounts:
        if amount < 0 and account.balance + amount < 0:
            account.balance -= fee
            account.fees += fee
            continue
        account.balance += amount
        account.history.append(amount)
    return account.balance, account.fees, len(account.history)


def letter_kinds(code):
    """How many digits of a number are even, odd and zero."""
    counts = {"even": 0, "odd": 0, "zero": 0}
    for digit in str(code):
        d = int(digit)
        if d == 0:
            counts["zero"] += 1
        elif d % 2 == 0:
            counts["even"] += 1
        else:
            counts["odd"] += 1
    return counts["even"] * 100 + counts["odd"] * 10 + counts["zero"]


def traffic_light(seconds):
    """How long each color was on; the light changes by its own rules."""
    duration = {"red": 4, "green": 5, "yellow": 1}
    after = {"red": "green", "green": "yellow", "yellow": "red"}
    shown = {"red": 0, "green": 0, "yellow": 0}
    color = "red"
    left = duration[color]
    for _ in range(seconds):
        shown[color] += 1
        left -= 1
        if left == 0:
            color = after[color]
            left = duration[color]
    return shown["red"], shown["green"], shown["yellow"]


@dataclass
class Robot:
    x: int = 0
    y: int = 0
    dx: int = 0
    dy: int = 1

    def distance(self):
        return abs(self.x) + abs(self.y)


def robot_walk(moves):
    """0 turns left, 1 turns right, anything else walks so many steps."""
    robot = Robot()
    for move in moves:
        if move == 0:
            robot.dx, robot.dy = -robot.dy, robot.dx
        elif move == 1:
            robot.dx, robot.dy = robot.dy, -robot.dx
        else:
            robot.x += robot.dx * move
            robot.y += robot.dy * move
    return robot.distance()


def inventory(orders, restock):
    """Sells what is there, and buys anew below a limit."""
    state = {"stock": 20, "sold": 0, "missed": 0, "orders": 0}
    for order in orders:
        sold = min(order, state["stock"])
        state["stock"] -= sold
        state["sold"] += sold
        state["missed"] += order - sold
        if state["stock"] < restock:
            state.update(stock=20, orders=state["orders"] + 1)
    return state["sold"], state["missed"], state["orders"]


def welford(values):
    """Mean and variance in one pass."""
    stats = {"n": 0, "mean": 0.0, "m2": 0.0}
    for x in values:
        stats["n"] += 1
        delta = x - stats["mean"]
        stats["mean"] += delta / stats["n"]
        stats["m2"] += delta * (x - stats["mean"])
    return stats["mean"], stats["m2"] / stats["n"]


def above_average(values):
    """How many are above the mean, and their sum."""
    x = np.array(values)
    above = x[x > x.mean()]
    return len(above), above.sum()


def clipped(values, low, high):
    x = np.array(values)
    x[x < low] = low
    x[x > high] -= (x[x > high] - high) / 2
    return x


def sign_changes(values):
    """Where neighbours have other signs."""
    x = np.array(values)
    places = np.where(x[:-1] * x[1:] < 0)[0]
    if len(places) == 0:
        return -1, 0
    return places[0], len(places)


def moving_particle(steps, bounce):
    """A ball in a box, with its momentum and how often it hit each wall."""
    ball = {"x": 0.25, "v": 0.375}
    hits = {"left": 0, "right": 0}
    for _ in range(steps):
        ball["x"] += ball["v"]
        if ball["x"] > 1:
            ball["x"], ball["v"] = 2 - ball["x"], -bounce * ball["v"]
            hits["right"] += 1
        elif ball["x"] < 0:
            ball["x"], ball["v"] = -ball["x"], -bounce * ball["v"]
            hits["left"] += 1
    return round(ball["x"], 6), hits["left"] + 10 * hits["right"]


def normalized_rows(matrix):
    """Each row is divided by its length; a row of zeros stays."""
    m = np.array(matrix)
    for i in range(len(m)):
        length = math.sqrt((m[i] ** 2).sum())
        if length > 0:
            m[i] /= length
    return m


CASES = [
    (
        account_after,
        [
            ([50.0, -120.0, -60.0, 10.0], 5.0),
            ([-101.0, -100.0, 20.0, 1.0], 7.5),
            ([0.0, 0.0, 0.0, 0.0], 1.0),
            ([1.0, 2.0, 3.0, -107.0], 2.0),
            ([-50.0, -50.0, -50.0, -50.0], 0.5),
            ([10.0, -111.0, -110.0, 5.0], 3.0),
        ],
    ),
    (letter_kinds, [(1024,), (7,), (9000,), (2468,), (0,), (135790,)]),
    (traffic_light, [(0,), (7,), (23,), (100,), (4,), (11,)]),
    (
        robot_walk,
        [
            ([3, 0, 2, 1, 5],),
            ([0, 0, 4, 1, 2],),
            ([7, 1, 7, 1, 7],),
            ([0, 1, 0, 1, 2],),
            ([2, 2, 2, 2, 2],),
            ([5, 0, 5, 0, 5],),
        ],
    ),
    (
        inventory,
        [
            ([5, 9, 30, 2], 5),
            ([1, 1, 1, 1], 3),
            ([20, 20, 25, 0], 10),
            ([0, 0, 0, 0], 0),
            ([19, 1, 1, 1], 2),
            ([100, 1, 100, 1], 20),
        ],
    ),
    (
        welford,
        [
            ([1.0, 2.0, 4.0],),
            ([0.5, 0.5, 0.5],),
            ([-3.0, 8.0, 1.5],),
            ([0.0, 0.0, 9.0],),
            ([1e6, 1e6, 1e6 + 1],),
            ([-1.0, -2.0, -3.0],),
        ],
    ),
    (
        above_average,
        [
            ([1.0, 2.0, 6.0, 3.0],),
            ([5.0, 5.0, 5.0, 5.0],),
            ([-1.0, 0.0, 9.0, 8.0],),
            ([0.0, 1.0, 0.0, 1.0],),
            ([4.0, 3.0, 2.0, 1.0],),
            ([-5.0, -6.0, -7.0, 100.0],),
        ],
    ),
    (
        clipped,
        [
            ([1.0, 9.0, 4.0], 2.0, 5.0),
            ([0.0, 3.0, 6.0], 1.0, 4.0),
            ([2.0, 2.0, 2.0], 1.0, 3.0),
            ([-1.0, -2.0, -3.0], 0.0, 1.0),
            ([7.0, 8.0, 9.0], 0.0, 5.0),
            ([0.5, 0.25, 0.75], 0.5, 0.5),
        ],
    ),
    (
        sign_changes,
        [
            ([1.0, -2.0, 3.0, 3.0],),
            ([1.0, 2.0, 3.0, 4.0],),
            ([2.0, 2.0, -1.0, 1.0],),
            ([0.0, -1.0, 0.0, 1.0],),
            ([-1.0, 1.0, -1.0, 1.0],),
            ([-3.0, -2.0, -1.0, 5.0],),
        ],
    ),
    (moving_particle, [(3, 1.0), (20, 0.5), (50, 1.0), (0, 1.0), (2, 0.25), (10, 0.75)]),
    (
        normalized_rows,
        [
            ([[3.0, 4.0], [0.0, 0.0]],),
            ([[1.0, 1.0], [-5.0, 12.0]],),
            ([[0.0, 0.0], [0.0, 2.0]],),
            ([[8.0, 6.0], [1.0, 0.0]],),
            ([[-1.0, 0.0], [0.0, -1.0]],),
            ([[2.0, 0.0], [3.0, 3.0]],),
        ],
    ),
]
