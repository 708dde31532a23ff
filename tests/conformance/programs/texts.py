"""Texts of which a member has one of several: states of machines, keys of tables, letters."""

from __future__ import annotations

import enum

import numpy as np

import pcbatch
from tests.conformance.programs.record import Program, ints


@pcbatch.autobatch
def busy_beaver(n):
    """A state in the key and in the value of a dict."""
    rules = {
        ("A", 0): (1, 1, "B"), ("A", 1): (1, -1, "B"),
        ("B", 0): (1, -1, "A"), ("B", 1): (1, 1, "halt"),
    }  # fmt: skip
    tape, place, state, steps = [0] * 9, 4, "A", 0
    while state != "halt" and steps < n:
        tape[place], move, state = rules[state, tape[place]]
        place += move
        steps += 1
    return steps, sum(tape), state == "halt"


@pcbatch.autobatch
def tick(light, cars):
    """Given a state, and gives the next."""
    match light:
        case "red" if cars > 2:
            return "green"
        case "green":
            return "yellow"
        case "yellow":
            return "red"
    return light


@pcbatch.autobatch
def lights(cars):
    light, passed, turned = "red", 0, 0
    for k in range(12):
        new = tick(light, cars)
        if new is not light and new != light:
            turned += 1
        light = new
        if light == "green":
            cars -= 2
            passed += 2
        cars += k % 2
    return passed, turned, light in ("red", "yellow"), isinstance(light, str)


@pcbatch.autobatch
def nim(n, player):
    """Handed from call to call of a recursion."""
    other = "bob" if player == "alice" else "alice"
    if n <= 0:
        return 1 if other == "alice" else -1
    return nim(n - 1 - (n + 1) % 3, other)


@pcbatch.autobatch
def winner(n):
    return nim(n, "alice")


@pcbatch.autobatch
def letters(n):
    """Characters of a text, and the texts of a list and of a dict, by a member's place."""
    word, days = "programming", ("mon", "tue", "sat", "sun")
    pair = {"a": "t", "t": "a", "g": "c"}
    vowels, weekend, last = 0, 0, ""
    for k in range(n):
        letter = word[k]
        vowels += letter in "aeiou"
        weekend += days[k * 3 % 4] in {"sat", "sun"}
        last = pair.get(letter, "none")
    found = None
    if n > 4:
        found = pair.get(word[n])
    return vowels, weekend, last == "none", 1 if last else 0, found is None, found == "c"


class Way(enum.Enum):
    NORTH = (0, 1)
    EAST = (1, 0)
    SOUTH = (0, -1)
    WEST = (-1, 0)

    @property
    def is_steep(self):
        return self.value[1] != 0


RIGHT = {Way.NORTH: Way.EAST, Way.EAST: Way.SOUTH, Way.SOUTH: Way.WEST, Way.WEST: Way.NORTH}


@pcbatch.autobatch
def turtle(n):
    """Constants of an Enum, their values and properties."""
    way, lost, x, y, steep = Way.NORTH, None, 0, 0, 0
    for k in range(n):
        if k % 3 == 2:
            way = RIGHT[way]
        dx, dy = way.value
        x, y = x + dx, y + dy
        steep += way.is_steep
        if x + y > 3 and lost is None:
            lost = way
    return (
        x,
        y,
        steep,
        way is Way.SOUTH,
        way in (Way.EAST, Way.WEST),
        lost is None,
        lost == Way.EAST,
    )


WORDS = ("it", "was", "the", "best", "of", "times", "it", "was", "the", "worst")


@pcbatch.autobatch
def word_counts(n):
    """Keys of a dict and of a set; texts, one of them or None, as results."""
    counts, seen, twice = {}, set(), []
    best = None
    for k in range(n):
        word = WORDS[k * k % 10]
        counts[word] = counts.get(word, 0) + 1
        if word in seen and word not in twice:
            twice.append(word)
        seen.add(word)
        if best is None or counts[word] > counts[best]:
            best = word
    rest = sum(count for word, count in counts.items() if word != best)
    return best, len(twice), rest, "many" if len(seen) > 3 else "few"


@pcbatch.autobatch
def spelled_numbers(n):
    """Texts that are made: in loops, by recursion, of a list, as results."""

    def in_base(k, base):
        return "0123456789ab"[k] if k < base else in_base(k // base, base) + str(k % base)

    roman, rest = "", n
    for value, letters in ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        while rest >= value:
            roman += letters
            rest -= value
    parts = [f"{k}:{roman[-1:]}" for k in range(n % 4)]
    listed = ",".join(parts) or "-"
    return roman, in_base(n, 3), listed, "".join(sorted(roman)), roman.count("I")


@pcbatch.autobatch
def parts_of_texts(n):
    """Parts with bounds of the member, texts that a recursion makes longer, and keys of them."""

    def closed(s, opened):
        if len(s) == 4:
            return s + ";" if opened == 0 else ""
        found = closed(s + "(", opened + 1)
        return found + closed(s + ")", opened - 1) if opened else found

    text, counts = "abacabadd"[: 3 + n % 7], {}
    for i in range(len(text) - 1):
        pair = "".join(sorted(text[i : i + 2]))
        counts[pair] = counts.get(pair, 0) + 1
    middle = text[n % 3 : len(text) - n % 3]
    return closed("", 0)[n % 5 :], len(counts), max(counts, key=counts.get), middle == middle[::-1]


@pcbatch.autobatch
def seats(n):
    """D'Hondt's highest averages: which of the dict's texts is best depends on the member."""
    votes = {"red": 340 + 20 * n, "green": 280, "blue": 160 + 35 * n, "grey": 60}
    won = dict.fromkeys(votes, 0)
    for _ in range(10):
        best = max(votes, key=lambda party: votes[party] / (won[party] + 1))
        won[best] += 1
    order = sorted(won.items(), key=lambda kv: (-kv[1], kv[0]))
    return list(won.values()), order[0], order[-1][0], min(won, key=won.get)


PROGRAMS = (
    Program("seats", seats, (ints(0, 1, 2, 4, 9, 14, 18, 39),)),
    Program("parts_of_texts", parts_of_texts, (ints(0, 1, 2, 4, 9, 14, 18, 39),), tags=("xla",)),
    Program("spelled_numbers", spelled_numbers, (ints(0, 1, 2, 4, 9, 14, 18, 39),), tags=("xla",)),
    Program("word_counts", word_counts, (ints(0, 1, 2, 3, 5, 8, 13, 20),), tags=("xla",)),
    Program("turtle", turtle, (ints(0, 1, 2, 3, 4, 5, 8, 13),), tags=("xla",)),
    Program("busy_beaver", busy_beaver, (ints(0, 1, 2, 3, 4, 5, 6, 9),), tags=("xla",)),
    Program("lights", lights, (np.array([0, 1, 2, 3, 5, 7, 9, 30]),), tags=("xla",)),
    Program("winner", winner, (ints(0, 1, 2, 3, 4, 5, 11, 20),)),
    Program("letters", letters, (ints(0, 1, 2, 3, 4, 7, 9, 10),)),
)
