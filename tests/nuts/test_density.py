"""When may a second call of `nuts.sample` take the program that the first has compiled?"""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import nuts
from nuts.run.density import OfOne, evaluate_start
from nuts.run.target import Space, from_distribution, from_function
from nuts.sampler.chain import run_pool

tfd = tfp.distributions
SPEC = tf.TensorSpec([2])
DATA = {"scales": np.array([1.0, 2.0], np.float32)}


def normal(x: tf.Tensor) -> tf.Tensor:
    return -0.5 * tf.reduce_sum((x / DATA["scales"]) ** 2)


def density(target) -> OfOne:
    found = from_function(target, Space(SPEC)).log_density
    found.record(SPEC)
    return found


def test_the_same_function_is_the_same() -> None:
    first, second = density(normal), density(normal)
    assert first == second and hash(first) == hash(second) and first is not second
    # Another function could come to differ from this one after it has been compared.
    assert first != density(lambda x: normal(x))


def test_what_the_function_reads_is_looked_at(monkeypatch) -> None:
    first = density(normal)
    with monkeypatch.context() as patch:
        patch.setitem(DATA, "scales", np.array([1.0, 3.0], np.float32))
        assert first != density(normal)
    assert first == density(normal)
    DATA["scales"][1] = 4.0
    changed = density(normal)
    DATA["scales"][1] = 2.0
    assert first != changed and first == density(normal)


def test_captured_tensors_count_by_their_value() -> None:
    """A large constant is captured, not written into the graph."""
    captured = [tf.zeros([2, 200]), tf.zeros([2, 200]), tf.ones([2, 200])]

    def target(x: tf.Tensor) -> tf.Tensor:
        return -tf.reduce_sum((captured[0] - x[:, tf.newaxis]) ** 2)

    found = []
    for _ in range(3):
        found.append(density(target))
        captured.pop(0)
        captured.append(tf.ones([2, 200]))
    assert found[0] == found[1] != found[2]


def test_gradients_of_the_users_own() -> None:
    """They have a new number in every trace; what they compute counts."""
    slope = [1.0]

    @tf.custom_gradient
    def linear(x: tf.Tensor):
        return tf.reduce_sum(x), lambda upstream: upstream * slope[0] * tf.ones_like(x)

    first = density(linear)
    assert first == density(linear)
    slope[0] = 2.0
    assert first != density(linear)


def test_a_pinned_distribution_is_the_same() -> None:
    @tfd.JointDistributionCoroutineAutoBatched
    def model():
        rate = yield tfd.Gamma(2.0, 1.0, name="rate")
        yield tfd.Sample(tfd.Poisson(rate), 3, name="counts")

    pinned, spec = model.experimental_pin(counts=tf.ones(3)), tf.TensorSpec([1])
    same = [from_distribution(pinned).log_density for _ in range(2)]
    for one in same:
        one.record(spec)
    assert same[0] == same[1]


@pytest.mark.parametrize("make", [np.asarray, tf.constant], ids=["NumPy", "TensorFlow"])
@pytest.mark.parametrize("number", [3, 1000])
def test_a_distribution_with_data_is_the_same(number: int, make) -> None:
    """Much data is captured, by a name that is new in each record."""

    @tfd.JointDistributionCoroutineAutoBatched
    def model():
        mean = yield tfd.Normal(0.0, 1.0, name="mean")
        yield tfd.Normal(mean * tf.ones(number), 1.0, name="seen")

    def recorded(data) -> OfOne:
        found = from_distribution(pinned[data]).log_density
        found.check(tf.zeros([2, 1]))
        return found

    data = np.arange(number, dtype=np.float32)
    pinned = {i: model.experimental_pin(seen=make(data + i)) for i in range(2)}
    assert recorded(0) == recorded(0) != recorded(1)


def test_a_condition_on_a_position_is_refused() -> None:
    def broken(x: tf.Tensor) -> tf.Tensor:
        return normal(x) if x[0] > 0 else -normal(x)

    with pytest.raises(nuts.SamplingError, match="wants a number of a position"):
        density(broken)


def test_an_error_of_the_users_own_is_seen() -> None:
    def broken(x: tf.Tensor) -> tf.Tensor:
        raise RuntimeError("no data")

    with pytest.raises(RuntimeError, match="no data"):
        density(broken)


@pytest.mark.thorough
def test_a_second_call_compiles_nothing() -> None:
    how = {"num_chains": 3, "num_draws": 3, "num_warmup": 0, "step_size": 0.5}
    how |= {"progress": False, "strategy": "local"}

    def draw(seed: int, num_draws: int = 3) -> tuple[np.ndarray, int]:
        fit = nuts.sample(normal, tf.zeros(2), seed=seed, **{**how, "num_draws": num_draws})
        return fit.draws, sum(len(f._specializations) for f in (run_pool, evaluate_start))

    (first, programs), (again, same), (other, _) = draw(0), draw(0), draw(1)
    (more, shared), (_, grown) = draw(0, 16), draw(0, 17)
    assert programs == same == shared == grown - 1
    np.testing.assert_array_equal(more[:, :3], first)
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).min() > 0
