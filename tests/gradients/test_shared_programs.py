"""Gradients of the shared programs and of random ones: the machine's way back over a tape.

The truth is TensorFlow's tape around the reference interpreter of the typed program, before any
pass: it knows nothing of the way back. All floats are float64, and the number that is
differentiated is the sum of those of the result.
"""

from __future__ import annotations

import itertools
import linecache
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ProgramError
from pcbatch.ir import interpreter
from tests.conformance.generator import as_program, load, numbers, sources
from tests.conformance.programs import PROGRAMS, Program
from tests.support.extent import LARGE, sized
from tests.support.random_programs import assert_run
from tests.support.tolerances import GRADIENT, Tolerance, assert_close

_numbers = itertools.count()


def wide(leaf: Any) -> Any:
    """An argument with 64 bits where it is a float."""
    array = np.asarray(leaf)
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def total(result: Any) -> tf.Tensor:
    """The sum of a result's floats."""
    leaves = [tf.convert_to_tensor(x) for x in tf.nest.flatten(result) if x is not None]
    floats = [tf.reduce_sum(tf.cast(x, tf.float64)) for x in leaves if x.dtype.is_floating]
    return tf.add_n(floats) if floats else tf.zeros([], tf.int32)


def summed(function: pcbatch.Autobatched, in_axes: Any = 0) -> pcbatch.Autobatched:
    """The function whose result is the sum of the floats in another one's."""
    names, file = ", ".join(function.parameters()), f"<sum {next(_numbers)}>"
    text = f"def loss({names}):\n    return total(function({names}))\n"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {"total": total, "function": function}
    exec(compile(text, file, "exec"), scope)
    return pcbatch.autobatch(scope["loss"], in_axes=in_axes)


def floats_of(args: tuple[Any, ...]) -> tuple[int, ...]:
    """The arguments with floats."""
    kinds = [{np.asarray(x).dtype.kind for x in tf.nest.flatten(arg)} for arg in args]
    return tuple(i for i, found in enumerate(kinds) if "f" in found)


def check(
    function: pcbatch.Autobatched,
    args: tuple[Any, ...],
    in_axes: Any = 0,
    allowed: Tolerance | None = GRADIENT,
) -> None:
    """Assert that gradients with regard to all arguments with floats are those of a tape."""
    both = pcbatch.value_and_grad(summed(function, in_axes), argnums=floats_of(args))
    compare(both, args, allowed)


def check_tangents(
    function: pcbatch.Autobatched, args: tuple[Any, ...], allowed: Tolerance | None = GRADIENT
) -> None:
    """Assert that the tangents of what a function gives are those of TensorFlow's forward mode."""
    tangents = tuple(1.0 if i in floats_of(args) else None for i in range(len(args)))
    names, file = ", ".join(function.parameters()), f"<tangent {next(_numbers)}>"
    text = f"def moved({names}):\n    return jvp(function, ({names},), tangents)\n"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {"jvp": pcbatch.jvp, "function": function, "tangents": tangents}
    exec(compile(text, file, "exec"), scope)
    compare(pcbatch.autobatch(scope["moved"]), args, allowed, finite=True)


def compare(
    both: pcbatch.Autobatched,
    args: tuple[Any, ...],
    allowed: Tolerance | None = GRADIENT,
    finite: bool = False,
) -> None:
    """Assert that the machine's program gives, in the interpreter, what the typed program gives.

    Each second member is compared: a tape around the interpreter takes long. `make large` compares
    all of them.

    Args:
      both: the function.
      args: its arguments.
      allowed: how far numbers may be apart.
      finite: compare these only. TensorFlow's forward mode multiplies zero and infinity.
    """
    lowered = both.lower(*args)
    specialization, arguments = lowered._specialization, both.read(*args)
    inputs = specialization.entry_inputs(arguments)
    shared = specialization.shared(arguments)
    for member in range(0, len(inputs[0]), 1 if LARGE else 2):
        row = tuple(x[member] for x in inputs)
        truth = interpreter.run_call_form(lowered.typed, row, shared, member=member)
        found = interpreter.run_stack_form(lowered.stack_form, row, shared, member=member)
        assert truth.fault == found.fault
        for a, b in zip(found.results or (), truth.results or (), strict=True):
            there = np.isfinite(b) if finite else np.full(np.shape(b), True)
            assert_close(np.asarray(a)[there], np.asarray(b)[there], allowed)


def refused(run: Callable[[], None]) -> bool:
    """Whether a program is refused, with a variable of the user's in the message if any."""
    try:
        run()
    except ProgramError as error:
        assert "`%" not in str(error), error
        return True
    return False


# No gradient: no floats in the result, captured arrays of 32 bits beside arguments of 64, or a
# result that is None for some members, which has no sum.
NO_FLOATS = {"mandelbrot", "negated_comparisons", "special_values", "exact_comparisons"}
NARROW = {"matrix_power", "captured_matrix", "stores_before_a_product"}
MAYBE_NONE = {"fewest_coins"}
CANDIDATES = [p for p in PROGRAMS if floats_of(p.args) and not p.static]


@pytest.mark.every(12)
@pytest.mark.parametrize("program", CANDIDATES, ids=lambda p: p.name)
def test_the_gradient_is_that_of_a_tape_around_the_interpreter(program: Program) -> None:
    args = tf.nest.map_structure(wide, program.args)
    was_refused = refused(lambda: check(program.function, args, program.in_axes))
    assert was_refused == (program.name in NO_FLOATS | NARROW | MAYBE_NONE)


COUNT = int(os.environ.get("PCBATCH_GENERATED_GRADIENTS", sized(5, 24, 40)))


@pytest.mark.thorough
def test_random_programs() -> None:
    """Those whose result has floats; of the others there is no gradient."""

    def run(source: str) -> bool:
        program = as_program(source)
        return not refused(lambda: check(program.function, program.args, allowed=None))

    assert_run(COUNT, run, sources())


def test_random_programs_on_pythons_numbers() -> None:
    """With their exceptions, with NaN and with infinities."""

    def run(source: str) -> bool:
        return not refused(lambda: check(load(source)["main"], numbers.ARGS))

    assert_run(COUNT, run, numbers.sources())


@pytest.mark.thorough
def test_random_programs_along_a_direction() -> None:
    def run(source: str) -> bool:
        return not refused(lambda: check_tangents(load(source)["main"], numbers.ARGS))

    assert_run(COUNT // 4, run, numbers.sources())
