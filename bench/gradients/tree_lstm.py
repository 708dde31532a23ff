"""The binary Tree-LSTM of Tai et al. (2015), with a label at each node: two ways to train it.

`Recursive` is one function of one tree, batched by pcbatch. `ByHand` is the same network as one
would batch it oneself: all nodes of one height are one matrix product, and the levels are unrolled.
Word vectors are given and stay as they are. All other weights are trained by plain gradient steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import tensorflow as tf

import pcbatch
from bench.gradients.treebank import LABELS, Trees
from pcbatch.backend.private.xla_operations import dynamic_update_slice

WORD_VECTORS = "words"
ROUNDED = 8
"""Levels are as wide as a multiple of this."""


def initial_weights(hidden: int, vocabulary: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Float32 weights by name; gates are in the order input, (forget, forget,) output, update."""
    rng = np.random.default_rng(seed)

    def matrix(rows: int, columns: int) -> np.ndarray:
        return (rng.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32)

    return {
        "leaf": matrix(3 * hidden, hidden),
        "leaf_bias": 0.1 * matrix(3 * hidden, 1)[:, 0],
        "node": matrix(5 * hidden, 2 * hidden),
        "node_bias": 0.1 * matrix(5 * hidden, 1)[:, 0],
        "out": matrix(LABELS, hidden),
        "out_bias": 0.1 * matrix(LABELS, 1)[:, 0],
        WORD_VECTORS: rng.standard_normal((vocabulary, hidden)).astype(np.float32),
    }


class _Network:
    """Weights as variables, and the word vectors as a tensor."""

    def __init__(self, weights: Mapping[str, np.ndarray], rate: float) -> None:
        self.trained = {k: tf.Variable(v) for k, v in weights.items() if k != WORD_VECTORS}
        self.words = tf.constant(weights[WORD_VECTORS])
        self.rate = rate

    def values(self) -> dict[str, np.ndarray]:
        """The weights as they are now."""
        return {name: weight.numpy() for name, weight in self.trained.items()}


class Recursive(_Network):
    """The network as a function of one tree."""

    def __init__(
        self, weights: Mapping[str, np.ndarray], rate: float, batches: Sequence[Trees]
    ) -> None:
        super().__init__(weights, rate)
        self.batches = [[tf.constant(x) for x in trees] for trees in batches]
        self.loss = self._program()

    def step(self, number: int) -> float:
        """Train on one batch; the mean loss of a tree before the update."""
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self.loss.run(*self.batches[number], throw=True).value)
        variables = list(self.trained.values())
        for variable, slope in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(self.rate * slope)
        return float(loss)

    def _program(self) -> pcbatch.Autobatched:
        weights, words = self.trained, self.words
        leaf, leaf_bias = weights["leaf"], weights["leaf_bias"]
        inner, inner_bias = weights["node"], weights["node_bias"]
        out, out_bias = weights["out"], weights["out_bias"]

        @pcbatch.autobatch
        def encode(left, right, word, label, node):
            if left[node] < 0:
                gates = tf.linalg.matvec(leaf, words[word[node]]) + leaf_bias
                i, o, u = tf.split(gates, 3)
                c = tf.sigmoid(i) * tf.tanh(u)
                below = 0.0
            else:
                h_left, c_left, loss_left = encode(left, right, word, label, left[node])
                h_right, c_right, loss_right = encode(left, right, word, label, right[node])
                both = tf.concat([h_left, h_right], 0)
                gates = tf.linalg.matvec(inner, both) + inner_bias
                i, f_left, f_right, o, u = tf.split(gates, 5)
                c = tf.sigmoid(f_left) * c_left + tf.sigmoid(f_right) * c_right
                c += tf.sigmoid(i) * tf.tanh(u)
                below = loss_left + loss_right
            h = tf.sigmoid(o) * tf.tanh(c)
            scores = tf.linalg.matvec(out, h) + out_bias
            return h, c, below + tf.reduce_logsumexp(scores) - scores[label[node]]

        @pcbatch.autobatch
        def loss(left, right, word, label, root):
            _, _, total = encode(left, right, word, label, root)
            return total

        return loss


