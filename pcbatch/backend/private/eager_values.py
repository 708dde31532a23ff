"""What TensorFlow's eager runtime knows of a tensor, and how it names a resource."""

from __future__ import annotations

from typing import Any

from tensorflow.python.eager import context
from tensorflow.python.framework import ops

EagerTensor = ops.EagerTensor


def anonymous() -> str:
    """The name of a resource that goes with its last handle."""
    return context.anonymous_name()


def type_of(tensor: Any) -> tuple[Any, ...]:
    """The dtype and the shape of an eager tensor, to compare with those of others."""
    return tensor._datatype_enum(), tensor._shape_tuple()
