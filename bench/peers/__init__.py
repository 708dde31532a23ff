"""Other samplers and batching systems, beside which the benchmarks measure.

Each sampler is a module with `make(target, chains, step_size, draws)`, which returns a function of
no arguments that runs the chains from the target's starts and returns `bench.sampler.Draws`: NUTS
with a fixed step size, the unit metric and trees of depth at most 10. What is not installed is a
named gap in a table.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from bench.sampler import Draws
from bench.targets import Density

SAMPLERS = {
    "BlackJAX": "bench.peers.blackjax",
    "NumPyro": "bench.peers.numpyro",
    "TFP": "bench.peers.tfp_unrolled",
    "TFP auto_batching": "bench.peers.tfp_auto_batching",
    "Stan": "bench.peers.stan",
}
LOCK_STEP = ("BlackJAX", "NumPyro", "TFP")
"""The batched samplers in which all chains wait for the longest trajectory."""


class MissingPeerError(Exception):
    """A peer cannot be had here; the message says why."""


def make(
    name: str, target: Density, chains: int, step_size: float, draws: int
) -> Callable[[], Draws]:
    """Make a peer's sampler.

    Args:
      name: one of `SAMPLERS`.
      target: what to sample.
      chains: how many chains run at once.
      step_size: of a leapfrog step.
      draws: per chain.

    Returns:
      A function that runs the chains from their starts; its first call compiles.

    Raises:
      MissingPeerError: a package that it needs is not installed.
    """
    try:
        module = importlib.import_module(SAMPLERS[name])
    except ImportError as error:
        raise MissingPeerError(f"{name}: {error}") from error
    return module.make(target, chains, step_size, draws)
