"""Parts of a graph that XLA compiles as one kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from pcbatch.backend import op_traits
from pcbatch.backend.outlining import inside, outlined
from pcbatch.backend.target import PORTABLE, XLA_CPU
from tests.support.tolerances import assert_close, rounding

RNG = np.random.default_rng(0)
X = RNG.normal(size=(6, 4)).astype(np.float32)
Y = RNG.uniform(0.1, 0.9, size=(6, 4)).astype(np.float32)
N = RNG.integers(-20, 20, size=(6, 4)).astype(np.int32)
D = np.where(N == 0, 7, N)

raw = tf.raw_ops
UNARY = (
    "Abs Neg Sign Exp Expm1 Square Reciprocal Inv Sin Cos Sinh Cosh Tanh Asinh Sigmoid Softplus "
    "Softsign Relu Relu6 Elu Selu LeakyRelu Floor Ceil Rint Round IsNan IsInf IsFinite Erfc "
    "Softmax LogSoftmax L2Loss Atan Log Log1p Sqrt Rsqrt Asin Acos Atanh Erfinv Ndtri Lgamma "
    "Digamma Acosh"
).split()
POSITIVE = {"Log", "Log1p", "Sqrt", "Rsqrt", "Asin", "Acos", "Atanh", "Erfinv", "Ndtri", "Lgamma",
            "Digamma", "Acosh"}  # fmt: skip
BINARY = (
    "AddV2 Sub Mul Div RealDiv Maximum Minimum SquaredDifference Atan2 Xdivy Xlogy Xlog1py "
    "MulNoNan DivNoNan Pow"
).split()
INTEGER = "FloorDiv FloorMod TruncateDiv TruncateMod Mod LeftShift RightShift BitwiseXor".split()
COMPARE = "Equal NotEqual Less LessEqual Greater GreaterEqual".split()
GRADIENT = "ReluGrad SigmoidGrad TanhGrad SqrtGrad RsqrtGrad ReciprocalGrad SoftplusGrad".split()
REDUCE = "Sum Prod Max Min Mean".split()

KERNEL = rounding("float32", 4)
"""Of an operation: a function from another library, or a sum of four numbers in another order."""


def _first_argument(name: str) -> str:
    return next(iter(getattr(raw, name).__signature__.parameters))


def _unary(name: str) -> Callable[..., Any]:
    def call(x: tf.Tensor, y: tf.Tensor, n: tf.Tensor, d: tf.Tensor) -> tf.Tensor:
        value = y + 1.0 if name == "Acosh" else y if name in POSITIVE else x
        return getattr(raw, name)(**{_first_argument(name): value})

    return call


def _gradients(x: tf.Tensor, y: tf.Tensor, n: tf.Tensor, d: tf.Tensor) -> list[tf.Tensor]:
    made = [
        getattr(raw, name)(
            **dict(zip(getattr(raw, name).__signature__.parameters, (y, x), strict=False))
        )
        for name in GRADIENT
    ]
    part = raw.StridedSliceGrad(shape=[6, 4], begin=[1, 0], end=[5, 4], strides=[2, 1], dy=y[:2])
    return [*made, part]


def _moves(x: tf.Tensor, y: tf.Tensor, n: tf.Tensor, d: tf.Tensor) -> list[tf.Tensor]:
    rows = tf.constant([3, 1, 5])
    return [
        tf.reshape(x, [4, 6]), x[:, None], tf.squeeze(x[:1]), tf.broadcast_to(x[:1], [6, 4]),
        tf.tile(x, [2, 1]), tf.transpose(x), tf.concat([x, y], 1), tf.stack([x, y]),
        *tf.unstack(x, axis=1), tf.slice(x, [1, 1], [2, 3]), x[1:5:2], x[n[0, 0] % 6],
        *tf.split(x, 2), *tf.split(x, [1, 3], 1), tf.pad(x, [[1, 0], [0, 2]]),
        tf.pad(x, [[1, 0], [0, 2]], constant_values=3.0), tf.fill([3], x[0, 0]),
        tf.zeros_like(x) + tf.ones_like(x), tf.range(7), tf.reverse(x, [0]), tf.gather(x, rows),
        tf.gather(x, rows % 4, axis=1), tf.one_hot(rows, 6), tf.stop_gradient(x),
        tf.cast(x, tf.int64), tf.bitcast(x, tf.int32), tf.where(x > 0, x, y), tf.add_n([x, y, x]),
        tf.clip_by_value(x, -0.5, 0.5), raw.PopulationCount(x=n), tf.bitwise.invert(n),
        tf.identity_n([x, y])[1], tf.where(x[0, 0] > 0, x, y), tf.logical_not(x > 0),
        tf.logical_and(x > 0, y > 0) | (x > 1), n & d, n | d, tf.ensure_shape(x, [6, 4]),
        raw.Select(condition=x > 0, x=x, y=y), raw.PreventGradient(input=x),
        raw.NextAfter(x1=x, x2=y), raw.Add(x=x, y=y), raw.ExpandDims(input=x, axis=1),
        raw.ClipByValue(t=x, clip_value_min=0.0, clip_value_max=1.0), raw.OnesLike(x=x),
        raw.ZerosLike(x=x),
    ]  # fmt: skip


def _reductions(x: tf.Tensor, y: tf.Tensor, n: tf.Tensor, d: tf.Tensor) -> list[tf.Tensor]:
    made = [getattr(raw, name)(input=v, axis=a) for name in REDUCE for v in (x, n) for a in (0, 1)]
    masks = [f(x > 0, axis) for f in (tf.reduce_any, tf.reduce_all) for axis in (0, None)]
    arguments = [tf.argmax(x, 1), tf.argmin(x, 0)]
    return [*made, *masks, *arguments, tf.cumsum(x, 1), tf.cumsum(n, 0, exclusive=True)]


def _control(x: tf.Tensor, y: tf.Tensor, n: tf.Tensor, d: tf.Tensor) -> list[tf.Tensor]:
    turns, total = tf.while_loop(
        lambda i, s: i < n[0, 0] % 5 + 1, lambda i, s: (i + 1, s * y + x), (tf.constant(0), x)
    )
    chosen = tf.cond(x[0, 0] > y[0, 0], lambda: tf.sin(x), lambda: y)
    called = tf.function(lambda v: tf.exp(v) + 1.0, autograph=False)(x)
    return [turns, total, chosen, called]


GROUPS: dict[str, Callable[..., Any]] = {
    "unary": lambda *a: [_unary(name)(*a) for name in UNARY],
    "binary": lambda x, y, n, d: [getattr(raw, f)(x=y, y=y + 1.0) for f in BINARY],
    "integer": lambda x, y, n, d: [getattr(raw, f)(x=tf.abs(n) % 9, y=tf.abs(d)) for f in INTEGER],
    "compare": lambda x, y, n, d: [getattr(raw, f)(x=n, y=d) for f in COMPARE],
    "gradients": _gradients,
    "moves": _moves,
    "reductions": _reductions,
    "control": _control,
}


def _kernels(function: Any, *args: Any) -> str:
    return function.experimental_get_compiler_ir(*args)(stage="optimized_hlo")


def _pair(fn: Callable[..., Any], *args: Any) -> tuple[Any, Any, str]:
    """The results of a function as it is and as one kernel, and the latter's compiled program."""

    def alone(*given: Any) -> Any:
        return outlined(lambda _, *rest: tuple(fn(*rest)), tuple(like), *given)

    like = tf.function(lambda *given: tuple(fn(*given)), jit_compile=True, autograph=False)(*args)
    function = tf.function(alone, jit_compile=True, autograph=False)
    return like, function(*args), _kernels(function, *args)


