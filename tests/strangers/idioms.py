"""Which idioms of Python a function uses, by a look at its syntax tree."""

from __future__ import annotations

import ast
import functools
import pathlib
from collections.abc import Callable, Iterator

from tests.strangers.corpus import Stranger

TEXT = {"str", "bin", "hex", "chr", "ord"}
DIGITS = {"bit_length", "zfill", "join"}
LISTS = {"append", "pop", "extend", "insert", "remove", "copy", "index", "count", "reverse", "sort"}
BUILTINS = {
    *("sum", "any", "all", "min", "max", "abs", "round", "pow", "divmod"),
    *("sorted", "zip", "enumerate", "reversed", "map"),
}
MODULES = {"combinations": "itertools", "permutations": "itertools", "deque": "deque"}


def idioms_of(stranger: Stranger) -> frozenset[str]:
    """The idioms of a function and of all functions of its module that it calls."""
    functions = functions_of(stranger.path)
    names = reached(stranger.name, functions)
    found = {idiom for name in names for idiom in idioms(functions[name])}
    if any(calls_itself(name, functions) for name in names):
        found.add("recursion")
    return frozenset(found)


@functools.cache
def functions_of(path: pathlib.Path) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(path.read_text())
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def called(function: ast.FunctionDef) -> set[str]:
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    return {call.func.id for call in calls if isinstance(call.func, ast.Name)}


def reached(name: str, functions: dict[str, ast.FunctionDef]) -> list[str]:
    """The function and what it calls, directly or not."""
    found = [name]
    for one in found:
        found += sorted(called(functions[one]) & functions.keys() - set(found))
    return found


def calls_itself(name: str, functions: dict[str, ast.FunctionDef]) -> bool:
    """Whether a function does, directly or through others."""
    return any(name in called(functions[other]) for other in reached(name, functions))


def idioms(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        rule = RULES.get(type(node))
        if rule is not None:
            yield from rule(node)


def _call(node: ast.Call) -> Iterator[str]:
    match node.func:
        case ast.Name(id="isinstance"):
            yield "isinstance"
        case ast.Name(id=name) if name in TEXT:
            yield "str, ord"
        case ast.Name(id=name) if name in BUILTINS:
            yield f"{name}()"
        case ast.Name(id=name) if name in MODULES:
            yield MODULES[name]
        case ast.Name(id="set"):
            yield "set"
        case ast.Attribute(value=ast.Name(id="math")):
            yield "math.*"
        case ast.Attribute(attr=name) if name in LISTS:
            yield f".{name}()"
        case ast.Attribute(attr=name) if name in DIGITS:
            yield "digits"


def _assign(node: ast.Assign) -> Iterator[str]:
    for target in node.targets:
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        stores = [part for part in parts if isinstance(part, ast.Subscript)]
        if any(isinstance(part.slice, ast.Slice) for part in stores):
            yield "store of a slice"
        elif len(stores) > 1:
            yield "swap of elements"
        elif stores and isinstance(stores[0].value, ast.Subscript):
            yield "store a[i][j]"
        elif stores:
            yield "store a[i]"


def _augmented(node: ast.AugAssign) -> Iterator[str]:
    if isinstance(node.target, ast.Subscript):
        yield "store a[i] +="


def _comprehension(node: ast.ListComp | ast.GeneratorExp) -> Iterator[str]:
    yield "comprehension" if isinstance(node, ast.ListComp) else "generator"
    if any(part.ifs for part in node.generators):
        yield "comprehension with if"


def _repeated(node: ast.BinOp) -> Iterator[str]:
    if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
        yield "[x] * n"


def _compare(node: ast.Compare) -> Iterator[str]:
    if any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
        yield "in"


def _for(node: ast.For) -> Iterator[str]:
    yield "for with else" if node.orelse else "for"


def _inner(node: ast.FunctionDef) -> Iterator[str]:
    for inner in ast.walk(node):
        if inner is not node and isinstance(inner, ast.FunctionDef | ast.Lambda):
            yield "nested function"


def _named(name: str) -> Callable[[ast.AST], Iterator[str]]:
    return lambda _: iter((name,))


def _returned(node: ast.Return) -> Iterator[str]:
    if isinstance(node.value, ast.Tuple):
        yield "tuple returned"
    if isinstance(node.value, ast.Constant) and node.value.value is None:
        yield "None returned"


RULES: dict[type, Callable] = {
    ast.Call: _call,
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.BinOp: _repeated,
    ast.Compare: _compare,
    ast.For: _for,
    ast.FunctionDef: _inner,
    ast.Return: _returned,
    ast.While: _named("while"),
    ast.Raise: _named("raise"),
    ast.Try: _named("try"),
    ast.Slice: _named("slice"),
    ast.Set: _named("set"),
    ast.Dict: _named("dict"),
    ast.IfExp: _named("a if c else b"),
}
