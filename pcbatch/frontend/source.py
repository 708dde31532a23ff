"""Find a function's source, as a syntax tree with exact places.

The whole file is parsed, not the lines of the function alone, so that every node has its own line
and column and nothing has to be shifted back. The function is found by its code object: by the
first line and the name, and, where lambdas share a line, by the columns of its instructions.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import linecache
import types
from typing import TypeAlias

import gast

from pcbatch.errors import ProgramError, Span
from pcbatch.frontend import cells, diagnostics, edited, repl_source
from pcbatch.frontend.by_identity import ByIdentity
from pcbatch.frontend.mangle import resolve_class_names
from pcbatch.semantics.generated import GENERATOR

Text: TypeAlias = tuple[str, tuple[str, ...]]
"""The name of a file and its lines."""

_KNOWN = ByIdentity[Text]()
"""The text that code was made from."""
Place: TypeAlias = tuple[int, int]
"""A line and a column."""
_ROOTS = ByIdentity[Place]()
"""The root of the source that code was compiled from, see `Source`."""

FunctionNode: TypeAlias = gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """A function's syntax tree and where it stands.

    Attributes:
      node: the `def` or the lambda; private names are mangled and `super()` has its arguments.
      file: the file name, as in the function's code object; of what was typed, its own.
      lines: the lines of the file.
      qualname: the function's qualified name, as the source has it.
      root: where the outermost function stands that is lowered together with it.
    """

    node: FunctionNode
    file: str
    lines: tuple[str, ...]
    qualname: str
    root: Place

    def span(self, node: gast.AST) -> Span:
        """Return the place of a node: lines and columns count from 1, columns in characters."""
        column = self._column(node.lineno, node.col_offset)
        end_column = self._column(node.end_lineno, node.end_col_offset)
        return Span(self.file, node.lineno, column, node.end_lineno, end_column, self.qualname)

    def head(self) -> Span:
        """Return the place of `def name`, or of the word `lambda`."""
        whole = self.span(self.node)
        text = self.lines[whole.line - 1]
        name = self.qualname.rpartition(".")[2]
        stop = "lambda" if name == "<lambda>" else name
        end = text.find(stop, whole.column - 1) + len(stop) + 1
        return dataclasses.replace(whole, end_line=whole.line, end_column=end)

    def _column(self, line: int, offset: int) -> int:
        text = self.lines[line - 1]
        return 1 + (offset if text.isascii() else len(text.encode()[:offset].decode()))


@dataclasses.dataclass(frozen=True, slots=True)
class _Candidate:
    """A function in a file: its node, its qualified name and the class around it, if any."""

    node: FunctionNode
    qualname: str
    class_name: str | None


def find(fn: types.FunctionType) -> Source:
    """Return the source of a function.

    Args:
      fn: a plain function: of a module, a class body, a notebook cell, a doctest, a lambda.

    Raises:
      ProgramError: the source is not at hand, or does not match the function's code.
    """
    fn = vars(fn).get(GENERATOR, fn)
    code = fn.__code__
    known = _KNOWN.get(code)
    file, lines = known or _read(fn)
    try:
        candidates = _functions("".join(lines))
    except SyntaxError as error:
        place = Span(file, error.lineno or 1, 1, error.lineno or 1, 2)
        raise ProgramError(diagnostics.SourceChanged(place, fn.__qualname__)) from error
    chosen = _choose(code, [c for c in candidates if _starts_like(c.node, code)])
    if chosen is None:
        line = code.co_firstlineno
        end = len(linecache.getline(file, line).rstrip()) + 1
        place = Span(file, line, 1, line, end)
        raise ProgramError(diagnostics.SourceChanged(place, fn.__qualname__))
    root = _ROOTS.get(code) or _place(chosen.node)
    node = _as_lowered(candidates, root, chosen.node)
    resolve_class_names(node, chosen.class_name)
    found = Source(node, file, lines, chosen.qualname, root)
    if known is None and edited.is_edited(fn, file, "".join(lines)):
        raise ProgramError(diagnostics.SourceEdited(found.head(), fn.__qualname__))
    remember(code, found, compiled=False)
    return found


def root_of(found: Source) -> FunctionNode:
    """The outermost function that is lowered together with one, as the file has it."""
    if _place(found.node) == found.root:
        return found.node
    candidates = _functions("".join(found.lines))
    return next((c.node for c in candidates if _place(c.node) == found.root), found.node)


def _place(node: gast.AST) -> Place:
    return node.lineno, node.col_offset


def _as_lowered(
    candidates: tuple[_Candidate, ...], root: Place, node: FunctionNode
) -> FunctionNode:
    """A copy of a function's node, as it is in its root: a nested function shares cells with it."""
    around = next((c.node for c in candidates if _place(c.node) == root), node)
    whole = copy.deepcopy(around)
    cells.rewrite(whole)
    alike = (part for part in gast.walk(whole) if type(part) is type(node))
    found = (part for part in alike if _place(part) == _place(node))
    made: FunctionNode | None = next(found, None)
    if made is None:  # a function of the module that another one has taken in
        made = copy.deepcopy(node)
        cells.rewrite(made)
    return made


