"""Text of programs: complete, the same each time, with the user's lines."""

from __future__ import annotations

import pytest

from pcbatch import ir
from pcbatch.errors import NOWHERE, Span
from pcbatch.ir.printer import operation_text, to_text
from pcbatch.passes.lowering import to_stack
from tests.ir.ir_programs import CASES, checked, fib, trajectory

FIB = """\
program, entry fib

function fib(n: int32[]) -> (int32[])                                     # fib.py:1
  entry:
    c: bool[] = <lambda>(n)  <- n                                         # 2
    branch c ? base : more                                                # 3
  base:
    one: int32[] = 1                                                      # 4
    return one                                                            # 5
  more:
    %1: int32[] = n - 1  <- n                                             # 6
    %2: int32[] = call fib(%1)                                            # 7
    %3: int32[] = n - 2  <- n                                             # 8
    %4: int32[] = call fib(%3)                                            # 9
    %5: int32[] = %2 + %4  <- %2, %4                                      # 10
    return %5                                                             # 11
"""

STACK = """\
stack program (fib.n: int32[]), return address fib.return
outputs fib.return.0: int32[]

  fib.entry:
    fib.c: bool[] = <lambda>(n)  <- fib.n                                 # fib.py:2
    branch fib.c ? fib.base : fib.more                                    # 3
  fib.base:
    fib.one: int32[] = 1                                                  # 4
    fib.return.0: int32[] = fib.one                                       # 5
    return to fib.return                                                  # 5
  fib.more:
    fib.%1: int32[] = n - 1  <- fib.n                                     # 6
    fib.return.saved: int32[], fib.n.saved: int32[] = (fib.return, fib.n)  # 7
    fib.n: int32[] = fib.%1                                               # 7
    push fib.return.saved                                                 # 7
    push fib.n.saved                                                      # 7
    call fib.entry, then fib.more.fib  (fib.return)                       # 7
"""


def test_call_form() -> None:
    assert to_text(fib().program) == FIB


def test_stack_form() -> None:
    assert to_text(to_stack(fib().program)).startswith(STACK)


@pytest.mark.parametrize("name", CASES)
def test_text_is_the_same_each_time(name: str) -> None:
    case = CASES[name]
    assert to_text(case().program) == to_text(case().program)
    assert to_text(to_stack(case().program)) == to_text(to_stack(case().program))


def test_a_change_of_file_is_named() -> None:
    lines = to_text(to_stack(trajectory().program)).splitlines()
    assert [line.split("# ")[1] for line in lines if ".py:" in line] == [
        "chain.py:2", "build.py:2", "leapfrog.py:2", "build.py:4", "chain.py:8",
    ]  # fmt: skip


def test_shared_values_buffers_stores_and_faults_are_shown() -> None:
    text = to_text(checked().program) + to_text(trajectory().program)
    for line in (
        "shared limit: int32[]",
        "buffer path: buffer(20, int32[])",
        "    store path[i] = q",
        "    fail 'ValueError: negative'",
    ):
        assert line in text


def test_source_form_has_no_types_and_shows_keywords() -> None:
    span = Span("user.py", 3, 1, 3, 9, "f")
    call = ir.Call(("%1",), "g", ("a", "b", "c", "d"), (None, "k", "*", "**"), span)
    block = ir.Block("entry", (call,), ir.Return(("%1",), NOWHERE))
    source = ir.Function("f", ("a",), (block,), span)
    assert to_text(source) == (
        f"{'function f(a)':<72}  # user.py:3\n"
        "  entry:\n"
        f"{'    %1 = call g(a, k=b, *c, **d)':<72}  # 3\n"
        "    return %1\n"
    )


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (ir.Primitive(("a", "b"), ir.move, ("b", "a"), "move", NOWHERE), "a, b = (b, a)"),
        (ir.Primitive(("a",), ir.move, ("b",), "move", NOWHERE), "a = b"),
        (ir.Primitive((), len, (), "f(\n  x)", NOWHERE), "() = f( x)"),
        (ir.Primitive(("a",), len, ("x",), "x", NOWHERE, batched=True), "a = batched x"),
        (ir.Push("a", NOWHERE), "push a"),
        (ir.Pop("a", NOWHERE), "pop a"),
        (ir.Return((), NOWHERE), "return"),
        (ir.Return((), NOWHERE, address="f.return"), "return to f.return"),
    ],
)
def test_operations(operation: object, text: str) -> None:
    assert operation_text(operation) == text
