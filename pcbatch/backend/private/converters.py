"""TensorFlow's own batching rules."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf
from tensorflow.python.ops.parallel_for import pfor

NotConvertible = pfor.ConversionNotImplementedError
"""Raised where no rule covers an operation with its inputs."""


class Converters:
    """TensorFlow's own batching rules, one by one, for one batch size and one graph."""

    def __init__(self, batch_size: int):
        with tf.Graph().as_default():  # nothing reads it
            index = tf.compat.v1.placeholder_with_default(0, shape=[])
        self._loop = pfor.PFor(index, batch_size, [], fallback_to_while_loop=False)

    @staticmethod
    def known(op_type: str) -> bool:
        return op_type in pfor._pfor_converter_registry

    def convert(
        self, op: tf.Operation, inputs: Sequence[tuple[tf.Tensor, bool]]
    ) -> list[tuple[tf.Tensor, bool]]:
        """Batch one operation.

        Args:
          op: the operation of the single-example graph.
          inputs: per input the tensor and whether the batch is on its axis 0.

        Returns:
          The same per output.

        Raises:
          NotConvertible: the rule does not cover these inputs, or it makes operations of them
            that TensorFlow refuses, a ValueError.
        """
        wrapped = [pfor.wrap(tensor, stacked) for tensor, stacked in inputs]
        rule = pfor._pfor_converter_registry[op.type]
        try:
            results = rule(pfor._PforInput(self._loop, op, wrapped))
        except ValueError as error:
            raise NotConvertible(str(error)) from error
        if isinstance(results, pfor.WrappedTensor):
            results = [results]
        if isinstance(results, tf.Operation):
            return []
        return [(r.t, r.is_stacked) for r in results]
