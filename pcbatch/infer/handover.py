"""Calls that are handed lists by their elements, and texts as the member's, see `handing`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Callee, Operand, constant
from pcbatch.infer.changing import ListChange, ListChanges
from pcbatch.infer.domain import Value
from pcbatch.infer.handing import RECEIVED, is_known_text, lists_in, rooms_held, rooms_of
from pcbatch.infer.instance import Instance
from pcbatch.infer.list_values import Path
from pcbatch.semantics.lists.fresh import Fresh
from pcbatch.semantics.lists.handed import hand_over
from pcbatch.semantics.spelling import of_member


class HandsOver(ListChanges):
    """What a block hands to calls, and what it is handed."""

    def handed(
        self, callee: Callee, arguments: dict[str, Operand], span: Span
    ) -> dict[str, Operand]:
        """The arguments of a call, with what lists hold in the place of some of them."""
        code, texts = callee.function.__code__, self.engine.handing.texts
        found = dict(arguments)
        for name in self._taking(callee, arguments):
            # Behind that it is not known where the list is made.
            self.engine.growth.check_lengths(callee, name, arguments[name].value)
            found[name] = self._hand_over(name, found[name], span, hand_over, f"what {name} holds")
        for name, operand in found.items():
            if (code, name) in texts and any(map(is_known_text, operand.value.leaves)):
                found[name] = self._hand_over(name, operand, span, of_member, f"the text {name}")
        return found

    def _taking(self, callee: Callee, arguments: dict[str, Operand]) -> list[str]:
        """The parameters that are handed lists by their elements."""
        code, handing = callee.function.__code__, self.engine.handing
        return [
            name
            for name, operand in arguments.items()
            if handing.takes(code, name) and next(lists_in(operand.value), None) is not None
        ]

    def _hand_over(
        self, name: str, operand: Operand, span: Span, fn: Callable[[Any], tuple[Any]], said: str
    ) -> Operand:
        target = f"%handed.{name}"
        where = f"{self.instance.name}.{target}"
        outcome = self.engine.evaluate(fn, (operand.value,), span, where, False, (name,))
        (value,) = outcome.values
        if not self.emitter:
            return constant(value)
        op = ir.Primitive((target,), fn, (name,), said, span)
        self.emitter.primitive(op, fn, [operand], outcome, (value,), {}, False)
        return self.emitter.operand(target, value)

    def note_handed(
        self, op: ir.Call, callee: Callee, target: Instance, arguments: dict[str, Operand]
    ) -> None:
        """Take note of the lists that a call hands over.

        Raises:
          ProgramError: two arguments may be one list.
        """
        kept = [*self.kept(op.targets).values(), *self.instance.params.values()]
        for name in self._taking(callee, arguments):
            others = [o.value for other, o in arguments.items() if other != name]
            for number, given in enumerate(lists_in(arguments[name].value)):
                rooms = rooms_of(given)
                beside = [x for k, x in enumerate(lists_in(arguments[name].value)) if k != number]
                if self.emitter and rooms & rooms_held([*others, *beside]):
                    function = callee.function.__name__
                    raise ProgramError(report.ListHandedTwice(op.span, name, function))
                self.engine.handing.give(
                    (target.name, name, number), rooms, self.engine.lists.of(given),
                    rooms_held(kept),
                )  # fmt: skip

    def noted(self, value: Value, makes: Fresh | None, path: Path, name: str = "") -> Value:
        """Take note of the lists that the present operation has made."""
        if self.place.label != RECEIVED:
            return super().noted(value, makes, path, name)
        for number, own in enumerate(lists_in(value)):
            slot = (self.instance.name, name, number)
            rooms = rooms_held([own])
            self.engine.handing.received.setdefault(slot, set()).update(rooms)
            self.engine.lists.rooms.update(dict.fromkeys(rooms, self.engine.handing.made[slot]))
        return value

    def change(self, made: ListChange) -> bool:
        """Change a list; refuse it where another call may have the same list as its own."""
        if self.emitter and rooms_of(made.target.value) & self.engine.handing.doubled():
            raise ProgramError(report.HandedListChanged(made.span))
        return super().change(made)
