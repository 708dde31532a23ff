"""What an `__iter__` that is no generator function returns, as a function of the program.

    def __iter__(self):                   def __iter__(self, *, elements=None):
        if self.own:                          if self.own:
            return iter(self.own)     =>          return self.own
        return map(f, self.xs)                return made_at_once(list(map(f, self.xs)), elements)

A loop over a container sees what happens to it meanwhile, as Python's iterator does. What is made
one by one is made at once, which only a caller that takes all elements cannot see.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.extended import listed
from pcbatch.frontend.nodes import constant, module_call, read
from pcbatch.frontend.own_nodes import own_nodes
from pcbatch.frontend.quiet_methods import ENDLESS
from pcbatch.frontend.runtime_names import OBJECTS
from pcbatch.semantics.collected import ELEMENTS, returns_iterator

_MAKING = ("map", "filter", "zip", "enumerate", "reversed")
"""Builtins that make elements one by one."""
_OF_ITERTOOLS = {
    id(x): x for x in vars(itertools).values() if isinstance(x, type) and x not in ENDLESS
}


def rewrite(b: Builder) -> bool:
    """Have an `__iter__` return what has the elements.

    Args:
      b: the builder of a function; `b.source.node` is changed.

    Returns:
      Whether it is one.
    """
    node = b.source.node
    if not isinstance(node, gast.FunctionDef) or not returns_iterator(b.fn):
        return False
    for returned in _returns(node):
        returned.value = _source(b, returned.value)
    elements = gast.copy_location(gast.Name(ELEMENTS, gast.Param(), None, None), node.body[0])
    node.args.kwonlyargs.append(elements)
    node.args.kw_defaults.append(constant(None, node.body[0]))
    b.local |= {ELEMENTS}
    return True


def check(b: Builder) -> None:
    """Have it refuse to return what Python does not take for an iterator.

    Args:
      b: the builder, when its generators are kept; `b.source.node` is changed.
    """
    for returned in _returns(b.source.node):
        if not hasattr(returned.value, "has_elements"):
            returned.value = module_call(OBJECTS, "returned", [returned.value], returned.value)


def _returns(function: gast.AST) -> Iterator[gast.Return]:
    nodes = own_nodes(function, generators=False)
    return (n for n in nodes if isinstance(n, gast.Return) and n.value is not None)


def _source(b: Builder, node: gast.expr) -> gast.expr:
    """What has the elements of what an expression gives, if that is an iterator for sure."""
    match node:
        case gast.IfExp():
            node.body, node.orelse = _source(b, node.body), _source(b, node.orelse)
            if all(hasattr(part, "has_elements") for part in (node.body, node.orelse)):
                return _known(node)
        case gast.Call(func=gast.Name(id="iter"), args=[source]) if b.is_builtin("iter"):
            found = _source(b, source)
            return found if hasattr(found, "has_elements") else _known(source)
        case gast.Call(func=gast.Attribute(value=owner, attr="__iter__"), args=[], keywords=[]):
            if not b.is_builtin_call(owner, "super"):
                return _known(owner)
            node.elements = gast.copy_location(gast.List([], gast.Load()), node)
            return _at_once(node)
        case gast.GeneratorExp(elt=element, generators=generators):
            return _at_once(gast.copy_location(gast.ListComp(element, generators), node))
        case gast.Call() if _makes_one_by_one(b, node):
            return _at_once(listed(node))
    return node


def _makes_one_by_one(b: Builder, node: gast.Call) -> bool:
    if "list" in scope.local_names(b.source.node) or not b.is_builtin("list"):
        return False
    if any(b.is_builtin_call(node, name) for name in _MAKING):
        return True
    known = b.callee(node.func)
    value = getattr(known.value, "__self__", known.value) if known is not None else None
    return _OF_ITERTOOLS.get(id(value)) is not None


def _at_once(node: gast.expr) -> gast.expr:
    given = [node, read(ELEMENTS, node)]
    return _known(module_call(OBJECTS, "made_at_once", given, node))


def _known(node: gast.expr) -> gast.expr:
    """An expression of which it is known that it has elements."""
    node.has_elements = True
    return node
