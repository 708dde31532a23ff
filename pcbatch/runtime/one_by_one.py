"""The strategy "loop": no batching, one member after the other.

Each member runs through the reference interpreter, which calls the user's own expressions in eager
TensorFlow, so that the program means the same as under every other strategy.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import tensorflow as tf

from pcbatch.errors import Span
from pcbatch.ir import interpreter
from pcbatch.ir.analysis import effects
from pcbatch.ir.block_counts import Stats
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.outcome import fault_table
from pcbatch.runtime.result import Result, Status
from pcbatch.runtime.specialization import Specialization
from pcbatch.semantics.interrupts import interrupts


def run_loop(specialization: Specialization, arguments: Arguments, max_steps: int | None) -> Result:
    """Run every member on its own and stack the results. Ctrl-C stops them.

    Args:
      specialization: the program.
      arguments: the batch, at least one member.
      max_steps: at most so many blocks per member.
    """
    program = specialization.simplified
    inputs, shared = specialization.entry_inputs(arguments), specialization.shared(arguments)
    faults = effects.faults(b for f in program.functions.values() for b in f.blocks)
    stopped = interpreter.Outcome(
        None, interpreter.CANCELLED, interpreter.fresh_buffers(program.buffers)
    )
    rows = [stopped] * arguments.batch_size
    with interrupts() as interrupted, contextlib.suppress(KeyboardInterrupt):
        for member in range(arguments.batch_size):
            if interrupted.is_set():
                break
            rows[member] = interpreter.run_call_form(
                program,
                tuple(x[member] for x in inputs),
                shared,
                max_steps=max_steps,
                member=member,
                cancelled=interrupted.is_set,
            )
    status = [_status(outcome, faults) for outcome in rows]
    outputs, buffers = _stack(specialization, rows)
    value = specialization.value(outputs, buffers, shared, arguments.batch_size)
    stats = Stats(arguments.batch_size, ())
    table, heard = fault_table(faults), interrupted.is_set() or Status.CANCELLED in status
    return Result(value, tf.constant(status, tf.int32), stats, table, heard)


def _status(outcome: interpreter.Outcome, faults: Sequence[tuple[str, Span | None]]) -> int:
    match outcome.fault:
        case None:
            return int(Status.DONE)
        case interpreter.StopReason() as stop:
            return int(Status[stop.name])
        case message:
            return Status.FAILED + faults.index((message, outcome.where))


def _stack(
    specialization: Specialization, rows: list[interpreter.Outcome]
) -> tuple[tuple[tf.Tensor, ...], dict[str, tf.Tensor]]:
    """The results and the buffers of all members; zeros for the results of one that failed."""
    program = specialization.simplified
    types = program.functions[program.entry].results
    zeros = tuple(tf.zeros(t.shape, t.dtype) for t in types)
    columns = zip(*(zeros if r.results is None else r.results for r in rows), strict=True)
    buffers = {name: tf.stack([r.buffers[name] for r in rows]) for name in program.buffers}
    return tuple(tf.stack(column) for column in columns), buffers
