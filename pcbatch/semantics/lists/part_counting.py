"""`np.bincount`: how often each small integer is there, as many as the largest of a member says.

Source: NumPy reference, "numpy.bincount".
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics.arrays.operands import as_floats, static_integer, tensor
from pcbatch.semantics.faults import require
from pcbatch.semantics.limits import full
from pcbatch.semantics.lists.layout import capacity
from pcbatch.semantics.lists.part import METHODS, ArrayPart, counted
from pcbatch.semantics.meanings import Meanings

NEGATIVE = "ValueError: 'list' argument must have no negative elements"


def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> ArrayPart:
    """`np.bincount` of an array."""
    numbers = tensor(x)
    return _counted(numbers, tf.ones(numbers.shape, tf.bool), weights, minlength)


def _bincount_of_part(part: ArrayPart, weights: Any = None, minlength: Any = 0) -> ArrayPart:
    same = isinstance(weights, ArrayPart) and weights.array.shape == part.array.shape
    if same:
        require(tf.equal(weights.number, part.number), _LENGTHS)
    elif weights is not None:
        raise TypeError("np.bincount of a part of an array takes weights of the same room")
    return _counted(part.array, part.used, weights.array if same else None, minlength)


_LENGTHS = "ValueError: The weights and list don't have the same length."


def _counted(numbers: Any, used: Any, weights: Any, minlength: Any) -> ArrayPart:
    """How often each number is there, among those that are used, or the sum of its weights."""
    if numbers.shape.rank != 1 or not (numbers.dtype.is_integer or numbers.dtype == tf.bool):
        raise TypeError("np.bincount takes integers along one axis")
    numbers = tf.cast(numbers, tf.int64)
    require(tf.reduce_all((numbers >= 0) | ~used), NEGATIVE)
    least, room = static_integer(minlength, "minlength"), capacity()
    largest = tf.reduce_max(tf.concat([[-1], tf.where(used, numbers, -1)], 0))
    number = tf.maximum(largest + 1, least)
    require(number <= room, full("array", room))
    there = tf.equal(numbers, tf.range(room, dtype=tf.int64)[:, tf.newaxis]) & used
    if weights is None:
        found = tf.reduce_sum(tf.cast(there, tf.int64), 1)
    else:
        (given,), _ = as_floats([weights])
        if given.shape != numbers.shape:
            raise ValueError(_LENGTHS.partition(": ")[2])
        given = tf.cast(given, tf.float64)
        found = tf.reduce_sum(tf.where(there, given, tf.zeros_like(given)), 1)
    return counted(found, [tf.cast(tf.minimum(number, room), tf.int32)])


Meanings.bincount = bincount
METHODS |= {"bincount": _bincount_of_part}
