"""A number or a text in an f-string, and None beside a text that is spelled."""

from __future__ import annotations

import pytest

from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 12)


def numbers_or_texts(n):
    return f"{n if n > 3 else ''}|{n if n > 1 else '':>4}|{'x' if n > 2 else n:03}"


def run_lengths(n):
    return "".join(f"{c}{k if k > 1 else ''}" for c, k in zip("abc", [n, 1, n - 1], strict=True))


def none_behind_a_text(n):
    xs = ["a" * n]
    xs.append(None)
    return len(xs), xs[0], xs[1] is None


class Word:
    def __init__(self, text, before):
        self.text = text
        self.before = before


def attributes(n):
    word = Word(str(n), None)
    word = Word(None, word)
    word = Word("b" * n, word)
    return word.text, word.before.text is None, word.before.before.text


@pytest.mark.parametrize(
    "program",
    [numbers_or_texts, run_lengths, none_behind_a_text, attributes],
    ids=lambda p: p.__name__,
)
def test_they_are_pythons(program):
    check(program, N)
