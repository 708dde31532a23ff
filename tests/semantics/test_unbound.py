"""Variables that have no value on some paths: a member that reads one stops as Python does."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check, of_member, outcome

N = np.arange(9)


def last_of_a_loop(n):
    for i in range(n):
        last = 2 * i
    return last + i


def loop_with_else(n):
    count = 0
    for i in range(2, n):
        if n % i == 0:
            break
    else:
        count = 100
    return i + count


def chosen_message(n):
    if n % 2:
        message = "odd"
    elif n > 3:
        message = "large"
    return len(message) if n % 2 or n > 2 else 0


def converged(n):
    lam, eps = 1.0 * n, 1e-6
    for it in range(50):
        new = (lam + 3.0 / (lam + 1)) / 2
        if abs(new - lam) < eps:
            break
        lam = new
    return it, round(new, 3)


def handled(n):
    total = 0
    for k in range(n):
        try:
            total += previous
        except NameError:
            total += 100
        previous = k
    try:
        return total + previous
    except UnboundLocalError as e:
        return len(str(e))


def deleted(n):
    x = n
    if n % 3 == 0:
        del x
    while n > 5:
        n -= 1
        y = n
        if n == 6:
            del y
    return x + (y if n == 5 else 0)


def guarded(n):
    found = False
    for k in range(n):
        if k * 3 == n:
            found, where = True, k
    if found and where > 1:
        return where
    return -1


def what_stands_first(n):
    if n > 4:
        xs = [n, n + 1, 3]
    if n > 2:
        return 1 // (n - 3) + xs[0]
    return 0


def two_at_once(n):
    for a in range(2, n):
        for b in range(a, n):
            if a * b == n:
                best = a, b
    return best[0] * 10 + best[1]


def exchanged(n):
    if n > 3:
        a, b = n, 2
    a, b = b, a
    a += 1
    return a - b


def none_or_nothing(n):
    if n > 3:
        c = None
    elif n > 1:
        c = 4
    return c is None


SCALARS = [
    last_of_a_loop, loop_with_else, chosen_message, converged, handled, deleted, guarded,
    what_stands_first, two_at_once, exchanged, none_or_nothing,
]  # fmt: skip


def grown_list(n):
    if n > 4:
        xs = []
        for k in range(n):
            xs.append(k)
    return xs


def row_of_a_loop(n):
    for row in range(n):
        line = [0] * 4
        line[row % 4] = row
    return line


def matrix(n):
    if n > 4:
        grid = [[0] * 3 for _ in range(3)]
        grid[1][2] = n
    return grid[1]


def array(n):
    if n > 4:
        v = np.zeros(3)
        v[1] = n
    return v[1] if n > 2 else 0.0


def table(n):
    if n > 4:
        counts = {}
        for k in range(n):
            counts[k % 3] = k
    return counts[1]


def members_of_a_set(n):
    if n > 3:
        s = {n}
    try:
        s.add(4)
    except UnboundLocalError:
        return 0
    return len(s)


class Point:
    def __init__(self, a):
        self.a, self.k = a, 0

    def up(self):
        self.k += 1


def object_of_a_class(n):
    for i in range(n):
        if i == 3:
            p = Point(i)
        if i > 4:
            p.up()
    return p.k + p.a


def text(n):
    if n > 3:
        word = "abc" * (n % 2 + 1)
    return word.upper()


def helper(k):
    for i in range(k):
        if i * i > k:
            answer = i
            break
    return answer


def in_a_helper(n):
    try:
        return helper(n)
    except UnboundLocalError:
        return -7


CONTAINERS = [
    grown_list, row_of_a_loop, matrix, array, table, members_of_a_set, object_of_a_class, text,
    in_a_helper,
]  # fmt: skip


def nested(n):
    if n > 3:
        c = 2

    def g(x):
        return x + c

    return g(n)


def nested_and_caught(n):
    if n > 3:
        c = 2

    def g(x):
        try:
            return x + c
        except NameError:
            return -1

    return g(n) + g(n + 2)


def nested_and_deleted(n):
    if n > 3:
        y = 4
    h = lambda t: t * y  # noqa: E731
    if n > 5:
        del y
    return sum(map(h, range(n)))


def nested_twice(n):
    if n > 3:
        y = 4

    def outer(a):
        def inner(b):
            return a + b + y

        return inner(a) + inner(2)

    return outer(n) if n > 1 else 5


def recursive(n):
    def rec(k):
        if k == 0:
            return base
        return rec(k - 1) + 1

    if n % 2:
        base = n
    return rec(3)


def comprehension(n):
    if n > 3:
        y = 1.5 * n
    return [y + k for k in range(n)]


def condition(n):
    for i in range(n):
        if i > 2:
            limit = i
    return [k for k in range(n) if k < limit]


def generator(n):
    if n > 3:
        y = 4
    return any(k == y for k in range(n))


def key(n):
    xs = [n, 3, 5]
    if n > 3:
        y = 4
    return sorted(xs, key=lambda t: abs(t - y))


NESTED = [
    nested, nested_and_caught, nested_and_deleted, nested_twice, recursive, comprehension,
    condition, generator, key,
]  # fmt: skip


@pytest.mark.every(7)
@pytest.mark.parametrize("f", SCALARS + CONTAINERS + NESTED)
def test_a_member_that_reads_it_stops(f: Callable[..., Any]) -> None:
    check(f, N, strategy="pc", jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
@pytest.mark.parametrize("f", [last_of_a_loop, handled, deleted, grown_list, nested_and_caught])
def test_with_every_strategy(f: Callable[..., Any], options: dict[str, Any]) -> None:
    check(f, N, **options)


def test_the_status_has_the_users_line() -> None:
    result = pcbatch.autobatch(last_of_a_loop).run(N, strategy="local")
    said = "cannot access local variable 'last' where it is not associated with a value"
    assert result.message(0).startswith(f"UnboundLocalError: {said}")
    assert "return last + i" in result.message(0)
    assert [of_member(result.value, k) for k in (1, 8)] == [0, 21]


def test_a_program_with_values_everywhere_has_no_flags() -> None:
    def bound(n):
        last = 0
        for i in range(n):
            last = i
        return last

    assert "bound" not in str(pcbatch.autobatch(bound).lower(N).typed.functions["bound"].types)


# --- Random programs -----------------------------------------------------------------------------


def _statements(rng: random.Random, depth: int, indent: str) -> list[str]:
    """Some statements that assign, delete and read `a`, `b` and `c`."""
    lines = []
    for _ in range(rng.randint(1, 3)):
        name, other = rng.sample("abc", 2)
        kind = rng.choice(("assign", "read", "del", "if", "for", "try") if depth else ("assign",))
        match kind:
            case "assign":
                value = rng.choice((f"n + {rng.randint(0, 5)}", f"{other} + 1"))
                lines.append(f"{indent}{name} = {value}")
            case "read":
                lines.append(f"{indent}total += {name} % 7")
            case "del":
                lines.append(f"{indent}del {name}")
            case "if":
                lines.append(f"{indent}if n % {rng.randint(2, 4)} == {rng.randint(0, 1)}:")
                lines += _statements(rng, depth - 1, f"{indent}    ")
                if rng.random() < 0.5:
                    lines.append(f"{indent}else:")
                    lines += _statements(rng, depth - 1, f"{indent}    ")
            case "for":
                lines.append(f"{indent}for {name} in range(n % {rng.randint(2, 4)}):")
                lines += _statements(rng, depth - 1, f"{indent}    ")
            case "try":
                lines.append(f"{indent}try:")
                lines += _statements(rng, depth - 1, f"{indent}    ")
                lines += [f"{indent}except NameError:", f"{indent}    total += 50"]
    return lines


def random_program(seed: int) -> Callable[..., Any]:
    """A function of one number."""
    rng = random.Random(seed)
    head, tail = ["def program(n):", "    total = 0"], ["    return total"]
    first = [f"    if n % {rng.randint(3, 5)}:\n        {name} = n" for name in "abc"]
    lines = [*head, *first, *_statements(rng, 2, "    "), *_statements(rng, 2, "    "), *tail]
    text = "\n".join(lines) + "\n"
    file = f"<unbound {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, file, "exec"), scope)
    return scope["program"]


@pytest.mark.every(10)
@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int) -> None:
    program = random_program(seed)
    try:
        check(program, N, strategy="pc", jit=False)
    except pcbatch.ProgramError as error:
        assert "every member reads a variable" in str(error)
        assert all(isinstance(outcome(program, (int(n),)), NameError) for n in N)
