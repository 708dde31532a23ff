"""The No-U-Turn Sampler for thousands of chains, written as the textbook writes it."""

from __future__ import annotations

from nuts.arguments import SamplingError
from nuts.fit import Fit, Stats, load
from nuts.sampling import sample

__all__ = ["sample", "load", "Fit", "Stats", "SamplingError"]
