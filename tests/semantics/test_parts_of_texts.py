"""Parts of texts whose bounds depend on the member: of known texts, chosen ones, and made ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check, shared

N = np.arange(8)
FRUIT = ["apple", "bean", "corn"]


def word_break(n):
    s = "applepenapple"[: 8 + n % 6]
    words = {"apple", "pen"}
    dp = [False] * (len(s) + 1)
    dp[0] = True
    for i in range(1, len(s) + 1):
        for j in range(i):
            if dp[j] and s[j:i] in words:
                dp[i] = True
                break
    return dp[len(s)]


def bounds(n):
    s = "abcabcbb"
    return (
        s[n : n + 3] == s[n : n + 3][::-1], s[n:n], s[n:100], s[-n:], s[:-n], s[n:2], s[5:n],
        s[n::-1], s[::-1][n:], s[n:][:3], s[n:-1], s[-100:n], s[n - 20 :],
    )  # fmt: skip


def steps(n):
    s = "abcabcbb"
    return s[n::2], s[:: n + 1], s[:: -n - 1], s[n:1:-2], s[:: n * 10**12 + 1]


def bounds_of_any_size(n):
    far = n * 10**12
    return "abc"[far:], "abc"[-far:], "abc"[:far], str(n)[:far]


def bounds_of_other_kinds(n):
    end = None if n % 2 else n
    return "NY"[n > 2], "odd even"[: 3 + (n > 2)], "abcdef"[1:end], str(n * 1001)[end:], "ab"[::end]


def half(k):
    return k if k < 2 else half(k - 2) + 1


def bounds_that_are_chosen_and_called(n):
    s, k, xs = "abcdefgh", n % 3, [1, 2, 3, 4, 5]
    ends = s[k : -k or None], s[k : (-k if k else None)], s[k : (k := k + 2)], k
    return ends, s[half(n) :], s[half(n) : half(n) + 2], sum(xs[: half(n)]), sum(xs[(n or 1) :])


def bounds_from_left_to_right(n):
    xs = [1, 2, 3, 4, 5]

    def more():
        xs.append(9)
        return len(xs) - 4

    xs[(n % 2 or 2) :] = [7, n]
    return sum(xs[more() :]), sum((xs * 2)[n % 2 : more() + 3]), xs[: 2 if n else 1]


def of_one_of_several(n):
    w, k = FRUIT[n % 3], n % 4
    return w[:k], w[k:], w[-k:], w[k:] + w[:k], w[k - 1 : k + 1], w[k:][::-1], w[: len(w) // 2]


def of_texts_that_are_made(n):
    s = str(n * 1237 + 11)
    half = len(s) // 2
    joined = "-".join([s, "x"])[half:]
    return s[:half], int(s[:half]) + int(s[half:]), f"<{n:04}>"[half:], joined


def what_is_asked(n):
    t = "foobarbaz"[n : n + 3]
    return (
        t in ("foo", "bar"), t in ["bar", "baz"], t in {"baz": 1}, t in {"oba"}, t in "a bar",
        {"foo": 7, "bar": 8}.get(t, 0), "a" in t, t < "bar", t.upper(), t.find("b"), t or "none",
        sorted(t), [ord(c) for c in t], t * 2, max(t, "b"), not t, t.count("o"), t.split("a"),
    )  # fmt: skip


def as_keys(n):
    s, counts, seen = "abababcab", {}, set()
    for i in range(len(s) - 1):
        gram = s[i : i + 1 + n % 2]
        counts[gram] = counts.get(gram, 0) + 1
        seen.add(s[:i])
    return max(counts.values()), sorted(counts), max(counts, key=counts.get), len(seen)


def longest_palindrome(n):
    s, best = "abacabadd"[n % 3 :], ""
    for left in range(len(s)):
        for right in range(left, len(s)):
            t = s[left : right + 1]
            if t == t[::-1] and len(t) > len(best):
                best = t
    return best


def recursive_palindrome(n):
    def is_palindrome(t):
        return len(t) < 2 or (t[0] == t[-1] and is_palindrome(t[1:-1]))

    s = "xabacabay"
    return is_palindrome(s[n:]), is_palindrome(s[1 : 8 - n % 3]), is_palindrome(s[n : n + 3])


def partitions(n):
    s = "aab"[: 1 + n % 3]

    def go(i):
        if i == len(s):
            return 1
        total = 0
        for j in range(i + 1, len(s) + 1):
            if s[i:j] == s[i:j][::-1]:
                total += go(j)
        return total

    return go(0)


def sentences(n):
    """Lists of parts are handed on in a recursion."""
    s = "catsanddog"[: 4 + n % 7]
    found = []

    def go(i, path):
        if i == len(s):
            found.append(" ".join(path))
            return
        for word in ("cat", "cats", "sand", "and", "dog"):
            if s[i : i + len(word)] == word:
                go(i + len(word), path + [word])

    go(0, [])
    return sorted(found)


def addresses(n):
    s = "25525511135"[: 6 + n % 6]
    found = []

    def go(i, parts):
        if len(parts) == 4:
            if i == len(s):
                found.append(".".join(parts))
            return
        for j in range(i + 1, min(i + 4, len(s) + 1)):
            part = s[i:j]
            if int(part) <= 255 and (part == "0" or part[0] != "0"):
                go(j, parts + [part])

    go(0, [])
    return len(found), found[0] if found else ""


def chunks(n):
    s, k = "abcdefghij", 1 + n % 4
    return [s[i : i + k] for i in range(0, len(s), k)], "-".join([s[:k], s[k:]])


def numbers(n):
    s = "31415926535"
    return int(s[n : n + 3]), sum(int(s[i : i + 2]) for i in range(n))


def no_number(n):
    return int("12"[n:])


def no_step(n):
    return "abc"[:: n % 3], str(n)[:: n % 4]


def a_byte(n):
    return b"abc"[n % 4], b"abc"[n % 3 - 3]


PROGRAMS = [
    word_break, bounds, steps, bounds_of_any_size, bounds_of_other_kinds,
    bounds_that_are_chosen_and_called, bounds_from_left_to_right, of_one_of_several,
    of_texts_that_are_made, what_is_asked, as_keys, longest_palindrome, recursive_palindrome,
    partitions, sentences, addresses, chunks, numbers, no_number, no_step, a_byte,
]  # fmt: skip


@pytest.mark.every(28)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(shared(function), N, strategy="pc", jit=False)


@pytest.mark.every(3)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=str)
def test_they_are_pythons_in_other_ways(strategy: dict[str, Any]) -> None:
    check(shared(word_break), N, **strategy)


def of_an_argument(word, n):
    return word[:n], word[n:], word[n - 2 : n], word[::-1][:n] == word[:n]


def test_an_argument_has_parts() -> None:
    words = np.array(["banana", "", "Zoé", "abba"])
    truths = [of_an_argument(str(w), k) for k, w in enumerate(words)]
    result = pcbatch.autobatch(of_an_argument)(words, np.arange(4))
    found = [part.numpy().tolist() for part in result]
    assert found == [list(column) for column in zip(*truths, strict=True)]


@pytest.mark.parametrize("use", [lambda n: "abc"[: n / 2], lambda n: str(n)[n / 2]])
def test_a_float_is_no_index(use: Callable[[Any], Any]) -> None:
    with pytest.raises(pcbatch.ProgramError, match="indices must be integers"):
        pcbatch.autobatch(use)(N)
