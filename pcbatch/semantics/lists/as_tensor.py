"""Lists of the member as tensors, which TensorFlow and NumPy take where they have a shape."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics.lists.by_leaves import check_numbers
from pcbatch.semantics.lists.member import MemberList
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.operators import is_tensor
from pcbatch.semantics.pytree import LEAF


class NoShape(Unsupported):
    """TensorFlow is given a list whose length is the member's."""


def _no_shape() -> NoShape:
    return NoShape(
        "a function of TensorFlow takes a list whose length depends on the member",
        "a tensor has one shape, the same for all members.",
        "Python's and NumPy's functions see the elements that each member has:\n"
        "total = sum(xs)\n"
        "average = np.mean(xs)\n"
        "or make the list with its length, where that is the same for all members:\n"
        "xs = [0.0] * 8\n"
        "for i in range(8):\n"
        "    xs[i] = i * y",
    )


def _to_tensor(value: MemberList, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    mine = value.dense()
    check_numbers(mine)
    if value.holds_rows and mine.tree == LEAF and not value.layout.grows[-1] and not value.grows:
        return tf.convert_to_tensor(mine.columns[0], dtype=dtype, name=name)
    if is_tensor(value.length()):
        raise _no_shape()
    return tf.convert_to_tensor(list(value), dtype=dtype, name=name)


tf.register_tensor_conversion_function(MemberList, _to_tensor)
