"""`np.linalg`: linear equations, factors, eigenvalues, norms.

Linear equations are solved here, a step for each row: so what is singular is known in the same way
under every strategy, and stops its own member only, with NumPy's `LinAlgError`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import faults
from pcbatch.semantics.arrays.operands import as_floats, axes_of, marked, static_integer, tensor
from pcbatch.semantics.arrays.products import check_sizes, matmul

Meaning = Callable[..., Any]

SINGULAR = "LinAlgError: Singular matrix"
INDEFINITE = "LinAlgError: Matrix is not positive definite"
DIVERGED = "LinAlgError: Eigenvalues did not converge"


def _square(a: Any) -> tuple[Any, bool]:
    """A square matrix of floats."""
    (x,), weak = as_floats([a])
    if x.shape.rank != 2 or x.shape[0] != x.shape[1]:
        raise TypeError(f"a function of np.linalg takes a square matrix here, not {x.shape}")
    return x, weak


def _steps(size: int, step: Callable[..., Any], *values: Any) -> tuple[Any, ...]:
    """Run a step for each row, in one loop: it is compiled once."""
    found: tuple[Any, ...] = tf.while_loop(
        lambda k, *_: k < size, lambda k, *now: (k + 1, *step(k, *now)), (tf.constant(0), *values)
    )
    return found[1:]


def _eliminated(x: Any) -> tuple[Any, Any, Any]:
    """Gauss's elimination with the largest pivot of each column.

    Args:
      x: a matrix of at least as many columns as rows; those behind the square are carried along.

    Returns:
      The matrix, which is triangular in its square; the sign of the order of its rows; whether a
      pivot is zero. Rows below such a pivot stay as they are.
    """
    size = x.shape[0]
    rows = tf.range(size)

    def step(k: Any, x: Any, sign: Any, singular: Any) -> tuple[Any, ...]:
        place = _pivot(tf.gather(x, k, axis=1), k)
        order = tf.where(tf.equal(rows, k), place, tf.where(tf.equal(rows, place), k, rows))
        x = tf.gather(x, order)
        own = tf.gather(x, k)
        pivot = tf.gather(own, k)
        factors = tf.gather(x, k, axis=1) / _or_one(pivot)
        below = (rows > k) & tf.not_equal(pivot, 0)
        x = tf.where(below[:, tf.newaxis], x - factors[:, tf.newaxis] * own, x)
        return x, tf.where(tf.equal(place, k), sign, -sign), singular | tf.equal(pivot, 0)

    found = _steps(size, step, x, tf.ones([], x.dtype.real_dtype), tf.constant(False))
    return found[0], found[1], found[2]


def _pivot(column: Any, k: Any) -> Any:
    """The row, from the k-th on, in which a column has its largest number; a NaN is one."""
    sizes = tf.abs(column)
    sizes = tf.where(tf.math.is_nan(sizes), tf.constant(float("inf"), sizes.dtype), sizes)
    sizes = tf.where(tf.range(column.shape[0]) < k, tf.constant(-1, sizes.dtype), sizes)
    return tf.argmax(sizes, output_type=tf.int32)


def _or_one(pivot: Any) -> Any:
    """What can be divided by."""
    return tf.where(tf.equal(pivot, 0), tf.ones_like(pivot), pivot)


def _solved(x: Any, right: Any) -> Any:
    """The solution of linear equations; a member whose matrix is singular stops."""
    size = x.shape[0]
    x, _, singular = _eliminated(tf.concat([x, right], 1))
    faults.require(~singular, SINGULAR)
    rows = tf.range(size)

    def step(k: Any, known: Any) -> tuple[Any]:
        row = size - 1 - k
        own = tf.gather(x, row)
        behind = tf.where(rows > row, own[:size], tf.zeros_like(own[:size]))
        rest = own[size:] - tf.reduce_sum(behind[:, tf.newaxis] * known, 0)
        found = rest / _or_one(tf.gather(own, row))
        return (tf.where(tf.equal(rows, row)[:, tf.newaxis], found, known),)

    return _steps(size, step, tf.zeros_like(right))[0]


def solve(a: Any, b: Any) -> Any:
    """`np.linalg.solve`; `b` is a vector or a matrix."""
    (x, right), weak = as_floats([a, b])
    x, _ = _square(x)
    check_sizes(x.shape[0], right.shape[0])
    if right.shape.rank > 2:
        raise TypeError("np.linalg.solve takes a vector or a matrix on the right side")
    vector = right.shape.rank == 1
    found = _solved(x, right[:, tf.newaxis] if vector else right)
    return marked(found[:, 0] if vector else found, weak)


def inv(a: Any) -> Any:
    """`np.linalg.inv`."""
    x, weak = _square(a)
    return marked(_solved(x, tf.eye(x.shape[0], dtype=x.dtype)), weak)


def det(a: Any) -> Any:
    """`np.linalg.det`: the product of the pivots."""
    x, weak = _square(a)
    reduced, sign, _ = _eliminated(x)
    pivots = tf.linalg.diag_part(reduced)
    return marked(tf.cast(sign, x.dtype) * tf.reduce_prod(pivots), weak)


def slogdet(a: Any) -> Any:
    """`np.linalg.slogdet` of a real matrix."""
    x, weak = _square(a)
    if x.dtype.is_complex:
        raise TypeError("np.linalg.slogdet takes a real matrix here")
    reduced, sign, _ = _eliminated(x)
    pivots = tf.linalg.diag_part(reduced)
    signs = sign * tf.reduce_prod(tf.sign(pivots))
    return marked(signs, weak), marked(tf.reduce_sum(tf.math.log(tf.abs(pivots))), weak)


def cholesky(a: Any) -> Any:
    """`np.linalg.cholesky`, of the lower triangle."""
    x, weak = _square(a)
    size = x.shape[0]
    rows = tf.range(size)

    def step(k: Any, lower: Any, good: Any) -> tuple[Any, ...]:
        before = _conjugate(tf.gather(lower, k))
        column = tf.gather(x, k, axis=1) - tf.reduce_sum(lower * before, 1)
        pivot = _real(tf.gather(column, k))
        root = tf.cast(tf.sqrt(tf.where(pivot > 0, pivot, tf.ones_like(pivot))), x.dtype)
        own = tf.where(tf.equal(rows, k), root, column / root)
        own = tf.where(rows < k, tf.zeros_like(own), own)
        return tf.where(tf.equal(rows, k), own[:, tf.newaxis], lower), good & (pivot > 0)

    lower, good = _steps(size, step, tf.zeros_like(x), tf.constant(True))
    faults.require(good, INDEFINITE)
    return marked(lower, weak)


def _conjugate(x: Any) -> Any:
    return tf.math.conj(x) if x.dtype.is_complex else x


def _real(x: Any) -> Any:
    return tf.math.real(x) if x.dtype.is_complex else x


def _symmetric(a: Any) -> tuple[Any, bool]:
    """A matrix of the lower triangle, whose eigenvalues are found: one of numbers."""
    x, weak = _square(a)
    finite = tf.reduce_all(tf.math.is_finite(_real(x)))
    faults.require(finite, DIVERGED)
    return tf.where(finite, x, tf.zeros_like(x)), weak


def eigvalsh(a: Any) -> Any:
    """`np.linalg.eigvalsh`, in ascending order."""
    x, weak = _symmetric(a)
    return marked(_real(tf.linalg.eigvalsh(x)), weak)


def eigh(a: Any) -> Any:
    """`np.linalg.eigh`; the signs of the eigenvectors are TensorFlow's."""
    x, weak = _symmetric(a)
    values, vectors = _refined(x, tf.linalg.eigh(x)[1])
    return marked(_real(values), weak), marked(vectors, weak)


