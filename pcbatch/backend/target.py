"""What the machine knows of the compiler below it, and of the processor that runs the result."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import tensorflow as tf

from pcbatch.backend import bitset, outlining, processor, rounding
from pcbatch.backend.outlining import Kernels
from pcbatch.backend.tuning import GPU, NARROW, WIDE, Tuning

__all__ = [
    "EAGER",
    "PORTABLE",
    "XLA_CPU",
    "XLA_GPU",
    "XLA_WIDE_CPU",
    "Kernels",
    "Target",
    "this_machine",
]


@dataclasses.dataclass(frozen=True)
class Target:
    """A compiler and a kind of processor. Its methods emit what has a faster form on some.

    Attributes:
      name: what it is called in messages.
      xla: what is built goes through XLA.
      outlines: XLA compiles a part of a program as one kernel if it is asked to, see
        `backend.outlining`.
      wide_vectors: the processor computes with vectors of 64 bytes.
      tuning: the numbers by which the machine decides.
      stored: compiled programs may be kept on disk.
    """

    name: str
    xla: bool = True
    outlines: bool = False
    wide_vectors: bool = False
    tuning: Tuning = NARROW
    stored: bool = False

    def kernels(self) -> Kernels | None:
        """Where parts of a program become one kernel each; None: there are no kernels."""
        return Kernels() if self.outlines else None

    def unknown_zero(self, turns: tf.Tensor) -> tf.Tensor | None:
        """A zero that the compiler does not know to be one, see `backend.rounding`.

        Args:
          turns: a signed integer that counts.

        Returns:
          The zero; None where each operation rounds by itself.
        """
        return rounding.unknown_zero(turns) if self.xla else None

    def write_rows(
        self,
        areas: Sequence[tf.Tensor],
        row: tf.Tensor,
        values: Sequence[tf.Tensor],
        count: tf.Tensor | None = None,
        at_once: int = 1,
    ) -> list[tf.Tensor]:
        """Write `values[k][i]` at `areas[k][row[i]]` where there is such a row.

        Args:
          areas: [rows, ...] each.
          row: int32[lanes], no row twice.
          values: [lanes, ...] each.
          count: int32[], how many come first for which there is a row; there is none for the
            others. None: not known.
          at_once: how many rows one turn of a loop writes, if there is a loop.

        Returns:
          The areas.
        """
        if outlining.inside():  # a kernel has no scattering
            return outlining.scatter_each(areas, row, values, count, at_once)
        index = tf.expand_dims(row, 1)
        pairs = zip(areas, values, strict=True)
        return [tf.tensor_scatter_nd_update(area, index, new) for area, new in pairs]

    def write_parts(
        self,
        area: tf.Tensor,
        row: tf.Tensor,
        parts: Sequence[tf.Tensor],
        count: tf.Tensor | None = None,
        at_once: int = 1,
    ) -> tf.Tensor:
        """`write_rows` of rows that are in parts, [lanes, ...] each, one behind the other."""
        if outlining.inside() and len(parts) > 1:
            return outlining.scatter_parts(area, row, parts, count, at_once)
        whole = tf.concat(parts, 1) if len(parts) > 1 else parts[0]
        return self.write_rows([area], row, [whole], count, at_once)[0]

    def number_of_members(self, masks: Sequence[Sequence[tf.Tensor]]) -> tf.Tensor:
        """int64[len(masks)]: how many members lists of masks have, bool[B] each, all together."""
        if self.outlines:
            return bitset.number_of_members(masks)
        often = [tf.add_n([tf.cast(mask, tf.int64) for mask in several]) for several in masks]
        return tf.reduce_sum(tf.stack(often), 1)


EAGER = Target("TensorFlow without XLA", xla=False)
PORTABLE = Target("any machine of XLA")
"""TensorFlow's operations alone: what runs in another program, or elsewhere."""
XLA_GPU = Target("XLA on GPUs", tuning=GPU)
XLA_CPU = Target("XLA on CPUs", outlines=True, stored=True)
XLA_WIDE_CPU = Target(
    "XLA on CPUs with wide vectors", outlines=True, wide_vectors=True, tuning=WIDE, stored=True
)


def this_machine() -> Target:
    """The target of what is compiled to run in this process."""
    if tf.config.list_logical_devices("GPU"):
        return XLA_GPU
    return XLA_WIDE_CPU if processor.has_wide_vectors() else XLA_CPU
