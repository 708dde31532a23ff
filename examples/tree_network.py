"""A Tree-LSTM learns the values of formulas: `python examples/tree_network.py [picture.png]`."""

import sys

import numpy as np
import tensorflow as tf

import pcbatch


@pcbatch.autobatch(in_axes=(0, 0, None))
def state(words, node, weights):
    """What the network knows of a part of a formula, and its memory (Tai and others 2015)."""
    if words[node] < 2:
        return tf.tanh(weights["leaf"][words[node]]), weights["leaf"][words[node]]
    left, left_memory = state(words, 2 * node + 1, weights)
    right, right_memory = state(words, 2 * node + 2, weights)
    gates = tf.linalg.matvec(weights["gates"][words[node] - 2], tf.concat([left, right], 0))
    new, out, keep, keep_left, keep_right = tf.split(gates + weights["shift"], 5)
    memory = tf.sigmoid(keep) * tf.tanh(new)
    memory += tf.sigmoid(keep_left) * left_memory + tf.sigmoid(keep_right) * right_memory
    return tf.sigmoid(out) * tf.tanh(memory), memory


@pcbatch.autobatch(in_axes=(0, None))
def logit(words, weights):
    """How sure the network is that a formula is true."""
    return tf.reduce_sum(state(words, 0, weights)[0] * weights["answer"])


def inputs(members):
    """Words: false, true, AND, OR, XOR; the parts of word k are 2k + 1 and 2k + 2. And weights."""
    random = np.random.default_rng(0)
    words = random.integers(2, 5, [members, 31])
    leaf = (random.random(words.shape) < 0.2) | (np.arange(31) > 14)
    shapes = {"leaf": [2, 16], "gates": [3, 80, 32], "shift": [80], "answer": [16]}
    weights = {name: np.float32(random.normal(0.0, 0.3, s)) for name, s in shapes.items()}
    return np.where(leaf, words % 2, words).astype(np.int32), weights


def truths(words):
    """The values of formulas, 0 or 1."""
    value = words.copy()
    for k in range(14, -1, -1):
        a, b = value[:, 2 * k + 1], value[:, 2 * k + 2]
        value[:, k] = np.choose(words[:, k], [0 * a, 0 * a + 1, a & b, a | b, a ^ b])
    return value[:, 0]


def trained(words, weights, steps=100):
    """The weights after some steps against the slope."""
    weights, wanted = tf.nest.map_structure(tf.Variable, weights), truths(words).astype(np.float32)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            errors = tf.nn.sigmoid_cross_entropy_with_logits(wanted, logit(words, weights))
        for name, slope in tape.gradient(errors, weights).items():
            weights[name].assign_sub(0.005 * tf.sign(slope))
    return weights


def draw(batch, result, path):
    """How sure the trained network is of false formulas, blue, and of true ones, orange."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    sure, true = np.asarray(logit(batch[0], trained(*batch))), truths(batch[0])
    axes = figure.subplots()
    axes.hist([sure[true == 0], sure[true == 1]], bins=30, stacked=True)
    axes.set(xlabel="logit after training", ylabel="formulas")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(1000)
    result = logit(*batch)
    print(result[:5].numpy().round(2))
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
