"""Functions that are written in JAX, in programs, under tapes, and vectorized."""

from __future__ import annotations

import functools
import importlib.util
import math

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.support.tolerances import Tolerance, assert_close

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None, reason="JAX is not installed (extra 'jax')"
)
FLOATS = Tolerance(1e-5, 1e-6)
"""A dozen operations in float32, some of which XLA and JAX's XLA round differently."""
TABLE = tf.constant([1.0, 2.0, 3.0, 4.0])
RANDOM = np.random.default_rng(0)
X, S = RANDOM.normal(size=(4, 3)).astype(np.float32), np.float32([0.1, 0.2, 0.3, 0.4])
N = np.array([0, 1, 3, 2], np.int32)


def in_jax(point, table):
    """Composites of StableHLO (erf, sinh), a structure, a table that all members share."""
    import jax
    import jax.numpy as jnp

    weights = table[: point["x"].shape[0]]
    return jnp.sum(jax.scipy.special.erf(point["x"]) * weights) + jnp.sinh(point["s"])


energy = pcbatch.from_jax(in_jax)


@pcbatch.autobatch
def halved(x, s, n):
    total = 0.0
    while n > 0:
        total += energy({"x": x, "s": s}, TABLE)
        s = s * 0.5
        n -= 1
    return total


def by_hand() -> np.ndarray:
    """`halved` in NumPy."""
    found = []
    for x, s, n in zip(X, S, N, strict=True):
        erf = sum(math.erf(a) * w for a, w in zip(x, (1, 2, 3), strict=True))
        found.append(sum(erf + math.sinh(s * 0.5**i) for i in range(n)))
    return np.float32(found)


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"schedule": "switch"},
        {"shards": 2},
        {"jit": False},
        {"strategy": "local"},
        {"strategy": "hybrid"},
        {"strategy": "loop"},
    ],
    ids=str,
)
def test_it_is_a_part_of_a_program(how) -> None:
    assert_close(halved.run(X, S, N, **how).value, by_hand(), FLOATS)


def slopes() -> tuple[np.ndarray, np.ndarray]:
    """The derivatives of `by_hand`."""
    of_erf = 2.0 / np.sqrt(np.pi) * np.exp(-np.square(X)) * [1.0, 2.0, 3.0]
    of_s = [sum(0.5**i * math.cosh(s * 0.5**i) for i in range(n)) for s, n in zip(S, N)]
    return np.float32(N[:, None] * of_erf), np.float32(of_s)


@pytest.mark.thorough
def test_its_gradient_is_that_of_jax() -> None:
    """In the machine, and under a tape around it."""
    found = pcbatch.grad(halved, argnums=(0, 1))(X, S, N)
    with tf.GradientTape() as tape:
        x, s = tf.constant(X), tf.constant(S)
        tape.watch([x, s])
        y = halved(x, s, N)
    for ours, wanted in zip((*found, *tape.gradient(y, [x, s])), slopes() * 2, strict=True):
        assert_close(ours, wanted, FLOATS)


