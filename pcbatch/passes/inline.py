"""Replace calls by the body of the function they call."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from pcbatch import ir
from pcbatch.ir.analysis import calls
from pcbatch.passes.rewrite import Names, moves, only_cheap, relabel, rename

SHORT = 8
"""So many operations a straight-line function may have to be copied to each of its calls."""

Site = tuple[str, ir.Label, int]
"""A call: function, block, position of the operation."""


def inline(program: ir.Program, is_cheap: Callable[[ir.Primitive], bool]) -> ir.Program:
    """Inline functions that do not recurse and have one call site, and short cheap ones.

    A function called from several places is worth keeping, because members that come from
    different places run it together; but a call costs a jump there and a jump back, and a few cheap
    operations are not worth that.

    Args:
      program: in typed call form.
      is_cheap: says of a primitive whether running it twice costs less than a jump.

    Returns:
      The program without the inlined functions.
    """
    while True:
        site = _next_site(program, is_cheap)
        if site is None:
            return _without_uncalled(program)
        program = _inlined(program, site)


def _next_site(program: ir.Program, is_cheap: Callable[[ir.Primitive], bool]) -> Site | None:
    count = calls.call_sites(program)
    recursion = calls.recursion(program)
    for name, function in program.functions.items():
        for block in function.blocks:
            for position, operation in enumerate(block.operations):
                if not isinstance(operation, ir.Call) or recursion[operation.callee]:
                    continue
                if calls.is_whole(program, operation):
                    continue
                callee = program.functions[operation.callee]
                single = count[callee.name] == 1 and callee.name != program.entry
                if single or _is_short(callee, is_cheap):
                    return name, block.label, position
    return None


def _is_short(function: ir.Function, is_cheap: Callable[[ir.Primitive], bool]) -> bool:
    operations = function.blocks[0].operations
    return (
        len(function.blocks) == 1 and len(operations) <= SHORT and only_cheap(operations, is_cheap)
    )


def _without_uncalled(program: ir.Program) -> ir.Program:
    kept = calls.reached(program, program.entry)
    functions = {name: f for name, f in program.functions.items() if name in kept}
    return dataclasses.replace(program, functions=functions)


def _inlined(program: ir.Program, site: Site) -> ir.Program:
    caller = program.functions[site[0]]
    block = next(b for b in caller.blocks if b.label == site[1])
    call = block.operations[site[2]]
    callee = program.functions[call.callee]
    names = Names((*caller.types, *program.shared, *program.buffers))
    labels = Names(b.label for b in caller.blocks)
    variable = {v: names.fresh(f"{callee.name}.{v}") for v in callee.types}
    label = {b.label: labels.fresh(f"{callee.name}.{b.label}") for b in callee.blocks}
    following = labels.fresh(f"{block.label}.{callee.name}")
    arguments = moves(zip((variable[p] for p in callee.params), call.args, strict=True), call.span)
    first = ir.Block(
        block.label,
        (*block.operations[: site[2]], *arguments),
        ir.Jump(label[callee.blocks[0].label], call.span),
    )
    body = [_copied(b, variable, label, call, following) for b in callee.blocks]
    last = ir.Block(following, block.operations[site[2] + 1 :], block.terminator)
    blocks: list[ir.Block] = []
    for old in caller.blocks:
        blocks += [first, *body, last] if old.label == block.label else [old]
    types = dict(caller.types) | {variable[v]: t for v, t in callee.types.items()}
    changed = dataclasses.replace(caller, blocks=tuple(blocks), types=types)
    return dataclasses.replace(program, functions={**program.functions, caller.name: changed})


def _copied(
    block: ir.Block,
    variable: dict[ir.Variable, ir.Variable],
    label: dict[ir.Label, ir.Label],
    call: ir.Call,
    following: ir.Label,
) -> ir.Block:
    """A block of the callee under new names; a return becomes moves and a jump."""
    operations = [rename(o, reads=variable, writes=variable) for o in block.operations]
    terminator = rename(relabel(block.terminator, label), reads=variable)
    if isinstance(terminator, ir.Return):
        operations += moves(zip(call.targets, terminator.values, strict=True), terminator.span)
        terminator = ir.Jump(following, terminator.span)
    return ir.Block(label[block.label], tuple(operations), terminator)
