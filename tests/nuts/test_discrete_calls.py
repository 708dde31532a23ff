"""`nuts.sample(..., discrete=...)` as users call it: what comes out, and what is refused."""

from __future__ import annotations

import pathlib
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import nuts
import pcbatch
from tests.nuts.exactness import known_means
from tests.runtime.executors import Here
from tests.support.tolerances import Tolerance, assert_close

tfd = tfp.distributions
LEVEL = 1e-4
SUPPORTS = {"a": 3, "b": np.array([[2, 4], [1, 3]])}
INIT = {"x": tf.TensorSpec([2]), "s": tf.TensorSpec([])}
HOW: dict[str, Any] = {"num_chains": 32, "num_draws": 12, "num_warmup": 20, "progress": False}
FEW: dict[str, Any] = {"num_chains": 4, "num_draws": 3, "num_warmup": 0, "step_size": 0.5}
FEW |= {"strategy": "local", "progress": False}
IGNORED = pytest.mark.filterwarnings("ignore::nuts.SamplingWarning")
WHERE_IT_GOES_ON = Tolerance(1e-4, 1e-4)


def target(position: Any, discrete: Any) -> tf.Tensor:
    mean = tf.cast(discrete["a"], tf.float32) + tf.reduce_sum(tf.cast(discrete["b"], tf.float32))
    return -0.5 * tf.reduce_sum(tf.square(position["x"] - mean / 4.0)) - tf.square(position["s"])


def sample(**more: Any) -> Any:
    return nuts.sample(target, **{"init": INIT, "discrete": SUPPORTS, **HOW, **more})


@pytest.fixture(scope="module")
def fit() -> nuts.Fit:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nuts.SamplingWarning)  # so few draws
        return sample()


@pytest.mark.thorough
def test_draws_are_by_name_and_in_their_supports(fit) -> None:
    shapes = {name: (leaf.shape, leaf.dtype) for name, leaf in fit.draws.items()}
    assert shapes == {
        "a": ((32, 12), np.int32),
        "b": ((32, 12, 2, 2), np.int32),
        "s": ((32, 12), np.float32),
        "x": ((32, 12, 2), np.float32),
    }
    for name, support in SUPPORTS.items():
        reached = fit.draws[name].max((0, 1))
        np.testing.assert_array_equal(reached, np.asarray(support) - 1)
        assert fit.draws[name].min() == 0
    assert fit.learned.inverse_mass.shape == (3,)
    assert [row.name for row in fit.summary()][:3] == ["a", "b[0,0]", "b[0,1]"]


@pytest.mark.thorough
@IGNORED
def test_a_position_without_names_is_called_x() -> None:
    def plain(position: tf.Tensor, discrete: Any) -> tf.Tensor:
        return -0.5 * tf.reduce_sum(tf.square(position)) - tf.cast(discrete["k"], tf.float32)

    fit = nuts.sample(plain, tf.zeros([2]), discrete={"k": 2}, **FEW)
    assert set(fit.draws) == {"k", "x"}


@pytest.mark.thorough
@IGNORED
def test_chains_do_not_depend_on_their_number(fit) -> None:
    """Without warmup: what is learned there depends on all chains."""
    how = {"num_warmup": 0, "step_size": 0.5}
    many, few = sample(**how), sample(num_chains=5, **how)
    for name in SUPPORTS:
        np.testing.assert_array_equal(few.draws[name], many.draws[name][:5])
    assert_close(few.draws["x"], many.draws["x"][:5], WHERE_IT_GOES_ON)


@IGNORED
@pytest.mark.thorough
def test_going_on_makes_the_draws_of_one_longer_call(fit, tmp_path) -> None:
    how = {"num_warmup": 0, "step_size": 0.5}
    whole, first = sample(num_draws=12, **how), sample(num_draws=4, **how)
    first.save(tmp_path / "fit.npz")
    for start in (first, nuts.load(tmp_path / "fit.npz"), pickle.loads(pickle.dumps(first))):
        more = sample(init=start, num_chains=None, num_warmup=None, num_draws=8)
        joined = first.extended(more)
        for name in SUPPORTS:
            np.testing.assert_array_equal(joined.draws[name], whole.draws[name])
        assert_close(joined.draws["x"], whole.draws["x"], WHERE_IT_GOES_ON)


