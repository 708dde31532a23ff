"""Griffe, which reads sources for the reference, is told of functions in a wrapper.

`jvp = ForwardMode("jvp", _jvp)` is documented as the function `_jvp` under the name `jvp`, and
`from_jax = pcbatch.from_jax` as `pcbatch.from_jax`.
"""

from __future__ import annotations

from typing import Any

import griffe


class WrappedFunctions(griffe.Extension):
    """Put the wrapped function in the place of each attribute `f = Wrapper("f", _f, ...)`."""

    def on_module(self, *, mod: griffe.Module, **kwargs: Any) -> None:
        for name, member in list(mod.members.items()):
            wrapped = mod.members.get(f"_{name}")
            if (
                isinstance(member, griffe.Attribute)
                and isinstance(wrapped, griffe.Function)
                and wraps(member)
            ):
                mod.members[name] = renamed(wrapped, name)
            elif isinstance(member, griffe.Attribute) and str(member.value) == f"pcbatch.{name}":
                mod.members[name] = griffe.Alias(name, f"pcbatch.{name}", parent=mod)


def wraps(attribute: Any) -> bool:
    """Whether the value is a call with the attribute's name, and that of the private function."""
    first = [str(argument) for argument in getattr(attribute.value, "arguments", ())][:2]
    return first in ([f"'{attribute.name}'", f"_{attribute.name}"],)


def renamed(function: griffe.Function, name: str) -> griffe.Function:
    """The same function under another name."""
    same = griffe.Function(
        name,
        parameters=function.parameters,
        returns=function.returns,
        docstring=function.docstring,
        lineno=function.lineno,
        endlineno=function.endlineno,
        parent=function.parent,
    )
    if same.docstring is not None:
        same.docstring.parent = same
    return same
