"""Export the shared programs for another machine: `python -m tests.elsewhere DIRECTORY`.

Writes an archive for each shared program that can be exported, and its arguments and results as
they are here. `python tests/elsewhere/check.py DIRECTORY` runs them where JAX is, and compares.
"""

from __future__ import annotations

import argparse
import os
import pathlib
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

from pcbatch.errors import PcbatchError
from tests.conformance.programs import PROGRAMS, Program
from tests.conformance.runners import deep_recursion, run

STACK_DEPTH = 64  # of programs that do not say how deep they go


def export(program: Program, directory: pathlib.Path, **options: str) -> None:
    """Write one program, its arguments in the order of its header, and its results."""
    how = {"max_stack_depth": STACK_DEPTH, **program.options}
    lowered = program.function.lower(*program.args, **program.static)
    lowered.compile(**how).export(str(directory / f"{program.name}.zip"), **options)
    results = _leaves(run(program, strategy="loop"))
    leaves = [x.value for x in lowered._arguments.leaves if x.axis != "static"]
    arrays = {f"argument {i}": np.asarray(x) for i, x in enumerate(leaves)}
    arrays |= {f"result {i}": x for i, x in enumerate(results)}
    np.savez(directory / f"{program.name}.npz", roundings=program.roundings, **arrays)


def _leaves(value: Any) -> list[Any]:
    """The leaves of a result in the order of an archive's outputs: a dict's as it has them."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in _leaves(part)]
    return [value]


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and export the programs."""
    parser = argparse.ArgumentParser(prog="python -m tests.elsewhere", description=__doc__)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--platform", default="gpu", help="what they are arranged for")
    parser.add_argument("--precision", default="highest", help="of products")
    parser.add_argument("--programs", nargs="*", help="only these")
    options = parser.parse_args(arguments)
    options.directory.mkdir(parents=True, exist_ok=True)
    chosen = [p for p in PROGRAMS if not options.programs or p.name in options.programs]
    with deep_recursion():
        for program in chosen:
            try:
                how = {"platform": options.platform, "precision": options.precision}
                export(program, options.directory, **how)
            except PcbatchError as error:
                print(f"{program.name}: not exported: {str(error).splitlines()[0]}", flush=True)


if __name__ == "__main__":
    main()
