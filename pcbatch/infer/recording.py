"""A primitive as a function of plain tensors, with the operations that its trace has left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.backend.op_traces import Recorded
from pcbatch.infer.domain import BufferRef, Leaf, Shared, Tensor, Value, is_empty
from pcbatch.infer.evaluation import ScratchTrace
from pcbatch.infer.objects import unrolled
from pcbatch.infer.rooms import Rooms
from pcbatch.infer.stand_ins import instantiate, with_objects_known
from pcbatch.semantics import faults, named_texts, pytree
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.numbers.widths import in_use
from pcbatch.semantics.operators import mark_weak, weak_scope
from pcbatch.vectorizer import assertions_hold


def typed(
    fn: Callable[..., tuple[Any, ...]],
    args: tuple[Value, ...],
    selected: tuple[tuple[int, int], ...],
    trace: ScratchTrace,
    rooms: Rooms,
    batched: bool = False,
) -> Recorded:
    """The primitive on plain tensors.

    Args:
      fn: the source-form function.
      args: its abstract arguments.
      selected: which leaves of which results to return.
      trace: what its evaluation has left in the scratch graph.
      rooms: where buffers are.
      batched: it takes the batch axis itself.

    Returns:
      A function of the tensors of each argument leaf that has some, in order, which returns one
      tensor per selected leaf, and one per check of the trace.
    """
    checks = faults.CHECKS.get()

    widths, named = in_use(), named_texts.in_use()

    def on_tensors(*tensors: tf.Tensor) -> tuple[tf.Tensor, ...]:
        supply = iter(tensors)
        known: dict[Leaf, Buffer] = {}

        def make(i: int, j: int, leaf: Leaf) -> Any:
            match leaf:
                case BufferRef():
                    given = tuple(next(supply) for _ in rooms.inputs(leaf, batched))
                    buffer = rooms.buffer(leaf, given, batched)
                    # As in the trace, which says which of the tensors are used.
                    return known.setdefault(leaf, buffer) if len(leaf.rooms) == 1 else buffer
                case Tensor(type_) if is_empty(type_) and not batched:
                    return tf.zeros(type_.shape, type_.dtype)
                case Tensor(_, weak=True) | Shared(_, _, weak=True):
                    return mark_weak(next(supply))
            return next(supply)

        try:
            with (
                weak_scope(widths),
                named_texts.known(named),
                faults.collecting(checks) as collected,
            ):
                outputs = tuple(
                    map(unrolled, with_objects_known(fn, instantiate(args, make), args))
                )
        except tf.errors.InvalidArgumentError as error:  # an assertion, where it is not traced
            if not any(said.partition(":")[0] in str(error) for said in trace.assertions):
                raise
            leaves = [trace.results[i][j] for i, j in selected]
            holds = _conditions(trace, collected, tf.constant(False))
            return (*(tf.zeros(x.shape, x.dtype) for x in leaves), *holds)
        flat = [pytree.flatten(output, whole=True)[0] for output in outputs]
        chosen = [tf.convert_to_tensor(flat[i][j]) for i, j in selected]
        hold = assertions_hold() if trace.assertions else None
        return (*chosen, *_conditions(trace, collected, hold))

    return Recorded(on_tensors, trace.piece(selected))


def _conditions(
    trace: ScratchTrace, collected: faults.Collected, assertions_hold: tf.Tensor | None
) -> list[tf.Tensor]:
    """The conditions of a trace's checks, as the same function has given them once more.

    One that it has not given is now known to hold.
    """
    given = dict(collected.conditions)
    if assertions_hold is not None:
        given[trace.checks[-1][0]] = assertions_hold
    return [given.get(message, tf.constant(True)) for message, _ in trace.checks]
