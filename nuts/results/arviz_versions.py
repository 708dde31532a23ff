"""ArviZ: 0.2x, for Python 3.11, and 1.x, whose data are a DataTree of xarray."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

with warnings.catch_warnings():
    # Every import of 0.2x announces 1.x.
    warnings.simplefilter("ignore", FutureWarning)
    import arviz

TREES = int(arviz.__version__.partition(".")[0]) >= 1
"""Whether the data of this ArviZ are trees."""

Groups = Mapping[str, Mapping[str, np.ndarray]]
"""Arrays by the names of their group and of their variable."""


def data_of(
    groups: Groups,
    dims: Any = None,
    coords: Any = None,
    pred_dims: Any = None,
    pred_coords: Any = None,
) -> Any:
    """Make ArviZ's data of arrays.

    Args:
      groups: of "posterior" and the like [num_chains, num_draws, ...], of "observed_data" [...].
      dims, coords: as ArviZ takes them.
      pred_dims, pred_coords: the same for the group "predictions".

    Returns:
      An `xarray.DataTree`; of an ArviZ before 1.0 an `arviz.InferenceData`.
    """
    if TREES:
        # The conventions are that no variable has more chains than draws.
        names = {"pred_dims": pred_dims, "pred_coords": pred_coords, "check_conventions": False}
        return arviz.from_dict(groups, dims=dims, coords=coords, **names)
    # 0.23 takes `coords` for those of predictions, too: these are made by themselves.
    rest = {name: group for name, group in groups.items() if name != "predictions"}
    data = _inference_data(rest, dims, coords)
    if "predictions" in groups:
        predicted = {"predictions": groups["predictions"]}
        data.extend(_inference_data(predicted, pred_dims, pred_coords))
    return data


def _inference_data(groups: Groups, dims: Any, coords: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "More chains", UserWarning)
        return arviz.from_dict(**{**groups, "dims": dims, "coords": coords})


def ess(draws: np.ndarray, method: str) -> float:
    """The effective sample size, "bulk", "tail" or "mean", of float[num_chains, num_draws]."""
    more = {"prob": (0.05, 0.95)} if method == "tail" else {}
    return float(arviz.ess(draws, method=method, **more))


def r_hat(draws: np.ndarray, method: str) -> float:
    """R-hat, "rank" or "split", of float[num_chains, num_draws]."""
    return float(arviz.rhat(draws, method=method))


def mcse(draws: np.ndarray, method: str) -> float:
    """The Monte Carlo standard error of the "mean" or the "sd" of float[num_chains, num_draws]."""
    return float(arviz.mcse(draws, method=method))
