"""`tf.while_loop`.

A loop whose condition is the same for all members stays one loop around the batched body. One
whose condition depends on the member runs until no member is left. A member that is done is frozen:
what it carries no longer changes, and its condition is not asked again, so that junk cannot keep
the loop going. A variable that is the same for all members that still run (a counter) stays shared
inside the loop; its last value is kept for each member beside it. What moves by a constant in each
trip (counters, the lengths of the lists of a gradient) follows from how many trips a member made.

Which variables are shared and how long the lists are is found by building the body: where the body
gives a wider kind than it was given, it is built again with the wider one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import tensorflow as tf

from pcbatch.vectorizer.coercion import coerce
from pcbatch.vectorizer.control_flow import hoisted_sums
from pcbatch.vectorizer.control_flow.carry import Carry, Widen
from pcbatch.vectorizer.control_flow.loop_spec import LoopSpec, analyzed
from pcbatch.vectorizer.control_flow.trip_counts import moved
from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.kinds import Kind
from pcbatch.vectorizer.lists import rows
from pcbatch.vectorizer.values import ListOf, Plain, Value


@rule("While", "StatelessWhile", always=True)
def while_loop(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    spec = analyzed(interpreter, op, [rows.carried(x, interpreter.size) for x in inputs])
    kinds, masked = [spec.first_kind(i) for i in spec.carried], False
    while True:
        try:
            return _built(spec, kinds, masked)
        except Widen as wider:
            kinds, masked = wider.kinds, wider.masked
        finally:
            spec.session.mask = spec.mask


def _built(spec: LoopSpec, kinds: list[Kind], masked: bool) -> list[Value]:
    """One attempt.

    Raises:
      Widen: the kinds are too narrow.
    """
    carry = Carry(spec, kinds, masked)
    start = [coerce(spec.inputs[i], k, spec.size) for i, k in zip(spec.carried, kinds, strict=True)]
    first = spec.condition(spec.all_values(start))
    if first.stacked and not masked:
        raise Widen(kinds, True)
    progress = carry.first_progress(first, spec.mask) if masked else None
    any_member = None if spec.mask is None or masked else tf.reduce_any(spec.mask)

    def cond(*flat: tf.Tensor) -> tf.Tensor:
        progress, values, _ = carry.unpack(flat)
        if progress is not None:
            return tf.reduce_any(progress.active)
        spec.session.mask = spec.mask
        going = spec.condition(spec.all_values(values))
        if going.stacked:
            raise Widen(kinds, True)
        return going.tensor if any_member is None else going.tensor & any_member

    def body(*flat: tf.Tensor) -> tuple[tf.Tensor, ...]:
        return carry.step(flat)

    flat = carry.pack(progress, start, carry.first_kept(start), spec.fault)
    results = tf.while_loop(
        cond,
        body,
        flat,
        shape_invariants=[
            t.shape if s is None else s for t, s in zip(flat, carry.shapes(), strict=True)
        ],
        maximum_iterations=spec.trips,
    )
    return _results(spec, carry, results)


def _results(spec: LoopSpec, carry: Carry, flat: Sequence[tf.Tensor]) -> list[Value]:
    progress, values, kept = carry.unpack(flat)
    trips = None if progress is None else progress.trips
    spec.session.fault = flat[-1] if spec.fault is not None else None
    results = list(spec.inputs)
    for i, value, last in zip(spec.carried, values, kept, strict=True):
        before = spec.inputs[i]
        if isinstance(value, Plain):
            assert isinstance(before, Plain)
            if last is not None:
                value = Plain(last, True)
            elif trips is not None and not value.stacked and i in spec.moves:
                value = moved(before, spec.moves[i], Plain(trips, True))
            value = dataclasses.replace(value, range=spec.loop.final(i, spec.trips))
        elif isinstance(value, ListOf):
            value = _list_result(spec, carry, i, value, last, trips)
        results[i] = value
    count = len(spec.body.inputs)
    lists = [v for v in results[count:] if isinstance(v, ListOf)]
    for i, products in spec.sums.items():
        start = spec.inputs[i]
        assert isinstance(start, Plain)
        results[i] = hoisted_sums.total(
            start, products, [lists.pop(0) for _ in range(2 * len(products))]
        )
    return results[:count]


def _list_result(
    spec: LoopSpec,
    carry: Carry,
    i: int,
    value: ListOf,
    last: tf.Tensor | None,
    trips: tf.Tensor | None,
) -> ListOf:
    before = spec.inputs[i]
    assert isinstance(before, ListOf)
    more = carry.pushes.get(i, 0) * (spec.trips or 0)
    length = value.length if last is None else Plain(last, True)
    if trips is not None and i in spec.moves:
        length = moved(before.length, spec.moves[i], Plain(trips, True))
    elif not carry.changes_length.get(i, True) and last is None:
        length = before.length
    origin = before.origin if i in carry.same else object()
    return dataclasses.replace(
        value,
        sealed=before.sealed,
        length=length,
        origin=origin,
        pushes=before.pushes + more,
        popped=spec.pops(i),
    )
