"""`str.translate`: each character of a member's text becomes another one, or none."""

from __future__ import annotations

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 3, 12, 31, 1213)
COMPLEMENT = str.maketrans("ACGT", "TGCA")


def with_others(n):
    dna = ("ACGTT" * n)[: n % 20 + 1]
    return dna[::-1].translate(COMPLEMENT), "ACGT"[n % 4].translate(COMPLEMENT)


def without_some(n):
    word = ("Hello, World", "a-b", "x")[n % 3]
    table = {ord("1"): None, ord("2"): "z", 51: 52, ord("0"): ""}
    return (
        word.translate(str.maketrans("", "", ",-")), str(n).translate(table),
        len(str(n).translate(str.maketrans("", "", "123"))),
    )  # fmt: skip


def with_more(n):
    return str(n).translate({ord("1"): "one"})


@pytest.mark.parametrize("program", [with_others, without_some])
def test_characters_become_others(program):
    check(program, N, jit=False)


def test_several_characters_for_one_are_refused():
    with pytest.raises(ProgramError, match="makes more than one character of one"):
        pcbatch.autobatch(with_more)(N)
