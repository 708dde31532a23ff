"""Objects of the user's that loops go over, and what takes all elements: `sum(tree)`.

An expression runs once for all members, and so does the user's `__iter__` there. Where that fails,
as the number of elements is the member's, a function of the program goes over the object. What
takes all elements before anything else happens is given a list of them.
"""

from __future__ import annotations

import collections
import copy
import itertools

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.element_sources import TAKING_BUILTINS, is_selection
from pcbatch.frontend.kept_iterators import is_generated
from pcbatch.frontend.lazy_calls import takes_lazy
from pcbatch.frontend.nodes import become, module_call
from pcbatch.frontend.own_nodes import parents_of
from pcbatch.frontend.quiet_methods import comes_to_an_end
from pcbatch.frontend.runtime_names import ITERATORS, OBJECTS, RUNTIME
from pcbatch.frontend.taken_whole import is_whole_loop
from pcbatch.semantics.object_elements import by_index

_METHODS = ("__iter__", "__next__", "__reversed__", by_index.__name__)
_PASSING = ("enumerate", "zip", "map", "filter", "any", "all")
"""Builtins that take elements one by one."""
_POOLING = (
    itertools.product, itertools.permutations, itertools.combinations,
    itertools.combinations_with_replacement,
)  # fmt: skip
"""What takes all elements before it gives one."""


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
    parents = parents_of(b.source.node)
    for node in list(gast.walk(b.source.node)):
        match node:
            case gast.Call(func=made, args=[gast.Call(args=[given])]) if _is_kept_iterator(
                made
            ) and may_be_object(b, given):
                _iterator(node, given)
            case gast.Call(args=[given]) if b.is_builtin_call(node, "reversed"):
                if _is_place(given):
                    _turn(node, given, is_whole_loop(b, node, parents))
            case gast.Call():
                node.args = [_argument(b, node, given, parents) for given in node.args]
            case gast.comprehension(iter=given) if may_be_object(b, given):
                if is_whole_loop(b, given, parents):
                    node.iter = _elements(given)
                else:
                    given.is_in_parts = True
            case gast.For(iter=given) if may_be_object(b, given):
                given.is_whole = is_whole_loop(b, given, parents)
            case gast.Starred(value=given, ctx=gast.Load()) if may_be_object(b, given):
                in_call = isinstance(parents.get(id(node)), gast.Call)
                node.value = _listed(given) if in_call else _elements(given)
            case gast.Assign(targets=[gast.Tuple(elts=parts)], value=given) if may_be_object(
                b, given
            ):
                starred = any(isinstance(part, gast.Starred) for part in parts)
                node.value = _elements(given) if starred else _listed(given)
            case gast.Compare(ops=[gast.In() | gast.NotIn()], comparators=[given]) if may_be_object(
                b, given
            ):
                node.comparators = [_if("is_searched", "listed", given)]
    return True


def _argument(
    b: Builder, call: gast.Call, given: gast.expr, parents: dict[int, gast.AST]
) -> gast.expr:
    """What takes the place of an argument, if the function takes its elements."""
    if not may_be_object(b, given):
        return given
    named = call.func.id if isinstance(call.func, gast.Name) else ""
    name = named if b.is_builtin(named) else ""
    alone = name in TAKING_BUILTINS and len(call.args) == 1
    if not alone and isinstance(given, gast.Call) and not _is_made(b, given):
        return given  # a generator's call, whose elements may be asked for
    if name == "enumerate":
        return _elements(given) if is_whole_loop(b, call, parents) else _listed(given)
    known = b.callee(call.func)
    if known is not None and any(known.value is f for f in _POOLING):
        return _elements(given)
    if name in _PASSING or (known is not None and comes_to_an_end(known.value)):
        is_source = name or given is not call.args[-1] or len(call.args) == 1
        return _listed(given) if is_source and not takes_lazy(b, call) else given
    return _elements(given) if alone or is_whole_loop(b, given, parents) else given


def _turn(call: gast.Call, given: gast.expr, is_whole: bool) -> None:
    """Have `reversed(obj)` ask the object's class."""
    how = "turned" if is_whole else "turned_in_parts"
    test, own = (module_call(OBJECTS, name, [copy.deepcopy(given)], call)
                 for name in (f"is_{how}", how))  # fmt: skip
    become(call, gast.IfExp(test, own, copy.copy(call)))


def _is_kept_iterator(function: gast.expr) -> bool:
    """Whether it makes what a variable keeps: `it = iter(xs)`."""
    match function:
        case gast.Attribute(value=gast.Name(id=name), attr="Iterator"):
            return name == ITERATORS
    return False


def _is_made(b: Builder, node: gast.expr) -> bool:
    """Whether it is a call of a class."""
    known = b.callee(node.func) if isinstance(node, gast.Call) else None
    return known is not None and isinstance(known.value, type)


def is_in_parts(b: Builder, node: gast.expr) -> bool:
    """Whether an expression may give an object of which not all elements are taken at once."""
    return b.goes_over_objects and getattr(node, "is_in_parts", False)


def _elements(node: gast.expr) -> gast.expr:
    """What gives all elements; of what is no object of the user's, itself."""
    return _if("has_elements", "elements_of", node)


def _listed(node: gast.expr) -> gast.expr:
    """What an `__iter__` goes over that returns an iterator; of anything else, itself."""
    return _if("gives_iterator", "listed", node)


def _if(test: str, function: str, node: gast.expr) -> gast.expr:
    found = module_call(OBJECTS, function, [node], node)
    if not _is_place(node):
        return found
    condition = module_call(OBJECTS, test, [copy.deepcopy(node)], node)
    return gast.copy_location(gast.IfExp(condition, found, copy.deepcopy(node)), node)


def _is_place(node: gast.expr) -> bool:
    """Whether it is a variable, or an attribute of one: it may be evaluated twice."""
    while isinstance(node, gast.Attribute):
        node = node.value
    return isinstance(node, gast.Name)


def _iterator(made: gast.Call, given: gast.expr) -> None:
    """Have `it = iter(obj)` keep what the object makes."""
    made.args[0].args = [_listed(given)]
    if _is_place(given):
        test, own = (module_call(OBJECTS, name, [copy.deepcopy(given)], given)
                     for name in ("is_asked", "iterator_of"))  # fmt: skip
        become(made, gast.IfExp(test, own, copy.copy(made)))


def may_be_object(b: Builder, node: gast.expr) -> bool:
    """Whether an expression may give an object of the user's: a name, what is of one, a call."""
    match node:
        case gast.IfExp(body=body) if is_generated(body):
            return True
        case gast.Name(id=name):
            return name not in RUNTIME
        case gast.Attribute(value=value) | gast.Subscript(value=value):
            return may_be_object(b, value)
        case gast.Call(func=gast.Name(id=name)):
            return not b.is_builtin(name) and not is_selection(b, node)
        case gast.Call(func=gast.Attribute(attr=name) as function):
            of_container = any(hasattr(kind, name) for kind in _CONTAINERS)
            return not of_container and not _is_ours(function) and b.callee(function) is None
    return False


_CONTAINERS = (list, dict, set, str, collections.deque, collections.OrderedDict)


def _is_ours(function: gast.Attribute) -> bool:
    """Whether it is a function that compiled expressions call."""
    return isinstance(function.value, gast.Name) and function.value.id in RUNTIME