def test_slopes_have_slopes() -> None:
    """By a tape in a tape, and by `grad` of `grad`."""
    import jax.numpy as jnp

    cubed = pcbatch.from_jax(lambda x: jnp.sum(x**3))
    x = tf.constant(X[0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cubed(x)
        slope = inner.gradient(y, x)
    assert_close(outer.gradient(slope, x), 6 * X[0], FLOATS)

    @pcbatch.autobatch
    def repeated(x, n):
        total = 0.0
        while n > 0:
            total += cubed(x)
            n -= 1
        return total

    slope_of = pcbatch.grad(repeated)

    @pcbatch.autobatch
    def slopes_together(x, n):
        return tf.reduce_sum(slope_of(x, n))

    assert_close(pcbatch.grad(slopes_together)(X, N), 6 * N[:, None] * X, FLOATS)


def test_complex_numbers_have_no_slopes() -> None:
    import jax.numpy as jnp

    turned = pcbatch.from_jax(lambda z: jnp.real(z * 1j))
    z = tf.constant([1.0 + 2.0j])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = turned(z)
    np.testing.assert_array_equal(y, [-2.0])
    with pytest.raises(pcbatch.PcbatchError, match="complex"):
        tape.gradient(y, z)


def test_it_is_vectorized_with_what_members_share() -> None:
    rows = pcbatch.vectorize(lambda x, s: energy({"x": x, "s": s}, TABLE))(X, S)
    assert_close(rows, [energy({"x": x, "s": s}, TABLE) for x, s in zip(X, S)], FLOATS)


def test_wide_numbers_stay_wide() -> None:
    double = pcbatch.from_jax(lambda x, k: (x * 2, k + 1))
    x, k = double(tf.constant(1.0 / 3.0, tf.float64), tf.constant(2**40, tf.int64))
    assert (x.dtype, k.dtype) == (tf.float64, tf.int64)
    assert float(x) == 2.0 / 3.0 and int(k) == 2**40 + 1


def test_functions_that_are_composites_are_read() -> None:
    """With their slopes; of some JAX asks for another accuracy than usual."""
    import jax
    import jax.numpy as jnp

    def many(x):
        normal = jax.scipy.stats.norm.logcdf(x) + jax.scipy.special.erfinv(jnp.tanh(x))
        angles = jnp.arcsinh(x) + jnp.arctanh(0.5 * jnp.tanh(x)) + jnp.sinh(x)
        return jnp.sum(normal + angles) + jnp.sum(jax.lax.top_k(x, 2)[0] ** 2)

    x = tf.constant(X[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = pcbatch.from_jax(many)(x)
    assert_close(y, many(X[0]), FLOATS)
    assert_close(tape.gradient(y, x), jax.grad(many)(X[0]), FLOATS)


@pytest.mark.parametrize("name", ["cholesky", "eigvalsh", "qr"])
def test_decompositions_are_xlas_own(name: str) -> None:
    import jax.numpy as jnp

    def decomposed(x):
        found = getattr(jnp.linalg, name)(jnp.eye(3) * 2.0 + 0.1 * x[:, None] * x)
        return found if name != "qr" else jnp.abs(found[1])

    ours = pcbatch.vectorize(pcbatch.from_jax(decomposed))(X)
    assert_close(ours, np.stack([decomposed(x) for x in X]), FLOATS)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "bool", "complex64"])
def test_an_array_that_is_filled_after_it_is_made(dtype: str) -> None:
    """`jnp.empty` of JAX 0.12 is a call by name."""
    import jax.numpy as jnp

    def filled(x):
        return jnp.empty((2, *x.shape), x.dtype).at[:].set(x), jnp.empty((), x.dtype) * False

    x = tf.cast([0, 1, 3], dtype)
    found, nothing = pcbatch.from_jax(filled)(x)
    np.testing.assert_array_equal(found, np.stack([x, x]))
    assert nothing.shape == ()


def test_what_xla_cannot_decompose_is_refused() -> None:
    import jax.numpy as jnp

    def log_det(x):
        return jnp.linalg.slogdet(x)[1]

    with pytest.raises(pcbatch.PcbatchError, match=r"log_det .*LuDecomposition(.|\n)*cholesky"):
        pcbatch.from_jax(log_det)(tf.eye(3))


def test_what_it_returns_may_depend_on_the_form_of_its_arguments() -> None:
    """The structure, by the shape; a later call with the first shape has the first again."""
    parts = pcbatch.from_jax(lambda x: x * 2 if x.shape[0] < 3 else {"sum": x.sum(), "all": x})
    for _ in range(2):
        np.testing.assert_array_equal(parts(tf.ones([2])), [2, 2])
        assert float(parts(tf.ones([3]))["sum"]) == 3.0


def test_any_callable_and_named_arguments() -> None:
    power = pcbatch.from_jax(functools.partial(lambda k, x, by: x**k + by, 2))
    assert float(power(3.0, by=1.0)) == 10.0


def test_a_shape_that_is_not_known_is_refused() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])], autograph=False)
    def some(x):
        return pcbatch.from_jax(lambda x: x * 2)(x)

    with pytest.raises(pcbatch.ArgumentError, match=r"every size(.|\n)*ensure_shape"):
        some(tf.ones([2]))


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(pcbatch.ArgumentError, match=r"in_jax: .*object"):
        energy({"x": object(), "s": 1.0}, TABLE)


def test_what_it_costs_is_known() -> None:
    """So that a block with much work is one on which members wait for each other."""
    import jax.numpy as jnp

    table = np.ones([500, 100], np.float32)
    heavy = pcbatch.from_jax(lambda x: jnp.sum(jnp.tanh(table @ x)))

    @pcbatch.autobatch
    def often(x, n):
        while n > 0:
            x = x + 1e-3 * heavy(x)
            n -= 1
        return x

    lowered = often.lower(tf.TensorSpec([4, 100]), tf.TensorSpec([4], tf.int32))
    costs = [code.cost for code in lowered.compile(jit=False).machine.context.codes]
    assert max(costs) > 2 * table.size
