"""Functions that are written in JAX: `jax.vmap` is their rule."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from pcbatch.backend import jax_calls
from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.values import Value, stacked


@rule("XlaCallModule")
def jax_function(
    interpreter: Interpreter, op: tf.Operation, inputs: list[Value]
) -> Sequence[Value]:
    plain = [interpreter.plain(op, x) for x in inputs]
    called = jax_calls.behind(op)
    if called is None:
        return interpreter.library_rule(op, plain)
    axes = tuple(0 if x.stacked else None for x in plain)
    return [stacked(t) for t in called.function.batched(axes)(*[x.local() for x in plain])]
