"""Results of code for one member that are only wanted as the sum over all members.

The sum goes down the graph as far as it can: that of a sum is a sum of sums, that of a product of
matrices is one product of longer matrices, and rows that are added to a table are added to the sum
itself. So the derivative with regard to a matrix, or to a table of which each member reads a row,
is never made for each member.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import tensorflow as tf

from pcbatch.backend.private import graphs, xla_operations
from pcbatch.errors import Span
from pcbatch.vectorizer.blocks import named, report, run_graph, trace
from pcbatch.vectorizer.pretransposed import Forms
from pcbatch.vectorizer.session import Session
from pcbatch.vectorizer.values import plain, select, stack, stacked

SUMS = {"AddN", "AddV2", "Add"}
LINEAR = {
    "StopGradient": 0, "PreventGradient": 0, "Neg": 0, "Reshape": 0, "ExpandDims": 0,
    "Squeeze": 0, "Transpose": 0, "Sum": 0, "Pad": 0, "StridedSliceGrad": 4,
}  # fmt: skip
"""Operations that are linear in one input, by its position; the others have to be constants."""
MEMBERS = "Z"
"""The letter of the members in an equation."""


def vectorize_and_add(
    fn: Callable[[Mapping[str, tf.Tensor]], dict[str, tf.Tensor]],
    members: Mapping[str, tf.Tensor],
    totals: Mapping[str, tf.Tensor],
    first: Mapping[str, tf.Tensor],
    adds: tf.Tensor,
    span: Span,
    zero: tf.Tensor | None,
    forms: Forms,
) -> dict[str, tf.Tensor]:
    """Run `fn`, written for one member, on a batch, and add some of its results up.

    Args:
      fn, members, span, zero, forms: as of `vectorize_block`.
      totals: the sums so far, by the names of results.
      first: by the names of those that are of each member: int32[B], where the rows of each begin
        in what is given for all, `[rows, ...]`.
      adds: bool[B], the members whose results are added. What others have may be infinite.

    Returns:
      What `fn` returns: the new sums by the names of `totals`, and `[B, ...]` each by the others.
    """
    size = int(adds.shape[0])
    graph = trace(fn, {n: tf.TensorSpec(t.shape[1:], t.dtype) for n, t in members.items()})
    results = named(graph, graph.outputs)
    others = [tensor for name, tensor in results.items() if name not in totals]
    leaves = [leaf for name in totals for leaf in _leaves(results[name], name in first)]
    session = Session(size, xla_operations.under_xla(), span=span, zero=zero, forms=forms)
    wanted = [*others, *leaves]
    values = run_graph(session, graph, [stacked(t) for t in members.values()], wanted)
    report(session)
    known = {id(t): value for t, value in zip(wanted, values, strict=True)}
    sums = _Sums(known, adds)
    return {
        name: sums.added(totals[name], tensor, first.get(name))
        if name in totals
        else stack(plain(known[id(tensor)]), size)
        for name, tensor in results.items()
    }


def _leaves(tensor: tf.Tensor, of_member: bool) -> list[tf.Tensor]:
    """What each member has that a sum of a tensor is made of; or its own, of each member."""
    tensor, op = _made(tensor)
    if _is_sum(op):
        return [leaf for x in op.inputs for leaf in _leaves(x, of_member)]
    if _adds_rows(op):
        return list(op.inputs[:2])
    if of_member:
        return [tensor]
    if _is_linear(op):
        return _leaves(op.inputs[LINEAR[op.type]], of_member)
    if _equation(op) is not None:
        return list(op.inputs[:2])
    return [tensor]


class _Sums:
    """Sums over the members.

    Args:
      known: what stands for leaves, by their ids.
      adds: bool[B], whose numbers are added.
    """

    def __init__(self, known: Mapping[int, Any], adds: tf.Tensor):
        self._known, self._adds = known, adds

    def added(
        self, total: tf.Tensor, tensor: tf.Tensor, first: tf.Tensor | None = None
    ) -> tf.Tensor:
        """A total, and what each member has in the place of a tensor; `first`: its own rows."""
        tensor, op = _made(tensor)
        if _is_sum(op):
            for x in op.inputs:
                total = self.added(total, x, first)
            return total
        if _adds_rows(op):
            rows, places = (self._of_members(x) for x in op.inputs[:2])
        elif first is not None:
            rows, places = self._of_members(tensor), tf.range(tensor.shape[0])[tf.newaxis]
        else:
            return total + self._sum(tensor)
        rows = tf.reshape(rows, [-1, *total.shape[1:]])
        places = tf.cast(places, tf.int32)
        if first is not None:
            places += tf.reshape(first, [-1, *([1] * (places.shape.rank - 1))])
        return tf.tensor_scatter_nd_add(total, tf.reshape(places, [-1, 1]), rows)

    def _sum(self, tensor: tf.Tensor) -> tf.Tensor:
        tensor, op = _made(tensor)
        if _is_sum(op):
            return tf.add_n([self._sum(x) for x in op.inputs])
        if _adds_rows(op):
            return self.added(tf.zeros(tensor.shape, tensor.dtype), tensor)
        if _is_linear(op):
            inputs = [
                self._sum(x)
                if i == LINEAR[op.type]
                else tf.constant(tf.get_static_value(x), x.dtype)
                for i, x in enumerate(op.inputs)
            ]
            return graphs.create(op, inputs)[0]
        if (equation := _equation(op)) is not None:
            return self._product(equation, *op.inputs[:2])
        return tf.reduce_sum(self._of_members(tensor), 0)

    def _product(self, equation: str, a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
        inputs, result = equation.split("->")
        left, right = inputs.split(",")
        pairs = [self._factor(left, a), self._factor(right, b)]
        if not any(letters.startswith(MEMBERS) for letters, _ in pairs):
            pairs[0] = MEMBERS + left, self._of_members(a)
        letters = ",".join(letters for letters, _ in pairs)
        return tf.einsum(f"{letters}->{result}", *(factor for _, factor in pairs))

    def _factor(self, letters: str, tensor: tf.Tensor) -> tuple[str, tf.Tensor]:
        """A factor of a product, with the members first if it is not the same for all."""
        value = plain(self._known[id(tensor)])
        if not value.stacked:
            return letters, value.local()
        return MEMBERS + letters, self._of_members(tensor)

    def _of_members(self, tensor: tf.Tensor) -> tf.Tensor:
        """What each member has, `[B, ...]`, and zeros where nothing is added."""
        value = stack(plain(self._known[id(tensor)]), int(self._adds.shape[0]))
        return select(self._adds, value, tf.zeros_like(value))


def _made(tensor: tf.Tensor) -> tuple[tf.Tensor, tf.Operation]:
    """What a tensor is a copy of, and what has made that."""
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor, tensor.op


def _is_sum(op: tf.Operation) -> bool:
    shapes = {tuple(x.shape) for x in op.inputs} if op.type in SUMS else set()
    return len(shapes) == 1


def _is_linear(op: tf.Operation) -> bool:
    position = LINEAR.get(op.type)
    if position is None:
        return False
    others: Iterable[tf.Tensor] = (x for i, x in enumerate(op.inputs) if i != position)
    return all(tf.get_static_value(x) is not None for x in others)


def _adds_rows(op: tf.Operation) -> bool:
    """Whether an operation adds rows to a table of zeros, which it makes of them."""
    return op.type == "UnsortedSegmentSum" and op.outputs[0].shape.is_fully_defined()


def _equation(op: tf.Operation) -> str | None:
    """The equation of a product of two matrices or arrays, as `tf.einsum` has it."""
    match op.type:
        case "MatMul":
            a = "ji" if op.get_attr("transpose_a") else "ij"
            b = "kj" if op.get_attr("transpose_b") else "jk"
            return f"{a},{b}->ik"
        case "BatchMatMulV2" if op.inputs[0].shape[:-2] == op.inputs[1].shape[:-2]:
            lead = string.ascii_lowercase[3 : 1 + op.inputs[0].shape.rank]
            a = "ba" if op.get_attr("adj_x") else "ab"
            b = "cb" if op.get_attr("adj_y") else "bc"
            return f"{lead}{a},{lead}{b}->{lead}ac"
        case "Einsum" if len(op.inputs) == 2:
            equation: str = op.get_attr("equation").decode()
            return None if "." in equation or MEMBERS in equation else equation
    return None
