"""Models that are written in NumPyro, as targets of `nuts.sample`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from nuts.errors import SamplingError
from nuts.structure import Structure


class NumPyroModel:
    """The posterior of a NumPyro model; make it with `nuts.from_numpyro`.

    Attributes:
      log_density: of one position in NumPyro's unconstrained space, a dict by variable.
      specs: the form of a position.
    """

    def __init__(
        self,
        log_density: Callable[[Structure], tf.Tensor],
        specs: Structure,
        constrain: Callable[[Any], Any],
    ):
        self.log_density, self.specs, self._constrain = log_density, specs, constrain

    def constrained(self, positions: Structure) -> Structure:
        """What the model's user wants to see of positions, `[n, ...]` in every leaf."""
        import jax

        arrays = {name: np.asarray(x) for name, x in positions.items()}
        values = jax.jit(jax.vmap(self._constrain))(arrays)
        return {name: tf.constant(np.asarray(x)) for name, x in sorted(values.items())}


def from_numpyro(model: Callable[..., Any], *args: Any, **kwargs: Any) -> NumPyroModel:
    """State the posterior of a NumPyro model as a target of `nuts.sample`.

    NumPyro makes the log density, in its unconstrained space, and says what a draw is there. The
    draws of the fit are the model's variables with their constraints, and its deterministic sites,
    by name. `init`, where it is given, is in the unconstrained space. A second call of
    `nuts.sample` with the same target compiles nothing: make it once.

    Args:
      model: a function with `numpyro.sample` statements, the observed ones with `obs=`.
      *args, **kwargs: what it is called with: the data.

    Returns:
      The target: `nuts.sample(nuts.from_numpyro(model, x, y), num_chains=1000)`.

    Raises:
      SamplingError: NumPyro is not installed, or the model has nothing to sample, or a discrete
        variable that is not observed.
    """
    try:
        from numpyro.infer.util import initialize_model
    except ImportError as error:
        raise SamplingError(
            "from_numpyro needs NumPyro, which is not installed: pip install numpyro"
        ) from error
    import jax
    from numpyro import handlers

    key = jax.random.PRNGKey(0)
    _check_variables(handlers.trace(handlers.seed(model, key)).get_trace(*args, **kwargs))
    stated = initialize_model(key, model, model_args=args, model_kwargs=kwargs, dynamic_args=False)
    start = stated.param_info.z

    def log_density(position: Any) -> Any:
        return -stated.potential_fn(position)

    specs = {name: tf.TensorSpec(x.shape, x.dtype.name) for name, x in sorted(start.items())}
    return NumPyroModel(pcbatch.from_jax(log_density), specs, stated.postprocess_fn)


def _check_variables(trace: dict[str, Any]) -> None:
    free = [x for x in trace.values() if x["type"] == "sample" and not x["is_observed"]]
    discrete = [x["name"] for x in free if x["fn"].support.is_discrete]
    if discrete:
        raise SamplingError(
            f"discrete variables of the model are not observed: {', '.join(discrete)}\n"
            "why: NUTS follows the gradient of the log density, and a discrete value has none\n"
            "help: give them with obs=, or sum over their values in the model, for instance by "
            "numpyro.distributions.MixtureSameFamily"
        )
    if not free:
        raise SamplingError("the model has no variable that is not observed: nothing to sample")
