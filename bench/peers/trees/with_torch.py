"""The Tree-LSTM in PyTorch, node by node, one tree after the other.

It has one thread, because no product has more than one vector.
"""

from __future__ import annotations

import service
import torch

torch.set_num_threads(1)
ARRAYS = service.load()
BATCHES = [service.trees(ARRAYS, k) for k in range(len(ARRAYS["root"]) // int(ARRAYS["batch"]))]
WORDS = torch.tensor(ARRAYS["words"])
NAMES = ("leaf", "leaf_bias", "node", "node_bias", "out", "out_bias")
WEIGHTS = [torch.tensor(ARRAYS[name], requires_grad=True) for name in NAMES]
LEAF, LEAF_BIAS, NODE, NODE_BIAS, OUT, OUT_BIAS = WEIGHTS
OPTIMIZER = torch.optim.SGD(WEIGHTS, lr=float(ARRAYS["rate"]))


def _cell(node: tuple[int, int, int, int], states: list[tuple[torch.Tensor, torch.Tensor]]):
    left, right, word, _ = node
    if left < 0:
        i, o, u = torch.addmv(LEAF_BIAS, LEAF, WORDS[word]).chunk(3)
        c = torch.sigmoid(i) * torch.tanh(u)
    else:
        (h_left, c_left), (h_right, c_right) = states[left], states[right]
        gates = torch.addmv(NODE_BIAS, NODE, torch.cat([h_left, h_right]))
        i, f_left, f_right, o, u = gates.chunk(5)
        kept = torch.sigmoid(f_left) * c_left + torch.sigmoid(f_right) * c_right
        c = kept + torch.sigmoid(i) * torch.tanh(u)
    return torch.sigmoid(o) * torch.tanh(c), c


def step(number: int) -> float:
    """Train on one batch."""
    OPTIMIZER.zero_grad()
    total = 0.0
    for nodes in BATCHES[number]:
        states: list[tuple[torch.Tensor, torch.Tensor]] = []
        for node in nodes:
            states.append(_cell(node, states))
        scores = torch.stack([h for h, _ in states]) @ OUT.T + OUT_BIAS
        labels = torch.tensor([node[3] for node in nodes])
        loss = torch.nn.functional.cross_entropy(scores, labels, reduction="sum")
        loss = loss / len(BATCHES[number])
        loss.backward()
        total += loss.item()
    OPTIMIZER.step()
    return total


service.serve(step)
