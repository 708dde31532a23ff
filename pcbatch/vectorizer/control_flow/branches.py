"""Calls and conditionals.

A call is taken apart: its operations are replaced where it stands. A conditional on a shared
value stays one. On a value per member all branches run, one after the other, each for its own
members, and the results are selected; a branch sees nothing of the other members that could fail
or hang.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from pcbatch.backend import elementwise, op_traits
from pcbatch.backend.private import graphs
from pcbatch.vectorizer.coercion import coerce
from pcbatch.vectorizer.interpreter import Interpreter, contains, rule
from pcbatch.vectorizer.kinds import Kind, joined, specs
from pcbatch.vectorizer.lists.tensor_lists import dense
from pcbatch.vectorizer.merging import guard, merge, with_donor
from pcbatch.vectorizer.rules.ordinary import aligned
from pcbatch.vectorizer.values import (
    Plain,
    Value,
    flatten,
    shared,
    stack,
    stacked,
    unflatten_all,
)


@rule("PartitionedCall", "StatefulPartitionedCall", always=True)
def call(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    if (function := elementwise.called(op)) is not None:
        given = [interpreter.plain(op, x) for x in inputs]
        kind = stacked if any(x.stacked for x in given) else shared
        return [kind(tensor) for tensor in function(*aligned(given))]
    graph = graphs.called(op, "f")
    return Interpreter(interpreter.session).graph(graph, inputs, graphs.outputs_of_call(op, graph))


@rule("If", "StatelessIf", always=True)
def conditional(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    predicate = interpreter.plain(op, inputs[0])
    names = [op.get_attr(a).name for a in ("else_branch", "then_branch")]
    number = _truth(predicate)
    return _branches(interpreter, op, number, names, inputs[1:])


@rule("Case", "StatelessCase", always=True)
def case(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    number = interpreter.plain(op, inputs[0])
    names = [f.name for f in op.get_attr("branches")]
    return _branches(interpreter, op, number, names, inputs[1:])


def _truth(value: Plain) -> Plain:
    """The number of the branch: 1 where the predicate holds, 0 where not."""
    if value.static is not None:
        truth = np.asarray(bool(value.static), np.int32)
        return Plain(tf.constant(truth), False, static=truth)
    tensor = value.tensor
    truth_ = tensor if tensor.dtype == tf.bool else tf.not_equal(tensor, tf.zeros([], tensor.dtype))
    return Plain(tf.cast(truth_, tf.int32), value.stacked)


def _branches(
    interpreter: Interpreter, op: tf.Operation, number: Plain, names: list[str], inputs: list[Value]
) -> Sequence[Value]:
    branches = [graphs.function_graph(op, name) for name in names]

    def run(index: int, given: list[Value]) -> list[Value]:
        graph = branches[index]
        results = Interpreter(interpreter.session).graph(
            graph, given, graphs.outputs_of_call(op, graph)
        )
        return [dense(interpreter, r) for r in results]

    if number.static is not None:
        index = int(number.static)
        return run(index if 0 <= index < len(names) else len(names) - 1, inputs)
    if not number.stacked and _hides_a_loop_from_a_tape(interpreter, branches):
        number = stacked(stack(number, interpreter.size))
    if not number.stacked:
        return _one(interpreter, number.tensor, len(names), lambda index: run(index, inputs))
    return _all(interpreter, op, number.tensor, branches, run, inputs)


def _hides_a_loop_from_a_tape(interpreter: Interpreter, branches: list[graphs.FuncGraph]) -> bool:
    """Whether TensorFlow's gradient of the conditional would not compile.

    It keeps what a loop in a branch has computed as variants, for which XLA has no kernel.
    """
    watched = interpreter.session.xla and graphs.recording()
    return watched and any(contains(graph, ("While", "StatelessWhile")) for graph in branches)


def _one(
    interpreter: Interpreter, number: tf.Tensor, count: int, run: Callable[[int], list[Value]]
) -> list[Value]:
    """Keep the conditional: one branch runs, for all members."""
    session = interpreter.session
    kinds: list[Kind] | None = None
    fault = session.fault
    while True:
        seen: list[list[Kind]] = []

        def branch(
            index: int, kinds: list[Kind] | None = kinds, seen: list[list[Kind]] = seen
        ) -> list[tf.Tensor]:
            session.fault = fault
            values = run(index)
            if kinds is not None:
                wider = [joined(k, v.kind) for k, v in zip(kinds, values, strict=True)]
                seen.append(wider)
                if wider == kinds:
                    values = [
                        coerce(v, k, interpreter.size) for v, k in zip(values, kinds, strict=True)
                    ]
            else:
                seen.append([v.kind for v in values])
            extra = [] if session.fault is None else [session.fault]
            return [tf.identity(t) for v in values for t in flatten(v)] + extra

        flat = _try_branches(number, count, branch, seen)
        widest = seen[0]
        for others in seen[1:]:
            widest = [joined(a, b) for a, b in zip(widest, others, strict=True)]
        if flat is not None and all(s == widest for s in seen) and kinds in (None, widest):
            break
        kinds = widest
    session.fault = flat.pop() if fault is not None else None
    return unflatten_all(widest, flat)


def _try_branches(
    number: tf.Tensor,
    count: int,
    branch: Callable[[int], list[tf.Tensor]],
    seen: list[list[Kind]],
) -> list[tf.Tensor] | None:
    """Build the conditional; None where the branches turn out to give different kinds."""
    size = 0

    def checked(index: int) -> Callable[[], list[tf.Tensor]]:
        def build() -> list[tf.Tensor]:
            nonlocal size
            result = branch(index)
            if any(s != seen[0] for s in seen):
                raise _Different
            size = len(result)
            return result or [tf.constant(0)]

        return build

    try:
        if count == 2:
            flat = tf.cond(tf.equal(number, 1), checked(1), checked(0))
        else:
            flat = tf.switch_case(number, [checked(i) for i in range(count)])
    except _Different:
        return None
    flat = list(flat) if isinstance(flat, (list, tuple)) else [flat]
    return flat[:size]


class _Different(Exception):
    """Two branches give different kinds: build them again with the join."""


def _all(
    interpreter: Interpreter,
    op: tf.Operation,
    number: tf.Tensor,
    branches: list[graphs.FuncGraph],
    run: Callable[[int, list[Value]], list[Value]],
    inputs: list[Value],
) -> list[Value]:
    """Run every branch for its members and select."""
    session = interpreter.session
    outer, last = session.mask, len(branches) - 1
    outside = tf.logical_or(number < 0, number > last)
    number = tf.where(outside, last, number)
    results: list[Value] | None = None
    for index in range(len(branches)):
        here = tf.equal(number, index)
        session.mask = here if outer is None else here & outer
        try:
            hazardous = not session.xla and contains(branches[index], op_traits.HAZARDS)
            if hazardous:
                given = [with_donor(x, session.mask) for x in inputs]
            else:
                given = [guard(x, session.mask) for x in inputs]
            values = _unless_none(interpreter, session.mask, hazardous, lambda: run(index, given))  # noqa: B023
        finally:
            session.mask = outer
        if results is None:
            results = values
        else:
            results = [
                merge(interpreter, here, new, old) for new, old in zip(values, results, strict=True)
            ]
    assert results is not None
    return results


def _unless_none(
    interpreter: Interpreter, mask: tf.Tensor, needed: bool, run: Callable[[], list[Value]]
) -> list[Value]:
    """Leave a branch out that could fail when no member takes it; zeros then."""
    if not needed:
        return run()
    kinds: list[Kind] = []
    fault = interpreter.session.fault

    def taken() -> list[tf.Tensor]:
        kinds[:] = []
        flat = []
        for value in run():
            kinds.append(value.kind)
            flat += flatten(value)
        extra = [] if interpreter.session.fault is None else [interpreter.session.fault]
        return [*map(tf.identity, flat), *extra, tf.constant(True)]

    def left_out() -> list[tf.Tensor]:
        flat = [
            tf.zeros([0 if d is None else d for d in spec.shape], spec.dtype)
            for kind in kinds
            for spec in specs(kind, interpreter.size)
        ]
        return [*flat, *([] if fault is None else [fault]), tf.constant(False)]

    flat = list(tf.cond(tf.reduce_any(mask), taken, left_out))[:-1]
    interpreter.session.fault = flat.pop() if fault is not None else None
    return unflatten_all(kinds, flat)
