"""The step sizes of many chains: one that they share, or one for each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nuts.adaptation.dual_averaging import DualAveraging


class StepSizes(NamedTuple):
    """Finds a step size for the chains that share one, and one for each of the others.

    Attributes:
      common: of the chains that share one: float[].
      own: of each chain by itself: float[chains].
    """

    common: DualAveraging
    own: DualAveraging

    @classmethod
    def start(cls, common: np.ndarray, own: np.ndarray) -> StepSizes:
        """Start from step sizes, float[] and float[chains]."""
        return cls(DualAveraging.start(common), DualAveraging.start(own))

    def tried(self, alone: np.ndarray) -> np.ndarray:
        """The step size that each chain is to try next: float[chains].

        Args:
          alone: bool[chains], whether the chain has a step size of its own.
        """
        return np.where(alone, self.own.step_size, self.common.step_size)

    def update(self, accept_prob: np.ndarray, alone: np.ndarray, wanted: float) -> StepSizes:
        """Learn from the acceptance probabilities seen at the step sizes that were tried.

        A chain that shares a step size says nothing about one of its own.

        Args:
          accept_prob: float[chains], each chain's mean.
          alone: bool[chains], as for `tried`.
          wanted: the mean acceptance probability to aim at.
        """
        own = self.own.update(np.where(alone, accept_prob, wanted), wanted)
        if alone.all():
            return self._replace(own=own)
        return StepSizes(self.common.update(np.mean(accept_prob[~alone]), wanted), own)
