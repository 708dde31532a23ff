"""What to tell the user when an `assert` fails or a `raise` runs.

The member stops on the device, so the message is made when the program is lowered: values that are
not known by then appear as the text of their expression in braces.
"""

from __future__ import annotations

import ast

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.source import unparse


def assertion(b: Builder, node: gast.Assert) -> str:
    """Return the message of a failed `assert`."""
    text = unparse(node.test) if node.msg is None else static_text(b, node.msg)
    return f"AssertionError: {text}"


def exception(b: Builder, node: gast.expr) -> str:
    """Return the message of the exception that a `raise` names."""
    match node:
        case gast.Call(func=func, args=args) if isinstance(func, gast.Name | gast.Attribute):
            name = unparse(func).rpartition(".")[2]
            text = ", ".join(static_text(b, argument) for argument in args)
            return f"{name}: {text}" if text else name
    return unparse(node).rpartition(".")[2]


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
    try:
        return str(ast.literal_eval(gast.gast_to_ast(node)))
    except ValueError:
        return f"{{{unparse(node)}}}"
