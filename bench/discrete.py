"""A model with discrete variables, for `bench.samplers`: a mixture whose classes are drawn.

Sixty numbers are of three classes. Both samplers draw means, shares and classes in turn. Ours draws
all classes at once, as the target's terms say that it may; `DiscreteHMCGibbs` of NumPyro draws them
one by one in a random order, each by enumeration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

NUMBER, CLASSES, SPREAD = 60, 3, 0.8
DATA = np.random.RandomState(0).normal(np.repeat([-3.0, 0.0, 3.0], NUMBER // CLASSES), 1.2)
NAME = "mixture_classes"
SAMPLERS = ("pcbatch", "NumPyro")
"""Those that draw discrete variables."""
CONTINUOUS = ("first", "log_gaps", "share")


def terms(position: Any, discrete: Any) -> Any:
    """The target of ours: the prior, and a term for each class."""
    import tensorflow as tf

    first, gaps, share = (position[name] for name in CONTINUOUS)
    parts = (tf.square(first + 3.0), tf.square(gaps - 1.0), tf.square(share))
    prior = -0.5 * tf.add_n([tf.reduce_sum(part) for part in parts])
    means = tf.cumsum(tf.concat([first[tf.newaxis], tf.exp(gaps)], 0))
    residual = (tf.constant(DATA, first.dtype) - tf.gather(means, discrete["z"])) / SPREAD
    log_share = tf.math.log_softmax(share)
    return {"prior": prior, "z": tf.gather(log_share, discrete["z"]) - 0.5 * tf.square(residual)}


def numpyro_chain(warmup: int, draws: int) -> Callable[[Any], Any]:
    """What gives one chain's draws, float[draws, D], from a key, in JAX."""
    import jax
    from numpyro.infer import NUTS, DiscreteHMCGibbs

    kernel = DiscreteHMCGibbs(NUTS(numpyro_model))

    def one(key: Any) -> Any:
        # The kernel's own functions in one program, as in `bench.samplers`.
        state = kernel.init(key, warmup, None, model_args=(DATA,), model_kwargs={})

        def draw(state: Any, _: Any) -> Any:
            state = kernel.sample(state, (DATA,), {})
            return state, jax.numpy.concatenate([state.z[name].ravel() for name in CONTINUOUS])

        state, _ = jax.lax.scan(draw, state, length=warmup)
        return jax.lax.scan(draw, state, length=draws)[1]

    return one


def problem() -> tuple[Any, Any, Any]:
    """The target, `init` and `discrete` for `nuts.sample`."""
    import tensorflow as tf

    shapes: list[list[int]] = [[], [CLASSES - 1], [CLASSES]]
    init = {name: tf.TensorSpec(s) for name, s in zip(CONTINUOUS, shapes, strict=True)}
    return terms, init, {"z": np.full(NUMBER, CLASSES)}


def numpyro_model(data: Any) -> None:
    """The same for NumPyro."""
    import jax.numpy as jnp
    import numpyro
    from jax.nn import softmax
    from numpyro import distributions as dist

    first = numpyro.sample("first", dist.Normal(-3.0, 1.0))
    gaps = numpyro.sample("log_gaps", dist.Normal(jnp.ones(CLASSES - 1), 1.0).to_event(1))
    share = numpyro.sample("share", dist.Normal(jnp.zeros(CLASSES), 1.0).to_event(1))
    means = jnp.cumsum(jnp.concatenate([first[None], jnp.exp(gaps)]))
    with numpyro.plate("data", NUMBER):
        z = numpyro.sample("z", dist.Categorical(softmax(share)))
        numpyro.sample("y", dist.Normal(means[z], SPREAD), obs=data)
