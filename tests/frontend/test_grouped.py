"""Loops over `itertools.groupby`: each group is taken whole, once, in its round."""

from __future__ import annotations

import itertools
import random
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.support.extent import sized
from tests.support.members import check
from tests.support.random_programs import is_pythons

N = np.array([0, 1, 2, 3, 5, 7, 12])


def runs(n):
    xs = [(i * n) // 5 % 3 for i in range(12)]
    return [k * 100 + len(list(g)) for k, g in groupby(xs)]


def of_texts(n):
    said = "1"
    for _ in range(n % 4):
        said = "".join(str(len(list(g))) + k for k, g in itertools.groupby(said))
    longest = max((len(list(g)) for k, g in groupby(bin(n)[2:]) if k == "1"), default=0)
    return said, longest, [len(list(g)) for _, g in groupby("aAbB" * (n % 3) + "cC", key=str.lower)]


def by_keys(n):
    rows = sorted([(i * n % 4, i) for i in range(7)])
    sums = {k: sum(v for _, v in g) for k, g in groupby(rows, key=itemgetter(0))}
    odd = []
    for is_odd, g in groupby([1, 3, 2, 4, 5, n, n + 2], key=lambda x: x % 2):
        total = 0
        for v in g:
            total += v
        if is_odd:
            odd.append(total)
    return sums[0], len(sums), odd, [len(list(g)) for _, g in groupby([n, n + 1, 9], key=half)]


def half(x):
    if x % 2:
        return x // 2
    return x // 4


def nested(n):
    xs = [n % 3, n % 3, 1, 2, 2]
    flat = [x * k for k, g in groupby(xs) for x in g]
    several = [len([x for x in g]) for row in (xs, [n, n]) for _, g in groupby(row)]  # noqa: C416
    return (
        flat,
        several,
        [k for k, _ in groupby(xs)],
        [sum(i * x for i, x in enumerate(g)) for _, g in groupby(xs)],
    )


def two_loops(n):
    xs, told = [n, n, 2, 2, 2], 0
    for _, g in groupby(xs):
        told = told * 10 + len(list(g))
    for _, g in groupby(reversed(xs)):
        told = told * 10 + max(g)
    return told


def becomes_a_list(n):
    told = []
    for k, group in groupby(sorted([n, 3, 1, 3, n])):
        group = list(group)
        for _ in range(2):
            told.append(len(group) * k + group[0] + sum(group))
    return told


def leaves(n):
    for k, g in groupby([1, 1, 2, 2, 2, n, n, n, n]):
        size = len(list(g))
        if size > 2:
            return k, size
    return 0, 0


def has_keys_only_as_far_as_it_goes(n):
    calls = [0]

    def key(x):
        calls[0] += 1
        return 12 // x

    for k, g in groupby([3, 3, 4, 5, n, 2], key=key):
        if sum(g) > 4 + n:
            return k, calls[0]
    return -1, calls[0]


def in_recursion(n):
    def squeezed(xs, depth):
        if depth == 0 or len(xs) < 2:
            return xs
        return squeezed([(k + len(list(g))) % 3 for k, g in groupby(xs)], depth - 1)

    return squeezed([(i * n) // 3 % 2 for i in range(8)], 3)


ALIKE = (
    runs,
    of_texts,
    by_keys,
    nested,
    two_loops,
    becomes_a_list,
    leaves,
    in_recursion,
    has_keys_only_as_far_as_it_goes,
)


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_groups_are_pythons(program):
    check(program, N)


def is_kept(n):
    groups = []
    for _, g in groupby([n, n, 1]):
        groups.append(g)
    return len(groups)


def is_taken_twice(n):
    told = 0
    for _, g in groupby([n, n, 1]):
        told += len(list(g)) + sum(g)
    return told


def is_taken_in_each_round(n):
    told = 0
    for _, g in groupby([n, n, 1]):
        for _ in range(2):
            told += sum(g)
    return told


def is_taken_for_each_element(n):
    return [len(list(g)) for _, g in groupby([n, n, 1]) for _ in range(2)]


def is_taken_for_each_condition(n):
    return [k for k, g in groupby([n, n, 1]) for i in range(2) if sum(g) > i]


def is_taken_afterwards(n):
    for _, g in groupby([n, n, 1]):
        pass
    return len(list(g))


def is_taken_later(n):
    later = [(k, g) for k, g in groupby([n, n, 1])]
    return len(later)


REFUSED = (
    is_kept, is_taken_twice, is_taken_in_each_round, is_taken_for_each_element,
    is_taken_for_each_condition,
    is_taken_afterwards, is_taken_later,
)  # fmt: skip


@pytest.mark.parametrize("program", REFUSED, ids=lambda p: p.__name__)
def test_a_group_is_no_list(program):
    with pytest.raises(ProgramError, match=r"a group of itertools.groupby is kept"):
        pcbatch.autobatch(program).run(N)


@pytest.mark.parametrize("number", range(sized(4, 40)))
def test_random_groups(number: int, tmp_path: Path) -> None:
    assert is_pythons(tmp_path / f"groups_{number}.py", source_of(random.Random(number)), N)


def source_of(rng: random.Random) -> str:
    """A program that groups a list, or a text, and does something with each group."""
    values, of_numbers = rng.choice(
        [
            (f"[(i * n) // {rng.randint(1, 4)} % {rng.randint(2, 4)} for i in range(9)]", True),
            (f"[n, {rng.randint(0, 3)}, n, n % 2, {rng.randint(0, 3)}]", True),
            ("sorted([n % 5, 3, n % 2, 3])", True),
            ("'aab' * (n % 3) + 'b' + str(n)", False),
            ("'mississippi'", False),
        ]
    )
    key = rng.choice(["", ", lambda x: x > 1", ", key=lambda x: x % 2"]) if of_numbers else ""
    taken = rng.choice(
        ["len(list(g))", "len(sorted(g))", "sum(1 for x in g)", "len([x for x in g])"]
    )
    if of_numbers and rng.random() < 0.5:
        taken = rng.choice(["sum(g)", "max(g)", "sum(x * x for x in g)", "len({*g})"])
    test = rng.choice(["out", "len(out) < 3", "n % 2"])
    body = rng.choice(
        [
            [f"    out.append({taken})"],
            [
                f"    if {test}:",
                f"        out.append({taken})",
                "    else:",
                "        out.append(1)",
            ],
            [f"    if {test}:", "        continue", f"    out.append({taken})", "    total += 1"],
            ["    for x in g:", "        total += 1", "    out.append(total)"],
        ]
    )
    lines = ["out, total = [], 0", f"for k, g in groupby({values}{key}):", *body]
    inside = "\n".join(f"    {line}" for line in lines)
    head = "from itertools import groupby\n\n\ndef program(n):\n"
    return f"{head}{inside}\n    return out, total, [{taken} for k, g in groupby({values}{key})]\n"


def encoded(items):
    for value, group in groupby(items):
        yield from (sum(1 for _ in group), value)


def pairs(items):
    for value, group in groupby(items):
        yield len(list(group)), value


def sizes_by(items, key):
    for _, group in groupby(items, key=key):
        yield len(list(group))


def in_a_generator(n):
    def decoded(parts):
        it = iter(parts)
        for count, value in zip(it, it):
            yield from itertools.repeat(value, count)

    current = [n]
    for _ in range(3):
        following = list(encoded(current))
        assert list(decoded(following)) == current
        current = following
    return current


def in_a_generator_in_part(n):
    for size, value in pairs([n, 2, 2, n, 3]):
        if size > 1:
            break
    return size, value, list(sizes_by([n, 2, 2, n, 3], lambda x: x % 2))


def in_a_generator_that_is_asked(n):
    kept = pairs([n, 2, 2])
    first, value = next(kept)
    return first, value


@pytest.mark.parametrize(
    "program",
    [in_a_generator, in_a_generator_in_part, in_a_generator_that_is_asked],
    ids=lambda p: p.__name__,
)
def test_groups_in_a_generator(program):
    check(program, N, jit=False)
