"""Imports inside a function: Python's, done once, and known when the program is lowered."""

from __future__ import annotations

import importlib
import types
from collections.abc import Iterator
from typing import Any, TypeAlias

import gast

from pcbatch.frontend import scope

Import: TypeAlias = gast.Import | gast.ImportFrom


def bindings(fn: types.FunctionType, node: Import) -> Iterator[tuple[str, Any]]:
    """Yield the names that an `import` binds, and what to.

    Raises:
      ImportError: there is no such module, or nothing of that name in it.
    """
    package = fn.__globals__.get("__package__") or ""
    for alias in node.names:
        if isinstance(node, gast.ImportFrom):
            module = importlib.import_module("." * node.level + (node.module or ""), package)
            yield alias.asname or alias.name, _member(module, alias.name)
        elif alias.asname:
            yield alias.asname, importlib.import_module(alias.name)
        else:
            importlib.import_module(alias.name)
            root = alias.name.partition(".")[0]
            yield root, importlib.import_module(root)


def _member(module: types.ModuleType, name: str) -> Any:
    try:
        return getattr(module, name)
    except AttributeError:
        pass
    try:
        return importlib.import_module(f"{module.__name__}.{name}")
    except ModuleNotFoundError:
        text = f"cannot import name {name!r} from {module.__name__!r}"
        raise ImportError(text) from None


def known(fn: types.FunctionType, function: gast.AST) -> dict[str, Any]:
    """What the names stand for that a function binds by one `import` only."""
    if isinstance(function, gast.Lambda):
        return {}
    counts = scope.binding_counts(function.body)
    counts.update(scope.parameters(function.args))
    found: dict[str, Any] = {}
    for node in _imports(function.body):
        try:
            found.update(bindings(fn, node))
        except ImportError:  # whoever gets there is told
            continue
    return {name: value for name, value in found.items() if counts[name] == 1}


def _imports(nodes: list[gast.stmt]) -> Iterator[Import]:
    for node in nodes:
        if isinstance(node, Import):
            yield node
        elif not isinstance(node, (*scope.FUNCTIONS, gast.ClassDef)):
            for part in ("body", "orelse", "finalbody"):
                yield from _imports(getattr(node, part, []))
            for case in (*getattr(node, "cases", []), *getattr(node, "handlers", [])):
                yield from _imports(case.body)
