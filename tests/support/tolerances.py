"""How far two results of one program may be apart, and why.

`EXACT`: not at all. Integers, booleans and random bits; and floats where every operation is
correctly rounded and none can be contracted or reassociated.

`rounding(dtype, operations)`: the same operations, rounded differently. Between plain Python and
XLA, a product and a sum may become one fused multiply-add, a sum of k terms may be taken in another
order, and `exp` or `log` may come from another library; each such change moves one operation by at
most a few units of the last place. A chain of so many dependent operations, none of them badly
conditioned, moves by at most as many units, since errors of independent operations do not add up
with one sign. That is the relative bound. The absolute bound is the same number of units at
magnitude 1: the programs compute with numbers of about that size, so that a result near zero is a
difference of such numbers. A shared program says how many operations it chains; `ROUNDING` is for
`OPERATIONS` of them.

`STATISTICAL`: a bound in standard errors for Monte Carlo results. A normal deviate leaves 5.5
standard errors with probability 3.8e-8, so that a thousand such assertions fail falsely once in
twenty-five thousand runs; a bias of 8 standard errors is detected with probability 0.99.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

OPERATIONS = 512
STATISTICAL = 5.5


@dataclasses.dataclass(frozen=True, slots=True)
class Tolerance:
    """`|a - b| <= absolute + relative * |b|`, with NaNs equal to each other."""

    relative: float = 0.0
    absolute: float = 0.0


EXACT = Tolerance()
GRADIENT = Tolerance(1e-10, 1e-12)
"""Of gradients in float64 over another way to accumulate them: some hundred thousand roundings, and
the absolute bound for terms of magnitude 1 that cancel."""


def rounding(dtype: Any, operations: int) -> Tolerance:
    """What so many dependent operations may lose by rounding; `EXACT` for all but floats."""
    if np.dtype(dtype).kind not in "fc":
        return EXACT
    units = operations * float(np.finfo(dtype).eps)
    return Tolerance(units, units)


ROUNDING = {name: rounding(name, OPERATIONS) for name in ("float16", "float32", "float64")}


def assert_close(
    actual: Any, expected: Any, allowed: Tolerance | None = None, place: str = ""
) -> None:
    """Assert that numbers are within a tolerance of others; NaNs are equal to each other.

    Args:
      actual: an array, or what NumPy makes one of.
      expected: the same.
      allowed: how far they may be apart; None: `OPERATIONS` roundings in the dtype of `actual`.
      place: what a message calls them.
    """
    allowed = rounding(np.asarray(actual).dtype, OPERATIONS) if allowed is None else allowed
    np.testing.assert_allclose(
        actual, expected, rtol=allowed.relative, atol=allowed.absolute, err_msg=place
    )
