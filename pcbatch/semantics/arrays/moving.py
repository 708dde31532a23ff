"""NumPy's functions that put the elements of an array elsewhere."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import exceptions
from pcbatch.semantics.arrays.operands import (
    axes_of,
    axis_of,
    marked,
    shape_of,
    static_integer,
    tensor,
)
from pcbatch.semantics.arrays.reductions import MEANINGS as REDUCTIONS
from pcbatch.semantics.arrays.shaping import at_least, ravel, reshape
from pcbatch.semantics.faults import require
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.numbers.promotion import cast, is_weak
from pcbatch.semantics.operators import binary
from pcbatch.semantics.places import is_dynamic, narrowed

Meaning = Callable[..., Any]


def _taken(x: Any, places: Any, axis: int = 0) -> Any:
    return marked(tf.gather(x, places, axis=axis), is_weak(x))


def flip(m: Any, axis: Any = None) -> Any:
    """`np.flip`."""
    x = tensor(m)
    return marked(tf.reverse(x, axes_of(axis, x.shape.rank)), is_weak(x))


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """`np.roll`; how far may depend on the member."""
    x = tensor(a)
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape.as_list())
    for places, along in turns(shift, axis, x.shape.rank):
        x = _taken(x, turned(x.shape[along], x.shape[along], places), along)
    return x


def turns(shift: Any, axis: Any, rank: int) -> list[tuple[Any, int]]:
    """How far `np.roll` turns which axis; the same axis may be turned several times."""
    shifts, axes = _each(shift), [axis_of(k, rank) for k in _each(axis)]
    if 1 not in (len(shifts), len(axes)) and len(shifts) != len(axes):
        raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    number = max(len(shifts), len(axes)) if shifts and axes else 0
    return [(shifts[k % len(shifts)], axes[k % len(axes)]) for k in range(number)]


def _each(value: Any) -> list[Any]:
    """The numbers of a sequence, or one."""
    if isinstance(value, (tuple, list)):
        return list(value)
    return list(tf.unstack(value)) if len(getattr(value, "shape", ())) else [value]


def turned(room: int, number: Any, places: Any) -> Any:
    """Which elements stand along an axis when it has been turned.

    Args:
      room: of how many elements there are.
      number: of them count.
      places: how far.
    """
    at = tf.range(room, dtype=tf.int64) - tf.cast(places, tf.int64)
    return at % tf.maximum(tf.cast(number, tf.int64), 1)


def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """`np.repeat`, each element equally often."""
    x = ravel(a) if axis is None else tensor(a)
    along = axis_of(0 if axis is None else axis, x.shape.rank)
    times = static_integer(repeats, "how often an element is repeated")
    return _taken(x, np.repeat(np.arange(x.shape[along]), times), along)


def tile(A: Any, reps: Any) -> Any:
    """`np.tile`."""
    x, times = tensor(A), shape_of(reps)
    rank = max(x.shape.rank, len(times))
    x = at_least(rank)(x)
    return marked(tf.tile(x, [1] * (rank - len(times)) + times), is_weak(x))


def diff(a: Any, n: Any = 1, axis: Any = -1) -> Any:
    """`np.diff`."""
    x = tensor(a)
    for _ in range(static_integer(n, "the number of differences")):
        along = axis_of(axis, x.shape.rank)
        after, before = (_part(x, along, k, x.shape[along] - 1) for k in (1, 0))
        x = marked(_difference(after, before), is_weak(x))
    return x


def _difference(a: Any, b: Any) -> Any:
    return tf.not_equal(a, b) if a.dtype == tf.bool else a - b


def _part(x: Any, axis: int, start: int, size: int) -> Any:
    """Some elements along an axis, as many as there are."""
    return x[(slice(None),) * axis + (slice(start, start + max(size, 0)),)]


def diagonal(a: Any, offset: Any = 0) -> Any:
    """`np.diagonal` of a matrix."""
    x, k = _matrix(a), static_integer(offset, "an offset")
    rows, columns = x.shape
    places = [(i, i + k) for i in range(rows) if 0 <= i + k < columns]
    flat = [i * columns + j for i, j in places]
    return _taken(tf.reshape(x, [-1]), np.array(flat, np.int32))


def _matrix(a: Any) -> Any:
    x = tensor(a)
    if x.shape.rank != 2:
        raise TypeError(f"this function of NumPy takes a matrix here, not {x.shape.rank} axes")
    return x


def diag(v: Any, k: Any = 0) -> Any:
    """`np.diag`: a matrix of a vector, and the other way round."""
    x, offset = tensor(v), static_integer(k, "an offset")
    if x.shape.rank != 1:
        return diagonal(x, offset)
    size = x.shape[0] + abs(offset)
    on = np.eye(size, k=offset, dtype=bool)
    above = max(-offset, 0)
    padded = tf.pad(x, [[above, size - x.shape[0] - above]])
    return marked(tf.where(on, padded[:, tf.newaxis], tf.zeros([], x.dtype)), is_weak(x))


def trace(a: Any, offset: Any = 0) -> Any:
    """`np.trace` of a matrix."""
    return REDUCTIONS["sum"](diagonal(a, offset))


def _triangle(kept: Meaning) -> Meaning:
    def run(m: Any, k: Any = 0) -> Any:
        x = _matrix(m)
        if is_dynamic(k):
            rows, columns = x.shape
            above = tf.range(columns) - tf.range(rows)[:, tf.newaxis]
            mask = above <= narrowed(k) if kept is np.tril else above >= narrowed(k)
        else:
            mask = kept(np.ones(x.shape.as_list(), bool), static_integer(k, "an offset"))
        return marked(tf.where(mask, x, tf.zeros([], x.dtype)), is_weak(x))

    return run


def take(a: Any, indices: Any, axis: Any = None) -> Any:
    """`np.take`; an index out of range is the member's IndexError."""
    x = ravel(a) if axis is None else tensor(a)
    along = axis_of(0 if axis is None else axis, x.shape.rank)
    places = tensor(indices)
    size = x.shape[along]
    exceptions.within(places, size, exceptions.bounds("{...}", along, size))
    places = tf.where(places < 0, places + size, places)
    return _taken(x, tf.clip_by_value(places, 0, max(size - 1, 0)), along)


