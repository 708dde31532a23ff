"""A `tf.function` that converts Python (the default) leaves what is ours as it is written."""

from __future__ import annotations

import logging

import pytest
import tensorflow as tf

import pcbatch
from nuts import NoUTurnSampler

SCALE = tf.Variable(2.0)
X = tf.constant([1.0, 2.0, 3.0])


def doubled(x):
    """A loop, a condition and a variable."""
    y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * SCALE), (0, x))[1]
    return tf.cond(x > 2.0, lambda: y, lambda: x * SCALE)


def drawn(x):
    """Random numbers of one member."""
    key = pcbatch.random.fold_in(pcbatch.random.key(1), tf.cast(x, tf.int32))
    first, second = tf.unstack(pcbatch.random.split(key))
    return (
        pcbatch.random.normal(first) + pcbatch.random.uniform(second),
        pcbatch.random.exponential(first),
        pcbatch.random.randint(second, [], 0, 10),
        pcbatch.random.bernoulli(first),
    )


def stepped(x):
    kernel = NoUTurnSampler(lambda x: -tf.square(x), step_size=0.1, max_tree_depth=2)
    return kernel.one_step(x, kernel.bootstrap_results(x), seed=tf.constant([0, 1]))[0]


CALLS = {
    "vectorize": pcbatch.vectorize(doubled),
    "pfor": lambda x: pcbatch.pfor(lambda i: doubled(tf.gather(x, i)), 3),
    "jacobian": pcbatch.jacobian(lambda x: x * SCALE),
    "hessian": pcbatch.hessian(lambda x: tf.reduce_sum(x**3)),
    "per_example_gradients": pcbatch.per_example_gradients(doubled, [SCALE]),
    "random": pcbatch.vectorize(drawn),
    "autobatch": pcbatch.autobatch(doubled),
    "grad": pcbatch.grad(doubled),
    "NoUTurnSampler": stepped,
}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_said(name, caplog) -> None:
    logger = tf.get_logger()
    logger.addHandler(caplog.handler)
    try:
        with caplog.at_level(logging.WARNING, logger="tensorflow"):
            tf.function(lambda x: CALLS[name](x)).get_concrete_function(X)
    finally:
        logger.removeHandler(caplog.handler)
    assert not [r.getMessage() for r in caplog.records if "AutoGraph" in r.getMessage()]
