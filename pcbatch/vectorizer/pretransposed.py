"""Shared matrices, transposed where that makes a product with few rows faster.

XLA on CPU computes a product of a few rows and a matrix fastest where it may read the matrix row by
row: another it turns anew each time. Whoever writes `matvec(features, position)` for one member
asks for `positions @ transpose(features)`, and its gradient asks for the other product. A matrix
that is known before the program's loop can be transposed once, before it.
"""

from __future__ import annotations

import dataclasses
import weakref
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch.backend import processor
from pcbatch.backend.private import graphs

MOST_ROWS = 64
"""From so many rows on it makes no difference."""
FEWEST_COLUMNS = 16
"""With fewer columns, or one row and more columns, rows of the transposed matrix are read
faster."""
MOST_RESULTS = 4e5
"""Of more results writing them is what takes time."""
MANY_ROWS = 32
"""With wide vectors a product of so many rows, with few columns, pays for packing the matrix: what
is packed has smaller tiles, which the columns fill better."""


class Forms(NamedTuple):
    """The forms that products with shared matrices may have.

    Attributes:
      pretransposed: shared matrices may be transposed where that is faster on this machine.
      batch_last: the members may be in the columns where that is, see `matmul.batch_last`.
    """

    pretransposed: bool
    batch_last: bool


AS_WRITTEN = Forms(pretransposed=False, batch_last=False)


@dataclasses.dataclass(frozen=True)
class MatrixOrigin:
    """Where a shared matrix comes from.

    Attributes:
      tensor: a matrix.
      transposed: whether it is the transpose of that.
    """

    tensor: tf.Tensor
    transposed: bool = False


TRACED = ("Identity", "Reshape", "Transpose")
"""The operations that may give a matrix itself, or its transpose."""


def traced(
    op: tf.Operation, given: MatrixOrigin, second: np.ndarray | None = None
) -> MatrixOrigin | None:
    """The origin of what an operation makes of a shared matrix; None if it makes another one.

    Args:
      op: the operation of the single-example graph, one of `TRACED`.
      given: the origin of its first input.
      second: its second input, if it has one that is known.
    """
    same = op.type == "Reshape" and op.outputs[0].shape == op.inputs[0].shape
    if same or op.type == "Identity":
        return given
    if op.type == "Transpose" and second is not None and second.tolist() == [1, 0]:
        return dataclasses.replace(given, transposed=not given.transposed)
    return None


def product(rows: tf.Tensor, origin: MatrixOrigin, transpose: bool) -> tf.Tensor | None:
    """`rows @ matrix` with the matrix transposed; None where it is better as it is, or cannot be.

    Args:
      rows: float32[m, k].
      origin: of the matrix, [k, n], or [n, k] if it is to be transposed.
      transpose: whether it is.
    """
    read_by_columns = transpose != origin.transposed
    if not (_known(rows) and _known(origin.tensor)) or rows.dtype != tf.float32:
        return None
    k, n = origin.tensor.shape[::-1] if read_by_columns else origin.tensor.shape
    by_columns = _faster_by_columns(rows.shape[0], k, n)
    if by_columns is None or by_columns == read_by_columns:
        return None
    other = transposed(origin.tensor)
    return None if other is None else tf.matmul(rows, other, transpose_b=by_columns)


def _known(tensor: tf.Tensor) -> bool:
    return tensor.shape.rank == 2 and tensor.shape.is_fully_defined()


def _faster_by_columns(m: int, k: int, n: int) -> bool | None:
    """Whether a matrix [k, n] had better be there as [n, k]; None where it makes no difference."""
    if m == 1:
        return n < k
    if processor.has_wide_vectors():
        return n < FEWEST_COLUMNS or (n < k and m >= MANY_ROWS)
    if m >= MOST_ROWS or m * n > MOST_RESULTS:
        return None
    return n < FEWEST_COLUMNS


def read_by_columns(origin: MatrixOrigin, transpose: bool) -> tf.Tensor | None:
    """A shared matrix [n, k] of which [k, n] is wanted, as it is or transposed.

    Args:
      origin: of the matrix, [k, n], or [n, k] if it is to be transposed.
      transpose: whether it is.

    Returns:
      [n, k]; None where it cannot be transposed.
    """
    return origin.tensor if transpose != origin.transposed else transposed(origin.tensor)


def transposed(matrix: tf.Tensor) -> tf.Tensor | None:
    """The transpose of a matrix, made before the program's loop; None if it cannot be."""
    source = graphs.outermost(matrix)
    if not tf.is_symbolic_tensor(source):
        return _of_eager(source)
    if source.op.type == "Const":
        value = tf.get_static_value(source)
        return tf.constant(np.ascontiguousarray(value.T))
    if source.graph is tf.compat.v1.get_default_graph() or source.op.type != "Placeholder":
        return None
    # An argument of the whole program, which is transposed there, before the loop.
    with source.graph.as_default():
        return tf.transpose(source)


_KNOWN: dict[int, tf.Tensor] = {}
"""The transposes of eager tensors, by their ids, each as long as the tensor lives."""


def _of_eager(matrix: tf.Tensor) -> tf.Tensor:
    key = id(matrix)
    if key not in _KNOWN:
        with tf.init_scope():
            _KNOWN[key] = tf.transpose(matrix)
        weakref.finalize(matrix, _KNOWN.pop, key, None)
    return _KNOWN[key]


def is_known(key: int) -> bool:
    """Whether the transpose of the tensor with an id is kept."""
    return key in _KNOWN
