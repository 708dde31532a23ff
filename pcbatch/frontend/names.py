"""What a name that a function does not bind stands for: closure cell, global or builtin."""

from __future__ import annotations

import dataclasses
import inspect
import types
import weakref
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import gast

from pcbatch.errors import ProgramError, Span
from pcbatch.frontend import diagnostics, source
from pcbatch.semantics.fetches import Fetches
from pcbatch.semantics.user_code import is_installed_file

_CHAINS: weakref.WeakKeyDictionary[types.CodeType, dict[str, tuple[tuple[str, ...], ...]]] = (
    weakref.WeakKeyDictionary()
)


@dataclasses.dataclass(frozen=True, slots=True)
class KnownValue:
    """The value of an expression that could be evaluated without running the program."""

    value: Any


def free_value(fn: types.FunctionType, name: str) -> Any:
    """Return the value that a free name of a function has now.

    Args:
      fn: the function that reads the name.
      name: one of `ir.Function.free`, or the name of a builtin.

    Raises:
      ProgramError: the name is bound in no closure cell, not in the module and not in Python.
    """
    known = look_up(fn, name)
    if known is None:
        raise ProgramError(diagnostics.NameUnbound(_first_use(fn, name), name))
    return known.value


def read_values(fn: types.FunctionType, name: str, fetches: Fetches) -> list[Any]:
    """Return what a function reads of a free name now: `config.scale` of `config`, say.

    Attributes are followed as far as looking at them runs none of the user's code: a property ends
    a chain, and so does an installed module.

    Args:
      fn: the function.
      name: one of `ir.Function.free`, bound.
      fetches: takes the places from which the values come.
    """
    root = free_value(fn, name)
    _fetch(fn, name, fetches)
    return [_follow(root, chain, fetches) for chain in _chains(fn.__code__, fn).get(name, ((),))]


def _fetch(fn: types.FunctionType, name: str, fetches: Fetches) -> None:
    """Note where a function finds the value of a free name."""
    fetches.code(fn)
    if name in fn.__code__.co_freevars:
        fetches.cell(_cell(fn, name))
        return
    fetches.name(fn.__globals__, name)
    if name not in fn.__globals__:
        fetches.name(_builtins(fn), name)


def _follow(value: Any, chain: tuple[str, ...], fetches: Fetches) -> Any:
    for attribute in chain:
        if is_installed_module(value):
            return value
        if type(value) is types.ModuleType:
            fetches.name(vars(value), attribute)
        else:
            fetches.give_up()
        static = inspect.getattr_static(value, attribute, None)
        if static is None or hasattr(static, "__set__"):
            return value
        value = getattr(value, attribute)
    return value


def is_installed_module(value: Any) -> bool:
    """Whether a value is a module of Python's library or of an installed package."""
    file = getattr(value, "__file__", None) if isinstance(value, types.ModuleType) else ""
    return file is None or is_installed_file(file)


def _chains(code: types.CodeType, fn: types.FunctionType) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the attribute chains on each name in a function, the longest at each place."""
    if code not in _CHAINS:
        found: dict[str, dict[tuple[str, ...], None]] = {}
        _collect_chains(source.find(fn).node, (), found)
        _CHAINS[code] = {name: tuple(chains) for name, chains in found.items()}
    return _CHAINS[code]


def _collect_chains(
    node: gast.AST, after: tuple[str, ...], found: dict[str, dict[tuple[str, ...], None]]
) -> None:
    match node:
        case gast.Name(id=name):
            found.setdefault(name, {})[after] = None
        case gast.Attribute(value=value, attr=attribute):
            _collect_chains(value, (attribute, *after), found)
        case _:
            for child in gast.iter_child_nodes(node):
                _collect_chains(child, (), found)


def _first_use(fn: types.FunctionType, name: str) -> Span:
    """Return the first place where a function reads a name."""
    found = source.find(fn)
    for node in gast.walk(found.node):
        if isinstance(node, gast.Name) and node.id == name:
            return found.span(node)
    return found.head()


def look_up(fn: types.FunctionType, name: str) -> KnownValue | None:
    """Return the value of a free name, or None where it is unbound at this moment."""
    if name in fn.__code__.co_freevars:
        try:
            return KnownValue(_cell(fn, name).cell_contents)
        except ValueError:  # The cell is empty: the outer function has not bound it yet.
            return None
    for namespace in (fn.__globals__, _builtins(fn)):
        if name in namespace:
            return KnownValue(namespace[name])
    return None


def _cell(fn: types.FunctionType, name: str) -> types.CellType:
    return (fn.__closure__ or ())[fn.__code__.co_freevars.index(name)]


def is_builtin(fn: types.FunctionType, name: str) -> bool:
    """Whether a free name means a builtin that nothing shadows."""
    shadowed = name in fn.__code__.co_freevars or name in fn.__globals__
    return not shadowed and name in _builtins(fn)


def _builtins(fn: types.FunctionType) -> dict[str, Any]:
    return getattr(fn, "__builtins__")  # noqa: B009


def resolve(
    fn: types.FunctionType,
    node: gast.AST,
    local: frozenset[str],
    imported: Mapping[str, Any] = MappingProxyType({}),
) -> KnownValue | None:
    """Return the value of a free name or of a chain of attributes on one, where it has one now.

    Args:
      fn: the function that the expression stands in.
      node: the expression.
      local: names that are not free at the place.
      imported: what local names stand for that the function itself imports.
    """
    match node:
        case gast.Name(id=name):
            if name in imported:
                return KnownValue(imported[name])
            return None if name in local else look_up(fn, name)
        case gast.Attribute(value=value, attr=attribute):
            known = resolve(fn, value, local, imported)
            try:
                return known and KnownValue(getattr(known.value, attribute))
            except (AttributeError, ImportError):  # The program itself may never get here.
                return None
    return None
