"""The slow way: an operation without a batched form runs once per member."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from pcbatch.backend.private import graphs
from pcbatch.vectorizer.session import Session
from pcbatch.vectorizer.values import Plain, Value, stacked

_SIZED = {
    f"Segment{kind}": f"use tf.math.unsorted_segment_{kind.lower()}, which takes num_segments."
    for kind in ("Sum", "Mean", "Prod", "Min", "Max")
} | {"DenseBincount": "use tf.math.unsorted_segment_sum of ones, which takes num_segments."}
"""What does the same with a number of results that is given."""


def loop_over_members(
    session: Session, op: tf.Operation, inputs: Sequence[Plain], reason: str
) -> list[Value]:
    """Run an operation for one member after the other, with a warning.

    Raises:
      VectorizationError: it is to be refused (`strict`), it has no output of static shape, or it
        changes a state.
    """
    if not all(t.dtype not in (tf.variant, tf.resource) for t in op.outputs) or not op.outputs:
        raise session.error(op, reason)
    if not all(t.shape.is_fully_defined() for t in op.outputs):
        raise session.error(
            op,
            "gives a tensor whose shape is not static or depends on the member",
            _SIZED.get(op.type)
            or "give the result one shape, the same for all members: pad it, or use a mask.",
        )
    session.warn(op, reason)
    places = [i for i, x in enumerate(inputs) if x.stacked]

    def one(index: tf.Tensor, *arrays: tf.Tensor) -> tuple[tf.Tensor, ...]:
        own = [x.local() for x in inputs]
        for i in places:
            own[i] = tf.gather(inputs[i].tensor, index)
        made = graphs.create(op, own)
        written = [
            tf.tensor_scatter_nd_update(array, [[index]], t[tf.newaxis])
            if 0 not in t.shape
            else array
            for array, t in zip(arrays, made, strict=True)
        ]
        return (index + 1, *written)

    start = [tf.zeros([session.size, *t.shape], t.dtype) for t in op.outputs]
    _, *results = tf.while_loop(
        lambda i, *_: i < session.size,
        one,
        (tf.constant(0), *start),
        maximum_iterations=session.size,
    )
    return [stacked(t) for t in results]
