"""Structures: tuples, dicts, NamedTuples, vectors, shared arguments, captured tensors."""

from __future__ import annotations

import collections
import dataclasses
from typing import NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from tests.conformance.programs.record import Program, doubles, floats, ints


@pcbatch.autobatch
def min_max_sum(xs, n):
    low, high = xs[0], xs[0]
    total = 0
    for i in range(n):
        low = min(low, xs[i])
        high = max(high, xs[i])
        total += xs[i]
    return (low, high), total


@pcbatch.autobatch(in_axes=(0, {"bound": None, "rate": 0}))
def dict_argument(point, config):
    """A dict as argument and as result; one leaf of `config` is shared."""
    x, y = point["x"], point["y"]
    steps = 0
    while x * x + y * y < config["bound"] and steps < 12:
        x, y = x + config["rate"] * y, y + config["rate"] * x
        steps += 1
    return {"x": x, "y": y, "steps": steps}


class State(NamedTuple):
    """Carried through loops and recursion by the programs below."""

    position: tf.Tensor
    velocity: tf.Tensor
    bounces: tf.Tensor


@pcbatch.autobatch
def bounce(position, velocity, steps):
    state = State(position, velocity, 0)
    for _ in range(steps):
        state = advance(state)
        if state.position < 0:
            state = state._replace(position=-state.position, velocity=-state.velocity)
            state = State(*state[:2], bounces=state.bounces + 1)
    return state


@pcbatch.autobatch
def advance(state):
    velocity = state.velocity - 2
    return State(state.position + velocity, velocity, state.bounces)


@dataclasses.dataclass
class Ball:
    """One whose attributes are assigned."""

    height: float
    speed: float = 0.0


@pcbatch.autobatch
def bouncing_ball(height, bounces):
    """An object and a dict of texts, whose values are assigned."""
    ball, counts = Ball(height), {"steps": 0, "down": 0, "up": 0, "bounces": 0}
    while counts["bounces"] < bounces:
        ball.speed -= 1.0
        ball.height += ball.speed
        counts["steps"] += 1
        counts["down" if ball.speed < 0 else "up"] += 1
        if ball.height < 0.0:
            ball.height, ball.speed = -ball.height, -0.5 * ball.speed
            counts["bounces"] += 1
    return ball.height, ball.speed, counts


def thrown(heights, height):
    heights[0] = height
    return len(heights)


@pcbatch.autobatch
def one_of_several_balls(height, n):
    """An object, and a list that a helper changes, that a member's number chooses."""
    balls = [Ball(height), Ball(2.0 * height, 1.0), Ball(height + 3.0, 2.0)]
    rows, lowest = [[0.0, 1.0], [2.0, 3.0]], 0
    for i in range(1, 3):
        if balls[i].height < balls[lowest].height:
            lowest = i
    chosen = balls[n % 3]
    thrown(rows[n % 2], chosen.height)
    return balls[lowest].speed, chosen.height, rows[0][0], rows[1][0]


