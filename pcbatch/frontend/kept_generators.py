"""Generators that are kept, `rng = lcg(7)`: each is an object that goes on when it is asked.

    rng = lcg(7)                        rng = generated(lcg, 7)
    x = next(rng)              =>       x = rng.taken() if advance(rng) else no_next()

The statements of a generator that is used up where it stands take the place of its call, or fill a
list, see `yielding` and `collected_generators`.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import types
from collections.abc import Sequence
from typing import Any

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend import counts, scope, source
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.compile import Known
from pcbatch.frontend.generator_calls import arguments_of, as_going, is_generator_call
from pcbatch.frontend.generator_definitions import Generators, ends_with_more, yields_alone
from pcbatch.frontend.kept_streams import is_moved
from pcbatch.frontend.lazy_calls import name_of, sources
from pcbatch.frontend.nodes import assigned, become, constant, module_call, read
from pcbatch.frontend.own_nodes import own_nodes, parents_among, parents_of, reads_of
from pcbatch.frontend.runtime_names import GENERATED
from pcbatch.frontend.taken_whole import is_taken_whole
from pcbatch.semantics import generated
from pcbatch.semantics.generated import OUTER, TAKEN


def rewrite(b: Builder, is_resumed: bool = False) -> None:
    """Have a function keep generators as objects.

    Args:
      b: its builder; `b.source.node` is changed.
      is_resumed: the function is a generator that goes on itself.
    """
    _endless(b)
    generators, parents = Generators(b), parents_of(b.source.node)
    for node in reversed(list(own_nodes(b.source.node, generators=False))):  # inner ones first
        call = parents.get(id(node))
        is_called = isinstance(call, gast.Call) and call.func is node
        found = generators.meant(node) if is_called else None
        of_own_class = _own_method(b, generators, node) if is_called else None
        found = of_own_class or found
        if found is None or not _can_be_kept(generators, found, node, of_own_class is not None):
            continue
        looped = _is_looped(b, call, parents)
        around = parents[id(call)]
        is_asked = of_own_class is not None or not isinstance(node, gast.Attribute)
        if not is_asked and not _can_be_asked(node, around):
            continue  # it may be another class's
        if looped:
            several = _takes_turns(b, call, parents[id(call)])
            is_kept = several or _is_in_parts(b, generators, call, is_resumed)
        else:
            is_kept = _is_kept(b, call, parents) or _is_given(b, generators, call, parents)
        if not is_kept:
            continue
        names = scope.parameters(found.args)[isinstance(node, gast.Attribute) :]
        given = arguments_of(found, call, isinstance(node, gast.Attribute))
        function = node if given is None else _function(b, generators, node, found)
        if given is not None and function is not None:
            b.has_iterators = True
            own = [read(name, call) for name in _taken(b, generators, found)]
            made = _generated(function, [*(given[name] for name in names), *own])
            if isinstance(node, gast.Attribute) and of_own_class is None:
                _if_makes(call, made)
            else:
                become(call, as_going(made) if looped else made)


def _can_be_kept(
    generators: Generators, function: gast.FunctionDef, named: gast.expr, is_known: bool
) -> bool:
    """Whether the statements of a generator function can go on, and it is sure which one it is."""
    if not yields_alone(function) or ends_with_more(function) or function.decorator_list:
        return False
    if isinstance(named, gast.Name):
        return not generators.is_nested(named.id) or generators.is_one(named.id)
    return is_known or generators.are_alike(named.attr)


def _endless(b: Builder) -> None:
    """Have variables keep `itertools.cycle(xs)` and `itertools.count(start, step)`."""
    for node in own_nodes(b.source.node, generators=False):
        kept = [node.value] if isinstance(node, gast.Return) else []
        kept += [
            value
            for target, value in assigned(node)
            if isinstance(target, gast.Name | gast.Attribute)
            and not counts.is_number(b, target, value)
        ]
        for value in kept:
            if (found := _made_without_end(b, value)) is not None:
                b.has_iterators = True
                function, given = found
                become(value, _generated(_named(b, function, value), given))


def _made_without_end(b: Builder, node: gast.AST) -> tuple[Any, list[gast.expr]] | None:
    """The generator function of what is called, and its arguments; None for anything else."""
    known = b.callee(node.func) if isinstance(node, gast.Call) else None
    if known is not None and known.value is itertools.cycle and len(node.args) == 1:
        return generated.cycled, node.args
    if known is not None and known.value is itertools.count:
        given = counts.arguments(node)
        return None if given is None else (generated.counted, given)
    return None


def _own_method(b: Builder, generators: Generators, method: gast.expr) -> gast.FunctionDef | None:
    """The generator function, where it is a method of the class in which it is called."""
    around = b.fn.__globals__.get(b.own_source.qualname.rpartition(".")[0])
    own = scope.parameters(b.own_source.node.args)[:1]
    match method:
        case gast.Attribute(value=gast.Name(id=name), attr=attribute) if (name,) == own:
            kind = around
        case gast.Attribute(value=gast.Call(func=called), attr=attribute):
            known = b.callee(called)
            kind = known.value if known is not None else None
        case _:
            return None
    found = inspect.getattr_static(kind, attribute, None) if isinstance(kind, type) else None
    return generators.definition(found)


def _if_makes(call: gast.Call, made: gast.Call) -> None:
    """Have a call of a method make a generator, if it is one of the class's that does."""
    function = call.func
    parts = [copy.deepcopy(function.value), constant(function.attr, function)]
    test = module_call(GENERATED, "makes", parts, call)
    become(call, gast.IfExp(test, made, copy.deepcopy(call)))


