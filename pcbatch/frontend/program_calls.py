"""Whether an expression uses functions of the program."""

from __future__ import annotations

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.generator_calls import is_generator_call


def uses_program(b: Builder, node: gast.AST) -> bool:
    """Whether an expression calls a function of the program, also in a lambda, or hands it over."""
    return any(is_generator_call(b, part) for part in gast.walk(node)) or any(
        b.calls_program(known)
        for part in gast.walk(node)
        if isinstance(part, gast.Call)
        for value in (part.func, *part.args, *(keyword.value for keyword in part.keywords))
        if isinstance(value, gast.Name | gast.Attribute) and (known := b.callee(value))
    )
