"""NumPy's products of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics.arrays.operands import array, marked, tensor, unified

Meaning = Callable[..., Any]


def product(a: Any, b: Any) -> Any:
    """`np.dot`: the last axis of one array with the last but one of the other."""
    (x, y), weak = unified([array(a), array(b)])
    if x.shape.rank == 0 or y.shape.rank == 0:
        return marked(x * y, weak)
    check_sizes(x.shape[-1], y.shape[0] if y.shape.rank == 1 else y.shape[-2])
    return marked(_contracted(x, y, x.shape.rank - 1, max(y.shape.rank - 2, 0)), weak)


def check_sizes(mine: int, other: int) -> None:
    if mine != other:
        raise ValueError(f"shapes do not fit: {mine} and {other} elements are multiplied")


def _contracted(x: Any, y: Any, i: int, j: int) -> Any:
    """The sum of products along one axis of each."""
    if x.dtype == tf.bool:
        return tf.cast(_contracted(tf.cast(x, tf.int32), tf.cast(y, tf.int32), i, j), tf.bool)
    if x.shape.rank == 1 and y.shape.rank == 1:
        return tf.reduce_sum(x * y)
    return tf.tensordot(x, y, [[i], [j]])


def matmul(a: Any, b: Any) -> Any:
    """`np.matmul`: like `np.dot`, but for stacks of matrices."""
    (x, y), weak = unified([array(a), array(b)])
    if x.shape.rank == 0 or y.shape.rank == 0:
        raise ValueError("matmul: an operand does not have enough dimensions")
    if x.shape.rank <= 2 and y.shape.rank <= 2:
        return product(a, b)
    left = x[tf.newaxis] if x.shape.rank == 1 else x
    right = y[:, tf.newaxis] if y.shape.rank == 1 else y
    found = tf.matmul(left, right)
    found = tf.squeeze(found, -2) if x.shape.rank == 1 else found
    return marked(tf.squeeze(found, -1) if y.shape.rank == 1 else found, weak)


def inner(a: Any, b: Any) -> Any:
    """`np.inner`: along the last axis of each."""
    (x, y), weak = unified([array(a), array(b)])
    if x.shape.rank == 0 or y.shape.rank == 0:
        return marked(x * y, weak)
    check_sizes(x.shape[-1], y.shape[-1])
    return marked(_contracted(x, y, x.shape.rank - 1, y.shape.rank - 1), weak)


def vdot(a: Any, b: Any) -> Any:
    """`np.vdot`: of all elements, the first ones conjugated."""
    x, y = (tf.reshape(tensor(v), [-1]) for v in (a, b))
    return product(tf.math.conj(x) if x.dtype.is_complex else x, y)


def outer(a: Any, b: Any) -> Any:
    """`np.outer`."""
    (x, y), weak = unified([array(a), array(b)])
    return marked(tf.reshape(x, [-1, 1]) * tf.reshape(y, [1, -1]), weak)


def kron(a: Any, b: Any) -> Any:
    """`np.kron` of two matrices or two vectors."""
    (x, y), weak = unified([array(a), array(b)])
    if x.shape.rank != y.shape.rank or x.shape.rank not in (1, 2):
        raise TypeError("np.kron takes two matrices or two vectors")
    sizes = [m * n for m, n in zip(x.shape, y.shape, strict=True)]
    if x.shape.rank == 1:
        return marked(tf.reshape(x[:, tf.newaxis] * y, sizes), weak)
    return marked(
        tf.reshape(x[:, tf.newaxis, :, tf.newaxis] * y[tf.newaxis, :, tf.newaxis], sizes), weak
    )


def cross(a: Any, b: Any) -> Any:
    """`np.cross` of vectors of three numbers, in the last axis."""
    (x, y), weak = unified([array(a), array(b)])
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise TypeError("np.cross takes vectors of three numbers")
    (p, q, r), (s, t, u) = tf.unstack(x, axis=-1), tf.unstack(y, axis=-1)
    return marked(tf.stack([q * u - r * t, r * s - p * u, p * t - q * s], -1), weak)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """`np.tensordot`."""
    (x, y), weak = unified([array(a), array(b)])
    return marked(tf.tensordot(x, y, axes), weak)


def einsum(subscripts: str, *operands: Any) -> Any:
    """`np.einsum` of a text."""
    tensors, weak = unified([array(x) for x in operands])
    return marked(tf.einsum(subscripts, *tensors), weak)


MEANINGS: dict[str, Meaning] = {
    "dot": product, "matmul": matmul, "inner": inner, "vdot": vdot, "outer": outer, "kron": kron,
    "cross": cross, "tensordot": tensordot, "einsum": einsum,
}  # fmt: skip
"""By the name that NumPy's function has in `np`."""
