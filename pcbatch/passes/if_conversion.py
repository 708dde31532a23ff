"""Turn a branch between two short sides into straight-line code that selects.

    branch c ? then : orelse
  then:   x = a; jump join                 x' = a; x'' = b
  orelse: x = b; jump join         =>      x = select(c, x', x'')
  join:   ...                              jump join

Two blocks and a branch cost more than a few cheap operations that all members run. Both sides then
run for every member, so only primitives that cannot fail on values never meant for them may take
part: the caller's predicate says which. Copies always may. In a function that is differentiated
the derivatives of both sides are computed, too, so there they must be finite.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.ir.analysis import calls, effects, flow
from pcbatch.ir.analysis.liveness import Variables, liveness
from pcbatch.passes.rewrite import Names, guarded, map_functions, only_cheap, rename

LIMIT = 8
"""The most operations that both sides together may have."""


def select(condition: Any, *values: Any) -> tuple[Any, ...]:
    """The primitive of a converted branch, for one member.

    Args:
      condition: bool scalar.
      *values: for each target, the value where the condition holds and the value elsewhere; both
        of the target's type.

    Returns:
      One value per target.
    """
    pairs = zip(values[::2], values[1::2], strict=True)
    return tuple(tf.where(condition, then, orelse) for then, orelse in pairs)


def convert_branches(
    program: ir.Program,
    is_cheap: Callable[[ir.Primitive], bool],
    is_steep: Callable[[ir.Primitive], bool] = lambda _: True,
) -> ir.Program:
    """Convert short branches in every function, inner ones first.

    Args:
      program: in typed call form, jumps simplified.
      is_cheap: says of a primitive whether it may run for members that would not have run it, and
        is worth it.
      is_steep: says of a primitive whether its derivative may be infinite, or none.

    Returns:
      The program with fewer branches; blocks that nothing leads to any more are left in place.
    """

    differentiated = calls.differentiated(program)

    def change(function: ir.Function) -> ir.Function:
        def may_run(primitive: ir.Primitive) -> bool:
            has_slope = function.name in differentiated
            return is_cheap(primitive) and not (has_slope and is_steep(primitive))

        names = Names((*function.types, *program.shared, *program.buffers))
        # Converting may leave a variable that only computes itself, no longer live then. What
        # assigns it must find its operands all the same: this is of the function as it was.
        live = liveness(flow.of_function(function)).at_start
        while True:
            changed = _convert_each(function, names, may_run, live)
            if changed is function:
                return function
            function = changed

    return map_functions(program, change)


@dataclasses.dataclass(frozen=True, slots=True)
class _Side:
    """One side of a branch: what it computes, and how it goes on (a label, or a return)."""

    operations: tuple[ir.Primitive | ir.Check, ...]
    end: ir.Label | ir.Return

    @property
    def size(self) -> int:
        return sum(isinstance(operation, ir.Primitive) for operation in self.operations)


def _convert_each(
    function: ir.Function,
    names: Names,
    is_cheap: Callable[[ir.Primitive], bool],
    live: Mapping[ir.Label, Variables],
) -> ir.Function:
    """Convert each branch that can be converted and is worth it; those around them come later."""
    graph = flow.of_function(function)
    converted, types = dict(graph.blocks), dict(function.types)
    for label, block in graph.blocks.items():
        branch = block.terminator
        if not isinstance(branch, ir.Branch):
            continue
        for then, orelse in _ways(converted, graph.predecessors, branch, is_cheap):
            size = then.size + orelse.size
            if size <= LIMIT and _meet(then.end, orelse.end):
                results = function.results
                converted[label] = _converted(block, then, orelse, names, types, results, live)
                break
    if converted == graph.blocks:
        return function
    reached = flow.in_order(tuple(converted.values()))
    return dataclasses.replace(function, blocks=reached, types=types)


def _ways(
    blocks: Mapping[ir.Label, ir.Block],
    predecessors: Mapping[ir.Label, Sequence[ir.Label]],
    branch: ir.Branch,
    is_cheap: Callable[[ir.Primitive], bool],
) -> list[tuple[_Side, _Side]]:
    """The ways to see the branch: two sides, or one side and nothing."""

    def side(label: ir.Label, nothing: _Side) -> _Side:
        alone = len(predecessors[label]) == 1
        return (_side(blocks[label], is_cheap) or nothing) if alone else nothing

    nothing_then, nothing_orelse = _Side((), branch.then), _Side((), branch.orelse)
    then, orelse = side(branch.then, nothing_then), side(branch.orelse, nothing_orelse)
    return [(then, orelse), (then, nothing_orelse), (nothing_then, orelse)]


def _side(block: ir.Block, is_cheap: Callable[[ir.Primitive], bool]) -> _Side | None:
    """A block to which only a branch leads, as a side of it, where it only computes cheaply."""
    if not only_cheap(block.operations, is_cheap):
        return None
    match block.terminator:
        case ir.Jump(target=target) if target != block.label:
            return _Side(block.operations, target)
        case ir.Return() as terminator:
            return _Side(block.operations, terminator)
    return None


def _meet(a: ir.Label | ir.Return, b: ir.Label | ir.Return) -> bool:
    return a == b if isinstance(a, str) else isinstance(b, ir.Return)


def _converted(
    block: ir.Block,
    then: _Side,
    orelse: _Side,
    names: Names,
    types: dict[str, ir.TensorType],
    results: Sequence[ir.TensorType],
    live: Mapping[ir.Label, Variables],
) -> ir.Block:
    """The block with both sides instead of its branch; `types` receives those of new names."""
    branch = block.terminator

    def fresh(name: str) -> str:
        made = names.fresh(name)
        types[made] = types[name]
        return made

    first, then_names = _renamed(then.operations, names, types)
    second, orelse_names = _renamed(orelse.operations, names, types)
    first = guarded(first, branch.condition, True, fresh)
    second = guarded(second, branch.condition, False, fresh)
    if isinstance(then.end, ir.Return) and isinstance(orelse.end, ir.Return):
        returned = tuple(names.fresh("%result") for _ in results)
        types.update(zip(returned, results, strict=True))
        pairs = zip(then.end.values, orelse.end.values, strict=True)
        chosen = dict(zip(returned, pairs, strict=True))
        terminator: Any = dataclasses.replace(then.end, values=returned)
    else:
        assert isinstance(then.end, str)
        assigned = dict.fromkeys((*then_names, *orelse_names))
        chosen = {name: (name, name) for name in assigned if name in live[then.end]}
        terminator = ir.Jump(then.end, branch.span)
    selects = _selects(branch, chosen, then_names, orelse_names)
    operations = (*block.operations, *first, *second, *selects)
    return ir.Block(block.label, operations, terminator)


def _renamed(
    operations: tuple[ir.Primitive | ir.Check, ...], names: Names, types: dict[str, ir.TensorType]
) -> tuple[list[ir.Primitive | ir.Check], dict[str, str]]:
    """Give all targets fresh names; return the operations, and each variable's last name."""
    latest: dict[str, str] = {}
    changed = []
    for operation in operations:
        targets = effects.writes(operation)
        fresh = {name: names.fresh(name) for name in targets}
        types.update((fresh[name], types[name]) for name in targets)
        changed.append(rename(operation, reads=latest, writes=fresh))
        latest.update(fresh)
    return changed, latest


def _selects(
    branch: ir.Branch,
    chosen: Mapping[str, tuple[str, str]],
    then: Mapping[str, str],
    orelse: Mapping[str, str],
) -> tuple[ir.Primitive, ...]:
    """One primitive that selects all; one, since the targets may include the condition."""
    pairs = {t: (then.get(a, a), orelse.get(b, b)) for t, (a, b) in chosen.items()}
    if not pairs:
        return ()
    args = (branch.condition, *(name for pair in pairs.values() for name in pair))
    return (ir.Primitive(tuple(pairs), select, args, "select", branch.span),)
