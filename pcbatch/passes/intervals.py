"""Between which numbers the integers of a primitive are: its graph, run on intervals.

An interval of an array is one for each of its elements. A truth value is an integer, 0 or 1. What
could wrap around may be anything that the dtype holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch.backend.op_traces import OpTrace


class Interval(NamedTuple):
    """The integers from `low` to `high`, both of them; `nonzero`: without zero."""

    low: int
    high: int
    nonzero: bool = False

    def join(self, other: Interval) -> Interval:
        """The numbers that are in one or the other, and those between."""
        nonzero = self.excludes_zero and other.excludes_zero
        return Interval(min(self.low, other.low), max(self.high, other.high), nonzero)

    def meet(self, other: Interval) -> Interval:
        """The numbers that are in both; where there is none, this one: no member gets there."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        nonzero = self.nonzero or other.nonzero
        return Interval(low, high, nonzero).trimmed() if low <= high else self

    def trimmed(self) -> Interval:
        """The same numbers, without a zero at an end."""
        if not self.nonzero or self.low == self.high:
            return self
        return Interval(self.low + (self.low == 0), self.high - (self.high == 0), True)

    @property
    def excludes_zero(self) -> bool:
        return self.nonzero or self.low > 0 or self.high < 0

    def within(self, other: Interval) -> bool:
        """Whether all its numbers are in another."""
        return other.low <= self.low and self.high <= other.high


TRUTH, TRUE, FALSE = Interval(0, 1), Interval(1, 1), Interval(0, 0)
Known = dict[str, Interval]
"""Intervals by variable; what is not there may be anything."""


def of_dtype(dtype: tf.DType) -> Interval | None:
    """All that a dtype holds; None if that is no integers."""
    if dtype == tf.bool:
        return TRUTH
    return Interval(int(dtype.min), int(dtype.max)) if dtype.is_integer else None


class Whole(NamedTuple):
    """A tensor of integers or truth values: its operation, its name, all that its dtype holds."""

    op: tf.Operation
    name: str
    everything: Interval


def whole(piece: OpTrace) -> list[Whole]:
    """The tensors of integers and truth values in a piece of graph, in order."""
    operations = dict.fromkeys((*(x.op for x in piece.inputs), *piece.operations))
    tensors = ((op, x.name, of_dtype(x.dtype)) for op in operations for x in op.outputs)
    return [Whole(op, name, most) for op, name, most in tensors if most is not None]


def run(tensors: Iterable[Whole], inputs: Mapping[str, Interval | None]) -> dict[str, Interval]:
    """The interval of each of these tensors.

    Args:
      tensors: of one primitive.
      inputs: of its arguments, by the name of the placeholder.
    """
    found: dict[str, Interval] = {}
    for op, name, everything in tensors:
        known = inputs.get(name) or _result(op, found)
        fits = known is not None and known.within(everything)
        found[name] = known if known is not None and fits else everything
    return found


def _result(op: tf.Operation, found: Mapping[str, Interval]) -> Interval | None:
    """The interval of what an operation gives; None where it may be anything."""
    if op.type == "Const":
        return _of_constant(tf.get_static_value(op.outputs[0]))
    if op.type in ("Equal", "NotEqual") and op.inputs[0].dtype.is_floating:
        return _is_zero(op, found)
    rule = _RULES.get(op.type)
    if rule is None:
        return None
    arguments = [found.get(x.name) or of_dtype(x.dtype) for x in op.inputs]
    return None if any(a is None for a in arguments) else rule(*arguments)


def _is_zero(op: tf.Operation, found: Mapping[str, Interval]) -> Interval | None:
    """Whether a float is (not) zero, where it was an integer before."""
    value, other = op.inputs
    zero = tf.get_static_value(other)
    if value.op.type != "Cast" or zero is None or np.any(zero != 0):
        return None
    source = found.get(value.op.inputs[0].name)
    if source is None:
        return None
    equal = _equal(source, FALSE)
    return equal if op.type == "Equal" else _not(equal)


def _chosen(condition: Interval, yes: Interval, no: Interval) -> Interval:
    if condition.low == condition.high:
        return yes if condition.low else no
    return yes.join(no)


def _of_constant(value: np.ndarray | None) -> Interval | None:
    if value is None or not np.size(value):
        return None
    return Interval(int(np.min(value)), int(np.max(value)), bool(np.all(value != 0)))


def _corners(function: Callable[[int, int], int]) -> Callable[[Interval, Interval], Interval]:
    """The rule of a function that is monotonic in each operand."""

    def rule(a: Interval, b: Interval) -> Interval:
        values = [function(x, y) for x in a[:2] for y in b[:2]]
        return Interval(min(values), max(values))

    return rule


def _modulo(a: Interval, b: Interval) -> Interval | None:
    if b.low > 0:
        return a if a.low >= 0 and a.high < b.low else Interval(0, b.high - 1)
    return Interval(b.low + 1, 0) if b.high < 0 else None


