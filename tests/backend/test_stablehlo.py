"""Programs as StableHLO, which lacks some of XLA's operations."""

from __future__ import annotations

import functools
import math
import re

import numpy as np
import tensorflow as tf

import pcbatch
from pcbatch.backend import op_traits
from tests.support.tolerances import Tolerance, assert_close

FLOATS = Tolerance(1e-5, 1e-6)
"""A few operations in float32, of which XLA rounds the error function in another way."""
X, N = np.float32([0.1, 0.2, 0.3, 0.4]), np.array([0, 1, 3, 2], np.int32)


@pcbatch.autobatch
def sum_of_erf(x, n):
    total = 0.0
    while n > 0:
        total += math.erf(x) * n
        n -= 1
    return total


def test_erf_is_in_stored_programs(monkeypatch, tmp_path) -> None:
    """StableHLO has no erf: a program with it could not be read again."""
    monkeypatch.setenv("PCBATCH_CACHE", str(tmp_path))  # where none is stored
    wanted = [math.erf(x) * n * (n + 1) / 2 for x, n in zip(X, N)]
    assert_close(sum_of_erf(X, N), np.float32(wanted), FLOATS)


def test_all_that_stablehlo_lacks_is_known() -> None:
    """Of TensorFlow's functions of one or two numbers."""
    x, known = tf.constant([0.25, 0.5, 0.75]), set[str]()
    for name in dir(tf.math):
        for arguments in ((x,), (x, x)):
            traced = tf.function(
                functools.partial(_leaves, name), jit_compile=True, autograph=False
            )
            try:
                graph = traced.get_concrete_function(*arguments).graph
                text = traced.experimental_get_compiler_ir(*arguments)(stage="stablehlo")
            except (TypeError, ValueError, AttributeError, NotImplementedError, tf.errors.OpError):
                continue  # it takes something else
            if re.search(r'= "?[mc]hlo\.', text):
                types = {op.type for op in graph.get_operations()} & op_traits.NOT_IN_STABLEHLO
                assert types, name
                known |= types
    assert "Erf" in known


def _leaves(name: str, *arguments: tf.Tensor) -> list[tf.Tensor]:
    return tf.nest.flatten(getattr(tf.math, name)(*arguments))
