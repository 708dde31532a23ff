"""Matrix products.

With one shared operand a product of all members is a single matrix product, the one that a person
would write: a matrix times one vector per member is `vectors @ transpose(matrix)`, with the members
on the rows. Inner and outer products of vectors are elementwise: as a batch of small matrix
products they are slow.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from pcbatch.vectorizer import pretransposed
from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.matmul import batch_last
from pcbatch.vectorizer.session import Session
from pcbatch.vectorizer.values import BatchLast, Plain, Value, stacked


@rule("MatMul")
def matmul(
    interpreter: Interpreter, op: tf.Operation, inputs: list[Value]
) -> Sequence[Value | BatchLast]:
    a, b = (interpreter.plain(op, x) for x in inputs)
    transposed = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    return [_product(interpreter.session, a, b, *transposed)]


@rule("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def batch_matmul(
    interpreter: Interpreter, op: tf.Operation, inputs: list[Value]
) -> Sequence[Value | BatchLast]:
    a, b = (interpreter.plain(op, x) for x in inputs)
    adjoint = op.get_attr("adj_x"), op.get_attr("adj_y")
    matrices = [x for x in (a, b) if not x.stacked and x.tensor.shape.rank == 2]
    real = not a.tensor.dtype.is_complex and a.tensor.dtype == op.outputs[0].dtype
    if real and (matrices or len(a.kind.shape) == len(b.kind.shape) == 2):
        return [_product(interpreter.session, a, b, *adjoint)]
    return interpreter.library_rule(op, [a, b])


def _product(
    session: Session, a: Plain, b: Plain, transpose_a: bool, transpose_b: bool
) -> Plain | BatchLast:
    if a.stacked and b.stacked:
        return stacked(_both(a.tensor, b.tensor, transpose_a, transpose_b))
    if (found := batch_last.product(session, a, b, transpose_a, transpose_b)) is not None:
        return found
    if a.stacked:
        rows = _swap(a.tensor) if transpose_a else a.tensor
        return stacked(_rows_times(session, rows, b, transpose_b))
    # (A B)' = B' A': the members' columns become rows.
    rows = b.tensor if transpose_b else _swap(b.tensor)
    return stacked(_swap(_rows_times(session, rows, a, not transpose_a)))


def _rows_times(session: Session, rows: tf.Tensor, matrix: Plain, transpose: bool) -> tf.Tensor:
    """`[..., m, k]` times a shared `[k, n]` (or `[n, k]`, to be transposed), as one product."""
    *lead, inner = rows.shape
    outer = matrix.tensor.shape[0] if transpose else matrix.tensor.shape[1]
    flat = tf.reshape(rows, [-1, inner])
    product = (
        pretransposed.product(flat, session.origin(matrix.tensor), transpose)
        if session.forms.pretransposed
        else None
    )
    if product is None:
        product = tf.matmul(flat, matrix.local(), transpose_b=transpose)
    return tf.reshape(product, [*lead, outer])


def _both(a: tf.Tensor, b: tf.Tensor, transpose_a: bool, transpose_b: bool) -> tf.Tensor:
    m, k = a.shape[-2:] if not transpose_a else a.shape[:-3:-1]
    n = b.shape[-2] if transpose_b else b.shape[-1]
    if m == n == 1:
        left = _swap(a) if transpose_a else a
        right = b if transpose_b else _swap(b)
        return tf.reduce_sum(left * right, -1, keepdims=True)
    if k == 1:
        left = _swap(a) if transpose_a else a
        right = _swap(b) if transpose_b else b
        return left * right
    return tf.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)


def _swap(tensor: tf.Tensor) -> tf.Tensor:
    """Swap the last two axes; no data move where one of them has length one."""
    *lead, rows, columns = tensor.shape
    if rows == 1 or columns == 1:
        return tf.reshape(tensor, [*lead, columns, rows])
    rank = tensor.shape.rank
    return tf.transpose(tensor, [*range(rank - 2), rank - 1, rank - 2])
