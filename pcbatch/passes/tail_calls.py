"""Find the calls whose results the caller returns as they are: tail calls.

A tail call within a recursion needs no return address of its own: the callee may return straight
to the caller's caller. The caller and the callee then share one return address variable and one set
of result variables, and so do all functions connected in this way: a *tail group*.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from pcbatch import ir
from pcbatch.ir.analysis import calls
from pcbatch.passes.rewrite import is_move


@dataclasses.dataclass(frozen=True, slots=True)
class TailCalls:
    """The tail calls of a program.

    Attributes:
      position: by function and block label, where among the block's operations its tail call is.
      group: by function, the first function of its tail group, which names the group.
    """

    position: Mapping[tuple[str, ir.Label], int]
    group: Mapping[str, str]


def find(program: ir.Program) -> TailCalls:
    """Find the tail calls between functions of one recursion."""
    recursion = calls.recursion(program)
    group = {name: name for name in program.functions}
    found: dict[tuple[str, ir.Label], int] = {}
    for name, function in program.functions.items():
        for block in function.blocks:
            position = _tail_position(function, block)
            if position is None:
                continue
            call = block.operations[position]
            if call.callee in recursion[name] and not calls.is_whole(program, call):
                found[name, block.label] = position
                _unite(group, name, call.callee)
    return TailCalls(found, group)


def _unite(group: dict[str, str], a: str, b: str) -> None:
    """Join two groups under the name of whichever function comes first in the program."""
    old = {group[a], group[b]}
    first = next(name for name in group if name in old)
    for name in group:
        if group[name] in old:
            group[name] = first


def _tail_position(function: ir.Function, block: ir.Block) -> int | None:
    """Find the block's last call, if only moves follow and then its results are returned."""
    positions = [i for i, o in enumerate(block.operations) if isinstance(o, ir.Call)]
    if not positions:
        return None
    blocks = {b.label: b for b in function.blocks}
    targets = block.operations[positions[-1]].targets
    holds: dict[str, int | None] = {name: i for i, name in enumerate(targets)}
    rest = block.operations[positions[-1] + 1 :]
    seen: set[ir.Label] = set()
    while True:
        for operation in rest:
            if not is_move(operation):
                return None
            values = [holds.get(name) for name in operation.args]
            holds.update(zip(operation.targets, values, strict=True))
        if not isinstance(block.terminator, ir.Jump) or block.label in seen:
            break
        seen.add(block.label)
        block = blocks[block.terminator.target]
        rest = block.operations
    if not isinstance(block.terminator, ir.Return):
        return None
    returned = [holds.get(name) for name in block.terminator.values]
    return positions[-1] if returned == list(range(len(targets))) else None
