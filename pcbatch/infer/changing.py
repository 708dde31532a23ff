"""Changes of lists in place: assignments to elements, and methods like `append`."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.allocation import with_rooms
from pcbatch.infer.calls import Operand, children
from pcbatch.infer.domain import BufferRef, Conflict, Shared, Static, Tensor, Value, static
from pcbatch.infer.given_lists import ARGUMENTS, argument_lists
from pcbatch.infer.holding import Holding
from pcbatch.infer.keyed import (
    in_place,
    is_counter,
    is_frozen,
    keyed_likes,
    method_name,
    of_counter,
    whole,
)
from pcbatch.infer.kinds import is_held, is_list, is_tuple, kind_of, number_keys
from pcbatch.infer.likes import element_like, joined_like, like_of
from pcbatch.infer.list_values import Path, child_values, data_of, layout_of, opened, subtree
from pcbatch.infer.provenance import made_at
from pcbatch.infer.refusals import HeldInList
from pcbatch.ir import TensorType
from pcbatch.semantics import pytree
from pcbatch.semantics.lists import CHANGES, ArrayPart, Changing, Like, MemberDeque, NotOneType
from pcbatch.semantics.lists.changes import KEEPS_LENGTH, Change, ChangesLength, Followed
from pcbatch.semantics.lists.fresh import Fresh, Origins, Site, Within, within
from pcbatch.semantics.static_values import DELETED, Slice

if TYPE_CHECKING:
    from pcbatch.infer.emit import Emitter
    from pcbatch.infer.evaluate import Evaluation

_METHODS = (types.MethodType, types.BuiltinMethodType)


class ListChanges(Holding):
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

        def note_copies(self, values: Iterable[Value], span: Span) -> None: ...

        def _fails(self, error: ProgramError, values: tuple[Value, ...], span: Span) -> bool: ...

    def site(self, path: Path, name: str = "") -> Site:
        """What stands for a list that the present operation makes."""
        code = self.instance.callee.function.__code__
        if self.place.label == ARGUMENTS:
            return Site(code, "argument", 0, (name, *path[1:]))
        return Site(code, self.place.label, self.position, path)

    def makes(self, op: ir.Primitive | ir.Call, fn: Any) -> Fresh | None:
        """Which lists an operation makes."""
        if isinstance(op, ir.Call):
            method = self.method_of_list(self.read(op.callee, op.span)).rpartition(".")[2]
            return Fresh(False, ((0, Fresh(True)),)) if method in COPYING else None
        if self.place.label == ARGUMENTS:
            code = self.instance.callee.function.__code__
            return argument_lists(self.engine.lists, code, op.targets[0])
        if isinstance(op, ir.Call) and self.method_of_list(self.read(op.callee, op.span)) == "copy":
            return Fresh(False, ((0, Fresh(True)),))
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
        name = of_counter(target.value, name)
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
        receiver, target = target.value, self.contents(target)
        if name not in KEEPS_LENGTH and not layout_of(target.value).grows[_level(target.value)]:
            self.engine.lists.write(where, grows=True)
        operands = [self.operand(arg, op.span) for arg in op.args]
        keywords = tuple(k for k in op.keywords if k)
        changing = self.changing(name, keywords, receiver, op.span)
        return self.change(
            op.targets[0], changing, target, operands, (op.callee, *op.args), op.span
        )

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

    def store_into_list(self, op: ir.Store, target: Operand) -> bool:
        """Run an assignment to an element or a slice of a list, or to an element of a dict."""
        where = self.engine.lists.of(target.value)
        method = method_name(kind_of(target.value), "__setitem__")
        if not is_list(target.value.tree) and not is_held(target.value.tree):
            if not where:
                raise ProgramError(report.StoreIntoList(op.span, shown(op.buffer)))
            self.engine.lists.write(where, grows=method not in KEEPS_LENGTH)
        target = self.contents(target)
        operands = [self.operand(name, op.span) for name in (op.index, op.value)]
        names = (op.buffer, op.index, op.value)
        return self.change("%none", Changing(method), target, operands, names, op.span)

    @staticmethod
    def changing(name: str, keywords: tuple[str, ...], receiver: Value, span: Span) -> Changing:
        """What works out a change.

        Raises:
          ProgramError: it is of a queue of bounded length, and the method is not known for those.
        """
        kind = receiver.tree.type if isinstance(receiver.tree, pytree.Node) else None
        if name == "dict.__delitem__":
            return Changing(name, keywords, (("counts", is_counter(receiver)),))
        longest = subtree(receiver, ("maxlen",)).leaf if kind is MemberDeque else Static(None)
        if longest == Static(None):
            return Changing(name, keywords)
        assert isinstance(longest, Static)
        if name in ("deque.insert", "deque.extend", "deque.extendleft"):
            raise ProgramError(report.BoundedQueue(span, name.removeprefix("deque.")))
        bounded = name in ("deque.append", "deque.appendleft")
        return Changing(name, keywords, (("maxlen", longest.value),) if bounded else ())

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
            if not layout_of(inner).grows[_level(inner)]:
                self.engine.lists.write(self.engine.lists.of(value), grows=True)
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
        if rooms & self.engine.lists.viewed:
            raise ProgramError(report.RowReplaced(span, "a variable of a caller"))

    def change(
        self,
        result: str,
        changing: Changing,
        target: Operand,
        operands: list[Operand],
        read: tuple[str, ...],
        span: Span,
    ) -> bool:
        """Change a list.

        Args:
          result: the variable that takes what the call returns.
          changing: works out the change.
          target: the list.
          operands: the arguments.
          read: what the list and the arguments are called.
          span: where it stands.

        Returns:
          Whether what follows is reached.
        """
        if layout_of(target.value).borrowed:
            raise ProgramError(report.ListOfDict(span))
        self._fit(changing.method, target.value, operands, span)
        self.note_copies([operand.value for operand in operands], span)
        if _holds_rows(target.value) and changing.method != "append":
            self._check_views(target.value, span)
        values = (target.value, *(o.value for o in operands))
        names = (result, *(f"%{field}" for field in Change._fields[1:]))
        where = f"{self.instance.name}.{result}"
        try:
            outcome = self.engine.evaluate(changing, values, span, where, False, read)
        except ProgramError as error:
            self.refuse_elements(error, span)
            if isinstance(error.__cause__, ChangesLength):
                self.engine.lists.write(self.engine.lists.of(target.value), grows=True)
            return self._fails(error, values, span)
        self.may_raise(outcome, span)
        makings = self.makings(names, outcome.values)
        results = tuple(with_rooms(value, makings) for value in outcome.values)
        self.noted(results[0], Fresh(True), (0,))
        self.assign(result, results[0], span)
        if self.emitter:
            text = f"{changing.method}({', '.join(read)})"
            op = ir.Primitive(names, changing, (), text, span)
            self.emitter.primitive(
                op, changing, [target, *operands], outcome, results, makings, False
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

    # --- Types of elements -----------------------------------------------------------------

    def _fit(self, method: str, target: Value, operands: list[Operand], span: Span) -> None:
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
        if _holds_rows(target) and not several:
            self._check_row(value, span)
            several = True  # the elements of the row
            if not layout.grows[-1] and self._length(value) != layout.capacity[-1]:
                lists.write(within(where), grows=True)
        likes = self._likes(value) if several else [element_like(value)]
        if not several and is_list(value.tree):
            self._check_row(value, span)
            lists.write(within(where), grows=layout_of(value).grows[-1])
        like, known = like_of(data_of(target), layout), layout.known
        for own in likes:
            if own is not None and not own.dtypes and _both_lists(own.tree, own.tree):
                lists.write(within(where), grows=True)
            if own is None or not own.dtypes:
                raise ProgramError(report.ListElement(span, f"it is {value}"))
            try:
                like, known = (joined_like(like, own) if known else own), True
            except Conflict:
                if like.tree != own.tree and _both_lists(like.tree, own.tree):
                    lists.write(within(where), grows=True)
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
                raise ProgramError(report.KeyedElement(span, method.partition(".")[0]))
            try:
                like, known = (joined_like(like, own) if known else own), True
            except Conflict:
                raise ProgramError(report.KeyedElement(span, method.partition(".")[0])) from None
        if likes:
            self.engine.lists.retype(self.engine.lists.of(target), like)

    @staticmethod
    def _length(value: Value) -> int | None:
        """The number of elements of a list, where it is known."""
        if is_list(value.tree):
            layout, level = layout_of(value), _level(value)
            return None if layout.grows[level] else layout.capacity[level]
        opened_value = opened(value)
        tree = opened_value.tree
        return len(tree.keys) if isinstance(tree, pytree.Node) else None

    def _likes(self, value: Value) -> list[Like | None]:
        """The types of the elements of a sequence."""
        value, leaf = opened(value), value.leaf
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

    def _check_row(self, value: Value, span: Span) -> None:
        """Refuse to put a list into a list that can be reached by another name afterwards.

        Its elements are copied, so a later change of one would not be seen in the other.
        """
        if is_tuple(value.tree):
            raise ProgramError(report.ListElement(span, "it is a tuple whose length varies"))
        rooms = {r for x in value.leaves if isinstance(x, BufferRef) for r in x.rooms}
        where = made_at(value)
        others = self.kept(()) | {f"?{k}": v for k, v in self.instance.params.items()}
        for name, other in others.items():
            held = {r for x in other.leaves if isinstance(x, BufferRef) for r in x.rooms}
            if rooms & held or where & made_at(other):
                raise ProgramError(report.ListInList(span, name.removeprefix("?")))


COPYING = ("copy", "union", "intersection", "difference", "symmetric_difference")
"""Methods that make a new list, set, ..."""

_VALUES = {
    "__setitem__": 1, "append": 0, "appendleft": 0, "insert": 1, "extend": 0, "extendleft": 0,
}  # fmt: skip
"""Which argument of a method is put into the list."""


def viewed(value: Value) -> set[str]:
    """The rooms of lists of which a value has a row."""
    if is_list(value.tree):
        leaves = data_of(value).leaves if _level(value) else ()
        return {r for x in leaves if isinstance(x, BufferRef) for r in x.rooms}
    return {room for _, child in child_values(value) for room in viewed(child)}


def _holds_rows(target: Value) -> bool:
    return _level(target) + 1 < len(layout_of(target).grows)


def _level(target: Value) -> int:
    """How many rows lead to a list."""
    return pytree.count(subtree(target, ("rows",)).tree)


def shown(variable: str) -> str:
    """What to call a variable in a message."""
    return "it" if variable.startswith("%") else variable


def is_slice(index: Value) -> bool:
    return isinstance(index.tree, pytree.Node) and index.tree.type is Slice


def _both_lists(a: pytree.Tree, b: pytree.Tree) -> bool:
    return all(isinstance(t, pytree.Node) and t.type is list for t in (a, b))
