"""Which part of a log density is not finite at a position, for the message that refuses it."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from nuts.sampler.trajectory import Target
from nuts.users_code import users_line


def first_culprit(log_density: Target, position: tf.Tensor) -> str | None:
    """Describe the first operation whose result is not finite although all that it takes is.

    Args:
      log_density: a function of the user's.
      position: what it takes.
    """
    density = tf.compat.v1.wrap_function(
        log_density, [tf.TensorSpec(position.shape, position.dtype)]
    )
    tensors = [
        output
        for operation in density.graph.get_operations()
        for output in operation.outputs
        if output.dtype.is_floating
    ]
    values = density.prune(density.inputs, tensors)(position)
    finite = {t.name: np.isfinite(v).all() for t, v in zip(tensors, values, strict=True)}
    for tensor in tensors:
        sources = [finite.get(source.name, True) for source in tensor.op.inputs]
        if not finite[tensor.name] and sources and all(sources):
            return (
                f"{tensor.op.type} is the first to be not finite{users_line(tensor.op.traceback)}"
            )
    return None
