"""What is known of a posterior, to compare draws with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple


class Known(NamedTuple):
    """What is known of one number of the posterior.

    Attributes:
      mean: the posterior mean.
      sd: the posterior standard deviation.
      mcse_mean: the standard error of `mean`; 0 where it is exact.
      mcse_sd: the standard error of `sd`; 0 where it is exact.
      q5, q50, q95: quantiles; NaN where they are not known.
      ess_bulk, ess_tail: how many independent draws know the median, and the other quantiles, as
        well; infinite where they are exact.
    """

    mean: float
    sd: float
    mcse_mean: float = 0.0
    mcse_sd: float = 0.0
    q5: float = math.nan
    q50: float = math.nan
    q95: float = math.nan
    ess_bulk: float = math.inf
    ess_tail: float = math.inf


Reference = Mapping[str, Known]
"""By the names that the summary uses, such as "theta[3]"."""
