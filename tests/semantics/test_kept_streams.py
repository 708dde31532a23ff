"""Streams and ranges that a variable keeps, or that a function is given."""

from __future__ import annotations

from collections import Counter, deque

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = (0, 1, 2, 3, 5)


def a_stream_that_is_read_once(n):
    squares = (x * x for x in range(n))
    pairs = zip(range(n), [5, 6, 7])
    evens = filter(lambda x: x % 2 == 0, [n, 2, 3])
    doubled = map(lambda x: 2 * x, evens)  # noqa: C417
    total = 0
    for a, b in pairs:
        total += a * b
    if n % 2:
        numbered = enumerate([n, 2, 3])
        for i, x in numbered:
            total += i * x
    first, second = (k * n for k in range(1, 3))
    return sum(squares), list(doubled), total, first - second


def a_stream_of_texts(n):
    words = ("ab" * k for k in range(n))
    digits = map(int, str(n * 37))
    return " ".join(words), sum(digits)


def a_range_that_is_read_often(n):
    r, few = range(1, n + 2), range(3)
    total = 0
    for i in r:
        for j in r:
            total += i * j
    later = range(0, n, 2)
    k = n
    n = 100
    turned = list(reversed(later)) if k > 2 else [i + 1 for i in later]
    return total, len(r), sum(r), list(r), max(r), few[2], turned, sum(i * i for i in later)


def elements_of_ranges(n):
    r, back = range(n), range(2 * n, -3, -2)
    asked = [2 in r, n in r, 2.0 in r, 1.5 in back, -2 in back, 3 not in back, n in range(0, 9, 2)]
    return asked, back[0], back[-1], back[n], range(5)[n % 5]


def an_element_that_a_range_does_not_have(n):
    return range(n)[2 * n - 4]


def a_step_of_zero(n):
    return 3 in range(0, 9, n)


def a_range_on_one_path(n):
    if n > 2:
        r = range(n)
    return len(r)


def a_range_that_cannot_be_made(n):
    try:
        r = range(0, 5, n)
    except ValueError:
        return -1
    return len(r)


def streams_that_are_used_up_at_once(n):
    xs = [0]
    xs += (x * n for x in range(n))
    xs[1:2] = (x + 1 for x in range(n))
    first = (x for x in range(10) if x % 3 == n % 3)
    either = sum((x for x in range(n)) if n % 2 else (2 * x for x in range(n)))
    return xs, next(first), either, [*(x * x for x in range(n))], ",".join(str(x) for x in xs)


def ranges_that_are_handed_on(n):
    def weighed(xs, k):
        total = len(xs)
        for i, x in enumerate(xs):
            total += k * i + x
        return total

    def squares(xs):
        return sum(x * x for x in xs)

    r = range(n) if n > 2 else range(2)
    longer = lambda k: k + len(r)  # noqa: E731
    return weighed(range(n), 2), weighed([1, n], 3), squares(range(0, n, 2)), sum(r), longer(2)


def ranges_that_containers_take_in(n):
    xs, queue, seen = [9], deque(range(1, n + 3)), {1, 2}
    queue.rotate(-2)
    xs.extend(range(n))
    queue.extendleft(range(2))
    seen.update(range(n, n + 3))
    whole = [0, *range(n), 7], sorted(range(n, 0, -1)), Counter(range(n))[1]
    last = deque(range(n), maxlen=2)
    last.append(n)
    less = (*range(2), n) < tuple(range(n))
    known = {**dict.fromkeys(range(n + 1), 0)}[0], seen.issubset(range(n + 3))
    return xs, list(queue), sorted(seen), whole, list(last), less, known


PROGRAMS = (
    a_stream_that_is_read_once, a_stream_of_texts, a_range_that_is_read_often, elements_of_ranges,
    an_element_that_a_range_does_not_have, a_step_of_zero, a_range_on_one_path,
    a_range_that_cannot_be_made, streams_that_are_used_up_at_once, ranges_that_are_handed_on,
    ranges_that_containers_take_in,
)  # fmt: skip


@pytest.mark.every(5)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize("strategy", ["pc", "local", "loop"])
def test_as_in_python(program, strategy):
    check(program, ints(*N), strategy=strategy, **({"jit": False} if strategy == "pc" else {}))


@pytest.mark.large
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_in_python_under_xla(program):
    check(program, ints(*N))


def sees_what_changes(n):
    k = 2
    gen = (x * k for x in range(n))
    k = 5
    return sum(gen)


def sees_what_is_put_in(n):
    xs = [1, 2]
    gen = (x * n for x in xs)
    xs.append(n)
    return sum(gen)


def is_empty_when_it_is_read_again(n):
    gen = (i * i for i in range(n))
    return sum(gen), sum(gen)


def is_given_to_a_function(n):
    def twice(g):
        return sum(g) + sum(g)

    return twice(x for x in range(n))


def is_given_by_a_keyword(n):
    def twice(g=None):
        return sum(g) + sum(g)

    return twice(g=(x for x in range(n)))


def is_put_into_a_list(n):
    k, out = 2, []
    out.append(x * k for x in range(n))
    k = 5
    return sum(out[0])


def is_put_into_a_dict(n):
    k = 2
    table = {0: (x * k for x in range(n))}
    k = 5
    return sum(table[0])


def is_one_of_two(n):
    k = 2
    gen = (x * k for x in range(n)) if n else (x for x in range(n))
    k = 5
    return sum(gen)


def is_what_a_lambda_gives(n):
    k = 2
    f = lambda: (x * k for x in range(n))  # noqa: E731
    g = f()
    k = 5
    return sum(g), sum(g)


def is_asked_before(n):
    it = iter([n, 2, 3])
    gen = (x * 2 for x in it)
    first = next(it)
    return first, sum(gen)


def is_read_in_a_loop(n):
    gen = (a for a in range(n))
    total = 0
    for _ in range(2):
        for a in gen:
            total += a
    return total


KEPT = (
    sees_what_changes, sees_what_is_put_in, is_empty_when_it_is_read_again, is_given_to_a_function,
    is_given_by_a_keyword, is_put_into_a_list, is_put_into_a_dict, is_one_of_two,
    is_what_a_lambda_gives, is_asked_before, is_read_in_a_loop,
)  # fmt: skip


@pytest.mark.parametrize("program", KEPT, ids=lambda p: p.__name__)
def test_a_generator_expression_is_kept(program):
    with pytest.raises(ProgramError, match="a generator expression is kept, and read elsewhere"):
        pcbatch.autobatch(program).run(ints(*N))


def test_a_list_is_not_compared_with_a_range():
    def compared(n):
        def is_three(r):
            return r == range(3)

        return is_three(range(n))

    with pytest.raises(ProgramError, match="a list is compared with a range"):
        pcbatch.autobatch(compared).run(ints(*N))
