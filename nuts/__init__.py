"""The No-U-Turn Sampler for thousands of chains, written as the textbook writes it."""

from __future__ import annotations

from nuts import reducers
from nuts.errors import SamplingError, SamplingWarning
from nuts.results.draws import Stats
from nuts.results.fit import Fit, load
from nuts.results.streamed_fit import StreamedFit
from nuts.run.interruption import Interrupted
from nuts.run.sampling import sample
from nuts.tfp_kernel import NoUTurnSampler

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
