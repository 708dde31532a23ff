"""Recursions of which each call is given more than the one before: another type, a longer list or
text.

They would be specialized without end. Some of them end where lists are kept in another way,
and where a text is the member's, as one that grows in a loop is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.allocation import held
from pcbatch.infer.calls import Callee, Operand
from pcbatch.infer.domain import BufferRef, Static, Value, is_number
from pcbatch.infer.handing import Handing, is_known_text, lists_in
from pcbatch.infer.instance import Instance
from pcbatch.infer.list_plans import Anew, Replan
from pcbatch.infer.list_values import static_length
from pcbatch.infer.lists import Lists
from pcbatch.infer.rooms import Rooms

MAX_TYPES = 32
MAX_MAKERS = 4
"""So many specializations of one function make lists for a call, until it is handed elements."""
MAX_OWN_MAKERS = 2
"""So many of the function that is called itself."""
MAX_LENGTHS = 8
"""So often a recursion is handed a list that is longer than before, until it is one that grows."""
MAX_TEXTS = 8
"""So many known texts a recursion is handed for a parameter, until they are the member's."""
MANY_TEXTS = 64
"""In so many specializations two texts are enough: each of several parameters has a few."""


class Growth:
    """Watches the specializations of each function.

    Args:
      instances: all that there are so far.
      rooms: of the buffers.
      lists: which are kept in buffers.
      handing: which lists calls are handed by their elements.
      copied: a caller gets a copy of a buffer that its callee has made.
    """

    def __init__(
        self,
        instances: Sequence[Instance],
        rooms: Rooms,
        lists: Lists,
        handing: Handing,
        copied: bool,
    ):
        self._instances, self._rooms, self._lists = instances, rooms, lists
        self._handing, self._copied = handing, copied

    def check(self, callee: Callee, arguments: dict[str, Operand], span: Span) -> None:
        """Refuse a recursion that passes on an argument of another type for ever.

        Args:
          callee: the function.
          arguments: of which there is no specialization yet.
          span: of the call.

        Raises:
          ProgramError: it does.
          Replan: it does not where its lists are kept in another way.
        """
        own = [i for i in self._instances if i.callee.same(callee)]
        for name, operand in arguments.items():
            self.check_lengths(callee, name, operand.value)
            self._check_texts(callee, name, operand.value, own)
        alike = [
            i.params
            for i in self._instances
            if i.callee.same(callee) and _same_statics(callee, i.params, arguments)
        ]
        for name, operand in arguments.items():
            self._check_makers(callee, name, operand.value, alike)
        if len(alike) < MAX_TYPES:
            return
        name_of = callee.function.__name__
        for name, old in alike[0].items():
            new = arguments[name].value
            if new != old and any(isinstance(x, BufferRef) for x in new.leaves):
                if len(self._makers(name, alike)) >= MAX_TYPES // 2:
                    raise ProgramError(report.BufferForEachCall(span, name, name_of))
            elif new != old:
                conflict = report.ArgumentConflict(span, name, name_of, str(new), str(old))
                raise ProgramError(conflict)

    def check_lengths(self, callee: Callee, name: str, value: Value) -> None:
        """Have a list, or a tuple of numbers, that is longer in each call kept as one that grows.

        Raises:
          Replan: it has not been until now.
        """
        length = static_length(value)
        if not length:
            return
        shorter = [static_length(i.params[name]) for i in self._instances if i.callee.same(callee)]
        if sum(known is not None and known < length for known in shorter) >= MAX_LENGTHS:
            self._lists.write(self._lists.of(value), grows=True)

    def _check_texts(
        self, callee: Callee, name: str, value: Value, own: Sequence[Instance]
    ) -> None:
        """Have a text that is another one in each call of a recursion be the member's.

        Raises:
          Anew: it has not been until now.
        """
        if not any(map(is_known_text, value.leaves)):
            return
        given = [i.params[name] for i in own if _is_within(i, own)]
        others = [known for known in given if known.tree == value.tree and known != value]
        if len(set(others)) >= (MAX_TEXTS if len(own) < MANY_TEXTS else 1):
            self._handing.texts.add((callee.function.__code__, name))
            raise Anew

    def _makers(self, name: str, alike: list[dict[str, Value]]) -> set[str]:
        """The specializations that make the buffers that a parameter has been given."""
        rooms = (room for p in alike for _, x in held({"": p[name]}) for room in x.rooms)
        return {self._rooms.owners[room] for room in rooms}

    def _check_makers(
        self, callee: Callee, name: str, value: Value, alike: list[dict[str, Value]]
    ) -> None:
        """Have the lists that one function makes for call after call copied, or handed over.

        Raises:
          Replan: they have not been until now.
        """
        if next(lists_in(value), None) is None:
            return
        makers = self._makers(name, alike)
        functions = [i.callee.function for i in self._instances if i.name in makers]
        own = functions.count(callee.function) >= MAX_OWN_MAKERS
        if not own and max(map(functions.count, functions), default=0) < MAX_MAKERS:
            return
        if self._copied or own:
            self._handing.parameters.add((callee.function.__code__, name))
        self._lists.copies = True
        raise Replan


def _is_within(instance: Instance, own: Sequence[Instance]) -> bool:
    """Whether a specialization is called, however far, by one of the same function."""
    seen, waiting = set[str](), [instance]
    while waiting:
        for caller, _ in waiting.pop().callers.values():
            if caller in own:
                return True
            if caller.name not in seen:
                seen.add(caller.name)
                waiting.append(caller)
    return False


def _same_statics(
    callee: Callee, params: Mapping[str, Value], arguments: Mapping[str, Operand]
) -> bool:
    """Whether the static objects among two sets of arguments are the same."""

    def statics(name: str, value: Value) -> list[Any]:
        declared = name in callee.static_argnames
        return [x for x in value.leaves if isinstance(x, Static) and (declared or not is_number(x))]

    return all(
        value.tree == arguments[name].value.tree
        and statics(name, value) == statics(name, arguments[name].value)
        for name, value in params.items()
    )
