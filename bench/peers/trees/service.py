"""What the programs share: weights and trees from a file, and batches named line by line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np


def load() -> dict[str, Any]:
    """Weights and trees by name, `rate` and `batch`."""
    with np.load(sys.argv[1]) as file:
        return dict(file)


def trees(arrays: dict[str, Any], number: int) -> list[list[tuple[int, int, int, int]]]:
    """A batch: of each tree the nodes, each with left and right child, word and label."""
    size = int(arrays["batch"])
    found = []
    for k in range(number * size, (number + 1) * size):
        nodes = int(arrays["root"][k]) + 1
        columns = (arrays[name][k, :nodes].tolist() for name in ("left", "right", "word", "label"))
        found.append(list(zip(*columns, strict=True)))
    return found


def serve(step: Callable[[int], float]) -> None:
    """Train a batch for each line, and answer with its loss."""
    print("reply 0", flush=True)
    for line in sys.stdin:
        print("reply " + json.dumps(step(int(line))), flush=True)
