"""Many posteriors at once: every chain of one run has data of its own.

The data ride along in the position as coordinates of infinite mass: their inverse mass and their
momenta are zero, and so is the gradient, so that they never move. What is tested is NUTS itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import Ensemble, chain_keys
from nuts.run.density import evaluate_start
from nuts.sampler.chain import Record
from nuts.sampler.trajectory import Metric
from nuts.sampler.tuning import Settings, Tuning


class Model(NamedTuple):
    """A joint distribution of parameters and data.

    Attributes:
      log_joint: (parameters float64[P], data float64[N]) -> float64[], up to a constant.
      draw_parameters: (generator, number) -> float64[number, P], from the prior.
      draw_data: (generator, parameters float64[number, P]) -> float64[number, N].
      step_size: for NUTS with a unit metric.
    """

    log_joint: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
    draw_parameters: Callable[[np.random.RandomState, int], np.ndarray]
    draw_data: Callable[[np.random.RandomState, np.ndarray], np.ndarray]
    step_size: float


class Posteriors:
    """Chains of NUTS, each at its own posterior.

    Args:
      model: the joint distribution.
      parameters: float64[chains, P], where the chains start.
      data: float64[chains, N].
      length: the most rows that one run records.
      seed: of the chains.
    """

    def __init__(
        self, model: Model, parameters: np.ndarray, data: np.ndarray, length: int, seed: int
    ):
        self.count = parameters.shape[1]
        self.settings = _settings(model, self.count)
        moves = tf.constant(np.repeat([1.0, 0.0], [self.count, data.shape[1]]))
        step_size = tf.constant(model.step_size, tf.float64)
        self.tuning = Tuning(step_size, Metric(moves, moves), tf.constant(6))
        _, keys = chain_keys(seed, len(parameters))
        point = self._point(parameters, data)
        self.ensemble = Ensemble(self.settings, length, point, keys, {})

    def _point(self, parameters: np.ndarray, data: np.ndarray):
        positions = tf.constant(np.concatenate([parameters, data], 1))
        return evaluate_start(self.settings.target, positions)

    def advance(self, num_draws: int, thin: int = 1) -> tuple[np.ndarray, Record]:
        """Make draws: the parameters, float64[chains, num_draws / thin, P], and the record."""
        record = self.ensemble.advance(self.tuning, num_draws, thin)
        return record.position[..., : self.count], record

    def replace_data(self, data: np.ndarray) -> None:
        """Go on from where the chains stand, with other data."""
        parameters = self.ensemble.point.position[:, : self.count].numpy()
        self.ensemble.point = self._point(parameters, data)


_SETTINGS: dict[tuple[Model, int], Settings] = {}


def _settings(model: Model, count: int) -> Settings:
    """The same object for the same model, so that one compiled program serves all tests of it."""

    def target(position: tf.Tensor) -> tf.Tensor:
        return model.log_joint(position[:count], tf.stop_gradient(position[count:]))

    return _SETTINGS.setdefault((model, count), Settings(target))