def _named(b: Builder, function: types.FunctionType, like: gast.AST) -> gast.Name:
    """A variable that has a function."""
    variable = b.flow.temporary()
    b.flow.run((variable,), Known(function), (), function.__name__, b.span(like))
    return read(variable, like)


def _can_be_asked(method: gast.Attribute, around: gast.AST) -> bool:
    """Whether it can be asked what a method is of, and then a loop can go over either."""
    owner = method.value
    while isinstance(owner, gast.Attribute):
        owner = owner.value
    taking = gast.For | gast.Assign | gast.AnnAssign | gast.Return | gast.Tuple
    return isinstance(owner, gast.Name) and isinstance(around, taking)


def _is_looped(b: Builder, call: gast.Call, parents: dict[int, gast.AST]) -> bool:
    """Whether a loop goes over a generator, or what takes its elements one by one."""
    match parents[id(call)]:
        case gast.For(iter=elements) | gast.comprehension(iter=elements):
            return elements is call
        case gast.Call() as taker if name := name_of(b, taker):
            return any(call is source for source in sources(name, taker))
    return False


def _takes_turns(b: Builder, call: gast.Call, around: gast.AST) -> bool:
    """Whether `zip` takes elements of another generator, too, whose statements stand in a loop."""
    if not isinstance(around, gast.Call) or name_of(b, around) != "zip":
        return False
    others = around.args[: next(k for k, x in enumerate(around.args) if x is call)]
    return any(is_generator_call(b, x) for x in others)


def _is_in_parts(b: Builder, generators: Generators, call: gast.Call, is_resumed: bool) -> bool:
    """Whether the statements of a generator cannot take the place of its call in a loop, and not
    all elements are taken at once."""
    known = b.callee(call.func)
    if is_generator_call(b, call):
        return False
    if known is not None and not b.calls_program(known) and not is_resumed:
        return False  # Python runs it, as far as it can
    return is_resumed or not is_taken_whole(b, generators, call)


def _function(
    b: Builder, generators: Generators, node: gast.expr, found: gast.FunctionDef
) -> gast.expr | None:
    """What has the generator function; None where it takes what is not the same at each time."""
    if not isinstance(node, gast.Name) or not generators.is_nested(node.id):
        return None if isinstance(node, gast.Name) and node.id in b.local else node
    taken = _taken(b, generators, found)
    if not all(name in b.local and _is_settled(b, name, node) for name in taken):
        return None
    outer = vars(b.fn).get(OUTER, b.fn)
    made = generated.nested(outer, found.name, found.lineno, taken)
    if made is None:
        return None
    source.remember(made.__code__, b.own_source)
    return _named(b, made, node)


