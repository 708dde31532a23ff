"""Sums of matrix products that a loop makes term by term: the gradient of a weight inside a loop.

Per member such a sum is a whole matrix, which every trip would read and write. Where that is more
than what the factors take, the loop keeps the factors, and one product after it makes the sum, as a
person would do for gradients per example.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from pcbatch.backend.private import graphs
from pcbatch.vectorizer.kinds import PlainKind
from pcbatch.vectorizer.values import ListOf, Plain, int32

_ROOM = 8
"""The factors of all trips take at most so many times the room of the sum."""


class MatrixProduct(NamedTuple):
    """One factor times another, each transposed or not."""

    factors: tuple[tf.Tensor, tf.Tensor]
    transposed: tuple[bool, bool]


def terms(
    cond: graphs.FuncGraph,
    body: graphs.FuncGraph,
    outputs: Sequence[tf.Tensor],
    i: int,
    trips: int,
) -> list[MatrixProduct] | None:
    """Read variable i of a loop as a sum of matrix products.

    Args:
      cond, body: the graphs of the loop.
      outputs: of the body, one per variable.
      i: the variable.
      trips: the largest number of trips.

    Returns:
      What each trip adds to it, where it does nothing else with the variable, and where the
      factors take less room than the sum and not too much of it altogether; None otherwise.
    """
    variable = body.inputs[i]
    if not variable.dtype.is_floating or cond.inputs[i].consumers():
        return None
    found: list[MatrixProduct] = []
    seen = 0
    ahead = [outputs[i]]
    while ahead:
        tensor = ahead.pop()
        if tensor is variable:
            seen += 1
            continue
        if tensor is not outputs[i] and any(tensor is t for t in outputs):
            return None
        if len(tensor.consumers()) != (tensor is not outputs[i]):
            return None
        match tensor.op.type:
            case "Identity" | "AddN" | "AddV2" | "Add":
                if any(t.shape != variable.shape for t in tensor.op.inputs):
                    return None
                ahead += tensor.op.inputs
            case "MatMul":
                flags = tensor.op.get_attr("transpose_a"), tensor.op.get_attr("transpose_b")
                found.append(MatrixProduct(tuple(tensor.op.inputs), flags))
            case _:
                return None
    alone = seen == 1 and len(variable.consumers()) == 1
    return found if found and alone and _pays(found, variable.shape, trips) else None


def _pays(products: list[MatrixProduct], shape: tf.TensorShape, trips: int) -> bool:
    sizes = [f.shape.num_elements() for p in products for f in p.factors]
    whole = shape.num_elements()
    if whole is None or any(size is None for size in sizes):
        return False
    return sum(sizes) < whole and trips * sum(sizes) <= _ROOM * whole


def no_factors(trips: int) -> ListOf:
    """The list of the values of a factor before the first trip."""
    return ListOf(None, trips, True, (), int32(0))


def total(start: Plain, products: Sequence[MatrixProduct], factors: Sequence[ListOf]) -> Plain:
    """The sum after the loop.

    Args:
      start: before the loop.
      products: what each trip added.
      factors: for each product two lists, zero where a member was done.
    """
    found, is_stacked = start.local(), start.stacked
    pairs = zip(products, factors[::2], factors[1::2], strict=True)
    for product, *lists in pairs:
        both = [isinstance(f.element, PlainKind) and f.element.stacked for f in lists]
        rows = [
            "t" + "b" * stacked + (axes[::-1] if transposed else axes)
            for stacked, axes, transposed in zip(
                both, ("mk", "kn"), product.transposed, strict=True
            )
        ]
        added = tf.einsum(f"{rows[0]},{rows[1]}->{'b' * any(both)}mn", *(f.rows[0] for f in lists))
        found, is_stacked = found + added, is_stacked or any(both)
    return Plain(found, is_stacked)
