"""Densities with exact answers: a badly scaled normal, Neal's funnel, a banana."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from tests.nuts.posteriors.posterior import Posterior, constant, sum_of_squares

Data = dict[str, Any]


def ill_conditioned_gaussian_100(data: Data) -> Posterior:
    rotation = np.array(data["rotation"]).reshape(100, 100)
    # With Sigma^-1 = W W', the density is that of W'x, a standard normal.
    whitening = constant(rotation * np.sqrt(data["precision_eigenvalues"]))

    def log_density(u: tf.Tensor) -> tf.Tensor:
        return -0.5 * sum_of_squares(tf.linalg.matvec(whitening, u, transpose_a=True))

    return Posterior(log_density, lambda u: {f"x[{i + 1}]": u[..., i] for i in range(100)})


def neals_funnel_10(data: Data) -> Posterior:
    """Non-centred, u ~ Normal(0, 1) in each coordinate: what is tested is the way back."""

    def report(u: np.ndarray) -> dict[str, np.ndarray]:
        x = np.concatenate([3 * u[..., :1], np.exp(1.5 * u[..., :1]) * u[..., 1:]], -1)
        return {f"x[{i}]": x[..., i] for i in range(data["dim"])}

    return Posterior(lambda u: -0.5 * sum_of_squares(u), report)


def banana_2(data: Data) -> Posterior:
    curvature = data["curvature"]

    def log_density(u: tf.Tensor) -> tf.Tensor:
        return -(u[0] ** 2) / 200 - 0.5 * (u[1] - curvature * (u[0] ** 2 - 100)) ** 2

    return Posterior(log_density, lambda u: {f"x[{i}]": u[..., i] for i in range(2)})
