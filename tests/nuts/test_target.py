"""Structures of positions, joint distributions, and what is refused before sampling starts."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import nuts
import pcbatch
from nuts.run.target import Space, from_batched_function, from_distribution, from_function
from nuts.sampler.trajectory import evaluate
from tests.support.tolerances import Tolerance, assert_close

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

    vectors = tf.random.stateless_normal([3, 11], [0, 1])
    single, batched = from_function(one, space), from_batched_function(many, space, 3)
    together = batched.log_density.points(vectors)
    for chain in range(3):
        alone = evaluate(single.log_density, vectors[chain])
        for seen, expected in zip(together, alone, strict=True):
            assert_close(seen[chain], expected, Tolerance(1e-6))


MEANS = np.array([-2.0, 0.0, 5.0])


def normal_of_each_chain(x: tf.Tensor) -> tf.Tensor:
    """Written for three chains, each with a mean of its own."""
    assert x.shape == [3, 2]
    return -0.5 * tf.reduce_sum((x - MEANS[:, np.newaxis]) ** 2, 1)


@pytest.mark.thorough
def test_batched_target_is_called_on_all_chains() -> None:
    """The chain whose mean is 5 makes the draws that it makes where all have that mean."""
    how = {"num_chains": 3, "num_draws": 6, "num_warmup": 0, "step_size": 0.6, "progress": False}
    starts = tf.constant(np.random.RandomState(0).standard_normal((3, 2)))
    together = nuts.sample(normal_of_each_chain, starts, batched_target=True, **how)
    alone = nuts.sample(
        lambda x: -0.5 * tf.reduce_sum((x - MEANS[2]) ** 2), starts, strategy="loop", **how
    )
    assert_close(together.draws[2], alone.draws[2], Tolerance(1e-9))
    np.testing.assert_array_equal(together.stats.num_leapfrogs[2], alone.stats.num_leapfrogs[2])
    assert np.abs(together.draws[0] - alone.draws[0]).min() > 1e-3


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
    assert_close(np.diff(seen), np.diff([expected(u) for u in (-1.0, 0.5, 2.0)]), Tolerance(1e-5))
    constrained = problem.constrain(problem.space.unflatten(tf.constant([[0.5], [2.0]])))
    assert_close(constrained.rate, np.log1p(np.exp([0.5, 2.0])), Tolerance(1e-5))


def normal(x: tf.Tensor) -> tf.Tensor:
    return -0.5 * tf.reduce_sum(x * x)


def nan_on_the_left(x: tf.Tensor) -> tf.Tensor:
    return normal(x) + tf.where(x[0] < 0, np.nan, 0.0)


def logarithm(x: tf.Tensor) -> tf.Tensor:
    logs = tf.math.log(x - 3.0)  # what the message must quote
    return tf.reduce_sum(logs) + normal(x)


def through_numpy(x: tf.Tensor) -> tf.Tensor:
    return tf.numpy_function(lambda y: -np.sum(y * y), [x], tf.float32)


@tfd.JointDistributionCoroutineAutoBatched
def bounded_data():
    location = yield tfd.Normal(0.0, 1.0, name="location")
    yield tfd.Uniform(location - 1, location + 1, name="seen")


IMPOSSIBLE = bounded_data.experimental_pin(seen=tf.constant(50.0))
IMPOSSIBLE_INIT = IMPOSSIBLE.sample_unpinned(5)._replace(location=tf.zeros([7, 7]))


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
    "first bad operation": ((logarithm, tf.zeros(3)), {}, r"Log .*test_target.py:\d+: `logs"),
    "offending term": ((IMPOSSIBLE,), {}, "Not finite: the log density of seen"),
    "bad init of a distribution": ((IMPOSSIBLE, tf.zeros(3)), {}, "has the form"),
    "bad shape for a distribution": ((IMPOSSIBLE, IMPOSSIBLE_INIT), {}, "has the form"),
    "NaN in init": ((normal, tf.constant([np.nan, 0.0, 1.0])), {}, "no finite log density"),
    "no function": ((3.0, tf.zeros(3)), {}, "must be a function"),
    "NumPy inside": ((through_numpy, tf.zeros(3)), {}, "no gradient"),
    "words in init": ((normal, ["a", "b"]), {}, "str|string"),
    "size unknown": ((normal, tf.TensorSpec([None])), {}, "every size"),
    "a program, batched": (
        (pcbatch.autobatch(normal), tf.zeros(3)),
        {"batched_target": True},
        "for one position",
    ),
    "a distribution, batched": ((IMPOSSIBLE,), {"batched_target": True}, "for one position"),
    "batch not returned": ((normal, tf.zeros(3)), {"batched_target": True}, r"shape \[2\]"),
    "seed": ((normal, tf.zeros(3)), {"seed": 1.5}, "seed"),
    "acceptance in words": ((normal, tf.zeros(3)), {"target_accept": "high"}, "target_accept"),
    "NaN step": ((normal, tf.zeros(3)), {"step_size": np.nan}, "step_size"),
    "no energy": ((normal, tf.zeros(3)), {"max_delta_energy": None}, "max_delta_energy"),
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


@pytest.mark.every(4)
@pytest.mark.parametrize("case", REFUSED)
def test_refused_before_sampling(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    args, keywords, message = REFUSED[case]
    monkeypatch.setattr("nuts.run.sampling.Ensemble", None)  # to sample would be a TypeError
    with pytest.raises(nuts.SamplingError, match=message):
        nuts.sample(*args, **{"num_chains": 2, "progress": False, **keywords})


@tfd.JointDistributionCoroutineAutoBatched
def constrained():
    """Supports that need a bijector of many kinds."""
    scale = yield tfd.HalfNormal(1.0, name="scale")
    middle = yield tfd.Uniform(-1.0, 2.0, name="middle")
    share = yield tfd.Beta(2.0, 3.0, name="share")
    factor = yield tfd.CholeskyLKJ(3, 2.0, name="factor")
    wishart = yield tfd.WishartTriL(5.0, scale_tril=tf.eye(2), name="wishart")
    location = middle + scale * share + factor[..., 1, 0] + 0.1 * wishart[..., 0, 1]
    yield tfd.Normal(location, 1.0, name="seen")


@tfd.JointDistributionCoroutineAutoBatched
def mixing():
    weights = yield tfd.Dirichlet([1.0, 2.0, 3.0], name="weights")
    yield tfd.Multinomial(10.0, probs=weights, name="counts")


SMALL = {
    "num_chains": 2,
    "num_draws": 2,
    "num_warmup": 0,
    "step_size": 0.3,
    "max_tree_depth": 1,
    "progress": False,
    "strategy": "loop",
}


@pytest.mark.thorough
def test_draws_are_in_the_support() -> None:
    pinned = constrained.experimental_pin(seen=tf.constant(0.3))
    draws = nuts.sample(pinned, **SMALL).draws
    assert (draws.scale > 0).all() and (abs(draws.middle - 0.5) < 1.5).all()
    assert ((draws.share > 0) & (draws.share < 1)).all()
    assert draws.factor.shape == (2, 2, 3, 3) and (np.triu(draws.factor, 1) == 0).all()
    assert_close(np.square(draws.factor).sum(-1), 1, Tolerance(1e-5))
    assert np.linalg.eigvalsh(draws.wishart).min() > 0


@pytest.mark.thorough
def test_density_before_the_bijector() -> None:
    """It has the Jacobian of the map, known in closed form where a number maps to a number."""
    pinned = constrained.experimental_pin(seen=tf.constant(0.3))
    problem = from_distribution(pinned)
    position = problem.space.unflatten(0.3 * tf.random.stateless_normal([9], [3, 4]))
    value = problem.constrain(position)
    # softplus(u), -1 + 3 sigmoid(u) and sigmoid(u), by their derivatives.
    scale, middle, share = (x.numpy() for x in (value.scale, value.middle, value.share))
    known = [1 - np.exp(-scale), (middle + 1) * (2 - middle) / 3, share * (1 - share)]
    seen = problem.log_density(problem.space.flatten(position))
    lkj = tfp.bijectors.CorrelationCholesky().forward_log_det_jacobian(position.factor, 1)
    wishart = tfd.WishartTriL(5.0, scale_tril=tf.eye(2))
    outer = wishart.experimental_default_event_space_bijector()
    jacobian = np.log(known).sum() + lkj + outer.forward_log_det_jacobian(position.wishart, 1)
    assert_close(seen, pinned.unnormalized_log_prob(value) + jacobian, Tolerance(1e-5))


@pytest.mark.thorough
def test_one_record_serves_all_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of six slices maps draws by one graph, and TensorFlow warns of no new ones."""
    monkeypatch.setattr("nuts.run.streaming.LONGEST_SLICE", 1)
    said: list[str] = []
    monkeypatch.setattr(tf.get_logger(), "warning", lambda text, *rest: said.append(text % rest))
    how = {**SMALL, "num_draws": 6, "reducers": [nuts.reducers.Mean()]}
    nuts.sample(waiting_times.experimental_pin(times=tf.ones(5)), **how)
    assert not [text for text in said if "retracing" in text]


