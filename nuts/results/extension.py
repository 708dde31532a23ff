"""More draws after those of a fit."""

from __future__ import annotations

import dataclasses
import math
from typing import TypeVar

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import BlockUse
from nuts.errors import SamplingError
from nuts.results.draws import Draws, Repeats, Stats, Timing, check_draws, named_draws

Kind = TypeVar("Kind", bound=Draws)


def extended(fit: Kind, more: Kind) -> Kind:
    """Append the draws of a run that went on from a fit; see `nuts.Fit.extended`."""
    _check(fit, more)
    assert fit.end is not None and more.end is not None
    return dataclasses.replace(
        more,
        draws=tf.nest.map_structure(_joined, fit.draws, more.draws),
        stats=Stats(*map(_joined, fit.stats, more.stats)),
        timing=Timing(
            fit.timing.warmup + more.timing.warmup, fit.timing.sampling + more.timing.sampling
        ),
        blocks=_summed(fit.blocks + more.blocks),
        repeats=_repeats(fit, more),
        end=more.end._replace(first_draw=fit.end.first_draw),
        axes=fit.axes,
    )


def _joined(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.concatenate([one, other], axis=1)


def _check(fit: Draws, more: Draws) -> None:
    """Check that the draws of one go on from the last draws of the other.

    Raises:
      SamplingError: says in what they differ.
    """
    check_draws(more)
    for name in ("num_chains", "num_superchains", "thin", "max_tree_depth"):
        here, there = getattr(fit, name), getattr(more, name)
        if here != there:
            raise SamplingError(
                f"a fit with {name}={here} cannot be extended by one with {name}={there}"
            )
    if _form(fit) != _form(more):
        raise SamplingError(
            f"a fit of {_form(fit)} cannot be extended by one of {_form(more)}: the draws of both "
            "must be of one target"
        )
    if fit.end is None or more.end is None or more.end.first_draw < fit.end.next_draw:
        raise SamplingError(
            "the second fit did not go on from the first: its draws may be the same ones again\n"
            "help: make it with nuts.sample(target, init=fit, num_draws=...)"
        )


def _form(fit: Draws) -> dict[str, str]:
    named = named_draws(fit.draws)
    return {name: f"{leaf.dtype}{list(leaf.shape[2:])}" for name, leaf in named.items()}


def _summed(blocks: tuple[BlockUse, ...]) -> tuple[BlockUse, ...]:
    found: dict[str, BlockUse] = {}
    for block in blocks:
        found[block.label] = block.plus(found.get(block.label))
    return tuple(found.values())


def _repeats(fit: Draws, more: Draws) -> Repeats:
    """The sums; of changes of the energy the mean, without that from one fit to the other."""
    parts = [fit, more]
    weights = [part.num_draws * part.thin - 1 for part in parts]
    known = [
        (part.repeats.energy_change, weight)
        for part, weight in zip(parts, weights, strict=True)
        if not math.isnan(part.repeats.energy_change)
    ]
    total = sum(weight for _, weight in known)
    return Repeats(
        fit.repeats.divergences + more.repeats.divergences,
        fit.repeats.saturated + more.repeats.saturated,
        sum(change * weight for change, weight in known) / total if total else math.nan,
    )
