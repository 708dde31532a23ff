"""Models with loops, written for one example, inside a run of NUTS under XLA.

Some draws of a few chains, against plain Python with the density as TensorFlow code of its own.
The hidden Markov model alone by default: PCBATCH_STRESS=1 runs all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

from nuts.adaptation.ensemble import Ensemble, chain_keys
from nuts.run.density import evaluate_start
from nuts.sampler.chain import Record, run_pool
from nuts.sampler.trajectory import Point
from nuts.sampler.tuning import Settings, make_tuning
from tests.nuts import posteriors
from tests.support.extent import LARGE
from tests.support.tolerances import Tolerance, assert_close
from tests.vectorizer import models as models

CHAINS, DRAWS, MAX_TREE_DEPTH = 20, 5, 3
# A trajectory of up to seven leapfrog steps amplifies the rounding of a long sum.
AMPLIFIED_ROUNDING = Tolerance(1e-8, 1e-8)
tfd = tfp.distributions


def of_posterior(make: Callable[..., models.Density], folder: str, **how: Any) -> Callable:
    """Makes the density of a posterior and where its chains start."""

    def problem() -> tuple[models.Density, tf.Tensor]:
        case = posteriors.load(folder)
        data = json.loads((posteriors.FOLDER / folder / "data.json").read_text())
        return make(data, **how), case.start(CHAINS)

    return problem


def stochastic_volatility() -> tuple[models.Density, tf.Tensor]:
    draw = np.random.RandomState(0)
    density = models.stochastic_volatility({"y": draw.normal(size=30)})
    return density, tf.constant(draw.normal(size=[CHAINS, 33]) * 0.5)


def library_hidden_markov_model() -> tuple[models.Density, tf.Tensor]:
    observed = tf.constant([0.1, 0.2, 1.0, 0.5, -0.3, 0.4], tf.float64)

    def density(p: tf.Tensor) -> tf.Tensor:
        one = tf.ones([], p.dtype)
        model = tfd.HiddenMarkovModel(
            tfd.Categorical(logits=p[:2]),
            tfd.Categorical(logits=tf.reshape(p[2:6], [2, 2])),
            tfd.Normal(loc=tf.stack([p[6], p[6] + 1]), scale=one),
            num_steps=6,
        )
        return model.log_prob(observed) - 0.5 * tf.reduce_sum(p**2)

    return density, tf.constant(np.random.RandomState(0).normal(size=[CHAINS, 7]))


PROBLEMS: dict[str, tuple[Callable[[], tuple[models.Density, tf.Tensor]], float]] = {
    "hmm_example": (of_posterior(models.hmm_example, "hmm_example"), 0.01),
    "arma11": (of_posterior(models.arma11, "arma11"), 0.02),
    "stochastic_volatility": (stochastic_volatility, 0.02),
    "lotka_volterra": (of_posterior(models.lotka_volterra, "lotka_volterra"), 0.02),
    "lotka_volterra_adaptive": (
        of_posterior(models.lotka_volterra, "lotka_volterra", adaptive=True),
        0.02,
    ),
    "one_comp_mm_elim_abs": (
        of_posterior(models.one_comp_mm_elim_abs, "one_comp_mm_elim_abs"),
        0.05,
    ),
    "library_hidden_markov_model": (library_hidden_markov_model, 0.3),
}
"""By name: what makes the density and the starts, and a step size."""

CHOSEN = list(PROBLEMS) if LARGE else ["hmm_example"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", CHOSEN)
def test_nuts_under_xla_draws_what_plain_python_draws(name: str) -> None:
    make, step_size = PROBLEMS[name]
    density, starts = make()
    point = evaluate_start(density, starts)
    keys = chain_keys(0, CHAINS)[1]
    unit = np.ones(starts.shape[1])
    tuning = make_tuning(np.float64(step_size), unit, MAX_TREE_DEPTH, tf.float64)
    record = Ensemble(Settings(density), DRAWS, point, keys, {}).advance(tuning, DRAWS)
    assert all(np.isfinite(leaf).all() for leaf in record)
    assert not record.diverging.any()
    assert record.num_leapfrogs.max() == 2**MAX_TREE_DEPTH - 1

    traced = Settings(tf.function(density, autograph=False))
    first, numbers = Point(*(leaf[0] for leaf in point)), (0, DRAWS, 1)
    _, plain = run_pool.single(traced, DRAWS, first, keys[0], tuning, *numbers)
    assert record.discrete == plain.discrete == ()
    for field in Record._fields[:-1]:
        wanted = np.stack([getattr(plain, field)[i].numpy() for i in range(DRAWS)])
        seen = getattr(record, field)[0]
        if wanted.dtype.kind == "f":
            assert_close(seen, wanted, AMPLIFIED_ROUNDING, field)
        else:
            np.testing.assert_array_equal(seen, wanted, err_msg=field)
