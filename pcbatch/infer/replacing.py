"""Put another object in the place of one, under all of its names.

Behind `state.x = 1` each variable and each container that has the object holds another one. Which
these are is known where the object is known by its name, see `object_names`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.array_steps import nodes
from pcbatch.infer.calls import Callee, Operand
from pcbatch.infer.domain import Value
from pcbatch.infer.instance import Binding
from pcbatch.infer.kinds import is_dict_or_record
from pcbatch.infer.noting import Noting
from pcbatch.infer.object_names import Naming, fresh, given_back, made_by_call, with_older
from pcbatch.infer.parts import made_somewhere, objects_in, origins_of, parts_of, replaced
from pcbatch.infer.provenance import made_at
from pcbatch.semantics.lists.fresh import (
    NOWHERE,
    Helped,
    Older,
    Origin,
    Origins,
    Site,
    Version,
    Within,
    identity,
    is_one,
    is_parameter,
)

if TYPE_CHECKING:
    from pcbatch.infer.emit import Emitter
    from pcbatch.infer.list_values import Path

Places = list[tuple[str, "Path", Value]]
"""Where an object is: a variable, where in it, and the object."""


class Replaces(Noting):
    """What a block does to objects that have several names."""

    emitter: Emitter | None

    if TYPE_CHECKING:  # `Transfer` has them

        def operand(self, name: str, span: Span) -> Operand: ...

        def assign(self, name: str, value: Value, span: Span) -> None: ...

    def places_of(self, where: Origins, targets: tuple[str, ...]) -> Places:
        """Where an object may be behind an operation.

        Args:
          where: it is made.
          targets: the variables that the operation assigns.

        Raises:
          Replan: a caller has it, and the function does not give it back yet.
        """
        if self.instance.callers:
            self._check_lent(where)
        return [
            (name, path, part)
            for name, value in self.kept(targets).items()
            for path, part in made_somewhere(value, where)
        ]

    def _check_lent(self, where: Origins) -> None:
        lent = {place for group in self.instance.lent for place in group}
        code = self.instance.callee.function.__code__
        for name, value in self.instance.params.items():
            for path, _ in made_somewhere(value, where):
                if (name, path) not in lent:
                    self.engine.lending.lend(code, (name, path))

    def check_known(
        self, where: Origins, places: Places, sources: Sequence[str], what: str, span: Span
    ) -> None:
        """Refuse to change an object if it is not known under which names it is.

        Args:
          where: it is made.
          places: where it may be.
          sources: the variables that it is changed through.
          what: it is.
          span: of the change.

        Raises:
          ProgramError: it is not known.
        """
        helpers = tuple(x.code for x in where if isinstance(x, Helped))
        if helpers:
            raise ProgramError(report.SharedObject(span, what, "a plain function"), helpers)
        exact = all(identity(origins_of(part)) == where for *_, part in places)
        if exact and is_one(where):
            return
        within = any(isinstance(origin, Within) for origin in where)
        alone = not places or (
            len(places) == 1 and not places[0][1] and self._come_from(sources, places[0][0])
        )
        if within or not alone:
            names = [name for name, *_ in places if name not in sources]
            raise ProgramError(report.SharedObject(span, what, _holder(names or sources)))

    def _come_from(self, sources: Iterable[str], variable: str) -> bool:
        """Whether one of some variables is another, or has been read from it alone."""
        block = self.instance.blocks[self.place.label]
        made = {op.targets: op.args for op in block.operations[: self.position]
                if isinstance(op, ir.Primitive)}  # fmt: skip
        return any(name == variable or made.get((name,)) == (variable,) for name in sources)

    def changed_origins(self, old: Origins, number: int = 0) -> Origins:
        """What is known of an object behind a change: it is made where it was."""
        return identity(old) | {Version(self._here((number,)))}

    def _here(self, path: Path = ()) -> Site:
        code, place = self.instance.callee.function.__code__, self.place
        return Site(code, place.label, self.position, path, place.context)

    def replace(
        self, where: Origins, places: Places, new: Operand, arrays: tuple[str, ...], span: Span
    ) -> None:
        """Put another object in the place of one.

        Args:
          where: it is made.
          places: where it is.
          new: the other one.
          arrays: which arrays its leaves are, see `shared_arrays`.
          span: of the change.
        """
        names = tuple(dict.fromkeys(name for name, *_ in places))
        old = [self.operand(name, span) for name in names]
        if self.emitter:
            self._note_replaced(where, names, old, Operand(new.value, arrays), span)
        found = [replaced(operand, where, new) for operand in old]
        for name, operand in zip(names, found, strict=True):
            self.assign(name, operand.value, span)
        if self.emitter:
            self.emitter.moves(names, found, span)

    def _note_replaced(
        self,
        where: Origins,
        names: tuple[str, ...],
        old: list[Operand],
        new: Operand,
        span: Span,
    ) -> None:
        """Note which arrays the variables have afterwards."""
        pairs = [
            (after, before)
            for name, operand in zip(names, old, strict=True)
            for found in [replaced(self.with_nodes(name, operand), where, new)]
            for after, before in zip(nodes(name, found.value), found.names, strict=True)
            if after and before
        ]
        self.note_pairs(names, pairs, span, rebinds=True)

    def make_older(self, sites: Origins) -> None:
        """Take note that new objects are made where variables may have some already."""
        for name, binding in self.env.items():
            value = binding.value
            if value is not None and sites & made_at(value):
                self.env[name] = Binding(with_older(value, sites), binding.span)

    def before_made(self, results: tuple[Value, ...]) -> tuple[Value, ...]:
        """What a primitive gives, before what it makes is called by its place."""
        if not any(any(map(is_dict_or_record, parts_of(value))) for value in results):
            return results
        here = self._here()
        known = NOWHERE.union(*map(made_at, (*self._values(), *results)))
        sites = frozenset(x for x in known if isinstance(x, Site) and x.is_made_with(here))
        self.make_older(sites)
        return tuple(with_older(value, sites) for value in results)

    def _values(self) -> list[Value]:
        return [b.value for b in self.env.values() if b.value is not None]

    def named_by_call(
        self, value: Value, arguments: Mapping[str, Operand], callee: Callee, span: Span
    ) -> Value:
        """What a call gives that changes nothing, with this function's names of objects."""
        return self.named(value, {}, arguments, callee.function.__code__, span)[0]

    def named(
        self,
        value: Value,
        lent: Mapping[Site, Origins],
        arguments: Mapping[str, Operand],
        code: Any,
        span: Span,
    ) -> tuple[Value, Origins]:
        """What a call gives, and the names of the objects that it makes.

        Args:
          value: what it gives, with the function's names.
          lent: what those are called that the function changes for this one.
          arguments: what the function is handed, with its own names of those.
          code: of the function.
          span: of the call.
        """
        if next(objects_in(value), None) is None:
            return value, NOWHERE
        given = NOWHERE.union(*(made_at(x.value) for x in arguments.values()))
        made = made_by_call(value, lent, given, self.naming("made"))
        new = NOWHERE.union(*made.values())
        self.make_older(new)
        ambiguous = frozenset(x for x in given if self._may_make(code, x))
        found, renamed = given_back(value, lent, made, (given, ambiguous), self.naming("made"))
        self.engine.lists.named.given |= renamed
        self.check_copies("what this call gives", span)
        return found, new

    def check_copies(self, what: str, span: Span) -> None:
        """Refuse to change an object of which there is a copy."""
        if self.engine.lists.named.has_copies():
            raise ProgramError(report.SharedObject(span, what, "what it was put into"))

    def _may_make(self, code: Any, origin: Origin) -> bool:
        """Whether a call of a function may make objects where one is made."""
        if is_parameter(origin):
            return False
        site = origin.site if isinstance(origin, Older) else origin
        return not isinstance(site, Site) or self.engine.lending.calls.may_run(code, site.code)

    def naming(self, kind: str) -> Naming:
        """How the objects are called that the present call makes."""
        return lambda path: self._here((kind, *path))

    def made_anew(self, value: Value, kind: str) -> Value:
        """A value whose objects are all made by the present call."""
        found = fresh(value, self.naming(kind))
        self.make_older(made_at(found))
        return found


def _holder(names: Sequence[str]) -> str:
    own = next((name for name in names if not name.startswith("%")), "")
    return f"`{own}`" if own else "what it is in"
