"""What this machine's processor is like, as far as the form of a program depends on it."""

from __future__ import annotations

import functools
import os
import pathlib
import platform

import numpy as np

_WIDE = {"AVX512F", "AVX512_SKX", "X86_V4"}
"""Any of these, by NumPy's names, means vectors of 64 bytes."""


@functools.cache
def has_wide_vectors() -> bool:
    """Whether the processor computes with vectors of 64 bytes, sixteen float32 numbers."""
    config = np.show_config(mode="dicts")
    assert config is not None
    return bool(_WIDE.intersection(config.get("SIMD Extensions", {}).get("found", ())))


@functools.cache
def description() -> tuple[str, ...]:
    """What executables are made for: the kind of processor, its features and how many there are."""
    config = np.show_config(mode="dicts")
    assert config is not None
    found = config.get("SIMD Extensions", {}).get("found", ())
    affinity = getattr(os, "sched_getaffinity", None)
    number = len(affinity(0)) if affinity else os.cpu_count()
    return (platform.machine(), platform.processor(), *found, *_from_linux(), str(number))


def _from_linux() -> tuple[str, ...]:
    """The lines that Linux has of the first processor; () elsewhere."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    except OSError:
        return ()
    return tuple(x for x in lines if x.startswith(_LASTING))


_LASTING = ("vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU ")
"""How the lines begin of what does not change while the machine runs."""
