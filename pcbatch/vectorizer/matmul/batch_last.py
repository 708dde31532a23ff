"""Members in columns: products with a large shared matrix, and what follows them.

XLA on CPU gives matrix products to a library that computes tiles of a few rows and of four vectors
of columns, and that packs a second factor anew which is not there row by row. With vectors of 64
bytes to pack a shared matrix takes as long as the products of some ten members with it, and a
hundred columns are two tiles of 64. So `matvec(matrix, x)` of all members is best `matrix @
columns` there, with one member's `x` in each column: nothing large is packed, and a multiple of
sixteen members makes whole vectors.

What such a product gives stays in columns through operations on single elements and along other
axes, up to the next product: to turn it would cost what was gained. All other rules are given rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import tensorflow as tf

from pcbatch.backend.private import xla_operations
from pcbatch.vectorizer import pretransposed
from pcbatch.vectorizer.interpreter import Interpreter, rule_of_batch_last
from pcbatch.vectorizer.rules import ordinary
from pcbatch.vectorizer.session import Session
from pcbatch.vectorizer.values import BatchLast, Plain, Value

VECTOR, HALF = 16, 8
"""The members are a multiple of so many, whole vectors of float32, or half of one."""
LEAST = 2e5
"""With a matrix of fewer numbers little is gained, or nothing."""
LONGEST = 2_000
"""Sums of more numbers are made of sums of parts."""

Given = list[Value | BatchLast]


def fit(members: int) -> bool:
    """Whether so many members can be in columns."""
    return members % VECTOR == 0 or members == HALF


# --- Products ---------------------------------------------------------------------------------


def product(
    session: Session,
    a: Value | BatchLast,
    b: Value | BatchLast,
    transpose_a: bool,
    transpose_b: bool,
) -> BatchLast | None:
    """A shared matrix times a vector of each member, or the vector times the matrix.

    Args:
      session: whose `forms` say whether products may be computed so.
      a, b: the factors.
      transpose_a, transpose_b: which of them are to be transposed.

    Returns:
      `[n, 1]` or `[1, n]` of each member; None where this is no such product, or had better have
      the members on the rows.
    """
    if not session.forms.batch_last or not fit(session.size):
        return None
    if _is_matrix(a) and _is_vector(b, 0 if transpose_b else 1):
        matrix, vectors, by_columns, shape = a, b, not transpose_a, (-1, 1)
    elif _is_matrix(b) and _is_vector(a, 1 if transpose_a else 0):
        matrix, vectors, by_columns, shape = b, a, transpose_b, (1, -1)
    else:
        return None
    assert isinstance(matrix, Plain)
    if matrix.tensor.shape.num_elements() < LEAST and not isinstance(vectors, BatchLast):
        return None
    left = pretransposed.read_by_columns(session.origin(matrix.tensor), by_columns)
    if left is None:
        return None
    found = tf.matmul(left, _batch_last(vectors), transpose_b=not isinstance(vectors, BatchLast))
    # XLA would make it the product with the members on the rows again.
    (found,) = xla_operations.barrier(found)
    return BatchLast(tf.reshape(found, [*shape, session.size]))


def _is_matrix(x: Value | BatchLast) -> bool:
    if not isinstance(x, Plain) or x.stacked or x.tensor.dtype != tf.float32:
        return False
    return x.tensor.shape.rank == 2 and x.tensor.shape.is_fully_defined()


def _is_vector(x: Value | BatchLast, across: int) -> bool:
    """Whether a value is a vector of each member, as a matrix with one row or column."""
    if not isinstance(x, Plain | BatchLast):
        return False
    kind = x.kind
    known = kind.dtype == tf.float32 and len(kind.shape) == 2 and None not in kind.shape
    return kind.stacked and known and kind.shape[across] == 1


def _batch_last(vectors: Value | BatchLast) -> tf.Tensor:
    """Vectors as `[k, B]`, or as rows `[B, k]`."""
    assert isinstance(vectors, Plain | BatchLast)
    size = vectors.tensor.shape[-1 if isinstance(vectors, BatchLast) else 0]
    shape = [-1, size] if isinstance(vectors, BatchLast) else [size, -1]
    return tf.reshape(vectors.tensor, shape)


# --- What follows them ------------------------------------------------------------------------


def aligned(values: Given) -> list[tf.Tensor] | None:
    """Values as tensors, members last, that broadcast as those of one member do; None for lists."""
    if not all(isinstance(x, Plain | BatchLast) for x in values):
        return None
    return [_last(x) for x in values if isinstance(x, Plain | BatchLast)]


def _last(x: Plain | BatchLast) -> tf.Tensor:
    if isinstance(x, BatchLast):
        return x.tensor
    rank = x.tensor.shape.rank
    if x.stacked:
        return tf.transpose(x.tensor, [*range(1, rank), 0]) if rank > 1 else x.tensor
    return x.local()[..., tf.newaxis] if rank else x.local()


@rule_of_batch_last(*ordinary.UNARY, *ordinary.BROADCAST, "Identity", "Snapshot")
def elementwise(
    interpreter: Interpreter, op: tf.Operation, inputs: Given
) -> list[BatchLast] | None:
    given = aligned(inputs)
    return None if given is None else [BatchLast(interpreter.create(op, given)[0])]


@rule_of_batch_last(*ordinary.SAME_SHAPE, "AddN")
def same_shape(interpreter: Interpreter, op: tf.Operation, inputs: Given) -> list[BatchLast] | None:
    given, shape = aligned(inputs), op.outputs[0].shape
    if given is None or not shape.is_fully_defined():
        return None
    wide = [tf.broadcast_to(x, [*shape, interpreter.size]) for x in given]
    return [BatchLast(interpreter.create(op, wide)[0])]


@rule_of_batch_last("IdentityN")
def identity_n(interpreter: Interpreter, op: tf.Operation, inputs: Given) -> list[BatchLast] | None:
    """`tf.custom_gradient`: within the machine nothing differentiates what has been vectorized."""
    return [x for x in inputs if isinstance(x, BatchLast)] if _all_batch_last(inputs) else None


def _all_batch_last(inputs: Given) -> bool:
    return all(isinstance(x, BatchLast) for x in inputs)


@rule_of_batch_last("Reshape", "ExpandDims", "Squeeze")
def reshape(interpreter: Interpreter, op: tf.Operation, inputs: Given) -> list[BatchLast] | None:
    return _to_static_shape(interpreter, op, inputs, tf.reshape)


@rule_of_batch_last("BroadcastTo")
def broadcast_to(
    interpreter: Interpreter, op: tf.Operation, inputs: Given
) -> list[BatchLast] | None:
    return _to_static_shape(interpreter, op, inputs, tf.broadcast_to)


def _to_static_shape(
    interpreter: Interpreter, op: tf.Operation, inputs: Given, make: Callable[..., tf.Tensor]
) -> list[BatchLast] | None:
    x, shape = inputs[0], op.outputs[0].shape
    if not isinstance(x, BatchLast) or not shape.is_fully_defined():
        return None
    return [BatchLast(make(x.tensor, [*shape, interpreter.size]))]


@rule_of_batch_last("Transpose")
def transpose(interpreter: Interpreter, op: tf.Operation, inputs: Given) -> list[BatchLast] | None:
    x, order = inputs
    if not isinstance(x, BatchLast) or not isinstance(order, Plain) or order.static is None:
        return None
    return [BatchLast(tf.transpose(x.tensor, [*order.static.tolist(), order.static.size]))]


@rule_of_batch_last(*ordinary.REDUCTIONS)
def reduction(interpreter: Interpreter, op: tf.Operation, inputs: Given) -> list[BatchLast] | None:
    x, axis = inputs
    if not isinstance(x, BatchLast) or not isinstance(axis, Plain) or axis.static is None:
        return None
    rank = len(x.kind.shape)
    places = [int(a) % rank for a in axis.static.reshape(-1)] if rank else []
    floats, size = x.tensor.dtype.is_floating, math.prod(x.kind.shape)
    if op.type in ("Sum", "Mean") and floats and len(places) == rank and size > LONGEST:
        return [_total(op, x)]
    given = tf.constant(places, axis.tensor.dtype, [len(places)])
    return [BatchLast(interpreter.create(op, [x.tensor, given])[0])]


def _total(op: tf.Operation, x: BatchLast) -> BatchLast:
    """The sum or the mean of all numbers of a member.

    XLA adds columns up row by row, and rounds each time what it has so far. Of ten thousand numbers
    that is ten times as far from the truth as sums of parts are.
    """
    *shape, members = x.tensor.shape
    size = math.prod(shape)
    parts = next((n for n in range(2 * math.isqrt(size), 1, -1) if size % n == 0), 1)
    if parts < math.isqrt(size) // 2:
        parts = math.isqrt(size)
    flat, length = tf.reshape(x.tensor, [size, members]), size // parts
    most = parts * length
    # Without the barrier XLA would make one sum of both.
    sums = tf.reduce_sum(tf.reshape(flat[:most], [parts, length, members]), 1)
    found = tf.reduce_sum(*xla_operations.barrier(sums), 0)
    if most < size:
        found += tf.reduce_sum(flat[most:], 0)
    if op.type == "Mean":
        found /= size
    return BatchLast(tf.reshape(found, [*op.outputs[0].shape, members]))


@rule_of_batch_last("Pad", "PadV2")
def pad(interpreter: Interpreter, op: tf.Operation, inputs: Given) -> list[BatchLast] | None:
    x, paddings, *value = inputs
    if not isinstance(x, BatchLast) or not isinstance(paddings, Plain) or paddings.static is None:
        return None
    if not all(isinstance(v, Plain) and not v.stacked for v in value):
        return None
    wide = tf.constant(np.concatenate([paddings.static, [[0, 0]]]), op.inputs[1].dtype)
    given = [x.tensor, wide, *(v.local() for v in value if isinstance(v, Plain))]
    return [BatchLast(interpreter.create(op, given)[0])]


@rule_of_batch_last("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def matmul(interpreter: Interpreter, op: tf.Operation, inputs: Given) -> list[BatchLast] | None:
    a, b = inputs
    names = ("transpose_a", "transpose_b") if op.type == "MatMul" else ("adj_x", "adj_y")
    found = product(interpreter.session, a, b, *map(op.get_attr, names))
    return None if found is None else [found]
