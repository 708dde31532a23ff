"""A gradient with regard to an argument that is None for some members."""

import numpy as np

import pcbatch


def scaled(x, o):
    if o is None:
        return x
    return x * o


program = pcbatch.grad(scaled, argnums=1)
args = (
    np.array([1.0, 2.0]),
    pcbatch.Optional(has_value=np.array([True, False]), value=np.array([3.0, 0.0])),
)
