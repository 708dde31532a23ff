"""Which function a call means, and which argument goes to which parameter."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, TypeVar

from pcbatch.errors import ProgramError, Span
from pcbatch.frontend.diagnostics import GeneratorInParts
from pcbatch.infer import diagnostics as report
from pcbatch.infer.domain import Shared, Static, Tensor, Value, as_tensor, container, is_number
from pcbatch.infer.meeting import Conflict, join_leaves
from pcbatch.infer.opening import expanded
from pcbatch.infer.store import SharedTensors
from pcbatch.semantics import pytree
from pcbatch.semantics.collected import ELEMENTS, with_elements
from pcbatch.semantics.iterated import iterated
from pcbatch.semantics.numbers.widths import kind
from pcbatch.semantics.static_values import Closure
from pcbatch.semantics.transformations import Transformation, Transformed

COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Their code is a function's, but it runs where it stands."""


_UNCHANGING = (int, float, complex, str, bytes, type(None))


@dataclasses.dataclass(frozen=True, slots=True)
class _Captured:
    """Stands for the value of a captured variable."""

    name: str


@dataclasses.dataclass(frozen=True)
class Callee:
    """An autobatched function as inference sees it.

    Attributes:
      function: the user's Python function.
      bound: `(self,)` for a bound method, else ().
      static_argnames: the parameters whose values are part of the specialization.
      is_entry: it copies the lists that it is given, so that no call within the program means it.
      closure: for a function defined inside an autobatched one, a closure of its factory (whose
        captured values mean nothing); the captured variables are its leading parameters.
      transformations: what was made of `function`, the first one first.
    """

    function: FunctionType
    bound: tuple[Any, ...] = ()
    static_argnames: tuple[str, ...] = ()
    closure: Closure | None = None
    is_entry: bool = False
    transformations: tuple[Transformation, ...] = ()

    @property
    def signature(self) -> inspect.Signature:
        own = with_elements(self.function, inspect.signature(self.function))
        if self.closure is None:
            return own
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        captured = [inspect.Parameter(name, kind) for name in self.closure.captured]
        return inspect.Signature([*captured, *own.parameters.values()])

    @property
    def is_leaf(self) -> bool:
        """Whether it is a nested function that calls no nested function of its own."""
        if self.closure is None or self.transformations:
            return False
        if self.closure.factory.recursive(self.function):
            return False
        inner = (x.co_name for x in self.function.__code__.co_consts if isinstance(x, CodeType))
        return all(name in COMPREHENSIONS for name in inner)

    @property
    def captured_defaults(self) -> dict[str, str]:
        """The captured variable behind each default that is one, by parameter."""
        if self.closure is None:
            return {}
        marked = {
            name: value if callable(value) else _Captured(name)
            for name, value in self.closure.captured.items()
        }
        function = self.closure.factory.make(**marked)
        return {
            parameter.name: parameter.default.name
            for parameter in inspect.signature(function).parameters.values()
            if isinstance(parameter.default, _Captured)
        }

    @property
    def transformed(self) -> Transformed | None:
        """What the last transformation was made of."""
        if not self.transformations:
            return None
        *inner, outer = self.transformations
        return Transformed(dataclasses.replace(self, transformations=tuple(inner)), outer)

    def same(self, other: Callee) -> bool:
        if (self.is_entry, self.transformations) != (other.is_entry, other.transformations):
            return False
        if self.closure is not None or other.closure is not None:
            factories = [c.closure.factory if c.closure else None for c in (self, other)]
            return factories[0] is factories[1]
        return self.function is other.function and all(
            a is b for a, b in zip(self.bound, other.bound, strict=True)
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Operand:
    """A value and, per leaf, the typed variable that holds it ("" for a leaf that needs none)."""

    value: Value
    names: tuple[str, ...]


REST = "*args"
"""The keyword of what a call gives to `*args` as a whole."""

Argument = tuple[Operand, str | None]
"""An operand and how it is passed: as `ir.Call.keywords` says."""


def constant(value: Value) -> Operand:
    return Operand(value, ("",) * len(value.leaves))


def bundle(type_: type, keys: Iterable[Any], operands: Iterable[Operand]) -> Operand:
    """One operand that is a container of operands."""
    operands = tuple(operands)
    value = container(type_, keys, [o.value for o in operands])
    return Operand(value, tuple(n for o in operands for n in o.names))


def _children(operand: Operand) -> Iterator[tuple[Any, Operand]]:
    if isinstance(operand.value.leaf, Static):
        operand = constant(expanded(operand.value))
    tree, start = operand.value.tree, 0
    if not isinstance(tree, pytree.Node):
        raise TypeError(f"{operand.value} cannot be unpacked into arguments")
    for key, child in zip(tree.keys, tree.children, strict=True):
        end = start + pytree.count(child)
        leaves = operand.value.leaves[start:end]
        yield key, Operand(Value(child, leaves), operand.names[start:end])
        start = end


def children(operand: Operand) -> list[Operand]:
    """The parts of a container, as operands."""
    return [child for _, child in _children(operand)]


Given = TypeVar("Given")


def expand(
    operands: Sequence[Operand], keywords: Sequence[str | None]
) -> tuple[list[Operand], dict[str, Operand]]:
    """Positional and keyword arguments of a call that is typed, starred ones unpacked."""

    def elements(operand: Operand) -> Iterator[Operand]:
        return (child for _, child in _children(operand))

    def entries(operand: Operand) -> dict[str, Operand]:
        return {str(key): child for key, child in _children(operand)}

    return _apart(operands, keywords, elements, entries)


def unpacked(
    values: Sequence[Any], keywords: Sequence[str | None]
) -> tuple[list[Any], dict[str, Any]]:
    """Positional and keyword arguments of a call that runs, starred ones unpacked."""
    return _apart(values, keywords, iterated, dict)


def _apart(
    given: Sequence[Given],
    keywords: Sequence[str | None],
    elements: Callable[[Given], Iterable[Given]],
    entries: Callable[[Given], Mapping[str, Given]],
) -> tuple[list[Given], dict[str, Given]]:
    positional: list[Given] = []
    named: dict[str, Given] = {}
    for value, keyword in zip(given, keywords, strict=True):
        match keyword:
            case None:
                positional.append(value)
            case "*":
                positional.extend(elements(value))
            case _ if keyword == REST:
                pass
            case "**":
                named.update(entries(value))
            case _:
                named[keyword] = value
    return positional, named


def bind(
    callee: Callee,
    operands: Sequence[Operand],
    keywords: Sequence[str | None],
    span: Span,
    store: SharedTensors,
) -> dict[str, Operand]:
    """The operand of each parameter, defaults filled in.

    Raises:
      ProgramError: the arguments do not fit the signature.
    """
    name, signature = callee.function.__name__, callee.signature
    if inspect.isgeneratorfunction(callee.function) and ELEMENTS not in keywords:
        raise ProgramError(GeneratorInParts(span, name))
    rest = next((o for o, k in zip(operands, keywords, strict=True) if k == REST), None)
    try:
        positional, named = expand(operands, keywords)
        bound_self = [constant(Value(pytree.LEAF, (Static(x),))) for x in callee.bound]
        bound = signature.bind(*bound_self, *positional, **named)
    except TypeError as error:
        raise ProgramError(report.CallMismatch(span, name, str(error), str(signature))) from None
    result = {}
    captured_defaults = callee.captured_defaults
    for parameter in signature.parameters.values():
        given = bound.arguments.get(parameter.name)
        if parameter.kind is parameter.VAR_POSITIONAL and rest is not None:
            result[parameter.name] = rest
        elif parameter.kind is parameter.VAR_POSITIONAL:
            result[parameter.name] = bundle(tuple, range(len(given or ())), given or ())
        elif parameter.kind is parameter.VAR_KEYWORD:
            result[parameter.name] = bundle(dict, given or {}, (given or {}).values())
        elif given is None and parameter.name in captured_defaults:
            result[parameter.name] = bound.arguments[captured_defaults[parameter.name]]
        elif given is None:
            label = f"{name}.{parameter.name}"
            if not isinstance(parameter.default, _UNCHANGING):
                store.defaults[id(parameter.default)] = parameter.default
            result[parameter.name] = constant(store.abstract(label, parameter.default))
        else:
            result[parameter.name] = given
    return result


def check_static(callee: Callee, arguments: dict[str, Operand], span: Span) -> None:
    """Refuse a tensor for a parameter that is declared static."""
    for name in callee.static_argnames:
        value = arguments[name].value if name in arguments else None
        if value and not all(isinstance(x, Static) for x in value.leaves):
            raise ProgramError(report.NotStatic(span, name, callee.function.__name__, str(value)))


def fits(callee: Callee, params: dict[str, Value], arguments: dict[str, Operand]) -> bool:
    """Whether a specialization for `params` can serve a call with `arguments`.

    Tensors must have the same type; Python numbers and weak tensors fit any scalar of their kind
    that holds them; static objects, and the values of static arguments, must be equal.
    """
    for name, param in params.items():
        value = arguments[name].value
        if param.tree != value.tree:
            return False
        for old, new in zip(param.leaves, value.leaves, strict=True):
            if old == new:
                continue
            if name in callee.static_argnames or not (is_number(old) and is_number(new)):
                return False
            if any(isinstance(x, Shared) and x.type.shape for x in (old, new)):
                return False
            if not _alike(as_tensor(old), as_tensor(new)):
                return False
    return True


def _alike(old: Tensor, new: Tensor) -> bool:
    """Whether two numbers are one argument: what they are together is what one with a dtype is."""
    if old.type.shape != new.type.shape or kind(old.type.dtype) != kind(new.type.dtype):
        return False
    try:
        both = join_leaves("", old, new)
    except Conflict:
        return False
    return all(x.weak or both == x for x in (old, new))
