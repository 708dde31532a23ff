"""Sets and dicts that are put into containers: they become objects on the heap.

Where a function fails with them, it is lowered anew. Then an expression that makes a set, or a
dict, which is put into a container, as far as that can be seen, makes an object of a class of the
prelude instead.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Set

import gast

from pcbatch.frontend.names import KnownValue
from pcbatch.frontend.nodes import assigned
from pcbatch.semantics import prelude

IsBuiltin = Callable[[str], bool]
Callee = Callable[[gast.AST], KnownValue | None]

SET, DICT, COUNTER, DEQUE = "SetOnHeap", "DictOnHeap", "CounterOnHeap", "DequeOnHeap"
DEFAULT = "DefaultDictOfMade"
_WITH_NUMBERS = {"int": "IntDictOnHeap", "float": "FloatDictOnHeap"}
_GIVING = ("setdefault", "get", "pop")
_MAKING_SETS = ("union", "intersection", "difference", "symmetric_difference")
_PUTTING = ("append", "appendleft")
FOR = ":"
"""Between the name of a container and the class for what it has."""


class InnerContainers:
    """Finds the expressions that make sets and dicts which are put into containers.

    Args:
      node: the function.
      is_builtin: whether a name means one of Python's builtins.
      callee: what a function that is called is, where that is known.

    Attributes:
      found: by the identity of an expression, the class of what it is to make.
      defaults: by that of a `defaultdict`, the class of its missing values.
      perhaps: by that of an expression which may make a set or a number, the class for the set.
      results: the identities of expressions that may give a record which all see as a dict.
    """

    results: Set[int] = frozenset()

    def __init__(self, node: gast.AST, is_builtin: IsBuiltin, callee: Callee):
        self._is_builtin, self._callee = is_builtin, callee
        parts = list(gast.walk(node))
        self._of_name = {id(x): name for part in parts for name, x in _inside(part)}
        self.defaults = {
            id(x): self._kind(kind, self._of_name.get(id(x), ""))
            for x in parts
            if (kind := self._default(x))
        }
        put = [pair for part in parts for pair in self.put(part)]
        pairs = [pair for part in parts for pair in assigned(part)]
        of_names = self._of_names(put, pairs)
        named = ((x, _name(target)) for target, x in pairs)
        given = [(x, of_names[name]) for x, name in named if name in of_names]
        self.found = {
            id(value): self._kind(kind, name)
            for value, name in (*put, *given)
            if (kind := self.made(value))
        }
        kinds = (*self.found.values(), *self.defaults.values())
        has_sets = any(any_container(kind) == SET for kind in kinds)
        self.perhaps = {
            id(value): self._kind(SET, name)
            for value, name in (*put, *given)
            if has_sets and id(value) not in self.found and _may_be_set(value)
        }

    def kinds(self) -> set[str]:
        """The classes of the prelude that the function needs for them."""
        made = {*self.found.values(), *self.defaults.values(), *self.perhaps.values()}
        return made | ({DEFAULT} if self.defaults else set())

    def _of_names(
        self, put: list[tuple[gast.expr, str]], pairs: list[tuple[gast.expr, gast.expr]]
    ) -> dict[str, str]:
        """The names of what is put into containers, or is taken out of them; each with one."""
        found = {value.id: name for value, name in put if isinstance(value, gast.Name)}
        filled = {name for value, name in put if self.made(value)} - {""}
        for target, value in pairs:
            if isinstance(target, gast.Name) and (name := _taken_from(value)) in filled:
                found.setdefault(target.id, name)
        known = -1
        while known != len(found):
            known = len(found)
            for target, value in pairs:
                if isinstance(target, gast.Name) and isinstance(value, gast.Name):
                    for one, other in ((target.id, value.id), (value.id, target.id)):
                        if one in found:
                            found.setdefault(other, found[one])
        return found

    @staticmethod
    def _kind(kind: str, name: str) -> str:
        """The class, with the name of the container for which it is."""
        return f"{name}{FOR}{kind}" if name else kind

    def made(self, node: gast.AST) -> str:
        """The class of what an expression makes, as far as can be seen; "" for anything else."""
        match node:
            case gast.Set() | gast.SetComp():
                return SET
            case gast.DictComp():
                return DICT
            case gast.Dict(keys=keys) if keys and all(map(_is_text, keys)):
                return self.record([key.value for key in keys])
            case gast.Dict():
                return DICT
            case gast.Call(func=gast.Name(id="dict"), args=[], keywords=[_, *_] as given) if (
                self._is_builtin("dict") and all(x.arg for x in given)
            ):
                return self.record([x.arg for x in given])
            case gast.Call(func=gast.Name(id="set")) if self._is_builtin("set"):
                return SET
            case gast.Call(func=gast.Name(id="dict"), keywords=[]) if self._is_builtin("dict"):
                return DICT
            case gast.Call(func=function, args=args, keywords=[]):
                return self._of_library(function, args)
            case gast.BinOp(op=gast.BitOr() | gast.BitAnd() | gast.Sub() | gast.BitXor()):
                return self._of_operator(node)
            case gast.IfExp(body=body, orelse=other):
                return self.made(body) if self.made(body) == self.made(other) else ""
        return ""

    def record(self, _: list[str]) -> str:
        """The class of a dict whose keys are known texts; "" as it is a structure of variables."""
        return ""

    def _of_library(self, function: gast.expr, args: list[gast.expr]) -> str:
        known = self._callee(function)
        if known is not None and known.value is collections.Counter:
            return COUNTER
        if known is not None and known.value is collections.deque and len(args) <= 1:
            return DEQUE
        if known is not None and known.value is collections.defaultdict and len(args) == 1:
            name = args[0].id if isinstance(args[0], gast.Name) else ""
            return _WITH_NUMBERS.get(name, "") if self._is_builtin(name) else ""
        return ""

    def _of_operator(self, node: gast.BinOp) -> str:
        parts = (node.left, node.right)
        kinds = set(map(self.made, parts)) - {""}
        return kinds.pop() if len(kinds) == 1 else ""

    def _default(self, node: gast.AST) -> str:
        """The class of the missing values of a `defaultdict`; "" for anything else."""
        match node:
            case gast.Call(func=function, args=[given]):
                known = self._callee(function)
                if known is None or known.value is not collections.defaultdict:
                    return ""
                return self._empty(given)
        return ""

    def _empty(self, function: gast.AST) -> str:
        """The class of the empty set, or dict, that a function makes; "" for anything else."""
        match function:
            case gast.Name(id="set") if self._is_builtin("set"):
                return SET
            case gast.Name(id="dict") if self._is_builtin("dict"):
                return DICT
            case gast.Lambda(body=body):
                kind = self.made(body)
                constant = is_record(kind) and _are_constant(values_of(body))
                return kind if constant or is_empty(body) else ""
        known = self._callee(function)
        kinds = {id(collections.Counter): COUNTER, id(collections.deque): DEQUE}
        return kinds.get(id(known.value), "") if known is not None else ""

    def put(self, node: gast.AST) -> Iterator[tuple[gast.expr, str]]:
        """The expressions whose values are put into a container, with the name of that."""
        own = self._of_name.get(id(node), "")
        match node:
            case gast.DictComp(value=value) | gast.ListComp(elt=value):
                yield value, own
            case gast.Dict(values=values) | gast.List(elts=values):
                yield from ((value, own) for value in values)
            case gast.Assign(targets=[gast.Subscript(value=owner)], value=value):
                yield value, _name(owner)
            case gast.Call(func=gast.Attribute(value=owner, attr=method), args=[_, value]):
                if method in (*_GIVING, "insert"):
                    yield value, _name(owner)
            case gast.Call(func=gast.Attribute(value=owner, attr=method), args=[value]):
                if method in _PUTTING:
                    yield value, _name(owner)


def _may_be_set(node: gast.AST) -> bool:
    """Whether an expression makes a set, if its operands are sets."""
    match node:
        case gast.BinOp(op=gast.BitOr() | gast.BitAnd() | gast.Sub() | gast.BitXor()):
            return True
        case gast.Call(func=gast.Attribute(attr=name)):
            return name in _MAKING_SETS
    return False


def _is_text(node: gast.expr | None) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, str)


def is_empty(node: gast.AST) -> bool:
    """Whether it makes something empty."""
    match node:
        case gast.Dict(keys=[]) | gast.Call(func=gast.Name(id="set" | "dict"), args=[]):
            return True
        case gast.Call(args=[gast.Name(id="int" | "float")]) | gast.Call(args=[], keywords=[]):
            return True
    return False


def is_record(kind: str) -> bool:
    return kind.startswith(prelude.RECORD)


def values_of(node: gast.AST) -> list[gast.expr]:
    """The values of a dict that an expression shows."""
    match node:
        case gast.Dict(values=values):
            return list(values)
        case gast.Call(keywords=given):
            return [x.value for x in given]
    return []


def _are_constant(values: list[gast.expr]) -> bool:
    plain = (x.operand if isinstance(x, gast.UnaryOp) else x for x in values)
    return all(isinstance(value, gast.Constant) for value in plain)


def _taken_from(node: gast.AST) -> str:
    """The name of the container that an expression takes an element of."""
    match node:
        case gast.Subscript(value=owner):
            return _name(owner)
        case gast.Call(func=gast.Attribute(value=owner, attr=method)) if method in _GIVING:
            return _name(owner)
    return ""


def any_container(kind: str) -> str:
    """The class for all containers, instead of the one for one of them."""
    name, sign, of_all = kind.partition(FOR)
    return of_all if sign and name.isidentifier() else kind


def _name(node: gast.AST) -> str:
    match node:
        case gast.Name(id=name) | gast.Attribute(attr=name):
            return str(name)
    return ""


def _inside(node: gast.AST) -> Iterator[tuple[str, gast.AST]]:
    """All parts of what is assigned to a variable, with its name."""
    for target, value in assigned(node):
        name = _name(target)
        yield from ((name, part) for part in gast.walk(value) if name)
