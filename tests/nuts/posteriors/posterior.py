"""What a reference posterior is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf


class Posterior(NamedTuple):
    """A density on the unconstrained vectors u of its statement.

    Attributes:
      log_density: float64[D] -> float64[], up to a constant, the log Jacobian included.
      report: turns u, float64[..., D], into the parameters, float64[...], under the names of
        reference.json.
    """

    log_density: Callable[[tf.Tensor], tf.Tensor]
    report: Callable[[np.ndarray], dict[str, np.ndarray]]


def constant(values: Any) -> tf.Tensor:
    return tf.constant(values, tf.float64)


def sum_of_squares(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(x * x)


def numbered(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    """The components along the last axis as name[1], name[2], ..."""
    return {f"{name}[{i + 1}]": values[..., i] for i in range(values.shape[-1])}


def logistic(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def log_logistic_jacobian(x: tf.Tensor) -> tf.Tensor:
    """The log of the derivative of the logistic function."""
    return tf.math.log_sigmoid(x) + tf.math.log_sigmoid(-x)
