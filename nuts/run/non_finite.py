"""Which part of a log density is not finite at a position, for the message that refuses it."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import os
import sysconfig
import traceback
from collections.abc import Iterable

import numpy as np
import tensorflow as tf

from nuts.sampler.trajectory import Target

_LIBRARIES = ("tensorflow", "tensorflow_probability", "numpy", "pcbatch", "nuts")

_STANDARD = sysconfig.get_path("stdlib")


def first_culprit(log_density: Target, position: tf.Tensor) -> str | None:
    """Describe the first operation whose result is not finite although all that it takes is.

    Args:
      log_density: a function of the user's.
      position: what it takes.
    """
    density = tf.compat.v1.wrap_function(
        log_density, [tf.TensorSpec(position.shape, position.dtype)]
    )
    tensors = [
        output
        for operation in density.graph.get_operations()
        for output in operation.outputs
        if output.dtype.is_floating
    ]
    values = density.prune(density.inputs, tensors)(position)
    finite = {t.name: np.isfinite(v).all() for t, v in zip(tensors, values, strict=True)}
    for tensor in tensors:
        sources = [finite.get(source.name, True) for source in tensor.op.inputs]
        if not finite[tensor.name] and sources and all(sources):
            return (
                f"{tensor.op.type} is the first to be not finite{users_line(tensor.op.traceback)}"
            )
    return None


def users_line(frames: Iterable[traceback.FrameSummary]) -> str:
    """Where the user's code is, ", at file:line: `code`": the innermost frame outside libraries."""
    own = [frame for frame in frames if not is_library(frame.filename)]
    return quoted(own[-1].filename, own[-1].lineno or 0) if own else ""


def quoted(file: str, number: int) -> str:
    """A place in the user's code: ", at file:line: `code`"."""
    return f", at {file}:{number}: `{linecache.getline(file, number).strip()}`"


def is_library(file: str) -> bool:
    """Whether a file is not the user's: of TensorFlow, TFP, NumPy, Python or this project."""
    own = file.startswith(_STANDARD) and "site-packages" not in file
    return own or file.startswith((*_folders(), "<"))


@functools.cache
def _folders() -> tuple[str, ...]:
    """Where the libraries are; to look does not import them."""
    specs = map(importlib.util.find_spec, _LIBRARIES)
    return tuple(os.path.dirname(spec.origin) for spec in specs if spec and spec.origin)
