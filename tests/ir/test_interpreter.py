"""The interpreters that define the meaning of both forms, against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from pcbatch import ir
from pcbatch.ir.interpreter import STEP_LIMIT, run_call_form, run_stack_form
from pcbatch.passes.lowering import to_stack
from tests.ir.builder import BOOL, FLOAT, INT, FunctionBuilder, program
from tests.ir.ir_programs import CASES, checked, countdown, fib
from tests.ir.runs import outcome, run


@pytest.mark.parametrize("name", CASES)
def test_both_forms_agree_with_plain_python(name: str) -> None:
    case = CASES[name]()
    stack = to_stack(case.program)
    for args in case.arguments:
        wanted = case.truth(*args)
        assert outcome(run_call_form(case.program, args, case.shared)) == wanted
        assert outcome(run_stack_form(stack, args, case.shared)) == wanted


def test_a_fault_carries_its_message() -> None:
    case = checked()
    for program_ in (case.program, to_stack(case.program)):
        result = run(program_, (-1,), case.shared)
        assert result.results is None and result.fault == "ValueError: negative"


def test_the_step_limit_is_a_fault() -> None:
    case = fib()
    assert run_call_form(case.program, (10,), {}, max_steps=20).fault == STEP_LIMIT
    assert run_stack_form(to_stack(case.program), (10,), {}, max_steps=20).fault == STEP_LIMIT
    assert run_call_form(case.program, (1,), {}, max_steps=2).fault is None
    assert run_call_form(case.program, (1,), {}, max_steps=1).fault == STEP_LIMIT
    assert run_stack_form(to_stack(case.program), (1,), {}, max_steps=2).fault is None
    assert run_stack_form(to_stack(case.program), (1,), {}, max_steps=1).fault == STEP_LIMIT


def test_deep_recursion_in_call_form_does_not_use_pythons_stack() -> None:
    assert outcome(run_call_form(countdown().program, (3000, 1, 0), {})) == (4501500,)


def _buffer_program() -> ir.Program:
    vector = ir.TensorType("float32", (2,))
    f = FunctionBuilder("record", x=vector, index=INT)
    block = f.block("entry").store("rows", "index", "x")
    block.primitive("all", lambda rows: rows * 1.0, "rows", ir.TensorType("float32", (3, 2)))
    block.primitive("y", lambda x: x + 1.0, "x", vector).store("rows", "index", "y")
    block.primitive("now", lambda rows: rows * 1.0, "rows", ir.TensorType("float32", (3, 2)))
    block.returns("all now")
    return program(f, buffers={"rows": ir.BufferType(3, vector)})


@pytest.mark.parametrize(("index", "row"), [(0, 0), (2, 2), (3, None), (-1, 2), (-4, None)])
def test_a_store_changes_one_element_and_nothing_outside(index: int, row: int | None) -> None:
    typed = _buffer_program()
    x = tf.constant([1.0, 2.0])
    for before, after in (
        run_call_form(typed, (x, index), {}).results,
        run_stack_form(to_stack(typed), (x, index), {}).results,
    ):
        wanted = np.zeros((3, 2), np.float32)
        if row is not None:
            wanted[row] = [1.0, 2.0]
        np.testing.assert_array_equal(before, wanted)
        if row is not None:
            wanted[row] = [2.0, 3.0]
        np.testing.assert_array_equal(after, wanted)


def test_a_batched_primitive_gets_the_batch_axis_and_shared_values_do_not() -> None:
    seen = []

    def scale(x: tf.Tensor, table: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
        seen.append((x.shape, table.shape, rows.shape))
        return x * tf.reduce_sum(table)

    f = FunctionBuilder("f", x=FLOAT)
    f.block("entry").primitive("y", scale, "x table rows", FLOAT, batched=True).returns("y")
    typed = program(
        f,
        shared={"table": ir.TensorType("float32", (2,))},
        buffers={"rows": ir.BufferType(3, FLOAT)},
    )
    (result,) = run_call_form(
        typed, (tf.constant(3.0),), {"table": tf.constant([1.0, 2.0])}
    ).results
    assert result.shape == () and float(result) == 9.0
    assert seen == [((1,), (2,), (1, 3))]


def test_a_pop_without_a_push_is_no_program() -> None:
    f = FunctionBuilder("f", n=INT)
    f.block("entry").primitive("c", lambda n: n > 0, "n", BOOL).returns("c")
    stack = to_stack(program(f))
    block = stack.blocks[0]
    broken = ir.Block(block.label, (ir.Pop("f.n", f.span()), *block.operations), block.terminator)
    with pytest.raises(KeyError):
        run_stack_form(
            ir.StackProgram(
                (broken,), stack.types, stack.inputs, stack.outputs, stack.address, {}, {}
            ),
            (1,),
            {},
        )
