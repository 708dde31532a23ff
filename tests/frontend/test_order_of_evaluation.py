"""Expressions are evaluated in Python's order, each part once.

`P` and `C` note their argument in a log and return it; a call of `P` is part of a primitive, a call
of `C` is a call of the program, which splits the expression.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from pcbatch import frontend, ir
from tests.frontend.source_interpreter import define, interpret


class Recorder:
    """The log, and the two functions that write it."""

    def __init__(self) -> None:
        self.log: list[Any] = []

    def plain(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        self.log.append(("P", value, args, kwargs))
        return value

    def call(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        self.log.append(("C", value, args, kwargs))
        return value


class Table:
    """A container that notes reads and writes."""

    def __init__(self, recorder: Recorder):
        self.recorder = recorder

    def __getitem__(self, index: Any) -> int:
        self.recorder.log.append(("read", index))
        return 7

    def __setitem__(self, index: Any, value: Any) -> None:
        self.recorder.log.append(("write", index, value))

    def method(self, *values: Any) -> int:
        self.recorder.log.append(("method", values))
        return len(values)


def check(body: str) -> ir.Function:
    """Compare a function body's result and log with Python's; x, y and z are 1, 2 and 0."""
    recorder = Recorder()
    names = {"P": recorder.plain, "C": recorder.call, "table": Table(recorder)}
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    fn = define(f"def program(x, y, z):\n{lines}", **names)
    expected, expected_log = fn(1, 2, 0), list(recorder.log)
    recorder.log.clear()
    lowered = frontend.lower(fn, needs_call=lambda value: value == recorder.call)
    assert interpret(fn, lowered, (1, 2, 0)) == expected
    assert recorder.log == expected_log
    return lowered


BODIES = [
    "return P(1) + C(2) * P(3) - C(4)",
    "return (x, C(1), x, (x := 5), x, C(x))",
    "return x + (x := C(5)) + x * (x := 6) + x",
    "return C(x, x, (x := 3), x)",
    "return P(x, C(x), x, (x := 3), x, k=x, **{'j': C(x)})",
    "return [P(1), *[P(2), C(3)], P(4)], {P('a'): C(1), **{'b': P(2)}, C('c'): P(3)}",
    "return {P(1), C(2), P(3)} == {C(3), P(2), C(1)}",
    "return P(1) < C(2) < P(3) < C(3) < P(9)",
    "return C(1) < (x := C(2)) < x + 1 < (x := 0) or x",
    "return x < y < z or z < x < y",
    "return (P(0) or C(0) or P(3)) and (C(0) or P(2)) and C(4)",
    "return not (P(1) and C(0)) and not C(z)",
    "return C(1) if P(0) else C(2) if C(1) else P(3)",
    "return (P(1) if C(x) else P(2)) + (C(3) if P(z) else C(4))",
    "return f'{P(1)}-{C(2):>{P(4)}}-{P(3)!r}{C(5)}'",
    "return [1, 2, 3, 4][P(1):C(3):P(1)], (1, 2, 3)[C(1)]",
    "return table[P(1), C(2)], table[C(1):P(2), P(3):C(4)]",
    "return table.method(P(1), C(2)), table.method(*[C(1), P(2)])",
    "return C(table).method(C(1), P(2))",
    "return (lambda a, b=C(1), *, c=P(2): a + b + c)(P(3), c=C(5))",
    "return [P(a) for a in (P(1), C(2), P(3)) if P(a) > 1]",
    "return list(map(lambda a: P(a) + x, (C(1), P(2))))",
    "table[P(1)] = C(2)\ntable[C(1)] = P(2)\nreturn x",
    "table[P(1)] += C(2)\ntable[C(1)] -= P(2)\ntable[x] += (x := 4)\nreturn x",
    "a, table[a], (b, table[b]) = C(1), P(2), (C(3), P(4))\nreturn a, b",
    "a = table[x] = x = C(4)\nreturn a, x",
    "x = x and P(0) or x + C(1)\nreturn x",
    "x = x if C(0) else x + P(1)\nreturn x",
    "x += (x := C(5)) + x\nreturn x",
    "x, y = y, C(x) + x\nreturn x, y",
    "x, y = (x := 9), x\nreturn x, y",
    "while P(x) < C(3) and (x := x + 1):\n    y += x\nelse:\n    C('else')\nreturn x, y",
    "for x in P((C(1), P(2))):\n    y += C(x)\nreturn y",
    "for x in range(C(0), P(6), C(2)):\n    y += P(x)\nreturn x, y",
    "for i, (a, b) in enumerate(zip((P(1), C(2)), (C(3), P(4))), C(5)):\n    P((i, a, b))",
    "for table[P(0)] in (1, 2):\n    C(3)\nreturn x",
    "def f(a=C(1), b=P(2)):\n    return P(a) + b\nreturn f(C(3)) + f()",
    "assert P(1) and C(2), C('not evaluated')\nreturn x",
    "P(1)\nC(2)\nx\n'text'\nP(C(3))\nreturn None",
    "return C(C(C(1) + P(2)) + C(3)) + P(C(4) + P(5))",
    "return -C(1) + ~P(2) + (not C(0)), C(2) ** -P(1)",
    "return P(1) in (C(1), P(2)), C(3) not in (P(3), C(4)), C(1) is P(1)",
    "return ((y := C(3)), y, [y for _ in (1, 2)], (y := y + 1), y)",
]


@pytest.mark.parametrize("body", BODIES)
def test_order(body):
    check(body)


def test_an_expression_without_calls_is_one_primitive():
    lowered = check("return (P(x) + y * 3 < max(x, y, z)) == ((x, [y, z]) != {'a': P(z)})")
    assert [len(block.operations) for block in lowered.blocks] == [1]


def test_a_static_callee_is_not_taken_out():
    lowered = check("return table.method(C(1))")
    texts = [op.text for op in lowered.blocks[0].operations if isinstance(op, ir.Primitive)]
    assert texts == ["1", "table.method(%2)"]


FORMS = (
    "P({})", "C({})", "C({}, {})", "P({}, k={})", "C({}, *[{}])", "({} + {})", "({} - {})",
    "({} and {})", "({} or {})", "({} if {} else {})", "({} < {} <= {})", "({}, {}, {})[1]",
    "(x := {})", "(y := {})", "(not {})", "table[{}]", "table.method({}, {})",
    "len(f'{{C(x)}}{{y:>{{P(3)}}}}') + {}", "(lambda a, b={}: a + b)({})",
)  # fmt: skip


def expression(rng: random.Random, depth: int) -> str:
    """Return a random expression over x, y, z and small integers."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(("x", "y", "z", "0", "1", "2"))
    form = rng.choice(FORMS)
    return form.format(*(expression(rng, depth - 1) for _ in range(form.count("{}"))))


@pytest.mark.every(2)
@pytest.mark.parametrize("seed", range(160))
def test_order_of_generated_expressions(seed):
    rng = random.Random(seed)
    first, second = (expression(rng, depth=1 + seed // 40) for _ in range(2))
    name = rng.choice("xyz")
    check(f"{name} = {first}\ntable[{second}] = {first}\nreturn x, y, z, {second}")
    check(f"if {first}:\n    x += {second}\nelse:\n    y = {second}\nreturn x, y, z")
