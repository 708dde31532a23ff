"""Which values a derivative passes through: they vary with the inputs, and a result needs them.

The answer does not tell places apart: a variable is active if it is so anywhere in the program.
Source: Griewank and Walther 2008, section 6.1 (varied and useful variables).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import tensorflow as tf

from pcbatch import ir
from pcbatch.ir.analysis import effects

Edge = tuple[str, str]
"""A floating value that is computed from another one: (source, target)."""


def is_floating(type_: ir.TensorType) -> bool:
    """Say whether a value of this type has a derivative."""
    return bool(tf.as_dtype(type_.dtype).is_floating)


def type_of_source(
    source: ir.Source, arguments: Sequence[ir.TensorType], shared: Mapping[str, ir.TensorType]
) -> ir.TensorType:
    """The type of what one differentiates by.

    Args:
      source: it.
      arguments: the types of those of the function that is differentiated.
      shared: those of the program.
    """
    match source:
        case int(position):
            return arguments[position]
        case ir.Captured(type=type_):
            return type_
        case ir.Summed(source=inner):
            return type_of_source(inner, arguments, shared)
    return shared[source]


def active(
    blocks: Iterable[ir.Block],
    types: Mapping[str, ir.TensorType],
    sources: Iterable[str],
    results: Iterable[str],
    hidden: Callable[[ir.Primitive | ir.Call], Iterable[str]] = lambda _: (),
) -> frozenset[str]:
    """Find the variables and the buffers through which a derivative passes.

    Args:
      blocks: of a program in stack form.
      types: of everything that an operation may name.
      sources: the variables with regard to which one differentiates.
      results: the variables that are differentiated.
      hidden: what a primitive, or a recomputed function, reads that is not among its arguments.
    """
    edges = tuple(_edges(blocks, types, hidden))
    varied = _closure(sources, edges)
    useful = _closure(results, tuple((target, source) for source, target in edges))
    return varied & useful


def _edges(
    blocks: Iterable[ir.Block],
    types: Mapping[str, ir.TensorType],
    hidden: Callable[[ir.Primitive | ir.Call], Iterable[str]],
) -> Iterator[Edge]:
    floating: Callable[[str], bool] = lambda name: is_floating(types[name])  # noqa: E731
    for block in blocks:
        for instruction in (*block.operations, block.terminator):
            for source, target in _pairs(instruction, hidden):
                if floating(source) and floating(target):
                    yield source, target


def _pairs(
    instruction: effects.Instruction, hidden: Callable[[ir.Primitive | ir.Call], Iterable[str]]
) -> Iterable[Edge]:
    match instruction:
        case ir.Primitive(fn=ir.move, targets=targets, args=args):
            return zip(args, targets, strict=True)
        case ir.Primitive(targets=targets, args=args) | ir.Call(targets=targets, args=args):
            read = (*args, *hidden(instruction))
            return ((source, target) for source in read for target in targets)
        case (
            ir.HostCall(targets=targets, args=args)
            | ir.Await(call=ir.HostCall(targets=targets, args=args))
        ):
            return ((source, target) for source in args for target in targets)
        case ir.Store(buffer=buffer, value=value):
            return ((value, buffer),)
        case _:
            return ()


def _closure(start: Iterable[str], edges: tuple[Edge, ...]) -> frozenset[str]:
    onward: dict[str, list[str]] = {}
    for source, target in edges:
        onward.setdefault(source, []).append(target)
    found = set(start)
    waiting = list(found)
    while waiting:
        for target in onward.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return frozenset(found)
