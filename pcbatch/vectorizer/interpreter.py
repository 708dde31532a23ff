"""The interpreter of a single-example graph, which builds the batched one.

Every operation is replaced as soon as its inputs are: one whose inputs are all shared is copied;
one with a rule of ours (`rules`) goes by it; for the others TensorFlow's own converters are asked,
and what they do not know runs in a loop over the members (`fallback`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.backend import exact, op_traits, rounding
from pcbatch.backend.materialize import spread
from pcbatch.backend.private import graphs
from pcbatch.backend.private.converters import NotConvertible
from pcbatch.vectorizer import pretransposed
from pcbatch.vectorizer.fallback import loop_over_members
from pcbatch.vectorizer.kinds import Unlike
from pcbatch.vectorizer.session import Session, VectorizationError
from pcbatch.vectorizer.states import Touch, all_operations, touch
from pcbatch.vectorizer.values import Absent, BatchLast, ListOf, Plain, Value, shared, stacked

Rule = Callable[["Interpreter", tf.Operation, list[Value]], Sequence["Value | BatchLast"]]
BatchLastRule = Callable[
    ["Interpreter", tf.Operation, "list[Value | BatchLast]"], "list[BatchLast] | None"
]

RULES: dict[str, Rule] = {}
"""By the operation's type: rules for operations with a stacked input."""

ALWAYS: dict[str, Rule] = {}
"""By the operation's type: rules that are also asked when all inputs are shared."""

OF_COLUMNS: dict[str, BatchLastRule] = {}
"""By the operation's type: rules for operations with members in the columns of an input. One that
gives None leaves an operation to the other rules."""

EFFECTS = {
    "Assert", "Print", "PrintV2", "StatefulPartitionedCall", "If", "While", "Case",
    "CheckNumerics", "CheckNumericsV2", "EagerPyFunc", "PyFunc",
}  # fmt: skip
"""Operations that run although nothing reads what they give; so do those that change a variable."""


def rule(*types: str, always: bool = False) -> Callable[[Rule], Rule]:
    """Register a rule for operations of some types."""

    def register(function: Rule) -> Rule:
        for name in types:
            (ALWAYS if always else RULES)[name] = function
        return function

    return register


def rule_of_batch_last(*types: str) -> Callable[[BatchLastRule], BatchLastRule]:
    """Register a rule for operations of some types on members in columns."""

    def register(function: BatchLastRule) -> BatchLastRule:
        OF_COLUMNS.update(dict.fromkeys(types, function))
        return function

    return register