@pytest.mark.thorough
@pytest.mark.skipif(
    tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4),
    reason="TFP 0.25 needs numpy below 2.4 for the bijector of a simplex, as setup.cfg says",
)
def test_simplex() -> None:
    pinned = mixing.experimental_pin(counts=tf.constant([3.0, 3.0, 4.0]))
    draws = nuts.sample(pinned, **SMALL).draws
    assert draws.weights.shape == (2, 2, 3) and (draws.weights > 0).all()
    assert_close(draws.weights.sum(-1), 1, Tolerance(1e-5))


FAMILIES = {
    "sequential": tfd.JointDistributionSequentialAutoBatched(
        [tfd.Gamma(2.0, 1.0), lambda rate: tfd.Sample(tfd.Poisson(rate), 5)]
    ).experimental_pin(None, tf.ones(5)),
    "named": tfd.JointDistributionNamedAutoBatched(
        {"rate": tfd.Gamma(2.0, 1.0), "counts": lambda rate: tfd.Sample(tfd.Poisson(rate), 5)}
    ).experimental_pin(counts=tf.ones(5)),
    "sequential without batching": tfd.JointDistributionSequential(
        [tfd.Gamma(2.0, 1.0), lambda rate: tfd.Sample(tfd.Poisson(rate), 5)], validate_args=True
    ).experimental_pin(None, tf.ones(5)),
}


def test_families_of_joint_distributions() -> None:
    """One density, whatever it is written in: the same values at the same unconstrained points."""
    u = tf.constant([0.7])
    values = []
    for family, pinned in FAMILIES.items():
        problem = from_distribution(pinned)
        draws = problem.constrain(problem.space.unflatten(tf.stack([u, u + 1])))
        assert type(draws) is {"named": dict}.get(family, list)
        assert [leaf.shape for leaf in tf.nest.flatten(draws)] == [[2]]
        values.append([problem.log_density(u).numpy(), problem.log_density(u + 1).numpy()])
    assert_close(values, np.tile(values[0], (len(FAMILIES), 1)), Tolerance(1e-5))


@pytest.mark.thorough
def test_a_joint_distribution_in_a_dict_is_sampled() -> None:
    draws = nuts.sample(FAMILIES["named"], **SMALL).draws
    assert list(draws) == ["rate"] and draws["rate"].shape == (2, 2) and (draws["rate"] > 0).all()