def _taken(b: Builder, generators: Generators, function: gast.FunctionDef) -> tuple[str, ...]:
    """The variables of the functions around it that a generator reads, without functions."""
    names = (n for n in scope.free_names(function) if n in b.local)
    return tuple(n for n in names if not generators.is_nested(n))


def _is_settled(b: Builder, name: str, call: gast.expr) -> bool:
    """Whether a variable has its one value before a generator is made that reads it later."""
    if name in vars(b.fn).get(TAKEN, ()):
        return True
    here = b.source.node
    function = here if name in scope.local_names(here) else source.root_of(b.own_source)
    if not isinstance(function, gast.FunctionDef):
        return False
    count = scope.binding_counts(function.body)[name]
    if name in scope.parameters(function.args) or count != 1:
        return count == 0 and name in scope.parameters(function.args)
    statement = next(s for s in function.body if name in scope.bound_names([s]))
    loops = (n for n in gast.walk(statement) if isinstance(n, gast.For | gast.While))
    if any(name in scope.bound_names([loop]) for loop in loops):
        return False
    return function is not here or bool(statement.lineno < call.lineno)


def _is_kept(b: Builder, call: gast.Call, parents: dict[int, gast.AST]) -> bool:
    """Whether the elements of a generator are not taken where it is made."""
    match parents[id(call)]:
        case gast.Assign(targets=[gast.Name(id=name)], value=value) as made if value is call:
            around = parents_among(gast.walk(b.source.node))
            reads = reads_of(name, b.source.node.body)
            asked = any(_is_asked(b, read, around) for read in reads)
            return asked or not is_moved(b, made)
        case gast.Assign(value=value) | gast.AnnAssign(value=value) | gast.Return(value=value):
            return value is call
        case gast.List() | gast.Tuple() | gast.Dict():
            return True
        case gast.ListComp(elt=value) | gast.DictComp(value=value):
            return value is call
        case gast.Call(func=gast.Attribute(attr="append")):
            return True
        case gast.Call(func=gast.Name(id="next")):
            return b.is_builtin("next")
    return _is_asked(b, call, parents)


def _is_given(
    b: Builder, generators: Generators, call: gast.Call, parents: dict[int, gast.AST]
) -> bool:
    """Whether another generator, or a function of the program, is given a generator."""
    match parents[id(call)]:
        case gast.Call(func=function, args=args) if any(a is call for a in args):
            if generators.meant(function) is not None:
                return True
            known = b.callee(function)
            return known is not None and b.calls_program(known)
    return False


def _is_asked(b: Builder, node: gast.AST, parents: dict[int, gast.AST]) -> bool:
    """Whether `next` is called with a generator, here or in a function that is given it."""
    match parents.get(id(node)):
        case gast.Call(func=gast.Name(id="next")):
            return b.is_builtin("next")
        case gast.Call(func=function, args=args):
            known = b.callee(function)
            value = known and getattr(known.value, "__wrapped__", known.value)
            place = next((k for k, arg in enumerate(args) if arg is node), None)
            if isinstance(value, types.FunctionType) and place is not None:
                return _asks(value, place)
    return False


def _asks(function: types.FunctionType, place: int) -> bool:
    """Whether a function calls `next` with one of its parameters."""
    try:
        found = source.find(function).node
    except ProgramError:
        return False
    names = scope.parameters(found.args)[place : place + 1]
    calls = (n for n in gast.walk(found) if isinstance(n, gast.Call) and n.args)
    asked = (n.args[0] for n in calls if isinstance(n.func, gast.Name) and n.func.id == "next")
    return any(isinstance(n, gast.Name) and n.id in names for n in asked)


def _generated(function: gast.expr, given: Sequence[gast.expr]) -> gast.Call:
    """The call that makes an object."""
    if isinstance(function, gast.Attribute):
        name = constant(function.attr, function)
        return module_call(GENERATED, "generated_by", [function.value, name, *given], function)
    return module_call(GENERATED, "generated", [function, *given], function)
