"""Functions that a member chooses are Python's for each member."""

from __future__ import annotations

import math
import operator

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 4, 5)
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
FUNCTIONS = [math.sin, math.cos, abs]


def table_of_lambdas(n):
    ops = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
    x = 1
    for k in range(n):
        x = ops["+-*"[k * n % 3]](x, k + 2)
    return x


def division_is_by_who_divides(n):
    ops = {"+": lambda a, b: a + b, "/": lambda a, b: a / b}
    return ops["+/"[n % 2]](1.0, n - 3)


def table_of_the_module(n):
    x = 2
    for sign in "+-*x"[n % 2 : n]:
        x = OPERATORS[sign](x, n)
    return x


def by_place(n):
    return round(FUNCTIONS[n % 3](n / 2), 9), round(FUNCTIONS[-1 - n % 2](-n / 2), 9)


def with_a_default(n):
    def twice(k):
        return k * 2

    algorithm = {0: twice, 1: lambda k: k + 100}.get(n % 3, lambda k: -k)
    sign = "+-*/"[n % 4]
    f = OPERATORS.get(sign, max)
    return algorithm(n), OPERATORS.get(sign, lambda a, b: a * b + 7)(n, 3), f(n, 4)


class Registry:
    def get(self, key, other):
        return other


REGISTRY = Registry()


def no_such_place(n):
    return FUNCTIONS[n](0.0)


def caught(n):
    try:
        return OPERATORS["+x"[n % 2]](n, 1)
    except KeyError:
        return -1


def one_of_two(n):
    best = max if n % 2 else min
    return best([n, 3, 5]), best(n, 4)


def of_a_literal(n):
    f = {True: lambda x: x + n, False: lambda x: x * n}[n % 2 == 1]
    return f(n) + f(2)


def lambdas_of_branches(n):
    limit = 3
    if n % 2:
        fits = lambda k: k >= limit  # noqa: E731
    else:
        fits = lambda k: k <= limit + n  # noqa: E731
    limit = 4
    total = 0
    for k in range(9):
        if fits(k):
            total += k
    return total, [fits(3) for _ in range(2)]


def nested_functions(n):
    def product(k):
        return 1 if k < 2 else k * product(k - 1)

    def fibonacci(k):
        return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

    f = product if n % 2 else fibonacci
    return f(n)


def reverse_polish(n):
    stack = []
    for token in ["3", "4", "+", str(n), "*", "2", "-"]:
        if token in OPERATORS:
            b, a = stack.pop(), stack.pop()
            stack.append(OPERATORS[token](a, b))
        else:
            stack.append(int(token))
    return stack.pop()


ALIKE = (
    table_of_lambdas, division_is_by_who_divides, table_of_the_module, by_place, no_such_place,
    with_a_default, caught, one_of_two, of_a_literal, lambdas_of_branches, nested_functions,
    reverse_polish,
)  # fmt: skip


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_they_are_pythons(program):
    check(program, N)


def test_a_table_that_is_another_one_at_the_call_is_refused():
    def program(n):
        ops = {"a": lambda x: x + 1, "b": lambda x: x * 2}
        f = ops["ab"[n % 2]]
        ops = {"a": lambda _: 0, "b": lambda _: 0}
        return f(n) + len(ops)

    with pytest.raises(ProgramError, match="which value of a dict is meant"):
        pcbatch.autobatch(program).run(N)


def test_get_of_what_is_no_dict_is_its_own():
    """Which is called as it stands, and refused where it would be a table."""

    @pcbatch.autobatch
    def f(n):
        return REGISTRY.get(n, abs)(n - 3), OPERATORS.get("+-"[n % 2], max)(n, 1)

    with pytest.raises(ProgramError, match="`get` of Registry gives a function"):
        f.run(N)
