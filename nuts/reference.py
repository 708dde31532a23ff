"""What is known of a posterior, to compare draws with."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Mapping
from typing import NamedTuple


class Known(NamedTuple):
    """What is known of one number of the posterior.

    Attributes:
      mean: the posterior mean.
      sd: the posterior standard deviation.
      mcse_mean: the standard error of `mean`; 0 where it is exact.
      mcse_sd: the standard error of `sd`; 0 where it is exact.
    """

    mean: float
    sd: float
    mcse_mean: float = 0.0
    mcse_sd: float = 0.0


Reference = Mapping[str, Known]
"""By the names that the summary uses, such as "theta[3]"."""


def read(file: str) -> Reference:
    """Read a reference that comes with the package, from `nuts/models`."""
    text = importlib.resources.files("nuts.models").joinpath(file).read_text()
    return {name: Known(**known) for name, known in json.loads(text)["params"].items()}
