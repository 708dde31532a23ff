"""What a model says at the draws of a fit: predictions, log likelihoods, other quantities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.errors import SamplingError
from nuts.results.draws import Draws, check_draws, named_draws
from nuts.results.each_draw import each_draw
from nuts.results.joint_models import (
    conditional,
    log_likelihoods,
    named_parts,
    read_model,
)
from nuts.structure import Structure


def predict(
    fit: Draws, model: Any, variables: Sequence[str] | None = None, *, seed: int = 0
) -> dict[str, np.ndarray]:
    """Draw from a joint distribution at each draw of a fit.

    With the pinned distribution that was sampled these are posterior predictive draws of what was
    observed. With a distribution that is not pinned they are draws of all variables that the fit
    has no draws of: of new data, where the model is written for such.

    Args:
      fit: the run.
      model: a TFP joint distribution, pinned or not, with the variables of the fit.
      variables: which to draw; all that the fit has no draws of, if not given. Others that are
        pinned stay at their values.
      seed: of all random numbers. The same call gives the same numbers.

    Returns:
      For each variable, by its name, an array [num_chains, num_draws, ...]; the parts of one that
      is a structure are called "name.part".

    Raises:
      SamplingError: the variables of the model are not those of the fit; or it has no such
        variable, or nothing to predict.
    """
    joint, free, pins, others = read_model(fit, model)
    wanted = others if variables is None else tuple(variables)
    if unknown := [name for name in wanted if name not in others]:
        raise SamplingError(f"cannot predict {', '.join(unknown)}: the model can {_told(others)}")
    if not wanted:
        raise SamplingError("there is nothing to predict: the fit has draws of all variables")
    held = {name: value for name, value in pins.items() if name not in wanted}

    def one(draw: Structure) -> dict[str, Structure]:
        values, key = draw
        made = named_parts(joint, joint.sample(seed=key, **values, **held))
        return {name: made[name] for name in wanted}

    keys = _keys(seed, fit.num_chains, fit.num_draws)
    return named_draws(each_draw(one, (free, keys), one_by_one=True))


def log_likelihood(fit: Draws, model: Any) -> dict[str, np.ndarray]:
    """Evaluate the log probability of each observation at each draw of a fit.

    Args:
      fit: the run.
      model: the pinned TFP joint distribution that was sampled.

    Returns:
      For each variable that is pinned, by its name, float[num_chains, num_draws, ...] with an axis
      for those of its elements that are independent of each other, given the draw: those of
      `tfd.Independent`, of `tfd.Sample`, and of batches. A multivariate distribution has one for
      each vector.

    Raises:
      SamplingError: the variables of the model are not those of the fit, or none is pinned.
    """
    joint, free, pins, _ = read_model(fit, model)
    if not pins:
        raise SamplingError(
            "nothing of the model is pinned, so that it has no observations\n"
            "help: give the pinned joint distribution: model.experimental_pin(...)"
        )

    def one(draw: dict[str, Structure]) -> dict[str, Structure]:
        parts = conditional(joint, {**draw, **pins})
        return {name: log_likelihoods(parts[name], value) for name, value in pins.items()}

    return named_draws(each_draw(one, free))


def generated(fit: Draws, function: Callable[[Structure], Structure]) -> Structure:
    """Evaluate a function of one draw at each draw of a fit.

    Args:
      fit: the run.
      function: takes one draw, in the structure of `fit.draws`, and returns a structure of tensors
        whose shapes are the same for all draws. It is vectorized: `tf.random.normal` and its like
        give other numbers for each draw. With loops, conditions or recursion it is a function made
        by `pcbatch.autobatch`.

    Returns:
      The structure that the function returns, of arrays [num_chains, num_draws, ...].

    Raises:
      SamplingError: the fit has no draws, or the function wants a number of one.
    """
    check_draws(fit)
    return each_draw(function, fit.draws)


def prior_draws(joint: Any, number: int, *, seed: int = 0) -> Structure:
    """Draw so many times from a joint distribution: a structure of arrays [number, ...]."""
    keys = _keys(seed, 1, number)
    made = each_draw(lambda key: joint.sample(seed=key), keys, one_by_one=True)
    return tf.nest.map_structure(lambda x: x[0], made)


def _keys(seed: int, num_chains: int, num_draws: int) -> np.ndarray:
    """Two random numbers for each draw: int32[num_chains, num_draws, 2]."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise SamplingError(f"seed must be an integer, not {seed!r}")
    whole = tf.constant([seed, 0], tf.int64)
    shape = [num_chains, num_draws, 2]
    return tf.random.stateless_uniform(
        shape, whole, minval=None, maxval=None, dtype=tf.int32
    ).numpy()


def _told(names: Sequence[str]) -> str:
    return ", ".join(names) or "predict nothing"
