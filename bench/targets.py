"""Log densities to sample, for one position and batched by hand, and their NumPy truth."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Protocol

import numpy as np
import tensorflow as tf

from nuts.likelihoods import bernoulli_logits

ValueAndGradient = Callable[[tf.Tensor], tuple[tf.Tensor, tf.Tensor]]
NEWTON_STEPS = 20
TRAJECTORIES, LEAPFROGS, LEAP = 5, 4, 0.4
"""A trajectory is about a quarter of a period long, so that it forgets where it began."""


class Density(Protocol):
    """A log density of `dim` variables, float32."""

    @property
    def dim(self) -> int:
        """The length of a position."""

    def starts(self, chains: int, seed: int = 1) -> np.ndarray:
        """Where chains start, float32[chains, dim]."""

    def log_density(self) -> Callable[[tf.Tensor], tf.Tensor]:
        """Give the log density of one position, float32[dim] to float32[]."""


class Target(Density, Protocol):
    """A log density with its truth, and with a form that is batched by hand."""

    def batched(self) -> ValueAndGradient:
        """Give log density and gradient batched by hand.

        Returns:
          A function of float32[chains, dim] to float32[chains] and float32[chains, dim]. XLA drops
          the part that is not used.
        """

    def exact(self, position: np.ndarray) -> tuple[float, np.ndarray]:
        """Compute log density and gradient of one position in float64 NumPy."""


@dataclasses.dataclass(frozen=True, eq=False)
class LogisticRegression:
    """Bayesian logistic regression with a standard normal prior, float32.

    The target of Radul et al. 2020, section 4: 100 regressors and 10,000 synthetic data points,
    here drawn from the model with a fixed seed.

    Attributes:
      features: float32[points, regressors], standard normal.
      outcomes: float32[points], 0 or 1.
      truth: float32[regressors], the coefficients that the outcomes were drawn with.
    """

    features: np.ndarray
    outcomes: np.ndarray
    truth: np.ndarray

    @property
    def dim(self) -> int:
        """The number of regressors."""
        return self.truth.size

    @classmethod
    def synthetic(
        cls, points: int = 10_000, regressors: int = 100, seed: int = 0
    ) -> LogisticRegression:
        """Draw coefficients from the prior and outcomes from the model."""
        generator = np.random.default_rng(seed)
        truth = generator.standard_normal(regressors)
        features = generator.standard_normal((points, regressors))
        chance = 1.0 / (1.0 + np.exp(-features @ truth))
        outcomes = generator.random(points) < chance
        return cls(*(np.asarray(x, np.float32) for x in (features, outcomes, truth)))

    def starts(self, chains: int, seed: int = 1) -> np.ndarray:
        """Draws from the posterior, up to little, float32[chains, regressors].

        Samplers whose trajectories differ in length leave worse starts at different paces, and
        could not be compared after a few draws.
        """
        return _draws(self, chains, seed)

    def normal_approximation(self) -> tuple[np.ndarray, np.ndarray]:
        """Find the mode by Newton's method, and the negative Hessian there."""
        features, position = self.features.astype(np.float64), self.truth.astype(np.float64)
        for _ in range(NEWTON_STEPS):
            chance = _chance(features @ position)
            precision = (features.T * (chance * (1.0 - chance))) @ features + np.eye(self.dim)
            gradient = features.T @ (self.outcomes - chance) - position
            position += np.linalg.solve(precision, gradient)
        return position, precision

    def log_density(self) -> Callable[[tf.Tensor], tf.Tensor]:
        """Give the log density of one position, float32[regressors] to float32[]."""
        features, outcomes = tf.constant(self.features), tf.constant(self.outcomes)

        def log_density(position: tf.Tensor) -> tf.Tensor:
            logits = tf.tensordot(position, features, [[0], [1]])
            return bernoulli_logits(outcomes, logits) - 0.5 * tf.reduce_sum(position**2)

        return log_density

    def batched(self) -> ValueAndGradient:
        """Give log density and gradient batched by hand."""
        features, outcomes = tf.constant(self.features), tf.constant(self.outcomes)

        def value_and_gradient(positions: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            logits = tf.matmul(positions, features, transpose_b=True)
            with tf.GradientTape() as tape:
                tape.watch(logits)
                likelihood = bernoulli_logits(outcomes, logits)
            slope = tape.gradient(likelihood, logits)
            value = likelihood - 0.5 * tf.reduce_sum(positions**2, axis=1)
            return value, tf.matmul(slope, features) - positions

        return value_and_gradient

    def exact(self, position: np.ndarray) -> tuple[float, np.ndarray]:
        """Compute log density and gradient of one position in float64 NumPy."""
        positions = position[np.newaxis].astype(np.float64)
        return self.values(positions)[0], self.gradients(positions)[0]

    def values(self, positions: np.ndarray) -> np.ndarray:
        """Compute log densities, float64[chains], of float64[chains, regressors]."""
        logits = positions @ self.features.T.astype(np.float64)
        losses = np.maximum(logits, 0.0) + np.log1p(np.exp(-np.abs(logits)))
        return logits @ self.outcomes - losses.sum(1) - 0.5 * (positions**2).sum(1)

    def gradients(self, positions: np.ndarray) -> np.ndarray:
        """Compute gradients, float64[chains, regressors] of the same."""
        features = self.features.astype(np.float64)
        return (self.outcomes - _chance(positions @ features.T)) @ features - positions


def _chance(logits: np.ndarray) -> np.ndarray:
    return 0.5 + 0.5 * np.tanh(0.5 * logits)


@functools.cache
def _draws(target: LogisticRegression, chains: int, seed: int) -> np.ndarray:
    """`LogisticRegression.starts`.

    Draws from the normal approximation at the mode take some Hamiltonian trajectories in float64
    NumPy, in coordinates in which the approximation has unit scale.
    """
    generator = np.random.default_rng(seed)
    mode, precision = target.normal_approximation()
    scale = np.linalg.inv(np.linalg.cholesky(precision))

    def energy(z: np.ndarray, momentum: np.ndarray) -> np.ndarray:
        return 0.5 * (momentum**2).sum(1) - target.values(mode + z @ scale)

    def kick(z: np.ndarray) -> np.ndarray:
        return 0.5 * LEAP * target.gradients(mode + z @ scale) @ scale.T

    z = generator.standard_normal((chains, target.dim))
    for _ in range(TRAJECTORIES):
        end, momentum = z, generator.standard_normal(z.shape)
        before = energy(end, momentum)
        half = kick(end)
        for _ in range(LEAPFROGS):
            momentum = momentum + half
            end = end + LEAP * momentum
            half = kick(end)
            momentum = momentum + half
        accepted = np.log(generator.random(chains)) < before - energy(end, momentum)
        z = np.where(accepted[:, np.newaxis], end, z)
    return (mode + z @ scale).astype(np.float32)


@dataclasses.dataclass(frozen=True, eq=False)
class Normal:
    """Independent normal variables with mean 0, float32: the cheapest of gradients.

    Attributes:
      scales: float32[dim], their standard deviations.
    """

    scales: np.ndarray

    @classmethod
    def standard(cls, dim: int = 100) -> Normal:
        """All scales 1: all trajectories of one step size are equally long."""
        return cls(np.ones(dim, np.float32))

    @classmethod
    def uneven(cls, dim: int = 100, seed: int = 0) -> Normal:
        """Scales exp(u), u uniform on (-1, 1)."""
        exponents = np.random.default_rng(seed).uniform(-1.0, 1.0, dim)
        return cls(np.exp(exponents).astype(np.float32))

    @property
    def dim(self) -> int:
        """The number of variables."""
        return self.scales.size

    def starts(self, chains: int, seed: int = 1) -> np.ndarray:
        """Exact draws, so that all draws of a right sampler have the target's distribution."""
        noise = np.random.default_rng(seed).standard_normal((chains, self.dim))
        return (self.scales * noise).astype(np.float32)

    def log_density(self) -> Callable[[tf.Tensor], tf.Tensor]:
        """Give the log density of one position, float32[dim] to float32[]."""
        precision = tf.constant(1.0 / self.scales**2)

        def log_density(position: tf.Tensor) -> tf.Tensor:
            return -0.5 * tf.reduce_sum(precision * position * position)

        return log_density

    def batched(self) -> ValueAndGradient:
        """Give log density and gradient batched by hand."""
        precision = tf.constant(1.0 / self.scales**2)

        def value_and_gradient(positions: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            gradient = -precision * positions
            return 0.5 * tf.reduce_sum(positions * gradient, axis=1), gradient

        return value_and_gradient

    def exact(self, position: np.ndarray) -> tuple[float, np.ndarray]:
        """Compute log density and gradient of one position in float64 NumPy."""
        position = position.astype(np.float64)
        gradient = -position / self.scales.astype(np.float64) ** 2
        return 0.5 * position @ gradient, gradient
