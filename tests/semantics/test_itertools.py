"""`itertools` and `functools.reduce` on members: Python's values; many rounds are a loop."""

from __future__ import annotations

import collections
import functools
import itertools
import math
import operator
from itertools import chain, combinations, islice, pairwise, permutations, product, takewhile

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.frontend import selecting
from pcbatch.frontend.streams import Stream
from tests.support.members import check
from tests.support.tolerances import Tolerance, assert_close

V = np.array([[1.5, -2.0, 3.0, 0.5], [0.25, 9.0, -1.0, 2.0], [0.0, 1.0, 1.0, -4.0]])
N = np.array([3, 1, 5])
WEIGHTS = np.array([2, 7, 5])
K = np.array([[3, 1, -2, 7], [5, 5, 0, -1], [2, 4, 8, 16]])


@pcbatch.autobatch
def selections(v, n, k):
    """Loops over selections: of arrays, of ranges of the member, of lists that are static."""
    pairs = far = cells = 0
    for a, b in combinations(v, 2):
        pairs += abs(a - b)
    for i, j in combinations(range(40), 2):
        if i * j == n * 35:
            far = 100 * i + j
            break
    else:
        far = -1
    for i, j in product(range(n), range(3)):
        cells = (cells * 3 + i * j + 1) % 1009
    for i, j in combinations(range(n), 2):
        cells = (cells * 5 + i * j + j) % 1009
    route = 0
    for p in permutations(range(5)):
        length = abs(k[p[0] % 4] - p[1]) + p[2] * n - p[3] * p[4]
        if length > route:
            route = length
    close = 100
    points = [(0, 0), (1, n), (n, 2), (5, 1)]
    for p, q in combinations(points, 2):
        close = min(close, abs(p[0] - q[0]) + abs(p[1] - q[1]))
    return pairs, far, cells, route, close


@pcbatch.autobatch
def sequences(v, n, k):
    """Loops over sequences put together, shifted, repeated, cut off."""
    a = b = c = d = 0
    for x in chain(v, [2, 3], range(n)):
        a = a * 0.5 + x
    for x, y in pairwise(v):
        b += x * y
    for (i, x), (j, y) in pairwise(enumerate(k)):
        c = c * 3 + i * y - j * x
    for x, y in itertools.zip_longest(range(n), k, fillvalue=1):
        c += x * y
    for x in takewhile(lambda y: y < 4, k):
        d += x
    for x in islice(itertools.count(n), 4):
        d = d * 2 + x
    for i in itertools.count(1):
        if i * i > n * 10:
            break
        d += i
    for x, y in zip(itertools.cycle([1, 2, 3]), k):
        d += x * y
    for x in itertools.repeat(n, n):
        d += x
    for x in itertools.filterfalse(lambda y: y > 2, k):
        d -= x
    return a, b, c, d


@pcbatch.autobatch
def expressions(v, n, k):
    """In expressions."""
    sums = list(itertools.accumulate(v))
    return (
        sums[2],
        max(itertools.accumulate(k, max)),
        functools.reduce(lambda x, y: x * y, v),
        functools.reduce(operator.mul, range(1, n + 1), 1),
        sum(chain(v, k)),
        sum(1 for x, y in combinations(k, 2) if x + y == 8),
        max(x * y for x, y in product(v, repeat=2)),
        sum(1 for t in product(range(7), repeat=3) if sum(t) == n),
        any(x + y == 8 for x, y in combinations(k, 2)),
        all(x < y for x, y in pairwise(k)),
        sum(map(operator.mul, v, k)),
        sum(itertools.starmap(lambda x, y: x - y, [(n, 2), (k[0], n)])),
        sum(takewhile(lambda x: x > 0, v)),
        [x * y for x, y in combinations(v, 2)][3],
        functools.reduce(math.gcd, [n, 12, 8]),
        min(combinations(v, 2), key=lambda p: abs(p[0] - p[1])),
    )


def numbers(value):
    return [np.asarray(leaf).item() for leaf in tf.nest.flatten(value)]


@pytest.mark.every(4)
@pytest.mark.parametrize("f", [selections, sequences, expressions], ids=lambda f: f.__name__)
def test_in_a_program(f):
    value = f.run(V, N, K, throw=True, strategy="local", jit=False).value
    for m in range(3):
        mine = numbers(tf.nest.map_structure(lambda leaf, m=m: np.asarray(leaf)[m], value))
        theirs = numbers(f.single(V[m], int(N[m]), K[m]))
        assert_close(mine, theirs, Tolerance(1e-13))


def test_many_rounds_are_a_loop():
    assert isinstance(selecting.combinations(range(40), 2), Stream)
    assert isinstance(selecting.product(range(30), repeat=2), Stream)
    assert list(selecting.combinations(range(4), 2)) == list(combinations(range(4), 2))


def test_what_has_no_meaning_is_refused():
    @pcbatch.autobatch
    def types(n):
        total = 0
        for a, b in product([1, 2.5], range(n)):
            total += a * b
        return total

    @pcbatch.autobatch
    def many(n):
        for p in permutations(range(12)):
            n += p[0]
        return n

    @pcbatch.autobatch
    def endless(n):
        for a, b in product(itertools.count(), [1, 2]):
            n += a * b
        return n

    texts = {types: "not of one type", many: "479,001,600 selections", endless: "have no end"}
    for f, text in texts.items():
        with pytest.raises(pcbatch.ProgramError, match=text):
            f.run(np.array([3]), strategy="local", jit=False)


