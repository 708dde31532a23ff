"""Operations of which XLA's kernels for a CPU, or TensorFlow's rewriting of graphs, make another.

An operation gives the same for a member whichever strategy runs it, whatever is around it and
however many members there are. So the few that do not are written in others that do:

* XLA takes integers as never wrapping around, and what is their square or absolute value as never
  negative. Of unsigned ones it assumes nothing: they are multiplied instead. Nor of a choice.
* Its minimum and maximum of floats lose a NaN, depending on the kernel; so do all that are made of
  them. Comparisons do not.
* It sorts by a total order, in which -0.0 comes before 0.0; TensorFlow sorts NaN anywhere. Integers
  in the order of the floats are sorted instead.
* It adds integers up in their own width before it divides to get their mean.
* Of a quotient by a constant it makes a product with the reciprocal, which is rounded twice, and so
  does TensorFlow outside XLA: `x / 10` would differ from Python's for a third of all numbers.
* Outside XLA TensorFlow makes `x >= y` of `not (x < y)`, `x` of the reciprocal of a reciprocal, and
  of the square of a difference an operation that narrow integers do not have; shifts by the width
  or more, and floats that an integer dtype does not hold, are what the processor makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.backend.private import graphs

Tensors = Sequence[tf.Tensor]
Exact = Callable[[tf.Operation, Tensors], tf.Tensor | Tensors]

UNDER_XLA: dict[str, Exact] = {}
"""By the operation's type: what XLA computes instead."""
OUTSIDE: dict[str, Exact] = {}
"""The same outside XLA."""

_FLOATS = (tf.float16, tf.bfloat16, tf.float32, tf.float64)
_SIGNED = {tf.int8: tf.uint8, tf.int16: tf.uint16, tf.int32: tf.uint32, tf.int64: tf.uint64}
_INTEGERS = (*_SIGNED, *_SIGNED.values())
_WORDS = {tf.float16: tf.int16, tf.bfloat16: tf.int16, tf.float32: tf.int32, tf.float64: tf.int64}


def create(
    op: tf.Operation, inputs: Tensors, xla: bool, attributes: dict[str, Any] | None = None
) -> list[tf.Tensor]:
    """Copy an operation into the current graph with other inputs, exactly as it is meant.

    Args:
      op: the original.
      inputs: of the same dtypes as the original's; they may have one more axis.
      xla: whether XLA will compile the graph.
      attributes: see `graphs.create`.
    """
    exact = (UNDER_XLA if xla else OUTSIDE).get(op.type)
    if exact is None:
        return graphs.create(op, inputs, attributes)
    result = exact(op, inputs)
    return [result] if isinstance(result, tf.Tensor) else list(result)


def _rule(
    *types: str, dtypes: Sequence[tf.DType], xla: bool = True, outside: bool = False
) -> Callable[[Exact], Exact]:
    """Register what is computed instead where the first input has one of some dtypes."""

    def register(function: Exact) -> Exact:
        def chosen(op: tf.Operation, inputs: Tensors) -> tf.Tensor | Tensors:
            given = inputs[0].dtype in dtypes
            return function(op, inputs) if given else graphs.create(op, inputs)

        for name in types:
            UNDER_XLA.update({name: chosen} if xla else {})
            OUTSIDE.update({name: chosen} if outside else {})
        return function

    return register


# --- Integers that wrap around ----------------------------------------------------------------


