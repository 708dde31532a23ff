"""Powers of integers: Python's are floats where the exponent is negative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check

N = np.array([0, 1, 2, 5])


def known_exponents(n):
    x = n + 2
    x **= -1
    return (n + 1) ** -1, x, n**2, (n + 3) ** 0, 2**-3


def of_the_member(n):
    x = 3
    x **= n
    return x, 2 ** (n % 3), (-1) ** n, pow(2, n), sum(2**k * (n >> k & 1) for k in range(4))


def guarded(n):
    return 2 ** (n - 2) if n > 2 else 0


def zero_inverted(n):
    return n**-1


@pytest.mark.every(2)
@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize(
    "function", [known_exponents, of_the_member, guarded, zero_inverted], ids=lambda f: f.__name__
)
def test_powers_are_pythons(function: Callable[[Any], Any], jit: bool) -> None:
    check(function, N, jit=jit)


@pytest.mark.parametrize("options", [{"jit": False}, *STRATEGIES], ids=str)
def test_a_member_with_a_negative_exponent_stops(options: dict[str, Any]) -> None:
    result = pcbatch.autobatch(lambda n: 2 ** (n - 2)).run(N, **options)
    assert [int(status) != 0 for status in result.status] == [True, True, False, False]
    assert result.value.numpy()[2:].tolist() == [1, 8]
    with pytest.raises(pcbatch.MemberError, match=r"write 2\.0 \*\* n .*a limit of pcbatch"):
        result.check()


def test_arrays_have_numpys_word() -> None:
    result = pcbatch.autobatch(lambda n: np.array([1, 2, 3]) ** (n - 2)).run(N, jit=False)
    assert [int(status) != 0 for status in result.status] == [True, True, False, False]
    with pytest.raises(pcbatch.MemberError, match="Integers to negative integer powers"):
        result.check()


def test_without_checks_nothing_stops() -> None:
    result = pcbatch.autobatch(lambda n: 2 ** (n - 2)).run(N, jit=False, checks=False)
    assert result.value.numpy()[2:].tolist() == [1, 8]
