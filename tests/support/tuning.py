"""The machine's numbers, and other ones for a test."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from pcbatch.backend import processor, target
from pcbatch.backend.tuning import Tuning


def this_tuning() -> Tuning:
    """The numbers by which the machine decides here."""
    return target.this_machine().tuning


def tune(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Let machines that are made during a test decide by other numbers.

    Args:
      monkeypatch: of the test.
      **changes: fields of `Tuning`.
    """
    for name in ("XLA_CPU", "XLA_WIDE_CPU", "XLA_GPU"):
        old = getattr(target, name)
        tuning = dataclasses.replace(old.tuning, **changes)
        monkeypatch.setattr(target, name, dataclasses.replace(old, tuning=tuning))


def vectors(monkeypatch: pytest.MonkeyPatch, wide: bool) -> None:
    """Let programs that are made during a test be for wide vectors, or for others."""
    monkeypatch.setattr(processor, "has_wide_vectors", lambda: wide)
