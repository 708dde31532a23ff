"""Run one primitive on abstract values.

The user's expression is called once with placeholders of one member's dtypes and shapes, inside a
graph that nobody runs; what comes out tells the types of the results. Nobody writes a type
function.
"""

from __future__ import annotations

import contextvars
import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch import structure
from pcbatch.buffers import Buffer
from pcbatch.errors import PcbatchError, ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.domain import BufferRef, Leaf, Shared, Static, Tensor, Value
from pcbatch.infer.failures import explain
from pcbatch.infer.objects import Watch, check_followed, unrolled
from pcbatch.infer.store import Store
from pcbatch.ir import BufferType, TensorType
from pcbatch.operators import is_weak, kind, mark_weak, weak_scope
from pcbatch.piece import Piece, Recorded
from pcbatch.vectorizer import assertions_hold, messages

Alias = tuple[int, int] | None

PRIMITIVE: contextvars.ContextVar[Span | None] = contextvars.ContextVar("primitive", default=None)
"""The place of the primitive that is being tried now, if any."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What the evaluation of a primitive has left in the scratch graph.

    Attributes:
      inputs: the placeholder of each argument leaf that is not static, in order.
      results: the leaves of each result.
      operations: all that were made.
      hold: whether the assertions among them hold; None where there is none.
      assertions: what they say.
    """

    inputs: tuple[tf.Tensor, ...]
    results: tuple[tuple[Any, ...], ...]
    operations: tuple[tf.Operation, ...]
    hold: tf.Tensor | None = None
    assertions: tuple[str, ...] = ()

    def piece(self, selected: tuple[tuple[int, int], ...]) -> Piece:
        """The part that computes some leaves of the results, and whether assertions hold."""
        outputs = [self.results[i][j] for i, j in selected]
        if self.hold is not None:
            outputs.append(self.hold)
        return Piece(self.inputs, tuple(outputs), self.operations)


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What a primitive gives: a value per target and, per leaf, the argument leaf that it is."""

    values: tuple[Value, ...]
    aliases: tuple[tuple[Alias, ...], ...]
    trace: Trace


def instantiate(args: tuple[Value, ...], make: Callable[[int, int, Leaf], Any]) -> list[Any]:
    """Python values for abstract ones; `make` gives what stands for a leaf that is not static."""
    result = []
    for i, value in enumerate(args):
        leaves = [
            leaf.value if isinstance(leaf, Static) else make(i, j, leaf)
            for j, leaf in enumerate(value.leaves)
        ]
        result.append(structure.unflatten(value.tree, leaves))
    return result


class Evaluator:
    """Evaluates primitives on abstract values, in the current (scratch) graph."""

    def __init__(self, store: Store):
        self._store = store
        self._cache: dict[Any, Outcome] = {}

    def __call__(
        self,
        fn: Callable[..., tuple[Any, ...]],
        args: tuple[Value, ...],
        span: Span,
        name: str,
        batched: bool = False,
        operands: tuple[str, ...] = (),
    ) -> Outcome:
        """The abstract results of `fn` on `args`.

        Args:
          fn: a source-form primitive's function.
          args: one abstract value per parameter.
          span: where it stands, for messages.
          name: how to call a buffer or a shared tensor that it makes.
          batched: `fn` takes a leading batch axis; it is tried with a batch of one.
          operands: what the arguments are called, for messages.

        Raises:
          ProgramError: the user's expression raised, or gives what no variable can hold.
        """
        key = (fn, args, name)
        if key not in self._cache:
            self._cache[key] = self._evaluate(fn, args, span, name, batched, operands)
        return self._cache[key]

    def _evaluate(
        self,
        fn: Callable[..., tuple[Any, ...]],
        args: tuple[Value, ...],
        span: Span,
        name: str,
        batched: bool,
        operands: tuple[str, ...],
    ) -> Outcome:
        origin: dict[int, tuple[int, int]] = {}
        keep: list[Any] = []

        def make(i: int, j: int, leaf: Leaf) -> Any:
            stand_in = self._placeholder(leaf, batched)
            origin[id(stand_in)] = (i, j)
            keep.append(stand_in)
            return stand_in

        graph = tf.compat.v1.get_default_graph()
        before = len(graph.get_operations())
        with weak_scope():
            values = instantiate(args, make)
            watch = Watch(operands, values)
            token = PRIMITIVE.set(span)
            try:
                outputs = tuple(map(unrolled, fn(*values)))
            except PcbatchError:
                raise
            except Exception as error:  # the user's code may raise anything; it is passed on
                raise ProgramError(explain(span, error, operands, args)) from error
            finally:
                PRIMITIVE.reset(token)
            watch.check(span)
            results, aliases, flat = [], [], []
            for output in outputs:
                leaves, tree = structure.flatten(output)
                flat.append(tuple(leaves))
                alias = tuple(origin.get(id(x)) for x in leaves)
                results.append(Value(tree, tuple(
                    args[a[0]].leaves[a[1]] if a else self._leaf(x, span, name, batched)
                    for x, a in zip(leaves, alias, strict=True)
                )))  # fmt: skip
                aliases.append(alias)
        inputs = tuple(x.array if isinstance(x, Buffer) else x for x in keep)
        assertions = () if batched else tuple(messages(graph.get_operations()[before:]))
        hold = assertions_hold() if assertions else None
        operations = tuple(graph.get_operations()[before:])
        made = Trace(inputs, tuple(flat), operations, hold, assertions)
        return Outcome(tuple(results), tuple(aliases), made)

    def _placeholder(self, leaf: Leaf, batched: bool) -> Any:
        lead = [1] if batched else []
        match leaf:
            case Tensor(type_, weak):
                tensor = tf.compat.v1.placeholder(type_.dtype, [*lead, *type_.shape])
                return mark_weak(tensor) if weak else tensor
            case Shared(_, type_, weak):
                tensor = tf.compat.v1.placeholder(type_.dtype, type_.shape)
                return mark_weak(tensor) if weak else tensor
            case BufferRef(name):
                kind = self._store.buffers[name]
                shape = [*lead, kind.length, *kind.element.shape]
                return Buffer(tf.compat.v1.placeholder(kind.element.dtype, shape))
            case Static():
                raise TypeError("a static leaf needs no placeholder")

    def _leaf(self, output: Any, span: Span, name: str, batched: bool) -> Leaf:
        if isinstance(output, Buffer):
            return self._allocate(output, name)
        if isinstance(output, tf.Tensor):
            if not tf.is_symbolic_tensor(output):
                return self._store.constant(name, output)
            return _tensor_leaf(output, span, batched)
        if isinstance(output, (tf.SparseTensor, tf.RaggedTensor, tf.TensorArray)):
            raise ProgramError(report.UnsupportedTensor(span, type(output).__name__))
        check_followed(output, span)
        return Static(output)

    def _allocate(self, buffer: Buffer, name: str) -> BufferRef:
        length, *shape = buffer.shape
        type_ = BufferType(length, TensorType(buffer.dtype.name, tuple(shape)))
        self._store.buffers[name] = type_
        return BufferRef(name)


def _tensor_leaf(output: tf.Tensor, span: Span, batched: bool) -> Tensor:
    if not output.shape.is_fully_defined():
        raise ProgramError(report.DynamicShape(span, str(output.shape)))
    if kind(output.dtype) < 0:
        raise ProgramError(report.UnsupportedTensor(span, f"{output.dtype.name} tensor"))
    shape = tuple(output.shape)
    return Tensor(TensorType(output.dtype.name, shape[1:] if batched else shape), is_weak(output))


def typed(
    fn: Callable[..., tuple[Any, ...]],
    args: tuple[Value, ...],
    selected: tuple[tuple[int, int], ...],
    trace: Trace,
) -> Recorded:
    """The primitive on plain tensors.

    Args:
      fn: the source-form function.
      args: its abstract arguments.
      selected: which leaves of which results to return.
      trace: what its evaluation has left in the scratch graph.

    Returns:
      A function of one tensor per argument leaf that is not static, in order, which returns one
      tensor per selected leaf, and whether its assertions hold where it has some.
    """

    def on_tensors(*tensors: tf.Tensor) -> tuple[tf.Tensor, ...]:
        supply = iter(tensors)

        def make(i: int, j: int, leaf: Leaf) -> Any:
            tensor = next(supply)
            match leaf:
                case Tensor(_, weak=True) | Shared(_, _, weak=True):
                    return mark_weak(tensor)
                case BufferRef():
                    return Buffer(tensor)
            return tensor

        try:
            with weak_scope():
                outputs = tuple(map(unrolled, fn(*instantiate(args, make))))
        except tf.errors.InvalidArgumentError as error:  # an assertion, where it is not traced
            if not any(said.partition(":")[0] in str(error) for said in trace.assertions):
                raise
            leaves = [trace.results[i][j] for i, j in selected]
            return (*(tf.zeros(x.shape, x.dtype) for x in leaves), tf.constant(False))
        flat = [structure.flatten(output)[0] for output in outputs]
        chosen = [tf.convert_to_tensor(flat[i][j]) for i, j in selected]
        if trace.hold is not None:
            chosen.append(assertions_hold())
        return tuple(chosen)

    return Recorded(on_tensors, trace.piece(selected))
