"""The No-U-Turn Sampler for thousands of chains, written as the textbook writes it.

`import nuts` imports nothing else: a name is found when it is first asked for. So `python -m nuts`
can say how TensorFlow is to be imported, and TensorFlow Probability, which takes half a second, is
imported where it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pcbatch
    from nuts import reducers
    from nuts.errors import SamplingError, SamplingWarning
    from nuts.numpyro_models import from_numpyro
    from nuts.pymc_models import from_pymc
    from nuts.results.draws import Stats
    from nuts.results.fit import Fit, load
    from nuts.results.predictions import generated, log_likelihood, predict
    from nuts.results.streamed_fit import StreamedFit
    from nuts.run.interruption import ChainsLost, Interrupted, StoreError
    from nuts.run.memory import Memory, memory
    from nuts.run.sampling import sample
    from nuts.stan_models import from_stan
    from nuts.tfp_kernel import NoUTurnSampler

    from_jax = pcbatch.from_jax

__all__ = [
    "sample",
    "load",
    "memory",
    "predict",
    "log_likelihood",
    "generated",
    "from_jax",
    "from_numpyro",
    "from_pymc",
    "from_stan",
    "Fit",
    "StreamedFit",
    "Stats",
    "Memory",
    "reducers",
    "NoUTurnSampler",
    "Interrupted",
    "ChainsLost",
    "StoreError",
    "SamplingError",
    "SamplingWarning",
]

_HOMES = {
    "sample": "nuts.run.sampling",
    "load": "nuts.results.fit",
    "memory": "nuts.run.memory",
    "Memory": "nuts.run.memory",
    "predict": "nuts.results.predictions",
    "log_likelihood": "nuts.results.predictions",
    "generated": "nuts.results.predictions",
    "from_jax": "pcbatch",
    "from_numpyro": "nuts.numpyro_models",
    "from_pymc": "nuts.pymc_models",
    "from_stan": "nuts.stan_models",
    "Fit": "nuts.results.fit",
    "StreamedFit": "nuts.results.streamed_fit",
    "Stats": "nuts.results.draws",
    "NoUTurnSampler": "nuts.tfp_kernel",
    "Interrupted": "nuts.run.interruption",
    "ChainsLost": "nuts.run.interruption",
    "StoreError": "nuts.run.interruption",
    "SamplingError": "nuts.errors",
    "SamplingWarning": "nuts.errors",
}


def __getattr__(name: str) -> Any:
    if name == "reducers":
        return importlib.import_module("nuts.reducers")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
