"""Methods of `str` that are handed over, or called by their class: `key=str.lower`."""

from __future__ import annotations

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 5, 12)


def are_called(n):
    text, f = "aAbB" * (n % 3) + "cC", str.upper
    return str.lower(text), "".join([f(c) for c in text]), str.find(text, "b"), str.join("-", "ab")


def are_mapped(n):
    text = "aAbB" * (n % 3) + "cC"
    words = ["x" * n, "Yy", "zZ"]
    return (
        "".join(map(str.swapcase, text)),
        " ".join(map(str.title, words)),
        all(map(str.isdigit, str(n))),
    )


def filter_characters(n):
    text = "A man, a plan" * (n % 2) + str(n * 37) + "x!"
    kept = "".join(filter(str.isalnum, text)).lower()
    return kept, "".join(filter(str.isdigit, text)), " ".join(filter(None, ["a" * (n % 2), "b"]))


def are_keys(n):
    words = ["b", "A"] * (n % 3) + ["c"]
    return sorted(words, key=str.lower), max(words, key=str.swapcase)


def strip_parts(n):
    line = "a, b ,  c" + ", d" * n
    return list(map(str.strip, line.split(",")))


def join_numbers(n):
    xs = []
    for i in range(n % 4):
        xs.append(i * n)
    return ",".join(map(str, xs)), "-".join(map(lambda k: str(k * n), range(3)))  # noqa: C417


ALIKE = (are_called, are_mapped, filter_characters, are_keys, strip_parts, join_numbers)


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_methods_are_pythons(program):
    check(program, N)


def test_a_number_is_no_text():
    def program(n):
        return str.lower(n)

    with pytest.raises(ProgramError, match="'lower' for 'str' objects doesn't apply to a 'int'"):
        pcbatch.autobatch(program).run(N)
