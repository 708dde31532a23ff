"""`tf.while_loop`.

A loop whose condition is the same for all members stays one loop around the batched body. One
whose condition depends on the member runs until no member is left. A member that is done is frozen:
what it carries no longer changes, and its condition is not asked again, so that junk cannot keep
the loop going. A variable that is the same for all members that still run (a counter) stays shared
inside the loop; its last value is kept for each member beside it.

Which variables are shared and how long the lists are is found by building the body: where the body
gives a wider kind than it was given, it is built again with the wider one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import tensorflow as tf

from pcbatch.vectorizer import internals
from pcbatch.vectorizer.bounds import Loop
from pcbatch.vectorizer.branches import HAZARDS, guard, merge, merge_lists, with_donor
from pcbatch.vectorizer.lists import dense
from pcbatch.vectorizer.values import (
    ANY,
    Kind,
    ListKind,
    ListOf,
    Options,
    Plain,
    PlainKind,
    Value,
    coerce,
    flatten,
    join,
    select,
    specs,
    stack,
    stacked_kind,
    unflatten,
    without_range,
)
from pcbatch.vectorizer.walk import Walk, contains, rule


class _Widen(Exception):
    """The body gives wider kinds than assumed, or a condition per member."""

    def __init__(self, kinds: list[Kind], masked: bool):
        super().__init__()
        self.kinds, self.masked = kinds, masked


@rule("While", "StatelessWhile", always=True)
def while_loop(walk: Walk, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    return _While(walk, op, [dense(walk, x) for x in inputs]).build()


class _While:
    """One loop, being built."""

    def __init__(self, walk: Walk, op: tf.Operation, inputs: list[Value]):
        self.session, self.op, self.inputs = walk.session, op, inputs
        self.cond, self.body = internals.called(op, "cond"), internals.called(op, "body")
        self.body_outputs = internals.outputs_of_call(op, self.body)
        self.loop = Loop(self.cond, self.body, self.body_outputs, inputs)
        self.trips = self.loop.trips()
        self.carried = [i for i in range(len(inputs)) if not self.loop.invariant(i)]
        self.wanted = {i for i in self.carried if walk.reads(op.outputs[i])}
        self.mask = self.session.mask
        self.fault = self.session.fault

    @property
    def size(self) -> int:
        return self.session.size

    def build(self) -> list[Value]:
        kinds, masked = [self._first_kind(i, self.inputs[i]) for i in self.carried], False
        while True:
            try:
                return self._build(kinds, masked)
            except _Widen as wider:
                kinds, masked = wider.kinds, wider.masked
            finally:
                self.session.mask = self.mask

    def _first_kind(self, i: int, value: Value) -> Kind:
        """A guess, to be widened."""
        kind = value.kind
        if isinstance(kind, PlainKind):
            return dataclasses.replace(kind, range=ANY)
        if isinstance(kind, ListKind):
            pushes = _pushes(self.body.inputs[i])
            if kind.capacity is None or (pushes and self.trips is None and not kind.sealed):
                return dataclasses.replace(kind, capacity=None)
            room = 0 if kind.sealed else pushes * (self.trips or 0)
            return dataclasses.replace(kind, capacity=kind.capacity + room, sealed=True)
        return kind

    # --- One attempt -----------------------------------------------------------------------

    def _build(self, kinds: list[Kind], masked: bool) -> list[Value]:
        carry = _Carry(self, kinds, masked)
        start = [
            coerce(self.inputs[i], k, self.size) for i, k in zip(self.carried, kinds, strict=True)
        ]
        if not masked:
            first = self._condition(self._all_values(start))
            if first.stacked:
                raise _Widen(kinds, True)
            active = None
        else:
            active = stack(self._condition(self._all_values(start)), self.size)
            if self.mask is not None:
                active = active & self.mask
        anybody = None if self.mask is None or masked else tf.reduce_any(self.mask)

        def cond(*flat: tf.Tensor) -> tf.Tensor:
            active, values, _ = carry.unpack(flat)
            if active is not None:
                return tf.reduce_any(active)
            self.session.mask = self.mask
            going = self._condition(self._all_values(values))
            if going.stacked:
                raise _Widen(kinds, True)
            return going.tensor if anybody is None else going.tensor & anybody

        def body(*flat: tf.Tensor) -> tuple[tf.Tensor, ...]:
            return carry.step(flat)

        flat = carry.pack(active, start, carry.first_kept(start), self.fault)
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

    def _all_values(self, values: list[Value]) -> list[Value]:
        every = list(self.inputs)
        for i, value in zip(self.carried, values, strict=True):
            every[i] = value
        return every

    def _condition(self, values: list[Value]) -> Plain:
        walk = Walk(self.session)
        (result,) = walk.graph(self.cond, values, self.cond.outputs[:1])
        return walk.plain(self.op, result)

    def _results(self, carry: _Carry, flat: Sequence[tf.Tensor]) -> list[Value]:
        _, values, kept = carry.unpack(flat)
        self.session.fault = flat[-1] if self.fault is not None else None
        results = list(self.inputs)
        for i, value, last in zip(self.carried, values, kept, strict=True):
            if isinstance(value, Plain):
                if last is not None:
                    value = Plain(last, True)
                value = dataclasses.replace(value, range=self.loop.final(i, self.trips))
            elif isinstance(value, ListOf):
                value = self._list_result(carry, i, value, last)
            results[i] = value
        return results

    def _list_result(self, carry: _Carry, i: int, value: ListOf, last: tf.Tensor | None) -> ListOf:
        before = self.inputs[i]
        assert isinstance(before, ListOf)
        more = carry.pushes.get(i, 0) * (self.trips or 0)
        length = value.length if last is None else Plain(last, True)
        if not carry.changes_length.get(i, True) and last is None:
            length = before.length
        origin = before.origin if i in carry.same else object()
        return dataclasses.replace(
            value,
            sealed=before.sealed,
            length=length,
            origin=origin,
            pushes=before.pushes + more,
        )


class _Carry:
    """What goes round the loop, as tensors.

    In order: bool[B] who still runs (where the condition depends on the member); the values; for
    each shared value and shared length its last one per member (`kept`); the fault.
    """

    def __init__(self, owner: _While, kinds: list[Kind], masked: bool):
        self.owner, self.kinds, self.masked = owner, kinds, masked
        self.pushes: dict[int, int] = {}
        self.changes_length: dict[int, bool] = {}
        self.same: set[int] = set()

    def keeps(self, i: int, kind: Kind) -> bool:
        """Whether the last shared value of variable i is kept per member."""
        if not self.masked or i not in self.owner.wanted:
            return False
        match kind:
            case PlainKind(stacked=False):
                return True
            case ListKind(length=PlainKind(stacked=False, range=limits)):
                return limits.lower is None or limits.lower != limits.upper
        return False

    def pack(
        self,
        active: tf.Tensor | None,
        values: list[Value],
        kept: list[tf.Tensor | None],
        fault: tf.Tensor | None,
    ) -> list[tf.Tensor]:
        flat = [] if active is None else [active]
        for value in values:
            flat += flatten(value)
        flat += [k for k in kept if k is not None]
        return flat if fault is None else [*flat, fault]

    def unpack(
        self, flat: Sequence[tf.Tensor]
    ) -> tuple[tf.Tensor | None, list[Value], list[tf.Tensor | None]]:
        rest = list(flat)
        active = rest.pop(0) if self.masked else None
        values: list[Value] = []
        for kind in self.kinds:
            width = len(list(specs(kind, self.owner.size)))
            values.append(unflatten(kind, rest[:width]))
            del rest[:width]
        kept = [
            rest.pop(0) if self.keeps(i, kind) else None
            for i, kind in zip(self.owner.carried, self.kinds, strict=True)
        ]
        return active, values, kept

    def shapes(self) -> list[tf.TensorShape | None]:
        """Shape invariants: None where the shape of the initial value is one."""
        found: list[tf.TensorShape | None] = [None] * self.masked
        for kind in self.kinds:
            for spec in specs(kind, self.owner.size):
                found.append(None if spec.shape.is_fully_defined() else spec.shape)
        count = sum(self.keeps(i, k) for i, k in zip(self.owner.carried, self.kinds, strict=True))
        return found + [None] * (count + (self.owner.fault is not None))

    def first_kept(self, values: list[Value]) -> list[tf.Tensor | None]:
        return [
            stack(_shared_part(value), self.owner.size) if self.keeps(i, kind) else None
            for i, kind, value in zip(self.owner.carried, self.kinds, values, strict=True)
        ]

    def step(self, flat: Sequence[tf.Tensor]) -> tuple[tf.Tensor, ...]:
        """The body."""
        owner, session = self.owner, self.owner.session
        active, old, kept = self.unpack(flat)
        old = [_marked(v) for v in old]
        session.fault = flat[-1] if owner.fault is not None else None
        session.mask = owner.mask if active is None else active
        given = owner._all_values(old)
        if active is not None:
            hazardous = not session.xla and contains(owner.body, HAZARDS)
            given = [with_donor(v, active) if hazardous else guard(v, active) for v in given]
        results = Walk(session).graph(owner.body, given, owner.body_outputs)
        new = [dense_value(results[i], owner.size) for i in owner.carried]
        self._check(old, new)
        new = [coerce(v, k, owner.size) for v, k in zip(new, self.kinds, strict=True)]
        if active is not None:
            kept = [
                None if k is None else select(active, stack(_shared_part(v), owner.size), k)
                for k, v in zip(kept, new, strict=True)
            ]
            new = [self._freeze(active, n, o) for n, o in zip(new, old, strict=True)]
            going = owner._condition(owner._all_values(new))
            active = active & stack(going, owner.size)
        return tuple(self.pack(active, new, kept, session.fault))

    def _freeze(self, active: tf.Tensor, new: Value, old: Value) -> Value:
        if isinstance(new, Plain) and isinstance(old, Plain):
            if not new.stacked or new.tensor is old.tensor:
                return new
            return Plain(select(active, new.tensor, old.tensor), True)
        if isinstance(new, ListOf) and isinstance(old, ListOf):
            if new.origin is not old.origin:
                return merge_lists(active, new, old)
            if new.length.stacked:
                length = select(active, new.length.tensor, old.length.tensor)
                return dataclasses.replace(new, length=Plain(length, True))
        if isinstance(new, Options):
            return merge(Walk(self.owner.session), active, new, old)
        return new

    def _check(self, old: list[Value], new: list[Value]) -> None:
        """Raise `_Widen` where the assumed kinds are too narrow."""
        wider: list[Kind] = []
        for i, kind, before, after in zip(self.owner.carried, self.kinds, old, new, strict=True):
            joined = join(kind, _changing(after.kind))
            assert joined is not None
            if isinstance(joined, ListKind) and isinstance(kind, ListKind):
                joined = _one_length(kind, joined)
            if isinstance(joined, ListKind) and isinstance(after, ListOf):
                joined = self._list_kind(i, kind, joined, before, after)
            wider.append(joined)
        if wider != self.kinds:
            raise _Widen(wider, self.masked)

    def _list_kind(
        self, i: int, kind: Kind, joined: ListKind, before: Value, after: ListOf
    ) -> ListKind:
        owner = self.owner
        same = isinstance(before, ListOf) and after.origin is before.origin
        if same:
            self.same.add(i)
        self.pushes[i] = after.pushes
        self.changes_length[i] = not (
            isinstance(before, ListOf) and after.length.tensor is before.length.tensor
        )
        if self.masked and not same:
            whole = stacked_kind(joined)
            assert isinstance(whole, ListKind)
            joined = whole
        start = owner.inputs[i]
        capacity = start.capacity if isinstance(start, ListOf) else 0
        if not after.pushes or (isinstance(start, ListOf) and start.sealed):
            return joined
        if owner.trips is None or capacity is None:
            if owner.session.xla:
                raise owner.session.error(
                    owner.op,
                    "keeps one value per trip (a gradient through the loop needs them), but how "
                    "often it runs at most is not known when it is traced",
                    "give it a static bound: tf.while_loop(..., maximum_iterations=n).",
                )
            if self.masked and joined.length.stacked:
                raise owner.session.error(
                    owner.op,
                    "makes lists longer whose lengths differ between members, without a bound",
                    "give it a static bound: tf.while_loop(..., maximum_iterations=n).",
                )
            return dataclasses.replace(joined, capacity=None, sealed=False)
        room = max(capacity + after.pushes * owner.trips, joined.capacity or 0)
        return dataclasses.replace(joined, capacity=room, sealed=True)


def _pushes(tensor: tf.Tensor) -> int:
    """How often the body pushes to a list, one push after the other."""
    count = 0
    while True:
        following = [op for op in tensor.consumers() if op.type == "TensorListPushBack"]
        if not following or following[0].inputs[0] is not tensor:
            return count
        tensor, count = following[0].outputs[0], count + 1


def _changing(kind: Kind) -> Kind:
    return without_range(kind) if isinstance(kind, PlainKind) else kind


def _one_length(before: ListKind, joined: ListKind) -> ListKind:
    """A length that changes has no bounds: they would widen trip by trip."""
    if joined.length.range == before.length.range:
        return joined
    return dataclasses.replace(joined, length=dataclasses.replace(joined.length, range=ANY))


def dense_value(value: Value, size: int) -> Value:
    from pcbatch.vectorizer import rows

    return rows.dense(value, size)


def _marked(value: Value) -> Value:
    """A list at the beginning of a trip: nothing has been pushed yet."""
    if isinstance(value, ListOf):
        return dataclasses.replace(value, pushes=0)
    return value


def _shared_part(value: Value) -> Plain:
    if isinstance(value, ListOf):
        return value.length
    assert isinstance(value, Plain)
    return value
