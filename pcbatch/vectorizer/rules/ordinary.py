"""Batching rules for ordinary operations: those where TensorFlow's own rule is slow or missing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import tensorflow as tf

from pcbatch.backend.blocked_sums import total
from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.values import Plain, Value, shared, stack, stacked

Values = Sequence[Value]

UNARY = (
    "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BesselI0e", "BesselI1e",
    "Bitcast", "Cast", "Ceil", "ComplexAbs", "Conj", "Cos", "Cosh", "Digamma", "Elu", "Erf", "Erfc",
    "Erfinv", "Exp", "Expm1", "Floor", "Imag", "Inv", "Invert", "IsFinite", "IsInf", "IsNan",
    "LeakyRelu", "Lgamma", "Log", "Log1p", "LogicalNot", "Ndtri", "Neg", "PopulationCount",
    "PreventGradient", "Real", "Reciprocal", "Relu", "Relu6", "Rint", "Round", "Rsqrt",
    "Selu", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Square",
    "StopGradient", "Tan", "Tanh",
)  # fmt: skip

BROADCAST = (
    "Add", "AddV2", "Atan2", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Complex", "Div",
    "DivNoNan", "Equal", "FloorDiv", "FloorMod", "Greater", "GreaterEqual", "Igamma",
    "IgammaGradA", "Igammac", "LeftShift", "Less", "LessEqual", "LogicalAnd", "LogicalOr",
    "Maximum", "Minimum", "Mod", "Mul", "MulNoNan", "NextAfter", "NotEqual", "Polygamma",
    "Pow", "RandomGammaGrad", "RealDiv", "RightShift", "SelectV2", "SquaredDifference", "Sub",
    "TruncateDiv", "TruncateMod", "Xdivy", "Xlog1py", "Xlogy", "Zeta",
)  # fmt: skip

SAME_SHAPE = (
    "EluGrad", "InvGrad", "LeakyReluGrad", "ReciprocalGrad", "Relu6Grad", "ReluGrad",
    "RsqrtGrad", "SeluGrad", "SigmoidGrad", "SoftplusGrad", "SoftsignGrad", "SqrtGrad",
    "TanhGrad",
)  # fmt: skip

_MATRICES = (
    "BandedTriangularSolve", "CholeskyGrad", "Eig", "Lu", "MatrixDeterminant", "MatrixExponential",
    "MatrixLogarithm", "MatrixSolveLs", "MatrixSquareRoot", "Qr", "Svd", "TridiagonalSolve",
)  # fmt: skip
"""Operations on matrices, with any number of axes before them."""

REDUCTIONS = ("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum")


@rule(*UNARY)
def unary(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    (x,) = inputs
    return [stacked(interpreter.create(op, [interpreter.plain(op, x).tensor])[0])]


@rule(*BROADCAST)
def broadcast(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    """Axes of size one between the batch and the rest let TensorFlow's broadcasting do it."""
    return [stacked(interpreter.create(op, aligned([interpreter.plain(op, x) for x in inputs]))[0])]


def aligned(values: Sequence[Plain]) -> list[tf.Tensor]:
    """The values as tensors that broadcast against each other as those of one member do."""
    rank = max(len(x.kind.shape) for x in values)
    return [_of_rank(x, rank) for x in values]


def _of_rank(x: Plain, rank: int) -> tf.Tensor:
    if not x.stacked:
        return x.local()
    batch, *shape = x.tensor.shape
    missing = rank - len(shape)
    if not missing:
        return x.tensor
    if not all(d is not None for d in shape):
        return tf.reshape(x.tensor, tf.concat([[batch], [1] * missing, tf.shape(x.tensor)[1:]], 0))
    return tf.reshape(x.tensor, [batch, *[1] * missing, *shape])


