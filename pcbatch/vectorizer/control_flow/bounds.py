"""How often a loop runs at most, read from its graphs.

Lists that a loop makes longer (the accumulators of a gradient among them) need a static capacity
under XLA. A bound is found where the condition compares a counter, which starts at a known number
and moves by a constant, with a limit that the loop does not change; of several conditions joined by
"and" (in Python or in TensorFlow) any one will do. `maximum_iterations` of `tf.while_loop` is such
a condition.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import tensorflow as tf

from pcbatch.backend.private import graphs
from pcbatch.vectorizer.kinds import ANY, Range
from pcbatch.vectorizer.values import Plain, Value

_MIRRORED = {
    "Less": "Greater",
    "LessEqual": "GreaterEqual",
    "Greater": "Less",
    "GreaterEqual": "LessEqual",
}


class Loop:
    """The graphs of a loop, and what enters it."""

    def __init__(
        self,
        cond: graphs.FuncGraph,
        body: graphs.FuncGraph,
        body_outputs: Sequence[tf.Tensor],
        initial: Sequence[Value],
    ):
        self.cond, self.body = cond, body
        self.outputs, self.initial = list(body_outputs), list(initial)
        self._cond_position = {id(t): i for i, t in enumerate(cond.inputs)}
        self._body_position = {id(t): i for i, t in enumerate(body.inputs)}

    def invariant(self, i: int) -> bool:
        """Whether the loop leaves variable i as it is."""
        return self._body_position.get(id(source(self.outputs[i]))) == i

    def pushed(self, i: int) -> tf.Tensor | None:
        """What each trip pushes to list i, if that is all it does with it and always the same."""
        push, variable = source(self.outputs[i]).op, self.body.inputs[i]
        if push.type != "TensorListPushBack" or push.inputs[0] is not variable:
            return None
        if variable.consumers() != [push] or self.cond.inputs[i].consumers():
            return None
        return push.inputs[1] if self._unchanging(push.inputs[1]) else None

    def moved(self, i: int) -> int | None:
        """How many elements each trip adds to the end of list i; None where it does more."""
        tensor, count = source(self.outputs[i]), 0
        while id(tensor) not in self._body_position:
            step = {"TensorListPushBack": 1, "TensorListPopBack": -1}.get(tensor.op.type)
            if step is None or tensor is not tensor.op.outputs[0]:
                return None
            tensor, count = source(tensor.op.inputs[0]), count + step
        return count if self._body_position[id(tensor)] == i else None

    def only_longer(self, i: int) -> bool:
        """Whether a trip does nothing with list i but push to it, if it does anything."""
        tensor = source(self.outputs[i])
        while tensor.op.type == "TensorListPushBack":
            tensor = source(tensor.op.inputs[0])
        return self._body_position.get(id(tensor)) == i

    def _unchanging(self, tensor: tf.Tensor) -> bool:
        """Whether a tensor of the body is the same in each trip."""
        position = self._body_position.get(id(tensor))
        if position is not None:
            return self.invariant(position) and isinstance(self.initial[position], Plain)
        op = tensor.op
        same_each_time = op.type == "ReadVariableOp" or not graphs.is_stateful(op)
        return same_each_time and not op.control_inputs and all(map(self._unchanging, op.inputs))

    def trips(self) -> int | None:
        """The largest number of trips; None where no static bound is known."""
        return self._bound(source(self.cond.outputs[0]))

    def final(self, i: int, trips: int | None) -> Range:
        """What is known of variable i after the loop."""
        start, step = self._initial(i), self.step(i)
        if start is None or step is None or trips is None:
            return ANY
        if step > 0:
            return Range(start.lower, None if start.upper is None else start.upper + step * trips)
        return Range(None if start.lower is None else start.lower + step * trips, start.upper)

    def _bound(self, tensor: tf.Tensor) -> int | None:
        op = tensor.op
        if op.type == "LogicalAnd":
            bounds = [self._bound(source(x)) for x in op.inputs]
            return min((b for b in bounds if b is not None), default=None)
        if op.type in ("If", "StatelessIf") and _is_false_unless(op):
            return self._bound(source(op.inputs[0]))
        if op.type not in _MIRRORED:
            return None
        left, right = (source(x) for x in op.inputs)
        found = self._counted(op.type, left, right)
        return found if found is not None else self._counted(_MIRRORED[op.type], right, left)

    def _counted(self, relation: str, counter: tf.Tensor, limit: tf.Tensor) -> int | None:
        """Trips while `counter relation limit` holds."""
        i = self._cond_position.get(id(counter))
        if i is None:
            return None
        start, step, end = self._initial(i), self.step(i), self._limit(limit)
        if start is None or step is None or end is None:
            return None
        if relation.startswith("Greater"):
            first, last, step = start.upper, end.lower, -step
            distance = None if first is None or last is None else first - last
        else:
            distance = None if start.lower is None or end.upper is None else end.upper - start.lower
        if distance is None or step <= 0:
            return None
        return max(0, math.ceil((distance + relation.endswith("Equal")) / step))

    def _initial(self, i: int) -> Range | None:
        value = self.initial[i]
        return value.range if isinstance(value, Plain) else None

    def step(self, i: int) -> int | None:
        """The number that the body always adds to variable i."""
        op = source(self.outputs[i]).op
        if op.type not in ("Add", "AddV2", "Sub"):
            return None
        left, right = (source(x) for x in op.inputs)
        if op.type != "Sub" and self._body_position.get(id(right)) == i:
            left, right = right, left
        step = self._constant(right)
        if self._body_position.get(id(left)) != i or step is None:
            return None
        return -step if op.type == "Sub" else step

    def _constant(self, tensor: tf.Tensor) -> int | None:
        """A tensor of the body that is one known integer."""
        i = self._body_position.get(id(tensor))
        if i is None:
            return _integer(tensor)
        limits = self._initial(i)
        fixed = limits is not None and self.invariant(i) and limits.lower == limits.upper
        return limits.lower if limits is not None and fixed else None

    def _limit(self, tensor: tf.Tensor) -> Range | None:
        i = self._cond_position.get(id(tensor))
        if i is not None:
            return self._initial(i) if self.invariant(i) else None
        number = _integer(tensor)
        return None if number is None else Range(number, number)


def _is_false_unless(op: tf.Operation) -> bool:
    """Whether a conditional is false where its predicate is, as in "predicate and ..."."""
    value = tf.get_static_value(source(graphs.called(op, "else_branch").outputs[0]))
    return value is not None and not value


def _integer(tensor: tf.Tensor) -> int | None:
    value = tf.get_static_value(tensor)
    if value is None or not tensor.dtype.is_integer or value.ndim:
        return None
    return int(value)


def source(tensor: tf.Tensor) -> tf.Tensor:
    """The tensor that some identities hand on."""
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor
