"""`int(text or 1)`, and the sets of the characters of texts that a member makes."""

from __future__ import annotations

from collections import Counter

from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 3, 7, 21, 120, 4444)


def of_texts_or_numbers(n):
    text = str(n)
    return (
        int(text[1:] or 1), int(text[2:].strip("0") or -5), float(text[1:] or 0.5),
        float(text[3:] or 2), sum(int(c or 2) for c in text.split("4")), int(n or 3),
    )  # fmt: skip


def parsed(n):
    formula = ("H2O", "C6H12O6", "NaCl", "CH3CH2OH")[n % 4]
    counts, i = {}, 0
    while i < len(formula):
        start = i
        i += 1
        while i < len(formula) and formula[i].islower():
            i += 1
        name, start = formula[start:i], i
        while i < len(formula) and formula[i].isdigit():
            i += 1
        counts[name] = counts.get(name, 0) + int(formula[start:i] or 1)
    return sorted(counts.items())[0], sum(counts.values())


def sets_of_digits(n):
    text = str(n)
    seen, counts = set(text), Counter(str(n * 11))
    return "".join(sorted(seen)), len(set(text)) == len(text), counts["1"], len(counts)


def test_a_text_or_a_number_is_converted() -> None:
    check(of_texts_or_numbers, N, jit=False)
    check(parsed, N, jit=False)


def test_a_text_of_a_number_is_a_set_of_its_characters() -> None:
    check(sets_of_digits, N, jit=False)


def calls_what_it_converts(n):
    log = []

    def noted(x):
        log.append(x)
        return x

    table = [noted]
    return int(table[0](n) or 1), len(log)


def test_what_is_called_is_called_once():
    check(calls_what_it_converts, ints(0, 1, 5), jit=False)
