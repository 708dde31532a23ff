"""Densities whose moments are known exactly."""

from __future__ import annotations

import math

import numpy as np
import tensorflow as tf

from nuts.models.model import Model
from nuts.results.reference import Known, Reference

NORMAL_DIM = 50
FUNNEL_DIM = 10


def normal_factor() -> np.ndarray:
    """A matrix A such that A z has the normal's covariance: float64[D, D].

    Its singular values, the sds along the axes, run from 0.1 to 10; the axes are a random rotation.
    """
    rotation, _ = np.linalg.qr(np.random.RandomState(0).standard_normal((NORMAL_DIM, NORMAL_DIM)))
    return rotation * np.logspace(-1, 1, NORMAL_DIM)


def normal_problem():
    whiten = tf.constant(np.linalg.inv(normal_factor()), tf.float32)

    def target(position: dict[str, tf.Tensor]) -> tf.Tensor:
        return -0.5 * tf.reduce_sum(tf.linalg.matvec(whiten, position["x"]) ** 2)

    return target, {"x": tf.TensorSpec([NORMAL_DIM], tf.float32)}


def normal_reference() -> Reference:
    sd = np.sqrt(np.square(normal_factor()).sum(1))
    return {f"x[{k}]": Known(0.0, sd[k]) for k in range(NORMAL_DIM)}


def banana(position: dict[str, tf.Tensor]) -> tf.Tensor:
    """x ~ Normal(0, 10), y ~ Normal(0.03 (x^2 - 100), 1) (Haario et al. 1999)."""
    x, y = position["x"], position["y"]
    return -0.5 * (x / 10.0) ** 2 - 0.5 * (y - 0.03 * (x * x - 100.0)) ** 2


def banana_problem():
    scalar = tf.TensorSpec([], tf.float32)
    return banana, {"x": scalar, "y": scalar}


def banana_reference() -> Reference:
    return {"x": Known(0.0, 10.0), "y": Known(0.0, math.sqrt(1 + 2 * 0.03**2 * 10**4))}


def funnel(position: dict[str, tf.Tensor]) -> tf.Tensor:
    """v ~ Normal(0, 3), x_k ~ Normal(0, exp(v / 2)) (Neal 2003)."""
    v, x = position["v"], position["x"]
    return -0.5 * (v / 3.0) ** 2 - 0.5 * tf.reduce_sum(x * x * tf.exp(-v) + v)


def funnel_problem():
    return funnel, {
        "v": tf.TensorSpec([], tf.float32),
        "x": tf.TensorSpec([FUNNEL_DIM - 1], tf.float32),
    }


def funnel_reference() -> Reference:
    """Of v alone: the tails of x are too heavy for its moments to be estimated."""
    return {"v": Known(0.0, 3.0)}


NORMAL = Model(
    "ill_conditioned_normal",
    f"{NORMAL_DIM}-dimensional rotated normal, condition number 10^4 (reference: exact)",
    normal_problem,
    reference=normal_reference,
)
BANANA = Model(
    "banana",
    "bent two-dimensional normal (reference: exact)",
    banana_problem,
    reference=banana_reference,
    settings={"target_accept": 0.95},
)
FUNNEL = Model(
    "funnel",
    "Neal's funnel, ten dimensions: expect divergences and bias (reference: exact)",
    funnel_problem,
    reference=funnel_reference,
    settings={"target_accept": 0.95},
)
