"""The program that takes adjoints of another program's results back to what that has read."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.ir.analysis.activity import is_floating, type_of_source
from pcbatch.passes.reverse.scope import LARGE


@dataclasses.dataclass(frozen=True)
class Weighted:
    """The primitive that adds up the products of results with their adjoints.

    Attributes:
      dtype: of the sum.
    """

    dtype: str

    def __call__(self, *args: Any) -> tuple[Any]:
        half = len(args) // 2
        pairs = zip(args[:half], args[half:], strict=True)
        return (tf.add_n([tf.cast(tf.reduce_sum(a * b), self.dtype) for a, b in pairs]),)


def pullback(program: ir.Program, by: tuple[ir.Source, ...]) -> ir.Program:
    """Make the program that takes adjoints back: it differentiates their product with the results.

    Args:
      program: in typed call form, with a floating result.
      by: with regard to what.

    Returns:
      A program of the same arguments, and then of the adjoints of the floating results. It gives
      the derivatives, for each member alone; those that are summed are totals of the program.
    """
    entry = program.functions[program.entry]
    floats = [i for i, type_ in enumerate(entry.results) if is_floating(type_)]
    sum_type = ir.TensorType(max((entry.results[i].dtype for i in floats), key=_bits), ())
    given = tuple(f"{name}.given" for name in entry.params)
    bars = tuple(f"%bar{i}" for i in floats)
    results = tuple(f"%result{i}" for i in range(len(entry.results)))
    given_types = tuple(entry.types[name] for name in entry.params)
    of_by = {x: type_of_source(x, given_types, program.shared) for x in by}
    totals = {x.total: type_ for x, type_ in of_by.items() if isinstance(x, ir.Summed)}
    slope_types = tuple(t for x, t in of_by.items() if not isinstance(x, ir.Summed))
    slopes = tuple(f"%slope{i}" for i in range(len(slope_types)))
    types = dict(zip(given, given_types, strict=True))
    types |= dict(zip(bars, (entry.results[i] for i in floats), strict=True))
    types["%sum"] = sum_type
    products = (*(results[i] for i in floats), *bars)
    span = entry.span
    weighted = _straight(
        "%weighted", (*given, *bars),
        (
            ir.Call(results, entry.name, given, (), span),
            ir.Primitive(("%sum",), Weighted(sum_type.dtype), products, "results * bars", span),
        ),
        ("%sum",), types | dict(zip(results, entry.results, strict=True)), entry,
    )  # fmt: skip
    call = ir.Call(("%sum", *slopes), weighted.name, weighted.params, (), span, by)
    back = _straight(
        f"{entry.name}.back", weighted.params, (call,), slopes,
        types | dict(zip(slopes, slope_types, strict=True)), entry,
    )  # fmt: skip
    functions = {back.name: back, weighted.name: weighted, **program.functions}
    return dataclasses.replace(
        program,
        functions=functions,
        entry=back.name,
        totals={**program.totals, **totals},
    )


def summed(program: ir.Program, source: ir.Source) -> ir.Source:
    """What one differentiates by: of a large shared value the sum over all members."""
    if isinstance(source, int | ir.Summed):
        return source
    if math.prod(type_of_source(source, (), program.shared).shape) <= LARGE:
        return source
    name = source.name if isinstance(source, ir.Captured) else source
    return ir.Summed(source, f"{name}.total")


def _bits(dtype: str) -> int:
    return int(tf.as_dtype(dtype).size)


def _straight(
    name: str,
    params: tuple[ir.Variable, ...],
    operations: tuple[ir.CallOperation, ...],
    results: tuple[ir.Variable, ...],
    types: dict[ir.Variable, ir.TensorType],
    like: ir.Function,
) -> ir.Function:
    """A function of one block, at the place of another one."""
    block = ir.Block("entry", operations, ir.Return(results, like.span))
    return ir.Function(name, params, (block,), like.span, types, tuple(types[x] for x in results))