def rounds_of_a_cycle(n):
    """`cycle` of a list of the member, which may be empty."""
    xs, total = list(range(n)), 0
    for i, x in zip(range(5), itertools.cycle(xs)):
        total += x * i + 10
    for x in islice(itertools.cycle(range(n)), 4):
        total += x + 1
    for x, (y, z) in zip(range(n), itertools.cycle(zip((1, 2, 3), WEIGHTS))):
        total += x * y * z
    for x in islice(itertools.cycle([]), 4):
        total += x
    for x in itertools.cycle(xs):
        total += x + 1
        if total > 80:
            break
    return total


def stops(n):
    return sum(islice(range(10), n))


def starts(n):
    total = 0
    for x in islice(range(10), n, 5):
        total += x
    return total


def steps(n):
    total = 0
    for x in islice([1, 2, 3, 4], 0, 3, n):
        total += x
    return total


def caught(n):
    total = 0
    try:
        for x in islice(range(10), n):
            total += x
    except ValueError:
        total = -5
    return total


def negative_numbers(n):
    total = n
    try:
        if n > 1:
            for _ in product([1, 2], repeat=-1):
                total += 1
        elif n > 0:
            for _ in combinations([1, 2], -1):
                total += 1
    except ValueError:
        total += 100
    return total


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "function", [rounds_of_a_cycle, stops, starts, steps, caught, negative_numbers]
)
def test_members_for_which_python_raises(function):
    members = (0, 1, 2, 3, -1, -2)
    result = pcbatch.autobatch(function).run(np.array(members), strategy="local", jit=False)
    for i, n in enumerate(members):
        message = result.message(i).partition("\n")[0]
        try:
            expected = function(n)
        except ValueError as error:
            assert message == f"ValueError: {error}"
        else:
            assert not message
            assert result.value[i].numpy() == expected


def of_texts(n):
    a, b = str(7 * n), str(5 * n * n)
    carry, out = 0, ""
    for x, y in itertools.zip_longest(reversed(a), reversed(b), fillvalue="0"):
        carry, digit = divmod(int(x) + int(y) + carry, 10)
        out = str(digit) + out
    words = ["ab", "c", "def"][: n % 4]
    return out, "".join(x + y for x, y in itertools.zip_longest(words, a, fillvalue="-"))


def of_variables(n):
    xs = [k * k % 5 for k in range(n)]
    pairs = itertools.zip_longest(xs, [1, 2, 3], fillvalue=0)
    sums = [a + b for a, b in pairs]
    small = itertools.takewhile(lambda x: x < 4, xs)
    total = sum(small)
    both = itertools.chain(xs, [7])
    most = max(both)
    near = itertools.pairwise(xs)
    return sums, total, most, all(a != b for a, b in near)


@pytest.mark.parametrize("function", [of_texts, of_variables])
def test_texts_are_filled_up_and_variables_keep_selections(function):
    check(function, np.array([0, 1, 2, 5, 12]), jit=False)


def running_sums(n):
    xs = [k * k % 7 for k in range(n)]
    pairs = [p for p in itertools.combinations(range(n % 6 + 2), 2) if sum(p) % 2]
    products = list(itertools.accumulate(a * b for a, b in pairs))
    whole = list(itertools.accumulate(xs)), sum(tuple(itertools.accumulate(xs, max))[-2:])
    begun = list(itertools.accumulate(range(n), func=lambda a, b: (3 * a + b) % 11, initial=3))
    return whole, begun, products[-1], list(itertools.accumulate([n, 1, 2]))[1]


def running_sums_in_loops(n):
    total, text = 0, ""
    for i, x in enumerate(itertools.accumulate(range(n), operator.add)):
        if x == 6:
            continue
        if x > 40:
            break
        total += i * x
    else:
        total += 1
    for a, b in zip(itertools.accumulate([n, 1, 2]), [1, 2, 3], strict=False):
        total += a * b
    for text in itertools.accumulate("ab" * (n % 3)):
        pass
    return total, text


def taken_at_once(n):
    steps = [1 if (n * k) % 3 else -1 for k in range(n)]
    lowest = min(itertools.accumulate(steps), default=0)
    first = next((i for i, x in enumerate(itertools.accumulate(steps)) if x > 2), -1)
    xs = [0, *itertools.accumulate(steps)]
    xs.extend(itertools.accumulate(steps))
    xs += itertools.accumulate(range(3))
    last = collections.deque(itertools.accumulate(steps), maxlen=2)
    sums = itertools.accumulate(x for x in range(n) if x % 2)
    odd = sum(sums)
    meets = any(x == 0 for x in itertools.accumulate(steps))
    return lowest, first, xs, list(last), meets, odd, len(set(itertools.accumulate(steps)))


def dropped(n):
    xs = [k * 5 % 7 for k in range(n)]
    late = sum(itertools.dropwhile(lambda x: x != 3, xs))
    digits = "".join(itertools.dropwhile(lambda c: c == "0", bin(n)[2:].zfill(8)))
    return list(itertools.dropwhile(lambda x: x < 4, xs)), late, digits


@pytest.mark.parametrize("function", [running_sums, running_sums_in_loops, taken_at_once, dropped])
def test_elements_depend_on_those_before(function):
    check(function, np.array([0, 1, 2, 5, 12]), jit=False)


@pytest.mark.parametrize("strategy", ["local", "loop"])
def test_running_sums_under_each_strategy(strategy):
    check(running_sums, np.array([0, 1, 2, 5, 12]), strategy=strategy)
