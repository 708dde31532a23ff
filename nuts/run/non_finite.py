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

from nuts.run.target import Problem
from nuts.sampler.trajectory import DensityProgram

_LIBRARIES = ("tensorflow", "tensorflow_probability", "numpy", "pcbatch", "nuts")

_STANDARD = sysconfig.get_path("stdlib")


def explain(problem: Problem, position: tf.Tensor, chain: int) -> str:
    """Name what is not finite at one chain's position.

    Args:
      problem: what to sample.
      position: float[chains, D].
      chain: the number of the chain to look at.

    Returns:
      The terms of a joint distribution, or the first operation of the target that gives something
      not finite from finite numbers, with the user's line; empty where nothing is found.
    """
    if problem.terms is not None:
        terms = problem.terms(problem.space.unflatten(position[chain]))
        bad = [name for name, value in terms.items() if not np.isfinite(value).all()]
        return f". Not finite: {', '.join(bad)}" if bad else ""
    if isinstance(problem.log_density, DensityProgram):
        result = problem.log_density.value_and_gradient.run(position[chain : chain + 1])
        return f". {result.message(0)}" if int(result.status[0]) else ""
    here = position if problem.batched else position[chain]
    culprit = first_culprit(problem, here)
    return f". {culprit}" if culprit else ""


def first_culprit(problem: Problem, position: tf.Tensor) -> str | None:
    """Describe the first operation whose result is not finite although all that it takes is.

    Args:
      problem: what to sample, a function of the user's.
      position: what its log density takes.
    """
    density = tf.compat.v1.wrap_function(
        problem.log_density, [tf.TensorSpec(position.shape, position.dtype)]
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
    own = [frame for frame in frames if not _is_library(frame.filename)]
    if not own:
        return ""
    file, number = own[-1].filename, own[-1].lineno
    return f", at {file}:{number}: `{linecache.getline(file, number or 0).strip()}`"


def _is_library(file: str) -> bool:
    own = file.startswith(_STANDARD) and "site-packages" not in file
    return own or file.startswith((*_folders(), "<"))


@functools.cache
def _folders() -> tuple[str, ...]:
    """Where the libraries are; to look does not import them."""
    specs = map(importlib.util.find_spec, _LIBRARIES)
    return tuple(os.path.dirname(spec.origin) for spec in specs if spec and spec.origin)
