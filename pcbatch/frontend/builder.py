"""What every part of the builder shares: the function, its names, and the blocks so far."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import gast

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.frontend import diagnostics, imports, local_classes, names, scope
from pcbatch.frontend.compile import compile_closures, compile_expression
from pcbatch.frontend.draft_blocks import DraftBlocks
from pcbatch.frontend.new_lists import fresh
from pcbatch.frontend.nodes import module_call, tuple_of
from pcbatch.frontend.runtime_names import LOOPS, OF_PROGRAM, RUNTIME
from pcbatch.frontend.source import Source, unparse
from pcbatch.frontend.ways import Way
from pcbatch.semantics.special_operations import Operation
from pcbatch.semantics.unbound import flag


class Jumps(NamedTuple):
    """Where `break` and `continue` go."""

    end: ir.Label
    again: ir.Label


class Handled(NamedTuple):
    """An exception that is being handled.

    Attributes:
      name: that the `except` gives it; "" for none.
      variable: says which exception it is.
      node: the `except`.
      told: the variable that has what is told of it; "" where nothing asks.
    """

    name: str
    variable: ir.Variable
    node: gast.ExceptHandler
    told: ir.Variable = ""


class Generating(NamedTuple):
    """Whose statements are lowered: the function's own, or those of a generator in a loop.

    Attributes:
      source: of that function.
      returning: where `return` goes, see `Builder.returning`.
      own_arrays: see `Builder.own_arrays`; a generator has none.
      give: lowers what stands in the place of `yield`; None in the function itself.
      within: the generators whose statements these are, the innermost last.
    """

    source: Source
    returning: tuple[ir.Label, ir.Variable] | None
    own_arrays: dict[str, Any] | None
    give: Callable[[Builder, gast.Expr], None] | None
    within: tuple[gast.AST, ...]


class ClosureSite(NamedTuple):
    """A decorated nested function: its variable and the local variables that it takes."""

    variable: ir.Variable
    captured: tuple[ir.Variable, ...]
    span: Span


class Builder:
    """The context of lowering one function.

    Attributes:
      fn: the function.
      source: its syntax tree; of a generator in a loop, while its statements are lowered.
      own_source: its syntax tree.
      local: the names that are local to it; `captured` ones count as such.
      flow: the blocks under construction.
      closures_made: the nested functions lowered so far.
      reductions: what goes over elements one by one, by the identity of the expression.
      own_arrays: see the module of that name; None where nothing has asked for them.
      lower_rounds: lowers that.
      is_method: whether a method or a property of a name is a function of the program.
      handling: the exceptions that are being handled, the innermost last.
      asking: how many `try` around have a handler that asks the exception for what it holds.
      finishing: how many `finally` are around.
      returning: where a `return` goes that a `finally` is around, and what takes the value.
      give: lowers what stands in the place of `yield`; None outside of generators.
      lower_statements: lowers statements of the function.
      unbound: the variables that have no value on some paths.
      has_iterators: a variable keeps an iterator, or a generator.
      totals: whether sums of the elements of a variable are loops.
      goes_over_objects: a loop may go over an object of the user's, or over such.
      classes: those that the function, and those within it, define.
    """

    def __init__(
        self,
        fn: types.FunctionType,
        source: Source,
        needs_call: Callable[[object], bool],
        lower_rounds: Callable[..., None],
        is_method: Callable[[str], bool],
        captured: frozenset[str] = frozenset(),
        known: Mapping[str, Any] = MappingProxyType({}),
    ):
        self.fn = fn
        self.source = self.own_source = source
        self.local = scope.local_names(source.node) | captured
        self.flow = DraftBlocks()
        self.closures_made: list[ClosureSite] = []
        self.own_arrays: dict[str, Any] | None = None
        self.reductions: dict[int, tuple[gast.AST, Any]] = {}
        self._witnesses: dict[str, ir.Variable] = {}
        imported = {**known, **imports.known(fn, source.node)}
        self.classes = local_classes.classes_in(fn, source, imported)
        own = local_classes.named(source, self.classes)
        self.imported = {**imported, **own, **OF_PROGRAM}
        self.lower_rounds = lower_rounds
        self.handling: list[Handled] = []
        self.asking = 0
        self.finishing = 0
        self.returning: tuple[ir.Label, ir.Variable] | None = None
        self.give: Callable[[Builder, gast.Expr], None] | None = None
        self.lower_statements: Callable[..., None] = lower_rounds
        self.unbound = frozenset[str]()
        self._within: tuple[gast.AST, ...] = ()
        self.totals = Way()
        self.has_iterators = self.goes_over_objects = False
        self.is_method = is_method
        self._needs_call = needs_call

    def as_it_is(self) -> Generating:
        """Whose statements are lowered now."""
        return Generating(self.source, self.returning, self.own_arrays, self.give, self._within)

    @contextlib.contextmanager
    def generating(self, whose: Generating) -> Iterator[None]:
        """Lower another function's statements inside."""
        before = self.as_it_is()
        self._set(whose)
        try:
            yield
        finally:
            self._set(before)

    def _set(self, whose: Generating) -> None:
        self.source, self.returning, self.own_arrays, self.give, self._within = whose

    def span(self, node: gast.AST) -> Span:
        return self.source.span(node)

    def witness(self, element: str) -> ir.Variable:
        """The variable that says of an element, by its text, whether it is None."""
        if element not in self._witnesses:
            self._witnesses[element] = self.flow.temporary()
        return self._witnesses[element]

    def is_builtin(self, name: str) -> bool:
        """Whether a name means a Python builtin in this function."""
        return name not in self.local and names.is_builtin(self.fn, name)

    def is_builtin_call(self, node: gast.AST, name: str) -> bool:
        """Whether an expression is a call of the builtin of that name."""
        match node:
            case gast.Call(func=gast.Name(id=called)):
                return called == name and self.is_builtin(name)
        return False

    def callee(self, node: gast.AST) -> names.KnownValue | None:
        """Return the value of a callee where it is known before the program runs."""
        return names.resolve(self.fn, node, self.local, self.imported)

    def calls_program(self, known: names.KnownValue) -> bool:
        """Whether a call of a known value is a call of the program, not part of a primitive."""
        # A function that calls itself by its bare name is one of the program's functions.
        itself = getattr(known.value, "__code__", None) is self.fn.__code__
        return itself or self._needs_call(known.value)

    def operands(self, node: gast.AST) -> tuple[ir.Variable, ...]:
        """Return the variables that an expression reads: all its names but the builtins."""
        read_names = scope.free_names(node)
        return tuple(n for n in read_names if n not in RUNTIME and not self.is_builtin(n))

    def primitive(
        self,
        targets: tuple[ir.Variable],
        node: gast.expr,
        text: str = "",
        in_place: str | None = None,
    ) -> None:
        """Emit a primitive that evaluates an expression without calls of the program.

        Args:
          targets: the one variable that takes the value.
          node: the expression.
          text: what to print, where that is not the expression.
          in_place: see `compile_expression`.
        """
        self.spread(targets, tuple_of(node), text or unparse(node), in_place)

    def spread(
        self,
        targets: tuple[ir.Variable, ...],
        node: gast.expr,
        text: str,
        in_place: str | None = None,
    ) -> None:
        """Emit a primitive whose expression gives a tuple with one value per target."""
        self._refuse_hidden_calls(node)
        operands = self.operands(node)
        if in_place and in_place not in operands:
            operands = (*operands, in_place)
        fn = compile_expression(self.source, node, operands, self.is_builtin, in_place)
        fn.__dict__["of_part"] = in_place or ""
        fn.__dict__["makes"] = fresh(node, self.is_builtin, self.callee)
        self.flow.run(targets, fn, operands, text, self.span(node))

    def asks(self, operation: Operation, operands: tuple[ir.Variable, ...]) -> None:
        """Note that the last primitive is one operation, which a method of the user's may be.

        Args:
          operation: says which methods.
          operands: the variables.
        """
        last = self.flow.last_operation()
        if isinstance(last, ir.Primitive):
            last.fn.__dict__["asks"] = operation, operands

    def extending(self, name: str, node: gast.expr, symbol: str) -> None:
        """Note that the last primitive is `name op= expression`: a list changes itself.

        Args:
          name: of the variable.
          node: the expression.
          symbol: the operator.
        """
        last = self.flow.last_operation()
        if not isinstance(last, ir.Primitive) or last.targets != (name,) or last.fn is ir.move:
            return
        adds = symbol != "*" and isinstance(node, gast.Constant) and not isinstance(node.value, str)
        if adds or not hasattr(last.fn, "makes"):  # a number is added to numbers alone
            return
        operands = self.operands(node)

        def added() -> ir.Primitive:
            fn = compile_expression(self.source, tuple_of(node), operands, self.is_builtin)
            return ir.Primitive(("%added",), fn, operands, unparse(node), self.span(node))

        last.fn.__dict__["extending"] = name, added, symbol

    def closures(self, nodes: Mapping[ir.Variable, gast.FunctionDef | gast.Lambda]) -> None:
        """Emit primitives that make nested functions.

        Args:
          nodes: by the variable that is assigned: one function, or all that call each other.
        """
        named = {None if t.startswith("%") else t: node for t, node in nodes.items()}
        taken = dict.fromkeys(n for node in nodes.values() for n in self.operands(node))
        captured = tuple(n for n in taken if n not in named)
        captured += tuple(flag(n) for n in captured if n in self.unbound)
        own = dict.fromkeys(n for node in nodes.values() for n in scope.taken_names(node))
        local = tuple(n for n in own if n in self.local and n not in named)
        late = (*local, *(flag(n) for n in local if n in self.unbound))
        known = {**self._known_values(captured), **self.classes}
        made = compile_closures(self.source, named, captured, self.is_builtin, late, known)
        for (target, node), fn in zip(nodes.items(), made, strict=True):
            span, text = self._heading(node)
            self.flow.run((target,), fn, captured, text, span)
            if getattr(node, "decorator_list", []):  # what was made of it cannot be made anew
                self.closures_made.append(ClosureSite(target, local, span))

    def _known_values(self, captured: Iterable[str]) -> dict[str, Any]:
        """What those names mean that nested functions take: classes, modules and generators."""
        found = {n: self.callee(gast.Name(n, gast.Load(), None, None)) for n in captured}
        values = {name: known.value for name, known in found.items() if known is not None}
        return {
            n: v
            for n, v in values.items()
            if isinstance(v, (type, types.ModuleType)) or inspect.isgeneratorfunction(v)
        }

    def _heading(self, node: gast.FunctionDef | gast.Lambda) -> tuple[Span, str]:
        """Return the place of a nested function and what to print for it."""
        span = self.span(node)
        if isinstance(node, gast.Lambda):
            return span, unparse(node)
        text = f"def {node.name}"
        end = span.column + len(text)
        return dataclasses.replace(span, end_line=span.line, end_column=end), text

    def _refuse_hidden_calls(self, node: gast.AST) -> None:
        """Refuse calls of the program where they would run inside a primitive."""
        lambdas = [part for part in gast.walk(node) if isinstance(part, gast.Lambda)]
        helpers = self._given_lambdas(node) if lambdas else ()
        for part in lambdas:
            self._refuse_calls(part, helpers)

    def _given_lambdas(self, node: gast.AST) -> tuple[types.CodeType, ...]:
        """The code of the plain functions that an expression gives a lambda."""
        calls = (part for part in gast.walk(node) if isinstance(part, gast.Call))
        callees = (
            self.callee(call.func)
            for call in calls
            for given in (*call.args, *(keyword.value for keyword in call.keywords))
            if isinstance(given, gast.Lambda)
        )
        functions = (known.value for known in callees if known is not None)
        return tuple(f.__code__ for f in functions if isinstance(f, types.FunctionType))

    def _refuse_calls(self, node: gast.AST, helpers: tuple[types.CodeType, ...]) -> None:
        inner = frozenset(n.id for n in gast.walk(node) if _is_bound(n))
        for part in gast.walk(node):
            match part:
                case gast.Call(func=func):
                    known = names.resolve(self.fn, func, self.local | inner)
                    if known is not None and self.calls_program(known):
                        wrong = diagnostics.CallInLambda(self.span(part), unparse(func))
                        raise ProgramError(wrong, helpers)


def runtime_call(
    like: gast.AST, function: str, arguments: Sequence[gast.expr], module: str = LOOPS
) -> gast.Call:
    """Return a call of a function of `runtime_names.RUNTIME`; it stands where `like` stands."""
    return module_call(module, function, arguments, like)


def _is_bound(node: gast.AST) -> bool:
    return isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load)


LowerBody = Callable[[Builder, Sequence[gast.stmt], Jumps], None]
"""Lowers statements."""
