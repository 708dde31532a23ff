"""Which names of a function mean lists of lists, and which their rows, as far as can be seen."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator

import gast

IsBuiltin = Callable[[str], bool]

ROWS, ROW = "rows", "row"
_COPYING = ("list", "sorted", "reversed", "tuple")


@dataclasses.dataclass
class RowKinds:
    """What is known of the names of a function.

    Attributes:
      is_builtin: whether a name means one of Python's builtins.
      names: `ROWS` or `ROW`, by name.
      groups: by name, the first of the names whose lists may have rows in common.
    """

    is_builtin: IsBuiltin
    names: dict[str, str] = dataclasses.field(default_factory=dict)
    groups: dict[str, str] = dataclasses.field(default_factory=dict)
    inner: list[dict[str, str]] = dataclasses.field(default_factory=list)

    def named(self, name: str) -> str:
        """What a name means here."""
        known = (names[name] for names in reversed(self.inner) if name in names)
        return next(known, self.names.get(name, ""))

    @contextlib.contextmanager
    def within(self, node: gast.AST) -> Iterator[None]:
        """Know the variables of a comprehension, inside."""
        self.inner.append({})
        for generator in node.generators:
            found = dict.fromkeys(_names(generator.target), "")
            self.inner[-1].update(found | self._elements(generator.target, generator.iter))
        try:
            yield
        finally:
            self.inner.pop()

    def _elements(self, target: gast.AST, source: gast.AST) -> dict[str, str]:
        """The variables of a loop that are rows."""
        match target, source:
            case gast.Tuple(elts=[_, one]), gast.Call(
                func=gast.Name(id="enumerate"), args=[inner, *_]
            ):
                return self._elements(one, inner)
            case gast.Name(id=name), _ if self.of(source) == ROWS:
                return {name: ROW}
        return {}

    def of(self, node: gast.AST | None) -> str:
        """What an expression gives: `ROWS`, `ROW`, or "" for what is neither."""
        match node:
            case gast.Name(id=name):
                return self.named(name)
            case gast.List(elts=elements):
                return self._of_display(elements)
            case gast.ListComp(elt=element):
                with self.within(node):
                    return {ROW: ROWS, ROWS: ""}.get(self.of(element), ROW)
            case gast.Subscript(value=owner, slice=gast.Slice()):
                return self.of(owner)
            case gast.Subscript(value=owner):
                return ROW if self.of(owner) == ROWS else ""
            case gast.BinOp(op=gast.Add() | gast.Mult(), left=left, right=right):
                return self.of(left) or self.of(right)
            case gast.IfExp(body=body, orelse=orelse):
                return self.of(body) or self.of(orelse)
            case gast.Call():
                return self._of_call(node)
        return ""

    def _of_display(self, elements: list[gast.expr]) -> str:
        kinds = [
            (ROW if self.of(e.value) == ROWS else "") if isinstance(e, gast.Starred) else self.of(e)
            for e in elements
        ]
        return "" if not elements else ROWS if ROW in kinds else "" if ROWS in kinds else ROW

    def _of_call(self, node: gast.Call) -> str:
        match node:
            case gast.Call(func=gast.Name(id=name), args=[given, *_]) if name in _COPYING:
                if not self.is_builtin(name):
                    return ""
                return self.of(given) or ROW
            case gast.Call(func=gast.Attribute(value=owner, attr="copy"), args=[]):
                return self.of(owner)
            case gast.Call(func=gast.Attribute(value=owner, attr="pop" | "popleft")):
                return ROW if self.of(owner) == ROWS else ""
        return ""

    # --- What statements say ---------------------------------------------------------------

    def learn(self, node: gast.AST) -> bool:
        """Take note of what the statements of a function say; whether that is new."""
        before = dict(self.names)
        for part in gast.walk(node):
            self._learn_from(part)
        return before != self.names

    def _learn_from(self, node: gast.AST) -> None:
        match node:
            case gast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assigned(target, value)
            case gast.AnnAssign(target=target, value=value) if value is not None:
                self._assigned(target, value)
            case gast.AugAssign(target=gast.Name(id=name), op=gast.Add(), value=value):
                if self.of(value) == ROWS:
                    self._note(name, ROWS)
            case gast.For(target=target, iter=source):
                for name, kind in self._elements(target, source).items():
                    self._note(name, kind)
                if isinstance(target, gast.Name) and self.of(target) == ROW:
                    self._note_owner(source)
            case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr=method), args=args):
                self._called(name, method, args)
            case gast.Subscript(value=gast.Subscript(value=gast.Name(id=name), slice=inner)):
                if isinstance(node.ctx, gast.Store) and not isinstance(inner, gast.Slice):
                    self._note(name, ROWS)

    def _assigned(self, target: gast.AST, value: gast.expr) -> None:
        match target, value:
            case gast.Name(id=name), _:
                self._note(name, self.of(value))
                if self.names.get(name) == ROWS and isinstance(value, gast.List):
                    for element in value.elts:
                        self._note_row(element)
            case gast.Tuple(elts=targets), gast.Tuple(elts=values) if len(targets) == len(values):
                for one, given in zip(targets, values, strict=True):
                    self._assigned(one, given)
            case gast.Subscript(value=gast.Name(id=name), slice=index), _:
                if not isinstance(index, gast.Slice) and self.of(value) == ROW:
                    self._note(name, ROWS)

    def _note_owner(self, node: gast.AST) -> None:
        """Note that the elements of an expression are rows."""
        match node:
            case gast.Name(id=name) if not self.of(node):
                self._note(name, ROWS)
            case gast.Subscript(value=owner, slice=gast.Slice()):
                self._note_owner(owner)
            case gast.Call(func=gast.Name(id=name), args=[given, *_]) if name in _COPYING:
                self._note_owner(given)

    def _called(self, name: str, method: str, args: list[gast.expr]) -> None:
        kinds = list(map(self.of, args))
        if method in ("append", "insert") and kinds and kinds[-1] == ROW:
            self._note(name, ROWS)
        elif method in ("append", "insert") and args and self.names.get(name) == ROWS:
            self._note_row(args[-1])
        if method == "extend" and kinds == [ROWS]:
            self._note(name, ROWS)

    def _note_row(self, node: gast.AST) -> None:
        """Note that an expression gives a row."""
        match node:
            case gast.Name(id=name) if not self.of(node):
                self._note(name, ROW)
            case gast.Subscript(value=owner, slice=index) if not isinstance(index, gast.Slice):
                self._note_owner(owner)

    def _note(self, name: str, kind: str) -> None:
        if kind and self.names.get(name) != ROWS:
            self.names[name] = kind

    # --- Whose rows may be one another's ----------------------------------------------------

    def group(self, node: gast.AST) -> None:
        """Put the names in groups that one statement has."""
        for part in gast.walk(node):
            if isinstance(part, gast.stmt | gast.comprehension):
                found = [name for name in _names(part) if name in self.names]
                for name in found[1:]:
                    self._join(found[0], name)

    def _join(self, a: str, b: str) -> None:
        first, second = self.first(a), self.first(b)
        if first != second:
            self.groups[second] = first

    def first(self, name: str) -> str:
        """The name that stands for a group."""
        while name in self.groups:
            name = self.groups[name]
        return name

    def group_of(self, node: gast.AST) -> str:
        """The group of what an expression reads; "" where it reads none of the names."""
        found = (self.first(name) for name in _names(node) if self.names.get(name) in (ROWS, ROW))
        return next(found, "")


def _names(node: gast.AST) -> Iterator[str]:
    """The names in a statement, but for those in the statements in it."""
    if isinstance(node, gast.Name):
        yield node.id
    for child in gast.iter_child_nodes(node):
        if not isinstance(child, gast.stmt):
            yield from _names(child)
