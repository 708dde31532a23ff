"""ArviZ: 0.2x, for Python 3.11, and 1.x, whose data are a DataTree of xarray."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from nuts.results.axes import Axes

with warnings.catch_warnings():
    # Every import of 0.2x announces 1.x.
    warnings.simplefilter("ignore", FutureWarning)
    import arviz

TREES = int(arviz.__version__.partition(".")[0]) >= 1
"""Whether the data of this ArviZ are trees."""

Groups = Mapping[str, Mapping[str, np.ndarray]]
"""Arrays by the names of their group and of their variable."""


def data_of(groups: Groups, axes: Axes, predicted: Axes) -> Any:
    """Make ArviZ's data of arrays.

    Args:
      groups: of "posterior" and the like [num_chains, num_draws, ...], of "observed_data" [...].
      axes: what their axes are called.
      predicted: the same for the group "predictions".

    Returns:
      An `xarray.DataTree`; of an ArviZ before 1.0 an `arviz.InferenceData`.
    """
    if TREES:
        # The conventions are that no variable has more chains than draws.
        names = _names(axes) | {f"pred_{kind}": x for kind, x in _names(predicted).items()}
        return arviz.from_dict(groups, **names, check_conventions=False)
    # 0.23 takes `coords` for those of predictions, too: these are made by themselves.
    rest = {name: group for name, group in groups.items() if name != "predictions"}
    data = _inference_data(rest, axes)
    if "predictions" in groups:
        data.extend(_inference_data({"predictions": groups["predictions"]}, predicted))
    return data


def _inference_data(groups: Groups, axes: Axes) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "More chains", UserWarning)
        given: dict[str, Any] = {**groups, **_names(axes)}
        return arviz.from_dict(**given)


def _names(axes: Axes) -> dict[str, Any]:
    """The names as ArviZ takes them, as keywords."""
    found = axes._asdict()
    return {kind: {key: list(x) for key, x in names.items()} for kind, names in found.items()}


def ess(draws: np.ndarray, method: str) -> float:
    """The effective sample size, "bulk", "tail" or "mean", of float[num_chains, num_draws]."""
    more = {"prob": (0.05, 0.95)} if method == "tail" else {}
    return float(arviz.ess(draws, method=method, **more))


def r_hat(draws: np.ndarray, method: str) -> float:
    """R-hat, "rank" or "split", of float[num_chains, num_draws]."""
    if np.ptp(draws) > 0 and not np.ptp(draws, axis=1).any():
        return math.inf  # They stand apart: ArviZ divides by zero, or by what rounding leaves.
    return float(arviz.rhat(draws, method=method))


def mcse(draws: np.ndarray, method: str) -> float:
    """The Monte Carlo standard error of the "mean" or the "sd" of float[num_chains, num_draws]."""
    # With Numba beside it, 0.23 gives an array of one number.
    return np.asarray(arviz.mcse(draws, method=method)).item()
