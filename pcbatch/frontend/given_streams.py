"""Generator expressions that functions of the program are given, `Tree(x * x for x in xs)`.

A list takes the place of such an expression where nobody can tell: the function goes over it once,
to the end, and reaches nothing that the elements are made of.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend import scope, source
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.element_sources import TAKING, TAKING_BUILTINS
from pcbatch.frontend.own_nodes import own_nodes, parents_among, reads_of
from pcbatch.semantics.user_code import is_users_file

_ENDS_EARLY = (gast.Break, gast.Return, gast.Raise)


def is_taken(b: Builder, call: gast.Call, given: gast.GeneratorExp) -> bool:
    """Whether a list may take the place of a generator expression that a call is given.

    Args:
      b: the builder of the function that calls.
      call: of a function of the program.
      given: one of its arguments.
    """
    others = [x for x in (*call.args, *(k.value for k in call.keywords)) if x is not given]
    alone = all(isinstance(x, gast.Constant) for x in others)
    known = b.callee(call.func)
    if known is None or not (alone or _is_of_numbers(b, given, others)):
        return False
    function, bound = _function(known.value)
    definition = None if function is None else _definition(function)
    if function is None or definition is None or function.__code__.co_freevars:
        return False
    name = _parameter(definition, call, given, bound)
    return name is not None and _is_gone_over_once(definition, name, function.__globals__)


def _is_of_numbers(b: Builder, given: gast.GeneratorExp, others: Sequence[gast.expr]) -> bool:
    """Whether operators make the elements, of the numbers of a range, and of no other argument."""
    changed = (gast.Call, gast.Attribute, gast.Subscript)
    first, *further = given.generators
    if not b.is_builtin_call(first.iter, "range"):
        return False
    parts = (given.elt, *first.ifs, *further, *first.iter.args)
    numbers = {name for x in first.iter.args for name in scope.free_names(x)}
    names = {name for x in others for name in scope.free_names(x)} - numbers
    return names.isdisjoint(scope.free_names(given)) and not any(
        isinstance(x, changed) for part in parts for x in gast.walk(part)
    )


def is_users(value: Any) -> bool:
    """Whether the user has written what a call of a value runs."""
    function, _ = _function(value)
    return function is not None and is_users_file(function.__code__.co_filename)


def _function(value: Any) -> tuple[types.FunctionType | None, int]:
    """The function that a call runs, and how many arguments it has before those of the call."""
    value = inspect.unwrap(value) if callable(value) else value
    found, bound = value, 0
    if isinstance(value, type):
        found, bound = inspect.getattr_static(value, "__init__"), 1
    elif isinstance(value, types.MethodType):
        found, bound = value.__func__, 1
    elif callable(value) and not isinstance(value, types.FunctionType):
        found, bound = vars(type(value)).get("__call__"), 1
    return (found if isinstance(found, types.FunctionType) else None), bound


def _definition(function: types.FunctionType) -> gast.FunctionDef | None:
    try:
        found = source.find(function).node
    except ProgramError:  # of a dataclass
        return None
    return found if isinstance(found, gast.FunctionDef) else None


def _parameter(
    definition: gast.FunctionDef, call: gast.Call, given: gast.GeneratorExp, bound: int
) -> str | None:
    """The parameter that an argument is for."""
    for keyword in call.keywords:
        if keyword.value is given:
            return str(keyword.arg)
    place = next(k for k, x in enumerate(call.args) if x is given)
    names = [x.id for x in (*definition.args.posonlyargs, *definition.args.args)][bound:]
    starred = any(isinstance(x, gast.Starred) for x in call.args[:place])
    return names[place] if place < len(names) and not starred else None


def _is_gone_over_once(definition: gast.FunctionDef, name: str, names: Mapping[str, Any]) -> bool:
    """Whether a function goes over a parameter once, to the end, whatever happens."""
    seeing = _until_assigned(definition.body, name)
    reads = reads_of(name, seeing or ())
    if len(reads) != 1:
        return False
    parents = parents_among([definition, *own_nodes(definition)])
    chain = list(_chain(reads[0], parents))
    statement = next((x for x in chain if isinstance(x, gast.stmt)), None)
    if (
        statement is None
        or parents[id(statement)] is not definition
        or _returns_before(definition, statement)
    ):
        return False
    return _takes_all(reads[0], chain, names)


def _until_assigned(body: list[gast.stmt], name: str) -> list[gast.stmt] | None:
    """The statements that see what a parameter was given; None where that is not known."""
    for place, statement in enumerate(body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=target)]) if target == name:
                return body[: place + 1]
        if scope.binding_counts([statement]).get(name, 0):
            return None
    return body


def _chain(node: gast.AST, parents: Mapping[int, gast.AST]) -> Iterator[gast.AST]:
    """What a node is a part of, from the inside out."""
    while (found := parents.get(id(node))) is not None:
        yield found
        node = found


def _returns_before(definition: gast.FunctionDef, statement: gast.stmt) -> bool:
    before = definition.body[: next(k for k, s in enumerate(definition.body) if s is statement)]
    return any(isinstance(x, gast.Return | gast.Yield) for s in before for x in gast.walk(s))


def _takes_all(part: gast.AST, chain: list[gast.AST], names: Mapping[str, Any]) -> bool:
    """Whether what is around a parameter takes all its elements."""
    around, *outer = chain
    match around:
        case gast.For(iter=head):
            inner = (x for s in around.body for x in gast.walk(s))
            return head is part and not any(isinstance(x, _ENDS_EARLY) for x in inner)
        case gast.comprehension(iter=head):
            comprehension, *further = outer
            if head is not part or comprehension.generators[0] is not around:
                return False
            if isinstance(comprehension, gast.GeneratorExp):
                return _takes_all(comprehension, further, names)
            return _is_once(further)
        case gast.Call(func=gast.Attribute(attr=method)):
            return part is not around.func and method in TAKING and _is_once(outer)
        case gast.Call(func=gast.Name(id=called), args=[first, *_]) if called not in names:
            if called in TAKING_BUILTINS:
                return first is part and _is_once(outer)
            return called == "enumerate" and first is part and _takes_all(around, outer, names)
    return False


def _is_once(around: list[gast.AST]) -> bool:
    """Whether an expression is evaluated once where its statement is run."""
    inner = around[: next(k for k, x in enumerate(around) if isinstance(x, gast.stmt)) + 1]
    *parts, statement = inner
    several = (gast.comprehension, gast.IfExp, gast.BoolOp, gast.Lambda)
    heads = (gast.Assign, gast.AnnAssign, gast.AugAssign, gast.Expr, gast.Return, gast.For)
    return isinstance(statement, heads) and not any(isinstance(x, several) for x in parts)
