"""Threefry-2x32, the counter-based generator under every random number, and the keys for it.

A key is two 32-bit words, `uint32[2]`: an ordinary tensor that a program can store, pass and
return. Word pair i of a key is Threefry's block function of (key, i), so nothing carries state from
one draw to the next, and element i of a draw depends on the key and on i only: not on the batch, on
the schedule or on the size of the draw.

Everything here is 32-bit integer arithmetic, which has one right answer, so eager mode, XLA and
every device give the same bits. Keys, splits and bits equal those of `jax.random` (its default
"partitionable" layout), which makes them easy to check and to port.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), and
Random123's known-answer vectors.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch.backend.elementwise import elementwise
from pcbatch.errors import ArgumentError
from pcbatch.random.arrays import Array, arange, cast, rotation, shift_left
from pcbatch.random.plain_numbers import number_in_plain_run

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA  # Threefish's key-schedule constant, its lower word

Shape = int | Sequence[int]


def key(seed: Any) -> tf.Tensor:
    """Make a key from a seed.

    Args:
      seed: an integer of 64 bits, with or without a sign, or a scalar integer tensor.

    Returns:
      The key, `uint32[2]`: the seed's upper and lower word.

    Raises:
      ArgumentError: the seed is not a scalar integer, or has more bits.
    """
    if isinstance(seed, int):
        if not -(2**63) <= seed < 2**64:
            raise ArgumentError(f"the seed {seed} has more than 64 bits: give one below 2**64")
        return tf.constant([seed >> 32 & 0xFFFFFFFF, seed & 0xFFFFFFFF], tf.uint32)
    seed = _integer(seed, "seed")
    if seed.dtype.size <= 4:
        seed = tf.cast(seed, tf.int64)
    return tf.stack([tf.cast(tf.bitwise.right_shift(seed, 32), tf.uint32), _low_word(seed)])


def split(key: tf.Tensor, num: int = 2) -> tf.Tensor:
    """Derive `num` independent keys from one, which must not be used again.

    Args:
      key: `uint32[2]`.
      num: how many, a Python integer.

    Returns:
      The new keys, `uint32[num, 2]`. Key i does not depend on `num`.
    """
    return tf.stack(blocks(key, num), axis=1)


def fold_in(key: tf.Tensor, data: Any) -> tf.Tensor:
    """Derive a key from a key and an integer, for instance the number of an iteration.

    Args:
      key: `uint32[2]`.
      data: an integer, or a scalar integer tensor, taken modulo 2**32.

    Returns:
      The new key, `uint32[2]`.

    Raises:
      ArgumentError: `data` is not a scalar integer.
    """
    word = tf.constant(data & 0xFFFFFFFF, tf.uint32) if isinstance(data, int) else data
    counter = tf.reshape(_low_word(_integer(word, "data")), [1])
    counter = counter.numpy() if tf.executing_eagerly() else counter
    return tf.concat(threefry2x32(_words(key), (arange(1), counter)), axis=0)


@number_in_plain_run
def bits(key: tf.Tensor, shape: Shape = (), dtype: Any = tf.uint32) -> tf.Tensor:
    """Draw uniformly distributed bits.

    Args:
      key: `uint32[2]`.
      shape: static shape of the result.
      dtype: `uint32` or `uint64`.

    Returns:
      Integers of all bit patterns, of the given shape and dtype.

    Raises:
      ArgumentError: another dtype.
    """
    dims = static_shape(shape)
    return tf.reshape(flat_bits(key, math.prod(dims), tf.as_dtype(dtype)), dims)


def flat_bits(key: tf.Tensor, num: int, dtype: tf.DType) -> Array:
    """Draw `num` words as `bits` does."""
    first, second = blocks(key, num)
    if dtype == tf.uint32:
        return first ^ second
    if dtype == tf.uint64:
        return shift_left(cast(first, tf.uint64), 32) | cast(second, tf.uint64)
    raise ArgumentError(f"bits come as uint32 or uint64, not as {dtype.name}")


def blocks(key: tf.Tensor, num: int, stream: int = 0) -> tuple[Array, Array]:
    """Run Threefry on counters (stream, 0) to (stream, num - 1).

    Returns:
      The first and the second words of the blocks, each `uint32[num]`.
    """
    counters = arange(num)
    return threefry2x32(_words(key), ((counters ^ counters) + stream, counters))


def threefry2x32(key: tuple[Array, Array], counter: tuple[Array, Array]) -> tuple[Array, Array]:
    """Run the block function with 20 rounds.

    Args:
      key: two words, each `uint32[1]`.
      counter: two words per block, each `uint32[n]`.

    Returns:
      Two words per block, each `uint32[n]`.
    """
    words = (*key, *counter)
    return _threefry(*words) if any(map(tf.is_tensor, words)) else _rounds(*words)


def _rounds(key0: Array, key1: Array, counter0: Array, counter1: Array) -> tuple[Array, Array]:
    schedule = (key0, key1, key0 ^ key1 ^ PARITY)
    x0, x1 = counter0 + schedule[0], counter1 + schedule[1]
    rotate = rotation(x0)
    for group in range(5):
        for by in ROTATIONS[group % 2]:
            x0 = x0 + x1
            x1 = rotate(x1, by) ^ x0
        x0 = x0 + schedule[(group + 1) % 3]
        x1 = x1 + (schedule[(group + 2) % 3] + (group + 1))
    return x0, x1


@elementwise(tf.uint32, tf.uint32, tf.uint32, tf.uint32)
def _threefry(*words: tf.Tensor) -> tuple[tf.Tensor, ...]:
    return _rounds(*words)


def _words(key: tf.Tensor) -> tuple[Array, Array]:
    key = tf.convert_to_tensor(key)
    if key.dtype != tf.uint32 or not key.shape.is_compatible_with([2]):
        raise ArgumentError(
            "a key is uint32[2], as pcbatch.random.key makes it; "
            f"this is {key.dtype.name}{key.shape}"
        )
    if tf.executing_eagerly():
        words = key.numpy()
        return words[:1], words[1:]
    return tuple(tf.split(key, 2))


def _integer(value: Any, name: str) -> tf.Tensor:
    tensor = tf.convert_to_tensor(value)
    if not tensor.dtype.is_integer or tensor.shape.rank != 0:
        raise ArgumentError(f"{name} must be one integer, not {tensor.dtype.name}{tensor.shape}")
    return tensor


def _low_word(value: tf.Tensor) -> tf.Tensor:
    return tf.cast(value, tf.uint32)


def static_shape(shape: Shape) -> tuple[int, ...]:
    """Give the shape as a tuple of Python integers, or raise `ArgumentError`."""
    try:
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        return tuple(operator.index(size) for size in sizes)
    except TypeError as error:
        raise ArgumentError(f"a shape must be static integers, not {shape!r}") from error
