"""Classes inside a function: made once, and known when the program is lowered.

Python makes such a class anew in each call. It is the same each time where its statements read
nothing that differs between calls: what is global, what the function imports, numbers and texts
that it gives a name once, the classes beside it, and what a function around it has of these. Any
other is refused.
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics, imports, scope
from pcbatch.frontend.own_nodes import blocks, bound_once, own_nodes
from pcbatch.frontend.source import Place, Source, remember
from pcbatch.semantics.data import ATOMS

Made = dict[str, Any]
"""The classes inside a function, and inside those within it, by `_key`; or why one is none."""

_KEY = "%class "
_ANEW = object()
"""What stands for a variable that each call has anew."""
_SAME_IN_EACH_CALL = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
"""Of what a name of a function around stands for, if that has run."""

_MADE: dict[Any, tuple[type, ...]] = {}
"""The classes of a function, by their code and what that takes from outside."""


def classes_in(fn: types.FunctionType, source: Source, known: Mapping[str, Any]) -> Made:
    """The classes that a function defines, and those that functions within it define.

    Args:
      fn: the function.
      source: its syntax tree.
      known: what is known of names that are local to it; of a nested function that has them all.
    """
    if any(name.startswith(_KEY) for name in known):
        return made_of(known)
    cells = zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
    around = {name: cell.cell_contents for name, cell in cells if cell != types.CellType()}
    around = {n: x if isinstance(x, _SAME_IN_EACH_CALL) else _ANEW for n, x in around.items()}
    found = Made()
    _make(fn, source, source.node, {**around, **known}, found)
    return found


def made_of(known: Mapping[str, Any]) -> Made:
    """The classes among what is known of names."""
    return {name: value for name, value in known.items() if name.startswith(_KEY)}


def named(source: Source, made: Made) -> dict[str, type]:
    """A function's own classes by their names; their statements keep nothing else.

    Raises:
      ProgramError: a class reads a variable of a function, or is not alone with its name.
    """
    found = dict[str, type]()
    for node in _statements(source.node):
        kind = made[_key(node)]
        if isinstance(kind, str):
            raise ProgramError(diagnostics.ClassStatement(source.span(node), node.name, kind))
        node.bases, node.keywords, node.body, node.decorator_list = [], [], [], []
        found[node.name] = kind
    return found


def _make(
    fn: types.FunctionType,
    source: Source,
    function: gast.AST,
    around: Mapping[str, Any],
    found: Made,
) -> None:
    """Make the classes inside a function, and inside those within it.

    Args:
      fn, source: the outermost function, see `classes_in`.
      function: the function.
      around: what the names stand for that it may take from outside, but for the module.
      found: takes the classes.
    """
    local = dict.fromkeys(scope.local_names(function), _ANEW)
    around = {**around, **local, **imports.known(fn, function), **_constants(function)}
    nodes = list(_statements(function))
    if nodes:
        kinds = _classes(fn, source, function, nodes, around)
        found.update(zip(map(_key, nodes), kinds, strict=True))
        own = zip((node.name for node in nodes), kinds, strict=True)
        around |= {name: kind for name, kind in own if not isinstance(kind, str)}
    for node in own_nodes(function, generators=False):
        if isinstance(node, gast.FunctionDef):
            _make(fn, source, node, around, found)


def _classes(
    fn: types.FunctionType,
    source: Source,
    function: gast.AST,
    nodes: Sequence[gast.ClassDef],
    around: Mapping[str, Any],
) -> Sequence[type | str]:
    """The classes of some statements; or why they are none, once for each."""
    counts = scope.binding_counts(function.body)
    counts.update(scope.parameters(function.args))
    several = next((node.name for node in nodes if counts[node.name] > 1), None)
    if several is not None:
        return [f"several statements bind `{several}`"] * len(nodes)
    places = tuple((node.lineno, node.col_offset) for node in nodes)
    free = around.keys() - {node.name for node in nodes}
    code = _compiled(source.file, source.lines, places, function.name, tuple(sorted(free)))
    for name in code.co_freevars:
        if around[name] is _ANEW:
            return [f"it reads `{name}`, which each call has anew"] * len(nodes)
    remember(code, source, compiled=False)
    taken = [around[name] for name in code.co_freevars]
    key = source.file, code, id(fn.__globals__), *map(_identity, taken)
    if key not in _MADE:
        cells = tuple(map(types.CellType, taken))
        _MADE[key] = types.FunctionType(code, fn.__globals__, function.name, None, cells)()
    return _MADE[key]


@functools.lru_cache(maxsize=64)
def _compiled(
    file: str, lines: tuple[str, ...], places: tuple[Place, ...], name: str, free: tuple[str, ...]
) -> types.CodeType:
    """The code of a function that makes the classes which stand at some places.

    Args:
      file, lines: where they stand, and what it has.
      places: of the statements.
      name: of the function that defines them.
      free: the variables that they do not take from the module.
    """
    nodes = (n for n in ast.walk(ast.parse("".join(lines))) if isinstance(n, ast.ClassDef))
    at = {(node.lineno, node.col_offset): node for node in nodes}
    found = [at[place] for place in places]
    result = ast.Tuple([ast.Name(node.name, ast.Load()) for node in found], ast.Load())
    make = ast.parse(f"def {name}(): pass").body[0]
    outer = ast.parse(f"def outer({', '.join(free)}): pass").body[0]
    assert isinstance(make, ast.FunctionDef) and isinstance(outer, ast.FunctionDef)
    make.body, outer.body = [*found, ast.Return(result)], [make]
    tree = ast.fix_missing_locations(ast.Module([outer], []))
    (within,) = filter(_is_code, compile(tree, file, "exec").co_consts)
    (code,) = filter(_is_code, within.co_consts)
    made: types.CodeType = code.replace(co_qualname=name)
    return made


def _constants(function: gast.AST) -> dict[str, Any]:
    """The names that stand for one number, or one text, in all of a function."""
    if isinstance(function, gast.Lambda):
        return {}
    once = bound_once(function)
    found = dict[str, Any]()
    for node in function.body:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Constant(value=value)):
                found |= {name: value} if name in once else {}
    return found


def _identity(value: Any) -> Any:
    """What tells values apart that a class may take."""
    return (type(value), repr(value)) if type(value) in ATOMS else id(value)


def _is_code(constant: Any) -> bool:
    return isinstance(constant, types.CodeType)


def _statements(function: gast.AST) -> Iterator[gast.ClassDef]:
    """The statements of a function that define classes."""
    bodies = [] if isinstance(function, gast.Lambda) else [function.body]
    while bodies:
        for part in blocks(bodies.pop(0)):
            yield from (node for node in part if isinstance(node, gast.ClassDef))
            bodies += (case.body for node in part for case in getattr(node, "cases", []))


def _key(node: gast.ClassDef) -> str:
    return f"{_KEY}{node.lineno}:{node.col_offset}"
