"""Whether an `__iter__` of the user's only gives elements: then a loop may take all of them first.

A loop that ends early, by a fault of a member, has then more of them than in Python, which nothing
shows: the text of `__iter__` has no end that is not one of a container, changes nothing, raises
nothing, and calls nothing of the user's.
"""

from __future__ import annotations

import builtins
import itertools
import types
from collections.abc import Mapping
from typing import Any

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend import scope, source
from pcbatch.semantics.collected import returns_iterator
from pcbatch.semantics.generated import makes, method_of
from pcbatch.semantics.object_elements import is_indexed, is_users_iterator

_READING = ("items", "keys", "values", "get", "index", "count", "copy", "__iter__")
"""Methods of containers that change nothing."""
_NOT_QUIET = (
    gast.Raise, gast.Assert, gast.Try, gast.With, gast.While, gast.Delete, gast.NamedExpr,
)  # fmt: skip
ENDLESS = (itertools.count, itertools.cycle, itertools.repeat)
_ACTING = ("next", "setattr", "delattr", "print", "input", "exec", "eval")


def only_gives(value: Any) -> tuple[bool]:
    """A primitive: whether the `__iter__` of an object does nothing but to give its elements."""
    if is_indexed(value):
        return (_is_quiet_text(method_of(value, "__getitem__"), ends=True),)
    own = method_of(value, "__iter__")
    gives = makes(value, "__iter__") or returns_iterator(own)
    return (gives and not is_users_iterator(value) and _is_quiet_text(own),)


def _is_quiet_text(own: types.FunctionType, ends: bool = False) -> bool:
    """Whether a method changes nothing, and comes to an end.

    Args:
      own: the method.
      ends: it says by an exception where the elements end.
    """
    try:
        text = source.find(own).node
    except ProgramError:
        return False
    raised = [n for n in gast.walk(text) if isinstance(n, gast.Raise | gast.Subscript)]
    if ends and not raised:
        return False
    hidden = scope.local_names(text)
    named = {k: v for k, v in own.__globals__.items() if k not in hidden}
    nodes = (n for n in gast.walk(text) if not (ends and _raises_index_error(n)))
    return all(_is_quiet(node, named, hidden) for node in nodes)


def _raises_index_error(node: gast.AST) -> bool:
    match node:
        case gast.Raise(exc=gast.Name(id=name) | gast.Call(func=gast.Name(id=name))):
            return name == IndexError.__name__
    return False


def _is_quiet(node: gast.AST, named: Mapping[str, Any], hidden: frozenset[str]) -> bool:
    match node:
        case gast.Attribute(ctx=context) | gast.Subscript(ctx=context):
            return isinstance(context, gast.Load)
        case gast.AugAssign():
            return isinstance(node.target, gast.Name)
        case gast.Call(func=gast.Name(id=name)):
            known = named.get(name, None if name in hidden else getattr(builtins, name, None))
            is_builtin = known is not None and known is getattr(builtins, name, None)
            return comes_to_an_end(known) or (is_builtin and name not in _ACTING)
        case gast.Call(func=gast.Attribute(value=gast.Name(id=module), attr=name)) if (
            named.get(module) is itertools
        ):
            return comes_to_an_end(getattr(itertools, name, None))
        case gast.Call(func=gast.Attribute(attr=name)):
            return name in _READING
        case gast.Call():
            return False
    return not isinstance(node, _NOT_QUIET)


def comes_to_an_end(function: Any) -> bool:
    """Whether it is a function of `itertools` that comes to an end."""
    return any(function is x for x in vars(itertools).values()) and function not in ENDLESS
