"""Objects of the user's that loops go over, and what takes all elements: `sum(tree)`.

An expression runs once for all members, and so does the user's `__iter__` there. Where that fails,
as the number of elements is the member's, a function of the program goes over the object.
"""

from __future__ import annotations

import copy

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.element_sources import TAKING_BUILTINS
from pcbatch.frontend.kept_iterators import is_generated
from pcbatch.frontend.nodes import module_call
from pcbatch.frontend.runtime_names import OBJECTS, RUNTIME

_METHODS = ("__iter__", "__next__")


def rewrite(b: Builder) -> bool:
    """Have a function go over objects of the user's by their own methods, where these are known.

    Args:
      b: its builder; `b.source.node` is changed.

    Returns:
      Whether there are such methods.
    """
    if not any(map(b.is_method, _METHODS)):
        return False
    b.has_iterators = True
    for node in gast.walk(b.source.node):
        match node:
            case gast.Call(func=gast.Name(id=name), args=[given]) if (
                name in TAKING_BUILTINS and b.is_builtin(name) and may_be_object(b, given)
            ):
                node.args = [_elements(given)]
            case gast.comprehension(iter=given) if may_be_object(b, given):
                node.iter = _elements(given)
    return True


def _elements(node: gast.expr) -> gast.expr:
    """What gives the elements; of what is no object of the user's, itself."""
    found = module_call(OBJECTS, "elements_of", [node], node)
    owner = node
    while isinstance(owner, gast.Attribute):
        owner = owner.value
    if not isinstance(owner, gast.Name):
        return found
    test = module_call(OBJECTS, "has_elements", [copy.deepcopy(node)], node)
    return gast.copy_location(gast.IfExp(test, found, copy.deepcopy(node)), node)


def may_be_object(b: Builder, node: gast.expr) -> bool:
    """Whether an expression may give an object of the user's: a name, or what is of one."""
    match node:
        case gast.IfExp(body=body) if is_generated(body):
            return True
        case gast.Name(id=name):
            return name not in RUNTIME
        case gast.Attribute(value=value) | gast.Subscript(value=value):
            return may_be_object(b, value)
        case gast.Call(func=gast.Name(id=name)):
            return not b.is_builtin(name)
    return False