@_rule("Mul", dtypes=tuple(_SIGNED))
def _product(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    if any(x.op.type == "Const" for x in op.inputs):  # no square
        return graphs.create(op, inputs)[0]
    return _wrapping_product(*inputs)


@_rule("Mul", dtypes=(tf.int8, tf.uint8, tf.int16, tf.uint16), xla=False, outside=True)
def _narrow_product(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    """Of two equal differences TensorFlow makes an operation that it has for no such integers."""
    a, b = (tf.cast(x, tf.int32) for x in inputs)
    return tf.cast(a * b, inputs[0].dtype)


@_rule("Square", dtypes=tuple(_SIGNED))
def _square(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    return _wrapping_product(inputs[0], inputs[0])


@_rule("SquaredDifference", dtypes=tuple(_SIGNED))
def _squared_difference(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    difference = inputs[0] - inputs[1]
    return _wrapping_product(difference, difference)


def _wrapping_product(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    word = _SIGNED[a.dtype]
    return tf.cast(tf.cast(a, word) * tf.cast(b, word), a.dtype)  # shapes stay known


@_rule("Abs", dtypes=tuple(_SIGNED))
def _absolute(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    (x,) = inputs
    return tf.where(tf.less(x, tf.zeros([], x.dtype)), tf.negative(x), x)


@_rule("Mean", dtypes=_INTEGERS, outside=True)
def _mean(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    """The exact mean, rounded towards zero as TensorFlow's is."""
    x, axes = inputs
    keep = op.get_attr("keep_dims")
    wide = tf.cast(x, tf.uint64 if x.dtype == tf.uint64 else tf.int64)
    number = tf.size(x, wide.dtype) // tf.maximum(tf.size(tf.reduce_sum(x, axes), wide.dtype), 1)
    quotients = tf.reduce_sum(wide // number, axes, keepdims=keep)
    rest = tf.reduce_sum(wide % number, axes, keepdims=keep)
    down, remains = quotients + rest // number, rest % number
    up = tf.logical_and(tf.less(down, 0), tf.not_equal(remains, 0))
    return tf.cast(down + tf.cast(up, down.dtype), x.dtype)


# --- NaN --------------------------------------------------------------------------------------


@_rule("Maximum", dtypes=_FLOATS)
def _maximum(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    return _larger(*inputs)


@_rule("Minimum", dtypes=_FLOATS)
def _minimum(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    return _smaller(*inputs)


def _larger(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    """The gradient is that of the first of equal numbers, as TensorFlow's is."""
    return tf.where(tf.logical_or(tf.greater_equal(a, b), tf.math.is_nan(a)), a, b)


def _smaller(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return tf.where(tf.logical_or(tf.less_equal(a, b), tf.math.is_nan(a)), a, b)


@_rule("ClipByValue", dtypes=_FLOATS)
def _clip(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    x, low, high = inputs
    return _larger(_smaller(x, high), low)


@_rule("Relu", dtypes=_FLOATS)
def _relu(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    return _at_least_zero(inputs[0])


@_rule("Relu6", dtypes=_FLOATS)
def _relu6(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    x = _at_least_zero(inputs[0])
    return tf.where(tf.greater_equal(x, tf.constant(6, x.dtype)), tf.constant(6, x.dtype), x)


def _at_least_zero(x: tf.Tensor) -> tf.Tensor:
    zero = tf.zeros([], x.dtype)
    return tf.where(tf.less_equal(x, zero), zero, x)


@_rule("Max", "Min", dtypes=_FLOATS)
def _extreme(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    x, axes = inputs
    (found,) = graphs.create(op, inputs)
    unordered = tf.reduce_any(tf.math.is_nan(x), axes, keepdims=op.get_attr("keep_dims"))
    return tf.where(unordered, tf.constant(float("nan"), x.dtype), found)


@_rule("ArgMax", "ArgMin", dtypes=_FLOATS)
def _place(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    """Of all but NaN, as outside XLA."""
    x, axis = inputs
    last = tf.constant(float("-inf" if op.type == "ArgMax" else "inf"), x.dtype)
    return graphs.create(op, [tf.where(tf.math.is_nan(x), last, x), axis])[0]


@_rule("LowerBound", "UpperBound", dtypes=_FLOATS, outside=True)
def _bound(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    """NaN is put after all numbers, where sorting puts it."""
    ordered, values = inputs
    (found,) = graphs.create(op, inputs)
    return tf.where(tf.math.is_nan(values), tf.shape(ordered, found.dtype)[-1], found)


@_rule("TopKV2", dtypes=_FLOATS, outside=True)
def _largest(op: tf.Operation, inputs: Tensors) -> Tensors:
    """NaN comes last; of equal numbers, such as zeros of two signs, the first comes first."""
    x, number = inputs
    _, places = tf.math.top_k(_in_order(x), number, index_type=op.outputs[1].dtype)
    return _at(x, places), places


def _at(x: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
    """The numbers at some places of each row; of `[N, n]` at once, whose gradient XLA compiles."""
    if not x.shape.is_fully_defined():
        return tf.gather(x, places, batch_dims=x.shape.rank - 1)
    rows = tf.range(0, x.shape.num_elements(), x.shape[-1], places.dtype)
    flat = tf.reshape(places, [-1, places.shape[-1]]) + rows[:, tf.newaxis]
    return tf.reshape(tf.gather(tf.reshape(x, [-1]), flat), places.shape)


def _in_order(x: tf.Tensor) -> tf.Tensor:
    """Integers in the order of floats, equal ones for equal ones, and the least one for NaN."""
    word = _WORDS[x.dtype]
    bits = tf.bitcast(tf.where(tf.equal(x, 0), tf.zeros([], x.dtype), x), word)
    most = tf.constant(word.max, word)
    ordered = tf.where(tf.less(bits, 0), tf.bitwise.bitwise_xor(bits, most), bits)
    return tf.where(tf.math.is_nan(x), tf.constant(word.min, word), ordered)


# --- What TensorFlow rewrites, or leaves open -------------------------------------------------


@_rule("LogicalNot", dtypes=(tf.bool,), xla=False, outside=True)
def _not(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    return tf.where(inputs[0], False, True)


@_rule("Inv", "Reciprocal", dtypes=_FLOATS, xla=False, outside=True)
def _reciprocal(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    """A quotient of a numerator that is not known to be one: of that, it is rewritten as well."""
    (x,) = inputs
    return tf.where(tf.math.is_nan(x), x, tf.ones([], x.dtype)) / x


@_rule("RealDiv", "Div", dtypes=_FLOATS, outside=True)
def _quotient(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    """By a constant of which nothing knows it, except where the reciprocal is exact."""
    x, divisor = inputs
    if not _is_constant(op.inputs[1]) or _are_powers_of_two(op.inputs[1]):
        return graphs.create(op, inputs)[0]
    hidden = tf.where(tf.math.is_nan(x), tf.constant(float("nan"), x.dtype), divisor)
    return graphs.create(op, [x, hidden])[0]


def _is_constant(tensor: tf.Tensor) -> bool:
    """Whether a compiler can compute a tensor by itself."""
    seen: set[int] = set()
    pending = [tensor.op]
    while pending:
        op = pending.pop()
        if id(op) in seen:
            continue
        if op.type != "Const" and (not op.inputs or graphs.is_stateful(op)):
            return False
        seen.add(id(op))
        pending += [t.op for t in op.inputs]
    return True


def _are_powers_of_two(tensor: tf.Tensor) -> bool:
    numbers = tf.get_static_value(tensor)
    if numbers is None:
        return False
    significands, _ = np.frexp(np.asarray(numbers, np.float64))
    return bool(np.all(np.abs(significands) == 0.5))


@_rule("Cast", dtypes=_FLOATS, xla=False, outside=True)
def _cast(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    """What an integer dtype does not hold becomes its nearest number, and NaN zero."""
    (x,), dtype = inputs, op.outputs[0].dtype
    if dtype not in _INTEGERS:
        return graphs.create(op, inputs)[0]
    x = tf.cast(x, tf.float32) if x.dtype.size == 2 else x
    above = tf.greater_equal(x, tf.constant(float(dtype.max + 1), x.dtype))
    below = tf.less(x, tf.constant(float(dtype.min), x.dtype))
    outside = tf.logical_or(tf.logical_or(above, below), tf.math.is_nan(x))
    found = tf.cast(tf.where(outside, tf.zeros([], x.dtype), x), dtype)
    found = tf.where(above, tf.constant(dtype.max, dtype), found)
    return tf.where(below, tf.constant(dtype.min, dtype), found)


@_rule("LeftShift", "RightShift", dtypes=_INTEGERS, xla=False, outside=True)
def _shift(op: tf.Operation, inputs: Tensors) -> tf.Tensor:
    return shifted("<<" if op.type == "LeftShift" else ">>", *inputs)


def shifted(symbol: str, x: tf.Tensor, number: tf.Tensor) -> tf.Tensor:
    """Shift integers; by their width or more all bits leave, and zeros or the sign's come in.

    XLA's operations do so by themselves.
    """
    bits = tf.constant(8 * x.dtype.size, number.dtype)
    far = tf.logical_or(tf.greater_equal(number, bits), tf.less(number, 0))
    shift = tf.bitwise.left_shift if symbol == "<<" else tf.bitwise.right_shift
    near = shift(x, tf.where(far, bits - 1, number))
    if symbol == ">>" and x.dtype in _SIGNED:
        return near
    return tf.where(far, tf.zeros([], x.dtype), near)
