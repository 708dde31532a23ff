"""What is known of TensorFlow's operations, by the names of their types.

A name stands here if it decides something for many operations alike. Rules that treat one
operation stand under its name in `vectorizer.rules`.
"""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- Calls -------------------------------------------------------------------------------------

CALLED: dict[str, tuple[str, ...]] = {
    "PartitionedCall": ("f",),
    "StatefulPartitionedCall": ("f",),
    "While": ("cond", "body"),
    "StatelessWhile": ("cond", "body"),
    "If": ("then_branch", "else_branch"),
    "StatelessIf": ("then_branch", "else_branch"),
    "Case": ("branches",),
    "StatelessCase": ("branches",),
}
"""The attributes of an operation that name the functions it calls."""

FUNCTION_CALLS = _names("PartitionedCall StatefulPartitionedCall")
LOOPS = _names("While StatelessWhile")

# --- Failures ----------------------------------------------------------------------------------

QUOTIENTS = _names("FloorDiv FloorMod TruncateDiv TruncateMod Mod Div")
"""Quotients and remainders that fail, or not, by the dtype: integers by zero do."""

HAZARDS = QUOTIENTS | _names("""
    Cholesky Gather GatherNd GatherV2 InvertPermutation LogMatrixDeterminant MatrixDeterminant
    MatrixInverse MatrixSolve MatrixTriangularSolve Pow Qr ScatterNd SelfAdjointEigV2 Svd
    TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate
""")
"""Operations whose eager kernels fail on junk."""

CHECKS = _names("Assert CheckNumerics CheckNumericsV2")
"""Operations that fail where a program says so."""

FREE = _names("Cast Const ExpandDims Identity NoOp Placeholder Reshape Squeeze")
"""Operations that cost a member nothing, or nearly."""

HARMLESS = FREE | _names("""
    Abs Add AddN AddV2 All Any Bitcast BitwiseAnd BitwiseOr BitwiseXor Ceil ConcatV2 Cos Equal
    Erf Exp Expm1 Fill Floor Greater GreaterEqual Invert IsFinite IsInf IsNan LeftShift Less
    LessEqual Log Log1p LogicalAnd LogicalNot LogicalOr Max Maximum Mean Min Minimum Mul Neg
    NotEqual OnesLike Pack RealDiv Reciprocal Relu RightShift Rint Round Rsqrt Select SelectV2
    Sigmoid Sign Sin Softplus Sqrt Square SquaredDifference Sub Sum Tanh Unpack ZerosLike
""")
"""Operations that no input makes fail in any runtime; integer division and gathers may."""

# --- Rounding, see `backend.rounding` ------------------------------------------------------------

EXACT = _names("""
    Abs All Any ArgMax ArgMin Bitcast BroadcastTo Cast Ceil ClipByValue ConcatV2 Const
    EnsureShape Equal ExpandDims Fill Floor GatherV2 Greater GreaterEqual Identity IdentityN If
    IsFinite IsInf IsNan Less LessEqual Max Maximum Min Minimum Neg NextAfter NotEqual OneHot
    OnesLike Pack Pad PadV2 PartitionedCall Placeholder PreventGradient Range Relu Relu6
    ReluGrad Reshape ReverseV2 Rint Round Select SelectV2 Sign Slice Split SplitV Squeeze
    StatefulPartitionedCall StatelessIf StatelessWhile StopGradient StridedSlice
    StridedSliceGrad Tile Transpose Unpack While XlaDynamicSlice XlaDynamicUpdateSlice ZerosLike
""")
"""Operations that do not round."""

SUMS = _names("Add AddN AddV2 Sub Sum")
"""Operations that round in one way, if what they add has been rounded."""

FUNCTIONS = _names("""
    Atan Atan2 Cos Div DivNoNan Elu Exp Expm1 FloorDiv FloorMod Inv LeakyRelu Log Log1p Mean Mod
    Mul MulNoNan Pow Prod RealDiv Reciprocal ReciprocalGrad Rsqrt RsqrtGrad Selu Sigmoid
    SigmoidGrad Sin Softplus SoftplusGrad Softsign Sqrt SqrtGrad Square SquaredDifference Tanh
    TruncateDiv TruncateMod Xdivy Xlog1py Xlogy
""")
"""Operations that give the same bits everywhere if their results are rounded: XLA has them as one
operation, or as several of which none adds a product."""

ROUNDED_ONCE = EXACT | SUMS | FUNCTIONS
"""Operations whose results have the same bits everywhere if those of FUNCTIONS are rounded."""

# --- Derivatives ---------------------------------------------------------------------------------

FINITE_SLOPES = (EXACT | SUMS) - CALLED.keys()
"""Operations whose derivatives are finite whatever their arguments, infinities included."""
SMOOTH = FINITE_SLOPES | _names("LogicalAnd LogicalNot LogicalOr Mul Square")
"""Operations whose derivatives are finite if their arguments are."""

# --- Kernels of XLA on CPU -----------------------------------------------------------------------

FLOAT_REDUCTIONS = _names("Max Mean Min Sum")
"""Reductions of floats that XLA gives to a library where they are long."""

OUTLINABLE = (
    (CALLED.keys() - {"Case", "StatelessCase"})
    | {"XlaVariadicReduceV2"}
    | _names("""
    Abs Acos Acosh Add AddN AddV2 All Any ArgMax ArgMin Asin Asinh Atan Atan2 Atanh Bitcast
    BitwiseAnd BitwiseOr BitwiseXor BroadcastTo Cast Ceil ClipByValue ConcatV2 Const Cos Cosh
    Cumsum Digamma Div DivNoNan Elu EnsureShape Equal Erfc Erfinv Exp ExpandDims Expm1 Fill
    Floor FloorDiv FloorMod GatherV2 Greater GreaterEqual Identity IdentityN Inv Invert IsFinite
    IsInf IsNan L2Loss LeakyRelu LeftShift Less LessEqual Lgamma Log Log1p LogSoftmax LogicalAnd
    LogicalNot LogicalOr Max Maximum Mean Min Minimum Mod Mul MulNoNan Ndtri Neg NextAfter NoOp
    NotEqual OneHot OnesLike Pack Pad PadV2 Placeholder PopulationCount Pow PreventGradient Prod
    Range RealDiv Reciprocal ReciprocalGrad Relu Relu6 ReluGrad Reshape ReverseV2 RightShift
    Rint Round Rsqrt RsqrtGrad Select SelectV2 Selu Sigmoid SigmoidGrad Sign Sin Sinh Slice
    Softmax Softplus SoftplusGrad Softsign Split SplitV Sqrt SqrtGrad Square SquaredDifference
    Squeeze StopGradient StridedSlice StridedSliceGrad Sub Sum Tanh TanhGrad Tile Transpose
    TruncateDiv TruncateMod Unpack Xdivy XlaDynamicSlice XlaDynamicUpdateSlice Xlog1py Xlogy
    ZerosLike
""")
)
"""Operations that one kernel can have, see `backend.outlining`."""

NOT_IN_STABLEHLO = _names("Erf StatelessTruncatedNormal StatelessTruncatedNormalV2")
"""Operations that become one of XLA's that StableHLO does not have."""

# --- Cost ----------------------------------------------------------------------------------------

PRODUCTS = _names("BatchMatMulV2 BatchMatMulV3 Conv2D Conv3D Einsum MatMul")
ONE_INSTRUCTION = _names("Div Inv Mul RealDiv Reciprocal Sqrt Square")
"""Operations of one instruction of the processor; another function of fractions is a series."""
ELEMENT_READS = _names("GatherV2 Slice StridedSlice")
"""Operations that may take single elements of an array."""
