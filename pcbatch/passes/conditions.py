"""Join two branches in a row that share a way out: `and` and `or` without a block of their own.

a: branch c ? b : out                    a: <b>; both = c and d; branch both ? on : out
b: <cheap>; branch d ? on : out     =>
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.ir.analysis import effects, flow
from pcbatch.ir.analysis.liveness import liveness
from pcbatch.passes.rewrite import Names, guarded, map_functions, only_cheap

LIMIT = 8
"""The most operations of a block that is run for members that would have skipped it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Both:
    """The primitive that says whether two conditions are as wanted.

    Attributes:
      first, second: what the first and the second condition must be.
    """

    first: bool
    second: bool

    def __call__(self, first: Any, second: Any) -> tuple[Any]:
        return (
            tf.logical_and(
                first if self.first else tf.logical_not(first),
                second if self.second else tf.logical_not(second),
            ),
        )


def join_conditions(program: ir.Program, is_cheap: Callable[[ir.Primitive], bool]) -> ir.Program:
    """Join the conditions of branches in every function.

    Args:
      program: in typed call form, jumps simplified.
      is_cheap: says of a primitive whether it may run for members that would not have run it, and
        is worth it.

    Returns:
      The program with fewer blocks.
    """

    def change(function: ir.Function) -> ir.Function:
        names = Names((*function.types, *program.shared, *program.buffers))
        while True:
            changed = _join_one(function, names, is_cheap)
            if changed is None:
                return function
            function = changed

    return map_functions(program, change)


def _join_one(
    function: ir.Function, names: Names, is_cheap: Callable[[ir.Primitive], bool]
) -> ir.Function | None:
    graph = flow.of_function(function)
    live = liveness(graph).at_start
    for block in function.blocks:
        if not isinstance(block.terminator, ir.Branch):
            continue
        for wanted in (True, False):
            branch = block.terminator
            near, out = (branch.then, branch.orelse)[:: 1 if wanted else -1]
            second = graph.blocks[near]
            if (
                isinstance(second.terminator, ir.Branch)
                and out in effects.jumps(second.terminator)
                and out != near
                and len(graph.predecessors[near]) == 1
                and len(second.operations) <= LIMIT
                and only_cheap(second.operations, is_cheap)
                and not _assigned(second) & {*live[out], branch.condition}
            ):
                return _joined(function, block, second, wanted, names)
    return None


def _assigned(block: ir.Block) -> set[ir.Variable]:
    return {name for operation in block.operations for name in effects.writes(operation)}


def _joined(
    function: ir.Function, first: ir.Block, second: ir.Block, wanted: bool, names: Names
) -> ir.Function:
    """Append the second block to the first, which leaves for `out` unless both agree."""
    branch, inner = first.terminator, second.terminator
    out = branch.orelse if wanted else branch.then
    inner_wanted = inner.orelse == out
    on = inner.then if inner_wanted else inner.orelse
    both = names.fresh("%both")
    fn = Both(wanted, inner_wanted)
    text = f"{'' if wanted else 'not '}first and {'' if inner_wanted else 'not '}second"
    test = ir.Primitive((both,), fn, (branch.condition, inner.condition), text, inner.span)
    types = dict(function.types)

    def fresh(name: str) -> str:
        made = names.fresh(name)
        types[made] = types[name]
        return made

    checked = guarded(second.operations, branch.condition, wanted, fresh)
    joined = ir.Block(
        first.label,
        (*first.operations, *checked, test),
        ir.Branch(both, on, out, inner.span),
    )
    blocks = tuple(
        joined if block.label == first.label else block
        for block in function.blocks
        if block.label != second.label
    )
    types[both] = function.types[branch.condition]
    return dataclasses.replace(function, blocks=blocks, types=types)
