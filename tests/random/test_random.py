"""`pcbatch.random`: published vectors, equal bits everywhere, exact quantiles, distributions.

Seeds are fixed, so a statistical test here passes or fails for good. Each states its false-fail
rate, the chance that a right generator would fail it for a seed chosen at random, and what it can
detect.
`PCBATCH_STRESS=1` repeats the tests of equal bits on a hundred times as many numbers.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
from scipy import special, stats

import pcbatch
from pcbatch import random
from pcbatch.errors import ArgumentError
from pcbatch.random import continuous, threefry
from pcbatch.random.uniform import _next_below
from tests.support.extent import LARGE

FALSE_FAIL = 1e-6
REPEATS = 100 if LARGE else 1
# Errors relative to the exact quantile. float32: the fit and half a unit in the last place.
# float64: the fit and some 30 roundings, of this code and of the reference.
QUANTILE_ERROR = {"float32": 2.0**-27 + 2.0**-24, "float64": 2.0**-48}

U32 = 0xFFFFFFFF


def words(*values: int) -> tf.Tensor:
    return tf.constant(values, tf.uint32)


def draw_everything(key: tf.Tensor) -> tuple[tf.Tensor, ...]:
    """Call every public function once, for one example."""
    keys = random.split(key, 14)
    return (
        keys,
        random.fold_in(key, 7),
        random.fold_in(keys[0], tf.cast(key[1] % 1000, tf.int32)),
        random.key(tf.cast(key[1], tf.int64)),
        random.bits(keys[1], (3,)),
        random.bits(keys[2], (2, 2), tf.uint64),
        random.uniform(keys[3]),
        random.uniform(keys[4], (5,), tf.float64),
        random.uniform(keys[5], (5,), tf.float32, -2.3, 1.7),
        random.uniform(keys[6], (5,), tf.float64, tf.constant(-0.1, tf.float64), 1e6),
        random.bernoulli(keys[7], 0.3, (4,)),
        random.randint(keys[8], (5,), -3, 9),
        random.randint(keys[9], (5,), -(2**40), 2**62, tf.int64),
        random.normal(keys[10], (3,)),
        random.normal(keys[11], (3,), tf.float64),
        random.exponential(keys[12], (3,)),
        random.exponential(keys[13], (3,), tf.float64),
    )


def vectorized(function, jit: bool):
    """Run a single-example function on a batch in the way of the machine."""
    return tf.function(
        pcbatch.vectorize(function, strict=True),
        jit_compile=jit,
        autograph=False,
    )


def assert_same_bits(actual, expected) -> None:
    for a, e in zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True):
        assert a.dtype == e.dtype
        np.testing.assert_array_equal(np.asarray(a), np.asarray(e))


# --- Graphs -----------------------------------------------------------------------------------


def test_a_draw_is_one_operation_of_a_graph_for_one_member_and_for_a_batch():
    def three(key):
        return random.bits(key, (3,))

    keys = random.split(random.key(0), 5)
    by_hand = tf.stack([three(key) for key in tf.unstack(keys)])
    for function, argument in ((three, keys[0]), (pcbatch.vectorize(three), keys)):
        traced = tf.function(function, autograph=False).get_concrete_function(argument)
        types = [op.type for op in traced.graph.get_operations()]
        assert types.count("PartitionedCall") == 1
        assert "RightShift" not in types
        assert_same_bits(traced(argument), by_hand[0] if argument.shape.rank == 1 else by_hand)


def test_what_threefry_costs_is_known():
    @pcbatch.autobatch
    def draw(key):
        return random.bits(key, (50,))

    compiled = draw.lower(tf.TensorSpec([4, 2], tf.uint32)).compile(jit=False)
    (block,) = compiled.machine.context.codes
    assert 20 * 4 * 50 < block.profile.flops < 20 * 8 * 50


# --- Published values --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "counter", "expected"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((U32, U32), (U32, U32), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_threefry_gives_the_known_answers_of_random123(key, counter, expected):
    for make in (words, lambda word: np.array([word], np.uint32)):
        result = threefry.threefry2x32(tuple(map(make, key)), tuple(map(make, counter)))
        assert tuple(int(word[0]) for word in result) == expected


def test_keys_bits_and_uniforms_are_those_of_jax():
    """Values printed by jax 0.10.2 for `jax.random.key(42)`."""
    key = random.key(42)
    split = [[1832780943, 270669613], [64467757, 2916123636], [2465931498, 255383827]]
    assert random.split(key, 3).numpy().tolist() == split
    assert random.fold_in(key, 7).numpy().tolist() == [2547012911, 1371500959]
    assert random.bits(key, (3,)).numpy().tolist() == [2098992034, 2919706841, 2646866425]
    assert random.bits(key, (2,), tf.uint64).numpy().tolist() == [
        7871734211187709741,
        276886910877598708,
    ]
    assert [float(x).hex() for x in random.uniform(key, (3,))] == [
        "0x1.f470480000000p-2",
        "0x1.5c0e600000000p-1",
        "0x1.3b87f00000000p-1",
    ]
    assert [float(x).hex() for x in random.uniform(key, (2,), tf.float64)] == [
        "0x1.b4f8123c40884p-2",
        "0x1.ebd996d6e8400p-7",
    ]


@pytest.mark.parametrize("seed", [0, 5, 2**31 - 1, -1, 2**33 + 5, -(2**40)])
def test_a_key_holds_the_seed_as_two_words_whatever_its_type(seed):
    expected = [(seed >> 32) & U32, seed & U32]
    assert random.key(seed).numpy().tolist() == expected
    assert random.key(tf.constant(seed, tf.int64)).numpy().tolist() == expected
    if abs(seed) < 2**31:
        assert random.key(tf.constant(seed, tf.int32)).numpy().tolist() == expected
        assert random.key(np.int32(seed)).numpy().tolist() == expected


@pytest.mark.parametrize("data", [0, 3, 2**31 - 1, -1])
def test_fold_in_depends_on_the_integer_and_not_on_its_type(data):
    key = random.key(1)
    expected = random.fold_in(key, data)
    assert_same_bits(random.fold_in(key, tf.constant(data, tf.int32)), expected)
    assert_same_bits(random.fold_in(key, tf.constant(data, tf.int64)), expected)
    assert_same_bits(random.fold_in(key, np.int64(data)), expected)


# --- The same bits everywhere ------------------------------------------------------------------


@pytest.mark.every(2)
@pytest.mark.parametrize("jit", [False, True], ids=["graph", "xla"])
def test_every_draw_has_the_bits_of_eager_mode(jit):
    keys = random.split(random.key(3), 37)
    expected = tf.nest.map_structure(
        lambda *members: np.stack(members), *(draw_everything(key) for key in keys)
    )
    assert_same_bits(vectorized(draw_everything, jit)(keys), expected)
    single = tf.function(draw_everything, jit_compile=jit, autograph=False)
    for member in (0, 36):
        one = tf.nest.map_structure(lambda values, i=member: values[i], expected)
        assert_same_bits(single(keys[member]), one)


@pytest.mark.thorough
def test_a_member_does_not_depend_on_the_batch():
    keys = random.split(random.key(4), 101)
    run = vectorized(draw_everything, jit=True)
    whole = run(keys)
    order = np.random.default_rng(0).permutation(101)
    permuted = run(tf.gather(keys, order))
    alone = run(keys[57:58])
    assert_same_bits(permuted, tf.nest.map_structure(lambda x: tf.gather(x, order), whole))
    assert_same_bits(alone, tf.nest.map_structure(lambda x: x[57:58], whole))


@pytest.mark.every(6)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("draw", [random.normal, random.exponential], ids=["normal", "exponential"])
def test_a_million_real_numbers_have_the_same_bits_everywhere(draw, dtype):
    def members(key):
        return draw(key, (1009,), dtype)

    compiled, graph = vectorized(members, jit=True), vectorized(members, jit=False)
    for repeat in range(REPEATS):
        keys = random.split(random.fold_in(random.key(5), repeat), 1000)
        expected = np.stack([members(key).numpy() for key in keys])
        np.testing.assert_array_equal(compiled(keys).numpy(), expected)
        np.testing.assert_array_equal(graph(keys).numpy(), expected)


def test_element_i_does_not_depend_on_the_size_of_the_draw():
    key = random.key(6)
    for draw in (random.bits, random.uniform, random.normal, random.exponential):
        np.testing.assert_array_equal(draw(key, (5,)), draw(key, (3, 4)).numpy().ravel()[:5])
    np.testing.assert_array_equal(random.split(key, 2), random.split(key, 5)[:2])


def test_stateless_draws_of_tensorflow_work_with_a_seed_per_member():
    """Their values differ between eager mode and XLA, but members do not influence each other."""

    def members(seed):
        return tf.random.stateless_normal([3], seed), tf.random.stateless_uniform([2], seed)

    @tf.function(jit_compile=True, autograph=False)
    def batch(seeds):
        return tf.vectorized_map(members, seeds, warn=False)

    seeds = tf.constant([[1, 2], [3, 4], [1, 2], [5, 6]])
    result = batch(seeds)
    alone = tf.function(members, jit_compile=True, autograph=False)
    for member in range(4):
        one = tf.nest.map_structure(lambda values, i=member: values[i], result)
        assert_same_bits(one, alone(seeds[member]))


# --- Accuracy ----------------------------------------------------------------------------------


def grid() -> tuple[np.ndarray, np.ndarray]:
    """K and h over everything that can occur, ends included."""
    ends = 2.0 ** -np.arange(1, 54)
    inner = np.linspace(0, 1, 2001)[1:-1]
    fractions = np.concatenate([ends, inner, 1 - ends])
    zeros, fraction = np.meshgrid(np.arange(33.0), fractions, indexing="ij")
    return zeros.ravel(), fraction.ravel()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_normal_is_the_exact_quantile(dtype):
    zeros, fraction = grid()
    fit = continuous.FITS[tf.as_dtype(dtype)]
    scaled = continuous.scaled_exponential(zeros, fraction, fit)
    z = continuous.half_normal(scaled, fit).astype(dtype).astype(np.float64)
    exact = half_normal_quantile(zeros, fraction)
    assert z.max() > 6.2
    assert np.abs(z / exact - 1).max() < QUANTILE_ERROR[dtype]


def half_normal_quantile(zeros: np.ndarray, fraction: np.ndarray) -> np.ndarray:
    """Solve erfc(z / sqrt 2) = U in the well-conditioned of two forms."""
    upper = 2.0**-zeros * (1 - fraction / 2)
    lower = fraction / 2
    with np.errstate(invalid="ignore"):
        near_zero = math.sqrt(2) * special.erfinv(lower)
    return np.where(zeros == 0, near_zero, -special.ndtri(upper / 2))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_exponential_is_the_exact_quantile(dtype):
    zeros, fraction = grid()
    fit = continuous.FITS[tf.as_dtype(dtype)]
    scaled = continuous.scaled_exponential(zeros, fraction, fit)
    value = (scaled / continuous.SCALE).astype(dtype).astype(np.float64)
    exact = zeros * math.log(2) - np.log1p(-fraction / 2)
    assert np.abs(value / exact - 1).max() < QUANTILE_ERROR[dtype]


def test_the_pieces_of_a_number_come_from_its_words():
    """K, h and the sign of draws, against the words and Python's integers."""
    key, num = random.key(8), 500
    first, second = (word.tolist() for word in threefry.blocks(key, num))
    zeros, fraction, sign = continuous.pieces(key, num, tf.float32)
    expected = [(w & -w).bit_length() - 1 for w in first]
    assert zeros.tolist() == expected
    assert fraction.tolist() == [((w >> 1) + 0.5) / 2**31 for w in second]
    assert sign.tolist() == [1 - 2 * (w & 1) for w in second]
    third = threefry.blocks(key, num, stream=1)[0].tolist()
    zeros, fraction, sign = continuous.pieces(key, num, tf.float64)
    assert zeros.tolist() == [(w & -w).bit_length() - 1 for w in third]
    mantissas = [(a >> 1 << 21) + (b >> 11) for a, b in zip(first, second, strict=True)]
    assert fraction.tolist() == [(m + 0.5) / 2**52 for m in mantissas]
    assert sign.tolist() == [1 - 2 * (w & 1) for w in second]


