"""The pipeline as a whole: every pass keeps the meaning; the result is as lean as it should be."""

from __future__ import annotations

import pytest

from pcbatch import ir
from pcbatch.ir.interpreter import STEP_LIMIT, run_call_form, run_stack_form
from pcbatch.ir.printer import to_text
from pcbatch.passes import pipeline
from pcbatch.passes.lowering import to_stack
from tests.ir.ir_programs import CASES, countdown, even_odd, tree_sum
from tests.ir.random_programs import random_program
from tests.ir.runs import Opaque, count, outcome, run


@pytest.mark.parametrize("cheap", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_every_pass_keeps_the_results(name: str, cheap: bool) -> None:
    case = CASES[name]()
    stages: list[str] = []

    def check(stage: str, program: ir.Program | ir.StackProgram) -> None:
        stages.append(stage)
        for args in case.arguments:
            assert outcome(run(program, args, case.shared)) == case.truth(*args), stage

    pipeline.lower(case.program, knowledge=Opaque(cheap), after=check)
    assert "stack form 0: lower" in stages
    assert len(set(stages)) == len(stages)


@pytest.mark.every(6)
@pytest.mark.parametrize("cheap", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_every_pass_keeps_the_results_of_random_programs(seed: int, cheap: bool) -> None:
    typed = random_program(seed)
    truth = {}
    for args in ((0, 5, 6), (1, 3, 50), (2, 80, 11)):
        result = run_call_form(typed, args, {}, max_steps=2000)
        if result.fault != STEP_LIMIT:
            truth[args] = outcome(result)
    assert truth

    def check(stage: str, program: ir.Program | ir.StackProgram) -> None:
        for args, wanted in truth.items():
            assert outcome(run(program, args, {})) == wanted, stage

    pipeline.lower(typed, knowledge=Opaque(cheap), after=check)


@pytest.mark.parametrize("name", CASES)
def test_compiling_twice_prints_the_same(name: str) -> None:
    texts = [
        to_text(pipeline.lower(CASES[name]().program, knowledge=Opaque(True))) for _ in range(2)
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", CASES)
def test_simplify_and_lower_simplified_make_up_lower(name: str) -> None:
    typed = CASES[name]().program
    known = Opaque(True)
    simplified = pipeline.simplify(typed, knowledge=known)
    pieces = pipeline.lower_simplified(simplified, knowledge=known)
    assert to_text(pieces) == to_text(pipeline.lower(typed, knowledge=known))


SIZES = {
    # name: (blocks, pushes)
    "fib": (5, 4),
    "ackermann": (6, 2),
    "even_odd": (5, 0),
    "hofstadter": (10, 8),
    "nested_loops": (7, 0),
    "two_results": (8, 1),
    "countdown": (3, 0),
    "tree_sum": (7, 5),
    "trajectory": (11, 4),
    "checked": (3, 0),
}


@pytest.mark.parametrize("name", CASES)
def test_blocks_and_pushes_are_as_few_as_by_hand(name: str) -> None:
    stack = pipeline.lower(CASES[name]().program, knowledge=Opaque(True))
    assert (len(stack.blocks), count(stack, ir.Push)) == SIZES[name]
    assert count(stack, ir.Pop) == count(stack, ir.Push)


def test_a_thousand_tail_calls_push_nothing() -> None:
    for case, args in ((countdown(), (1000, 1, 0)), (even_odd(), (1000,))):
        stack = to_stack(case.program)
        assert count(stack, ir.Push) == 0 and count(stack, ir.PushJump) == 0
        assert outcome(run_stack_form(stack, args, {})) == case.truth(*args)


def test_what_a_recursion_passes_on_unchanged_is_neither_pushed_nor_moved() -> None:
    case = tree_sum()
    stack = pipeline.lower(case.program, knowledge=Opaque(True))
    wide = [name for name, type_ in stack.types.items() if type_.shape]
    assert sorted(wide) == sorted(stack.inputs)
