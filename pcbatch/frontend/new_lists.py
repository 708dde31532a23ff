"""Find the lists that an expression makes."""

from __future__ import annotations

import collections
import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import gast

from pcbatch.frontend.names import KnownValue
from pcbatch.frontend.runtime_names import PRELUDE
from pcbatch.semantics import plain_classes, pytree
from pcbatch.semantics.lists.fresh import DEEP, Fresh

LIST = Fresh(True)
_GROWING = Fresh(True, grows=True)
_OF_PRELUDE = Fresh(True, (("places", _GROWING), ("rows", _GROWING)), is_dict=True)
"""An object of the prelude, whose fields are the member's from the beginning."""
_COPYING = ("list", "sorted", "tuple")
_MAKING: tuple[Any, ...] = (
    set, dict, collections.deque, collections.Counter, collections.OrderedDict,
    collections.defaultdict, copy.copy, copy.deepcopy, plain_classes.new,
)  # fmt: skip
"""What makes, when it is called, what can be changed in place."""

Callee = Callable[[gast.AST], KnownValue | None]


def fresh(node: gast.AST, is_builtin: Callable[[str], bool], callee: Callee) -> Fresh | None:
    """What an expression makes; None where it may give what there is already.

    Args:
      node: the expression.
      is_builtin: whether a name means one of Python's builtins.
      callee: what a function that is called is, where that is known.
    """
    match node:
        case gast.List(elts=elements) | gast.Tuple(elts=elements):
            starred = any(isinstance(e, gast.Starred) for e in elements)
            parts = () if starred else enumerate(fresh(e, is_builtin, callee) for e in elements)
            known = tuple((k, part) for k, part in parts if part is not None)
            is_list = isinstance(node, gast.List)
            return Fresh(is_list, known, is_tuple=not is_list)
        case gast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            named = [(k.value, v) for k, v in pairs if isinstance(k, gast.Constant)]
            made = ((k, fresh(v, is_builtin, callee)) for k, v in named)
            known = tuple((k, part) for k, part in made if part is not None)
            return Fresh(True, known, is_dict=True)
        case gast.Set() | gast.SetComp() | gast.DictComp():
            return LIST
        case gast.ListComp(elt=element):
            return Fresh(True, every=fresh(element, is_builtin, callee))
        case gast.BinOp(op=gast.Add() | gast.Mult() | gast.Sub() | gast.BitOr() | gast.BitAnd()):
            return LIST
        case gast.Subscript(slice=gast.Slice()):
            return LIST
        case gast.Call(func=gast.Name(id=name)) if name in _COPYING and is_builtin(name):
            return LIST
        case gast.Call(func=gast.Attribute(value=gast.Name(id=name))) if name == PRELUDE:
            return _OF_PRELUDE
        case gast.Call(func=function) if _makes(function, is_builtin, callee):
            called = callee(function)
            return DEEP if called is not None and called.value is copy.deepcopy else LIST
        case gast.Call():
            return _fresh_object(node, is_builtin, callee)
    return None


def _fresh_object(
    node: gast.Call, is_builtin: Callable[[str], bool], callee: Callee
) -> Fresh | None:
    """What a call of a class makes, or one that changes a copy of an object."""
    known = callee(node.func)
    called = known.value if known is not None else None
    fields = pytree.fields(called) if isinstance(called, type) else ()
    copies = called is dataclasses.replace
    named = node.keywords if fields or copies or _is_replace(node.func) else ()
    given = [*zip(fields, node.args, strict=False), *((k.arg, k.value) for k in named)]
    made = ((name, fresh(part, is_builtin, callee)) for name, part in given)
    named_parts = {name: part for name, part in made if part is not None}
    parts = tuple((_made_by_default(called) | named_parts).items())
    is_object = copies or (isinstance(called, type) and dataclasses.is_dataclass(called))
    return Fresh(is_object, parts, is_dict=True) if is_object or parts else None


def _made_by_default(kind: Any) -> dict[str, Fresh]:
    """What a dataclass makes for fields that it is not given: `field(default_factory=list)`."""
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    return {f.name: LIST for f in fields if f.default_factory in (list, *_MAKING)}


def _is_replace(function: gast.AST) -> bool:
    return isinstance(function, gast.Attribute) and function.attr == "_replace"


def _makes(function: gast.AST, is_builtin: Callable[[str], bool], callee: Callee) -> bool:
    if isinstance(function, gast.Name) and is_builtin(function.id):
        return function.id in ("set", "dict")
    known = callee(function)
    if isinstance(function, gast.Attribute) and function.attr == "fromkeys":
        owner = callee(function.value)
        if owner is not None and owner.value is collections.OrderedDict:
            return True
        return isinstance(function.value, gast.Name) and is_builtin(function.value.id)
    return known is not None and any(known.value is kind for kind in _MAKING)
