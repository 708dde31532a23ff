"""Eight schools as a TFP joint distribution: `python examples/joint_distribution.py`."""

from __future__ import annotations

import tensorflow as tf
import tensorflow_probability as tfp

import nuts

tfd = tfp.distributions

EFFECT = tf.constant([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERROR = tf.constant([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


@tfd.JointDistributionCoroutineAutoBatched
def eight_schools():
    mu = yield tfd.Normal(0.0, 5.0, name="mu")
    tau = yield tfd.HalfCauchy(0.0, 5.0, name="tau")
    z = yield tfd.Sample(tfd.Normal(0.0, 1.0), 8, name="z")
    yield tfd.Normal(mu + tau * z, ERROR, name="effect")


if __name__ == "__main__":
    fit = nuts.sample(
        eight_schools.experimental_pin(effect=EFFECT),
        num_chains=200,
        num_draws=100,
        num_warmup=150,
        target_accept=0.95,
    )
    print(fit.summary())
    for warning in fit.warnings():
        print(warning)
