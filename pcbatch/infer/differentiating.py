"""Calls that differentiate a function of the program, see `pcbatch.grad`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.callees import behind
from pcbatch.infer.calls import Argument, Callee, Operand, bind, bundle, children, expand
from pcbatch.infer.domain import BufferRef, Leaf, Static, Value, as_tensor, carried
from pcbatch.infer.handover import HandsOver
from pcbatch.infer.instance import Instance
from pcbatch.infer.maybe_none import holds_maybe
from pcbatch.infer.raising import Catching
from pcbatch.infer.replacing import Replaces
from pcbatch.infer.slopes import TANGENT, VALUE, Along, With, is_float, slopes, tangents
from pcbatch.semantics.transformations import ForwardMode, Gradient, Transformed


class Differentiates(Catching, Replaces, HandsOver):
    """What a block has of calls that differentiate."""

    def call_gradient(self, op: ir.Call, of: Transformed, brought: list[Argument]) -> bool:
        """Run a call of the function that gives a gradient; False if it never returns.

        Args:
          op: the call.
          of: the function that is differentiated.
          brought: the arguments that it brings along, as a method does its object.
        """
        callee, gradient, span = of.callee, of.by, op.span
        assert isinstance(gradient, Gradient)
        own = [self.operand(a, span) for a in op.args]
        operands = [*(operand for operand, _ in brought), *own]
        keywords = (*(keyword for _, keyword in brought), *op.keywords)
        given = bind(callee, operands, keywords, span, self.engine.store)
        wrt = _arguments(of, given, span)
        target = self._differentiable(callee, given, wrt, span)
        ways = self.ways_out(target)
        if target.result is None:
            if self.emitter:
                self.emitter.call(op, target, given, ways=ways)
                self.emitter.unreachable(span)
            return False
        varies = _check_result(target, gradient.has_aux, span)
        if self.emitter:
            taking = dataclasses.replace(op, targets=(VALUE,))
            self.emitter.gradient(taking, target, given, wrt, varies, ways)
        whole = self._known(VALUE, self.named_by_call(target.result, given, callee, span))
        parts = children(whole) if gradient.has_aux else [whole]
        found = [self._known_slope(name, value) for name, value in slopes(target, wrt).items()]
        result = _bundled(gradient.result(parts[0], parts[-1], found))
        self.assign(op.targets[0], result.value, span)
        if self.emitter:
            self.emitter.moves(op.targets, [result], span)
        return True

    def call_tangent(self, op: ir.Call, of: ForwardMode) -> bool:
        """Run a call of `pcbatch.jvp`; False if it never returns."""
        span = op.span
        callee, brought, primals, moving = self._taken_apart(op, of)
        operands = [*(operand for operand, _ in brought), *primals]
        keywords = [*(keyword for _, keyword in brought), *([None] * len(primals))]
        given = bind(callee, operands, keywords, span, self.engine.store)
        along = _along(callee, given, primals, moving, span)
        target = self._differentiable(callee, given, along.arguments, span)
        ways = self.ways_out(target)
        taking = dataclasses.replace(op, targets=(VALUE,))
        if target.result is None:
            if self.emitter:
                self.emitter.call(taking, target, given, ways=ways)
                self.emitter.unreachable(span)
            return False
        _check_known(target, target.result, span)
        if any(isinstance(x, BufferRef) for x in target.result.leaves):
            raise ProgramError(
                report.AuxOfLists(span, callee.function.__name__, str(target.result))
            )
        if self.emitter:
            result = target.result
            self.emitter.call(taking, target, given, result, ways=ways, along=along)
        whole = self._known(VALUE, self.named_by_call(target.result, given, callee, span))
        parts = [whole, self._known_slope(TANGENT, tangents(target))]
        found = _bundled(tuple(parts))
        self.assign(op.targets[0], found.value, span)
        if self.emitter:
            self.emitter.moves(op.targets, [found], span)
        return True

    def _differentiable(
        self, callee: Callee, given: Mapping[str, Operand], by: Sequence[With], span: Span
    ) -> Instance:
        """The function of the program, in which the floats of some arguments are the member's own.

        Raises:
          ProgramError: it is this function, or calls it.
        """
        arguments = {
            name: _apart(operand, [x for x in by if x.parameter == name], span)
            for name, operand in given.items()
        }
        target = self.instance_called(callee, arguments, span)
        target.callers[self.instance.name, self.place] = (self.instance, self.place)
        if target.lent:
            (name, _), *_ = target.lent[0]
            raise ProgramError(report.GradientChanges(span, callee.function.__name__, name))
        if target.name in self.engine.recursion.get(self.instance.name, ()):
            raise ProgramError(report.GradientOfItself(span, callee.function.__name__))
        return target

    def _taken_apart(
        self, op: ir.Call, of: ForwardMode
    ) -> tuple[Callee, list[Argument], list[Operand], list[Operand]]:
        """The function, what it brings along, its arguments, and their tangents."""
        own = [self.operand(a, op.span) for a in op.args]
        try:
            positional, named = expand(own, op.keywords)
            bound = of.signature.bind(*positional, **named)
            fn, primals, moving = bound.args
            arguments, tangents_ = children(primals), children(moving)
        except TypeError as error:
            text, signature = str(error), str(of.signature)
            raise ProgramError(report.CallMismatch(op.span, "jvp", text, signature)) from None
        callee, brought = behind(self.engine, fn)
        leaf = fn.value.leaf
        function = leaf.value if isinstance(leaf, Static) else None
        if callee is None and isinstance(function, FunctionType):
            callee = Callee(function)
        if callee is None:
            raise ProgramError(report.NotCallable(op.span, op.args[0], str(fn.value)))
        return callee, brought, arguments, tangents_

    def _known_slope(self, name: str, value: Value) -> Operand:
        return self._known(name, self.made_anew(value, name))

    def _known(self, name: str, value: Value) -> Operand:
        if self.emitter:
            return self.emitter.operand(name, value)
        return Operand(value, ("",) * len(value.leaves))


def _along(
    callee: Callee,
    given: Mapping[str, Operand],
    primals: Sequence[Operand],
    moving: Sequence[Operand],
    span: Span,
) -> Along:
    """Which arguments have tangents, and what these are.

    Raises:
      ProgramError: they do not fit the arguments.
    """
    if len(primals) != len(moving):
        raise ProgramError(
            report.TangentsDiffer(span, *(f"{len(x)} in number" for x in (primals, moving)))
        )
    arguments, found = list[With](), list[tuple[Leaf, str]]()
    own = _own_arguments(callee, given)
    for argument, primal, tangent in zip(own, primals, moving, strict=False):
        if tangent.value.leaf == Static(None):
            continue
        if tangent.value.tree != primal.value.tree:
            raise ProgramError(report.TangentsDiffer(span, str(primal.value), str(tangent.value)))
        pairs = zip(primal.value.leaves, tangent.value.leaves, tangent.names, strict=True)
        moved = [(x, leaf, name) for x, leaf, name in pairs]
        floats = [(leaf, name) for x, leaf, name in moved if is_float(x)]
        if any(is_float(leaf) and not is_float(x) for x, leaf, _ in moved):
            raise ProgramError(report.TangentsDiffer(span, str(primal.value), str(tangent.value)))
        if floats:
            arguments.append(argument)
            found += [(Static(0.0), "") if x == Static(None) else (x, n) for x, n in floats]
    return Along(tuple(arguments), tuple(found))


def _arguments(of: Transformed, given: Mapping[str, Operand], span: Span) -> tuple[With, ...]:
    """The arguments with regard to which one differentiates.

    Raises:
      ProgramError: there are not so many.
    """
    found = _own_arguments(of.callee, given)
    assert isinstance(of.by, Gradient)
    for position in of.by.positions:
        if not -len(found) <= position < len(found):
            name = of.callee.function.__name__
            raise ProgramError(report.NoSuchArgument(span, name, position, len(found)))
    return tuple(found[position] for position in of.by.positions)


def _own_arguments(callee: Callee, given: Mapping[str, Operand]) -> list[With]:
    """The arguments of a function by position, without those that it brings along."""
    captured = callee.closure.captured if callee.closure is not None else ()
    own = list(callee.signature.parameters.values())[len(callee.bound) + len(captured) :]
    found: list[With] = []
    for parameter in own:
        if parameter.kind is parameter.VAR_POSITIONAL:
            several = children(given[parameter.name])
            found += [With(parameter.name, i) for i in range(len(several))]
        elif parameter.kind is not parameter.VAR_KEYWORD:
            found.append(With(parameter.name))
    return found


def _apart(operand: Operand, arguments: Sequence[With], span: Span) -> Operand:
    """A parameter's value in which the floats of some arguments are the member's own.

    Raises:
      ProgramError: one of the arguments has none.
    """
    own = list(operand.value.leaves)
    for argument in arguments:
        part = argument.part(operand.value)
        name = argument.parameter if argument.element is None else f"argument {argument.element}"
        if holds_maybe(part.tree):
            raise ProgramError(report.NoneIsFixed(span, name, str(part)))
        if any(isinstance(x, BufferRef) for x in part.leaves):
            raise ProgramError(report.NoSlopeOfList(span, name, str(part)))
        if not any(map(is_float, part.leaves)):
            raise ProgramError(report.NoFloats(span, name, str(part)))
        for i in argument.leaves(operand.value):
            own[i] = as_tensor(own[i]) if is_float(own[i]) else own[i]
    return Operand(Value(operand.value.tree, tuple(own)), operand.names)


def _check_result(target: Instance, has_aux: bool, span: Span) -> bool:
    """Whether what a function gives depends on the member.

    Raises:
      ProgramError: it is no floating scalar.
    """
    assert target.result is not None
    value, tree, name = target.result, target.result.tree, target.source.name
    pair = getattr(tree, "type", None) is tuple and len(getattr(tree, "children", ())) == 2
    if has_aux and not pair:
        raise ProgramError(report.NoAux(span, name, str(value)))
    if any(isinstance(x, BufferRef) for x in value.leaves):
        raise ProgramError(report.AuxOfLists(span, name, str(value)))
    first = children(Operand(value, ("",) * len(value.leaves)))[0].value if has_aux else value
    leaf = first.leaf
    _check_known(target, first, span)
    if leaf is None or not is_float(leaf) or as_tensor(leaf).type.shape:
        raise ProgramError(report.NoFloatingScalar(span, name, str(first)))
    return carried(leaf) is not None


def _check_known(target: Instance, result: Value, span: Span) -> None:
    """Refuse the derivative of what may be None.

    Raises:
      ProgramError: a part of the result may be.
    """
    if holds_maybe(result.tree):
        raise ProgramError(report.NoneHasNoGradient(span, target.source.name, str(result)))


def _bundled(result: Any) -> Operand:
    """One operand that is a tuple of operands."""
    if isinstance(result, Operand):
        return result
    return bundle(tuple, range(len(result)), [_bundled(part) for part in result])
