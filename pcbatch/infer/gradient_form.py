"""The source form of the function that gives a gradient: a call, and what it gives."""

from __future__ import annotations

import dataclasses
import inspect

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.infer.calls import Callee
from pcbatch.semantics.gradients import GradientOf


@dataclasses.dataclass(frozen=True)
class _This:
    """The primitive that gives one Python object."""

    value: GradientOf

    def __call__(self) -> tuple[GradientOf]:
        return (self.value,)


def gradient_form(callee: Callee, span: Span) -> ir.Function:
    """The source form of the function that gives a gradient.

    Args:
      callee: the function that gives the gradient.
      span: of the function that is differentiated.
    """
    of = callee.differentiated
    assert of is not None
    name = "_".join((*(g.name for g in reversed(callee.gradients)), callee.function.__name__))
    parameters = callee.signature.parameters
    keywords = tuple(map(_passed_on, parameters.values()))
    own, rest = len(callee.bound), tuple(parameters)
    operations = (
        ir.Primitive(("%of",), _This(of), (), name, span),
        ir.Call(("%result",), "%of", rest[own:], keywords[own:], span),
    )
    block = ir.Block("entry", operations, ir.Return(("%result",), span))
    return ir.Function(name, rest, (block,), span)


def _passed_on(parameter: inspect.Parameter) -> str | None:
    """How the value of a parameter is passed on; as `ir.Call.keywords` says."""
    match parameter.kind:
        case parameter.VAR_POSITIONAL:
            return "*"
        case parameter.VAR_KEYWORD:
            return "**"
        case parameter.KEYWORD_ONLY:
            return parameter.name
    return None
