"""Small tools that passes share: renaming, fresh names, mapping over functions, moves."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeGuard

import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.ir.analysis import effects


class Names:
    """Hands out names that are not taken yet, the same ones for the same requests."""

    def __init__(self, taken: Iterable[str] = ()):
        self._taken = set(taken)

    def fresh(self, wanted: str) -> str:
        """Return `wanted`, with a number behind it where it is taken, and take it."""
        name = wanted
        number = 2
        while name in self._taken:
            name = f"{wanted}~{number}"
            number += 1
        self._taken.add(name)
        return name


@dataclasses.dataclass(frozen=True, slots=True)
class Selected:
    """The primitive that computes `fn` and keeps some of its results.

    Attributes:
      fn: the primitive's function.
      positions: which of its results to keep, in order.
    """

    fn: Callable[..., tuple[Any, ...]]
    positions: tuple[int, ...]

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        results = self.fn(*args)
        return tuple(results[i] for i in self.positions)


def rename(
    instruction: Any,
    *,
    reads: Mapping[str, str] | None = None,
    writes: Mapping[str, str] | None = None,
) -> Any:
    """Replace names that the instruction reads and variables that it assigns.

    A `Push` reads and a `Pop` assigns its variable. Names without an entry stay.
    """
    old = reads or {}
    new = writes or {}
    match instruction:
        case (
            ir.Primitive(targets=targets, args=args)
            | ir.Accumulate(targets=targets, args=args)
            | ir.Call(targets=targets, args=args)
            | ir.HostCall(targets=targets, args=args)
        ):
            return dataclasses.replace(
                instruction,
                targets=tuple(new.get(name, name) for name in targets),
                args=tuple(old.get(name, name) for name in args),
            )
        case ir.Store(index=index, value=value):
            return dataclasses.replace(
                instruction, index=old.get(index, index), value=old.get(value, value)
            )
        case ir.Push(variable=name):
            return dataclasses.replace(instruction, variable=old.get(name, name))
        case ir.Pop(variable=name):
            return dataclasses.replace(instruction, variable=new.get(name, name))
        case ir.Branch(condition=name) | ir.Check(condition=name):
            return dataclasses.replace(instruction, condition=old.get(name, name))
        case ir.Return(values=values, address=address):
            return dataclasses.replace(
                instruction,
                values=tuple(old.get(name, name) for name in values),
                address=None if address is None else old.get(address, address),
            )
        case ir.PushJump(address=address):
            return dataclasses.replace(instruction, address=new.get(address, address))
        case ir.Await(call=call):
            return dataclasses.replace(instruction, call=rename(call, reads=reads, writes=writes))
        case _:
            return instruction


def relabel(terminator: Any, labels: Mapping[ir.Label, ir.Label]) -> Any:
    """Replace the labels that a terminator names; labels without an entry stay."""
    match terminator:
        case ir.Jump(target=target) | ir.Await(target=target):
            return dataclasses.replace(terminator, target=labels.get(target, target))
        case ir.Branch(then=then, orelse=orelse):
            return dataclasses.replace(
                terminator, then=labels.get(then, then), orelse=labels.get(orelse, orelse)
            )
        case ir.PushJump(return_to=return_to, target=target):
            return dataclasses.replace(
                terminator,
                return_to=labels.get(return_to, return_to),
                target=labels.get(target, target),
            )
        case _:
            return terminator


def renamed_block(
    block: ir.Block, names: Mapping[str, str], labels: Mapping[ir.Label, ir.Label]
) -> ir.Block:
    """The block under other names, those of buffers and of totals included."""

    def renamed(operation: Any) -> Any:
        changed = rename(operation, reads=names, writes=names)
        if isinstance(changed, ir.Store):
            buffer = names.get(changed.buffer, changed.buffer)
            return dataclasses.replace(changed, buffer=buffer)
        if isinstance(changed, ir.Accumulate):
            totals = tuple(names.get(name, name) for name in changed.totals)
            return dataclasses.replace(changed, totals=totals)
        return changed

    terminator = rename(relabel(block.terminator, labels), reads=names, writes=names)
    operations = tuple(map(renamed, block.operations))
    return ir.Block(labels[block.label], operations, terminator)


def moves(pairs: Iterable[tuple[ir.Variable, str]], span: Span) -> tuple[ir.Primitive, ...]:
    """Make one parallel copy of the pairs (target, source); none where nothing moves."""
    kept = [(target, source) for target, source in pairs if target != source]
    if not kept:
        return ()
    targets, sources = zip(*kept, strict=True)
    return (ir.Primitive(targets, ir.move, sources, "move", span),)


def is_move(operation: Any) -> TypeGuard[ir.Primitive]:
    """Say whether the operation is a parallel copy."""
    return isinstance(operation, ir.Primitive) and operation.fn is ir.move


def only_cheap(operations: Iterable[Any], is_cheap: Callable[[ir.Primitive], bool]) -> bool:
    """Say whether the operations are copies, cheap primitives and checks only.

    Whoever runs them for members that would have skipped them has to see to the checks, which are
    not for these, see `guarded`.
    """
    return all(
        isinstance(operation, ir.Check)
        or (isinstance(operation, ir.Primitive) and (is_move(operation) or is_cheap(operation)))
        for operation in operations
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Guard:
    """The primitive that says whether what is checked holds, or the member is not there.

    Attributes:
      wanted: the truth of the branch's condition for members that are.
    """

    wanted: bool

    def __call__(self, here: Any, holds: Any) -> tuple[Any]:
        elsewhere = tf.logical_not(here) if self.wanted else here
        return (tf.logical_or(elsewhere, holds),)


def guarded(
    operations: Iterable[Any], condition: ir.Variable, wanted: bool, fresh: Callable[[str], str]
) -> list[Any]:
    """Operations whose checks are for the members only for which a condition is as wanted.

    Args:
      operations: those of one side of a branch.
      condition: what it branches on; nothing among the operations assigns it.
      wanted: the condition's truth on this side.
      fresh: gives a bool variable a name that is not taken, like the one given.
    """
    result: list[Any] = []
    for operation in operations:
        if isinstance(operation, ir.Check):
            name, args = fresh(operation.condition), (condition, operation.condition)
            text = f"{'not ' if wanted else ''}{condition} or {operation.condition}"
            result.append(ir.Primitive((name,), Guard(wanted), args, text, operation.span))
            operation = dataclasses.replace(operation, condition=name)
        result.append(operation)
    return result


def map_functions(program: ir.Program, change: Callable[[ir.Function], ir.Function]) -> ir.Program:
    """Apply a change to every function, and forget the types of variables that are gone."""
    functions = {name: tidy_types(change(f)) for name, f in program.functions.items()}
    return dataclasses.replace(program, functions=functions)


def with_operations(block: ir.Block, operations: Iterable[Any]) -> ir.Block:
    """The block with other operations."""
    return dataclasses.replace(block, operations=tuple(operations))


def names_in(blocks: Iterable[ir.Block]) -> dict[str, None]:
    """Every name that the blocks mention, in order of first appearance."""
    return dict.fromkeys(
        name
        for block in blocks
        for instruction in (*block.operations, block.terminator)
        for name in (*effects.reads(instruction), *effects.writes(instruction))
    )


def tidy_types(program: Any) -> Any:
    """Keep the types of a function's or stack program's variables that still occur."""
    used = names_in(program.blocks)
    if isinstance(program, ir.StackProgram):
        used.update(dict.fromkeys((*program.inputs, *program.outputs, program.address)))
    else:
        used.update(dict.fromkeys(program.params))
    kept = {name: type_ for name, type_ in program.types.items() if name in used}
    return dataclasses.replace(program, types=kept)