@pytest.mark.parametrize("word", [0, 1, 2, 12, 2**31, U32, 0xFFFF0000, 0x00800000])
def test_trailing_zeros_of_single_words(word):
    expected = (word & -word).bit_length() - 1 if word else 32
    assert int(continuous._trailing_zeros(words(word))[0]) == expected
    assert int(continuous._trailing_zeros(np.array([word], np.uint32))[0]) == expected


# --- Distributions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("draw", "cdf"),
    [
        (random.uniform, stats.uniform.cdf),
        (random.normal, stats.norm.cdf),
        (random.exponential, stats.expon.cdf),
    ],
    ids=["uniform", "normal", "exponential"],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_kolmogorov_smirnov(draw, cdf, dtype):
    """False-fail rate 1e-6; detects a shift of the distribution function by 0.0028 or more."""
    sample = draw(random.key(9), (1_000_000,), dtype).numpy().astype(np.float64)
    assert stats.kstest(sample, cdf).pvalue > FALSE_FAIL


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_moments_of_the_normal(dtype):
    """Four moments of 10**6 draws; a false-fail rate of 1e-6 each; detects 0.5% in the variance."""
    z = random.normal(random.key(10), (1_000_000,), dtype).numpy().astype(np.float64)
    bound = stats.norm.isf(FALSE_FAIL / 2) / math.sqrt(z.size)
    # The variance of z**k is (2k-1)!! less the square of the mean.
    for power, mean, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs((z**power).mean() - mean) < bound * math.sqrt(variance), power


