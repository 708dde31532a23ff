"""How far two results of one program may be apart, and why.

`EXACT`: not at all. Integers, booleans and random bits; and floats where every operation is
correctly rounded and none can be contracted or reassociated.

`ROUNDING[dtype]`: the same operations, rounded differently. Between plain Python and XLA, a
product and a sum may become one fused multiply-add, a sum of k terms may be taken in another order,
and `exp` or `log` may come from another library; each such change moves one operation by at most a
few units of the last place. The shared programs chain at most `OPERATIONS` dependent operations in
their results, none of them badly conditioned, and errors of independent operations do not add up
with one sign; hence a relative bound of `OPERATIONS` units. The absolute bound is the same number
of units at magnitude 1: the programs compute with numbers of about that size, so that a result near
zero is a difference of such numbers.

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

    relative: float
    absolute: float


EXACT = Tolerance(0.0, 0.0)

ROUNDING: dict[str, Tolerance] = {
    name: Tolerance(OPERATIONS * float(np.finfo(name).eps), OPERATIONS * float(np.finfo(name).eps))
    for name in ("float16", "float32", "float64")
}


def tolerance_for(name: str, dtype: Any) -> Tolerance:
    """The tolerance of a program (by its name) for one leaf of its result."""
    dtype = np.dtype(dtype)
    if name == "EXACT" or dtype.kind != "f":
        return EXACT
    if name != "ROUNDING":
        raise ValueError(f"unknown tolerance {name!r}")
    return ROUNDING[dtype.name]
