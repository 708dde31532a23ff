"""The sampler as a batched program: against plain Python, and against itself."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from nuts.adaptation.ensemble import Ensemble, chain_keys
from nuts.run.density import evaluate_start
from nuts.sampler.chain import Record, run_each, run_pool
from nuts.sampler.trajectory import Point
from nuts.sampler.tuning import Settings, Tuning, make_tuning
from tests.support.tolerances import Tolerance, assert_close

CHAINS = 1024
LENGTH = 16
# Rounding differs between XLA and eager kernels; a trajectory of some tens of leapfrog steps in
# float64 amplifies it by a few orders of magnitude.
AMPLIFIED_ROUNDING = Tolerance(1e-9, 1e-9)


def bent(position: tf.Tensor) -> tf.Tensor:
    """x ~ Normal(0, 1), y ~ Normal((x^2 - 1) / 2, 1/2)."""
    x, y = position[0], position[1]
    return -0.5 * x * x - 2.0 * (y - 0.5 * (x * x - 1.0)) ** 2


SETTINGS = Settings(bent)


def exact_draws(number: int) -> tf.Tensor:
    z = np.random.RandomState(0).standard_normal((number, 2))
    return tf.constant(np.stack([z[:, 0], 0.5 * (z[:, 0] ** 2 - 1) + 0.5 * z[:, 1]], 1))


def make_ensemble(
    number: int = CHAINS,
    order=None,
    strategy: str = "pc",
    schedule: str = "auto",
    settings: Settings = SETTINGS,
) -> Ensemble:
    """Chains that start at exact draws from the target; `order` permutes the chains."""
    positions, keys = exact_draws(CHAINS)[:number], chain_keys(0, CHAINS)[1][:number]
    if order is not None:
        positions, keys = tf.gather(positions, order), tf.gather(keys, order)
    point = evaluate_start(bent, positions)
    return Ensemble(settings, LENGTH, point, keys, {"strategy": strategy, "schedule": schedule})


TUNING = make_tuning(np.float64(0.4), np.array([1.0, 0.8]), 6, tf.float64)


def run(ensemble: Ensemble, pieces: tuple[int, ...] = (LENGTH,)) -> Record:
    records = [ensemble.advance(TUNING, piece) for piece in pieces]
    return tf.nest.map_structure(lambda *leaves: np.concatenate(leaves, 1), *records)


@pytest.fixture(scope="module")
def record() -> Record:
    return run(make_ensemble())


def assert_same(a: Record, b: Record) -> None:
    for name, left, right in zip(Record._fields, a, b, strict=True):
        np.testing.assert_array_equal(left, right, err_msg=name)


def test_machine_makes_the_trajectories_of_plain_python(record: Record) -> None:
    ensemble = make_ensemble()
    for chain in range(3):
        point = Point(*(leaf[chain] for leaf in ensemble.point))
        key = ensemble.keys[chain]
        _, plain = run_pool.single(SETTINGS, LENGTH, point, key, TUNING, 0, LENGTH, 1)
        for name in ("tree_depth", "num_leapfrogs", "divergences", "saturated"):
            expected = [getattr(plain, name)[i].numpy() for i in range(LENGTH)]
            np.testing.assert_array_equal(getattr(record, name)[chain], expected)
        for name in ("position", "lp", "accept_prob", "energy"):
            expected = [getattr(plain, name)[i].numpy() for i in range(LENGTH)]
            seen = getattr(record, name)[chain]
            assert_close(seen, expected, AMPLIFIED_ROUNDING)


def test_draws_keep_the_target_distribution(record: Record) -> None:
    """Started at exact draws, every draw of every chain is one, so that any mean is known.

    Six means at four standard errors: false fails at a rate of 4e-4. The standard errors, from the
    independent chains, are below 0.03 standard deviations: a bias of an eighth of one is seen.
    """
    x, y = record.position[..., 0], record.position[..., 1]
    known = {
        "x": (x, 0.0),
        "x^2": (x**2, 1.0),
        "y": (y, 0.0),
        "y^2": (y**2, 0.75),
        "x^2 y": (x**2 * y, 1.0),
        "|x|": (np.abs(x), np.sqrt(2 / np.pi)),
    }
    for name, (values, mean) in known.items():
        chains = values.mean(1)
        error = chains.std(ddof=1) / np.sqrt(CHAINS)
        assert abs(chains.mean() - mean) < 4 * error, name
        assert error < 0.03 * values.std(), name
    assert np.ptp(record.tree_depth) >= 2 and 0.6 < record.accept_prob.mean() < 0.95


def test_same_run_twice_is_the_same(record: Record) -> None:
    assert_same(run(make_ensemble()), record)


def test_pieces_make_the_draws_of_one_run(record: Record) -> None:
    assert_same(run(make_ensemble(), (1, 5, 10)), record)


def test_thinning_keeps_every_other_draw(record: Record) -> None:
    thinned = make_ensemble().advance(TUNING, LENGTH, thin=2)
    for name in ("position", "lp", "energy"):
        np.testing.assert_array_equal(getattr(thinned, name), getattr(record, name)[:, 1::2])


@pytest.mark.thorough
def test_a_row_tells_of_all_its_draws(record: Record) -> None:
    """Where trees are cut off and energies may rise little there is much to tell of."""
    tuning = TUNING._replace(max_tree_depth=tf.constant(2))
    settings = dataclasses.replace(SETTINGS, max_delta_energy=0.4)
    every, third = (make_ensemble(60, settings=settings) for _ in range(2))
    apart, together = every.advance(tuning, 15), third.advance(tuning, 15, thin=3)

    def of_row(name: str) -> np.ndarray:
        return getattr(apart, name).reshape(60, 5, 3)

    for name in ("num_leapfrogs", "divergences", "saturated"):
        np.testing.assert_array_equal(getattr(together, name), of_row(name).sum(2), err_msg=name)
        assert together.divergences.max() > 1 and together.saturated.max() > 1
    np.testing.assert_array_equal(together.tree_depth, of_row("tree_depth").max(2))
    assert_close(together.accept_prob, of_row("accept_prob").mean(2), Tolerance(1e-12))
    np.testing.assert_array_equal(together.diverging, of_row("diverging").any(2))
    np.testing.assert_array_equal(together.first_energy, of_row("energy")[..., 0])
    changes = np.square(np.diff(of_row("energy"), axis=2)).sum(2)
    assert_close(together.energy_changes, changes, Tolerance(1e-12))


def test_permuting_chains_permutes_draws(record: Record) -> None:
    order = np.random.RandomState(1).permutation(CHAINS)
    permuted = run(make_ensemble(order=order))
    assert_same(permuted, tf.nest.map_structure(lambda leaf: leaf[order], record))


@pytest.mark.every(3)
@pytest.mark.parametrize(("number", "schedule"), [(1, "auto"), (10, "sweep"), (10, "switch")])
def test_draws_are_the_same_bits_for_any_batch_and_schedule(
    record: Record, number: int, schedule: str
) -> None:
    """The target and the sampler are elementwise here: nothing depends on the batch."""
    alone = run(make_ensemble(number, schedule=schedule))
    assert_same(alone, tf.nest.map_structure(lambda leaf: leaf[:number], record))


@pytest.mark.thorough
def test_chains_with_a_tuning_of_their_own(record: Record) -> None:
    """One tuning, given to each chain, is the shared tuning; another makes other draws.

    Under local static: the strategy makes the same draws, too.
    """
    step_size, inverse_mass = np.full(3, 0.4), np.tile([1.0, 0.8], (3, 1))
    step_size[2] = 0.2
    tuning = make_tuning(step_size, inverse_mass, 6, tf.float64)
    assert isinstance(tuning, Tuning) and tuning.metric.inverse_mass.shape == [3, 2]
    ensemble = make_ensemble(3)
    _, own = run_each.run(
        SETTINGS,
        LENGTH,
        ensemble.point,
        ensemble.keys,
        tuning,
        tf.constant(0),
        tf.constant(4),
        tf.constant(1),
        strategy="local",
    ).value
    same, other = own.position[:2, :4], own.position[2, :4]
    assert_close(same, record.position[:2, :4], AMPLIFIED_ROUNDING)
    np.testing.assert_array_equal(own.num_leapfrogs[:2, :4], record.num_leapfrogs[:2, :4])
    assert np.abs(other - record.position[2, :4]).max() > 0.01
    assert own.num_leapfrogs[2].numpy().sum() > record.num_leapfrogs[2, :4].sum()


def test_use_of_blocks_is_counted() -> None:
    ensemble = make_ensemble()
    record = run(ensemble)
    assert ensemble.seconds > 0
    assert all(0 <= block.utilization <= 1 for block in ensemble.blocks.values())
    leapfrogs = record.num_leapfrogs.sum()
    assert leapfrogs in {block.active for block in ensemble.blocks.values()}