def test_members_of_a_batch_are_independent():
    """Neighbouring keys, and words of one key; false-fail rate 1e-6; detects a correlation of 0.5%.

    Keys that differ in one bit are the hard case for a weak generator.
    """
    neighbours = tf.stack([words(0, i) for i in range(1000)])
    z = vectorized(lambda key: random.normal(key, (1000,)), jit=True)(neighbours).numpy()
    bound = stats.norm.isf(FALSE_FAIL / 2) / math.sqrt(z.size)
    assert abs((z[1:] * z[:-1]).mean()) < bound
    assert abs((z[:, 1:] * z[:, :-1]).mean()) < bound
    assert abs((z**2 - 1)[1:] * (z**2 - 1)[:-1]).mean() < 4
    assert abs(((z[1:] ** 2 - 1) * (z[:-1] ** 2 - 1)).mean()) < 2 * bound


def test_bits_of_words_are_balanced():
    """Each of 32 and 64 bit positions; false-fail rate 1e-6 in all; detects a bias of 0.3%."""
    for dtype, width in ((tf.uint32, 32), (tf.uint64, 64)):
        sample = random.bits(random.key(11), (1_000_000,), dtype).numpy()
        ones = np.array(
            [int((sample >> np.array(i, sample.dtype) & 1).sum()) for i in range(width)]
        )
        bound = stats.norm.isf(FALSE_FAIL / 2 / width) * math.sqrt(sample.size / 4)
        assert np.abs(ones - sample.size / 2).max() < bound


