"""What `nuts.sample` says of targets that it cannot sample: the name, the reason, what to do."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import nuts

tfd = tfp.distributions

SMALL = {
    "num_chains": 2,
    "num_draws": 2,
    "num_warmup": 0,
    "step_size": 0.1,
    "max_tree_depth": 1,
    "progress": False,
    "strategy": "loop",
}


def refusal(*args: Any, **options: Any) -> str:
    with pytest.raises(nuts.SamplingError) as caught:
        nuts.sample(*args, **{**SMALL, **options})
    return str(caught.value)


# --- Joint distributions -----------------------------------------------------------------------


@tfd.JointDistributionCoroutineAutoBatched
def coroutine():
    mu = yield tfd.Normal(0.0, 1.0, name="mu")
    k = yield tfd.Bernoulli(0.3, name="k")
    yield tfd.Normal(mu + tf.cast(k, tf.float32), 1.0, name="y")


sequential = tfd.JointDistributionSequential(
    [tfd.Normal(0.0, 1.0), tfd.Poisson(3.0), lambda k, mu: tfd.Normal(mu + k, 1.0)]
)
counts = tfd.JointDistributionNamedAutoBatched(
    {"rate": tfd.Gamma(2.0, 1.0), "n": lambda rate: tfd.Sample(tfd.Poisson(rate), 3)}
)
within = tfd.JointDistributionNamed(
    {
        "inner": tfd.JointDistributionNamed({"z": tfd.Categorical(logits=[0.0, 1.0])}),
        "y": tfd.Normal(0.0, 1.0),
    }
)

DISCRETE = {
    "coroutine": (coroutine.experimental_pin(y=2.0), "k (Bernoulli)"),
    "sequential": (sequential.experimental_pin(None, None, 2.0), "k (Poisson)"),
    "the first pinned": (sequential.experimental_pin(1.0), "k (Poisson)"),
    "observed": (counts.experimental_pin(rate=1.0), "n (Sample)"),
    "within another": (within.experimental_pin(y=1.0), "inner.z (Categorical)"),
    "alone": (tfd.Binomial(3.0, 0.5), "Binomial (Binomial)"),
}


@pytest.mark.parametrize("case", DISCRETE)
def test_discrete_variables_are_named(case: str) -> None:
    target, name = DISCRETE[case]
    lines = refusal(target).splitlines()
    assert lines[0] == f"discrete variables of the target are not pinned: {name}"
    assert lines[1].startswith("why: NUTS follows the gradient of the log density")
    assert lines[2].startswith("help: what is observed must be pinned: experimental_pin(")


@pytest.mark.thorough
def test_what_is_said_of_discrete_variables_helps() -> None:
    """The observed counts pinned; the Bernoulli variable summed over in a mixture."""
    nuts.sample(counts.experimental_pin(n=[1.0, 2.0, 0.0]), **SMALL)

    @tfd.JointDistributionCoroutineAutoBatched
    def summed():
        mu = yield tfd.Normal(0.0, 1.0, name="mu")
        which, means = tfd.Categorical(probs=[0.7, 0.3]), tf.stack([mu, mu + 1.0], -1)
        yield tfd.MixtureSameFamily(which, tfd.Normal(means, 1.0), name="y")

    assert nuts.sample(summed.experimental_pin(y=2.0), **SMALL).num_draws == 2


def test_nothing_left_to_sample() -> None:
    both = tfd.JointDistributionNamed(
        {"a": tfd.Normal(0.0, 1.0), "b": lambda a: tfd.Normal(a, 1.0)}
    )
    message = refusal(both.experimental_pin(a=0.0, b=1.0))
    assert message == (
        "all variables of the target are pinned (a, b): nothing is left to sample\n"
        "help: leave those that you want draws of out of experimental_pin"
    )


def test_a_variable_without_a_bijector_is_named() -> None:
    components = tfd.Normal([0.0, 1.0], 1.0)
    mixture = tfd.MixtureSameFamily(tfd.Categorical(logits=[0.0, 1.0]), components)
    model = tfd.JointDistributionNamed({"m": mixture, "y": lambda m: tfd.Normal(m, 1.0)})
    message = refusal(model.experimental_pin(y=1.0))
    assert "knows no bijector for m (MixtureSameFamily)" in message
    pinned = model.experimental_pin(y=1.0)
    nuts.sample(lambda m: pinned.unnormalized_log_prob(m=m), tf.TensorSpec([]), **SMALL)


@pytest.mark.parametrize(
    "open_ended",
    [
        tfd.TruncatedNormal(0.0, 1.0, 0.0, np.inf),
        tfd.TruncatedNormal(0.0, 1.0, -np.inf, 2.0),
        tfd.TruncatedCauchy(0.0, 1.0, 0.0, np.inf),
    ],
    ids=["above", "below", "Cauchy"],
)
def test_a_support_with_one_bound_is_named(open_ended: Any) -> None:
    message = refusal(with_scale(open_ended))
    assert message.startswith("the unconstrained space of scale cannot be mapped to finite values")
    assert "high=loc + 10 * scale" in message and "tfd.HalfNormal(scale)" in message


def with_scale(scale: Any) -> Any:
    parts = {"scale": scale, "y": lambda scale: tfd.Normal(0.0, 1.0 + tf.abs(scale))}
    return tfd.JointDistributionNamedAutoBatched(parts).experimental_pin(y=1.0)


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "mended", [tfd.TruncatedNormal(0.0, 1.0, 0.0, 10.0), tfd.HalfNormal(1.0)], ids=["both", "half"]
)
def test_what_is_said_of_a_support_with_one_bound_helps(mended: Any) -> None:
    assert nuts.sample(with_scale(mended), **SMALL).num_draws == 2


BATCHES = {
    "named": tfd.JointDistributionNamed(
        {"p": tfd.Beta(tf.ones(3), 1.0), "y": lambda p: tfd.Normal(tf.reduce_sum(p, -1), 1.0)}
    ).experimental_pin(y=1.0),
    "sequential": tfd.JointDistributionSequential(
        [tfd.Beta(tf.ones(3), 1.0), lambda p: tfd.Binomial(10.0, probs=p)]
    ).experimental_pin(None, tf.ones(3)),
    "within another": tfd.JointDistributionNamed(
        {"a": tfd.JointDistributionNamed({"p": tfd.Beta(tf.ones(3), 1.0)})}
    ),
    "alone": tfd.Beta(tf.ones(3), 1.0),
}


@pytest.mark.parametrize("case", BATCHES)
def test_a_batch_of_distributions_is_named(case: str) -> None:
    lines = refusal(BATCHES[case]).splitlines()
    assert lines[0].startswith("variables of the target are batches: ") and "(Beta)" in lines[0]
    assert (
        "has the batch shape [3]: TensorFlow Probability gives a log density for each" in lines[1]
    )
    assert lines[2].startswith("help: tfd.Independent(..., reinterpreted_batch_ndims=1)")


@pytest.mark.thorough
def test_what_is_said_of_a_batch_helps() -> None:
    parts = {"p": tfd.Independent(tfd.Beta(tf.ones(3), 1.0), reinterpreted_batch_ndims=1)}
    parts["y"] = lambda p: tfd.Normal(tf.reduce_sum(p, -1), 1.0)
    for family in (tfd.JointDistributionNamed, tfd.JointDistributionNamedAutoBatched):
        fit = nuts.sample(family(parts).experimental_pin(y=1.0), **SMALL)
        assert fit.draws["p"].shape == (2, 2, 3)


# --- Functions ---------------------------------------------------------------------------------


def with_if(x):
    if x[0] > 0:
        return -tf.reduce_sum(x**2)
    return -2.0 * tf.reduce_sum(x**2)


def with_while(x):
    while tf.reduce_max(x) > 9.0:
        x = x / 2.0
    return -tf.reduce_sum(x**2)


def through_helper(x):
    return with_if(x) - 1.0


def with_float(x):
    return -tf.reduce_sum(x**2) * float(np.sign(x[0]))


LINES = {
    with_if: (with_if, "if x[0] > 0:"),
    with_while: (with_while, "while tf.reduce_max(x) > 9.0:"),
    through_helper: (with_if, "if x[0] > 0:"),
    with_float: (with_float, "return -tf.reduce_sum(x**2) * float(np.sign(x[0]))"),
}


@pytest.mark.parametrize("target", LINES, ids=lambda target: target.__name__)
@pytest.mark.parametrize("init", [tf.TensorSpec([3]), tf.ones(3)], ids=["anywhere", "given"])
def test_python_on_a_position_is_shown(target: Any, init: Any) -> None:
    where, line = LINES[target]
    lines, first = inspect.getsourcelines(where)
    number = first + next(i for i, text in enumerate(lines) if line in text)
    assert refusal(target, init).splitlines() == [
        f"the target wants a number of a position, at {__file__}:{number}: `{line}`",
        "why: all chains go through the target together, so that a position there stands for those "
        "of all of them; Python's if, while, and, or, not, bool, int and float, and NumPy, want "
        "one number",
        "help: choose by tf.where(condition, this, that), or, where only one of them may be "
        "computed, by tf.cond(condition, lambda: this, lambda: that); loop by tf.while_loop; take "
        "tf.exp(x) for np.exp(x)",
    ]


def where(x):
    return tf.where(x[0] > 0, -tf.reduce_sum(x**2), -2.0 * tf.reduce_sum(x**2))


def cond(x):
    return tf.cond(x[0] > 0, lambda: -tf.reduce_sum(x**2), lambda: -2.0 * tf.reduce_sum(x**2))


def loop(x):
    (x,) = tf.while_loop(
        lambda x: tf.reduce_max(x) > 9.0, lambda x: (x / 2.0,), (x,), maximum_iterations=9
    )
    return -tf.reduce_sum(x**2)


@pytest.mark.every(4)
@pytest.mark.parametrize("target", [where, cond, loop], ids=lambda target: target.__name__)
def test_what_is_said_of_python_on_a_position_helps(target: Any) -> None:
    plain = {where: with_if, cond: with_if, loop: with_while}[target]
    starts = tf.constant([[1.0, 2.0, 3.0], [-1.0, 20.0, 3.0]])
    fit = nuts.sample(target, starts, **SMALL)
    for chain in range(2):
        assert fit.stats.lp[chain, 1] == pytest.approx(float(plain(fit.draws[chain, 1])), rel=1e-5)


def uses_one(p):
    return -tf.square(p["a"])


def stops_one(p):
    return -tf.square(p["a"]) - tf.square(tf.stop_gradient(p["b"]))


def uses_both_in_turn(p):
    return tf.cond(p["a"] > 9, lambda: -tf.square(p["a"]), lambda: -tf.square(p["b"]))


PAIR = {"a": tf.TensorSpec([]), "b": tf.TensorSpec([])}


@pytest.mark.parametrize("target", [uses_one, stops_one], ids=lambda target: target.__name__)
@pytest.mark.parametrize("batched", [True, False], ids=["batched", "single"])
def test_a_parameter_that_is_not_used_is_named(target: Any, batched: bool) -> None:
    lines = refusal(target, PAIR, batched_target=batched).splitlines()
    assert lines[0].startswith("the log density has no gradient with regard to b: it does not use")
    assert lines[1].endswith("the posterior is improper") and "give b a prior" in lines[2]


def test_a_parameter_on_one_path_is_used() -> None:
    assert nuts.sample(uses_both_in_turn, PAIR, **SMALL).num_draws == 2


def of_any_shape(x):
    return -tf.reduce_sum(tf.square(x))


def of_rows(x):
    return -tf.reduce_sum(tf.square(tf.matmul(x, tf.ones([3, 1]))))


def of_pair(p):
    return -tf.reduce_sum(tf.square(p["a"])) - tf.reduce_sum(tf.square(p["b"]))


COUNTS = {
    "matrix": (of_any_shape, tf.ones([10, 3])),
    "leaves": (of_pair, {"a": tf.ones([10]), "b": tf.ones([10, 2])}),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("case", COUNTS)
def test_a_wrong_number_of_starts_is_refused(case: str) -> None:
    message = refusal(*COUNTS[case], num_chains=20)
    assert message.startswith("init is 10 rows and num_chains is 20: one position for all chains")
    target, init = COUNTS[case]
    whole = tf.nest.map_structure(lambda x: tf.broadcast_to(x, [2, *x.shape]), init)
    draws = nuts.sample(target, whole, **SMALL).draws
    for leaf, start in zip(tf.nest.flatten(draws), tf.nest.flatten(init), strict=True):
        assert leaf.shape == (2, 2, *start.shape)


@pytest.mark.every(8)
@pytest.mark.parametrize(
    ("target", "init"),
    [
        (of_any_shape, tf.ones([10])),
        (of_any_shape, tf.ones([1, 3])),
        (of_any_shape, tf.TensorSpec([10, 3])),
        (of_rows, tf.ones([10, 3])),
        (of_pair, {"a": tf.ones([10]), "b": tf.ones([3, 2])}),
    ],
    ids=["vector", "one row", "shape", "rows together", "other sizes"],
)
def test_what_can_only_be_one_position_is_one(target: Any, init: Any) -> None:
    draws = nuts.sample(target, init, **SMALL).draws
    for leaf, start in zip(tf.nest.flatten(draws), tf.nest.flatten(init), strict=True):
        assert leaf.shape == (2, 2, *start.shape)
