"""`Color(n)` is Python's for each member."""

from __future__ import annotations

import enum

import pytest

from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 4, 7)


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Letter(enum.Enum):
    A = "a"
    B = "b"


class Day(enum.IntEnum):
    SUNDAY = 0
    MONDAY = 1


def by_number(n):
    color = Color(n % 3 + 1)
    return color.name, color is Color.RED, color.value


def none_of_them(n):
    return Color(n).name


def caught(n):
    try:
        return Color(n % 5).name
    except ValueError:
        return "none"


def by_text(n):
    return Letter("ab"[n % 2]) is Letter.A


def next_one(n):
    color = Color.BLUE
    for _ in range(n):
        color = Color(color.value % 3 + 1)
    return color.name


def numbers(n):
    return Day(n % 2) + 1, Day(n % 2) == Day.MONDAY


ALIKE = (by_number, none_of_them, caught, by_text, next_one, numbers)


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_they_are_pythons(program):
    check(program, N)
