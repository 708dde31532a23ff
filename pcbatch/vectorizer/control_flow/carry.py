"""What goes round a loop, as tensors, and one trip of the batched loop."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import tensorflow as tf

from pcbatch.backend.op_traits import HAZARDS
from pcbatch.vectorizer.coercion import coerce
from pcbatch.vectorizer.control_flow.loop_spec import LoopSpec
from pcbatch.vectorizer.control_flow.trip_counts import Progress, moved
from pcbatch.vectorizer.interpreter import Interpreter, contains
from pcbatch.vectorizer.kinds import (
    ANY,
    Kind,
    ListKind,
    PlainKind,
    join,
    specs,
    stacked_elements,
    without_range,
)
from pcbatch.vectorizer.lists import rows
from pcbatch.vectorizer.lists.tensor_lists import plus, push_item
from pcbatch.vectorizer.merging import guard, merge, merge_lists, with_donor
from pcbatch.vectorizer.values import (
    ListOf,
    Options,
    Plain,
    Value,
    flatten,
    select,
    stack,
    unflatten,
)


class Widen(Exception):
    """The body gives wider kinds than assumed, or a condition per member."""

    def __init__(self, kinds: list[Kind], masked: bool):
        super().__init__()
        self.kinds, self.masked = kinds, masked


class Carry:
    """What goes round the loop, as tensors.

    In order: the `Progress` (where the condition depends on the member); the values; for each
    shared value and shared length its last one per member (`kept`), unless it follows from the
    number of trips; the fault. Of a list whose length moves by a constant the first length goes
    round, which never changes.
    """

    def __init__(self, spec: LoopSpec, kinds: list[Kind], masked: bool):
        self.spec, self.kinds, self.masked = spec, kinds, masked
        self.pushes: dict[int, int] = {}
        self.changes_length: dict[int, bool] = {}
        self.same: set[int] = set()

    def keeps(self, i: int, kind: Kind) -> bool:
        """Whether the last shared value of variable i is kept per member."""
        if not self.masked or i not in self.spec.wanted or i in self.spec.moves:
            return False
        match kind:
            case PlainKind(stacked=False):
                return True
            case ListKind(length=PlainKind(stacked=False, range=limits)):
                return limits.lower is None or limits.lower != limits.upper
        return False

    def pack(
        self,
        progress: Progress | None,
        values: list[Value],
        kept: list[tf.Tensor | None],
        fault: tf.Tensor | None,
    ) -> list[tf.Tensor]:
        flat = [] if progress is None else [*progress]
        for value in values:
            flat += flatten(value)
        flat += [k for k in kept if k is not None]
        return flat if fault is None else [*flat, fault]

    def unpack(
        self, flat: Sequence[tf.Tensor]
    ) -> tuple[Progress | None, list[Value], list[tf.Tensor | None]]:
        rest = list(flat)
        progress = Progress(*(rest.pop(0) for _ in Progress._fields)) if self.masked else None
        values: list[Value] = []
        for kind in self.kinds:
            width = len(list(specs(kind, self.spec.size)))
            values.append(unflatten(kind, rest[:width]))
            del rest[:width]
        kept = [
            rest.pop(0) if self.keeps(i, kind) else None
            for i, kind in zip(self.spec.carried, self.kinds, strict=True)
        ]
        return progress, values, kept

    def shapes(self) -> list[tf.TensorShape | None]:
        """Shape invariants: None where the shape of the initial value is one."""
        found: list[tf.TensorShape | None] = [None] * (self.masked * len(Progress._fields))
        for kind in self.kinds:
            for part in specs(kind, self.spec.size):
                found.append(None if part.shape.is_fully_defined() else part.shape)
        count = sum(self.keeps(i, k) for i, k in zip(self.spec.carried, self.kinds, strict=True))
        return found + [None] * (count + (self.spec.fault is not None))

    def first_kept(self, values: list[Value]) -> list[tf.Tensor | None]:
        return [
            stack(shared_part(value), self.spec.size) if self.keeps(i, kind) else None
            for i, kind, value in zip(self.spec.carried, self.kinds, values, strict=True)
        ]

    def first_progress(self, going: Plain, mask: tf.Tensor | None) -> Progress:
        """Before the first trip."""
        active = stack(going, self.spec.size)
        active = active if mask is None else active & mask
        return Progress(active, tf.constant(0), tf.zeros([self.spec.size], tf.int32))

    def step(self, flat: Sequence[tf.Tensor]) -> tuple[tf.Tensor, ...]:
        """The body."""
        spec, session = self.spec, self.spec.session
        progress, old, kept = self.unpack(flat)
        old = [self._marked(i, v) for i, v in zip(spec.carried, old, strict=True)]
        session.fault = flat[-1] if spec.fault is not None else None
        active = None if progress is None else progress.active
        session.mask = spec.mask if active is None else active
        given = spec.all_values(self._placed(old, progress))
        if active is not None:
            hazardous = not session.xla and contains(spec.body, HAZARDS)
            given = [with_donor(v, active) if hazardous else guard(v, active) for v in given]
        results = self._body(given)
        new = [rows.carried(results[i], spec.size) for i in spec.carried]
        if progress is not None:
            new = self._with_first_lengths(new, old)
        self._check(old, new)
        new = [coerce(v, k, spec.size) for v, k in zip(new, self.kinds, strict=True)]
        if progress is not None:
            active = progress.active
            kept = [
                None if k is None else select(active, stack(shared_part(v), spec.size), k)
                for k, v in zip(kept, new, strict=True)
            ]
            new = [self._freeze(active, n, o) for n, o in zip(new, old, strict=True)]
            number = progress.number + 1
            trips = tf.where(active, number, progress.trips)
            progress = Progress(active, number, trips)
            going = spec.condition(spec.all_values(self._placed(new, progress)))
            progress = progress._replace(active=active & stack(going, spec.size))
        return tuple(self.pack(progress, new, kept, session.fault))

    def _marked(self, i: int, value: Value) -> Value:
        """A list at the beginning of a trip: nothing has been pushed yet."""
        if not isinstance(value, ListOf):
            return value
        return dataclasses.replace(value, pushes=0, popped=self.spec.pops(i))

    def _placed(self, values: list[Value], progress: Progress | None) -> list[Value]:
        """Lists with the lengths that they have by now."""
        if progress is None:
            return values
        trips, moves = Plain(progress.number, False), self.spec.moves
        return [
            dataclasses.replace(v, length=moved(v.length, moves[i], trips))
            if isinstance(v, ListOf) and i in moves
            else v
            for i, v in zip(self.spec.carried, values, strict=True)
        ]

    def _with_first_lengths(self, new: list[Value], old: list[Value]) -> list[Value]:
        return [
            dataclasses.replace(n, length=o.length)
            if isinstance(n, ListOf) and isinstance(o, ListOf) and i in self.spec.moves
            else n
            for i, n, o in zip(self.spec.carried, new, old, strict=True)
        ]

    def _body(self, given: list[Value]) -> list[Value]:
        spec, count = self.spec, len(self.spec.body.inputs)
        interpreter = Interpreter(spec.session)
        results = interpreter.graph(spec.body, given[:count], spec.body_outputs)
        for i in spec.repeated:
            value = given[i]
            assert isinstance(value, ListOf)
            results[i] = dataclasses.replace(value, length=plus(value.length, 1))
        lists = [v for v in given[count:] if isinstance(v, ListOf)]
        factors = zip(lists, results[count:], strict=True)
        return [
            *results[:count],
            *(push_item(interpreter, lst, self._masked(factor)) for lst, factor in factors),
        ]

    def _masked(self, factor: Value) -> Value:
        """The factor of a sum of all rows of the list, zero for a member that is done."""
        mask = self.spec.session.mask
        if mask is None:
            return factor
        assert isinstance(factor, Plain)
        tensor = stack(factor, self.spec.size)
        return Plain(select(mask, tensor, tf.zeros_like(tensor)), True)

    def _freeze(self, active: tf.Tensor, new: Value, old: Value) -> Value:
        if isinstance(new, Plain) and isinstance(old, Plain):
            if not new.stacked or new.tensor is old.tensor:
                return new
            return Plain(select(active, new.tensor, old.tensor), True)
        if isinstance(new, ListOf) and isinstance(old, ListOf):
            if new.origin is not old.origin:
                return merge_lists(active, new, old)
            if new.length.stacked and new.length.tensor is not old.length.tensor:
                length = select(active, new.length.tensor, old.length.tensor)
                return dataclasses.replace(new, length=Plain(length, True))
        if isinstance(new, Options):
            return merge(Interpreter(self.spec.session), active, new, old)
        return new

    def _check(self, old: list[Value], new: list[Value]) -> None:
        """Raise `Widen` where the assumed kinds are too narrow."""
        wider: list[Kind] = []
        for i, kind, before, after in zip(self.spec.carried, self.kinds, old, new, strict=True):
            joined = join(kind, _changing(after.kind))
            assert joined is not None
            if isinstance(joined, ListKind) and isinstance(kind, ListKind):
                joined = _one_length(kind, joined)
            if isinstance(joined, ListKind) and isinstance(after, ListOf):
                joined = self._list_kind(i, kind, joined, before, after)
            wider.append(joined)
        if wider != self.kinds:
            raise Widen(wider, self.masked)

    def _list_kind(
        self, i: int, kind: Kind, joined: ListKind, before: Value, after: ListOf
    ) -> ListKind:
        spec = self.spec
        same = isinstance(before, ListOf) and after.origin is before.origin
        if same:
            self.same.add(i)
        self.pushes[i] = after.pushes
        self.changes_length[i] = not (
            isinstance(before, ListOf) and after.length.tensor is before.length.tensor
        )
        if self.masked and not same:
            whole = stacked_elements(joined)
            assert isinstance(whole, ListKind)
            joined = whole
        start = spec.inputs[i]
        capacity = start.capacity if isinstance(start, ListOf) else 0
        if not after.pushes or (isinstance(start, ListOf) and start.sealed):
            return joined
        if spec.trips is None or capacity is None:
            if spec.session.xla:
                raise spec.session.error(
                    spec.op,
                    "keeps one value per trip (for a gradient through the loop, or in a "
                    "tf.TensorArray of dynamic size), but how often it runs at most is not known "
                    "when it is traced",
                    "give it a static bound: tf.while_loop(..., maximum_iterations=n).",
                )
            if self.masked and joined.length.stacked:
                raise spec.session.error(
                    spec.op,
                    "makes lists longer whose lengths differ between members, without a bound",
                    "give it a static bound: tf.while_loop(..., maximum_iterations=n).",
                )
            return dataclasses.replace(joined, capacity=None, sealed=False)
        room = max(capacity + after.pushes * spec.trips, joined.capacity or 0)
        return dataclasses.replace(joined, capacity=room, sealed=True)


def _changing(kind: Kind) -> Kind:
    return without_range(kind) if isinstance(kind, PlainKind) else kind


def _one_length(before: ListKind, joined: ListKind) -> ListKind:
    """A length that changes has no bounds: they would widen trip by trip."""
    if joined.length.range == before.length.range:
        return joined
    return dataclasses.replace(joined, length=dataclasses.replace(joined.length, range=ANY))


def shared_part(value: Value) -> Plain:
    if isinstance(value, ListOf):
        return value.length
    assert isinstance(value, Plain)
    return value
