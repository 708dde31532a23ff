"""The bar on standard error that shows how far a run is."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np


class ProgressBar:
    """A bar over the draws of warmup and those after it.

    It shows nothing where it is not wanted, or where `tqdm` is not installed.

    Args:
      total: the number of draws of a chain.
      wanted: whether to show it.
    """

    def __init__(self, total: int, wanted: bool):
        self._bar = None
        self._stage, self._divergences = "", 0
        if wanted and importlib.util.find_spec("tqdm"):
            from tqdm import tqdm

            how = {"total": total, "unit": "draw", "file": sys.stderr, "dynamic_ncols": True}
            self._bar = tqdm(desc="compiling", **how)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def warmed_up(self, draws: int, divergences: int, step_size: np.ndarray) -> None:
        """So many more draws of warmup have been made."""
        self._update("warmup", draws, divergences, step_size)

    def drawn(self, draws: int, divergences: int, step_size: np.ndarray) -> None:
        """So many more draws that are kept have been made."""
        self._update("draws", draws, divergences, step_size)

    def _update(self, stage: str, draws: int, divergences: int, step_size: np.ndarray) -> None:
        if self._bar is None:
            return
        # Those of warmup are part of the search; those of the draws count.
        before = self._divergences if stage == self._stage else 0
        self._stage, self._divergences = stage, before + divergences
        self._bar.set_description(stage, refresh=False)
        step = float(np.median(step_size))
        self._bar.set_postfix_str(
            f"{self._divergences} divergences, step size {step:.3g}", refresh=False
        )
        self._bar.update(draws)
