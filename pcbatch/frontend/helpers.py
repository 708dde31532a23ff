"""Plain functions that an expression calls: their operators mean what the program's mean.

A function that is not autobatched is part of a primitive, and stays plain Python: what it decides
and iterates over is known when the program is traced. But its arithmetic meets numbers of members,
for which TensorFlow's operators have other rules than Python: they refuse two dtypes. So the
function is compiled once more, from its own source, with the operators of `semantics.operators`.
"""

from __future__ import annotations

import builtins
import dis
import enum
import functools
import operator
import os
import types
import weakref
from collections.abc import Callable
from typing import Any

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend.compile import compile_inner
from pcbatch.frontend.runtime_names import OPERATORS, RUNTIME
from pcbatch.frontend.source import Source, find, remember
from pcbatch.semantics import misuse, special, vocabulary
from pcbatch.semantics.caches import CACHED, uncached
from pcbatch.semantics.enum_calls import constant_of
from pcbatch.semantics.user_code import is_users_file

_CODE: weakref.WeakKeyDictionary[types.CodeType, dict[str, types.CodeType]] = (
    weakref.WeakKeyDictionary()
)
"""The code to run, by a function's own code and its file, as code of two files may be equal; the
same code where there is no other."""


@misuse.understood.register(object)
def _object(value: Any) -> Any:
    return special.called(value)


@misuse.understood.register
def _enum(kind: enum.EnumMeta) -> Callable[..., Any]:
    return functools.partial(constant_of, kind)


@misuse.understood.register
def _function(function: types.FunctionType) -> Callable[..., Any]:
    code = function.__code__
    if is_users_file(code.co_filename) and (outside := _assigned_outside(code)):
        raise misuse.Unsupported(
            f"`{function.__name__}` assigns to a variable outside of it",
            f"{outside}; an expression runs once for all members, all rounds and all calls, so "
            "that it would be assigned once, too.",
            "let the function return the new value, and assign that where the function is called",
        )
    known = _CODE.setdefault(code, {})
    made = known.get(code.co_filename)
    if made is None:
        made = known[code.co_filename] = _compiled(function)
    if made is code:
        return function
    twin = types.FunctionType(
        made, function.__globals__, function.__name__, function.__defaults__, _cells(function, made)
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    return functools.update_wrapper(twin, function)


@misuse.understood.register
def _method(method: types.MethodType) -> Callable[..., Any]:
    return types.MethodType(misuse.understood(method.__func__), method.__self__)


@misuse.understood.register(functools.partial)
def _partial(partial: functools.partial[Any]) -> Callable[..., Any]:
    function = misuse.understood(partial.func)
    return functools.partial(function, *partial.args, **partial.keywords)


@misuse.understood.register(operator.attrgetter)
def _getter(getter: Any) -> Callable[..., Any]:
    """An attribute that is a property runs as the user's plain functions do."""
    _, names = getter.__reduce__()

    def get(value: Any) -> Any:
        found = [functools.reduce(vocabulary.attribute, n.split("."), value) for n in names]
        return found[0] if len(found) == 1 else tuple(found)

    return get


@misuse.understood.register(operator.methodcaller)
def _caller(caller: Any) -> Callable[..., Any]:
    """So does a method."""
    args: tuple[Any, ...]
    made, args = caller.__reduce__()
    bound = made if isinstance(made, functools.partial) else functools.partial(made)
    name, *positional = (*bound.args, *args)
    return lambda value: vocabulary.call(
        vocabulary.attribute(value, name), *positional, **bound.keywords
    )


@misuse.understood.register(CACHED)
def _remembering(cached: Any) -> Callable[..., Any]:
    """What remembers results: numbers of members are no keys, so with them it computes anew."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            hash((args, tuple(kwargs.values())))
        except TypeError:
            return misuse.understood(uncached(cached))(*args, **kwargs)
        return cached(*args, **kwargs)

    return call


@functools.lru_cache(maxsize=1024)
def _assigned_outside(code: types.CodeType) -> str:
    """What code assigns outside of it, and where: a global variable, or one of a function around.

    Returns:
      A clause; "" if there is nothing.
    """
    pending = [code]
    while pending:
        part = pending.pop()
        for step in dis.get_instructions(part):
            name = str(step.argval)
            of_cell = step.opname.endswith("_DEREF") and name in code.co_freevars
            if step.opname.startswith(("STORE_", "DELETE_")) and (
                of_cell or step.opname.endswith("_GLOBAL")
            ):
                line = step.positions.lineno if step.positions else code.co_firstlineno
                return f"line {line} of {os.path.basename(code.co_filename)} assigns `{name}`"
        pending += [x for x in part.co_consts if isinstance(x, types.CodeType)]
    return ""


def _cells(function: types.FunctionType, code: types.CodeType) -> tuple[types.CellType, ...]:
    """The cells of the code's free variables: the function's own, and what operators are."""
    own = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    made = {name: types.CellType(module) for name, module in RUNTIME.items()}
    return tuple((made | own)[name] for name in code.co_freevars)


def is_made(function: types.FunctionType) -> bool:
    """Whether a function has been compiled by the front end, and calls the program's operators."""
    free = function.__code__.co_freevars
    return not RUNTIME.keys().isdisjoint(free) or OPERATORS in function.__globals__


def _compiled(function: types.FunctionType) -> types.CodeType:
    """The code of a function of the user's; its own where it has no source or is rewritten."""
    code = function.__code__
    if is_made(function) or not is_users_file(code.co_filename):
        return code
    try:
        source = find(function)
    except ProgramError:
        return code
    made = compile_inner(source, _bare(source), code.co_freevars, _is_builtin(function))
    remember(made, source)
    return made


def _is_builtin(function: types.FunctionType) -> Callable[[str], bool]:
    hidden = {*function.__globals__, *function.__code__.co_freevars}
    return lambda name: name not in hidden and hasattr(builtins, name)


def _bare(source: Source) -> gast.AST:
    """A function without what is evaluated when it is defined."""
    node, args = source.node, source.node.args
    args.defaults, args.kw_defaults = [], [None] * len(args.kwonlyargs)
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    for parameter in filter(None, every):
        parameter.annotation = None
    if not isinstance(node, gast.Lambda):
        node.decorator_list, node.returns = [], None
    return node
