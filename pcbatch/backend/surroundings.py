"""What a compiled program depends on beside the program: versions, settings and the processor."""

from __future__ import annotations

import functools
import hashlib
import os
import platform

import tensorflow as tf

from pcbatch.backend import processor
from pcbatch.backend.private import direct_calls

_LOGS = "TF_CPP_"


def surroundings(flags: str) -> tuple[object, ...]:
    """All of it, in a form that is equal in every process in which it is the same.

    Args:
      flags: those for XLA in TensorFlow.
    """
    return (
        sources(),
        tf.version.VERSION,
        tf.version.GIT_VERSION,
        platform.python_version(),
        processor.description(),
        tf.config.threading.get_intra_op_parallelism_threads(),
        direct_calls.settings(),
        flags,
        _environment(),
    )


def _environment() -> tuple[tuple[str, str], ...]:
    """The variables of the environment that TensorFlow and XLA read, but for `TF_XLA_FLAGS`."""
    return tuple(
        (name, value)
        for name, value in sorted(os.environ.items())
        if name.startswith(("TF_", "XLA_"))
        and not name.startswith(_LOGS)
        and name != "TF_XLA_FLAGS"
    )


@functools.cache
def sources() -> str:
    """The SHA-256 of pcbatch itself: a version is not enough for whoever works on it."""
    root = os.path.dirname(os.path.dirname(__file__))
    total = hashlib.sha256()
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                total.update(os.path.relpath(path, root).encode())
                with open(path, "rb") as file:
                    total.update(hashlib.sha256(file.read()).digest())
    return total.hexdigest()