def _read(fn: types.FunctionType) -> Text:
    """Read the file of a function, or what was typed."""
    code = fn.__code__
    file = code.co_filename
    linecache.checkcache(file)
    lines = tuple(linecache.getlines(file, fn.__globals__))
    if lines:
        return file, lines
    typed = repl_source.recover(code)
    if typed is None:
        place = Span(file, code.co_firstlineno, 1, code.co_firstlineno, 2)
        raise ProgramError(diagnostics.SourceUnavailable(place, fn.__qualname__))
    return typed, tuple(linecache.getlines(typed))


def remember(code: types.CodeType, found: Source, compiled: bool = True) -> None:
    """Keep the text that code was made from, so that a later edit of the file has no effect.

    Args:
      code: of a function, or of what was compiled from a part of its text.
      found: the function's source.
      compiled: from its syntax tree, not by Python from the file.
    """
    if compiled:
        _ROOTS[code] = found.root
    _KNOWN[code] = found.file, found.lines
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            remember(constant, found, compiled)


def parameter_place(fn: types.FunctionType, name: str) -> Span:
    """Return where a function declares a parameter; its first line where there is no source."""
    try:
        found = find(fn)
    except ProgramError as error:
        return error.diagnostic.span
    args = found.node.args
    declared = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    places = {p.id: p for p in declared if p is not None}
    return found.span(places[name]) if name in places else found.head()


@functools.lru_cache(maxsize=64)
def _functions(text: str) -> tuple[_Candidate, ...]:
    """Return every function of a file, outer ones first."""
    found: list[_Candidate] = []
    _collect(gast.parse(text), "", None, found)
    return tuple(found)


def _collect(node: gast.AST, prefix: str, class_name: str | None, found: list[_Candidate]) -> None:
    for child in gast.iter_child_nodes(node):
        match child:
            case gast.ClassDef(name=name):
                _collect(child, f"{prefix}{name}.", name, found)
            case gast.FunctionDef(name=name) | gast.AsyncFunctionDef(name=name):
                found.append(_Candidate(child, prefix + name, class_name))
                _collect(child, f"{prefix}{name}.<locals>.", class_name, found)
            case gast.Lambda():
                found.append(_Candidate(child, f"{prefix}<lambda>", class_name))
                _collect(child, f"{prefix}<lambda>.<locals>.", class_name, found)
            case _:
                _collect(child, prefix, class_name, found)


def _starts_like(node: FunctionNode, code: types.CodeType) -> bool:
    """Whether the node has the first line, the name and the parameters of the code object."""
    decorators = [] if isinstance(node, gast.Lambda) else node.decorator_list
    name = "<lambda>" if isinstance(node, gast.Lambda) else node.name
    # A nested function may have been compiled without decorators that mean nothing here.
    first = {node.lineno, min([node.lineno, *(d.lineno for d in decorators)])}
    count = code.co_argcount + code.co_kwonlyargcount
    names = [p.id for p in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    matches = (name, len(names)) == (code.co_name, count) and code.co_firstlineno in first
    # A private parameter is mangled in the code object, hence the comparison by its end.
    return matches and all(a.endswith(b) for a, b in zip(code.co_varnames, names, strict=False))


def _choose(code: types.CodeType, candidates: list[_Candidate]) -> _Candidate | None:
    """Return the candidate that the code was compiled from; where unclear, None."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    places = [p for p in code.co_positions() if None not in p and p[2:] != (0, 0)]
    around = [c for c in candidates if all(_contains(_body(c.node), p) for p in places)]
    if not places or not around:
        return None
    return max(around, key=lambda c: (c.node.lineno, c.node.col_offset))


def _body(node: FunctionNode) -> gast.AST:
    return node.body if isinstance(node, gast.Lambda) else node


def _contains(node: gast.AST, place: tuple[int | None, ...]) -> bool:
    line, end_line, column, end_column = place
    return (node.lineno, node.col_offset) <= (line, column) and (end_line, end_column) <= (
        node.end_lineno,
        node.end_col_offset,
    )


def unparse(node: gast.AST) -> str:
    """Return a node as Python text on one line."""
    return " ".join(ast.unparse(gast.gast_to_ast(node)).split())
