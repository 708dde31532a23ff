"""Segments are traced for one member as seldom as can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.vectorizer import segments
from pcbatch.vectorizer.segments import Segment, segment


def test_a_segment_is_traced_once_for_all_batch_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    traced: list[Any] = []
    trace = segments.trace
    monkeypatch.setattr(
        segments, "trace", lambda fn, specs: (traced.append(specs), trace(fn, specs))[1]
    )

    @pcbatch.autobatch
    def halvings(n):
        count = 0
        while n > 1:
            n = n // 2
            count = count + 1
        return count

    n = np.array([1, 2, 3, 8, 100], np.int32)
    expected = [0, 1, 1, 3, 6]
    assert halvings.run(n, jit=False).value.numpy().tolist() == expected
    number = len(traced)
    assert number > 0
    assert halvings.run(n[:3], jit=False).value.numpy().tolist() == expected[:3]
    assert len(traced) == number


def test_a_graph_to_which_something_was_added_is_traced_again() -> None:
    """A derivative that the user has defined is traced beside the function, in its graph."""
    twice = ir.Primitive(("y",), lambda x: (x + x,), ("x",), "x + x", Span("file", 1, 1, 1, 6))
    piece: Segment = segment([twice], ())
    specs = {"x": tf.TensorSpec([], tf.float32)}
    graph = piece.graph(specs, {})
    assert piece.graph(specs, {}) is graph
    with graph.as_default():
        tf.constant(1.0)
    assert piece.graph(specs, {}) is not graph