def _quotient(a: Interval, b: Interval) -> Interval | None:
    return _corners(lambda x, y: x // y)(a, b) if b.low > 0 or b.high < 0 else None


def _and_bits(a: Interval, b: Interval) -> Interval | None:
    """A number that is not negative masks the other one."""
    highest = [x.high for x in (a, b) if x.low >= 0]
    return Interval(0, min(highest)) if highest else None


def _shifted(a: Interval, b: Interval) -> Interval | None:
    right = _corners(lambda x, y: x >> y)
    return right(a, b) if b.low >= 0 and b.high < 63 else None


def _decided(yes: bool, no: bool) -> Interval:
    return TRUE if yes else FALSE if no else TRUTH


def _equal(a: Interval, b: Interval) -> Interval:
    same = a.low == a.high == b.low == b.high
    zero = FALSE[:2] in (a[:2], b[:2]) and (a.excludes_zero or b.excludes_zero)
    return _decided(same, a.high < b.low or b.high < a.low or zero)


def _not(a: Interval) -> Interval:
    return Interval(1 - a.high, 1 - a.low)


def _less(a: Interval, b: Interval) -> Interval:
    return _decided(a.high < b.low, a.low >= b.high)


def _less_equal(a: Interval, b: Interval) -> Interval:
    return _decided(a.high <= b.low, a.low > b.high)


def _same(a: Interval, *_: Interval) -> Interval:
    return a


_RULES: dict[str, Callable[..., Interval | None]] = {
    **dict.fromkeys(("Identity", "Cast", "Reshape", "ExpandDims", "Squeeze", "All", "Any"), _same),
    **dict.fromkeys(("GatherV2", "StridedSlice", "BroadcastTo", "Min", "Max"), _same),
    "AddV2": _corners(lambda x, y: x + y), "Sub": _corners(lambda x, y: x - y),
    "Mul": _corners(lambda x, y: x * y), "FloorMod": _modulo, "FloorDiv": _quotient,
    "Minimum": _corners(min), "Maximum": _corners(max), "Neg": lambda a: Interval(-a.high, -a.low),
    "BitwiseAnd": _and_bits, "RightShift": _shifted,
    "SelectV2": _chosen,
    "ClipByValue": lambda x, low, high: _corners(max)(_corners(min)(x, high), low),
    "Less": _less, "LessEqual": _less_equal, "Greater": lambda a, b: _less(b, a),
    "GreaterEqual": lambda a, b: _less_equal(b, a), "Equal": _equal,
    "NotEqual": lambda a, b: _not(_equal(a, b)), "LogicalNot": _not,
    "LogicalAnd": _corners(min), "LogicalOr": _corners(max),
}  # fmt: skip


def assume(tensor: tf.Tensor, wanted: bool, found: dict[str, Interval]) -> None:
    """Narrow the intervals of a piece's placeholders by what a truth value of it says.

    Args:
      tensor: the truth value, a scalar.
      wanted: what it is.
      found: what `run` has found, changed in place.
    """
    op = tensor.op
    match op.type:
        case "LogicalNot":
            assume(op.inputs[0], not wanted, found)
        case "Identity" | "All" | "Any":
            assume(op.inputs[0], wanted, found)
        case "SelectV2" if op.inputs[0].name in found:
            condition, yes, no = op.inputs
            known = found[condition.name]
            if known.low == known.high:
                assume(yes if known.low else no, wanted, found)
        case "LogicalAnd" | "LogicalOr" if wanted == (op.type == "LogicalAnd"):
            for part in op.inputs:
                assume(part, wanted, found)
        case "Less" | "LessEqual" | "Greater" | "GreaterEqual" | "Equal" | "NotEqual":
            a, b = op.inputs
            if {a.name, b.name} <= found.keys() and {a.shape.rank, b.shape.rank} == {0}:
                _compare(op.type if wanted else _OPPOSITE[op.type], a, b, found)


_OPPOSITE = {
    "Less": "GreaterEqual", "GreaterEqual": "Less", "Greater": "LessEqual",
    "LessEqual": "Greater", "Equal": "NotEqual", "NotEqual": "Equal",
}  # fmt: skip


def _compare(kind: str, a: tf.Tensor, b: tf.Tensor, found: dict[str, Interval]) -> None:
    x, y = found[a.name], found[b.name]
    if kind.startswith("Greater"):
        return _compare("Less" + kind[len("Greater") :], b, a, found)
    if kind.startswith("Less"):
        gap = kind == "Less"
        _narrow(a, Interval(x.low, max(x.low, y.high - gap), x.nonzero), found)
        _narrow(b, Interval(min(y.high, x.low + gap), y.high, y.nonzero), found)
    elif kind == "Equal":
        _narrow(a, y, found)
        _narrow(b, x, found)
    else:
        for tensor, other in ((a, y), (b, x)):
            if other[:2] == FALSE[:2]:
                _narrow(tensor, found[tensor.name]._replace(nonzero=True), found)
    return None


def _narrow(tensor: tf.Tensor, to: Interval, found: dict[str, Interval]) -> None:
    """Narrow a tensor, and what it was computed from as far as that is plain to see."""
    found[tensor.name] = found[tensor.name].meet(to)
    op = tensor.op
    if op.type in ("Identity", "Cast") and op.inputs[0].name in found:
        source = op.inputs[0]
        everything = of_dtype(tensor.dtype)
        if everything is not None and found[source.name].within(everything):
            _narrow(source, found[tensor.name], found)
