"""Functions of a text that depends on the member: tables over the texts that a program names."""

from __future__ import annotations

import enum
import functools
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import pcbatch
from tests.support.enums import Light, Speed
from tests.support.members import check, shared

N = np.array([0, 1, 2, 3, 4, 5])
WORDS = ["apple", "Bean", "corn", "apple", "level", "x1"]


class Kind(enum.Enum):
    """Its names are those of methods of a text."""

    A = 1
    B = 2

    @property
    def title(self):
        return self.value * 10

    @property
    def count(self):
        return self.value + 1


class Tag(str, enum.Enum):  # noqa: UP042
    X = "x"
    Y = "yy"

    @property
    def title(self):
        return len(self.value) * 10


class Item(NamedTuple):
    name: str
    price: int


# --- Characters -----------------------------------------------------------------------------------


def characters_at_places(n):
    word = WORDS[n]
    return word[n], word[-1], word[n - 3], word[0][0]


def a_loop_over_characters(n):
    word, vowels = WORDS[n], 0
    for c in word:
        if c in "aeiou":
            vowels += 1
    for k, c in enumerate(word):
        if c == "e":
            vowels += 10 * k
    for a, b in zip(word, WORDS[(n + 2) % 6], strict=False):
        if a == b:
            vowels += 100
    for c in reversed(word):
        vowels = vowels * 2 + (c > "c")
    return vowels


def comprehensions(n):
    word = WORDS[n]
    places = sum(i for i, c in enumerate(word) if c == "p")
    return places, all(c.islower() for c in word), [c.upper() for c in word], max(word), min(word)


def slices(n):
    word = WORDS[n]
    return word[1:], word[::-1], word[:2], word == word[::-1], word[1:-1][0]


def lists_and_sets_of_characters(n):
    word = WORDS[n]
    letters = list(word)
    letters.extend(WORDS[(n + 1) % 6])
    seen = {"q"}
    seen.update(word)
    return len(set(word)), sorted(word), letters, len(seen), Counter(word)["p"]


def anagram(n):
    return sorted(WORDS[n]) == sorted("elppa"), Counter(WORDS[n]) == Counter("elppa")


def unpacked(n):
    a, b = ["ab", "cd", "xyz"][n % 3]
    return a, b


def palindrome(n):
    word = WORDS[n]
    i, j = 0, len(word) - 1
    while i < j:
        if word[i] != word[j]:
            return False
        i += 1
        j -= 1
    return True


# --- Questions ------------------------------------------------------------------------------------


def order(n):
    a, b = WORDS[n], WORDS[(n + 1) % 6]
    if a > b:
        a, b = b, a
    return a, b, a < "c", WORDS[n] <= "corn", min(WORDS[n], "bus"), max(a, b, "axe")


def order_in_tuples(n):
    a, b = (WORDS[n], 1), (WORDS[(n + 3) % 6], 2)
    return a < b, max(a, b), sorted([a, b])


def within(n):
    word = WORDS[n]
    return "pp" in word, WORDS[(n + 1) % 6][0] in word, word in "applecorn", "e" not in word


def methods(n):
    word = WORDS[n]
    return (
        word.upper(), word.isalpha(), word.startswith("a"), word.count("p"), word.find("e"),
        word.lower() == "bean", word.isupper(), word.strip("ae"), word.endswith(WORDS[(n + 1) % 6]),
        "applecorn".startswith(word), "a corn".rfind(word), word.title(),
    )  # fmt: skip


def numbers(n):
    text = ["12", "7", "100", "-3", "x", "5"][n]
    return int(text) * 2, float(text)


def caught(n):
    text = ["12", "7", "abc", "-3", "", "5"][n]
    try:
        return int(text)
    except ValueError:
        return -1


def hexadecimal(n):
    text, value = ["ff", "10", "a0", "7", "0", "beef"][n], 0
    for c in text:
        value = value * 16 + "0123456789abcdef".index(c)
    return value, int(text, 16), ord(text[0])


def an_exception_of_a_method(n):
    return WORDS[n].index("e")


def an_index_out_of_range(n):
    return WORDS[n][4]


def texts_of_an_enum(n):
    light = Light.RED if n % 2 else Light.GREEN
    speed = Speed.SLOW if n % 2 else Speed.FAST
    return (
        str(light), light.value.upper(), speed.upper(), len(speed), str(speed), light.name[0],
        repr(light), str(light) == "Light.RED",
    )  # fmt: skip


def names_of_methods(n):
    kind = Kind.A if n % 2 else Kind.B
    tag = Tag.X if n % 2 else Tag.Y
    return kind.title, kind.count, tag.title, tag.upper(), len(tag), tag < "xa", title_of(kind)


def title_of(kind):
    return kind.title


def large_numbers(n):
    text = ["2000000000", "7"][n % 2]
    return int(text) * 3, int(text) * int(text)


def searched_in_alphabets(n):
    low, high = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    total = 0
    for c in WORDS[n]:
        if c in low:
            total += low.index(c)
        elif c in high:
            total += high.find(c) * 100
        elif c in "0123456789":
            total += 10_000
    return total


def eaten_up(n):
    text = ["the quick brown fox jumps over", "lazy dogs and cats", "x"][n % 3]
    same = 0
    while len(text) > 1:
        if text[0] == text[-1]:
            same += 1
        text = text[1:-1]
    return same, text


