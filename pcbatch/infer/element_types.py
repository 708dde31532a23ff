"""The types of what is put into lists, sets and dicts of the member.

A list is made with elements that can take all that is put into it: where they cannot, inference
begins again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Operand
from pcbatch.infer.copied_rows import as_row, has_copies, rooms_of, with_rows
from pcbatch.infer.domain import Shared, Static, Tensor, Value, static
from pcbatch.infer.heap import HEAP
from pcbatch.infer.holding import Holding
from pcbatch.infer.keyed import keyed_likes, whole
from pcbatch.infer.kinds import is_held, is_list, is_tuple
from pcbatch.infer.likes import element_like, joined_like, like_of
from pcbatch.infer.list_values import both_lists, child_values, data_of, layout_of, opened, subtree
from pcbatch.infer.maybe_none import is_text
from pcbatch.infer.meeting import Conflict
from pcbatch.infer.provenance import made_at
from pcbatch.ir import TensorType
from pcbatch.semantics import pytree
from pcbatch.semantics.chosen_texts import is_coded
from pcbatch.semantics.lists import ArrayPart, Like
from pcbatch.semantics.lists.fresh import NOWHERE, Origins, Within, within
from pcbatch.semantics.named_texts import want_spelled
from pcbatch.semantics.spelling import SPELLED
from pcbatch.semantics.static_values import Slice


class ElementTypes(Holding):
    """What a block puts into lists, sets and dicts."""

    if TYPE_CHECKING:  # `Transfer` has it

        def assign(self, name: str, value: Value, span: Span) -> None: ...

    def fit(self, method: str, target: Value, operands: list[Operand], span: Span) -> None:
        """Have the list made with elements that can take what is put into it.

        Raises:
          Replan: it is not.
        """
        lists, where = self.engine.lists, self.engine.lists.of(target)
        if method.startswith(("set.", "dict.")):
            self._fit_keyed(method, target, operands, span)
            return
        method = method.removeprefix("deque.")
        number = _VALUES.get(method)
        if number is None or len(operands) <= number:
            return
        value = operands[number].value
        layout = layout_of(target)
        several = method in ("extend", "extendleft") or (
            method == "__setitem__" and is_slice(operands[0].value)
        )
        if holds_rows(target) and not several:
            self.note_row(value, target, span)
            several = True  # the elements of the row
            if not layout.grows[-1] and self._length(value) != layout.capacity[-1]:
                lists.write(within(where), grows=True)
        elif several and is_list(value.tree) and holds_rows(value):
            if not (holds_rows(target) and layout.grows[-1]):
                lists.write(within(where), grows=True)
        elif several and is_list(value.tree) and holds_rows(target):
            lists.write(within(lists.of(value)), grows=True)
        likes = self._likes(value) if several else [element_like(value)]
        if not several and is_list(value.tree):
            self.note_row(value, target, span)
            lists.write(within(where), grows=layout_of(value).grows[-1])
        like, known = like_of(data_of(target), layout), layout.known
        for own in likes:
            if own is not None and not own.dtypes and both_lists(own.tree, own.tree):
                lists.write(within(where), grows=True)
            if own is None or not own.dtypes:
                raise ProgramError(report.ListElement(span, f"it is {value}"))
            try:
                like, known = (joined_like(like, own) if known else own), True
            except Conflict:
                if like.tree != own.tree and both_lists(like.tree, own.tree):
                    lists.write(within(where), grows=True)
                if SPELLED in (like.tree, own.tree) and any(map(is_coded, (like.tree, own.tree))):
                    want_spelled()
                self.engine.heap.note_met(like.tree, own.tree)
                raise ProgramError(report.ListElement(span, f"it is {value}")) from None
        if likes:
            lists.retype(where, like)

    def _fit_keyed(self, method: str, target: Value, operands: list[Operand], span: Span) -> None:
        """The same for sets and dicts."""
        layout = layout_of(target)
        like, known = like_of(data_of(target), layout), layout.known
        likes = keyed_likes(method, [o.value for o in operands], self._likes)
        for own in likes:
            if own is None or not own.dtypes:
                self.engine.heap.note_held(o.value for o in operands)
                raise ProgramError(report.KeyedElement(span, method.partition(".")[0]))
            try:
                like, known = (joined_like(like, own) if known else own), True
            except Conflict:
                self.engine.heap.note_met(like.tree, own.tree)
                raise ProgramError(report.KeyedElement(span, method.partition(".")[0])) from None
        if likes:
            self.engine.lists.retype(self.engine.lists.of(target), like)

    @staticmethod
    def _length(value: Value) -> int | None:
        """The number of elements of a list, where it is known."""
        if is_list(value.tree):
            layout, inner = layout_of(value), level(value)
            return None if layout.grows[inner] else layout.capacity[inner]
        opened_value = opened(value)
        tree = opened_value.tree
        return len(tree.keys) if isinstance(tree, pytree.Node) else None

    def _likes(self, value: Value) -> list[Like | None]:
        """The types of the elements of a sequence."""
        value, leaf = opened(value), value.leaf
        if is_text(value.tree):  # its characters
            return [element_like(value)]
        if is_held(value.tree):
            value = subtree(value, ("stored",))
        if is_list(value.tree):
            layout = layout_of(value)
            return [like_of(data_of(value), layout)] if layout.known else []
        if isinstance(leaf, Static) and isinstance(leaf.value, range):
            return [element_like(static(0))]
        if isinstance(leaf, Static) and isinstance(leaf.value, (set, frozenset)):
            return [element_like(whole(x)) for x in leaf.value]
        if isinstance(value.tree, pytree.Node) and value.tree.type is ArrayPart:
            leaf = subtree(value, ("array",)).leaf
        elif isinstance(value.tree, pytree.Node):
            return [element_like(child) for _, child in child_values(value)]
        if isinstance(leaf, (Tensor, Shared)) and leaf.type.shape:
            element = TensorType(leaf.type.dtype, leaf.type.shape[1:])
            return [element_like(Value(pytree.LEAF, (Tensor(element, leaf.weak),)))]
        return [None]

    def note_row(
        self,
        value: Value,
        container: Value,
        span: Span,
        mark: Callable[[Value, set[str]], Value] = as_row,
    ) -> None:
        """Note that a list is put into another one, which has a copy of it.

        Args:
          value: the list.
          container: the other one.
          span: where.
          mark: what becomes of a value that has lists in some rooms: `with_rows` where their rows
            are put into the other one.

        Raises:
          ProgramError: a caller may mean the list, and could change it unseen.
        """
        if is_tuple(value.tree):
            raise ProgramError(report.ListElement(span, "it is a tuple whose length varies"))
        rooms, where, whole = rooms_of(value), made_at(value), rooms_of(container)
        outer = NOWHERE if rooms else frozenset(o.outer for o in where if isinstance(o, Within))
        if is_list(container.tree):  # A row that is put back is the list's own.
            outer -= self.engine.lists.of(container)
        kept, params = self.kept(()), self.instance.params if self.instance.callers else {}
        known = kept | {f"?{name}": param for name, param in params.items()}
        callers = self.engine.lists.put_by_calls
        meant = [
            n
            for n, x in known.items()
            if (rooms & rooms_of(x) and (not n.startswith("?") or callers.is_kept(rooms)))
            or where & made_at(x)
            or (outer and self._has_list(x, outer))
        ]
        if not meant and not has_copies(value):
            return
        if not rooms:  # of a list that is a structure no change would be noticed
            self.engine.lists.write(self.engine.lists.of(value))
            raise ProgramError(report.ListInList(span, meant[0] if meant else "it"))
        for name in (*meant, *(n for n, x in known.items() if whole & rooms_of(x))):
            if name.startswith("?"):
                self._note_given(name, value, container, span)
            if name.startswith(f"%{HEAP}."):  # who changes it there is not known here
                raise ProgramError(report.ListInList(span, name.removeprefix(f"%{HEAP}.")))
        for name, other in kept.items():
            if (rooms | whole) & rooms_of(other):
                self.assign(name, with_rows(mark(other, rooms), whole), span)

    def _has_list(self, value: Value, where: Origins) -> bool:
        """Whether a value has a list of the member's that is made somewhere."""
        if is_list(value.tree):
            return bool(where & self.engine.lists.of(value))
        return any(self._has_list(part, where) for _, part in child_values(value))

    def note_put_by_call(self, operands: Iterable[Operand], span: Span) -> None:
        """Note for the variables what a function that is called puts into lists."""
        lists = self.engine.lists
        if not lists.put_by_calls.holders:
            return
        given = set[str]().union(*(rooms_of(operand.value) for operand in operands))
        for name, value in self.kept(()).items():
            if given & rooms_of(value):
                self.assign(name, lists.put_by_calls.after_call(value, given, lists.rooms), span)

    def _note_given(self, name: str, value: Value, container: Value, span: Span) -> None:
        """Note that a list, or what it is put into, is one that a caller may mean.

        Raises:
          Replan: this has not been known, so that callers have gone on without it.
          ProgramError: it is not known where they are made.
        """
        rows, holders = map(self.engine.lists.of, (value, container))
        if not rows or not holders:
            raise ProgramError(report.ListInList(span, name.removeprefix("?")))
        self.engine.lists.put(rows, holders)


_VALUES = {
    "__setitem__": 1, "append": 0, "appendleft": 0, "insert": 1, "extend": 0, "extendleft": 0,
}  # fmt: skip
"""Which argument of a method is put into the list."""


def holds_rows(target: Value) -> bool:
    return level(target) + 1 < len(layout_of(target).grows)


def level(target: Value) -> int:
    """How many rows lead to a list."""
    return pytree.count(subtree(target, ("rows",)).tree)


def is_slice(index: Value) -> bool:
    return isinstance(index.tree, pytree.Node) and index.tree.type is Slice
