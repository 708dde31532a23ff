"""The strategy "loop": no batching, one member after the other.

Each member runs through the reference interpreter, which calls the user's own expressions in eager
TensorFlow, so that the program means the same as under every other strategy.
"""

from __future__ import annotations

import tensorflow as tf

from pcbatch import ir, reference
from pcbatch.arguments import Arguments
from pcbatch.outcome import fault_table
from pcbatch.result import Result, Status
from pcbatch.specialize import Specialization
from pcbatch.stats import Stats


def run_loop(specialization: Specialization, arguments: Arguments, max_steps: int | None) -> Result:
    """Run every member on its own and stack the results.

    Args:
      specialization: the program.
      arguments: the batch, at least one member.
      max_steps: at most so many blocks per member.
    """
    program = specialization.simplified
    inputs, shared = specialization.entry_inputs(arguments), specialization.shared(arguments)
    faults = [
        (block.terminator.message, block.terminator.span)
        for function in program.functions.values()
        for block in function.blocks
        if isinstance(block.terminator, ir.Fail)
    ]
    rows, status = [], []
    for member in range(arguments.batch_size):
        args = tuple(x[member] for x in inputs)
        outcome = reference.run_call_form(program, args, shared, max_steps=max_steps, member=member)
        rows.append(outcome)
        status.append(_status(outcome, [message for message, _ in faults]))
    outputs, buffers = _stack(specialization, rows)
    value = specialization.value(outputs, buffers, shared, arguments.batch_size)
    stats = Stats(arguments.batch_size, ())
    return Result(value, tf.constant(status, tf.int32), stats, fault_table(faults))


def _status(outcome: reference.Outcome, messages: list[str]) -> int:
    if outcome.fault is None:
        return int(Status.DONE)
    if outcome.fault == reference.STEP_LIMIT:
        return int(Status.STEP_LIMIT)
    return Status.FAILED + messages.index(outcome.fault)


def _stack(
    specialization: Specialization, rows: list[reference.Outcome]
) -> tuple[tuple[tf.Tensor, ...], dict[str, tf.Tensor]]:
    """The results and the buffers of all members; zeros for the results of one that failed."""
    program = specialization.simplified
    types = program.functions[program.entry].results
    zeros = tuple(tf.zeros(t.shape, t.dtype) for t in types)
    columns = zip(*(zeros if r.results is None else r.results for r in rows), strict=True)
    buffers = {name: tf.stack([r.buffers[name] for r in rows]) for name in program.buffers}
    return tuple(tf.stack(column) for column in columns), buffers
