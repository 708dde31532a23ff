"""Objects and dicts that functions change for their callers.

Each value of such an object is a variable. So a function gives back, beside its result, the objects
that it is handed and changes, and the caller has these in the place of its own. Within the function
the object is one that is "made" where the parameter is: whatever the caller's is called, and
wherever it was made, in one activation it is one object.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.call_graph import CallGraph
from pcbatch.infer.calls import Operand
from pcbatch.infer.domain import Value
from pcbatch.infer.list_plans import Replan
from pcbatch.infer.list_values import Path, subtree
from pcbatch.infer.parts import objects_in, origins_of, with_objects
from pcbatch.ir.analysis import effects
from pcbatch.semantics import pytree
from pcbatch.semantics.lists.fresh import PARAMETER, Origins, Site, identity, is_one

LENT = "lent"
"""The block that a function begins with that changes objects for its callers."""
HANDED_BACK = "%handed_back"
"""The variable with what a function gives: its result, then the objects."""
Place = tuple[str, Path]
"""A parameter, and where in it an object is."""
Lent = tuple[tuple[Place, ...], ...]
"""The objects that a call lends; for each, all places where it is."""


@dataclasses.dataclass
class Lending:
    """What functions change for their callers.

    Attributes:
      places: by the code of a function, where the objects are.
      calls: which functions call which.
    """

    places: dict[Any, set[Place]] = dataclasses.field(default_factory=dict)
    calls: CallGraph = dataclasses.field(default_factory=CallGraph)

    def lend(self, code: Any, place: Place) -> None:
        """Have a function give back an object that it changes.

        Raises:
          Replan: it has not until now.
        """
        if place not in self.places.setdefault(code, set()):
            self.places[code].add(place)
            raise Replan

    def lent(self, code: Any, arguments: Mapping[str, Operand], span: Span) -> Lent:
        """The objects that a call lends.

        Args:
          code: of the function.
          arguments: by parameter.
          span: of the call.

        Raises:
          ProgramError: two of them may be one object, or not.
          Replan: one of them is also where the function does not look for it.
        """
        if not self.places.get(code):
            return ()
        groups: dict[Origins, list[Place]] = {}
        given = {
            (name, path): identity(origins_of(part))
            for name, operand in arguments.items()
            for path, part in objects_in(operand.value)
        }
        lent = {place: given[place] for place in given if place in self.places[code]}
        for place, where in lent.items():
            for other, elsewhere in given.items():
                if other != place and where & elsewhere:
                    self._check_same(where, elsewhere, other, span)
                    self.lend(code, other)
            groups.setdefault(where, []).append(place)
        return tuple(map(tuple, groups.values()))

    @staticmethod
    def _check_same(where: Origins, other: Origins, place: Place, span: Span) -> None:
        """Refuse to hand over two objects that may be one, or not."""
        if where != other or not is_one(where):
            what = "an object that is handed to this call"
            raise ProgramError(report.SharedObject(span, what, f"`{place[0]}`"))


def site_of(code: Any, group: tuple[Place, ...]) -> Site:
    """What stands for an object that a function is lent."""
    name, path = group[0]
    return Site(code, PARAMETER, 0, (name, *path))


def as_parameters(code: Any, lent: Lent, arguments: dict[str, Operand]) -> dict[str, Operand]:
    """Arguments as a function has them that changes objects in them."""
    made = {place: frozenset({site_of(code, group)}) for group in lent for place in group}

    def own(name: str, operand: Operand) -> Operand:
        def origins(path: Path, part: Value) -> Origins:
            return made.get((name, path), origins_of(part))

        return dataclasses.replace(operand, value=with_objects(operand.value, origins))

    parameters = {name for name, _ in made}
    return {n: own(n, x) if n in parameters else x for n, x in arguments.items()}


def origins_at(arguments: Mapping[str, Operand], group: tuple[Place, ...]) -> Origins:
    """Where a caller has made an object that it lends."""
    name, path = group[0]
    return origins_of(subtree(arguments[name].value, path))


@dataclasses.dataclass(frozen=True)
class PartOf:
    """A primitive's function that gives a part of a value."""

    path: Path

    def __call__(self, value: Any) -> tuple[Any]:
        for key in self.path:
            value = pytree.named_parts(value)[key]
        return (value,)


def hand_back(*values: Any) -> tuple[tuple[Any, ...]]:
    """What a function gives that changes objects for its callers: the result, and these."""
    return (values,)


def handing_back(source: ir.Function, lent: Lent) -> ir.Function:
    """A function that gives back the objects that it is lent."""
    if not lent:
        return source
    written = {name for b in source.blocks for op in b.operations for name in effects.writes(op)}
    kept: dict[str, Place] = {}
    for number, group in enumerate(lent):
        name, path = group[0]
        own = not path and name not in written
        kept[name if own else f"%lent{number}"] = group[0]
    operations = tuple(
        ir.Primitive((target,), PartOf(path), (name,), f"what {name} holds", source.span)
        for target, (name, path) in kept.items()
        if target != name
    )
    blocks = tuple(_with_objects(block, kept) for block in source.blocks)
    begin = ir.Block(LENT, operations, ir.Jump(source.blocks[0].label, source.span))
    return dataclasses.replace(source, blocks=(begin, *blocks) if operations else blocks)


def _with_objects(block: ir.Block, objects: Iterable[str]) -> ir.Block:
    end = block.terminator
    if not isinstance(end, ir.Return):
        return block
    values = (*end.values, *objects)
    op = ir.Primitive((HANDED_BACK,), hand_back, values, ", ".join(values), end.span)
    terminator = dataclasses.replace(end, values=(HANDED_BACK,))
    return dataclasses.replace(block, operations=(*block.operations, op), terminator=terminator)