class ByHand(_Network):
    """The network level by level, compiled once for all batches: levels are padded to one width.

    The nodes of a level have consecutive places. A level reads its children's states by a gather,
    and on the way back a level gathers what its parents have left for it, so that nothing is
    scattered. Where the nodes of a batch stand is found before the first step.
    """

    def __init__(
        self, weights: Mapping[str, np.ndarray], rate: float, batches: Sequence[Trees]
    ) -> None:
        super().__init__(weights, rate)
        heights = [trees.heights() for trees in batches]
        levels = 1 + max(int(h.max()) for h in heights)
        widest = [max(int((h == level).sum()) for h in heights) for level in range(levels)]
        self.widths = [-(-width // ROUNDED) * ROUNDED for width in widest]
        self.starts = np.concatenate([[0], np.cumsum(self.widths)]).tolist()
        self.batches = [
            [tf.constant(x) for x in self._places(*each)]
            for each in zip(batches, heights, strict=True)
        ]
        self._compiled = tf.function(self._step, jit_compile=True, autograph=False)

    def step(self, number: int) -> float:
        """Train on one batch; the mean loss of a tree before the update."""
        return float(self._compiled(*self.batches[number]))

    def _places(self, trees: Trees, heights: np.ndarray) -> tuple[np.ndarray, ...]:
        """Where children and parents stand: arrays with a number for each place."""
        total = self.starts[-1]
        place = np.zeros(heights.shape, np.int32)
        for level, start in enumerate(self.starts[:-1]):
            place[heights == level] = start + np.arange((heights == level).sum())
        left, right, word, label = np.zeros((4, total), np.int32)
        weight = np.zeros(total, np.float32)
        parent = np.full(total, 2 * total, np.int32)
        rows, nodes = np.nonzero(heights >= 0)
        at = place[rows, nodes]
        word[at], label[at] = trees.word[rows, nodes], trees.label[rows, nodes]
        weight[at] = 1.0 / len(trees.root)
        rows, nodes = np.nonzero(heights > 0)
        at, level = place[rows, nodes], heights[rows, nodes]
        below = [place[rows, side[rows, nodes]] for side in (trees.left, trees.right)]
        left[at], right[at] = below
        parent[below[0]] = at + np.take(self.starts, level)
        parent[below[1]] = parent[below[0]] + np.take(self.widths, level)
        return left, right, word, label, weight, parent

    def _step(self, left, right, word, label, weight, parent):
        total, hidden = self.starts[-1], self.words.shape[1]
        states = tf.zeros([total, 2 * hidden])
        levels = []
        for level, start in enumerate(self.starts[:-1]):
            here = slice(start, start + self.widths[level])
            if level == 0:
                inputs = [tf.gather(self.words, word[here])]
            else:
                inputs = [tf.gather(states, left[here]), tf.gather(states, right[here])]
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                state = self._inner(*inputs) if level else self._leaf(*inputs)
            levels.append((here, tape, inputs, state))
            states = dynamic_update_slice(states, state, [start, 0])
        slopes = dict.fromkeys(self.trained, 0.0)
        h = states[:, :hidden]
        with tf.GradientTape() as tape:
            tape.watch(h)
            scores = tf.linalg.matmul(h, self.trained["out"], transpose_b=True)
            scores += self.trained["out_bias"]
            right_score = tf.gather(scores, label, batch_dims=1)
            loss = tf.reduce_sum(weight * (tf.reduce_logsumexp(scores, 1) - right_score))
        last = ("out", "out_bias")
        from_loss, *found = tape.gradient(loss, [h, *(self.trained[n] for n in last)])
        slopes.update(zip(last, found, strict=True))
        from_parents = tf.zeros([2 * total + 1, 2 * hidden])
        for here, tape, inputs, state in reversed(levels):
            bar = tf.gather(from_parents, parent[here])
            bar += tf.pad(from_loss[here], [[0, 0], [0, hidden]])
            names = ("node", "node_bias") if len(inputs) == 2 else ("leaf", "leaf_bias")
            wanted = [*inputs, *(self.trained[n] for n in names)]
            found = tape.gradient(state, wanted, output_gradients=bar)
            for name, slope in zip(names, found[len(inputs) :], strict=True):
                slopes[name] += slope
            if len(inputs) == 2:
                both = tf.concat(found[:2], 0)
                from_parents = dynamic_update_slice(from_parents, both, [2 * here.start, 0])
        for name, variable in self.trained.items():
            variable.assign_sub(self.rate * slopes[name])
        return loss

    def _leaf(self, x):
        gates = tf.linalg.matmul(x, self.trained["leaf"], transpose_b=True)
        i, o, u = tf.split(gates + self.trained["leaf_bias"], 3, 1)
        c = tf.sigmoid(i) * tf.tanh(u)
        return tf.concat([tf.sigmoid(o) * tf.tanh(c), c], 1)

    def _inner(self, left, right):
        (h_left, c_left), (h_right, c_right) = tf.split(left, 2, 1), tf.split(right, 2, 1)
        both = tf.concat([h_left, h_right], 1)
        gates = tf.linalg.matmul(both, self.trained["node"], transpose_b=True)
        i, f_left, f_right, o, u = tf.split(gates + self.trained["node_bias"], 5, 1)
        c = tf.sigmoid(f_left) * c_left + tf.sigmoid(f_right) * c_right
        c += tf.sigmoid(i) * tf.tanh(u)
        return tf.concat([tf.sigmoid(o) * tf.tanh(c), c], 1)
