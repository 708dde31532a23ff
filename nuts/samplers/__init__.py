"""Other samplers from the same machine, each written for one chain as its paper states it."""

from __future__ import annotations

from nuts.samplers.delayed_rejection import DelayedRejection
from nuts.samplers.doubling_slice import DoublingSlice
from nuts.samplers.elliptical_slice import EllipticalSlice
from nuts.samplers.multinomial_hmc import MultinomialHMC
from nuts.samplers.sampling import Draws, sample
from nuts.samplers.walnuts import Walnuts

__all__ = [
    "DelayedRejection",
    "DoublingSlice",
    "Draws",
    "EllipticalSlice",
    "MultinomialHMC",
    "Walnuts",
    "sample",
]
