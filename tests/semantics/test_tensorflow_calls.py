"""A Python number beside a tensor has the tensor's dtype, in whatever order they are given."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ProgramError
from tests.support.tolerances import EXACT, assert_close

X = np.array([0.05, -0.2, 3.0])
N = np.array([4, -1, 0])


def least(bound, x):
    return tf.minimum(bound, x)


def clipped(x, n):
    step = 0.1
    for _ in range(2):
        x = tf.multiply(2.0, x) if n > 0 else tf.minimum(step, x)
    return tf.maximum(0.0, x), tf.where(x > 0.1, 0.0, x), tf.maximum(0, n), least(0.3, x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("how", [{"jit": False}, {"strategy": "local"}, {"strategy": "loop"}])
def test_numbers_before_tensors(how: dict[str, str], dtype: str) -> None:
    x = X.astype(dtype)
    found = pcbatch.autobatch(clipped).run(x, N, throw=True, **how).value
    truth = zip(*(clipped(tf.constant(a), tf.constant(n)) for a, n in zip(x, N, strict=True)))
    for value, expected in zip(found, truth, strict=True):
        assert value.dtype == expected[0].dtype
        assert_close(value, tf.stack(expected), EXACT)


def test_what_has_no_common_dtype_is_refused() -> None:
    function = pcbatch.autobatch(lambda n: tf.maximum(0.5, n))
    with pytest.raises(ProgramError, match="Maximum"):
        function.run(N, jit=False)
