"""Enums whose constants several tests hand to programs."""

from __future__ import annotations

import enum


class Light(enum.Enum):
    RED = "red"
    GREEN = "green"


class Speed(str, enum.Enum):  # noqa: UP042
    """Its constants are texts, too."""

    SLOW = "slow"
    FAST = "fast"
