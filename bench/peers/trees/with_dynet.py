"""The Tree-LSTM in DyNet: a graph of all trees of a batch, batched by its executor."""

from __future__ import annotations

import dynet_config

dynet_config.set(mem=1024, autobatch=1, random_seed=1)

import dynet as dy  # noqa: E402
import numpy as np  # noqa: E402
import service  # noqa: E402

ARRAYS = service.load()
HIDDEN = ARRAYS["words"].shape[1]
BATCHES = [service.trees(ARRAYS, k) for k in range(len(ARRAYS["root"]) // int(ARRAYS["batch"]))]
MODEL = dy.ParameterCollection()
WORDS = MODEL.lookup_parameters_from_numpy(ARRAYS["words"])


def _gates(matrix: np.ndarray, bias: np.ndarray) -> list[list[dy.Parameters]]:
    """Of each gate the bias, and a matrix for each state that it reads."""
    gates = []
    states = matrix.shape[1] // HIDDEN
    for k in range(len(bias) // HIDDEN):
        rows = slice(k * HIDDEN, (k + 1) * HIDDEN)
        parts = [np.ascontiguousarray(x) for x in np.split(matrix[rows], states, 1)]
        gates.append([MODEL.parameters_from_numpy(x) for x in (bias[rows], *parts)])
    return gates


LEAF = _gates(ARRAYS["leaf"], ARRAYS["leaf_bias"])
NODE = _gates(ARRAYS["node"], ARRAYS["node_bias"])
OUT = [MODEL.parameters_from_numpy(ARRAYS[name]) for name in ("out_bias", "out")]
TRAINER = dy.SimpleSGDTrainer(MODEL, float(ARRAYS["rate"]))
TRAINER.set_clip_threshold(0)


def _cell(node: tuple[int, int, int, int], states: list[tuple[dy.Expression, dy.Expression]]):
    left, right, word, _ = node
    if left < 0:
        x = dy.lookup(WORDS, word, update=False)
        i, o, u = (dy.affine_transform([gate[0], gate[1], x]) for gate in LEAF)
        c = dy.cmult(dy.logistic(i), dy.tanh(u))
    else:
        (h_left, c_left), (h_right, c_right) = states[left], states[right]
        i, f_left, f_right, o, u = (
            dy.affine_transform([gate[0], gate[1], h_left, gate[2], h_right]) for gate in NODE
        )
        kept = dy.cmult(dy.logistic(f_left), c_left) + dy.cmult(dy.logistic(f_right), c_right)
        c = kept + dy.cmult(dy.logistic(i), dy.tanh(u))
    return dy.cmult(dy.logistic(o), dy.tanh(c)), c


def step(number: int) -> float:
    """Train on one batch."""
    dy.renew_cg()
    losses = []
    for nodes in BATCHES[number]:
        states: list[tuple[dy.Expression, dy.Expression]] = []
        for node in nodes:
            states.append(_cell(node, states))
            scores = dy.affine_transform([*OUT, states[-1][0]])
            losses.append(dy.pickneglogsoftmax(scores, node[3]))
    loss = dy.esum(losses) / len(BATCHES[number])
    value = loss.value()
    loss.backward()
    TRAINER.update()
    return value


service.serve(step)
