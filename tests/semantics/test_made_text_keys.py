"""Keys of dicts and sets that a program makes: sorted letters, pairs of numbers, words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check, shared

N = np.arange(8)


def anagram_counts(n):
    words = ["eat", "tea", "tan", "ate", "nat", "bat"][: 3 + n % 4]
    counts = {}
    for w in words:
        key = "".join(sorted(w))
        counts[key] = counts.get(key, 0) + 1
    return len(counts), max(counts.values()), max(counts, key=counts.get)


def seen_letters(n):
    words = ["eat", "tea", "tan", "ate", "nat", "bat"][n % 3 :]
    seen = set()
    dup = 0
    for w in words:
        key = "".join(sorted(w))
        if key in seen:
            dup += 1
        seen.add(key)
    return dup, len(seen), sorted(seen)


def a_list_of_keys(n):
    words = ["eat", "tea", "tan", "ate", "nat", "bat"][n % 3 :]
    keys = ["".join(sorted(w)) for w in words]
    return len(set(keys)), keys[0], keys.count(keys[0])


def set_of_a_comprehension(n):
    words = ["eat", "tea", "tan", "ate", "nat", "bat"][n % 3 :]
    return len({"".join(sorted(w)) for w in words})


def counted_words(n):
    text = "the cat the dog a cat the end"[: 12 + 2 * n]
    freq = {}
    for word in text.split():
        if word not in freq:
            freq[word] = 0
        freq[word] += 1
    return (
        sorted(freq.items(), key=lambda kv: (-kv[1], kv[0]))[0],
        list(freq),
        [k for k in freq if freq[k] > 1],
    )


def pairs_of_numbers(n):
    seen = set()
    for i in range(4):
        for j in range(3):
            seen.add(f"{i * n % 3},{j}")
    return len(seen), "0,1" in seen, "2,2" in seen, min(seen)


def digits_until_they_return(n):
    seen = {}
    x = n + 2
    while str(x) not in seen:
        seen[str(x)] = len(seen)
        x = sum(int(c) ** 2 for c in str(x))
    return len(seen), seen[str(x)]


def tuples_of_letters(n):
    words = ["eat", "tea", "tan"]
    groups = {}
    for w in words:
        key = tuple(sorted(w))
        groups[key] = groups.get(key, 0) + n
    return len(groups), max(groups.values())


def first_unique(n):
    s = "loveleetcode"[n % 5 :]
    counts = {}
    for c in s:
        counts[c] = counts.get(c, 0) + 1
    for i, c in enumerate(s):
        if counts[c] == 1:
            return i, c
    return -1, ""


def deleted(n):
    d = {}
    for w in ["b", "a", "c"]:
        d[w * (1 + n % 2)] = n
    d.pop("a" * (1 + n % 2))
    d.pop("bb", None)
    return len(d), list(d)


def two_sets(n):
    a = {w[: 1 + n % 2] for w in ["apple", "avocado", "bean"]}
    b = {w[:2] for w in ["apricot", "bean"]}
    return len(a & b), len(a | b), sorted(a - b)


def rotations(n):
    seen, state, steps = set(), "1000"[n % 3 :] + "0", 0
    while state not in seen:
        seen.add(state)
        state = state[1:] + state[0]
        steps += 1
    return steps, state


def memo_of_a_recursion(n):
    memo = {}

    def go(i, j):
        key = f"{i},{j}"
        if key in memo:
            return memo[key]
        r = 1 if i == 0 or j == 0 else go(i - 1, j) + go(i, j - 1)
        memo[key] = r
        return r

    return go(n % 4, 2), len(memo)


PROGRAMS = [
    anagram_counts, seen_letters, a_list_of_keys, set_of_a_comprehension, counted_words,
    pairs_of_numbers, digits_until_they_return, tuples_of_letters, first_unique, deleted, two_sets,
    rotations, memo_of_a_recursion,
]  # fmt: skip


@pytest.mark.every(15)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(shared(function), N, strategy="pc", jit=False)


@pytest.mark.every(4)
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_they_are_pythons_in_other_ways(options: dict[str, Any]) -> None:
    check(shared(anagram_counts), N, **options)
