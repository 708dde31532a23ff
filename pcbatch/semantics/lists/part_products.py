"""Products, shapes and matrices of arrays with as many elements as members have.

What does not count is zero in a product, and the identity in a matrix, so that it changes nothing.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import limits
from pcbatch.semantics.arrays.methods import FUNCTIONS
from pcbatch.semantics.arrays.operands import marked, unified
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.layout import capacity
from pcbatch.semantics.lists.part import METHODS, ArrayPart, counted, unsupported
from pcbatch.semantics.lists.part_operators import of_each
from pcbatch.semantics.lists.part_reductions import copied, filled, whole
from pcbatch.semantics.operators import binary, is_tensor, is_weak
from pcbatch.semantics.places import narrowed

CORE = "ValueError: matmul: Input operand 1 has a mismatch in its core dimension 0"
RESHAPE = "ValueError: cannot reshape array: it has another number of elements"


def matmul(a: Any, b: Any) -> Any:
    """`np.matmul` and `np.dot` of vectors and matrices."""
    (x, mine), (y, others) = whole(a), whole(b)
    if not 1 <= len(mine) <= 2 or not 1 <= len(others) <= 2:
        raise unsupported("np.matmul of stacks of matrices")
    same(mine[-1], others[0], CORE)
    room = max(x.shape[-1], y.shape[0])
    x = tf.pad(x, [*[[0, 0]] * (len(mine) - 1), [0, room - x.shape[-1]]])
    y = tf.pad(y, [[0, room - y.shape[0]], *[[0, 0]] * (len(others) - 1)])
    found = FUNCTIONS["matmul"](x, y)
    weak = all(is_weak(v.array if isinstance(v, ArrayPart) else v) for v in (a, b))
    return counted(marked(found, weak), [*mine[:-1], *others[1:]])


def same(a: Any, b: Any, message: str) -> None:
    """Demand that two numbers of elements are equal."""
    if is_tensor(a) or is_tensor(b):
        require(tf.equal(a, b), message)
    elif a != b:
        raise ValueError(message.removeprefix("ValueError: "))


def _dot(a: Any, b: Any) -> Any:
    ranks = [len(getattr(getattr(x, "array", x), "shape", ())) for x in (a, b)]
    return matmul(a, b) if all(ranks) else of_each(functools.partial(binary, "*"), a, b)


def outer(a: Any, b: Any) -> Any:
    """`np.outer` of two vectors."""
    rows, columns = [x if isinstance(x, ArrayPart) else FUNCTIONS["array"](x) for x in (a, b)]
    if len(rows.shape) != 1 or len(columns.shape) != 1:
        raise unsupported("np.outer of matrices")
    left = rows[:, None] if isinstance(rows, ArrayPart) else rows[:, tf.newaxis]
    return of_each(functools.partial(binary, "*"), left, columns)


def transpose(part: ArrayPart, axes: Any = None) -> Any:
    """`np.transpose` of a vector or a matrix."""
    if axes is not None or part.ndim > 2:
        raise unsupported("np.transpose with an order of axes")
    if part.ndim < 2:
        return part
    found = tf.transpose(part.array)
    return counted(marked(found, is_weak(part.array)), part.counts[::-1])


def _diagonal(part: ArrayPart) -> Any:
    """The elements of a matrix on its diagonal, or the matrix that has some on it."""
    if part.ndim == 1:
        values = filled(part, None)
        on = np.eye(values.shape[0], dtype=bool)
        found = tf.where(on, values, tf.zeros_like(values))
        return counted(marked(found, is_weak(part.array)), [part.number, part.number])
    rows, columns = part.counts
    found = tf.linalg.diag_part(part.array)
    return counted(marked(found, is_weak(part.array)), [tf.minimum(rows, columns)])


def _trace(part: ArrayPart) -> Any:
    return METHODS["sum"](_diagonal(part))


def _square(name: str, a: Any, behind: Any = 1.0) -> tuple[Any, list[Any]]:
    """A square matrix with a number on the diagonal where elements do not count, and its shape."""
    array, counts = whole(a)
    if len(counts) != 2:
        raise unsupported(f"np.{name} of stacks of matrices")
    same(counts[0], counts[1], "LinAlgError: Last 2 dimensions of the array must be square")
    room = max(array.shape)
    array = tf.pad(array, [[0, room - size] for size in array.shape])
    on = np.eye(room, dtype=bool) & (tf.range(room) >= counts[0])
    (array, number), _ = unified([array, behind])
    return tf.where(on, number, array), counts


def _of_square(name: str) -> Callable[..., Any]:
    """A function of a square matrix, and for `solve` of what stands on the right."""

    def run(a: Any, *more: Any) -> Any:
        (array, counts), others = _square(name, a), [whole(x) for x in more]
        for _, sizes in others:
            same(sizes[0], counts[0], "ValueError: solve: Input operand 1 has a mismatch")
        room = max(array.shape[0], *(x.shape[0] for x, _ in others), 0)
        grown = room - array.shape[0]
        array = tf.pad(array, [[0, grown], [0, grown]])
        array += tf.cast(np.diag(np.arange(room) >= room - grown), array.dtype)
        right = [
            tf.pad(x, [[0, room - x.shape[0]], *[[0, 0]] * (x.shape.rank - 1)]) for x, _ in others
        ]
        found = FUNCTIONS[name](array, *right)
        if isinstance(found, tuple) or not found.shape.rank:
            return found
        return counted(found, [counts[0], *others[0][1][1:]] if others else counts)

    return run


def _matrix_power(a: Any, n: Any) -> Any:
    array, counts = _square("linalg.matrix_power", a)
    return counted(FUNCTIONS["linalg.matrix_power"](array, n), counts)


def _eigh(a: Any) -> Any:
    """`np.linalg.eigh`; what does not count is zero, and has eigenvectors of its own."""
    array, (number, _) = _square("linalg.eigh", a, 0.0)
    values, vectors = FUNCTIONS["linalg.eigh"](array)
    here = tf.cast(tf.range(array.shape[0]) < number, vectors.dtype)
    ours = tf.linalg.matvec(tf.transpose(tf.abs(vectors) ** 2), tf.abs(here)) > 0.5
    order = tf.argsort(tf.cast(~ours, tf.int32), stable=True)
    values, vectors = tf.gather(values, order), tf.gather(vectors, order, axis=1)
    return counted(values, [number]), counted(vectors, [number, number])


def _eigenvalues(a: Any) -> Any:
    return _eigh(a)[0]


# --- Shapes --------------------------------------------------------------------------------------


def ravel(part: ArrayPart) -> Any:
    """`np.ravel`: the elements one behind the other."""
    if part.ndim == 1:
        return part
    room = math.prod(part.array.shape)
    flat, left = tf.reshape(part.array, [room]), tf.range(room)
    at, step = tf.zeros_like(left), 1
    for size, own in zip(reversed(part.counts), reversed(part.array.shape), strict=True):
        at += left % tf.maximum(size, 1) * step
        left //= tf.maximum(size, 1)
        step *= own
    found = tf.gather(flat, tf.minimum(at, max(room - 1, 0))) if room else flat
    return counted(marked(found, is_weak(part.array)), [math.prod(part.counts)])


def flatten(part: ArrayPart) -> Any:
    """`ndarray.flatten`: as `ravel`, and a copy."""
    return copied(part) if part.ndim == 1 else ravel(part)


def reshape(a: Any, *shape: Any) -> Any:
    """`np.reshape` of a part, or with a shape of the member."""
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    flat = ravel(a) if isinstance(a, ArrayPart) else FUNCTIONS["ravel"](a)
    array, (total,) = (
        (flat.array, flat.counts) if isinstance(flat, ArrayPart) else (flat, flat.shape)
    )
    counts, rooms = _sizes(sizes, total, array.shape[0])
    if len(counts) > 2:
        raise unsupported("np.reshape to many axes")
    require(tf.equal(math.prod(counts), total), RESHAPE)
    at = tf.range(rooms[0]) * (counts[1] if len(counts) > 1 else 1)
    at = at[:, tf.newaxis] + tf.range(rooms[1]) if len(counts) > 1 else at
    at = tf.minimum(at, max(array.shape[0] - 1, 0))
    found = tf.gather(array, at) if array.shape[0] else tf.zeros(rooms, array.dtype)
    return counted(marked(found, is_weak(array)), counts)


def _sizes(sizes: Sequence[Any], total: Any, room: int) -> tuple[list[Any], list[int]]:
    """How many elements a new shape has along each axis, and how many there is room for."""
    counts = [narrowed(size) if is_tensor(size) else size for size in sizes]
    rooms = [size if isinstance(size, int) else capacity() for size in counts]
    for axis, count in enumerate(counts):
        if is_tensor(count):
            require(count <= rooms[axis], limits.full("array", rooms[axis]))
    free = [axis for axis, size in enumerate(counts) if isinstance(size, int) and size == -1]
    for axis in free:
        others = [size for k, size in enumerate(counts) if k != axis]
        counts[axis] = total // tf.maximum(math.prod(others), 1)
        fixed = math.prod(size for size in others if isinstance(size, int))
        rooms[axis] = room // max(fixed, 1)
    return counts, rooms


METHODS |= {
    "dot": _dot, "matmul": matmul, "inner": _dot, "outer": outer, "transpose": transpose,
    "diag": _diagonal, "diagonal": _diagonal, "trace": _trace, "ravel": ravel, "flatten": flatten,
    "reshape": reshape, "tolist": lambda part: part.list(),
    **{name: _of_square(name) for name in ("linalg.solve", "linalg.inv", "linalg.det",
                                           "linalg.cholesky", "linalg.slogdet")},
    "linalg.matrix_power": _matrix_power, "linalg.eigvalsh": _eigenvalues, "linalg.eigh": _eigh,
}  # fmt: skip
