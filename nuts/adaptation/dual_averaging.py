"""The step size that gives a wanted mean acceptance probability."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SHRINKAGE = 0.05
DELAY = 10.0
FORGETTING = 0.75


class DualAveraging(NamedTuple):
    """Finds the step size at which the acceptance probability has a wanted mean.

    Nesterov's dual averaging as in Hoffman and Gelman 2014, section 3.2.1, with their constants.
    Departure: iterates shrink towards the log of the initial step size itself, not of ten times it.
    Larger trial steps pay for one chain; in a pool every chain would waste its draws at once.

    Attributes:
      center: the log step size that iterates shrink to: float[] or float[chains].
      log_step: the current iterate.
      log_average: the weighted average of the iterates, the estimate.
      error: the running mean of (wanted - seen) acceptance probability.
      updates: the number of updates.
    """

    center: np.ndarray
    log_step: np.ndarray
    log_average: np.ndarray
    error: np.ndarray
    updates: int

    @classmethod
    def start(cls, step_size: np.ndarray) -> DualAveraging:
        """Start from a step size, float[] or float[chains]."""
        log_step = np.log(np.asarray(step_size, np.float64))
        return cls(log_step, log_step, log_step, np.zeros_like(log_step), 0)

    def update(self, accept_prob: np.ndarray | float, wanted: float) -> DualAveraging:
        """Learn from the mean acceptance probability seen at the current step size."""
        updates = self.updates + 1
        weight = 1.0 / (updates + DELAY)
        error = (1.0 - weight) * self.error + weight * (wanted - accept_prob)
        log_step = self.center - np.sqrt(updates) / SHRINKAGE * error
        weight = updates**-FORGETTING
        log_average = weight * log_step + (1.0 - weight) * self.log_average
        return DualAveraging(self.center, log_step, log_average, error, updates)

    @property
    def step_size(self) -> np.ndarray:
        """The step size to try next."""
        return np.exp(self.log_step)

    @property
    def final_step_size(self) -> np.ndarray:
        """The step size to keep."""
        return np.exp(self.log_average)