@rule(*SAME_SHAPE)
def same_shape(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    return [
        stacked(
            interpreter.create(
                op, [stack(interpreter.plain(op, x), interpreter.size) for x in inputs]
            )[0]
        )
    ]


@rule(*_MATRICES)
def matrices(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    plain = [interpreter.plain(op, x) for x in inputs]
    given = [stack(x, interpreter.size) if x.kind.shape else x.local() for x in plain]
    if any(x.stacked and not x.kind.shape for x in plain):
        return interpreter.library_rule(op, plain)
    return [stacked(t) for t in interpreter.create(op, given)]


@rule(*REDUCTIONS)
def reduction(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    x, axis = (interpreter.plain(op, v) for v in inputs)
    if axis.static is None or not x.stacked:
        return interpreter.library_rule(op, [x, axis])
    rank = len(x.kind.shape)
    moved = [int(a) % rank + 1 for a in axis.static.reshape(-1)] if rank else []
    if op.type in ("Sum", "Mean") and interpreter.session.xla and _has_known_floats(x):
        return [stacked(_total(op, x.tensor, moved, interpreter.session.zero is not None))]
    places = tf.constant(moved, axis.tensor.dtype, [len(moved)])
    return [stacked(interpreter.create(op, [x.tensor, places])[0])]


def _has_known_floats(x: Plain) -> bool:
    return x.tensor.dtype.is_floating and x.tensor.shape.is_fully_defined()


def _total(op: tf.Operation, x: tf.Tensor, axes: list[int], in_one_order: bool) -> tf.Tensor:
    """A sum or a mean of each member."""
    wide = tf.cast(x, tf.float32) if x.dtype.size == 2 else x  # as XLA adds them
    found = total(wide, axes, in_one_order)
    if op.type == "Mean":
        found /= math.prod(x.shape[a] for a in axes)
    found = tf.cast(found, x.dtype)
    if op.get_attr("keep_dims"):
        found = tf.reshape(found, [1 if i in axes else n for i, n in enumerate(x.shape)])
    return found


@rule("Reshape")
def reshape(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    x, shape = (interpreter.plain(op, v) for v in inputs)
    static = op.outputs[0].shape
    if shape.stacked or not static.is_fully_defined():
        return interpreter.library_rule(op, [x, shape])
    if x.kind.shape == tuple(static):  # in a loop TensorFlow may make nothing of it
        return [x]
    return [stacked(tf.reshape(x.tensor, [interpreter.size, *static]))]


@rule("ExpandDims")
def expand_dims(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    x, axis = (interpreter.plain(op, v) for v in inputs)
    if axis.static is None or not x.stacked:
        return interpreter.library_rule(op, [x, axis])
    place = int(axis.static.reshape(()))
    return [stacked(tf.expand_dims(x.tensor, place if place < 0 else place + 1))]


@rule("Transpose")
def transpose(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    x, order = (interpreter.plain(op, v) for v in inputs)
    if order.static is None or not x.stacked:
        return interpreter.library_rule(op, [x, order])
    return [stacked(tf.transpose(x.tensor, [0, *(int(a) + 1 for a in order.static)]))]


@rule("Pack")
def pack(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    axis = op.get_attr("axis")
    parts = [stack(interpreter.plain(op, x), interpreter.size) for x in inputs]
    return [stacked(tf.stack(parts, axis if axis < 0 else axis + 1))]


@rule("Unpack")
def unpack(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    axis = op.get_attr("axis")
    parts = tf.unstack(interpreter.plain(op, inputs[0]).tensor, axis=axis if axis < 0 else axis + 1)
    return [stacked(t) for t in parts]


@rule("OnesLike")
def ones_like(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    x = interpreter.plain(op, inputs[0])
    return [shared(tf.ones(x.kind.shape, x.tensor.dtype))]


@rule("Shape", "Size", "Rank")
def static_shape(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    shape = interpreter.plain(op, inputs[0]).kind.shape
    if None in shape:
        return interpreter.library_rule(op, [interpreter.plain(op, inputs[0])])
    member = tf.TensorShape(shape)
    found = {"Shape": member.as_list(), "Size": member.num_elements(), "Rank": member.rank}
    return [shared(tf.constant(found[op.type], op.outputs[0].dtype))]


@rule("BroadcastTo")
def broadcast_to(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    x, shape = (interpreter.plain(op, v) for v in inputs)
    static = op.outputs[0].shape
    if shape.stacked or not static.is_fully_defined():
        return interpreter.library_rule(op, [x, shape])
    return [stacked(tf.broadcast_to(_of_rank(x, static.rank), [interpreter.size, *static]))]
