"""The source form of what a transformation makes of a function: a call, and what it gives."""

from __future__ import annotations

import dataclasses
import inspect

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.infer.calls import Callee
from pcbatch.semantics.transformations import Recomputed, Transformed


@dataclasses.dataclass(frozen=True)
class _This:
    """The primitive that gives one Python object."""

    value: Transformed

    def __call__(self) -> tuple[Transformed]:
        return (self.value,)


def transformed_form(callee: Callee, span: Span) -> ir.Function:
    """The source form of what transformations make of a function.

    Args:
      callee: what they make.
      span: of the function that they begin with.
    """
    of = callee.transformed
    assert of is not None
    names = (x.name for x in reversed(callee.transformations))
    name = "_".join((*names, callee.function.__name__))
    parameters = callee.signature.parameters
    keywords = tuple(map(_passed_on, parameters.values()))
    own, rest = len(callee.bound), tuple(parameters)
    operations = (
        ir.Primitive(("%of",), _This(of), (), name, span),
        ir.Call(("%result",), "%of", rest[own:], keywords[own:], span),
    )
    block = ir.Block("entry", operations, ir.Return(("%result",), span))
    recomputed = isinstance(of.by, Recomputed)
    return ir.Function(name, rest, (block,), span, recomputed=recomputed)


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
