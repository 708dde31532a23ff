"""Lower a Python function to source call form."""

from __future__ import annotations

import types
from collections.abc import Callable

import gast

from pcbatch import ir
from pcbatch.frontend import scope, source, statements, subset
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.captures import check_captures, reads


def lower(fn: types.FunctionType, *, needs_call: Callable[[object], bool]) -> ir.Function:
    """Lower a function to source call form.

    Args:
      fn: a plain Python function, written for one member. Its source must be at hand.
      needs_call: whether a call of an object is a call of the program (`ir.Call`) rather than a
        part of a primitive. It is asked about callees whose value is known now: globals, closure
        variables, and attributes of those. Other callees are always called by `ir.Call`.

    Returns:
      The function. Its variables hold Python values and have no types; its parameters stand in
      the order of `inspect.signature(fn)`, `*args` and `**kwargs` being one variable each.
      Temporaries are called "%1", "%2", ...

    Raises:
      ProgramError: the function is not in the subset; the diagnostic names the place.
    """
    found = source.find(fn)
    b = Builder(fn, found, needs_call)
    subset.check(found, b.is_builtin)
    node = found.node
    if isinstance(node, gast.Lambda):
        statements.lower_return(b, node.body, node.body)
    else:
        statements.lower_body(b, node.body)
        if b.flow.reachable:
            statements.return_none(b, found.head())
    blocks = b.flow.finish()
    check_captures(blocks, b.closures)
    params = scope.parameters(node.args)
    free = _free(blocks, b.local)
    name = "lambda" if isinstance(node, gast.Lambda) else node.name
    return ir.Function(name, params, blocks, found.head(), free=free)


def _free(blocks: tuple[ir.Block, ...], local: frozenset[str]) -> tuple[ir.Variable, ...]:
    """Return the free names that the blocks read, in order of first use."""
    found: dict[ir.Variable, None] = {}
    for block in blocks:
        for part in (*block.operations, block.terminator):
            for variable in reads(part):
                if variable not in local and not variable.startswith("%"):
                    found[variable] = None
    return tuple(found)
