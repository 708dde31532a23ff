"""Sets and dicts that are changed, whose keys are texts, or constants of an Enum, of the member."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import pcbatch
from tests.conformance.programs.record import ints
from tests.support.members import check, shared

N = ints(0, 1, 2, 3, 4, 5)
WORDS = ["the", "cat", "the", "hat", "a", "cat"]


class Light(enum.Enum):
    RED = 1
    AMBER = 2
    GREEN = 3


LIGHTS = [Light.RED, Light.AMBER, Light.GREEN]


# --- Dicts ----------------------------------------------------------------------------------------


def counted(n):
    counts = {}
    for i in range(n):
        word = WORDS[i * i % 6]
        counts[word] = counts.get(word, 0) + 1
    return counts.get("the", 0), counts.get("cat"), len(counts), "hat" in counts


def counted_behind_a_test(n):
    counts = {}
    for i in range(n):
        word = WORDS[(i * i + n) % 6]
        if word not in counts:
            counts[word] = 0
        counts[word] += 1
    best = None
    for word, count in counts.items():
        if best is None or count > counts[best]:
            best = word
    return best, counts[best] if best is not None else -1


def counter(n):
    counts = Counter()
    for i in range(n):
        counts[WORDS[(i * 5 + n) % 6]] += 1
    return counts["the"], counts["dog"], sum(counts.values()), max(counts.values(), default=0)


def of_a_comprehension(n):
    last = {WORDS[i]: i for i in range(n)}
    return len(last), last.get("the", -1), [word for word in last if word != "a"]


def most(n):
    counts = {}
    for i in range(n + 1):
        word = WORDS[i * 3 % 6]
        counts[word] = counts.get(word, 0) + 1
    return max(counts, key=counts.get), sorted(counts.values())


def texts_for_texts(n):
    after = {}
    for i in range(5):
        after[WORDS[i]] = WORDS[(i + n) % 6]
    word, k = "the", 0
    while word in after and k < 6:
        word = after[word]
        k += 1
    return word, k


def pairs_with_numbers(n):
    last = {}
    for i in range(n):
        last[WORDS[i % 6], i % 2] = i
    return last.get(("the", 0), -1), len(last)


def constants_of_an_enum(n):
    sums = {}
    for i in range(n):
        light = LIGHTS[i * i % 3]
        sums[light] = sums.get(light, 0) + i
    return sums.get(Light.RED, 0), sums.get(Light.AMBER, 0), len(sums)


def a_known_key_first(n):
    counts = {}
    counts["the"] = 10
    for i in range(n):
        counts[WORDS[i]] = counts.get(WORDS[i], 0) + 1
    return counts["the"], len(counts)


def a_known_key_afterwards(n):
    counts = {}
    for i in range(n):
        counts[WORDS[i]] = counts.get(WORDS[i], 0) + 1
    counts["the"] = 10
    counts["dog"] = 1
    return counts["the"], len(counts)


def known_keys_of_a_display(n):
    counts = {"the": 10}
    for i in range(n):
        word = WORDS[i]
        counts[word] = counts.get(word, 0) + 1
    return counts["the"], len(counts)


def a_new_key_by_setdefault(n):
    first = {"dog": -1}
    for i in range(n):
        first.setdefault(WORDS[i], i)
    return len(first), first["dog"], first.get("cat", -1)


def deleted(n):
    last = {}
    for i in range(n):
        last[WORDS[i]] = i
    last.pop("cat", None)
    return last.pop("the", -1), len(last)


def not_there(n):
    table = {}
    table[WORDS[n % 6]] = 3
    return table["cat"]


def not_there_of_the_member(n):
    table = {"cat": 1}
    table[WORDS[n % 6]] = 3
    return table[WORDS[5 - n]]


# --- Sets -----------------------------------------------------------------------------------------


def first_twice(n):
    seen = set()
    for i in range(n):
        word = WORDS[(i + n) % 6]
        if word in seen:
            return word
        seen.add(word)
    return None


def added_to_known_ones(n):
    seen = {"the", "dog"}
    for i in range(n):
        seen.add(WORDS[(i + n) % 6])
    return len(seen), "cat" in seen, "dog" in seen


def operators(n):
    a, b = set(), set()
    for i in range(n):
        a.add(WORDS[i])
        b.add(WORDS[5 - i])
    return len(a & b), len(a | b), len(a - b), a == b, a <= b


def of_a_set_comprehension(n):
    return len({WORDS[i] for i in range(n)})


def counted_in_a_list(n):
    words = []
    for i in range(n):
        words.append(WORDS[i])
    return words.count("the"), words.count(WORDS[n % 6]), len(Counter(words))


PROGRAMS: list[Callable[..., Any]] = [
    counted, counted_behind_a_test, counter, of_a_comprehension, most, texts_for_texts,
    pairs_with_numbers, constants_of_an_enum, a_known_key_first, a_known_key_afterwards,
    known_keys_of_a_display, a_new_key_by_setdefault, deleted, not_there, not_there_of_the_member,
    first_twice, added_to_known_ones, operators, of_a_set_comprehension, counted_in_a_list,
]  # fmt: skip


@pytest.mark.every(24)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_values(program: Callable[..., Any]) -> None:
    check(program, N, jit=False)


@pytest.mark.every(2)
@pytest.mark.parametrize("strategy", ["local", "hybrid", "loop"])
def test_each_strategy(strategy: str) -> None:
    check(shared(counted), N, strategy=strategy)


def test_under_xla() -> None:
    check(counted_behind_a_test, N)


def test_constants_of_an_enum_have_no_order() -> None:
    def f(n):
        seen = set()
        for i in range(n):
            seen.add(LIGHTS[i % 3])
        return len(sorted(seen))

    with pytest.raises(pcbatch.ProgramError, match="not supported between instances of 'Light'"):
        pcbatch.autobatch(f)(N)
