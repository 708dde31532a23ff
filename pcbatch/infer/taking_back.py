"""What callers take back of functions that change objects for them, see `lending`."""

from __future__ import annotations

from collections.abc import Iterable

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.array_steps import nodes
from pcbatch.infer.calls import Operand, children
from pcbatch.infer.changing import shown
from pcbatch.infer.fields import FieldChanges
from pcbatch.infer.instance import Instance
from pcbatch.infer.lending import HANDED_BACK, as_parameters, origins_at, site_of
from pcbatch.infer.object_names import older
from pcbatch.infer.provenance import made_at
from pcbatch.semantics.lists.fresh import Origins, identity


class TakesBack(FieldChanges):
    """What a block does with objects that calls have changed."""

    def give_back(
        self, op: ir.Call, target: Instance, arguments: dict[str, Operand], may_raise: bool
    ) -> None:
        """Assign what a call gives, and put what it has changed in the place of what that was.

        Args:
          op: the call.
          target: the function, whose results are in `HANDED_BACK`.
          arguments: what it was handed.
          may_raise: whether an exception may be caught that it raises.
        """
        code = target.callee.function.__code__
        lent = {site_of(code, group): origins_at(arguments, group) for group in target.lent}
        own = {site: self.changed_origins(old, k) for k, (site, old) in enumerate(lent.items())}
        given = self.operand(HANDED_BACK, op.span)
        own_arguments = as_parameters(code, target.lent, arguments)
        value, new = self.named(given.value, own, own_arguments, code, op.span)
        if may_raise:
            self._check_handlers(lent.values(), op.span)
        parts = children(Operand(value, given.names))
        arrays = [part.names for part in children(self.with_nodes(HANDED_BACK, given))]
        what = f"the object that `{target.source.name}` is handed"
        for old, part, names in zip(lent.values(), parts[1:], arrays[1:], strict=True):
            self._take_object(op, what, older(old, new), part, names)
        self._take_result(op, parts[0], arrays[0])

    def _take_object(
        self, op: ir.Call, what: str, old: Origins, new: Operand, arrays: tuple[str, ...]
    ) -> None:
        """Put one object in the place of what it was.

        Args:
          op: the call.
          what: it is.
          old: where it is made, and how it was changed before.
          new: what it is now.
          arrays: which arrays its leaves are.
        """
        where = identity(old)
        places = self.places_of(where, op.targets)
        given = [x for x in (op.callee, *op.args) if where & made_at(self.read(x, op.span))]
        self.check_known(where, places, given, what, op.span)
        self.note_changed(old, what, op.span)
        self.replace(where, places, new, arrays, op.span)

    def _take_result(self, op: ir.Call, result: Operand, arrays: tuple[str, ...]) -> None:
        """Assign what a call gives."""
        (target,) = op.targets
        self.assign(target, result.value, op.span)
        if self.emitter:
            found = zip(nodes(target, result.value), arrays, strict=True)
            self.note_pairs(op.targets, [(a, b) for a, b in found if a and b], op.span)
            self.emitter.moves(op.targets, [result], op.span)

    def _check_handlers(self, changed: Iterable[Origins], span: Span) -> None:
        """Refuse to catch what a call raises if it may have changed what is read afterwards.

        Raises:
          ProgramError: a handler reads an object that the call changes.
        """
        where = [identity(x) for x in changed]
        known = {n: made_at(b.value) for n, b in self.env.items() if b.value is not None}
        found = {n for n, made in known.items() if any(made & x for x in where)}
        if found & self.handled():
            name = min(found, key=lambda n: (n.startswith("%"), n not in self.handled(), n))
            raise ProgramError(report.ChangedThenRaised(span, shown(name)))
