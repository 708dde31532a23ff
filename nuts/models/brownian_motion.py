"""A Brownian motion of unknown scale, seen with noise of unknown scale at some of its times.

    log q ~ Normal(0, 2),  log r ~ Normal(0, 2)
    x_1 ~ Normal(0, q),  x_t ~ Normal(x_{t-1}, q),  y_t ~ Normal(x_t, r) for t outside the gap

The form is that of the Inference Gym's "Brownian motion, unknown scales, missing middle
observations" (Sountsov, Radul et al. 2020); the data are simulated here. The reference is exact:
given q and r everything is normal, which leaves an integral over two numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from nuts.models.model import Model
from nuts.results.reference import Known, Reference

LENGTH = 30
SEEN = np.array([t for t in range(LENGTH) if not 10 <= t < 20])
TRUE_Q, TRUE_R = 0.3, 0.3


def load_data() -> np.ndarray:
    """The observations at the times `SEEN`, drawn from the model with a fixed seed."""
    random = np.random.RandomState(2)
    x = np.cumsum(TRUE_Q * random.standard_normal(LENGTH))
    return x[SEEN] + TRUE_R * random.standard_normal(len(SEEN))


def problem() -> tuple[Callable[[dict[str, tf.Tensor]], tf.Tensor], dict[str, tf.TensorSpec]]:
    y = tf.constant(load_data(), tf.float32)

    def target(position: dict[str, tf.Tensor]) -> tf.Tensor:
        log_q, log_r, x = position["log_q"], position["log_r"], position["x"]
        steps = tf.concat([x[:1], x[1:] - x[:-1]], 0) * tf.exp(-log_q)
        noise = (y - tf.gather(x, SEEN)) * tf.exp(-log_r)
        log_prior = -(log_q**2 + log_r**2) / 8.0 - LENGTH * log_q - 0.5 * tf.reduce_sum(steps**2)
        return log_prior - len(SEEN) * log_r - 0.5 * tf.reduce_sum(noise**2)

    scalar = tf.TensorSpec([], tf.float32)
    return target, {"log_q": scalar, "log_r": scalar, "x": tf.TensorSpec([LENGTH], tf.float32)}


def report(draws: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"q": np.exp(draws["log_q"]), "r": np.exp(draws["log_r"]), "x": draws["x"]}


def reference() -> Reference:
    """Exact means and standard deviations, by the trapezoidal rule in log q and log r.

    Given both, y ~ Normal(0, q^2 K + r^2 I) with K_st = min(s, t), and x given y is normal. With
    the eigenvectors of K at the times seen, every pair of scales has a diagonal covariance.
    """
    y = load_data()
    times = np.arange(1, LENGTH + 1)
    kernel = np.minimum(times[:, None], times).astype(np.float64)
    values, vectors = np.linalg.eigh(kernel[np.ix_(SEEN, SEEN)])
    turned, cross = vectors.T @ y, kernel[:, SEEN] @ vectors

    log_q, log_r = np.meshgrid(np.linspace(-4, 2, 241), np.linspace(-9, 2, 441), indexing="ij")
    q2, r2 = (np.exp(2 * x).ravel()[:, None] for x in (log_q, log_r))
    variance = q2 * values + r2
    log_weight = -0.5 * (turned**2 / variance + np.log(variance)).sum(1)
    log_weight -= (log_q**2 + log_r**2).ravel() / 8
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()

    mean = (q2 * turned / variance) @ cross.T
    spread = q2 * np.diag(kernel) - (q2**2 / variance) @ (cross**2).T
    x = weight @ mean
    x_sd = np.sqrt(weight @ (spread + (mean - x) ** 2))
    known = {f"x[{t}]": Known(x[t], x_sd[t]) for t in range(LENGTH)}
    for name, square in (("q", q2), ("r", r2)):
        scale = np.sqrt(square[:, 0])
        first = weight @ scale
        known[name] = Known(first, np.sqrt(weight @ (scale - first) ** 2))
    return known


MODEL = Model(
    "brownian_motion",
    f"{LENGTH} steps with a gap, two unknown scales (reference: exact)",
    problem,
    report,
    reference,
    {"target_accept": 0.95},
)
