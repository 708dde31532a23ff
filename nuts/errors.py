"""What `nuts.sample` raises and warns of."""

from __future__ import annotations


class SamplingError(ValueError):
    """A call of `nuts.sample` that cannot be right."""


class SamplingWarning(UserWarning):
    """What may be wrong with a run, said by `nuts.sample` before it samples or at its end."""
