"""Which buffers are still in use behind an operation, and what follows for it.

Objects are referred to by variables alone: what no variable of an activation, or of one that waits
for it to return, refers to can be forgotten.
"""

from __future__ import annotations

from pcbatch import ir
from pcbatch.infer.allocation import Allocation, Copy, held, make, without_rooms
from pcbatch.infer.calls import Operand
from pcbatch.infer.catching import live_in_handlers
from pcbatch.infer.domain import BufferRef, NewBuffer, Value
from pcbatch.infer.engine import Engine
from pcbatch.infer.instance import Environment, Instance, UnrolledBlock
from pcbatch.infer.list_values import child_values
from pcbatch.infer.liveness import live_after
from pcbatch.infer.provenance import made_at
from pcbatch.ir.analysis.effects import jumps
from pcbatch.semantics import pytree
from pcbatch.semantics.lists.fresh import Origins


class Holding:
    """The variables of one activation, in one block.

    Attributes:
      position: of the operation that is looked at.
      shift: what tells two operations apart that are looked at for one.
      env: what the variables hold there.
    """

    def __init__(self, engine: Engine, instance: Instance, place: UnrolledBlock):
        self.engine, self.instance, self.place = engine, instance, place
        self.env: Environment = dict(instance.places[place])
        self.position = self.shift = 0

    @property
    def number(self) -> int:
        """That of the operation: no other one of the block has it."""
        return self.position + self.shift

    def kept(self, targets: tuple[str, ...]) -> dict[str, Value]:
        """The variables that may be read after the operation, but for those that it assigns."""
        live = (self.following() | self.handled()).difference(targets)
        known = ((name, self.env[name].value) for name in sorted(live) if name in self.env)
        return {name: value for name, value in known if value is not None}

    def following(self) -> set[str]:
        """The variables that may be read after the operation where nothing is raised."""
        block = self.instance.blocks[self.place.label]
        following = jumps(block.terminator)
        at_end = set[str]().union(*(self.instance.live[label] for label in following))
        return live_after(block, self.position, at_end)

    def handled(self) -> set[str]:
        """The variables that handlers around may read."""
        return live_in_handlers(self.instance.blocks[self.place.label], self.instance.seen)

    def holders(self, where: Origins, targets: tuple[str, ...] = ()) -> dict[str, Value]:
        """The variables that may have a list behind an operation, and those of callers: "?x".

        What the entry function is given is its own.
        """
        params = self.instance.params if self.instance.callers else {}
        given = {f"?{name}": value for name, value in params.items()}
        return {n: v for n, v in (self.kept(targets) | given).items() if where & made_at(v)}

    def only_holder(self, where: Origins, targets: tuple[str, ...] = ()) -> str | None:
        """The one variable of this function that may have a list, and no container has it.

        Args:
          where: the list is made.
          targets: the variables that the operation assigns.

        Returns:
          The variable; "" where the list is read no more; None where others may have it.
        """
        holders = self.holders(where, targets)
        parts = (part for value in holders.values() for _, part in child_values(value))
        shared = any(where & made_at(part) for part in parts)
        if shared or len(holders) > 1 or any(name.startswith("?") for name in holders):
            return None
        return next(iter(holders), "")

    def makings(self, targets: tuple[str, ...], values: tuple[Value, ...]) -> dict[int, Allocation]:
        """Room for the buffers that a primitive makes, by number."""
        found: dict[int, Allocation] = {}
        kept = None
        for target, value in zip(targets, values, strict=True):
            for path, leaf in zip(pytree.paths(value.tree, target), value.leaves, strict=True):
                if isinstance(leaf, NewBuffer) and leaf.number not in found:
                    if kept is None:
                        kept = self.kept(targets) | dict(zip(targets, values, strict=True))
                    found[leaf.number] = self._make(path, leaf.number, leaf.type, kept)
        return found

    def _make(
        self, path: str, number: int, type_: ir.BufferType, kept: dict[str, Value]
    ) -> Allocation:
        owner = self.instance.name
        name = f"{owner}.{path}" + str(self.place).removeprefix(self.place.label)
        key = (owner, self.place, self.number, number)
        making = make(self.engine.rooms, key, name, owner, type_, held(kept))
        self.engine.rooms.note(making.reference)
        return making

    def copies(self, op: ir.Call, target: Instance, result: Value) -> list[Copy]:
        """What a caller copies of a result: the buffers that the callee has made."""
        if not self.engine.copied:
            return []
        owners, copies = self.engine.rooms.owners, list[Copy]()
        own = frozenset(x for x, owner in owners.items() if owner == target.name)
        kept = self.kept(op.targets) | {op.targets[0]: without_rooms(result, own)}
        paths = pytree.paths(result.tree, op.targets[0])
        for number, (path, leaf) in enumerate(zip(paths, result.leaves, strict=True)):
            if isinstance(leaf, BufferRef) and (copied := own.intersection(leaf.rooms)):
                making = self._make(path, number, leaf.type, kept)
                same = tuple(i for i, other in enumerate(copies) if other.own & copied)
                copies.append(Copy(path, number, leaf, copied, making, same))
        return copies

    def saved(
        self, op: ir.Call, target: Instance, arguments: dict[str, Operand]
    ) -> list[BufferRef]:
        """The buffers that a recursive call must leave as they are, though it uses their rooms.

        They are those that this activation may still read, or one of those that have called it,
        and that the callee knows nothing of.
        """
        recursion = self.engine.recursion.get(self.instance.name, ())
        if target.name not in recursion:
            return []
        passed = {x for _, leaf in held(_values(arguments)) for x in leaf.rooms}
        known = {f"?{name}": value for name, value in self.instance.params.items()}
        exposed = {
            room: leaf.type
            for _, leaf in held(known | self.kept(op.targets))
            for room in leaf.rooms
            if self.engine.rooms.owners[room] in recursion and room not in passed
        }
        return [BufferRef(exposed[room], (room,)) for room in sorted(exposed)]


def _values(arguments: dict[str, Operand]) -> dict[str, Value]:
    return {name: operand.value for name, operand in arguments.items()}
