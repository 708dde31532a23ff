"""Does NUTS draw from the distribution that it is given? Tests without a reference run.

* detailed balance: the flow between regions of a tiny target is the same both ways;
* simulation-based calibration (Talts, Betancourt, Simpson, Vehtari, Gelman 2018): where parameters
  are drawn from the prior and data from the parameters, the rank of the true parameter among draws
  from the posterior is uniform. 1,024 fits are 1,024 chains of one run, each with its own data;
* the joint distribution test (Geweke 2004, "Getting it right"), with independent chains: one that
  starts at an exact draw of parameters and data, and in turn makes a transition of NUTS and draws
  new data, keeps their joint distribution.

Each test fails falsely with probability `LEVEL` or less. `make test` runs the first, `make
test-all` all three, the second on one of two models. With `PCBATCH_STRESS=1` all are made with
`REPEATS` times as many chains, and a broken NUTS is run and found.
"""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from scipy import stats

from nuts.adaptation.ensemble import Ensemble, chain_keys
from nuts.run.density import evaluate_start
from nuts.sampler import trajectory, tree
from nuts.sampler.tuning import Settings, make_tuning
from tests.nuts.conditioned import Model, Posteriors
from tests.nuts.exactness import detectable_mean, flow_balance, known_means, uniformity
from tests.support.extent import LARGE

REPEATS = 16 if LARGE else 1
LEVEL = 1e-4
FITS = 1024
LENGTH = 16
THIN = 4
REGIONS = 8

# --- Detailed balance --------------------------------------------------------------------------


def log_gamma(position: tf.Tensor) -> tf.Tensor:
    """The logarithm of a Gamma(2, 1) variable: one coordinate, skewed."""
    return 2.0 * position[0] - tf.exp(position[0])


SETTINGS = Settings(log_gamma)


def region(position: np.ndarray) -> np.ndarray:
    """Eight regions of equal probability."""
    u = stats.gamma.cdf(np.exp(position[..., 0]), 2.0)
    return np.minimum((u * REGIONS).astype(int), REGIONS - 1)


def transitions() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """From which to which region transitions go that start at exact draws, and their depths."""
    generator = np.random.RandomState(3)
    tuning = make_tuning(np.float64(1.1), np.ones(1), 4, tf.float64)
    before, after, depths = [], [], []
    for repeat in range(8 * REPEATS):
        start = np.log(generator.gamma(2.0, size=(FITS, 1)))
        point = evaluate_start(log_gamma, tf.constant(start))
        ensemble = Ensemble(SETTINGS, LENGTH, point, chain_keys(repeat, FITS)[1], {})
        record = ensemble.advance(tuning, 1)
        before.append(region(start))
        after.append(region(record.position[:, 0]))
        depths.append(record.tree_depth[:, 0])
    return tuple(np.concatenate(parts) for parts in (before, after, depths))


def test_detailed_balance() -> None:
    """8,192 transitions. The step size is so large that trajectories have uneven weights."""
    before, after, depths = transitions()
    assert flow_balance(before, after, REGIONS) > LEVEL / 2
    assert uniformity(after, REGIONS) > LEVEL / 2
    assert (before != after).mean() > 0.5 and np.ptp(depths) >= 2


BROKEN = {
    "momenta too large": ("draw_momentum", lambda *args: 1.1 * trajectory.draw_momentum(*args)),
    "the second half is always taken": (
        "log_uniform",
        lambda key, like: -1e30 * tf.ones_like(like),
    ),
    "a tree weighs as its second half": ("log_add_exp", lambda first, second: second),
    "the last half step too short": (
        "land",
        lambda step, point, momentum: trajectory.land(0.9 * step, point, momentum),
    ),
}
"""Mistakes: which name in `nuts.sampler.tree` means what instead."""


