"""What this machine's processor is like, as far as the form of a program depends on it."""

from __future__ import annotations

import functools

import numpy as np

_WIDE = {"AVX512F", "AVX512_SKX", "X86_V4"}
"""Any of these, by NumPy's names, means vectors of 64 bytes."""


@functools.cache
def has_wide_vectors() -> bool:
    """Whether the processor computes with vectors of 64 bytes, sixteen float32 numbers."""
    config = np.show_config(mode="dicts")
    assert config is not None
    return bool(_WIDE.intersection(config.get("SIMD Extensions", {}).get("found", ())))
