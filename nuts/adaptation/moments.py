"""Mean and (co)variance of draws that come in pieces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Moments(NamedTuple):
    """Mean and scatter of draws that come in pieces.

    Pieces are merged as in Chan, Golub and LeVeque 1983, the batch form of Welford's update.

    Attributes:
      seen: the number of draws seen.
      mean: float[..., D].
      scatter: the sum of squared differences from the mean, float[..., D], or of their outer
        products, float[..., D, D], where the metric is dense.
    """

    seen: int
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def start(cls, shape: tuple[int, ...], dense: bool) -> Moments:
        """Start with nothing seen; `shape` is [..., D]."""
        mean = np.zeros(shape)
        return cls(0, mean, _square(mean, dense))

    def update(self, draws: np.ndarray) -> Moments:
        """Learn from more draws, float[..., n, D]."""
        dense = self.scatter.ndim > self.mean.ndim
        number = draws.shape[-2]
        mean = draws.mean(-2, dtype=np.float64)
        centred = draws - mean[..., np.newaxis, :]
        if dense:
            scatter = np.swapaxes(centred, -1, -2) @ centred
        else:
            scatter = np.square(centred).sum(-2)
        seen = self.seen + number
        between = _square(mean - self.mean, dense) * (self.seen * number / seen)
        return Moments(
            seen,
            self.mean + (mean - self.mean) * (number / seen),
            self.scatter + scatter + between,
        )

    def covariance(self) -> np.ndarray:
        """The estimate of the posterior (co)variance, shrunk towards 1/1000 of the variances.

        The weights are Stan's (`welford_var_estimator`): a prior worth five draws. Departure: Stan
        shrinks towards 1/1000 of the identity, which is far from small where a variance is 1e-8.
        In units of each number's own standard deviation the two are the same. The identity serves
        where a number has not moved.
        """
        dense = self.scatter.ndim > self.mean.ndim
        shrink = self.seen / (self.seen + 5.0)
        sample = self.scatter / max(self.seen - 1, 1)
        variances = np.diagonal(sample, axis1=-2, axis2=-1) if dense else sample
        ridge = 1e-3 * (1.0 - shrink) * np.where(variances > 0, variances, 1.0)
        return shrink * sample + (_diagonal(ridge) if dense else ridge)


def _diagonal(vector: np.ndarray) -> np.ndarray:
    """The diagonal matrix of a vector: float[..., D, D]."""
    return vector[..., np.newaxis] * np.eye(vector.shape[-1])


def _square(vector: np.ndarray, dense: bool) -> np.ndarray:
    """The squares of a vector's elements, or its outer product with itself."""
    return vector[..., :, np.newaxis] * vector[..., np.newaxis, :] if dense else np.square(vector)
