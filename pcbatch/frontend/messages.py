"""What to tell the user when an `assert` fails or a `raise` runs.

The member stops on the device, so the message is made when the program is lowered: values that are
not known by then appear as the text of their expression in braces.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import Any

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.source import unparse


def assertion(b: Builder, node: gast.Assert) -> str:
    """Return the message of a failed `assert`."""
    text = unparse(node.test) if node.msg is None else static_text(b, node.msg)
    return f"AssertionError: {text}"


def with_name(kind: type[BaseException], text: str) -> str:
    """Return what Python shows of an exception of a class with a text."""
    return f"{kind.__name__}: {text}" if text else kind.__name__


def text_of(b: Builder, kind: type[BaseException], args: Sequence[gast.expr]) -> str:
    """The text of an exception; Python's own if it is known what it is made of."""
    values = [_literal(argument) for argument in args]
    if _is_pythons(kind) and all(values):
        return str(kind(*(value for (value,) in filter(None, values))))
    texts = [static_text(b, argument) for argument in args]
    if len(args) == 1 or not _is_pythons(kind):
        return ", ".join(texts)
    shown = [repr(v[0]) if v else text for v, text in zip(values, texts, strict=True)]
    return f"({', '.join(shown)})" if shown else ""


def _is_pythons(kind: type[BaseException]) -> bool:
    """Whether an exception is made, and shown, as Python's own are."""
    methods = (kind.__init__, kind.__str__)
    return all(isinstance(method, types.WrapperDescriptorType) for method in methods)


def _literal(node: gast.expr) -> tuple[Any] | None:
    try:
        return (ast.literal_eval(gast.gast_to_ast(node)),)
    except ValueError:
        return None


def static_text(b: Builder, node: gast.expr) -> str:
    """Return the text of a message as far as it is known without running the program."""
    match node:
        case gast.JoinedStr(values=values):
            return "".join(static_text(b, value) for value in values)
        case gast.FormattedValue(value=value):
            return f"{{{unparse(value)}}}"
        case gast.BinOp(left=left, op=gast.Add(), right=right):
            return static_text(b, left) + static_text(b, right)
        case gast.Constant(value=value):
            return str(value)
    known = b.callee(node)
    if known is not None and isinstance(known.value, str):
        return known.value
    value = _literal(node)
    return str(value[0]) if value else f"{{{unparse(node)}}}"
