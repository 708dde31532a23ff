"""What a bundled model is."""

from __future__ import annotations

import dataclasses
import importlib.resources
import json
from collections.abc import Callable, Mapping
from typing import Any

from nuts.results.fit import Fit
from nuts.results.reference import Known, Reference
from nuts.structure import Structure


def _no_reference() -> Reference:
    return {}


def _as_they_are(draws: Structure) -> Structure:
    return draws


@dataclasses.dataclass(frozen=True)
class Model:
    """A posterior that comes with the package.

    Attributes:
      name: what the command line calls it.
      description: one line.
      problem: makes the target and the `init` that `nuts.sample` takes.
      report: turns the draws, a structure of float[num_chains, num_draws, ...], into what the
        reference speaks of.
      reference: what is known of the posterior, by the names in the summary.
      settings: arguments of `nuts.sample` that this posterior needs.
    """

    name: str
    description: str
    problem: Callable[[], tuple[Any, Structure]]
    report: Callable[[Structure], Structure] = _as_they_are
    reference: Callable[[], Reference] = _no_reference
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def reported(self, fit: Fit) -> Fit:
        """The same fit with draws as the reference speaks of them."""
        return dataclasses.replace(fit, draws=self.report(fit.draws))


def read_reference(file: str) -> Reference:
    """Read a reference that comes with the package, a file of `nuts/models`."""
    text = importlib.resources.files("nuts.models").joinpath(file).read_text()
    return {name: Known(**known) for name, known in json.loads(text)["params"].items()}