def _refined(a: Any, vectors: Any) -> tuple[Any, Any]:
    """Eigenvalues and eigenvectors, those of XLA, which are right to half of their digits.

    Source: Ogita and Aishima 2018, "Iterative refinement for symmetric eigenvalue decomposition",
    algorithm 1.
    """
    turned, one = tf.linalg.adjoint(vectors), tf.eye(a.shape[0], dtype=a.dtype)
    residual, found = one - turned @ vectors, turned @ a @ vectors
    values = tf.linalg.diag_part(found) / (1 - tf.linalg.diag_part(residual))
    apart = values[tf.newaxis] - values[:, tf.newaxis]
    off = tf.where(tf.cast(tf.math.real(one), tf.bool), tf.zeros_like(found), found)
    near = 2 * (tf.norm(off) + tf.norm(a) * tf.norm(residual))
    far = tf.math.real(tf.abs(apart)) > tf.math.real(near)
    safe = tf.where(far, apart, tf.ones_like(apart))
    step = tf.where(far, (found + values[tf.newaxis] * residual) / safe, residual / 2)
    return values, vectors + vectors @ step


def matrix_power(a: Any, n: Any) -> Any:
    """`np.linalg.matrix_power`."""
    number = static_integer(n, "the power of a matrix")
    if number < 0:
        return matrix_power(inv(a), -number)
    x = tensor(a)
    result: Any = None
    while number:
        result = x if number % 2 and result is None else matmul(result, x) if number % 2 else result
        x, number = matmul(x, x), number // 2
    return tf.eye(x.shape[0], dtype=x.dtype) if result is None else result


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """`np.linalg.norm` of vectors, and the norms of matrices that are sums."""
    (x,), weak = as_floats([x])
    size = tf.abs(x)
    axes = axes_of(axis, x.shape.rank)
    if ord is None or (ord == "fro" and len(axes) == 2) or (ord == 2 and len(axes) == 1):
        return marked(tf.sqrt(tf.reduce_sum(tf.square(size), axes, keepdims=keepdims)), weak)
    if len(axes) == 1:
        return marked(_vector_norm(size, ord, axes, keepdims), weak)
    sums = {1: (0, tf.reduce_max), -1: (0, tf.reduce_min), np.inf: (1, tf.reduce_max),
            -np.inf: (1, tf.reduce_min)}  # fmt: skip
    if len(axes) != 2 or ord not in sums:
        raise TypeError(f"np.linalg.norm of a matrix with ord={ord!r} is not known here")
    summed, reduce = sums[ord]
    columns = tf.reduce_sum(size, axes[summed], keepdims=True)
    found = _with_nan(reduce, columns, [axes[1 - summed]], True)
    return marked(found if keepdims else tf.squeeze(found, axes), weak)


