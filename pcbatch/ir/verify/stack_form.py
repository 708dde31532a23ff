"""The rules of stack form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcbatch import ir
from pcbatch.ir.analysis import effects, flow, graph
from pcbatch.ir.printer import operation_text
from pcbatch.ir.verify.rules import (
    BOOL,
    BrokenRule,
    check_reads,
    require,
    verify_blocks,
    verify_host_call,
    verify_operation,
    verify_types,
)

ADDRESS = ir.TensorType("int32", ())


def verify_stack_program(program: ir.StackProgram) -> None:
    verify_blocks(program.blocks, "program")
    for name in (*program.inputs, *program.outputs, program.address):
        require(name in program.types, "program", f"{name!r} has no type")
    for names in (program.inputs, program.outputs):
        require(len(set(names)) == len(names), "program", f"repeated name in {names}")
    for block in program.blocks:
        for operation in block.operations:
            verify_operation(
                operation, program.types, program, f"{block.label}: {operation_text(operation)}"
            )
        where = f"{block.label}: {operation_text(block.terminator)}"
        _verify_stack_terminator(block.terminator, program.types, where)
        if isinstance(block.terminator, ir.Await):
            require(not block.operations, where, "operations before an await")
            constants = {**program.shared, **program.buffers}
            verify_host_call(block.terminator.call, program.types, constants, where)
        _verify_order(block)
    _verify_stacks(program)
    _verify_stack_definitions(program)
    order = tuple(block.label for block in flow.in_order(program.blocks))
    require(order == tuple(block.label for block in program.blocks), "program", "not in flow order")


def _verify_stack_terminator(
    terminator: Any, types: Mapping[str, ir.TensorType], place: str
) -> None:
    match terminator:
        case ir.Branch(condition=condition):
            verify_types([types.get(condition)], [BOOL], place)
        case ir.Return(values=values, address=address):
            require(not values, place, "values in stack form")
            verify_types([types.get(address or "")], [ADDRESS], place)
        case ir.PushJump(address=address):
            verify_types([types.get(address)], [ADDRESS], place)
        case ir.Jump() | ir.Fail() | ir.Await():
            pass
        case _:
            raise BrokenRule(f"{place}: not a terminator of stack form")


def _verify_order(block: ir.Block) -> None:
    """Check that every `Pop` stands before, and every `Push` after, all other operations."""
    ranks = [{ir.Pop: 0, ir.Push: 2}.get(type(operation), 1) for operation in block.operations]
    require(ranks == sorted(ranks), block.label, "pops do not come first and pushes last")


def _verify_stacks(program: ir.StackProgram) -> None:
    """Check the height of every stack, counted from the entry of the function that runs.

    A call leaves the heights as they were; a function returns with what it was given. So the
    heights are the same on all paths to a block, and a `Pop` never takes what it did not push.
    Of tapes this says nothing: their heights depend on the calls before.
    """
    blocks = {block.label: block for block in program.blocks}
    heights: dict[ir.Label, Mapping[str, int]] = {program.blocks[0].label: {}}
    waiting = [program.blocks[0].label]
    while waiting:
        label = waiting.pop()
        after = _heights_after(blocks[label], heights[label], program.tapes)
        match blocks[label].terminator:
            case ir.PushJump(return_to=return_to, target=target):
                following = {target: {}, return_to: after}
            case ir.Return():
                require(not after, label, f"returns with {after} on the stacks")
                following = {}
            case terminator:
                following = dict.fromkeys(effects.jumps(terminator), after)
        for successor, height in following.items():
            known = heights.setdefault(successor, height)
            require(known == height, successor, f"stack heights {known} and {height}")
            if known is height:
                waiting.append(successor)


def _heights_after(
    block: ir.Block, before: Mapping[str, int], tapes: frozenset[str]
) -> dict[str, int]:
    heights = dict(before)
    for operation in block.operations:
        match operation:
            case ir.Push(variable=name) | ir.Pop(variable=name) if name in tapes:
                pass
            case ir.Push(variable=name):
                heights[name] = heights.get(name, 0) + 1
            case ir.Pop(variable=name):
                require(heights.get(name, 0) > 0, block.label, f"pops {name!r} too often")
                heights[name] -= 1
    return {name: height for name, height in heights.items() if height}


def _verify_stack_definitions(program: ir.StackProgram) -> None:
    """Check that every variable is assigned before it is read, on every path.

    A return block may rely on what its caller had assigned, and on what the callee has.
    """
    view = flow.of_stack(program)
    everything = frozenset(program.types)
    entries = dict.fromkeys(
        block.terminator.target
        for block in program.blocks
        if isinstance(block.terminator, ir.PushJump)
    )
    over = {label: _over_calls(block.terminator) for label, block in view.blocks.items()}
    assigned = dict.fromkeys(entries, everything)
    while True:
        found = {entry: _assigned_by(view, over, entry, assigned) for entry in entries}
        if found == assigned:
            break
        assigned = found
    ways = {label: effects.jumps(block.terminator) for label, block in view.blocks.items()}
    params = frozenset(view.params)
    start = _definitely_assigned(view, ways, view.entry, params, assigned, inside=True)
    for label, defined in start.items():
        check_reads(view, label, defined, "program")


def _over_calls(terminator: Any) -> tuple[ir.Label, ...]:
    """Where control goes on from a block if calls are stepped over."""
    if isinstance(terminator, ir.PushJump):
        return (terminator.return_to,)
    return effects.jumps(terminator)


def _assigned_by(
    view: flow.Flow,
    over: Mapping[ir.Label, tuple[ir.Label, ...]],
    entry: ir.Label,
    assigned: Mapping[ir.Label, frozenset[str]],
) -> frozenset[str]:
    """The variables that a call of `entry` assigns for certain, on every path to a return."""
    starts = _definitely_assigned(view, over, entry, frozenset(), assigned, inside=False)
    ends = [
        start.union(*(effects.writes(i) for i in view.instructions(label)))
        for label, start in starts.items()
        if isinstance(view.blocks[label].terminator, ir.Return)
    ]
    return frozenset.intersection(*ends) if ends else frozenset(view.variables)


def _definitely_assigned(
    view: flow.Flow,
    ways: Mapping[ir.Label, tuple[ir.Label, ...]],
    entry: ir.Label,
    start: frozenset[str],
    assigned: Mapping[ir.Label, frozenset[str]],
    *,
    inside: bool,
) -> dict[ir.Label, frozenset[str]]:
    """Solve forward from `entry` by `ways`, stepping over calls, and `inside` also into them."""
    states = {entry: start}
    order = graph.reverse_postorder(ways, entry)
    changed = True
    while changed:
        changed = False
        for label in order:
            if label not in states:
                continue
            after = states[label].union(*(effects.writes(i) for i in view.instructions(label)))
            match view.blocks[label].terminator:
                case ir.PushJump(return_to=return_to, target=target):
                    following = {return_to: after | assigned[target]}
                    if inside:
                        following[target] = after
                case terminator:
                    following = dict.fromkeys(effects.jumps(terminator), after)
            for successor, state in following.items():
                joined = states[successor] & state if successor in states else state
                if states.get(successor) != joined:
                    states[successor] = joined
                    changed = True
    return states
