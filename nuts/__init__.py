"""The No-U-Turn Sampler for thousands of chains, written as the textbook writes it."""

from __future__ import annotations

from nuts import reducers
from nuts.arguments import SamplingError
from nuts.interruption import Interrupted
from nuts.kernel import NoUTurnSampler
from nuts.results.fit import Fit, Stats, load
from nuts.results.warnings import SamplingWarning
from nuts.sampling import sample
from nuts.streaming import StreamedFit

__all__ = [
    "sample",
    "load",
    "Fit",
    "StreamedFit",
    "Stats",
    "reducers",
    "NoUTurnSampler",
    "Interrupted",
    "SamplingError",
    "SamplingWarning",
]
