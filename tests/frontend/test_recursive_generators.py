"""Generator functions that go over themselves, nested ones, those of a module, and methods."""

from __future__ import annotations

import contextlib
import random
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pcbatch.errors import ProgramError
from tests.strangers.fields.generating import in_order, permuted
from tests.support.extent import sized
from tests.support.members import check, shared
from tests.support.random_programs import is_pythons

N = np.array([0, 1, 2, 3, 5, 7])


def nested(n):
    def walk(k):
        if k > 0:
            yield from walk(k - 2)
            yield k
            yield from walk(k - 3)

    return list(walk(n)), sum(walk(n)), sorted(walk(n - 1)), [*walk(2)]


def down(k):
    if k > 0:
        yield k
        for x in down(k - 1):
            yield x * 2 + k


def taken_by_a_loop(n):
    total, odd, counts = 0, [], [0, 0, 0]
    for x in down(n):
        if x % 2 == 0:
            continue
        total += x
        odd.append(x)
        counts[x % 3] += 1
    else:
        total *= 2
    return total, odd, counts


def taken_by_functions(n):
    halves = [x // 2 for x in down(n) if x % 2]
    return max(down(n), default=-1), halves, Counter(down(n))[3], len(deque(down(n)))


def even(k):
    if k > 0:
        yield k
        yield from odd(k - 1)


def odd(k):
    if k > 0:
        yield -k
        yield from even(k - 1)


def of_each_other(n):
    return list(even(n))


def over_another(n):
    def around(k):
        yield 0
        yield from down(k)
        yield 99

    return list(around(n)), sum(x for x in around(n // 2))


def changes_what_it_sees(n):
    seen = [0] * 8

    def visit(k):
        seen[k] += 1
        yield k
        for other in ((2 * k + 1) % 8, (k + n) % 8):
            if not seen[other]:
                yield from visit(other)

    return list(visit(0)), seen


def five_yields(n):
    def walk(k):
        if k % 2:
            yield 1
        else:
            yield 2
        if k % 3:
            yield 3
        else:
            yield 4
        try:
            yield 10 // (k % 4)
        except ZeroDivisionError:
            yield 0
        if k:
            yield from walk(k - 1)

    return list(walk(n))


def ends_early(n):
    def walk(k):
        if k == 4:
            return
        yield k
        yield from walk(k + 1)

    return list(walk(min(n, 4)))


def raises(n):
    def walk(k):
        if k == 5:
            raise ValueError("five")
        if k:
            yield k
            yield from walk(k - 1)

    try:
        return sum(walk(n))
    except ValueError:
        return -1


def raises_of_a_member(n):
    def walk(k):
        yield 12 // k
        yield from walk(k - 1)

    return sum(walk(n)) if n < 3 else n


def filtered_and_given(n):
    def walk(k):
        if k > 0:
            for x in walk(k - 2):
                if x % 2:
                    yield x
            yield from walk(k - 3)
            yield k

    return list(walk(n))


def kinds_of_arguments(n):
    def walk(k, step=1, *, scale=2):
        if k > 0:
            yield k * scale
            yield from walk(k - step, step, scale=scale + 1)

    def several(*ks):
        if ks[0] > 0:
            yield ks[0] + ks[1]
            yield from several(ks[0] - 1, ks[1])

    return list(walk(n, 2)), sum(walk(n, scale=3)), list(several(n, 2))


def pairs_and_texts(n):
    def pairs(k):
        if k > 0:
            yield k, k * k
            yield from pairs(k - 1)

    def said(k):
        if k > 0:
            yield str(k)
            yield from said(k // 2)

    squares = dict(pairs(n))
    return sum(k * v for k, v in squares.items()), "-".join(said(n))


class Steps:
    def __init__(self, step):
        self.step = step

    def down(self, k):
        if k > 0:
            yield k
            yield from self.down(k - self.step)

    def total(self, k):
        return sum(self.down(k))


def of_an_object(n):
    steps = Steps(2)
    return list(steps.down(n)), steps.total(n + 1)


class Shelf:
    def __init__(self, books):
        self.books = books

    def items(self):
        for k in range(self.books):
            yield k
            yield from self.items()


def of_a_dict(n):
    counts = {k: k * n for k in range(3)}
    total = 0
    for k, v in counts.items():
        total += k * v
        if total > 20:
            break
    return total, [k for k, _ in counts.items()], Shelf(n).books


RIGHT = (
    of_a_dict,
    nested, taken_by_a_loop, taken_by_functions, of_each_other, over_another, changes_what_it_sees,
    five_yields, ends_early, raises, raises_of_a_member, in_order, permuted, filtered_and_given,
    kinds_of_arguments, pairs_and_texts, of_an_object,
)  # fmt: skip


@pytest.mark.every(10)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(shared(function), N, jit=False, strategy="local")


@pytest.mark.thorough
@pytest.mark.parametrize("how", [{"strategy": "pc"}, {"strategy": "loop"}, {"strategy": "hybrid"}])
def test_they_are_pythons_in_other_ways(how: dict[str, Any]) -> None:
    check(shared(taken_by_a_loop), N, **how)


def one_by_one(n):
    return next(down(n), 0)


def kept(n):
    elements = down(n)
    return sum(elements), sum(elements)


def left_by_a_loop(n):
    total = 0
    for x in down(n):
        if x > 7:
            break
        total += x
    return total


def returned_from_a_loop(n):
    for x in down(n):
        if x > 7:
            return x
    return 0


def beside_another(n):
    return [a + b for a, b in zip(down(n), down(n + 1))]


def as_a_value(n):
    function = down
    return sum(function(n))


def any_of_them(n):
    return any(x > 7 for x in down(n))


def changed_meanwhile(n):
    rest = [n, 2, 1]

    def walk(k):
        if k < len(rest):
            yield rest[k]
            yield from walk(k + 1)

    total = 0
    for x in walk(0):
        total += x
        rest[2] = total
    return total


def assigned_meanwhile(n):
    last = n

    def walk(k):
        if k > 0:
            yield last
            yield from walk(k - 1)

    total = 0
    for x in walk(n):
        total += x
        last = total
    return total


def taken_in_a_try(n):
    found = []

    def walk(k):
        yield 12 // k
        yield from walk(k - 1)

    try:
        for x in walk(n):
            found.append(x)
    except ZeroDivisionError:
        pass
    return found


def extended_in_a_try(n):
    found = []

    def walk(k):
        yield 12 // k
        yield from walk(k - 1)

    try:
        found.extend(walk(n))
    except ZeroDivisionError:
        pass
    return found


def goes_on_in_a_try(n):
    def walk(k):
        try:
            yield 12 // k
            yield from walk(k - 1)
        except ZeroDivisionError:
            yield -1

    return list(walk(n))


def raises_between(n):
    def walk(k):
        if k == 0:
            raise ValueError
        yield k
        yield from walk(k - 1)

    total = 0
    for x in walk(n):
        total += 10 // (x - 2)
    return total


def left_beside_a_loop(n):
    total = 0
    for x in down(n):
        if x > 7:
            for y in range(2):
                total += y
            break
        total += x
    return total


def assigned_by_the_loop(n):
    x = 0

    def walk(k):
        if k > 0:
            yield x + k
            yield from walk(k - 1)

    total = 0
    for x in walk(n):
        total += x
    return total


def compared_with_another(n):
    return max(down(n), down(2))


def begins_later(n):
    rest = [n, 2, 1]

    def walk(k):
        if k < len(rest):
            yield rest[k]
            yield from walk(k + 1)

    def more():
        rest.append(5)
        return 0

    return sum(walk(0), more())


def by_another_name(n):
    rest = [2, 1]
    held = [rest, [n]]

    def walk(k):
        if k < len(held[0]) and k < 4:
            yield held[0][k]
            yield from walk(k + 1)

    for x in walk(0):
        rest.append(x)
    return len(rest)


def suppressed(n):
    found = []

    def walk(k):
        yield 12 // k
        yield from walk(k - 1)

    with contextlib.suppress(ZeroDivisionError):
        for x in walk(n):
            found.append(x)
    return found


GOES_ON = (
    left_beside_a_loop, suppressed, one_by_one, kept, left_by_a_loop, returned_from_a_loop,
    any_of_them, beside_another, taken_in_a_try, raises_between,
)  # fmt: skip
"""What a list would not do for, so that the generator is kept."""

REFUSED = (
    assigned_by_the_loop, compared_with_another, begins_later, by_another_name, as_a_value,
    changed_meanwhile, assigned_meanwhile, extended_in_a_try, goes_on_in_a_try,
)  # fmt: skip


@pytest.mark.every(5)
@pytest.mark.parametrize("function", GOES_ON, ids=lambda f: f.__name__)
def test_elements_are_given_as_they_are_asked_for(function: Callable[[Any], Any]) -> None:
    check(shared(function), N, jit=False, strategy="local")


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_may_see_the_list_is_refused(function: Callable[[Any], Any]) -> None:
    said = "is not used up at once|between instances of 'generator'|cannot keep"
    with pytest.raises(ProgramError, match=said):
        shared(function).run(N, jit=False)


def source_of(seed: int) -> str:
    """A program with two generators, of which each may go over both, and what takes theirs."""
    draw = random.Random(seed)

    def statement(depth: int) -> list[str]:
        other, less = draw.choice(("walk", "turn")), draw.randint(1, 3)
        kind = draw.randrange(8 if depth else 7)
        if kind < 2:
            return [f"yield {draw.choice(('k', 'k * 2', '-k', 'len(seen)', 'k % 3'))}"]
        if kind == 2:
            return ["seen.append(k)"]
        if kind < 5:
            return [f"yield from {other}(k - {less})"]
        if kind == 5:
            given = draw.choice(("x", "x + k", "x * 2"))
            return [f"for x in {other}(k - {less}):", f"    yield {given}"]
        if kind == 6:
            return [f"for i in range({less}):", f"    yield {draw.choice(('i', 'i + k'))}"]
        inner = [line for _ in range(2) for line in statement(depth - 1)]
        return [f"if k % {less + 1} == {draw.randrange(2)}:", *(f"    {line}" for line in inner)]

    def generator(name: str) -> list[str]:
        body = [line for _ in range(draw.randint(2, 3)) for line in statement(1)]
        lines = ["if k > 0:", *(f"    {line}" for line in ("yield k", *body))]
        return [f"def {name}(k):", *(f"    {line}" for line in lines)]

    taken = [
        "found += list({0}(n))", "total += sum({0}(n))", "total += max({0}(n), default=7)",
        "found += [x + 1 for x in {0}(n) if x % 2]", "total += len(sorted({0}(n - 1)))",
        "for x in {0}(n):\\n        total = (3 * total + x) % 1009",
        "for x in {0}(n):\\n        total += x\\n        if total > 50:\\n            break",
        "total += sum(x * y for x, y in zip({0}(n), {0}(n)))",
    ]  # fmt: skip
    uses = [
        draw.choice(taken).replace("\\n", "\n").format(draw.choice(("walk", "turn"))) for _ in "ab"
    ]
    lines = ["seen, found, total = [], [], 0", *generator("walk"), *generator("turn"), *uses]
    return (
        "def program(n):\n"
        + "".join(f"    {line}\n" for line in lines)
        + ("    return found, total, len(seen)\n")
    )


def test_random_programs_are_pythons_or_refused(tmp_path: Path) -> None:
    how = {
        "refusals": (
            "is not used up at once",
            "two generators in turn",
            "cannot keep",
        ),
        "jit": False,
        "strategy": "local",
    }
    seeds, members = range(sized(2, 12, 400)), np.array([0, 1, 3, 4])
    ran = [is_pythons(tmp_path / f"walks_{k}.py", source_of(k), members, **how) for k in seeds]
    assert sum(ran) >= len(seeds) // 3
