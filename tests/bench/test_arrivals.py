"""Who has arrived, and where a run that starts well begins."""

from __future__ import annotations

import types

import numpy as np
import pytest
import tensorflow as tf

from bench.arrivals import FIRST, drawn, has_arrived
from bench.practice import MODELS


def fit_of(lp: np.ndarray) -> types.SimpleNamespace:
    chains, draws = lp.shape
    x = np.arange(chains * draws, dtype=np.float64).reshape(chains, draws)
    stats = types.SimpleNamespace(lp=lp)
    return types.SimpleNamespace(stats=stats, draws={"x": x}, num_draws=draws)


def test_a_chain_has_arrived_between_the_lowest_and_the_highest_of_good_draws():
    well = fit_of(np.linspace(-10.0, -1.0, 4 * FIRST).reshape(4, FIRST))
    lp = np.repeat(np.array([[-5.0], [-10.5], [-0.5], [-9.5]]), 2 * FIRST, 1)
    lp[0, FIRST:] = -1e5  # where a chain goes later says nothing of its warmup
    np.testing.assert_array_equal(has_arrived(fit_of(lp), well), [True, False, False, True])


def test_good_starts_are_draws_of_chains_that_stand_together():
    lp = np.random.RandomState(0).standard_normal((20, 5))
    lp[[3, 7]] += 1e4
    found = drawn(fit_of(lp), 200)["x"].numpy()
    chains = set((found // 5).astype(int))
    assert found.shape == (200,) and chains <= set(range(20)) - {3, 7} and len(chains) > 10


@pytest.mark.every(2)
@pytest.mark.parametrize("model", MODELS)
def test_a_model_has_a_slope_that_central_differences_confirm(model):
    log_density, init = MODELS[model]()
    random = np.random.RandomState(1)
    position = {n: tf.constant(0.3 * random.standard_normal(x.shape)) for n, x in init.items()}
    way = {n: tf.constant(random.standard_normal(x.shape)) for n, x in init.items()}
    with tf.GradientTape() as tape:
        tape.watch(position)
        value = log_density(position)
    slopes = tape.gradient(value, position)
    along = sum(float(tf.reduce_sum(slopes[name] * way[name])) for name in init)
    ends = [log_density({n: position[n] + h * way[n] for n in init}) for h in (-1e-5, 1e-5)]
    assert float(ends[1] - ends[0]) / 2e-5 == pytest.approx(along, rel=1e-4)
