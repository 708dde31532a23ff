"""Calls that differentiate a function of the program, see `pcbatch.grad`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Argument, Operand, bind, bundle, children
from pcbatch.infer.domain import (
    BufferRef,
    Value,
    as_tensor,
    carried,
)
from pcbatch.infer.handover import HandsOver
from pcbatch.infer.instance import Instance
from pcbatch.infer.raising import Catching
from pcbatch.infer.slopes import VALUE, With, is_float, slopes
from pcbatch.semantics.transformations import Gradient, Transformed


class Differentiates(Catching, HandsOver):
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
        arguments = {
            name: _apart(operand, [x for x in wrt if x.parameter == name], span)
            for name, operand in given.items()
        }
        target = self.engine.instance(callee, arguments, span, self.caught)
        target.callers[self.instance.name, self.place] = (self.instance, self.place)
        if target.name in self.engine.recursion.get(self.instance.name, ()):
            raise ProgramError(report.GradientOfItself(span, callee.function.__name__))
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
        whole = self._known(VALUE, target.result)
        parts = children(whole) if gradient.has_aux else [whole]
        found = [self._known(name, value) for name, value in slopes(target, wrt).items()]
        result = _bundled(gradient.result(parts[0], parts[-1], found))
        self.assign(op.targets[0], result.value, span)
        if self.emitter:
            self.emitter.moves(op.targets, [result], span)
        return True

    def _known(self, name: str, value: Value) -> Operand:
        if self.emitter:
            return self.emitter.operand(name, value)
        return Operand(value, ("",) * len(value.leaves))


def _arguments(of: Transformed, given: Mapping[str, Operand], span: Span) -> tuple[With, ...]:
    """The arguments with regard to which one differentiates.

    Raises:
      ProgramError: there are not so many.
    """
    callee = of.callee
    captured = callee.closure.captured if callee.closure is not None else ()
    own = list(callee.signature.parameters.values())[len(callee.bound) + len(captured) :]
    found: list[With] = []
    for parameter in own:
        if parameter.kind is parameter.VAR_POSITIONAL:
            several = children(given[parameter.name])
            found += [With(parameter.name, i) for i in range(len(several))]
        elif parameter.kind is not parameter.VAR_KEYWORD:
            found.append(With(parameter.name))
    assert isinstance(of.by, Gradient)
    for position in of.by.positions:
        if not -len(found) <= position < len(found):
            name = callee.function.__name__
            raise ProgramError(report.NoSuchArgument(span, name, position, len(found)))
    return tuple(found[position] for position in of.by.positions)


def _apart(operand: Operand, arguments: Sequence[With], span: Span) -> Operand:
    """A parameter's value in which the floats of some arguments are the member's own.

    Raises:
      ProgramError: one of the arguments has none.
    """
    own = list(operand.value.leaves)
    for argument in arguments:
        part = argument.part(operand.value)
        name = argument.parameter if argument.element is None else f"argument {argument.element}"
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
    if leaf is None or not is_float(leaf) or as_tensor(leaf).type.shape:
        raise ProgramError(report.NoFloatingScalar(span, name, str(first)))
    return carried(leaf) is not None


def _bundled(result: Any) -> Operand:
    """One operand that is a tuple of operands."""
    if isinstance(result, Operand):
        return result
    return bundle(tuple, range(len(result)), [_bundled(part) for part in result])