def _vector_norm(size: Any, ord: Any, axes: list[int], keepdims: bool) -> Any:
    if ord == np.inf:
        return _with_nan(tf.reduce_max, size, axes, keepdims)
    if ord == -np.inf:
        return _with_nan(tf.reduce_min, size, axes, keepdims)
    if ord == 0:
        return tf.reduce_sum(tf.cast(tf.not_equal(size, 0), size.dtype), axes, keepdims=keepdims)
    if ord == 1:
        return tf.reduce_sum(size, axes, keepdims=keepdims)
    if not isinstance(ord, (int, float)):
        raise TypeError(f"np.linalg.norm of a vector takes a number as ord, not {ord!r}")
    power = tf.constant(float(ord), size.dtype)
    return tf.pow(tf.reduce_sum(tf.pow(size, power), axes, keepdims=keepdims), 1 / power)


def _with_nan(reduce: Meaning, x: Any, axes: list[int], keepdims: bool) -> Any:
    lost = tf.reduce_any(tf.math.is_nan(x), axes, keepdims=keepdims)
    nan = tf.constant(float("nan"), x.dtype)
    return tf.where(lost, nan, reduce(x, axes, keepdims=keepdims))


MEANINGS: dict[str, Meaning] = {
    "linalg.norm": norm, "linalg.solve": solve, "linalg.inv": inv, "linalg.det": det,
    "linalg.slogdet": slogdet, "linalg.cholesky": cholesky, "linalg.eigvalsh": eigvalsh,
    "linalg.eigh": eigh, "linalg.matrix_power": matrix_power,
}  # fmt: skip
"""By the name that NumPy's function has in `np`."""
