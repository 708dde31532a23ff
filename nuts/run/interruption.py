"""Ctrl-C in `nuts.sample`: what has been drawn is not lost."""

from __future__ import annotations

import os
from typing import Any

import pcbatch
from nuts.results.fit import Fit
from nuts.results.streamed_fit import StreamedFit


class Interrupted(pcbatch.Interrupted):
    """Ctrl-C stopped `nuts.sample`.

    Attributes:
      result: the `Fit`, or `StreamedFit`, of the draws that every chain had made; None where there
        are none, as in warmup.
    """

    result: Any

    def __init__(self, message: str, result: Fit | StreamedFit | None):
        KeyboardInterrupt.__init__(self, message)
        self.result = result


def in_warmup(folder: str | os.PathLike[str] | None) -> Interrupted:
    """What to raise where there are no draws yet."""
    keeps = "call it again; with checkpoint='a folder' a call can be gone on with"
    if folder is not None:
        keeps = f"with checkpoint={os.fspath(folder)!r}, resume=True a call goes on from here"
    return Interrupted(f"nuts.sample was stopped in warmup, before the first draw: {keeps}", None)


def amid_draws(
    fit: Fit | StreamedFit | None, num_draws: int, folder: str | os.PathLike[str] | None
) -> Interrupted:
    """What to raise where draws have been made.

    Args:
      fit: of those; None if there are none.
      num_draws: how many there were to be in each chain.
      folder: where the call can be gone on from; None: nowhere.
    """
    made = 0 if fit is None else fit.num_draws
    parts = [f"nuts.sample was stopped after {made} of {num_draws} draws of each chain"]
    if fit is not None:
        kind = type(fit).__name__
        parts.append(f"the {kind} of these is in .result of this exception (sys.last_value.result)")
    if folder is not None:
        parts.append(f"with checkpoint={os.fspath(folder)!r}, resume=True a call makes the others")
    return Interrupted("; ".join(parts), fit)
