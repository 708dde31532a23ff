"""`hasattr`, `getattr`, `is` and `in` of a member's value are Python's, or refused."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 5)


def of_numbers(n):
    f = n * 0.5
    asked = (
        hasattr(n, "bit_length"),
        hasattr(n, "size"),
        hasattr(f, "is_integer"),
        hasattr(f, "dtype"),
    )
    return asked, getattr(n, "imag", 4), getattr(n, "size", 5), getattr(f, "is_integer")()


def of_arrays(n):
    x = np.array([n % 2, 3])
    asked = hasattr(x, "shape"), hasattr(x, "T"), hasattr(x, "append"), hasattr(x, "upper")
    return asked, getattr(x, "size", 5), getattr(x, "nope", 7), getattr(x, "ndim", 9)


def of_texts(n):
    text = "a" * n
    asked = hasattr(text, "size"), hasattr(text, "upper"), hasattr(text, "codes")
    return asked, getattr(text, "upper")(), getattr(text, "length", 3)


def of_containers(n):
    xs, d = [], {}
    xs.append(n)
    d[n] = 1
    asked = [hasattr(xs, name) for name in ("append", "data", "layout", "rows", "shape")]
    asked += [hasattr(d, name) for name in ("items", "stored", "kind", "append")]
    return asked, getattr(d, "kind", 3), getattr(xs, "size", 4)


def are_one_object(n):
    return n is n, (n % 2 == 1) is (n % 3 == 1), (n > 2) is not (n > 3), n is None


def are_never_equal(n):
    return n == "a", n != "a", n in ("a", n), n == None  # noqa: E711


def equals_no_container(n):
    xs = []
    xs.append(n)
    asked = n == [], () != n, n == [1, 2], (n, 2) != n, n == {}, n == set(), xs == n, n != xs
    return asked, n in ([], [3]), n in [(), n], xs in [n, xs], [[1], n].index(n), [[], n].count(n)


ALIKE = (
    of_numbers,
    of_arrays,
    of_texts,
    of_containers,
    are_one_object,
    are_never_equal,
    equals_no_container,
)


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_what_is_asked_is_pythons(program):
    check(program, N)


@dataclasses.dataclass(frozen=True)
class Size:
    size: int


class Own:
    def __init__(self, a):
        self.a = a

    def __eq__(self, other):
        return self.a == other.a

    def __hash__(self):
        return 7


REFUSED = {
    "two numbers are compared by `is`": lambda n: n % 2 is n % 3,
    "two arrays are compared by `is`": lambda n: np.array([n, 1]) is np.array([n, 2]),
    "'<' not supported between instances of 'int' and 'str'": lambda n: n < "a",
    "'<=' not supported between instances of 'float' and 'NoneType'": lambda n: n * 0.5 <= None,
    "argument of type 'int' is not iterable": lambda n: 2 in n,
    "argument of type 'float' is not iterable": lambda n: "a" in n * 0.5,
    "objects of a class that says what": lambda n: len({Size(n % 2), Size(n % 3)}),
    "`to_bytes` is asked of a member's number": lambda n: n.to_bytes(4, "little")[0],
    "`as_integer_ratio` is asked of a member's number": lambda n: (n / 8).as_integer_ratio(),
    "this expression decides with Python": lambda n: len({Own(n), Own(n % 3)}),
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_has_no_answer_is_refused(said):
    with pytest.raises(ProgramError, match=said):
        pcbatch.autobatch(REFUSED[said]).run(N)


def written_instead(n):
    data = [n >> 8 * k & 255 for k in range(4)]
    return data, Fraction(n / 8).as_integer_ratio()


def test_the_remedies_work():
    check(written_instead, N)


class Named:
    def __init__(self, n):
        setattr(self, "value", n)
        setattr(self, "other", n + 1)

    def more(self):
        setattr(self, "value", getattr(self, "value") + 1)
        if getattr(self, "value") > 3:
            setattr(self, "other", 2 * self.other)


def with_names(n):
    named = Named(n)
    for k in range(n):
        named.more()
        setattr(named, "other", named.other + k)
    return named.value, getattr(named, "other"), hasattr(named, "value"), getattr(named, "no", 3)


def test_an_attribute_is_set_by_its_name():
    check(with_names, N, jit=False)
