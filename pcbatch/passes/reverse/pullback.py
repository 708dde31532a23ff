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


def pullback(program: ir.Program, by: tuple[int | str | ir.Captured, ...]) -> ir.Program:
    """Make the program that takes adjoints back: it differentiates their product with the results.

    Args:
      program: in typed call form, with a floating result.
      by: with regard to what.

    Returns:
      A program of the same arguments, and then of the adjoints of the floating results. It gives
      the derivatives, for each member alone. Those with regard to large shared values are totals of
      the program, by the names of these.
    """
    entry = program.functions[program.entry]
    floats = [i for i, type_ in enumerate(entry.results) if is_floating(type_)]
    sum_type = ir.TensorType(max((entry.results[i].dtype for i in floats), key=_bits), ())
    given = tuple(f"{name}.given" for name in entry.params)
    bars = tuple(f"%bar{i}" for i in floats)
    results = tuple(f"%result{i}" for i in range(len(entry.results)))
    given_types = tuple(entry.types[name] for name in entry.params)
    of_wrt = {x: type_of_source(x, given_types, program.shared) for x in by}
    totals = {
        x: t for x, t in of_wrt.items() if not isinstance(x, int) and math.prod(t.shape) > LARGE
    }
    wrt = tuple(x if isinstance(x, int) or x not in totals else _summed(x) for x in by)
    slope_types = tuple(t for x, t in of_wrt.items() if x not in totals)
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
    call = ir.Call(("%sum", *slopes), weighted.name, weighted.params, (), span, wrt)
    back = _straight(
        f"{entry.name}.back", weighted.params, (call,), slopes,
        types | dict(zip(slopes, slope_types, strict=True)), entry,
    )  # fmt: skip
    functions = {back.name: back, weighted.name: weighted, **program.functions}
    return dataclasses.replace(
        program,
        functions=functions,
        entry=back.name,
        totals={total_of(x): type_ for x, type_ in totals.items()},
    )


def total_of(source: str | ir.Captured) -> str:
    """The name of the total of what is differentiated by."""
    return f"{source.name if isinstance(source, ir.Captured) else source}.total"


def _summed(source: str | ir.Captured) -> ir.Summed:
    return ir.Summed(source, total_of(source))


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