@pytest.mark.skipif(not LARGE, reason="runs a broken NUTS: set PCBATCH_STRESS=1")
@pytest.mark.parametrize("mistake", BROKEN)
def test_mistakes_break_detailed_balance(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """8,192 transitions find the second and the third; for the others 131,072 are made."""
    name, wrong = BROKEN[mistake]
    monkeypatch.setattr(tree, name, wrong)
    before, after, _ = transitions()
    p = min(flow_balance(before, after, REGIONS), uniformity(after, REGIONS))
    assert p < LEVEL / 2


# --- Models ------------------------------------------------------------------------------------

GROUPS, NOISE = 4, 0.7


def hierarchy_log_joint(parameters: tf.Tensor, data: tf.Tensor) -> tf.Tensor:
    """mu, log tau / 0.5, z ~ Normal(0, 1); data ~ Normal(mu + tau z, NOISE)."""
    mu, tau, z = parameters[0], tf.exp(0.5 * parameters[1]), parameters[2:]
    residual = (data - mu - tau * z) / NOISE
    return -0.5 * tf.reduce_sum(parameters**2) - 0.5 * tf.reduce_sum(residual**2)


def normal_parameters(count: int):
    return lambda generator, number: generator.standard_normal((number, count))


def hierarchy_data(generator: np.random.RandomState, parameters: np.ndarray) -> np.ndarray:
    mu, tau, z = parameters[:, :1], np.exp(0.5 * parameters[:, 1:2]), parameters[:, 2:]
    return mu + tau * z + NOISE * generator.standard_normal(z.shape)


DESIGN = np.random.RandomState(5).standard_normal((3, 20))


def logistic_log_joint(parameters: tf.Tensor, data: tf.Tensor) -> tf.Tensor:
    """Three weights ~ Normal(0, 1), twenty outcomes ~ Bernoulli(logistic(weights . design))."""
    logits = tf.tensordot(parameters, tf.constant(DESIGN), [[0], [0]])
    log_likelihood = tf.reduce_sum(data * logits - tf.math.softplus(logits))
    return log_likelihood - 0.5 * tf.reduce_sum(parameters**2)


def logistic_data(generator: np.random.RandomState, parameters: np.ndarray) -> np.ndarray:
    probability = 1 / (1 + np.exp(-parameters @ DESIGN))
    return (generator.uniform(size=probability.shape) < probability).astype(float)


MODELS = {
    "hierarchy": Model(hierarchy_log_joint, normal_parameters(2 + GROUPS), hierarchy_data, 0.15),
    "logistic": Model(logistic_log_joint, normal_parameters(3), logistic_data, 0.5),
}

# --- Simulation-based calibration --------------------------------------------------------------


def calibration_ranks(model: Model, seed: int, fits: int = FITS) -> np.ndarray:
    """Ranks 0, ..., LENGTH of the truth among LENGTH other draws: int[fits, P + 1].

    The last is the rank of the log density, a function of parameters and data, which finds what
    the parameters alone cannot (Modrak et al. 2023).

    A chain that starts elsewhere forgets it only in time, and its draws are correlated, so that
    ranks are not uniform for a right sampler either, as many fits find. The truth is itself a draw
    from the posterior of its data. As NUTS is reversible, the truth at a uniformly random place of
    a chain, with draws made from it both ways, has a uniform rank exactly, however slowly the
    chain moves (the serial method of Besag and Clifford 1989). Ties are broken at random.
    """
    generator = np.random.RandomState(seed)
    truth = model.draw_parameters(generator, fits)
    data = model.draw_data(generator, truth)
    place = generator.randint(LENGTH + 1, size=fits)
    posteriors = Posteriors(model, truth, data, LENGTH, seed)
    start = posteriors.ensemble.point
    ranks = np.zeros((fits, posteriors.count + 1), int)
    truths = np.column_stack([truth, start.log_density])[:, np.newaxis]
    # The random numbers of the second way are those of later draws.
    for length in (place, LENGTH - place):
        posteriors.ensemble.point = start
        draws, record = posteriors.advance(LENGTH * THIN, THIN)
        np.testing.assert_array_equal(record.position[:, -1, posteriors.count :], data)
        values = np.concatenate([draws, record.lp[..., np.newaxis]], 2)
        below = np.where(
            generator.uniform(size=values.shape) < 0.5, values <= truths, values < truths
        )
        taken = np.arange(LENGTH) < length[:, np.newaxis]
        ranks += (below & taken[..., np.newaxis]).sum(1)
    return ranks


def calibration_p_value(ranks: np.ndarray) -> float:
    """Chi-square for each quantity, Bonferroni over quantities."""
    return min(uniformity(column, LENGTH + 1) for column in ranks.T) * ranks.shape[1]


@pytest.mark.parametrize(
    "name",
    [
        # Of this one the joint distribution test runs in `make test-all`.
        pytest.param("hierarchy", marks=pytest.mark.large),
        pytest.param("logistic", marks=pytest.mark.thorough),
    ],
)
def test_simulation_based_calibration(name: str) -> None:
    """1,024 fits; with `PCBATCH_STRESS=1` 16,384."""
    ranks = calibration_ranks(MODELS[name], 100, FITS * REPEATS)
    assert calibration_p_value(ranks) > LEVEL


@pytest.mark.parametrize(("shift", "scale"), [(0.3, 1.0), (0.0, 1.35)])
def test_what_calibration_finds(shift: float, scale: float) -> None:
    """1,024 fits find a shift by 0.3 posterior sds, or sds wrong by 35%, in one of 7 quantities.

    With probability 0.99: all but one of a hundred simulated calibrations of draws that are wrong
    by as much, and none of a hundred right ones.
    """
    generator = np.random.RandomState(0)
    truth = generator.standard_normal((100, FITS, 1))
    draws = generator.standard_normal((100, FITS, LENGTH))
    found = []
    for wrong in (shift + scale * draws, draws):
        ranks = (wrong < truth).sum(-1)
        found.append(sum(7 * uniformity(rank, LENGTH + 1) < LEVEL for rank in ranks))
    assert found[0] >= 99 and found[1] == 0


# --- The joint distribution test ---------------------------------------------------------------

ROUNDS = 12


def joint_functions(parameters: np.ndarray, data: np.ndarray) -> np.ndarray:
    """Functions of one draw of the hierarchy whose means are known: float64[chains, K]."""
    tau = np.exp(0.5 * parameters[:, 1])
    columns = [parameters, parameters**2, data.mean(1), (data**2).mean(1), tau]
    columns += [parameters[:, 0] * data.mean(1), (parameters[:, 2:] * data).mean(1)]
    return np.column_stack(columns)


def joint_means() -> np.ndarray:
    """E tau = exp(1/8) and E tau^2 = exp(1/2), as log tau ~ Normal(0, 1/2)."""
    count = 2 + GROUPS
    mean_tau, mean_tau_squared = np.exp(1 / 8), np.exp(1 / 2)
    of_data = [0.0, 1 + mean_tau_squared + NOISE**2]
    return np.array([*np.zeros(count), *np.ones(count), *of_data, mean_tau, 1.0, mean_tau])


def joint_run(seed: int) -> np.ndarray:
    """Each chain's averages over rounds: float64[FITS, K]."""
    model, generator = MODELS["hierarchy"], np.random.RandomState(seed)
    parameters = model.draw_parameters(generator, FITS)
    data = model.draw_data(generator, parameters)
    posteriors = Posteriors(model, parameters, data, LENGTH, seed)
    seen = []
    for _ in range(ROUNDS):
        draws, _ = posteriors.advance(1)
        parameters = draws[:, 0]
        data = model.draw_data(generator, parameters)
        posteriors.replace_data(data)
        seen.append(joint_functions(parameters, data))
    return np.mean(seen, 0)


@pytest.mark.thorough
def test_joint_distribution() -> None:
    """1,024 chains of 12 rounds find an error of a mean of 0.26 standard deviations."""
    values = np.concatenate([joint_run(200 + repeat) for repeat in range(REPEATS)])
    assert known_means(values, joint_means()) > LEVEL
    assert detectable_mean(FITS, len(joint_means()), LEVEL) < 0.26
