"""The type of what users sample."""

from __future__ import annotations

from typing import Any

Structure = Any
"""Any structure that `tf.nest` knows: a tensor, a tuple, a dict, a NamedTuple, ..."""
