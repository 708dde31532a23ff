"""Results of floating-point operations that do not depend on what is around them.

A processor can round a product and a sum once, not twice, and LLVM lets it wherever it sees both:
within one kernel, but not from one kernel to the next. XLA rewrites what it sees together, too: a
quotient by a constant becomes a product, one by a square root a product with `rsqrt`. The last bit
of a result then depends on how a program is cut into kernels, hence on the size of the batch. The
bits of a *rounded* result went through an exclusive or with a zero that XLA does not know to be
one, so that nothing sees where it comes from; the additions that read it add what was rounded.

`pcbatch.random` has another way (`random/continuous.py`), since it promises its bits outside of the
machine, too, where no such zero is passed.
"""

from __future__ import annotations

import tensorflow as tf

_EXACT = """
    Abs All Any ArgMax ArgMin Bitcast BroadcastTo Cast Ceil ClipByValue ConcatV2 Const
    EnsureShape Equal ExpandDims Fill Floor GatherV2 Greater GreaterEqual Identity IdentityN If
    IsFinite IsInf IsNan Less LessEqual Max Maximum Min Minimum Neg NextAfter NotEqual OneHot
    OnesLike Pack Pad PadV2 PartitionedCall Placeholder PreventGradient Range Relu Relu6
    ReluGrad Reshape ReverseV2 Rint Round Select SelectV2 Sign Slice Split SplitV Squeeze
    StatefulPartitionedCall StatelessIf StatelessWhile StopGradient StridedSlice
    StridedSliceGrad Tile Transpose Unpack While XlaDynamicSlice XlaDynamicUpdateSlice ZerosLike
"""
_FUNCTIONS = """
    Atan Atan2 Cos Div DivNoNan Elu Exp Expm1 FloorDiv FloorMod Inv LeakyRelu Log Log1p Mean Mod
    Mul MulNoNan Pow Prod RealDiv Reciprocal ReciprocalGrad Rsqrt RsqrtGrad Selu Sigmoid
    SigmoidGrad Sin Softplus SoftplusGrad Softsign Sqrt SqrtGrad Square SquaredDifference Tanh
    TruncateDiv TruncateMod Xdivy Xlog1py Xlogy
"""
EXACT = frozenset(_EXACT.split())
"""Operations that do not round."""

SUMS = frozenset(("Add", "AddN", "AddV2", "Sub", "Sum"))
"""Operations that round in one way, if what they add has been rounded."""

FUNCTIONS = frozenset(_FUNCTIONS.split())
"""Operations that give the same bits everywhere if their results are rounded: XLA has them as one
operation, or as several of which none adds a product."""

ROUNDED_ONCE = EXACT | SUMS | FUNCTIONS
"""Operations whose results have the same bits everywhere if those of FUNCTIONS are rounded."""

_WORDS = {1: tf.int8, 2: tf.int16, 4: tf.int32, 8: tf.int64}


def unknown_zero(turns: tf.Tensor) -> tf.Tensor:
    """Zero, from a count, a signed integer, of which a compiler does not know that it is one."""
    return tf.bitwise.right_shift(turns, 8 * turns.dtype.size - 1)


def rounded(value: tf.Tensor, zero: tf.Tensor) -> tf.Tensor:
    """A value of which XLA does not see the origin; as it is where it holds no real fractions.

    Args:
      value: any tensor.
      zero: see `unknown_zero`.
    """
    if not value.dtype.is_floating:
        return value
    word = _WORDS[value.dtype.size]
    bits = tf.bitwise.bitwise_xor(tf.bitcast(value, word), tf.cast(zero, word))
    return tf.bitcast(bits, value.dtype)