@pcbatch.autobatch
def recursive_state(state, depth):
    """A NamedTuple as argument and result of a recursive function."""
    if depth == 0:
        return state
    inner = recursive_state(state._replace(position=state.position + depth), depth - 1)
    if inner.position % 2 == 0:
        return State(inner.position // 2, inner.velocity + state.velocity, inner.bounces + 1)
    return recursive_state(inner._replace(bounces=inner.bounces + 10), depth - 1)


@pcbatch.autobatch(in_axes=(0, None))
def table_walk(i, table):
    """A shared table: follow it until a fixed point or a cycle of twelve steps."""
    steps = 0
    while table[i] != i and steps < 12:
        i = table[i]
        steps += 1
    return i, steps


_PRIMES = tf.constant([2, 3, 5, 7, 11, 13], tf.int32)
_WEIGHTS = tf.constant([[0.5, -1.0], [2.0, 0.25], [1.0, 1.0]], tf.float32)


@pcbatch.autobatch
def captured_table(n):
    """A captured tensor is shared by all members."""
    count = 0
    for i in range(6):
        while n % _PRIMES[i] == 0 and n > 0:
            n //= _PRIMES[i]
            count += 1
    return count, n


@pcbatch.autobatch
def captured_matrix(x, limit):
    """A vector per member and a captured matrix, until a norm is reached."""
    trips = 0
    while tf.reduce_sum(x * x) < limit and trips < 20:
        hidden = tf.linalg.matvec(_WEIGHTS, x)
        x = hidden[:2] + hidden[2] * 0.5
        trips += 1
    return x, trips


@pcbatch.autobatch
def unpacking(a, b, c):
    (x, y), *rest = (a, b), c, a + b, b + c
    first, *middle, last = rest
    [p, q] = [x + last, y - first]
    if p > q:
        p, (q, x) = q, (x, p)
    return p, q, x, middle[0], {"nested": (y, [first, last])}


@pcbatch.autobatch
def clip_rows(matrix, limit):
    """A matrix per member, reduced until its norm is below the limit."""
    halvings = 0
    while tf.reduce_max(tf.abs(matrix)) > limit:
        matrix = matrix * 0.5
        halvings += 1
    return matrix, halvings


@pcbatch.autobatch
def vector_branch(x, flag):
    """Branches on per-member booleans with vectors on both sides."""
    if flag:
        y = tf.reverse(x, [0])
    elif x[0] > x[1]:
        y = x * 2
    else:
        y = tf.zeros_like(x)
    return y, tf.reduce_sum(y)


@pcbatch.autobatch
def list_state(n):
    """A list of fixed length as a variable, with static indices."""
    window = [0, 1, 1]
    for _ in range(n):
        window = [window[1], window[2], (window[0] + window[1] + window[2]) % 1000]
    return window[2], sum(window)


@pcbatch.autobatch(static_argnames=("scale",))
def static_branch(x, scale):
    """A condition on a Python value is decided while tracing."""
    if isinstance(scale, tuple):
        factor = scale[0] + len(scale)
    else:
        factor = scale
    return x * factor


@pcbatch.autobatch
def static_structures(n):
    options = {"fast": (1, 2), "slow": 3}
    total = 0
    for name in options:
        if name == "fast":
            total += n * options[name][1]
        else:
            total -= options["slow"]
    for position, value in enumerate((4, 5, 6)):
        total += position * value
    for left, right in zip((1, 2), (n, n + 1)):
        total += left * right
    return total


_STRIDES = collections.defaultdict(int, {1: 2, 3: 5})
_NAMES = collections.OrderedDict(last=3, first=1)
_COUNTS = collections.Counter("abca")


@pcbatch.autobatch
def captured_dicts(n):
    """Dicts of the kinds that the library has, read as they are."""
    total = _STRIDES[3] * n
    for key in _NAMES:
        while total < 10 * _NAMES[key]:
            total += _STRIDES[1] + _COUNTS["a"]
    return total


@pcbatch.autobatch
def weak_accumulator(xs):
    """`total = 0` meets floats and becomes one."""
    total = 0
    count = 0
    for i in range(3):
        if xs[i] > 0:
            total += xs[i]
            count += 1
    mean = total / count if count > 0 else -1
    return total, mean


_RNG = np.random.default_rng(3)
_FIXED_POINT_TABLE = ints(0, 0, 1, 2, 7, 6, 5, 4, 8, 3)
_ROWS = _RNG.integers(-9, 10, size=(8, 5)).astype(np.int32)


@pcbatch.autobatch
def two_largest(n, start):
    """Variables that are None until there is a value, and a dict that may have no value."""
    first = second = None
    last = {}
    for k in range(n):
        x = (start + k * 7) % 11
        if first is None or x > first:
            first, second = x, first
        elif second is None or x > second:
            second = x
        before = last.get(x % 4)
        if before is not None:
            first += before
        last[x % 4] = k
    return -1 if first is None else first, second or -1, second is None


@pcbatch.autobatch
def fewest_coins(n, x):
    """A recursion whose result is None for some members, and so is a part of it for others."""
    if n < 0:
        return None
    if n == 0:
        return 0, None, np.array([x, 1.0])
    best = None
    for coin in (3, 7, 8):
        rest = fewest_coins(n - coin, x)
        if rest is not None and (best is None or rest[0] + 1 < best[0]):
            best = rest[0] + 1, coin, rest[2] + 1.0
    return best


PROGRAMS = (
    Program(
        "fewest_coins",
        fewest_coins,
        (ints(0, 1, 2, 3, 5, 9, 12, 13, -1), doubles(0, 3, 1, 5, 9, 2, 7, 4, 1)),
        plain="python",
        tags=("xla", "turn"),
    ),
    Program(
        "two_largest",
        two_largest,
        (ints(0, 1, 2, 3, 5, 9, 12, 20), ints(0, 3, 1, 5, 9, 2, 7, 4)),
        tags=("xla",),
    ),
    Program("tuple_results", min_max_sum, (_ROWS, ints(0, 1, 2, 3, 4, 5, 5, 5))),
    Program(
        "dict_argument",
        dict_argument,
        (
            {"x": floats(0, 1, 1, -1, 3, 0.5, 2, 0), "y": floats(0, 0, 1, 1, 4, 0.5, -1, 1)},
            {"bound": np.float32(20.0), "rate": floats(0, 1, 0.5, 0.5, 1, 0.25, 0.25, 2)},
        ),
        in_axes=(0, {"bound": None, "rate": 0}),
        roundings=24,
    ),
    Program(
        "namedtuple_loop",
        bounce,
        (
            ints(0, 10, 5, 30, 1, 100, 7, 3),
            ints(5, 0, -5, 3, 20, -9, 1, 2),
            ints(0, 1, 5, 9, 12, 20, 7, 3),
        ),
        tags=("xla",),
    ),
    Program(
        "namedtuple_recursion",
        recursive_state,
        (
            State(
                ints(0, 1, 2, 3, 4, 5, 6, 7),
                ints(1, 1, 2, 0, 5, -1, 3, 2),
                ints(0, 0, 0, 5, 0, 0, 0, 0),
            ),
            ints(0, 1, 2, 3, 4, 5, 6, 3),
        ),
    ),
    Program(
        "shared_table",
        table_walk,
        (ints(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), _FIXED_POINT_TABLE),
        in_axes=(0, None),
        tags=("xla",),
    ),
    Program("captured_table", captured_table, (ints(0, 1, 2, 12, 360, 17, 1001, 30030),)),
    Program(
        "captured_matrix",
        captured_matrix,
        (_RNG.normal(size=(8, 2)).astype(np.float32), floats(0, 1, 5, 50, 1e3, 10, 2, 100)),
        roundings=80,
        plain="tensor",
    ),
    Program(
        "bouncing_ball",
        bouncing_ball,
        (floats(0.5, 1, 4, 6, 8, 10, 25, 40), ints(0, 1, 2, 3, 1, 2, 3, 4)),
        plain="python",
        tags=("xla",),
    ),
    Program(
        "one_of_several_balls",
        one_of_several_balls,
        (floats(0.5, 1, 4, 6, -8, 10, 25, -40), ints(0, 1, 2, 3, 1, 2, -3, -4)),
        plain="python",
    ),
    Program(
        "unpacking",
        unpacking,
        (
            ints(0, 1, 5, 3, -4, 9, 7, 2),
            ints(0, 2, 1, 3, 8, -9, 7, 1),
            ints(0, 3, 2, 1, 5, 4, -7, 6),
        ),
    ),
    Program(
        "matrix_member",
        clip_rows,
        (_RNG.normal(size=(8, 2, 3)).astype(np.float32) * 8, floats(1, 2, 4, 8, 100, 0.5, 3, 1)),
        plain="tensor",
    ),
    Program(
        "vector_branch",
        vector_branch,
        (_RNG.integers(-9, 10, size=(9, 4)).astype(np.float32), np.arange(9) % 3 == 0),
        plain="tensor",
    ),
    Program("list_state", list_state, (ints(0, 1, 2, 3, 5, 9, 20, -1),)),
    Program(
        "static_branch", static_branch, (ints(0, 1, 2, 3, 4, 5, 6, 7),), static={"scale": (4, 5)}
    ),
    Program("static_structures", static_structures, (ints(0, 1, 2, 3, 4, 5, 6, 7),)),
    Program(
        "weak_accumulator",
        weak_accumulator,
        (
            np.array(
                [
                    [0, 0, 0],
                    [1, 2, 3],
                    [-1, 5, -2],
                    [0.5, 0.25, 0],
                    [1e9, -1, 1],
                    [-1, -2, -3],
                    [3, 3, 3],
                    [2, 0, 7],
                ],
                np.float64,
            ),
        ),
        roundings=4,
    ),
    Program("captured_dicts", captured_dicts, (ints(0, 1, 2, 5, -3, 10, 7, 100),)),
)
