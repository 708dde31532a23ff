"""Models that are written in NumPyro, as targets of `nuts.sample`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from nuts.jax_models import JaxModel, check_free, not_installed


def from_numpyro(model: Callable[..., Any], *args: Any, **kwargs: Any) -> JaxModel:
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
        raise not_installed("from_numpyro", error, "numpyro") from error
    import jax
    from numpyro import handlers

    key = jax.random.PRNGKey(0)
    _check_variables(handlers.trace(handlers.seed(model, key)).get_trace(*args, **kwargs))
    stated = initialize_model(key, model, model_args=args, model_kwargs=kwargs, dynamic_args=False)
    start = stated.param_info.z

    def log_density(position: Any) -> Any:
        return -stated.potential_fn(position)

    specs = {name: tf.TensorSpec(x.shape, x.dtype.name) for name, x in start.items()}
    return JaxModel(log_density, specs, stated.postprocess_fn)


def _check_variables(trace: dict[str, Any]) -> None:
    free = [x for x in trace.values() if x["type"] == "sample" and not x["is_observed"]]
    check_free(
        [x["name"] for x in free],
        [x["name"] for x in free if x["fn"].support.is_discrete],
        "give them with obs=, or sum over their values in the model, for instance by "
        "numpyro.distributions.MixtureSameFamily",
    )