@pytest.mark.every(9)
@pytest.mark.parametrize("group", GROUPS)
def test_elementary_operations_give_the_same_results(group: str) -> None:
    args = tuple(map(tf.constant, (X, Y, N, D)))
    expected, actual, compiled = _pair(GROUPS[group], *args)
    assert 'xla_cpu_small_call="true"' in compiled
    for a, b in zip(expected, actual, strict=True):
        assert_close(a.numpy(), b.numpy(), KERNEL)


def test_the_groups_cover_what_is_called_elementary() -> None:
    found = set()
    for fn in GROUPS.values():
        graph = tf.function(fn, autograph=False).get_concrete_function(X, Y, N, D).graph
        found |= {op.type for op in graph.get_operations()}
        library = graph.as_graph_def().library.function
        found |= {node.op for function in library for node in function.node_def}
    # Twins of operations that have no state, what scatters (below), what is not there to be seen,
    # and what passes of compacted buckets are (`tests/vm/test_compaction.py`).
    others = {"While", "If", "StatefulPartitionedCall", "XlaDynamicSlice", "XlaDynamicUpdateSlice"}
    others |= {"XlaVariadicReduceV2"}
    assert op_traits.OUTLINABLE - found <= others | {"NoOp", "ZerosLike"}


@pytest.mark.parametrize("kind", ["float64", "bfloat16", "complex64", "int8", "uint64"])
def test_other_dtypes(kind: str) -> None:
    def fn(a: tf.Tensor, b: tf.Tensor) -> list[tf.Tensor]:
        return [a + b, a * b, -a if kind != "uint64" else a, tf.reduce_sum(a, 0), tf.equal(a, b)]

    a, b = tf.cast(np.abs(N), kind), tf.cast(np.abs(D), kind)
    expected, actual, compiled = _pair(fn, a, b)
    assert 'xla_cpu_small_call="true"' in compiled
    for p, q in zip(expected, actual, strict=True):
        assert tf.reduce_all(tf.equal(p, q))


def _used(x: tf.Tensor, y: tf.Tensor) -> list[tf.Tensor]:
    return [x + 1.0]


def _simplified(x: tf.Tensor, y: tf.Tensor) -> list[tf.Tensor]:
    return [
        tf.where(tf.zeros([6, 4], tf.bool), y, x),
        tf.reduce_sum(0.0 * tf.cast(y > y, tf.float32)),
    ]


