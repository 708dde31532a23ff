"""Run exported programs on this machine's accelerator, and compare with the results beside them.

Needs JAX and NumPy, and what `python -m tests.elsewhere DIRECTORY` has written:

    python tests/elsewhere/check.py DIRECTORY
"""

from __future__ import annotations

import argparse
import concurrent.futures
import importlib
import os
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np


def loaded(archive: pathlib.Path) -> Any:
    """The compiled program."""
    runner = importlib.import_module("pcbatch_program")
    return runner.load(str(archive))


def faults(program: Any, data: dict[str, np.ndarray]) -> list[str]:
    """What is not as it was where the program was exported."""
    with jax.enable_x64(True):
        inputs = [
            jax.device_put(data[f"argument {i}"].astype(x["dtype"]), program.device)
            for i, x in enumerate(program.header["inputs"])
        ]
    found = program.execute(inputs)
    status = np.asarray(found["status"])
    bad = [program.header["status"][str(code)] for code in set(status[status > 0].tolist())]
    values = [np.asarray(x) for name, x in found.items() if name.startswith("value")]
    wanted = [data[f"result {i}"] for i in range(len(values))]
    return bad + [
        difference
        for ours, theirs in zip(values, wanted, strict=True)
        if (difference := _difference(ours, theirs, int(data["roundings"])))
    ]


def _difference(ours: np.ndarray, theirs: np.ndarray, roundings: int) -> str:
    """How an array differs from another by more than so many roundings; "": it does not."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{ours.dtype}{list(ours.shape)} for {theirs.dtype}{list(theirs.shape)}"
    if np.array_equal(ours, theirs, equal_nan=theirs.dtype.kind in "fc"):
        return ""
    if theirs.dtype.kind not in "fc":
        return f"{int((ours != theirs).sum())} of {ours.size} numbers"
    allowed = 4 * max(roundings, 1) * np.finfo(theirs.dtype).eps
    if np.allclose(ours, theirs, rtol=allowed, atol=0.0, equal_nan=True):
        return ""
    with np.errstate(all="ignore"):
        return f"a number by {np.nanmax(np.abs(ours - theirs) / np.abs(theirs)):.1e}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, run every program, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=pathlib.Path)
    options = parser.parse_args(arguments)
    archives = sorted(options.directory.glob("*.zip"))
    sys.path.insert(0, str(archives[0]))
    print(f"{jax.devices()[0].device_kind}, {len(archives)} programs", flush=True)
    equal = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for archive, program in zip(archives, pool.map(loaded, archives), strict=True):
            different = faults(program, dict(np.load(archive.with_suffix(".npz"))))
            equal += not different
            if different:
                print(f"{archive.stem} differs: {'; '.join(different)}", flush=True)
    print(f"{equal} of {len(archives)} programs give what they gave", flush=True)


if __name__ == "__main__":
    main()