@pytest.mark.parametrize(("low", "high"), [(0, 7), (-3, 10), (5, 6)])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_randint_is_uniform_on_its_range(low, high, dtype):
    """Chi-squared over the values; false-fail rate 1e-6."""
    sample = random.randint(random.key(12), (100_000,), low, high, dtype).numpy()
    counts = np.bincount(sample - low, minlength=high - low)
    assert counts.size == high - low
    assert high - low == 1 or stats.chisquare(counts).pvalue > FALSE_FAIL


def test_randint_covers_the_widest_ranges():
    whole = random.randint(random.key(13), (1000,), -(2**63), 2**63 - 1, tf.int64).numpy()
    assert whole.min() < -(2**62) and whole.max() > 2**62
    assert random.randint(random.key(13), (3,), 4, 4).numpy().tolist() == [4, 4, 4]


def test_randint_of_one_number_needs_no_shape():
    key = random.key(14)
    expected = random.randint(key, (), 0, 6)
    for drawn in (random.randint(key, maxval=6), random.randint(key, minval=0, maxval=6)):
        assert drawn.shape == () and int(drawn) == int(expected)


@pytest.mark.parametrize("p", [0.0, 0.25, 0.5, 1.0])
def test_bernoulli_has_its_probability(p):
    """Exact binomial test; false-fail rate 1e-6; detects 0.8% at p = 0.5."""
    count = int(tf.reduce_sum(tf.cast(random.bernoulli(random.key(14), p, (100_000,)), tf.int32)))
    assert stats.binomtest(count, 100_000, p).pvalue > FALSE_FAIL


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("jit", [False, True])
def test_the_excluded_bound_gives_way_to_the_number_below_it(dtype, jit):
    generator = np.random.RandomState(0)
    powers = 2.0 ** generator.randint(-100, 100, 1000)
    others = generator.standard_normal(10_000) * 10.0 ** generator.randint(-30, 30, 10_000)
    x = np.concatenate([powers, -powers, others]).astype(dtype)
    below = tf.function(_next_below, jit_compile=jit)(tf.constant(x))
    np.testing.assert_array_equal(below, np.nextafter(x, dtype(-np.inf)))
    assert _next_below(tf.constant(dtype(0))).numpy() < 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("low", "high"), [(-1.0, 1.0), (1.0, 1.0000001), (0.0, 1e-30), (-5e5, 3.0)]
)
def test_uniform_stays_inside_its_bounds(low, high, dtype):
    sample = random.uniform(random.key(15), (100_000,), dtype, low, high).numpy()
    low, high = np.array(low, dtype), np.array(high, dtype)
    assert sample.min() >= low
    assert sample.max() < high