@IGNORED
def test_a_checkpoint_is_gone_on_from(fit, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "run"
    one = sample(checkpoint=folder)
    newest = max(folder.glob("run-*.npz"))
    newest.unlink()
    again = sample(checkpoint=folder, resume=True)
    for name, leaf in one.draws.items():
        np.testing.assert_array_equal(leaf, again.draws[name])
        np.testing.assert_array_equal(leaf, fit.draws[name])


@IGNORED
def test_draws_are_reduced(fit) -> None:
    streamed = sample(reducers=[nuts.reducers.Mean()])
    for name, leaf in fit.draws.items():
        assert_close(
            streamed.reduced["mean"][name],
            leaf.mean((0, 1), dtype=np.float64),
            Tolerance(1e-6, 1e-6),
        )


@IGNORED
@pytest.mark.large
def test_parts_on_workers_change_no_bit(fit) -> None:
    there = sample(executor=Here(), parts=2)
    for name, leaf in fit.draws.items():
        np.testing.assert_array_equal(there.draws[name], leaf)


GIVEN = {"a": np.array([0, 1, 2, 1]), "b": np.array([[1, 3], [0, 2]])}


@IGNORED
def test_discrete_values_start_where_init_says() -> None:
    """One start for each chain, and one for all of them; the position starts at random."""
    fit = sample(init=INIT | GIVEN, **FEW | {"num_draws": 0})
    ends = fit.end.positions.discrete
    np.testing.assert_array_equal(ends["a"], GIVEN["a"])
    np.testing.assert_array_equal(ends["b"], np.broadcast_to(GIVEN["b"], [4, 2, 2]))
    assert len(np.unique(fit.end.of_position["x"])) > 1


@pytest.mark.thorough
@IGNORED
def test_discrete_values_of_a_joint_distribution_start_where_init_says() -> None:
    how = FEW | {"num_draws": 0}
    values = {"flips": np.array([1, 0, 1]), "kind": 2}
    fit = nuts.sample(PINNED, values, discrete=JOINT, **how)
    assert (fit.end.positions.discrete["flips"] == [1, 0, 1]).all()
    place = {"shift": tf.constant(0.5), "scale": tf.constant(-1.0)}
    fit = nuts.sample(PINNED, values | place, discrete=JOINT, **how)
    assert (fit.end.positions.discrete["kind"] == 2).all()
    assert (fit.end.of_position.shift == 0.5).all()


NO_STARTS = {
    "some": ({"a": 1}, "none of b: give all, or none"),
    "floats": (GIVEN | {"a": 1.0}, "a is in init and in discrete: .* or give integers"),
    "too large": (GIVEN | {"a": 3}, r'init\["a"\] is not in 0, ..., n - 1'),
    "negative": (GIVEN | {"a": -1}, r'init\["a"\] is not in'),
    "another shape": (GIVEN | {"b": [0, 1]}, r"has the shape \[2\], and b in discrete \[2, 2\]"),
}


@pytest.mark.parametrize("name", NO_STARTS)
def test_what_is_no_start_of_discrete_values_is_refused(name: str) -> None:
    starts, words = NO_STARTS[name]
    with pytest.raises(nuts.SamplingError, match=words):
        sample(init=INIT | starts, **FEW)


def test_starts_of_discrete_values_alone_say_nothing_of_the_position() -> None:
    with pytest.raises(nuts.SamplingError, match="the shape of a position is not known"):
        sample(init=GIVEN, **FEW)


@tfd.JointDistributionCoroutineAutoBatched
def joint():
    shift = yield tfd.Normal(0.0, 1.0, name="shift")
    scale = yield tfd.HalfNormal(1.0, name="scale")
    flips = yield tfd.Sample(tfd.Bernoulli(probs=0.3), 3, name="flips")
    kind = yield tfd.Categorical(probs=[0.2, 0.5, 0.3], name="kind")
    mean = shift + tf.cast(kind, tf.float32) + tf.cast(tf.reduce_sum(flips), tf.float32)
    yield tfd.Sample(tfd.Normal(mean, 0.5 + scale), 2, name="y")


PINNED = joint.experimental_pin(y=tf.constant([1.5, 2.5]))
JOINT = {"flips": np.full([3], 2), "kind": 3}


def by_hand(position: Any, discrete: Any) -> tf.Tensor:
    """The joint distribution at a log scale."""
    scale = tf.exp(position["log_scale"])
    values = (position["shift"], scale, discrete["flips"], discrete["kind"])
    return PINNED.unnormalized_log_prob(*values) + position["log_scale"]


@pytest.mark.thorough
def test_draws_of_a_joint_distribution_are_those_of_its_variables() -> None:
    fit = nuts.sample(PINNED, discrete=JOINT, **FEW)
    assert {name: leaf.shape[2:] for name, leaf in fit.draws.items()} == {
        "shift": (),
        "scale": (),
        "flips": (3,),
        "kind": (),
    }
    assert (fit.draws["scale"] > 0).all()
    predicted = nuts.predict(fit, PINNED)
    assert predicted["y"].shape == (4, 3, 2)


@IGNORED
@pytest.mark.large
def test_a_joint_distribution_is_as_its_log_density() -> None:
    how = {"num_chains": 256, "num_draws": 60, "num_warmup": 150, "progress": False}
    fit = nuts.sample(PINNED, discrete=JOINT, **how)
    init = {name: tf.TensorSpec([]) for name in ("shift", "log_scale")}
    hand = nuts.sample(by_hand, init, discrete=JOINT, seed=1, **how)
    hand.draws["scale"] = np.exp(hand.draws.pop("log_scale"))

    def means(draws: Any) -> np.ndarray:
        named = [draws[name].reshape(256, 60, -1) for name in sorted(draws)]
        return np.concatenate([*named, named[-1] ** 2], -1).mean(1, dtype=np.float64)

    assert sorted(fit.draws) == ["flips", "kind", "scale", "shift"]
    apart = means(fit.draws) - means(hand.draws)
    assert known_means(apart, np.zeros(apart.shape[1])) > LEVEL


def test_a_free_discrete_variable_names_the_way() -> None:
    with pytest.raises(nuts.SamplingError, match="not pinned: flips") as refused:
        nuts.sample(PINNED)
    assert 'discrete={"flips": np.full([3], 2), "kind": 3}' in str(refused.value)


WRONG = {
    "no names": (3, "must say by name"),
    "nothing": ({}, "must say by name"),
    "not a number": ({"k": np.nan}, r'discrete\["k"\] must be how many values'),
    "a float": ({"k": 2.5}, r'discrete\["k"\] must be how many values'),
    "ragged": ({"k": [[2], [2, 3]]}, r'discrete\["k"\] must be how many values'),
    "none": ({"k": 0}, r'discrete\["k"\] must be how many values'),
    "a name of init": ({"s": 2}, "s is in init and in discrete"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_support_is_refused(name: str) -> None:
    discrete, words = WRONG[name]
    with pytest.raises(nuts.SamplingError, match=words):
        sample(discrete=discrete)


WRONG_OF_JOINT = {
    "unknown": ({"z": 2}, "z, which is no free variable of the target; these are shift"),
    "pinned": ({"y": [2, 2]}, "y, which is no free variable"),
    "another shape": ({"flips": 2, "kind": 3}, r"shape \[\], and the variable \[3\]"),
    "another number": ({"flips": [2, 2, 2], "kind": 4}, "have 3 values"),
    "not discrete": ({"shift": 2}, r"shift \(Normal\), which is not discrete"),
    "not all": ({"kind": 3}, r"not pinned: flips"),
}


@pytest.mark.parametrize("name", WRONG_OF_JOINT)
def test_what_is_not_of_the_joint_is_refused(name: str) -> None:
    discrete, words = WRONG_OF_JOINT[name]
    with pytest.raises(nuts.SamplingError, match=words):
        nuts.sample(PINNED, discrete=discrete)


@tfd.JointDistributionCoroutineAutoBatched
def bounded_by_a_discrete_one():
    kind = yield tfd.Bernoulli(probs=0.5, name="kind")
    yield tfd.Uniform(0.0, 1.0 + tf.cast(kind, tf.float32), name="x")
    yield tfd.Normal(0.0, 1.0, name="y")


def test_a_support_that_depends_on_a_discrete_value_is_refused() -> None:
    pinned = bounded_by_a_discrete_one.experimental_pin(y=1.0)
    with pytest.raises(nuts.SamplingError, match="depends on kind"):
        nuts.sample(pinned, discrete={"kind": 2})


@pcbatch.autobatch
def program(position, discrete):
    return -position * position


@pytest.mark.parametrize("how", [{"target": program}, {"batched_target": True}])
def test_targets_that_take_no_discrete_values_are_refused(how: Any) -> None:
    with pytest.raises(nuts.SamplingError, match="is for a function in plain TensorFlow"):
        nuts.sample(**{"target": target, "init": INIT, "discrete": SUPPORTS, **how})


def test_a_target_that_takes_no_discrete_values_is_told_how() -> None:
    with pytest.raises(nuts.SamplingError, match=r"its parameters are \(position\)"):
        nuts.sample(lambda position: -tf.square(position), tf.TensorSpec([]), discrete={"z": 2})


def coupled(position: Any, discrete: Any) -> dict[str, tf.Tensor]:
    """What is called the term of each element is of its neighbour, too."""
    z = tf.cast(discrete["z"], tf.float32)
    return {"prior": -tf.reduce_sum(tf.square(position)), "z": z * tf.roll(z, 1, 0)}


def elsewhere(position: Any, discrete: Any) -> dict[str, tf.Tensor]:
    """Another term has all elements."""
    z = tf.cast(discrete["z"], tf.float32)
    return {"prior": -tf.square(position - tf.reduce_sum(z)), "z": z * position}


@pytest.mark.parametrize("terms", [coupled, elsewhere])
def test_terms_of_several_elements_are_refused(terms: Any) -> None:
    with pytest.raises(nuts.SamplingError, match="the terms z of the target are not of one"):
        nuts.sample(terms, tf.TensorSpec([]), discrete={"z": [2] * 5})


def test_terms_of_another_shape_are_refused() -> None:
    def short(position: Any, discrete: Any) -> dict[str, tf.Tensor]:
        z = tf.cast(discrete["z"], tf.float32)
        return {"z": tf.reduce_sum(z) - tf.square(position)}

    with pytest.raises(nuts.SamplingError, match=r"term z .* has the shape \[\]"):
        nuts.sample(short, tf.TensorSpec([]), discrete={"z": [2] * 5})


def test_going_on_with_other_variables_is_refused(fit) -> None:
    with pytest.raises(nuts.SamplingError, match="init is a fit with the discrete variables"):
        nuts.sample(target, fit, discrete={"a": 3, "b": 2})
    with pytest.raises(nuts.SamplingError, match="and this call has none"):
        nuts.sample(lambda position: -tf.square(position["s"]), fit)


def test_values_that_no_start_allows_are_named() -> None:
    """Both values are of no density."""

    def nowhere(position: Any, discrete: Any) -> tf.Tensor:
        return -tf.square(position) + tf.math.log(-1.0 - tf.cast(discrete["k"], tf.float32))

    with pytest.raises(nuts.SamplingError, match=r"drawn uniformly.*Log is the"):
        nuts.sample(nowhere, tf.TensorSpec([]), discrete={"k": 2}, num_chains=4)
