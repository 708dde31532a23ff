"""A fit as ArviZ takes it: draws, statistics, and what a model says, in ArviZ's groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nuts.errors import SamplingError
from nuts.results.arviz_versions import Groups, data_of
from nuts.results.axes import NO_NAMES, Axes, Coords, Dims, check_axes
from nuts.results.draws import Draws, named_draws
from nuts.results.joint_models import named_parts, read_model
from nuts.results.predictions import log_likelihood, predict, prior_draws
from nuts.structure import Structure


def to_arviz(
    fit: Draws,
    model: Any = None,
    *,
    dims: Dims | None = None,
    coords: Coords | None = None,
    prior: Structure = None,
    predictions: Mapping[str, np.ndarray] | None = None,
    pred_dims: Dims | None = None,
    pred_coords: Coords | None = None,
    generated: Structure = None,
    **groups: Mapping[str, np.ndarray],
) -> Any:
    """Put a fit into ArviZ's form; see `nuts.Fit.to_arviz`."""
    draws = named_draws(fit.draws if model is None else read_model(fit, model).free)
    found: dict[str, Mapping[str, np.ndarray]] = {
        "posterior": draws | _more(draws, generated),
        "sample_stats": sample_stats(fit),
    }
    if model is not None:
        found |= _of_model(fit, model, leave_out=groups)
    if prior is not None:
        if model is not None:
            joint = read_model(fit, model).joint
            made = prior_draws(joint, prior) if isinstance(prior, int) else prior
            prior = named_parts(joint, made)
        found |= _of_prior(draws, prior)
    found |= groups
    axes, predicted = fit.axes.extended(dims, coords), NO_NAMES.extended(pred_dims, pred_coords)
    check_names(found, axes)
    if predictions is not None:
        found["predictions"] = predictions
        check_names({"predictions": predictions}, predicted)
    return data_of(found, axes, predicted)


def sample_stats(fit: Draws) -> dict[str, np.ndarray]:
    """The statistics under ArviZ's names."""
    stats = fit.stats
    return {
        "lp": stats.lp,
        "acceptance_rate": stats.accept_prob,
        "step_size": stats.step_size,
        "tree_depth": stats.tree_depth,
        "n_steps": stats.num_leapfrogs,
        "energy": stats.energy,
        "diverging": stats.diverging,
        "reached_max_treedepth": stats.tree_depth >= fit.max_tree_depth,
    }


def _more(draws: Mapping[str, np.ndarray], generated: Structure) -> dict[str, np.ndarray]:
    """Generated quantities by names that the draws do not have."""
    if generated is None:
        return {}
    more = named_draws(generated)
    if list(more) == ["x"] and more["x"] is generated:
        raise SamplingError("generated must have names: a dict of arrays, or another structure")
    if twice := [name for name in more if name in draws]:
        raise SamplingError(f"generated has {', '.join(twice)}, as the draws of the fit have")
    return more


def _of_model(fit: Draws, model: Any, leave_out: Groups) -> dict[str, dict[str, np.ndarray]]:
    """What a pinned joint distribution says, but for the groups that the user gives."""
    pins = {name: np.asarray(x) for name, x in named_draws(read_model(fit, model).pins).items()}
    makers: dict[str, Callable[[], dict[str, np.ndarray]]] = {
        "observed_data": lambda: pins,
        "log_likelihood": lambda: log_likelihood(fit, model),
        "posterior_predictive": lambda: predict(fit, model),
    }
    return {name: make() for name, make in makers.items() if name not in leave_out}


def _of_prior(
    draws: Mapping[str, np.ndarray], prior: Structure
) -> dict[str, dict[str, np.ndarray]]:
    """A sample of the joint distribution, as one chain: what the fit has draws of, and the rest."""
    named = {name: np.asarray(x)[np.newaxis] for name, x in named_draws(prior).items()}
    groups = {
        "prior": {name: x for name, x in named.items() if name in draws},
        "prior_predictive": {name: x for name, x in named.items() if name not in draws},
    }
    if not groups["prior"]:
        raise SamplingError(
            f"prior has {', '.join(named)}, and the fit has draws of {', '.join(draws)}: none is "
            "in both\nhelp: give the model, and how many draws: prior=1000"
        )
    return {name: group for name, group in groups.items() if group}


def check_names(groups: Groups, axes: Axes) -> None:
    """Check names of axes, which ArviZ passes over where it knows no such variable.

    Raises:
      SamplingError: says what does not go together.
    """
    shapes: dict[str, list[tuple[int, ...]]] = {}
    for group, variables in groups.items():
        skip = 0 if group.endswith("data") else 2
        for name, x in variables.items():
            shapes.setdefault(name, []).append(np.shape(x)[skip:])
    check_axes(axes, shapes)
