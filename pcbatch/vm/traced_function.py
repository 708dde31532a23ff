"""A traced function, one trace per signature."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import tensorflow as tf

from pcbatch.backend import garbage
from pcbatch.backend.clean_thread import in_clean_thread
from pcbatch.backend.private.direct_calls import Executable
from pcbatch.backend.private.eager_values import EagerTensor, type_of
from pcbatch.backend.private.graphs import recording
from pcbatch.backend.resource_variable import Variable
from pcbatch.semantics import pytree
from pcbatch.vectorizer import VectorizationError

_UNSUPPORTED = "Detected unsupported operations when trying to compile"


class Trace(NamedTuple):
    """A function traced for some dtypes and shapes.

    Attributes:
      function: of the leaves.
      concrete: the same, bound to their specs.
      call: the same, of leaves that have these dtypes and shapes.
      results: the specs of what it returns.
      tree: their structure.
    """

    function: Any
    concrete: Any
    call: Executable
    results: tuple[tf.TensorSpec, ...]
    tree: pytree.Tree


class TracedFunction:
    """A function of tensors that TensorFlow traces at most once per dtypes and shapes.

    Unlike a bare `tf.function` it does not count traces across kernels of one name, nor warn of
    them: a program has many blocks, and each is traced for each batch size on purpose. TensorFlow
    sees flat lists of leaves only; walking structures takes it longer than many a kernel runs.

    Args:
      function: takes structures of tensors and `Variable`s, which it may change, and returns
        structures of tensors.
      jit: compile it with XLA.
    """

    def __init__(self, function: Callable[..., Any], jit: bool):
        self._function, self._jit = function, jit
        self._traces: dict[Any, Trace] = {}
        self._lock = threading.Lock()

    def trace(self, *args: Any) -> Trace:
        """The function traced for arguments (or specs) of these types."""
        return self._trace(args, tf.nest.flatten(args))

    def _trace(self, args: tuple[Any, ...], leaves: list[Any]) -> Trace:
        key = tuple(map(type_key, leaves))
        with self._lock:
            if key not in self._traces:
                self._traces[key] = self._traced(tf.nest.map_structure(_no_value, args), leaves)
            return self._traces[key]

    @garbage.of_new_objects
    def _traced(self, like: Any, leaves: list[Any]) -> Trace:
        trees = []
        kinds = [Variable(x.shape, x.dtype) if isinstance(x, Variable) else None for x in leaves]

        def flat(*given: Any) -> list[Any]:
            received = [x if k is None else k.at(x) for x, k in zip(given, kinds, strict=True)]
            results, tree = pytree.flatten(
                self._function(*tf.nest.pack_sequence_as(like, received))
            )
            trees.append(tree)
            return results

        function = tf.function(flat, jit_compile=self._jit, autograph=False)
        specs = tuple(map(_spec, leaves))
        if tf.inside_function() or not recording():
            concrete = function.get_concrete_function(*specs)
        else:  # A persistent tape would have the loop keep what its gradient needs.
            concrete = in_clean_thread(lambda: function.get_concrete_function(*specs))
        results = tuple(map(_spec, concrete.outputs))
        return Trace(function, concrete, Executable(concrete), results, trees[-1])

    def __call__(self, *args: Any) -> Any:
        """Run it.

        Raises:
          VectorizationError: XLA has no kernel for an operation in it.
        """
        leaves = [as_leaf(x) for x in tf.nest.flatten(args)]
        with explaining():
            trace = self._trace(args, leaves)
            given = [x.handle if isinstance(x, Variable) else x for x in leaves]
            return pytree.unflatten(trace.tree, trace.call(given))

    def prepared(self, *args: Any) -> Executable:
        """What runs it on a flat list of arguments of these types, handles for variables."""
        return self.trace(*args).call

    def compiler_ir(self, stage: str, *args: Any) -> str:
        """The compiled function as text, see `tf.function.experimental_get_compiler_ir`.

        Raises:
          VectorizationError: XLA has no kernel for an operation in it.
        """
        leaves = tf.nest.flatten(args)
        function = self._trace(args, leaves).function
        with explaining():
            return function.experimental_get_compiler_ir(*leaves)(stage=stage)


def captured_values(concrete: Any) -> list[tf.Tensor]:
    """The values of the tensors and variables that a concrete function holds on to."""
    values = []
    for tensor in concrete.captured_inputs:
        if tensor.dtype == tf.resource:
            tensor = next(v for v in concrete.variables if v.handle is tensor).read_value()
        values.append(tensor)
    return values


def type_key(leaf: Any) -> tuple[Any, ...]:
    """What a function is traced for, of a leaf."""
    if isinstance(leaf, EagerTensor):
        return type_of(leaf)
    kind = (leaf.dtype.as_datatype_enum, tuple(leaf.shape))
    return (*kind, Variable) if isinstance(leaf, Variable) else kind


def _no_value(_: Any) -> None:
    """What stands for a leaf in a structure that is kept, and must not keep the leaf."""


def as_leaf(value: Any) -> Any:
    """A leaf of the arguments: a variable, or a tensor."""
    return value if isinstance(value, (Variable, tf.Tensor)) else tf.convert_to_tensor(value)


def _spec(leaf: Any) -> Any:
    if isinstance(leaf, Variable):
        return tf.TensorSpec([], tf.resource)
    return leaf if isinstance(leaf, tf.TypeSpec) else tf.TensorSpec(leaf.shape, leaf.dtype)


@contextlib.contextmanager
def explaining() -> Iterator[None]:
    """Tell for which operation XLA has no kernel, where it compiles or lowers.

    Raises:
      VectorizationError: there is such an operation.
    """
    try:
        yield
    except (tf.errors.InvalidArgumentError, ValueError) as error:
        if _UNSUPPORTED not in str(error):
            raise
        raise VectorizationError(_explain(str(error))) from error


def _explain(text: str) -> str:
    text = text[text.index(_UNSUPPORTED) :]
    operation = text.split(": ", 1)[1].split("\n")[0] if ": " in text else text.split("\n")[0]
    return (
        f"XLA cannot compile an operation in this program's primitives: {operation}\n"
        "why: it has no XLA kernel (printing, Python calls and strings have none).\n"
        "help: mark a function that takes the batch axis itself with pcbatch.batched(fn), print "
        "with pcbatch.debug_print, or run with strategy='local'."
    )
