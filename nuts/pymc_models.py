"""Models that are written in PyMC, as targets of `nuts.sample`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from nuts.errors import SamplingError
from nuts.jax_models import JaxModel, check_free, not_installed

Position = Mapping[str, Any]
"""A value for each variable, by PyMC's name for it in the unconstrained space."""
JaxFunction = Callable[[Position], Any]


def from_pymc(model: Any) -> JaxModel:
    """State the posterior of a PyMC model as a target of `nuts.sample`.

    PyMC makes the log density, in its unconstrained space, and PyTensor makes a JAX function of it.
    The draws of the fit are the model's variables with their constraints, and its
    `pm.Deterministic`s, by name. The model's dims and coords name their axes; labels that occur
    twice on an axis are left out. `init`, where it is given, is in the unconstrained space, under
    the names that PyMC has for it: `model.initial_point()` is one.

    The model is read once: `pm.set_data` does not reach a target that is there. A second call of
    `nuts.sample` with the same target compiles nothing.

    Args:
      model: a `pymc.Model`.

    Returns:
      The target: `nuts.sample(nuts.from_pymc(model), num_chains=1000)`. Positions have the model's
      dtype, float64 unless `pytensor.config.floatX` says otherwise.

    Raises:
      SamplingError: PyMC or JAX is not installed, or the model has nothing to sample, or a discrete
        variable that is not observed, or something that PyTensor cannot write in JAX.
    """
    try:
        import pymc
        import pymc.sampling.jax
    except ImportError as error:
        raise not_installed("from_pymc", error, "pymc jax") from error
    if not isinstance(model, pymc.Model):
        raise SamplingError(f"from_pymc takes a pymc.Model, not {model!r}")
    _check_variables(model)
    specs, axes = _specs(model), _axes(model)
    try:
        log_density, constrain = _in_jax(model)
        target = JaxModel(log_density, specs, constrain, *axes)
        target.check()
    except (pcbatch.PcbatchError, NotImplementedError, TypeError, ValueError, IndexError) as error:
        raise _not_in_jax(error) from error
    return target


def _check_variables(model: Any) -> None:
    names = {value.name: model.values_to_rvs[value].name for value in model.value_vars}
    check_free(
        list(names.values()),
        [names[value.name] for value in model.discrete_value_vars],
        "give them with observed=, or sum over their values in the model, for instance by "
        "pm.Mixture or pymc_extras.marginalize",
    )


def _specs(model: Any) -> dict[str, tf.TensorSpec]:
    """The form of a position: all variables have the widest of their dtypes."""
    start = model.initial_point(random_seed=0)
    found = {value.name: start[value.name] for value in model.value_vars}
    dtype = np.result_type(*(x.dtype for x in found.values()))
    return {name: tf.TensorSpec(x.shape, dtype) for name, x in found.items()}


def _in_jax(model: Any) -> tuple[JaxFunction, JaxFunction]:
    """The log density of a position, and what the user sees of it, as functions in JAX."""
    from pymc.sampling.jax import get_jaxified_graph

    names = [value.name for value in model.value_vars]
    shown = _shown(model)
    total = get_jaxified_graph(inputs=model.value_vars, outputs=[model.logp()])
    values = get_jaxified_graph(inputs=model.value_vars, outputs=list(shown.values()))

    def log_density(position: Position) -> Any:
        leaves = [position[name] for name in names]
        return total(*leaves)[0].astype(leaves[0].dtype)

    def constrain(position: Position) -> dict[str, Any]:
        return dict(zip(shown, values(*(position[name] for name in names)), strict=True))

    return log_density, constrain


def _shown(model: Any) -> dict[str, Any]:
    """What the user sees, as expressions in the unconstrained space, by the user's names."""
    names = {variable.name for variable in model.unobserved_RVs}
    return {x.name: x for x in model.unobserved_value_vars if x.name in names}


def _not_in_jax(error: Exception) -> SamplingError:
    what = str(error).partition("\nhelp:")[0]
    return SamplingError(
        f"the model cannot be sampled through PyTensor's JAX backend: {what}\n"
        "why: the sampler runs in TensorFlow, and takes the model's log density and its gradient "
        "as functions in JAX, with shapes that do not depend on values\n"
        "help: write that part of the model in other operations (with a Cholesky factor instead of "
        "det, inv or solve), or take pm.sample"
    )


def _axes(model: Any) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[Any, ...]]]:
    """The names of the axes of what the user sees, and the labels along them.

    An axis without a name gets ArviZ's, as PyMC's own results have it.
    """
    dims = {
        name: tuple(
            f"{name}_dim_{i}" if dim is None else dim
            for i, dim in enumerate(model.named_vars_to_dims[name])
        )
        for name in _shown(model)
        if model.named_vars_to_dims.get(name)
    }
    used = {dim for of_variable in dims.values() for dim in of_variable}
    labels = {dim: tuple(model.coords[dim] or ()) for dim in used if dim in model.coords}
    unique = {dim: x for dim, x in labels.items() if x and len(set(x)) == len(x)}
    return dims, unique
