"""Leapfrog steps, energies, metrics and the U-turn criterion."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from nuts.sampler.termination import is_turning, is_turning_across
from nuts.sampler.trajectory import (
    Metric,
    State,
    dense_metric,
    diagonal_metric,
    draw_momentum,
    energy,
    evaluate,
    leapfrog,
    velocity,
)
from tests.support.tolerances import assert_close, rounding

ROUNDING = rounding("float64", 32)
"""Of a leapfrog step, or of a product with a 3 x 3 matrix: a few dozen operations at most."""
PATH = rounding("float64", 2 * 20 * 10)
"""Of twenty leapfrog steps there and twenty back, ten operations each."""

VARIANCE = np.array([1.0, 4.0, 0.25])


def gaussian(position: tf.Tensor) -> tf.Tensor:
    return -0.5 * tf.reduce_sum(position**2 / VARIANCE)


def quartic(position: tf.Tensor) -> tf.Tensor:
    return -0.25 * tf.reduce_sum(position**4) - 0.5 * tf.reduce_sum(position) ** 2


def start(target) -> State:
    position = tf.constant([0.3, -1.2, 0.7], tf.float64)
    return State(evaluate(target, position), tf.constant([1.0, 0.5, -0.8], tf.float64))


COVARIANCE = np.array([[1.0, 0.3, 0.1], [0.3, 2.0, -0.4], [0.1, -0.4, 0.5]])
METRICS = {
    "diagonal": diagonal_metric(tf.constant([0.5, 2.0, 1.5], tf.float64)),
    "dense": dense_metric(tf.constant(COVARIANCE)),
}


def steps(target, metric: Metric, size: float, state: State, number: int) -> State:
    for _ in range(number):
        state = leapfrog(target, metric, tf.constant(size, tf.float64), state)
    return state


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("target", [gaussian, quartic])
def test_leapfrog_is_reversible(metric: str, target) -> None:
    there = steps(target, METRICS[metric], 0.1, start(target), 20)
    back = steps(target, METRICS[metric], -0.1, there, 20)
    first = start(target)
    assert_close(back.point.position, first.point.position, PATH)
    assert_close(back.momentum, first.momentum, PATH)
    assert np.abs(there.point.position - first.point.position).max() > 0.1


@pytest.mark.parametrize("metric", METRICS)
def test_energy_error_is_of_second_order(metric: str) -> None:
    """Over a fixed time, half the step size leaves a quarter of the energy error."""
    first = start(quartic)
    errors = []
    for size, number in ((0.02, 40), (0.01, 80)):
        last = steps(quartic, METRICS[metric], size, first, number)
        error = energy(METRICS[metric], last) - energy(METRICS[metric], first)
        errors.append(error.numpy())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)


def test_leapfrog_against_the_harmonic_oscillator() -> None:
    """One leapfrog step of x'' = -x is a known 2 x 2 matrix."""
    size = 0.3
    metric = diagonal_metric(tf.ones(1, tf.float64))
    state = State(
        evaluate(lambda x: -0.5 * tf.reduce_sum(x * x), tf.constant([0.7], tf.float64)),
        tf.constant([-0.4], tf.float64),
    )
    after = steps(lambda x: -0.5 * tf.reduce_sum(x * x), metric, size, state, 1)
    turn = np.array([[1 - size**2 / 2, size], [-size * (1 - size**2 / 4), 1 - size**2 / 2]]) @ [
        0.7,
        -0.4,
    ]
    seen = [after.point.position[0], after.momentum[0]]
    assert_close(seen, turn, ROUNDING)


def test_dense_metric_of_a_diagonal_is_the_diagonal_metric() -> None:
    diagonal = METRICS["diagonal"]
    dense = dense_metric(tf.linalg.diag(diagonal.inverse_mass))
    momentum = start(gaussian).momentum
    assert_close(velocity(dense, momentum), velocity(diagonal, momentum), ROUNDING)
    for key in range(3):
        drawn = [draw_momentum(pcbatch.random.key(key), metric) for metric in (dense, diagonal)]
        assert_close(*drawn, ROUNDING)


@pytest.mark.parametrize("metric", METRICS)
def test_momentum_scale_is_a_root_of_the_mass(metric: str) -> None:
    inverse_mass, scale = (np.asarray(x) for x in METRICS[metric])
    if inverse_mass.ndim == 1:
        inverse_mass, scale = np.diag(inverse_mass), np.diag(scale)
    assert_close(inverse_mass @ scale @ scale.T, np.eye(3), ROUNDING)


UNIT = diagonal_metric(tf.ones(2, tf.float64))


def momenta_on_circle(first: float, last: float, number: int) -> np.ndarray:
    """Momenta along an arc of a circular orbit, between two angles in degrees."""
    angle = np.radians(np.linspace(first, last, number))
    return np.stack([np.cos(angle), np.sin(angle)], 1)


def ends_and_sum(momenta: np.ndarray) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    return tuple(tf.constant(x) for x in (momenta[0], momenta[-1], momenta.sum(0)))


@pytest.mark.parametrize(("degrees", "turning"), [(10, False), (170, False), (190, True)])
def test_an_orbit_turns_after_half_a_circle(degrees: float, turning: bool) -> None:
    arc = ends_and_sum(momenta_on_circle(0, degrees, 64))
    assert is_turning(UNIT, *arc) == turning
    backwards = ends_and_sum(momenta_on_circle(degrees, 0, 64))
    assert is_turning(UNIT, *backwards) == turning


def test_criterion_does_not_depend_on_the_units() -> None:
    """To stretch an axis and the metric with it changes nothing."""
    stretch = np.array([10.0, 0.1])
    metric = diagonal_metric(tf.constant(stretch**2))
    for degrees in (170, 190):
        arc = momenta_on_circle(0, degrees, 64)
        plain = is_turning(UNIT, *ends_and_sum(arc))
        assert is_turning(metric, *ends_and_sum(arc / stretch)) == plain


def test_extra_checks_see_the_turn_that_the_ends_miss() -> None:
    """Two halves, and the gap between them, together make more than a full circle."""
    first = ends_and_sum(momenta_on_circle(0, 150, 4))
    second = ends_and_sum(momenta_on_circle(200, 350, 4))
    assert not is_turning(UNIT, *first) and not is_turning(UNIT, *second)
    nearly = ends_and_sum(momenta_on_circle(0, 60, 8))
    far = ends_and_sum(momenta_on_circle(190, 340, 2))
    whole = is_turning(UNIT, nearly[0], far[1], nearly[2] + far[2])
    assert not whole
    assert is_turning_across(UNIT, nearly, far)


def test_what_is_not_a_number_turns() -> None:
    bad = tf.constant([np.nan, 1.0], tf.float64)
    good = tf.constant([1.0, 1.0], tf.float64)
    assert is_turning(UNIT, bad, good, good)
    assert is_turning(UNIT, good, good, bad)
    assert not is_turning(UNIT, good, good, good)
