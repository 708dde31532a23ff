"""One draw of the recursive sampler against a flat enumeration of the same trajectory."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from nuts.sampler.trajectory import Metric, diagonal_metric, draw_momentum, evaluate
from nuts.sampler.tree import draw
from nuts.sampler.tuning import Settings, Tuning
from tests.support.tolerances import assert_close, rounding

TRAJECTORY = rounding("float64", 10 * 3 * 2**5)
"""Of ten operations for each leapfrog step of the longest trajectory, 32 times three of them."""


class Flat(NamedTuple):
    """A draw and its statistics, in NumPy."""

    position: np.ndarray
    tree_depth: int
    num_leapfrogs: int
    accept_prob: float
    energy: float
    diverging: bool


class States(NamedTuple):
    """Consecutive states of a trajectory, in the order in which they were computed."""

    position: np.ndarray
    momentum: np.ndarray
    energy: np.ndarray


def hamiltonian(target: Callable, metric: Metric, q: np.ndarray, p: np.ndarray) -> float:
    kinetic = 0.5 * np.sum(p * p * metric.inverse_mass.numpy())
    return kinetic - target(tf.constant(q)).numpy()


def go_on(
    target: Callable,
    metric: Metric,
    step: float,
    q: np.ndarray,
    p: np.ndarray,
    number: int,
    steps_per_state: int,
) -> States:
    """Take leapfrog steps in NumPy; the gradient alone is TensorFlow's."""
    states = []
    for _ in range(number * steps_per_state):
        p = p + 0.5 * step * evaluate(target, tf.constant(q)).gradient.numpy()
        q = q + step * metric.inverse_mass.numpy() * p
        p = p + 0.5 * step * evaluate(target, tf.constant(q)).gradient.numpy()
        states.append((q, p, hamiltonian(target, metric, q, p)))
    kept = states[steps_per_state - 1 :: steps_per_state]
    return States(*(np.array(column) for column in zip(*kept, strict=True)))


def turns(metric: Metric, momenta: np.ndarray) -> bool:
    """The criterion on the whole and on each half with its neighbour, by explicit sums."""
    half = len(momenta) // 2
    pieces = [momenta, momenta[: half + 1], momenta[half - 1 :]]
    for piece in pieces:
        line = metric.inverse_mass.numpy() * piece.sum(0)
        if not (piece[0] @ line > 0 and piece[-1] @ line > 0):
            return True
    return False


def steps_until_stop(
    metric: Metric, states: States, initial_energy: float, limit: float
) -> tuple[int, bool, bool]:
    """How many states the recursion visits, and whether it stops for a turn or a divergence.

    A node of the tree, the `size` states that end at state `end`, is checked when its last state
    has been computed, small nodes first.
    """
    number = len(states.energy)
    for end in range(1, number + 1):
        if not states.energy[end - 1] - initial_energy <= limit:
            return end, False, True
        size = 2
        while size <= number and end % size == 0:
            if turns(metric, states.momentum[end - size : end]):
                return end, True, False
            size *= 2
    return number, False, False


def pick(states: States, initial_energy: float, key: tf.Tensor) -> tuple[int, float]:
    """The index of the state that a complete subtree proposes, and its log weight.

    Level by level, from pairs to the whole: not recursive.
    """
    chosen = list(range(len(states.energy)))
    weights = list(initial_energy - states.energy)
    nodes = len(chosen)
    while nodes > 1:
        nodes //= 2
        for i in range(nodes):
            node_key = pcbatch.random.fold_in(key, nodes + i)
            uniform = pcbatch.random.uniform(node_key, (), tf.float64).numpy()
            total = np.logaddexp(weights[2 * i], weights[2 * i + 1])
            second = np.log(uniform) < weights[2 * i + 1] - total
            chosen[i] = chosen[2 * i + second]
            weights[i] = total
    return chosen[0], weights[0]