def test_bounds_may_be_tensors_of_the_members():
    def members(key, width):
        return random.uniform(key, (4,), tf.float32, -width, width), random.randint(
            key, (4,), 0, tf.cast(width, tf.int32)
        )

    keys, widths = random.split(random.key(16), 9), tf.range(1.0, 10.0)
    run = tf.function(
        pcbatch.vectorize(members, strict=True),
        jit_compile=True,
        autograph=False,
    )
    expected = [members(key, width) for key, width in zip(keys, widths, strict=True)]
    expected = tf.nest.map_structure(lambda *parts: np.stack(parts), *expected)
    assert_same_bits(run(keys, widths), expected)


# --- Bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random.uniform(tf.constant([1, 2])), r"a key is uint32\[2\].*int32"),
        (lambda: random.split(words(1, 2, 3)), r"a key is uint32\[2\].*\(3,\)"),
        (lambda: random.key(1.5), "seed must be one integer, not float32"),
        (lambda: random.fold_in(words(1, 2), [1, 2]), "data must be one integer"),
        (lambda: random.bits(words(1, 2), (), tf.int32), "uint32 or uint64, not as int32"),
        (lambda: random.normal(words(1, 2), (), tf.int32), "float32 or float64, not as int32"),
        (lambda: random.exponential(words(1, 2), (), "bfloat16"), "not as bfloat16"),
        (lambda: random.randint(words(1, 2), 1, 7), "no maxval; the shape comes before"),
        (lambda: random.randint(words(1, 2), (), 0, 2.5), "maxval must be an integer"),
        (lambda: random.randint(words(1, 2), (), 0, 3, tf.uint8), "int32 or int64, not as uint8"),
        (lambda: random.uniform(words(1, 2), (2.5,)), "a shape must be static integers"),
    ],
)
def test_wrong_arguments_are_refused(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()


@pytest.mark.parametrize("draw", [random.normal, random.exponential])
def test_the_roundings_of_a_draw_are_quick_to_lower(draw):
    """TensorFlow sets up a compiler of its own, MLIR, for each `Floor` that XLA is to have."""
    with tf.Graph().as_default() as graph:
        draw(words(1, 2))
    types = [op.type for op in graph.get_operations()]
    assert types.count("Rint") > 1 and "Floor" not in types
