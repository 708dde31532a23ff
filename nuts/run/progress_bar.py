"""The bar on standard error that shows how far a run is."""

from __future__ import annotations

import importlib.util
import sys


class ProgressBar:
    """A bar over the draws of warmup and those after it.

    It shows nothing where it is not wanted, or where `tqdm` is not installed.

    Args:
      total: the number of draws of a chain.
      wanted: whether to show it.
    """

    def __init__(self, total: int, wanted: bool):
        self._bar = None
        if wanted and importlib.util.find_spec("tqdm"):
            from tqdm import tqdm

            how = {"total": total, "unit": "draw", "file": sys.stderr, "dynamic_ncols": True}
            self._bar = tqdm(desc="compiling", **how)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def warmed_up(self, draws: int) -> None:
        """So many more draws of warmup have been made."""
        self._update("warmup", draws)

    def drawn(self, draws: int) -> None:
        """So many more draws that are kept have been made."""
        self._update("draws", draws)

    def _update(self, stage: str, draws: int) -> None:
        if self._bar is not None:
            self._bar.set_description(stage, refresh=False)
            self._bar.update(draws)
