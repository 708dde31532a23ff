"""Convolutional networks: one for MNIST, and a small VGG (Simonyan and Zisserman 2015)."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import tensorflow as tf

import pcbatch
from bench.straight_line.ways import PCBATCH, Case, draw, jacobian, of_one_example

IMAGE, CLASSES = (28, 28, 1), 10
SMALL = (32, 32, 3)


class Weights(NamedTuple):
    """Of two convolutions, 5 x 5, and a dense layer."""

    first: tf.Tensor
    first_bias: tf.Tensor
    second: tf.Tensor
    second_bias: tf.Tensor
    dense: tf.Tensor
    dense_bias: tf.Tensor


def weights() -> Weights:
    """The same each time."""
    return Weights(
        *(draw(5, 5, 1, 16), draw(16)),
        *(draw(5, 5, 16, 32), draw(32)),
        *(draw(7 * 7 * 32, CLASSES), draw(CLASSES)),
    )


def logits(w: Weights, images: tf.Tensor) -> tf.Tensor:
    """Of a batch of images, float[B, 28, 28, 1]."""
    x = tf.nn.relu(tf.nn.conv2d(images, w.first, 1, "SAME") + w.first_bias)
    x = tf.nn.max_pool2d(x, 2, 2, "SAME")
    x = tf.nn.relu(tf.nn.conv2d(x, w.second, 1, "SAME") + w.second_bias)
    x = tf.nn.max_pool2d(x, 2, 2, "SAME")
    return tf.reshape(x, [images.shape[0], -1]) @ w.dense + w.dense_bias


def mnist(size: int) -> Case:
    """The logits of digits."""
    w = weights()
    return of_one_example(
        lambda image: logits(w, image[tf.newaxis])[0],
        lambda images: logits(w, images),
        (draw(size, *IMAGE, scale=1.0),),
    )


# --- Gradients per example --------------------------------------------------------------------


def gradients(size: int) -> Case:
    """Of the cross entropy of one label per image, by all weights."""
    w = Weights(*map(tf.Variable, weights()))
    labels = tf.range(size) % CLASSES

    def loss(image: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
        return _losses(logits(w, image[tf.newaxis]), label[tf.newaxis])[0]

    def one(image: tf.Tensor, label: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            value = loss(image, label)
        return tape.gradient(value, [*w])

    arguments = draw(size, *IMAGE, scale=1.0), labels
    case = of_one_example(one, lambda *batch: _gradients_by_hand(w, *batch), arguments)
    return Case({**case.ways, PCBATCH: pcbatch.per_example_gradients(loss, w)}, case.arguments)


def _losses(found: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, found)


def _gradients_by_hand(w: Weights, images: tf.Tensor, labels: tf.Tensor) -> list[tf.Tensor]:
    """From the gradients of the sums that enter the nonlinearities (Goodfellow 2015)."""
    size = images.shape[0]
    first = tf.nn.conv2d(images, w.first, 1, "SAME") + w.first_bias
    with tf.GradientTape() as tape:
        tape.watch(first)
        hidden = tf.nn.max_pool2d(tf.nn.relu(first), 2, 2, "SAME")
        second = tf.nn.conv2d(hidden, w.second, 1, "SAME") + w.second_bias
        last = tf.nn.max_pool2d(tf.nn.relu(second), 2, 2, "SAME")
        flat = tf.reshape(last, [size, -1])
        found = flat @ w.dense + w.dense_bias
        value = tf.reduce_sum(_losses(found, labels))
    by_first, by_second, by_found = tape.gradient(value, [first, second, found])
    return [
        _by_filter(images, by_first),
        tf.reduce_sum(by_first, [1, 2]),
        _by_filter(hidden, by_second),
        tf.reduce_sum(by_second, [1, 2]),
        flat[:, :, tf.newaxis] * by_found[:, tf.newaxis],
        by_found,
    ]


def _by_filter(x: tf.Tensor, upstream: tf.Tensor) -> tf.Tensor:
    """One product of patches and gradients per image, for a filter of 5 x 5."""
    size, height, width, outputs = upstream.shape
    padded = tf.pad(tf.transpose(x, [0, 3, 1, 2]), [[0, 0], [0, 0], [2, 2], [2, 2]])
    shifted = [padded[:, :, i : i + height, j : j + width] for i in range(5) for j in range(5)]
    patches = tf.reshape(tf.concat(shifted, 1), [size, -1, height * width])
    product = patches @ tf.reshape(upstream, [size, height * width, outputs])
    return tf.reshape(product, [size, 5, 5, x.shape[-1], outputs])


# --- Rows of a jacobian -----------------------------------------------------------------------


class Vgg(NamedTuple):
    """Of four convolutions, 3 x 3, two before each pooling, and a dense layer."""

    filters: tuple[tf.Tensor, ...]
    dense: tf.Tensor


def jacobian_rows(outputs: int) -> Case:
    """Of the first outputs of a small VGG, by its image of 32 x 32 x 3."""
    channels = (3, 16, 16, 32, 32)
    pairs = itertools.pairwise(channels)
    net = Vgg(tuple(draw(3, 3, *pair) for pair in pairs), draw(8 * 8 * 32, 128)[:, :outputs])

    def first(image: tf.Tensor) -> tf.Tensor:
        x = image[tf.newaxis]
        for i, kernel in enumerate(net.filters):
            x = tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME"))
            if i % 2:
                x = tf.nn.max_pool2d(x, 2, 2, "SAME")
        return (tf.reshape(x, [1, -1]) @ net.dense)[0]

    return jacobian(first, lambda image: _jacobian_by_hand(net, image), draw(*SMALL, scale=1.0))


def _jacobian_by_hand(net: Vgg, image: tf.Tensor) -> tf.Tensor:
    """Forward once; the rows go back together, a batch of gradients."""
    x, saved = image[tf.newaxis], []
    for i, kernel in enumerate(net.filters):
        activated = tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME"))
        pooled = tf.nn.max_pool2d(activated, 2, 2, "SAME") if i % 2 else activated
        saved.append((x.shape, activated, pooled))
        x = pooled
    outputs = net.dense.shape[1]
    rows = tf.reshape(tf.transpose(net.dense), [outputs, *x.shape[1:]])
    for kernel, (shape, activated, pooled) in zip(net.filters[::-1], saved[::-1], strict=True):
        if pooled is not activated:
            rows = tf.raw_ops.MaxPoolGrad(
                orig_input=tf.repeat(activated, outputs, 0),
                orig_output=tf.repeat(pooled, outputs, 0),
                grad=rows,
                ksize=[1, 2, 2, 1],
                strides=[1, 2, 2, 1],
                padding="SAME",
            )
        rows *= tf.cast(activated > 0, rows.dtype)
        rows = tf.nn.conv2d_transpose(rows, kernel, [outputs, *shape[1:]], 1, "SAME")
    return rows
