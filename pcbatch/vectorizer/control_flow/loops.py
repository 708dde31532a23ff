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

from pcbatch.backend import graphs
from pcbatch.vectorizer.coercion import coerce
from pcbatch.vectorizer.control_flow import hoisted_sums
from pcbatch.vectorizer.control_flow.bounds import Loop
from pcbatch.vectorizer.control_flow.carry import Carry, Widen
from pcbatch.vectorizer.control_flow.trip_counts import moved
from pcbatch.vectorizer.interpreter import Walk, rule
from pcbatch.vectorizer.kinds import ANY, Kind, ListKind, PlainKind
from pcbatch.vectorizer.lists import rows
from pcbatch.vectorizer.values import ListOf, Plain, Value


@rule("While", "StatelessWhile", always=True)
def while_loop(walk: Walk, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    return While(walk, op, [rows.carried(x, walk.size) for x in inputs]).build()


class While:
    """One loop, being built."""

    def __init__(self, walk: Walk, op: tf.Operation, inputs: list[Value]):
        self.session, self.op, self.inputs = walk.session, op, inputs
        self.cond, self.body = graphs.called(op, "cond"), graphs.called(op, "body")
        self.body_outputs = graphs.outputs_of_call(op, self.body)
        self.loop = Loop(self.cond, self.body, self.body_outputs, inputs)
        self.trips = self.loop.trips()
        self.sums = self._sums()
        for i, products in self.sums.items():
            self.body_outputs[i] = self.body.inputs[i]
            self.body_outputs += [factor for p in products for factor in p.factors]
        self.repeated = self._repeated()
        for i in self.repeated:
            self.body_outputs[i] = self.body.inputs[i]
        factors = range(len(inputs), len(self.body_outputs))
        self.inputs = [*inputs, *(hoisted_sums.no_factors(self.trips or 0) for _ in factors)]
        self.carried = [i for i in range(len(inputs)) if i not in self.sums]
        changing = (i for i in self.carried if i in self.repeated or not self.loop.invariant(i))
        self.carried = [*changing, *factors]
        self.wanted = {i for i in self.carried if i < len(inputs) and walk.reads(op.outputs[i])}
        self.moves = self._moves()
        self.mask = self.session.mask
        self.fault = self.session.fault

    @property
    def size(self) -> int:
        return self.session.size

    def _sums(self) -> dict[int, list[hoisted_sums.Product]]:
        """The variables that are sums of matrix products, and the products of a trip."""
        if not self.session.xla or self.trips is None:
            return {}
        found = {
            i: hoisted_sums.terms(self.cond, self.body, self.body_outputs, i, self.trips)
            for i, value in enumerate(self.inputs)
            if isinstance(value, Plain)
        }
        return {i: products for i, products in found.items() if products is not None}

    def _repeated(self) -> dict[int, Plain]:
        """The lists to which each trip pushes one value that the loop does not change."""
        found: dict[int, Plain] = {}
        for i, value in enumerate(self.inputs):
            if not isinstance(value, ListOf) or not rows.is_empty(value.element):
                continue
            item = self.loop.pushed(i)
            if item is None or value.repeated is not None:
                continue
            (outside,) = Walk(self.session).graph(self.body, self.inputs, [item], effects=False)
            if isinstance(outside, Plain):
                found[i] = outside
        return found

    def _moves(self) -> dict[int, int]:
        """By how much each trip moves the length of a list or a shared counter."""
        found: dict[int, int] = {}
        for i in self.carried:
            value = self.inputs[i]
            step = None
            if isinstance(value, ListOf) and i < len(self.body.inputs):
                step = self.loop.moved(i)
            elif isinstance(value, Plain) and not value.stacked and not value.kind.shape:
                step = self.loop.step(i)
            if step is not None:
                found[i] = step
        return found

    def pops(self, i: int) -> bool:
        """Whether list i may lose elements."""
        value = self.inputs[i]
        assert isinstance(value, ListOf)
        is_factor = i >= len(self.body.inputs)
        return value.popped or not (is_factor or self.loop.only_longer(i))

    def build(self) -> list[Value]:
        kinds, masked = [self._first_kind(i, self.inputs[i]) for i in self.carried], False
        while True:
            try:
                return self._build(kinds, masked)
            except Widen as wider:
                kinds, masked = wider.kinds, wider.masked
            finally:
                self.session.mask = self.mask

    def _first_kind(self, i: int, value: Value) -> Kind:
        """A guess, to be widened."""
        kind = value.kind
        if isinstance(kind, ListKind) and i in self.repeated:
            return dataclasses.replace(kind, capacity=self.trips, repeated=self.repeated[i])
        if isinstance(kind, PlainKind):
            return dataclasses.replace(kind, range=ANY)
        if isinstance(kind, ListKind) and i < len(self.body.inputs):
            pushes = _pushes(self.body.inputs[i])
            if kind.capacity is None or (pushes and self.trips is None and not kind.sealed):
                return dataclasses.replace(kind, capacity=None)
            room = 0 if kind.sealed else pushes * (self.trips or 0)
            return dataclasses.replace(kind, capacity=kind.capacity + room, sealed=True)
        return kind

    # --- One attempt -----------------------------------------------------------------------

    def _build(self, kinds: list[Kind], masked: bool) -> list[Value]:
        carry = Carry(self, kinds, masked)
        start = [
            coerce(self.inputs[i], k, self.size) for i, k in zip(self.carried, kinds, strict=True)
        ]
        first = self.condition(self.all_values(start))
        if first.stacked and not masked:
            raise Widen(kinds, True)
        progress = carry.first_progress(first, self.mask) if masked else None
        anybody = None if self.mask is None or masked else tf.reduce_any(self.mask)

        def cond(*flat: tf.Tensor) -> tf.Tensor:
            progress, values, _ = carry.unpack(flat)
            if progress is not None:
                return tf.reduce_any(progress.active)
            self.session.mask = self.mask
            going = self.condition(self.all_values(values))
            if going.stacked:
                raise Widen(kinds, True)
            return going.tensor if anybody is None else going.tensor & anybody

        def body(*flat: tf.Tensor) -> tuple[tf.Tensor, ...]:
            return carry.step(flat)

        flat = carry.pack(progress, start, carry.first_kept(start), self.fault)
        results = tf.while_loop(
            cond,
            body,
            flat,
            shape_invariants=[
                t.shape if s is None else s for t, s in zip(flat, carry.shapes(), strict=True)
            ],
            maximum_iterations=self.trips,
        )
        return self._results(carry, results)

    def all_values(self, values: list[Value]) -> list[Value]:
        every = list(self.inputs)
        for i, value in zip(self.carried, values, strict=True):
            every[i] = value
        return every

    def condition(self, values: list[Value]) -> Plain:
        walk = Walk(self.session)
        values = values[: len(self.cond.inputs)]
        (result,) = walk.graph(self.cond, values, self.cond.outputs[:1])
        return walk.plain(self.op, result)

    def _results(self, carry: Carry, flat: Sequence[tf.Tensor]) -> list[Value]:
        progress, values, kept = carry.unpack(flat)
        trips = None if progress is None else progress.trips
        self.session.fault = flat[-1] if self.fault is not None else None
        results = list(self.inputs)
        for i, value, last in zip(self.carried, values, kept, strict=True):
            before = self.inputs[i]
            if isinstance(value, Plain):
                assert isinstance(before, Plain)
                if last is not None:
                    value = Plain(last, True)
                elif trips is not None and not value.stacked and i in self.moves:
                    value = moved(before, self.moves[i], Plain(trips, True))
                value = dataclasses.replace(value, range=self.loop.final(i, self.trips))
            elif isinstance(value, ListOf):
                value = self._list_result(carry, i, value, last, trips)
            results[i] = value
        lists = [v for v in results[len(self.body.inputs) :] if isinstance(v, ListOf)]
        for i, products in self.sums.items():
            start = self.inputs[i]
            assert isinstance(start, Plain)
            results[i] = hoisted_sums.total(
                start, products, [lists.pop(0) for _ in range(2 * len(products))]
            )
        return results[: len(self.body.inputs)]

    def _list_result(
        self,
        carry: Carry,
        i: int,
        value: ListOf,
        last: tf.Tensor | None,
        trips: tf.Tensor | None,
    ) -> ListOf:
        before = self.inputs[i]
        assert isinstance(before, ListOf)
        more = carry.pushes.get(i, 0) * (self.trips or 0)
        length = value.length if last is None else Plain(last, True)
        if trips is not None and i in self.moves:
            length = moved(before.length, self.moves[i], Plain(trips, True))
        elif not carry.changes_length.get(i, True) and last is None:
            length = before.length
        origin = before.origin if i in carry.same else object()
        return dataclasses.replace(
            value,
            sealed=before.sealed,
            length=length,
            origin=origin,
            pushes=before.pushes + more,
            popped=self.pops(i),
        )


def _pushes(tensor: tf.Tensor) -> int:
    """How often the body pushes to a list, one push after the other."""
    count = 0
    while True:
        following = [op for op in tensor.consumers() if op.type == "TensorListPushBack"]
        if not following or following[0].inputs[0] is not tensor:
            return count
        tensor, count = following[0].outputs[0], count + 1
