"""Structures of positions, joint distributions, and what is refused before sampling starts."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import nuts
from nuts.target import Space, from_batched_function, from_distribution, from_function

tfd = tfp.distributions

Pair = namedtuple("Pair", "a b")
SPECS = {"one": tf.TensorSpec([2, 3]), "two": Pair(tf.TensorSpec([]), tf.TensorSpec([4]))}


def test_space_flattens_and_back() -> None:
    space = Space(SPECS)
    assert (space.dim, space.dtype) == (11, tf.float32)
    for batch in ([], [5], [5, 2]):
        vector = tf.random.stateless_normal([*batch, 11], [0, 1])
        structure = space.unflatten(vector)
        assert structure["two"].b.shape == [*batch, 4] and structure["one"].shape == [*batch, 2, 3]
        np.testing.assert_array_equal(space.flatten(structure), vector)


def test_batched_function_is_the_function() -> None:
    space = Space(SPECS)

    def one(x) -> tf.Tensor:
        return -tf.reduce_sum(x["one"] ** 2) + x["two"].a

    def many(x) -> tf.Tensor:
        return -tf.reduce_sum(x["one"] ** 2, (1, 2)) + x["two"].a

    vector = tf.random.stateless_normal([11], [0, 1])
    seen = from_batched_function(many, space).log_density(vector)
    np.testing.assert_allclose(seen, from_function(one, space).log_density(vector), rtol=1e-6)


@tfd.JointDistributionCoroutineAutoBatched
def waiting_times():
    rate = yield tfd.Exponential(2.0, name="rate")
    yield tfd.Sample(tfd.Exponential(rate), 5, name="times")


def test_joint_distribution_has_the_density_of_its_logarithm() -> None:
    """The sampler moves softplus^-1(rate): the density gets the derivative of softplus."""
    times = tf.constant([0.5, 1.0, 0.2, 0.7, 2.0])
    problem = from_distribution(waiting_times.experimental_pin(times=times))
    assert problem.space.dim == 1

    def expected(u: float) -> float:
        rate = np.log1p(np.exp(u))
        return 5 * np.log(rate) - rate * (2 + times.numpy().sum()) - np.log1p(np.exp(-u))

    seen = [problem.log_density(tf.constant([u])).numpy() for u in (-1.0, 0.5, 2.0)]
    np.testing.assert_allclose(
        np.diff(seen), np.diff([expected(u) for u in (-1.0, 0.5, 2.0)]), rtol=1e-5
    )
    constrained = problem.constrain(problem.space.unflatten(tf.constant([[0.5], [2.0]])))
    np.testing.assert_allclose(constrained.rate, np.log1p(np.exp([0.5, 2.0])), rtol=1e-5)


def normal(x: tf.Tensor) -> tf.Tensor:
    return -0.5 * tf.reduce_sum(x * x)


def nan_on_the_left(x: tf.Tensor) -> tf.Tensor:
    return normal(x) + tf.where(x[0] < 0, np.nan, 0.0)


REFUSED = {
    "no init": ((normal,), {}, "init"),
    "integer init": ((normal, tf.zeros(3, tf.int32)), {}, "int32"),
    "mixed dtypes": ((normal, (tf.zeros(3), tf.zeros(2, tf.float64))), {}, "float32, float64"),
    "empty init": ((normal, ()), {}, "no tensor"),
    "ambiguous init": ((normal, tf.zeros(4)), {"num_chains": 4}, "one number for each"),
    "vector target": ((lambda x: x * x, tf.zeros(3)), {}, r"shape \[3\]"),
    "batch of targets": ((lambda x: x[None, 0], tf.zeros(3)), {}, "batched_target"),
    "Python target": ((lambda x: 0.0, tf.zeros(3)), {}, "must return a tensor"),
    "wrong dtype": ((lambda x: tf.cast(normal(x), tf.float64), tf.zeros(3)), {}, "float64"),
    "stopped gradient": ((lambda x: tf.stop_gradient(normal(x)), tf.zeros(3)), {}, "no gradient"),
    "bad start": (
        (nan_on_the_left, tf.constant([[1.0], [-1.0], [2.0]])),
        {"num_chains": 3},
        "chain 1",
    ),
    "nowhere finite": ((lambda x: normal(x) * np.inf, tf.TensorSpec([2])), {}, "100 tries"),
    "no chains": ((normal, tf.zeros(3)), {"num_chains": 0}, "num_chains"),
    "half a draw": ((normal, tf.zeros(3)), {"num_draws": 0.5}, "num_draws"),
    "no depth": ((normal, tf.zeros(3)), {"max_tree_depth": 0}, "max_tree_depth"),
    "negative step": ((normal, tf.zeros(3)), {"step_size": -1.0}, "step_size"),
    "acceptance": ((normal, tf.zeros(3)), {"target_accept": 1.0}, "target_accept"),
    "metric": ((normal, tf.zeros(3)), {"metric": "round"}, "metric"),
    "pool": ((normal, tf.zeros(3)), {"pool": "some"}, "pool"),
    "no step": ((normal, tf.zeros(3)), {"num_warmup": 0}, "step_size"),
}
"""Arguments, keywords, and what the error must say."""


@pytest.mark.parametrize("case", REFUSED)
def test_refused_before_sampling(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    args, keywords, message = REFUSED[case]
    monkeypatch.setattr("nuts.sampling.Ensemble", None)  # to sample would be a TypeError
    with pytest.raises(nuts.SamplingError, match=message):
        nuts.sample(*args, **{"num_chains": 2, "progress": False, **keywords})
