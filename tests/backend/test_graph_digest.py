"""Digests of graphs: what numbers they see, and what they do not."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from pcbatch.backend.graph_digest import digest
from pcbatch.random import threefry


def of(fn: Any) -> str | None:
    """The digest of a function of a float, traced anew."""
    traced = tf.function(fn, autograph=False).get_concrete_function(tf.TensorSpec([], tf.float32))
    return digest(traced.graph)


def loop(factor: float) -> Any:
    def fn(x: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * factor), (0, x))[1]

    return fn


def branch(factor: float) -> Any:
    return lambda x: tf.cond(x > 0, lambda: x, lambda: x * factor)


def with_gradient(factor: float) -> Any:
    @tf.custom_gradient
    def fn(x: tf.Tensor) -> Any:
        return x * factor, lambda dy: dy

    return fn


def nested(factor: float) -> Any:
    inner = tf.function(loop(factor), autograph=False)
    return lambda x: inner(x) + inner(x)


def drawn(factor: float) -> Any:
    return lambda x: x * factor * tf.cast(threefry.bits(threefry.key(1)), tf.float32)


KINDS = [loop, branch, with_gradient, nested, drawn]


@pytest.mark.parametrize("make", KINDS)
def test_a_digest_says_what_is_computed(make):
    assert of(make(2.0)) == of(make(2.0))
    assert of(make(2.0)) != of(make(3.0))


def test_kinds_differ():
    assert len({of(make(2.0)) for make in KINDS}) == len(KINDS)


def test_names_of_operations_count():
    def named(name: str) -> Any:
        def fn(x: tf.Tensor) -> tf.Tensor:
            with tf.name_scope(name):
                return x + 1.0

        return fn

    assert of(named("pcbatch.expensive.5")) != of(named("pcbatch.expensive.7"))


@pytest.mark.parametrize("kind", [tf.constant, tf.Variable])
def test_what_holds_tensors_has_none(kind):
    outside = kind(2.0)
    assert of(lambda x: x * outside) is None
