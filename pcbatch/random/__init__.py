"""Random numbers for one example: stateless, keyed, the same bits in eager mode and under XLA.

    key = pcbatch.random.key(0)
    first, second = tf.unstack(pcbatch.random.split(key))
    x = pcbatch.random.normal(first, shape=(10,))

Names and arguments follow `jax.random`. A key is an ordinary value (`uint32[2]`); give each batch
member its own, and its numbers depend on nothing else.
"""

from __future__ import annotations

from pcbatch.random.continuous import exponential, normal
from pcbatch.random.threefry import bits, fold_in, key, split
from pcbatch.random.uniform import bernoulli, randint, uniform

__all__ = [
    "key",
    "split",
    "fold_in",
    "bits",
    "uniform",
    "bernoulli",
    "randint",
    "normal",
    "exponential",
]
