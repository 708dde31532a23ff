"""Changes of lists in place: assignments to elements, and methods like `append`."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.allocation import with_rooms
from pcbatch.infer.calls import Operand, children
from pcbatch.infer.copied_rows import has_copies, must_stay, new_as_row, with_rows
from pcbatch.infer.domain import BufferRef, Value
from pcbatch.infer.element_types import ElementTypes, holds_rows, level
from pcbatch.infer.given_lists import ARGUMENTS, argument_lists
from pcbatch.infer.keyed import (
    in_place,
    is_counter,
    is_frozen,
    method_name,
    of_kind_of_dict,
)
from pcbatch.infer.kinds import is_held, is_list, is_tuple, kind_of, number_keys
from pcbatch.infer.list_values import Path, child_values, data_of, layout_of, subtree
from pcbatch.infer.provenance import made_at
from pcbatch.infer.refusals import HeldInList
from pcbatch.semantics import pytree
from pcbatch.semantics.lists import CHANGES, Changing, MemberDeque, NotOneType
from pcbatch.semantics.lists.changes import KEEPS_LENGTH, Change, ChangesLength, Followed
from pcbatch.semantics.lists.fresh import Fresh, Origins, Site, Within, of_program
from pcbatch.semantics.lists.held_changes import BOUNDED
from pcbatch.semantics.static_values import DELETED

if TYPE_CHECKING:
    from pcbatch.infer.emit import Emitter
    from pcbatch.infer.evaluation import Evaluation

_METHODS = (types.MethodType, types.BuiltinMethodType)


NONE = "%none"
"""Takes the result of a change that gives None."""


@dataclasses.dataclass(frozen=True)
class ListChange:
    """A change of a list in place.

    Attributes:
      result: the variable that takes what the call returns.
      changing: works out the change.
      target: the list.
      operands: the arguments.
      read: what the list and the arguments are called.
      span: where it stands.
      more: what else of a container says what changes, passed by the last keywords.
    """

    result: str
    changing: Changing
    target: Operand
    operands: list[Operand]
    read: tuple[str, ...]
    span: Span
    more: tuple[Operand, ...] = ()

    @property
    def values(self) -> tuple[Value, ...]:
        """Of the list and the arguments."""
        return tuple(x.value for x in (self.target, *self.operands, *self.more))


class ListChanges(ElementTypes):
    """What a block does to the lists of the member."""

    emitter: Emitter | None

    if TYPE_CHECKING:  # `Transfer` has them

        def read(self, name: str, span: Span) -> Value: ...

        def operand(self, name: str, span: Span) -> Operand: ...

        def assign(self, name: str, value: Value, span: Span) -> None: ...

        def _primitive(
            self, op: ir.Primitive, fn: Any, args: tuple[str, ...], batched: bool = False
        ) -> bool: ...

        def may_raise(self, outcome: Evaluation, span: Span) -> None: ...

        def change_names(self, op: ir.Call, method: str, owner: Value) -> bool | None: ...

        def note_put(self, target: Value, names: tuple[str, ...], span: Span) -> None: ...

        def note_copies(self, values: Iterable[Value], span: Span) -> None: ...

        def _fails(self, error: ProgramError, values: tuple[Value, ...], span: Span) -> bool: ...

    def site(self, path: Path, name: str = "") -> Site:
        """What stands for a list that the present operation makes."""
        code = self.instance.callee.function.__code__
        if self.place.label == ARGUMENTS:
            return Site(code, "argument", 0, (name, *path[1:]))
        return Site(code, self.place.label, self.number, path, self.place.context)

    def makes(self, op: ir.Primitive | ir.Call, fn: Any) -> Fresh | None:
        """Which lists an operation makes."""
        if isinstance(op, ir.Call):
            method = self.method_of_list(self.read(op.callee, op.span)).rpartition(".")[2]
            return _RESULT if method in COPYING else None
        if self.place.label == ARGUMENTS:
            code = self.instance.callee.function.__code__
            return argument_lists(self.engine.lists, code, op.targets[0])
        found: Fresh | None = getattr(fn, "makes", None)
        return found

    def method_of_list(self, function: Value) -> str:
        """The name of the method of a list, a set, ... that a value is; "" for anything else."""
        tree = function.tree
        if not isinstance(tree, pytree.Node) or not issubclass(tree.type, _METHODS):
            return ""
        owner = subtree(function, ("__self__",))
        kind = "frozenset" if is_frozen(owner) else kind_of(owner)
        return method_name(kind, str(tree.meta)) if kind else ""

    @staticmethod
    def is_any_list(value: Value) -> bool:
        """Whether a value is a list, of whatever kind."""
        return kind_of(value) == "list"

    def call_method(self, op: ir.Call, name: str, function: Operand) -> bool | None:
        """Run a method that changes a list; None for any other.

        Args:
          op: the call.
          name: of the method.
          function: the bound method.

        Returns:
          Whether what follows is reached.
        """
        (target,) = children(function)
        name = of_kind_of_dict(target.value, name)
        if name not in CHANGES or is_tuple(target.value.tree):
            return None
        if op.targets == (DELETED,):
            name = f"{name.removesuffix('pop')}__delitem__"
        where = self.engine.lists.of(target.value)
        if not is_list(target.value.tree) and not is_held(target.value.tree):
            if not where:
                return None
            reached = self.change_names(op, name, target.value)
            if reached is None:
                reached = self._follow(op, name, target.value, where)
            if reached is not None:
                return reached
            self.check_keys(target.value, op.span)
            self.engine.lists.write(where, grows=name not in KEEPS_LENGTH)
        receiver, target = target, self.contents(target)
        self._grows_if(name, target.value, where)
        operands = [self.operand(arg, op.span) for arg in op.args]
        keywords = tuple(k for k in op.keywords if k)
        changing, more = self.changing(name, keywords, receiver)
        read = (op.callee, *op.args)
        made = ListChange(op.targets[0], changing, target, operands, read, op.span, more)
        return self.change(made)

    def _follow(self, op: ir.Call, method: str, target: Value, where: Origins) -> bool | None:
        """Have a variable that alone has a list of a known length be the list behind a change.

        Returns:
          Whether what follows is reached; None where it has to be a list of the member.
        """
        known = Followed.METHODS.get(method) if kind_of(target) == "list" else None
        if known != len(op.args) or any(op.keywords):
            return None
        names = self.only_holder(where, op.targets)
        if names is None:
            return None
        self.engine.lists.followed_lists.could = True
        if not self.engine.lists.followed_lists.taken:
            return None
        name = names or "%followed"
        fn, args = Followed(method), (op.callee, *op.args)
        followed = ir.Primitive((op.targets[0], name), fn, args, f"{name}.{method}", op.span)
        return self._primitive(followed, fn, args)

    def store_into_list(self, op: ir.Store, target: Operand) -> bool:
        """Run an assignment to an element or a slice of a list, or to an element of a dict."""
        where = self.engine.lists.of(target.value)
        method = method_name(kind_of(target.value), "__setitem__")
        if not is_list(target.value.tree) and not is_held(target.value.tree):
            if not where:
                raise ProgramError(report.StoreIntoList(op.span, shown(op.buffer)))
            self.engine.lists.write(where, grows=method not in KEEPS_LENGTH)
        target = self.contents(target)
        self._grows_if(method, target.value, where)
        operands = [self.operand(name, op.span) for name in (op.index, op.value)]
        names = (op.buffer, op.index, op.value)
        made = ListChange(NONE, Changing(method), target, operands, names, op.span)
        return self.change(made)

    def _grows_if(self, method: str, contents: Value, where: Origins) -> None:
        """Have a list grow that a method changes, if lists become longer or shorter by it."""
        if method not in KEEPS_LENGTH and not layout_of(contents).grows[level(contents)]:
            self.engine.lists.write(where, grows=True)

    @staticmethod
    def changing(
        name: str, keywords: tuple[str, ...], receiver: Operand
    ) -> tuple[Changing, tuple[Operand, ...]]:
        """What works out a change, and what else of the container it is given."""
        if name == "dict.__delitem__":
            return Changing(name, keywords, (("counts", is_counter(receiver.value)),)), ()
        tree, (kind, _, method) = receiver.value.tree, name.rpartition(".")
        is_queue = isinstance(tree, pytree.Node) and tree.type is MemberDeque
        if kind != "deque" or not is_queue or method not in BOUNDED:
            return Changing(name, keywords), ()
        return Changing(name, (*keywords, "maxlen")), tuple(children(receiver)[1:])

    @staticmethod
    def contents(target: Operand) -> Operand:
        """The list in which a set, a dict or a queue keeps its elements; of a list itself."""
        return children(target)[0] if is_held(target.value.tree) else target

    def check_keys(self, value: Value, span: Span) -> None:
        """Refuse to change a set or a dict whose keys are no numbers."""
        if kind_of(value) in ("set", "dict") and not number_keys(value):
            raise ProgramError(report.NamedKeys(span, f"a {kind_of(value)}"))
        where = self.engine.lists.of(value)
        if kind_of(value) != "list" and any(isinstance(origin, Within) for origin in where):
            raise ProgramError(HeldInList(span, (), kind_of(value)))

    def extends(self, name: str, symbol: str, span: Span) -> str:
        """The method that `name op= ...` is; "" where a new value may be assigned.

        That is so unless the variable has a list, a set, ... of the member, or one that another
        variable may mean, too.
        """
        value = self.read(name, span)
        method = in_place(value, symbol)
        if not method or is_frozen(value):
            return ""
        if is_list(value.tree) or is_held(value.tree):
            inner = subtree(value, ("stored",)) if is_held(value.tree) else value
            where = self.engine.lists.of(value)
            if not layout_of(inner).grows[level(inner)] or (where and method.endswith("repeat")):
                self.engine.lists.write(where, grows=True)  # with room for more
            return method
        if is_counter(value) and self.engine.lists.of(value):  # its operators count
            self.engine.lists.write(self.engine.lists.of(value), grows=True)
        if self.holders(made_at(value), (name,)):
            self.check_keys(value, span)
            self.engine.lists.write(self.engine.lists.of(value), grows=True)
        return ""

    def _check_views(self, target: Value, span: Span) -> None:
        """Refuse to replace a row of a list while a variable may still mean the old one."""
        rooms = {r for x in data_of(target).leaves if isinstance(x, BufferRef) for r in x.rooms}
        others = self.kept(()) | {f"?{k}": v for k, v in self.instance.params.items()}
        for name, other in others.items():
            if rooms & viewed(other):
                raise ProgramError(report.RowReplaced(span, name.removeprefix("?")))
        if self.engine.lists.called_with(rooms) & self.instance.reached_by():
            raise ProgramError(report.RowReplaced(span, "a variable of a caller"))

    def _keep_lent(self, target: Value) -> None:
        """Have the lists be rows of a list, of which a member's number has chosen a copy.

        Raises:
          Replan: the copy is of a list that an expression has made.
        """
        assert isinstance(target.tree, pytree.Node)
        self.engine.lists.write(of_program(target.tree.origins), grows=True)

    def change(self, made: ListChange) -> bool:
        """Change a list; whether what follows is reached."""
        changing, target, span = made.changing, made.target, made.span
        if layout_of(target.value).borrowed:
            self._keep_lent(target.value)
            raise ProgramError(report.ListOfDict(span))
        if must_stay(target.value):
            raise ProgramError(report.RowChanged(span))
        self.fit(changing.method, target.value, made.operands, span)
        self.note_copies([operand.value for operand in made.operands], span)
        self.note_put(target.value, made.read[1:], span)
        if holds_rows(target.value) and changing.method != "append":
            self._check_views(target.value, span)
        names = (made.result, *(f"%{field}" for field in Change._fields[1:]))
        where = f"{self.instance.name}.{made.result}"
        takes = _RESULT if changing.method.endswith(("pop", "popleft")) else None
        fn = self.engine.lists.making(changing, takes, self.site)
        try:
            read = (*made.read, *changing.keywords[len(changing.keywords) - len(made.more) :])
            outcome = self.engine.evaluate(fn, made.values, span, where, False, read)
        except ProgramError as error:
            self.refuse_elements(error, span)
            if isinstance(error.__cause__, ChangesLength):
                self.engine.lists.write(self.engine.lists.of(target.value), grows=True)
            return self._fails(error, made.values, span)
        self.may_raise(outcome, span)
        for place in outcome.shared:
            self.note_row(made.values[place], target.value, span, mark=with_rows)
        makings = self.makings(names, outcome.values)
        given = outcome.values
        if has_copies(target.value):  # what is taken out may be what a variable means
            given = (new_as_row(given[0]), *given[1:])
        results = tuple(with_rooms(value, makings) for value in given)
        self.noted(results[0], Fresh(True), (0,))
        self.assign(made.result, results[0], span)
        if self.emitter:
            text = f"{changing.method}({', '.join(made.read)})"
            op = ir.Primitive(names, changing, (), text, span)
            self.emitter.primitive(
                op, fn, [target, *made.operands, *made.more], outcome, results, makings, False
            )
            written = [self.emitter.operand(*x) for x in zip(names, results, strict=True)]
            self.emitter.change(target, Change(*written), span)
        return True

    def noted(self, value: Value, makes: Fresh | None, path: Path, name: str = "") -> Value:
        """Take note of the lists that the present operation has made."""
        return self.engine.lists.note(value, makes, lambda p: self.site(p, name), path)

    def refuse_elements(self, error: ProgramError, span: Span) -> None:
        """Say of what expressions make that no list of the member can hold it."""
        if isinstance(error.__cause__, NotOneType):
            raise ProgramError(report.ListElement(span, str(error.__cause__))) from error


_RESULT = Fresh(False, ((0, Fresh(True)),))
COPYING = ("copy", "union", "intersection", "difference", "symmetric_difference")
"""Methods that make a new list, set, ..."""


def viewed(value: Value) -> set[str]:
    """The rooms of lists of which a value has a row."""
    if is_list(value.tree):
        leaves = data_of(value).leaves if level(value) else ()
        return {r for x in leaves if isinstance(x, BufferRef) for r in x.rooms}
    return {room for _, child in child_values(value) for room in viewed(child)}


def shown(variable: str) -> str:
    """What to call a variable in a message."""
    return "it" if variable.startswith("%") else variable