class Interpreter:
    """Builds the batched counterpart of a graph in the current one."""

    def __init__(self, session: Session):
        self.session = session
        self.env: dict[int, Value | BatchLast] = {}
        self._live: set[int] = set()
        self._constant: set[int] = set()

    @property
    def size(self) -> int:
        return self.session.size

    def graph(
        self,
        graph: graphs.FuncGraph,
        inputs: Sequence[Value],
        outputs: Sequence[tf.Tensor],
        effects: bool = True,
    ) -> list[Value]:
        """Replace all operations that the outputs and the effects of a graph need.

        Args:
          graph: of one member.
          inputs: the counterparts of the graph's inputs.
          outputs: tensors of the graph.
          effects: whether what the graph does beside its outputs is done.

        Returns:
          The counterparts of the outputs.
        """
        for tensor, value in zip(graph.inputs, inputs, strict=True):
            self.env[id(tensor)] = value
        order = needed(graph, outputs, effects)
        self._live = {id(op) for op in order} | {id(t) for t in outputs}
        for op in order:
            if op.type != "Placeholder":
                self.operation(op)
        return [self.value(t) for t in outputs]

    def value(self, tensor: tf.Tensor) -> Value:
        """The counterpart of a tensor, with the batch on axis 0 if it is stacked."""
        value = self.env[id(tensor)]
        return value.rows if isinstance(value, BatchLast) else value

    def reads(self, tensor: tf.Tensor) -> bool:
        """Whether a replaced operation or an output of the graph reads a tensor."""
        return id(tensor) in self._live or any(id(op) in self._live for op in tensor.consumers())

    def operation(self, op: tf.Operation) -> None:
        try:
            results = self._batch_last(op) or self._replace(op, self._inputs(op))
        except Unlike as error:
            raise self.session.error(
                op,
                f"would need values of different types for different members: {error}",
                "give the values one shape, the same for all members.",
            ) from error
        if self._is_constant(op):
            self._constant.add(id(op))
        for tensor, result in zip(op.outputs, results, strict=True):
            self.env[id(tensor)] = self._rounded(op, result)

    def _inputs(self, op: tf.Operation) -> list[Value]:
        """The counterparts of an operation's inputs, ready to be read several times each."""
        values = [self.value(t) for t in op.inputs]
        if not self.session.xla or op.type in _EACH_ONCE:
            return values
        most = max((_size(t) for t in op.outputs), default=1)
        pairs = zip(op.inputs, values, strict=True)
        return [_spread(x) if _size(t) < most else x for t, x in pairs]

    def _is_constant(self, op: tf.Operation) -> bool:
        """Whether an operation gives the same in every call."""
        if not op.inputs:
            return op.type == "Const"
        return all(id(t.op) in self._constant for t in op.inputs) and not _draws(op)

    def _batch_last(self, op: tf.Operation) -> list[BatchLast] | None:
        """An operation on members in columns; None where there is none, or no rule for it."""
        given = [self.env[id(t)] for t in op.inputs]
        if op.type not in OF_COLUMNS or not any(isinstance(x, BatchLast) for x in given):
            return None
        return OF_COLUMNS[op.type](self, op, given)

    def _rounded(self, op: tf.Operation, result: Value | BatchLast) -> Value | BatchLast:
        """What nothing after it is computed together with; XLA shall still compute constants."""
        zero = self.session.zero
        if zero is None or not isinstance(result, Plain) or id(op) in self._constant:
            return result
        # Of two sums with constants XLA would make one, with the sum of the constants.
        sums = op.type in op_traits.SUMS and any(id(t.op) in self._constant for t in op.inputs)
        if not sums and op.type not in op_traits.FUNCTIONS:
            return result
        tensor = rounding.rounded(result.tensor, zero)
        return stacked(tensor) if result.stacked else shared(tensor)

    def _replace(self, op: tf.Operation, inputs: list[Value]) -> Sequence[Value | BatchLast]:
        if touch(op) == Touch.CHANGES:
            raise self.session.error(
                op,
                "changes a variable, and the members would change it in no defined order",
                "return the new value instead, and assign to the variable outside.",
            )
        if op.type in ALWAYS:
            if isinstance(inputs[0] if inputs else None, Absent) and op.type not in _READ_ABSENT:
                return [Absent() for _ in op.outputs]
            return ALWAYS[op.type](self, op, inputs)
        if any(isinstance(x, Absent) for x in inputs):
            return [Absent() for _ in op.outputs]
        plain = [x for x in inputs if isinstance(x, Plain)]
        if len(plain) != len(inputs):
            raise self.session.error(op, "takes a list of tensors in a way that is not supported")
        if not any(x.stacked for x in plain) and not _draws(op):
            return self.copy(op, plain)
        own = RULES.get(op.type)
        return own(self, op, inputs) if own else self.library_rule(op, plain)

    def create(
        self,
        op: tf.Operation,
        inputs: Sequence[tf.Tensor],
        attributes: dict[str, Any] | None = None,
    ) -> list[tf.Tensor]:
        """The operation on other inputs, which may have the batch as one more axis."""
        return exact.create(op, inputs, self.session.xla, attributes)

    def copy(self, op: tf.Operation, inputs: Sequence[Plain]) -> list[Value]:
        """The operation itself, once for all members."""
        results = self.create(op, [x.local() for x in inputs])
        if self.session.forms.pretransposed and op.type in pretransposed.TRACED:
            first, *more = inputs
            origin = pretransposed.traced(
                op, self.session.origin(first.tensor), *(x.static for x in more)
            )
            if origin is not None:
                self.session.comes_from(results[0], origin)
        return [shared(t) for t in results]

    def library_rule(self, op: tf.Operation, inputs: Sequence[Plain]) -> list[Value]:
        """The operation by TensorFlow's rule, or in a loop over the members."""
        converters = self.session.converters()
        if not converters.known(op.type):
            return loop_over_members(self.session, op, inputs, "has no batched form in TensorFlow")
        try:
            results = converters.convert(op, [(x.local(), x.stacked) for x in inputs])
        except NotConvertible as error:
            reason = str(error).strip().split("\n")[0] or "no rule for these inputs"
            return loop_over_members(
                self.session, op, inputs, f"has no batched form for these inputs ({reason})"
            )
        for (tensor, is_stacked), old in zip(results, op.outputs, strict=True):
            lead = [self.size] if is_stacked else []
            tensor.set_shape(tf.TensorShape(lead).concatenate(old.shape))
        return [stacked(t) if is_stacked else shared(t) for t, is_stacked in results]

    def plain(self, op: tf.Operation, value: Value) -> Plain:
        """The value as a tensor."""
        if not isinstance(value, Plain):
            raise self.session.error(op, "takes a list of tensors where it should take a tensor")
        return value

    def list(self, op: tf.Operation, value: Value) -> ListOf:
        """The value as a list."""
        if not isinstance(value, ListOf):
            raise self.session.error(op, "reads a value that is never written")
        return value