def flat_draw(settings: Settings, position: np.ndarray, key: tf.Tensor, tuning: Tuning) -> Flat:
    """The same draw without recursion: each doubling is computed in full and then looked at."""
    target, limit, spacing = settings.target, settings.max_delta_energy, settings.steps_per_state
    metric, step = tuning.metric, float(tuning.step_size)
    key_momentum, key_doubling = pcbatch.random.split(key)
    momentum = draw_momentum(key_momentum, metric).numpy()
    initial_energy = energy = hamiltonian(target, metric, position, momentum)
    q, p = position[None], momentum[None]
    log_weight, depth, visited, accept = 0.0, 0, 0, 0.0
    turning = diverging = False
    backwards = False
    while depth < tuning.max_tree_depth and not (turning or diverging):
        keys = pcbatch.random.split(pcbatch.random.fold_in(key_doubling, depth), 3)
        if pcbatch.random.bernoulli(keys[0]):
            backwards, q, p = not backwards, q[::-1], p[::-1]
        signed = -step if backwards else step
        new = go_on(target, metric, signed, q[-1], p[-1], 2**depth, spacing)
        seen, turning, diverging = steps_until_stop(metric, new, initial_energy, limit)
        visited += seen
        accept += np.exp(np.minimum(0, initial_energy - new.energy[:seen])).sum()
        if turning or diverging:
            break
        chosen, weight = pick(new, initial_energy, keys[1])
        if np.log(pcbatch.random.uniform(keys[2], (), tf.float64).numpy()) < weight - log_weight:
            position, energy = new.position[chosen], new.energy[chosen]
        log_weight = np.logaddexp(log_weight, weight)
        q, p = np.concatenate([q, new.position]), np.concatenate([p, new.momentum])
        turning = turns(metric, p)
        depth += 1
    return Flat(position, depth, visited * spacing, accept / visited, energy, diverging)


LIMIT = 20.0


def correlated(x: tf.Tensor) -> tf.Tensor:
    return -0.5 * (x[0] ** 2 - 1.6 * x[0] * x[1] + x[1] ** 2) / 0.36


def banana(x: tf.Tensor) -> tf.Tensor:
    return -0.5 * x[0] ** 2 - 0.5 * ((x[1] - x[0] ** 2) / 0.3) ** 2


CASES = {
    "correlated": (correlated, 0.3, 6, 1),
    "banana": (banana, 0.25, 5, 1),
    "cut off": (correlated, 0.05, 3, 1),
    "diverging": (banana, 1.5, 5, 1),
    "three steps from state to state": (banana, 0.1, 5, 3),
}


@pytest.mark.every(6)
@pytest.mark.parametrize("case", CASES)
def test_recursion_is_the_flat_enumeration(case: str) -> None:
    target, step, max_tree_depth, steps_per_state = CASES[case]
    metric = diagonal_metric(tf.constant([1.0, 0.7], tf.float64))
    tuning = Tuning(tf.constant(step, tf.float64), metric, max_tree_depth)
    settings = Settings(target, LIMIT, steps_per_state=steps_per_state)
    position = np.array([0.5, 0.4])
    depths, diverged = set(), 0
    for seed in range(6):
        key = pcbatch.random.key(seed)
        flat = flat_draw(settings, position, key, tuning)
        point, info = draw.single(settings, evaluate(target, tf.constant(position)), key, tuning)
        assert_close(point.position, flat.position, TRAJECTORY)
        assert_close(info.accept_prob, flat.accept_prob, TRAJECTORY)
        assert_close(info.energy, flat.energy, TRAJECTORY)
        assert int(info.tree_depth) == flat.tree_depth
        assert int(info.num_leapfrogs) == flat.num_leapfrogs
        assert bool(info.diverging) == flat.diverging
        assert_close(
            point.log_density,
            target(tf.constant(flat.position)),
            TRAJECTORY,
        )
        depths.add(flat.tree_depth)
        diverged += flat.diverging
        position = flat.position
    # The cases are what their names say.
    assert diverged or case != "diverging"
    assert depths == {max_tree_depth} if case == "cut off" else max(depths) > 0


def test_not_a_number_diverges_and_is_not_drawn() -> None:
    """A target that is not a number for positive x: the chain stays where it is finite."""

    def half(x: tf.Tensor) -> tf.Tensor:
        return tf.where(x[0] > 0, tf.constant(np.nan, tf.float64), -0.5 * tf.reduce_sum(x * x))

    tuning = Tuning(tf.constant(0.7, tf.float64), diagonal_metric(tf.ones(1, tf.float64)), 5)
    point = evaluate(half, tf.constant([-0.5], tf.float64))
    diverged = []
    for seed in range(8):
        point, info = draw.single(Settings(half), point, pcbatch.random.key(seed), tuning)
        assert point.position[0] <= 0 and np.isfinite(point.log_density)
        assert np.isfinite(info.energy) and 0 <= info.accept_prob <= 1
        diverged.append(bool(info.diverging))
    assert any(diverged)