def split(ary: Any, sections: Any, axis: Any = 0) -> list[Any]:
    """`np.split`."""
    x = tensor(ary)
    along = axis_of(axis, x.shape.rank)
    size = x.shape[along]
    if isinstance(sections, (tuple, list)):
        cuts = [0, *(k % size if k < 0 else min(k, size) for k in shape_of(sections)), size]
    else:
        number = static_integer(sections, "a number of parts")
        if size % number:
            raise ValueError("array split does not result in an equal division")
        cuts = list(range(0, size + 1, size // number))
    parts = (_part(x, along, a, b - a) for a, b in itertools.pairwise(cuts))
    return [marked(part, is_weak(x)) for part in parts]


def pad(array: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0) -> Any:
    """`np.pad`, with a number, or with elements of the array, around it."""
    x = tensor(array)
    widths = padding(pad_width, x.shape.rank)
    if any(is_dynamic(n) for pair in widths for n in pair):
        return Meanings.padded(x, widths, mode, constant_values=constant_values)
    sizes = [(static_integer(a, "a width"), static_integer(b, "a width")) for a, b in widths]
    if mode == "constant":
        return marked(tf.pad(x, sizes, constant_values=filler(constant_values, x)), is_weak(x))
    if mode not in MODES:
        raise TypeError(f"np.pad with mode={mode!r} is not known here")
    for axis, size in enumerate(sizes):
        x = _taken(x, np.pad(np.arange(x.shape[axis]), size, mode=mode), axis)
    return x


def filler(constant_values: Any, array: Any) -> Any:
    """What `np.pad` puts around an array: one number."""
    if isinstance(constant_values, (tuple, list)):
        raise TypeError("np.pad takes one number as constant_values: pad side by side")
    return cast(constant_values, array.dtype)


MODES = ("constant", "edge", "wrap", "reflect", "symmetric")
"""What `np.pad` puts around an array."""


def padding(pad_width: Any, rank: int) -> list[tuple[Any, Any]]:
    """How many elements `np.pad` puts before and behind those along each axis."""
    if not isinstance(pad_width, (tuple, list)):
        return [(pad_width, pad_width)] * rank
    if not any(isinstance(x, (tuple, list)) for x in pad_width):
        before, behind = pad_width if len(pad_width) > 1 else (*pad_width, *pad_width)
        return [(before, behind)] * rank
    pairs = [(before, behind) for before, behind in pad_width]
    if len(pairs) not in (1, rank):
        raise ValueError("operands could not be broadcast together with remapped shapes")
    return pairs * rank if len(pairs) == 1 else pairs


def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """`np.unravel_index`; the shape may be the member's."""
    sizes = list(shape) if isinstance(shape, (tuple, list)) else [shape]
    left, found = tf.cast(tensor(indices), tf.int64), list[Any]()
    total = functools.reduce(functools.partial(binary, "*"), sizes)
    here = (left >= 0) & (left < tf.cast(total, left.dtype))
    require(
        tf.reduce_all(here), "ValueError: index {...} is out of bounds for array with size {...}"
    )
    for size in reversed(sizes):
        size = tf.maximum(tf.cast(size, left.dtype), 1)
        found.append(left % size)
        left //= size
    return tuple(reversed(found))


MEANINGS: dict[str, Meaning] = {
    "flip": flip, "fliplr": lambda m: flip(m, 1), "flipud": lambda m: flip(m, 0), "roll": roll,
    "repeat": repeat, "tile": tile, "diff": diff, "diagonal": diagonal, "diag": diag,
    "trace": trace, "tril": _triangle(np.tril), "triu": _triangle(np.triu), "take": take,
    "split": split, "pad": pad, "unravel_index": unravel_index,
}  # fmt: skip
"""By the name that NumPy's function has in `np`."""