_EACH_ONCE = op_traits.CALLED.keys() | {"ConcatV2", "Pack"}
"""Operations with results larger than an input that do not read its numbers several times."""


def _spread(value: Value) -> Value:
    """A value that is read several times for each member."""
    if not isinstance(value, Plain) or not value.stacked:
        return value
    return dataclasses.replace(value, tensor=spread(value.tensor))


def _size(tensor: tf.Tensor) -> int:
    """The numbers of a tensor; 1 if that is not known."""
    return tensor.shape.num_elements() or 1


def _draws(op: tf.Operation) -> bool:
    """Whether an operation gives something else each time (a draw of random numbers)."""
    return graphs.is_stateful(op) and op.type not in (
        "VarHandleOp",
        "ReadVariableOp",
        "VariableShape",
    )


def _has_effect(op: tf.Operation) -> bool:
    return op.type in EFFECTS or touch(op) == Touch.CHANGES


def needed(
    graph: graphs.FuncGraph, outputs: Iterable[tf.Tensor], effects: bool = True
) -> list[tf.Operation]:
    """The operations behind some outputs and behind the effects of a graph, inputs first."""
    active = [op for op in graph.get_operations() if effects and _has_effect(op)]
    goals = sorted({t.op for t in outputs} | set(active), key=graphs.place_in_graph)
    done: set[int] = set()
    order: list[tf.Operation] = []
    stack: list[tuple[tf.Operation, bool]] = [(op, False) for op in reversed(goals)]
    while stack:
        op, ready = stack.pop()
        if ready:
            order.append(op)
        elif id(op) not in done:
            done.add(id(op))
            stack.append((op, True))
            stack.extend((t.op, False) for t in reversed(op.inputs) if id(t.op) not in done)
    return order


def contains(graph: graphs.FuncGraph, types: Iterable[str]) -> bool:
    """Whether a graph or a function that it calls has an operation of some types."""
    types = set(types)
    return any(op.type in types for op in all_operations(graph.get_operations()))


_READ_ABSENT = op_traits.CALLED.keys() | {"AddN", "OptionalFromValue"}


__all__ = [
    "ALWAYS",
    "OF_COLUMNS",
    "RULES",
    "VectorizationError",
    "Interpreter",
    "contains",
    "needed",
    "rule",
    "rule_of_batch_last",
]
