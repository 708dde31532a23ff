"""Known texts that a recursion makes longer, or other ones, become texts of the member."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check, shared

N = np.arange(8)


def _repeated(k, s):
    return s if k == 0 else _repeated(k - 1, s + "ab")


def generate_parens(n):
    res = []

    def go(s, o, c):
        if len(s) == 2 * k:
            res.append(s)
            return
        if o < k:
            go(s + "(", o + 1, c)
        if c < o:
            go(s + ")", o, c + 1)

    k = 1 + n % 3
    go("", 0, 0)
    return len(res), res[-1]


def repeated(n):
    return _repeated(n, ""), _repeated(n % 3, "x")


def hanoi_text(n):
    def move(k, a, b, c):
        if k == 0:
            return ""
        return move(k - 1, a, c, b) + a + ">" + c + " " + move(k - 1, b, a, c)

    return move(n % 4, "A", "B", "C")


def gray_by_prefixes(n):
    out = []

    def go(k, prefix, flip):
        if k == 0:
            out.append(prefix)
            return
        go(k - 1, prefix + ("1" if flip else "0"), False)
        go(k - 1, prefix + ("0" if flip else "1"), True)

    go(1 + n % 3, "", False)
    return out


def binary_strings(n):
    k = 1 + n % 3
    found = []

    def build(s):
        if len(s) == k:
            found.append(s)
            return
        build(s + "0")
        if not s.endswith("1"):
            build(s + "1")

    build("")
    return len(found), found[-1], found


def to_binary(n):
    def go(m):
        if m < 2:
            return str(m)
        return go(m // 2) + str(m % 2)

    return go(n * 5)


def permutations(n):
    out = []

    def go(rest, path):
        if not rest:
            out.append(path)
            return
        for i in range(len(rest)):
            go(rest[:i] + rest[i + 1 :], path + rest[i])

    go("abc", "")
    return out[n % 6], len(out)


def letters(n):
    keys = {"2": "abc", "3": "def", "4": "ghi"}
    digits = str(23 + n % 2)
    out = []

    def go(i, path):
        if i == len(digits):
            out.append(path)
            return
        for c in keys[digits[i]]:
            go(i + 1, path + c)

    go(0, "")
    return out[n % 9], len(out)


def reverse(n):
    def rev(s):
        return s if len(s) <= 1 else rev(s[1:]) + s[0]

    return rev("hello"), rev(str(n * 100 + 7)), rev("world"[n:])


def depth_of_a_known_text(n):
    def depth(s):
        if len(s) > 20:
            return 0
        return 1 + depth(s + "xy")

    return depth("") + n


def in_tuples(n):
    def go(state, k):
        word, count = state
        if k == 0:
            return word + str(count)
        return go((word + "z", count + 1), k - 1)

    return go(("", 0), n)


def count_and_say(n):
    def say(k):
        if k == 1:
            return "1"
        s = say(k - 1)
        out, i = "", 0
        while i < len(s):
            j = i
            while j < len(s) and s[j] == s[i]:
                j += 1
            out += str(j - i) + s[i]
            i = j
        return out

    return say(1 + n % 5)


def a_default(n):
    out = []

    def go(k, prefix=""):
        if k == 0:
            out.append(prefix)
            return
        for d in "01":
            go(k - 1, prefix=prefix + d)

    go(n % 4)
    return out


def closure_text(n):
    def outer(sep):
        def go(k, s):
            return s if k == 0 else go(k - 1, s + sep)

        return go(n, "")

    return outer("-") + outer("=")


def mutual(n):
    def a(s, k):
        return s if k <= 0 else b(s + "a", k - 1)

    def b(s, k):
        return s if k <= 0 else a(s + "b", k - 2)

    return a("", n), b("<", n)


def memo_of_known_texts(n):
    seen = {}

    def go(s):
        if len(s) >= 4:
            return 1
        if s in seen:
            return seen[s]
        r = go(s + "a") + go(s + "bb")
        seen[s] = r
        return r

    return go("") + n


def memo_of_longer_texts(n):
    seen = {}

    def go(s, k):
        if k == 0:
            return 1
        if s in seen:
            return seen[s]
        r = go(s + "a", k - 1) + go("b" + s, k - 1)
        seen[s] = r
        return r

    return go("", n % 4), len(seen)


def seen_texts(n):
    seen = set()

    def go(s, k):
        if k == 0 or s in seen:
            return 1
        seen.add(s)
        return go(s + "a", k - 1) + go("b" + s, k - 1)

    return go("", n % 4), len(seen)


def keys_of_known_texts(n):
    counts = {"even": 0, "odd": 0}

    def go(s):
        counts["even" if len(s) % 2 == 0 else "odd"] += 1
        if len(s) < 3:
            go(s + "a")
            go(s + "b")

    go("")
    return counts["even"], counts["odd"] + n


def grows_by_a_known_text(n):
    def go(s):
        if len(s) == 12:
            return s
        return go(s + chr(ord("a") + len(s)))

    return go("")[n]


def texts_that_say_how(n):
    def show(x, how):
        return f"{x / 2:{how}}" if x > 3 else "-"

    def make(kind, k):
        return np.zeros(3, kind).sum() + k if k < 100 else 0

    return show(n, ".2f"), show(n + 1, ".1f"), make("int32", n), make("int64", n)


PROGRAMS = [
    texts_that_say_how,
    generate_parens, repeated, hanoi_text, gray_by_prefixes, binary_strings, to_binary,
    permutations, letters, reverse, depth_of_a_known_text, in_tuples, count_and_say,
    a_default, closure_text, mutual, memo_of_known_texts, memo_of_longer_texts, seen_texts,
    keys_of_known_texts, grows_by_a_known_text,
]  # fmt: skip


@pytest.mark.every(36)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(shared(function), N, strategy="pc", jit=False)


@pytest.mark.every(4)
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_they_are_pythons_in_other_ways(options: dict[str, Any]) -> None:
    check(shared(generate_parens), N, **options)
