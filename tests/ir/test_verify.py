"""Each rule of the two forms: a program that breaks it is refused, with the place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from pcbatch import ir
from pcbatch.ir.verify import VerificationError, verify
from pcbatch.passes.lowering import to_stack
from tests.ir.builder import BOOL, FLOAT, INT, FunctionBuilder, program
from tests.ir.ir_programs import CASES, fib
from tests.ir.random_programs import random_program


@pytest.mark.parametrize("name", CASES)
def test_good_programs_pass(name: str) -> None:
    typed = CASES[name]().program
    verify(typed)
    verify(to_stack(typed))


def _function(build: Callable[[FunctionBuilder], None]) -> ir.Program:
    f = FunctionBuilder("f", n=INT, x=FLOAT)
    build(f)
    return program(f, shared={"table": INT}, buffers={"rows": ir.BufferType(3, FLOAT)})


def _undefined_on_one_path(f: FunctionBuilder) -> None:
    f.block("entry").primitive("c", lambda n: n > 0, "n", BOOL).branch("c", "a", "b")
    f.block("a").constant("y", 1).jump("b")
    f.block("b").returns("y")


def _jump_to_entry(f: FunctionBuilder) -> None:
    f.block("entry").jump("other")
    f.block("other").jump("entry")


def _repeated_label(f: FunctionBuilder) -> None:
    f.block("entry").jump("a")
    f.block("a").returns("n")
    f.block("a").returns("n")


def _two_results(f: FunctionBuilder) -> None:
    f.block("entry").primitive("c", lambda n: n > 0, "n", BOOL).branch("c", "a", "b")
    f.block("a").returns("n")
    f.block("b").returns("x")


def _stack_call(f: FunctionBuilder) -> None:
    jump = ir.PushJump("other", "other", "n", f.span())
    f.blocks.append(ir.Block("entry", (), jump))
    f.block("other").returns("n")


CALL_FORM: dict[str, tuple[Callable[[FunctionBuilder], Any], str]] = {
    "unknown label": (lambda f: f.block("entry").jump("nowhere"), "no block 'nowhere'"),
    "repeated label": (_repeated_label, "repeated label"),
    "jump to the entry": (_jump_to_entry, "jumps to the entry block"),
    "undefined on one path": (_undefined_on_one_path, "'y' may be undefined"),
    "unknown name": (
        lambda f: f.block("entry").primitive("y", lambda a: a, "who").returns("y"),
        "unknown name 'who'",
    ),
    "condition is no bool": (
        lambda f: (f.block("entry").branch("n", "a", "a"), f.block("a").returns("n")),
        "types (int32[]), not (bool[])",
    ),
    "move between types": (
        lambda f: f.block("entry").move("x", "n", FLOAT).returns("x"),
        "types (int32[]), not (float32[])",
    ),
    "unknown callee": (lambda f: f.block("entry").call("y", "g", "n").returns("y"), "no function"),
    "argument types": (
        lambda f: f.block("entry").call("y", "f", "x n").returns("y"),
        "types (float32[], int32[]), not (int32[], float32[])",
    ),
    "number of targets": (
        lambda f: f.block("entry").call("y z", "f", "n x").returns("n"),
        "types (int32[], int32[]), not (int32[])",
    ),
    "result types": (_two_results, "not (float32[])"),
    "unknown buffer": (lambda f: f.block("entry").store("who", "n", "x").returns("n"), "no buffer"),
    "element type": (
        lambda f: f.block("entry").store("rows", "n", "n").returns("n"),
        "types (int32[]), not (float32[])",
    ),
    "index type": (
        lambda f: f.block("entry").store("rows", "x", "x").returns("n"),
        "not an integer scalar",
    ),
    "assigned shared value": (
        lambda f: f.block("entry").constant("table", 1).returns("n"),
        "['table'] are variables and constants",
    ),
    "a call of the stack form": (_stack_call, "not a terminator of call form"),
}


@pytest.mark.parametrize("rule", CALL_FORM)
def test_broken_call_form_is_refused(rule: str) -> None:
    build, message = CALL_FORM[rule]
    with pytest.raises(VerificationError) as caught:
        verify(_function(build), "a pass")
    text = str(caught.value)
    assert text.startswith("after a pass: f") and message in text


def _with(label: str, change: Callable[[ir.Block], ir.Block]) -> ir.StackProgram:
    stack = to_stack(fib().program)
    blocks = tuple(change(block) if block.label == label else block for block in stack.blocks)
    assert blocks != stack.blocks
    return dataclasses.replace(stack, blocks=blocks)


def _filtered(block: ir.Block, kind: type) -> ir.Block:
    kept = tuple(o for o in block.operations if not isinstance(o, kind))
    return dataclasses.replace(block, operations=kept)


def _swapped(block: ir.Block) -> ir.Block:
    return dataclasses.replace(block, operations=block.operations[::-1])


STACK_FORM: dict[str, tuple[Callable[[], ir.StackProgram], str]] = {
    "push without pop": (
        lambda: _with("fib.more.fib", lambda block: _filtered(block, ir.Pop)),
        "may be undefined|stack heights|on the stacks",
    ),
    "pop without push": (
        lambda: _with("fib.more", lambda block: _filtered(block, ir.Push)),
        "too often",
    ),
    "pops come first": (lambda: _with("fib.more.fib", _swapped), "pops do not come first"),
    "undefined variable": (
        lambda: _with("fib.base", lambda block: dataclasses.replace(block, operations=())),
        "may be undefined",
    ),
    "flow order": (
        lambda: dataclasses.replace(
            to_stack(fib().program),
            blocks=(
                to_stack(fib().program).blocks[0],
                *to_stack(fib().program).blocks[:0:-1],
            ),
        ),
        "not in flow order",
    ),
    "unknown return block": (
        lambda: _with(
            "fib.more",
            lambda block: dataclasses.replace(
                block, terminator=dataclasses.replace(block.terminator, return_to="gone")
            ),
        ),
        "no block 'gone'",
    ),
    "a return with values": (
        lambda: _with(
            "fib.base",
            lambda block: dataclasses.replace(
                block, terminator=dataclasses.replace(block.terminator, values=("fib.n",))
            ),
        ),
        "values in stack form",
    ),
    "address that is no integer": (
        lambda: _with(
            "fib.base",
            lambda block: dataclasses.replace(
                block, terminator=dataclasses.replace(block.terminator, address="fib.c")
            ),
        ),
        r"types \(bool\[\]\), not \(int32\[\]\)",
    ),
    "a call": (
        lambda: _with(
            "fib.base",
            lambda block: dataclasses.replace(
                block, operations=(ir.Call((), "fib", (), (), block.terminator.span),)
            ),
        ),
        "not an operation of this form",
    ),
}


@pytest.mark.parametrize("rule", STACK_FORM)
def test_broken_stack_form_is_refused(rule: str) -> None:
    build, message = STACK_FORM[rule]
    with pytest.raises(VerificationError, match=message):
        verify(build())


@pytest.mark.parametrize("seed", range(30))
def test_lowering_any_program_verifies(seed: int) -> None:
    typed = random_program(seed)
    verify(typed)
    verify(to_stack(typed))
