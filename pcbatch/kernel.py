"""A traced function, one trace per signature."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.errors import PcbatchError
from pcbatch.vectorizer import VectorizationError

_DIFFERENTIATED = "XLA compilation requires a fixed tensor list size"
_UNSUPPORTED = "Detected unsupported operations when trying to compile"

_CAPTURED = (
    "gradients do not flow through a batched call, but a tf.GradientTape watches a tensor or a "
    "tf.Variable that this autobatched function captures.\n"
    "help: take the gradient inside the function, in a primitive, or make the call outside the "
    "tape (`with tape.stop_recording():`)."
)


class Kernel:
    """A function of tensors that TensorFlow traces at most once per dtypes and shapes.

    Unlike a bare `tf.function` it does not count traces across kernels of one name, nor warn of
    them: a program has many blocks, and each is traced for each batch size on purpose.

    Args:
      function: takes and returns structures of tensors. It may take variables and change them.
      jit: compile it with XLA.
    """

    def __init__(self, function: Callable[..., Any], jit: bool):
        self.function = tf.function(function, jit_compile=jit, autograph=False)
        self._traces: dict[Any, Any] = {}
        self._lock = threading.Lock()

    def trace(self, *args: Any) -> Any:
        """The concrete function for arguments (or specs) of these types."""
        key = tuple((x.dtype, tuple(x.shape)) for x in tf.nest.flatten(args))
        with self._lock:
            if key not in self._traces:
                specs = tf.nest.map_structure(_spec, args)
                self._traces[key] = self.function.get_concrete_function(*specs)
            return self._traces[key]

    def __call__(self, *args: Any) -> Any:
        """Run it.

        Raises:
          VectorizationError: XLA has no kernel for an operation in it.
          PcbatchError: a tape watches a value that it captures.
        """
        args = tf.nest.map_structure(_leaf, args)
        try:
            return self.trace(*args)(*args)
        except tf.errors.InvalidArgumentError as error:
            if _DIFFERENTIATED in str(error):
                raise PcbatchError(_CAPTURED) from error
            if _UNSUPPORTED not in str(error):
                raise
            raise VectorizationError(_explain(str(error))) from error


def _leaf(value: Any) -> Any:
    return value if isinstance(value, tf.Variable) else tf.convert_to_tensor(value)


def _spec(leaf: Any) -> Any:
    if isinstance(leaf, tf.Variable):
        return tf.type_spec_from_value(leaf)
    return leaf if isinstance(leaf, tf.TypeSpec) else tf.TensorSpec(leaf.shape, leaf.dtype)


def _explain(text: str) -> str:
    operation = text.split(": ", 1)[1].split("\n")[0] if ": " in text else text.split("\n")[0]
    return (
        f"XLA cannot compile an operation in this program's primitives: {operation}\n"
        "why: it has no XLA kernel (printing, Python calls and strings have none).\n"
        "help: mark a function that takes the batch axis itself with pcbatch.batched(fn), print "
        "with pcbatch.debug_print, or run with strategy='local'."
    )