def _constant(x: tf.Tensor, y: tf.Tensor) -> list[tf.Tensor]:
    return [tf.ones([3]), tf.zeros([6, 4])]


def _through(x: tf.Tensor, y: tf.Tensor) -> list[tf.Tensor]:
    return [y, x, x]


def _captured(x: tf.Tensor, y: tf.Tensor) -> list[tf.Tensor]:
    return [x + tf.gather(CAPTURED, [0, 1, 2, 3, 4, 5]), tf.gather(tf.constant(LARGE), [5, 70_000])]


CAPTURED = tf.constant(Y)
LARGE = np.arange(100_000, dtype=np.float32)


@pytest.mark.parametrize("fn", [_used, _simplified, _constant, _through, _captured])
@pytest.mark.parametrize("looped", [False, True])
def test_arguments_may_be_useless(fn: Callable[..., Any], looped: bool) -> None:
    """XLA aborts the process where a kernel does not use an argument."""
    empty = tf.zeros([0, 3])

    def part(x: tf.Tensor, y: tf.Tensor, _: tf.Tensor) -> Any:
        return fn(x, y)

    def often(x: tf.Tensor, y: tf.Tensor, empty: tf.Tensor) -> Any:
        def turn(i: tf.Tensor, *_: Any) -> Any:
            like = tuple(fn(x, y))
            kernel = outlined(lambda _, *rest: tuple(part(*rest)), like, x, y, empty)
            return i + 1, kernel

        return tf.while_loop(lambda i, *_: i < 2, turn, (tf.constant(0), tuple(fn(x, y))))[1]

    x, y = tf.constant(X), tf.constant(Y)
    if looped:
        actual = tf.function(often, jit_compile=True, autograph=False)(x, y, empty)
        expected = fn(x, y)
    else:
        expected, actual, _ = _pair(part, x, y, empty)
    for p, q in zip(expected, actual, strict=True):
        np.testing.assert_array_equal(p.numpy(), q.numpy())


@pytest.mark.parametrize("known", [False, True])
def test_scattering_rows(known: bool) -> None:
    """The rows of several areas; one that does not exist is left out."""
    areas = np.zeros([9], np.int32), np.ones([9, 3], np.float32), np.zeros([9, 2, 2], bool)
    row = np.array([7, 2, 5, 9, 12], np.int32)
    values = np.arange(5, dtype=np.int32), RNG.normal(size=(5, 3)), np.ones([5, 2, 2], bool)
    values = values[0], values[1].astype(np.float32), values[2]
    expected = [area.copy() for area in areas]
    for area, new in zip(expected, values, strict=True):
        area[row[:3]] = new[:3]

    def write(*given: tf.Tensor) -> list[tf.Tensor]:
        *areas, row, first, second, third, count = given
        assert inside()
        values = [first, second, third]
        return XLA_CPU.write_rows(areas, row, values, count if known else None)

    def kernel(*given: tf.Tensor) -> Any:
        carried, rest = given[:3], given[3:]
        return outlined(lambda c, *rest: tuple(write(*c, *rest)), carried, *rest)

    given = [*map(tf.constant, (*areas, row, *values, np.int32(3)))]
    function = tf.function(kernel, jit_compile=True, autograph=False)
    for a, b in zip(expected, function(*given), strict=True):
        np.testing.assert_array_equal(a, b.numpy())
    assert not inside()
    for target in (PORTABLE, XLA_CPU):
        plain = tf.function(target.write_rows, jit_compile=True)
        (written,) = plain([given[1]], given[3], [given[5]])
        np.testing.assert_array_equal(written.numpy(), expected[1])


def test_products_stay_as_they_are() -> None:
    """A kernel of its own would not have XLA's fast matrix products."""
    expected, actual, compiled = _pair(lambda x, y: [tf.matmul(x, y, transpose_b=True)], X, Y)
    assert "xla_cpu_small_call" not in compiled
    assert_close(expected[0].numpy(), actual[0].numpy(), KERNEL)


def test_it_need_not_be_known_how_many_floats_are_reduced() -> None:
    """A library may make such a reduction, and has no kernels."""

    def grow(x: tf.Tensor, _: tf.Tensor) -> list[tf.Tensor]:
        shapes = tf.TensorShape([]), tf.TensorShape([None, 4])
        body = lambda i, rows: (i + 1, tf.concat([rows, x], 0)[-6:])  # noqa: E731
        _, rows = tf.while_loop(lambda i, _: i < 3, body, (tf.constant(0), x), shapes)
        return [tf.reduce_max(rows, 0)]

    expected, actual, _ = _pair(grow, X, Y)
    np.testing.assert_array_equal(expected[0].numpy(), actual[0].numpy())


def test_gradients_are_taken_inside() -> None:
    """A part is traced where no outer tape is, but its own tapes work."""

    def fn(x: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = tf.reduce_sum(tf.sin(x) * x)
        return [tape.gradient(value, x)]

    expected, actual, compiled = _pair(fn, tf.constant(X))
    assert 'xla_cpu_small_call="true"' in compiled
    np.testing.assert_array_equal(expected[0].numpy(), actual[0].numpy())
