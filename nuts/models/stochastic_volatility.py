"""Stochastic volatility (Kim, Shephard and Chib 1998) on simulated returns.

mu ~ Normal(0, 2),  (phi + 1) / 2 ~ Beta(20, 1.5),  sigma ~ HalfNormal(0.5)
h_1 ~ Normal(mu, sigma / sqrt(1 - phi^2)),  h_t ~ Normal(mu + phi (h_{t-1} - mu), sigma)
y_t ~ Normal(0, exp(h_t / 2))
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from nuts.models.model import Model, read_reference
from nuts.results.reference import Reference

LENGTH = 100
TRUE_MU, TRUE_PHI, TRUE_SIGMA = -1.0, 0.95, 0.35


def load_data() -> np.ndarray:
    """Returns drawn from the model with a fixed seed: float64[LENGTH], rounded to four digits."""
    random = np.random.RandomState(2)
    h = TRUE_MU + TRUE_SIGMA / np.sqrt(1 - TRUE_PHI**2) * random.standard_normal()
    y = []
    for _ in range(LENGTH):
        y.append(np.exp(h / 2) * random.standard_normal())
        h = TRUE_MU + TRUE_PHI * (h - TRUE_MU) + TRUE_SIGMA * random.standard_normal()
    return np.round(y, 4)


def problem() -> tuple[Callable[[dict[str, tf.Tensor]], tf.Tensor], dict[str, tf.TensorSpec]]:
    """The density of mu, u with phi = tanh(u), log sigma and h."""
    y2 = tf.constant(load_data() ** 2, tf.float32)

    def target(position: dict[str, tf.Tensor]) -> tf.Tensor:
        mu, u, log_sigma, h = (position[name] for name in ("mu", "u", "log_sigma", "h"))
        phi = tf.tanh(u)
        # (1 + phi) / 2 and (1 - phi) / 2 without cancellation; the Jacobian of u is their product.
        log_up, log_down = tf.math.log_sigmoid(2.0 * u), tf.math.log_sigmoid(-2.0 * u)
        log_prior = -(mu**2) / 8.0 + 20.0 * log_up + 1.5 * log_down
        log_prior += -2.0 * tf.exp(2.0 * log_sigma) + log_sigma
        first = (h[0] - mu) * tf.exp(0.5 * (log_up + log_down) + tf.math.log(2.0) - log_sigma)
        steps = (h[1:] - mu - phi * (h[:-1] - mu)) * tf.exp(-log_sigma)
        log_h = 0.5 * (log_up + log_down) - LENGTH * log_sigma
        log_h -= 0.5 * (first**2 + tf.reduce_sum(steps**2))
        return log_prior + log_h - 0.5 * tf.reduce_sum(h + y2 * tf.exp(-h))

    scalar = tf.TensorSpec([], tf.float32)
    init = {"mu": scalar, "u": scalar, "log_sigma": scalar, "h": tf.TensorSpec([LENGTH])}
    return target, init


def report(draws: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        "mu": draws["mu"],
        "phi": np.tanh(draws["u"]),
        "sigma": np.exp(draws["log_sigma"]),
        "h": draws["h"],
    }


def reference() -> Reference:
    """From a long run of Stan; the file says how it was made."""
    return read_reference("stochastic_volatility.json")


MODEL = Model(
    "stochastic_volatility",
    f"{LENGTH} simulated returns, an unknown volatility for each (reference: Stan)",
    problem,
    report,
    reference,
    {"target_accept": 0.95},
)
