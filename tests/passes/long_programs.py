"""Programs of any length, of five kinds that once took minutes to compile: as source text."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

HEAD = "import itertools\n\nimport pcbatch\n\n\n"


def variables(number: int) -> str:
    """One loop that changes so many floats."""
    names = [f"v{i}" for i in range(number)]
    begin = [f"    {v} = x + {i}.0" for i, v in enumerate(names)]
    change = [
        f"        {v} = {v} * 0.5 + {names[(i + 1) % number]} * 0.25" for i, v in enumerate(names)
    ]
    return _function(
        [*begin, "    i = 0", "    while i < 10:", *change, "        i = i + 1"], " + ".join(names)
    )


def functions(number: int) -> str:
    """So many functions that call each other."""
    parts = [
        f"@pcbatch.autobatch\ndef f{i}(k):\n    if k < 2:\n        return k + {i}\n"
        f"    return f{(i + 1) % number}(k - 1) + f{(i + 7) % number}(k - 2)\n\n\n"
        for i in range(number)
    ]
    return HEAD + "".join(parts) + "f = f0\n"


def loops(number: int) -> str:
    """So many small loops in a row."""
    loop = "    i = 0\n    while i < x + {}:\n        s = s + i\n        i = i + 1"
    return _function(["    s = x", *(loop.format(i) for i in range(number))], "s")


def branches(number: int) -> str:
    """So many `if` statements."""
    branch = "    if s > {}:\n        s = s - {}"
    return _function(["    s = x", *(branch.format(i, i + 1) for i in range(number))], "s")


def pairs(number: int) -> str:
    """A loop over so many pairs of indices, which is unrolled."""
    body = "    s = 0.0\n    for i, j in PAIRS:\n        d = x[i] - x[j]\n        s = s + d * d"
    start = f"PAIRS = list(itertools.combinations(range(64), 2))[:{number}]\n\n\n"
    return _function([body], "s", start)


KINDS = {f.__name__: f for f in (variables, functions, loops, branches, pairs)}


def make(kind: str, number: int, folder: Path) -> Any:
    """Write a program to a file in a folder, and import its function."""
    name = f"{kind}_{number}"
    path = folder / f"{name}.py"
    path.write_text(KINDS[kind](number))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def argument(kind: str, members: int = 16) -> np.ndarray:
    """What to call a program on."""
    if kind == "pairs":
        return np.random.default_rng(0).normal(size=(members, 64)).astype(np.float32)
    if kind == "variables":
        return np.arange(members, dtype=np.float32)
    return np.arange(members, dtype=np.int32) % 5


def _function(lines: list[str], result: str, start: str = "") -> str:
    body = "\n".join(lines)
    return f"{HEAD}{start}@pcbatch.autobatch\ndef f(x):\n{body}\n    return {result}\n"
