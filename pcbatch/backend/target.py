"""What a machine may assume of the compiler below it, and of the processor that runs the result."""

from __future__ import annotations

import dataclasses

import tensorflow as tf

from pcbatch.backend import processor
from pcbatch.backend.tuning import NARROW, WIDE, Tuning


@dataclasses.dataclass(frozen=True)
class Target:
    """A compiler and a kind of processor.

    Attributes:
      name: what it is called in messages.
      outlines: XLA compiles a part of a program as one kernel if it is asked to, see
        `backend.outlining`.
      wide_vectors: the processor computes with vectors of 64 bytes.
      tuning: the numbers by which the machine decides.
    """

    name: str
    outlines: bool = False
    wide_vectors: bool = False
    tuning: Tuning = NARROW


PORTABLE = Target("any machine of XLA")
"""TensorFlow's operations alone: what runs in another program, or elsewhere."""
XLA_GPU = Target("XLA on GPUs")
XLA_CPU = Target("XLA on CPUs", outlines=True)
XLA_WIDE_CPU = Target("XLA on CPUs with wide vectors", True, wide_vectors=True, tuning=WIDE)


def this_machine() -> Target:
    """The target of what is compiled to run in this process."""
    if tf.config.list_logical_devices("GPU"):
        return XLA_GPU
    return XLA_WIDE_CPU if processor.has_wide_vectors() else XLA_CPU