# --- Where texts are ------------------------------------------------------------------------------


def shouted(word):
    return word.upper() if word.startswith("a") else word


def in_a_helper(n):
    return shouted(WORDS[n]), shouted(WORDS[n])[0]


def in_a_recursion(n):
    def go(word, k):
        return len(word) if k == 0 else go(word.lower(), k - 1) + (word[0] == "B")

    return go(WORDS[n], n)


def that_may_be_none(n):
    word = None
    if n > 2:
        word = WORDS[n]
    return len(word) if word is not None else -1, word.upper() if word else "none"


def in_structures(n):
    items = [Item(WORDS[n], n), Item("bus", 3)]
    best = max(items, key=lambda item: (item.price, item.name))
    return best.name, best.name[0], len(best.name)


def in_lists(n):
    words = []
    for k in range(n):
        words.append(WORDS[k])
    words.sort()
    first = words[0] if words else "none"
    words.sort(key=len, reverse=True)
    lengths = [len(word) for word in words]
    return words, first, lengths, sorted(words), min(words, default=""), words < ["apple", "b"]


def the_longest(n):
    words = ["zz"]
    for k in range(n):
        words.append(WORDS[k])
    return max(words, key=len), max(words)


def sorted_keys(n):
    counts = {}
    for k in range(n):
        counts[WORDS[k]] = counts.get(WORDS[k], 0) + 1
    seen = set(counts)
    return sorted(counts), sorted(seen), min(counts, default="none"), max(seen, default="none")


def characters_as_keys(n):
    counts = defaultdict(int)
    for c in WORDS[n].lower():
        if c.isalpha():
            counts[c] += 1
    return len(counts), max(counts.values()), max(counts, key=counts.get)


def in_a_match(n):
    word = WORDS[n]
    match word:
        case "apple" | "Bean":
            return 1
        case str() if len(word) == 4:
            return 2
    return isinstance(word, str) + 3


# --- Algorithms -----------------------------------------------------------------------------------


def roman(n):
    text = ["IV", "XII", "MCMXCIV", "III", "IX", "CD"][n]
    value = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    for i in range(len(text)):
        if i + 1 < len(text) and value[text[i]] < value[text[i + 1]]:
            total -= value[text[i]]
        else:
            total += value[text[i]]
    return total


def common_subsequence(n):
    a, b = WORDS[n], WORDS[(n + 1) % 6]

    @functools.cache
    def go(i, j):
        if i == len(a) or j == len(b):
            return 0
        if a[i] == b[j]:
            return 1 + go(i + 1, j + 1)
        return max(go(i + 1, j), go(i, j + 1))

    return go(0, 0)


def edit_distance(n):
    a, b = WORDS[n], WORDS[(n + 2) % 6]
    above = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        row = [i] + [0] * len(b)
        for j in range(1, len(b) + 1):
            change = above[j - 1] + (a[i - 1] != b[j - 1])
            row[j] = min(above[j] + 1, row[j - 1] + 1, change)
        above = row
    return above[len(b)]


def postfix(n):
    stack = []
    for c in ["12+", "34*", "51-", "23*4+", "93-", "77+"][n]:
        if c.isdigit():
            stack.append(int(c))
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(a + b if c == "+" else a - b if c == "-" else a * b)
    return stack[-1]


PROGRAMS: list[Callable[..., Any]] = [
    characters_at_places, a_loop_over_characters, comprehensions, slices,
    lists_and_sets_of_characters, anagram, unpacked, palindrome, order, order_in_tuples, within,
    methods, numbers, caught, hexadecimal, an_exception_of_a_method, an_index_out_of_range,
    texts_of_an_enum, names_of_methods, large_numbers, searched_in_alphabets, eaten_up,
    in_a_helper, in_a_recursion, that_may_be_none, in_structures, in_lists, the_longest,
    sorted_keys, characters_as_keys, in_a_match, roman, common_subsequence, edit_distance, postfix,
]  # fmt: skip


@pytest.mark.every(66)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_values(program: Callable[..., Any]) -> None:
    check(program, N, jit=False)


@pytest.mark.every(4)
@pytest.mark.parametrize("strategy", ["local", "hybrid", "loop", "pc"])
def test_each_strategy(strategy: str) -> None:
    check(shared(postfix), N, strategy=strategy)


def test_order_under_xla() -> None:
    check(order, N)


def test_a_number_that_has_no_dtype_is_refused() -> None:
    with pytest.raises(pcbatch.ProgramError, match="a text that depends on the member is used"):
        pcbatch.autobatch(lambda n: int(["20000000000000000000", "7"][n % 2]))(N)


def test_where_there_are_too_many_texts_there_is_no_table() -> None:
    many = [f"{k:03}" for k in range(600)]
    check(lambda n: many[n + 1].upper() < many[n].lower(), N, jit=False)


def test_a_program_has_the_texts_of_its_own() -> None:
    def f(n):
        return len(WORDS[n]) if n < 3 else len("ab" if n < 5 else "abc")

    for _ in range(2):  # again, of what another program has named
        check(f, N, jit=False)


def test_a_method_that_makes_new_texts_in_a_function_that_python_calls() -> None:
    def longer_word(word):
        return word.replace("p", "pp")

    check(lambda n: list(map(longer_word, [WORDS[n]])), N, jit=False)
