"""NumPy's functions of shapes, and those that put arrays together.

No array can be written to, so that views and copies are alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics.arrays.operands import (
    array,
    axes_of,
    axis_of,
    marked,
    shape_of,
    static_integer,
    tensor,
    unified,
)
from pcbatch.semantics.numbers.promotion import is_weak

Meaning = Callable[..., Any]


def reshape(a: Any, shape: Any = None, *more: Any, newshape: Any = None) -> Any:
    """`np.reshape` and the method, which takes the sizes one by one, too."""
    x, wanted = tensor(a), shape_of(newshape if shape is None else shape)
    return marked(tf.reshape(x, [*wanted, *map(_size, more)]), is_weak(x))


def _size(value: Any) -> int:
    return static_integer(value, "the shape of an array")


def ravel(a: Any) -> Any:
    """`np.ravel`."""
    return reshape(a, -1)


def transpose(a: Any, axes: Any = None, *more: Any) -> Any:
    """`np.transpose` and the method, which takes the axes one by one, too."""
    x = tensor(a)
    order = None
    if axes is not None:
        given = [*axes] if isinstance(axes, (tuple, list)) else [axes, *more]
        order = [axis_of(k, x.shape.rank) for k in given]
    return marked(tf.transpose(x, order), is_weak(x))


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """`np.moveaxis`."""
    x = tensor(a)
    from_, to = axes_of(source, x.shape.rank), axes_of(destination, x.shape.rank)
    order = [k for k in range(x.shape.rank) if k not in from_]
    for place, axis in sorted(zip(to, from_, strict=True)):
        order.insert(place, axis)
    return transpose(x, order)


def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """`np.swapaxes`."""
    x = tensor(a)
    order = list(range(x.shape.rank))
    i, j = axis_of(axis1, x.shape.rank), axis_of(axis2, x.shape.rank)
    order[i], order[j] = j, i
    return transpose(x, order)


def expand_dims(a: Any, axis: Any) -> Any:
    """`np.expand_dims`."""
    x = tensor(a)
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = axes_of(axis, x.shape.rank + len(given))
    sizes = iter(x.shape.as_list())
    rank = x.shape.rank + len(given)
    return reshape(x, [1 if k in axes else next(sizes) for k in range(rank)])


def squeeze(a: Any, axis: Any = None) -> Any:
    """`np.squeeze`."""
    x = tensor(a)
    sizes = x.shape.as_list()
    ones = [k for k, n in enumerate(sizes) if n == 1]
    gone = ones if axis is None else axes_of(axis, x.shape.rank)
    if any(k not in ones for k in gone):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return reshape(x, [n for k, n in enumerate(sizes) if k not in gone])


def broadcast_to(array: Any, shape: Any) -> Any:
    """`np.broadcast_to`."""
    x = tensor(array)
    return marked(tf.broadcast_to(x, shape_of(shape)), is_weak(x))


def at_least(axes: int) -> Meaning:
    def run(a: Any) -> Any:
        x = tensor(a)
        missing = max(axes - x.shape.rank, 0)
        return reshape(x, [1] * missing + x.shape.as_list())

    return run


# --- Arrays together -----------------------------------------------------------------------------


def rows(arrays: Any) -> list[Any]:
    """The arrays of a sequence, or the rows of one."""
    if isinstance(arrays, (tuple, list)):
        return [array(item) for item in arrays]
    rows: list[Any] = tf.unstack(tensor(arrays))
    return rows


def concatenate(arrays: Any, axis: Any = 0) -> Any:
    """`np.concatenate`."""
    parts, weak = unified(rows(arrays))
    if axis is None:
        parts, axis = [tf.reshape(p, [-1]) for p in parts], 0
    if any(p.shape.rank == 0 for p in parts):
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    return marked(tf.concat(parts, axis_of(axis, parts[0].shape.rank)), weak)


def stack(arrays: Any, axis: Any = 0) -> Any:
    """`np.stack`."""
    parts, weak = unified(rows(arrays))
    if any(p.shape != parts[0].shape for p in parts):
        raise ValueError("all input arrays must have the same shape")
    return marked(tf.stack(parts, axis_of(axis, parts[0].shape.rank + 1)), weak)


def hstack(tup: Any) -> Any:
    """`np.hstack`."""
    parts = [at_least(1)(p) for p in rows(tup)]
    return concatenate(parts, 0 if parts[0].shape.rank == 1 else 1)


def vstack(tup: Any) -> Any:
    """`np.vstack`."""
    return concatenate([at_least(2)(p) for p in rows(tup)], 0)


def column_stack(tup: Any) -> Any:
    """`np.column_stack`."""
    parts = [tensor(p) for p in rows(tup)]
    return concatenate([reshape(p, (-1, 1)) if p.shape.rank < 2 else p for p in parts], 1)


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """`np.append`."""
    return concatenate([arr, values], axis)


def meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False) -> list[Any]:
    """`np.meshgrid`."""
    vectors = list(map(ravel, xi))
    if not sparse:
        return [marked(t, False) for t in tf.meshgrid(*vectors, indexing=indexing)]
    axes = list(range(len(vectors)))
    if indexing == "xy":
        axes[:2] = reversed(axes[:2])
    return [reshape(x, [-1 if k == axis else 1 for k in axes]) for axis, x in enumerate(vectors)]


MEANINGS: dict[str, Meaning] = {
    "reshape": reshape, "ravel": ravel, "transpose": transpose, "moveaxis": moveaxis,
    "swapaxes": swapaxes, "expand_dims": expand_dims, "squeeze": squeeze,
    "broadcast_to": broadcast_to, "atleast_1d": at_least(1), "atleast_2d": at_least(2),
    "concatenate": concatenate, "stack": stack, "hstack": hstack, "vstack": vstack,
    "column_stack": column_stack, "append": append, "meshgrid": meshgrid,
    "shape": lambda a: tuple(tensor(a).shape.as_list()), "ndim": lambda a: tensor(a).shape.rank,
    "size": lambda a: tensor(a).shape.num_elements(),
}  # fmt: skip
"""By the name that NumPy's function has in `np`."""
