"""Tree-LSTMs of other systems, each in an environment and a process of its own.

`with_dynet.py` and `with_torch.py` are programs. They import their system and NumPy, and nothing of
this package: the other environment need not have TensorFlow. A program reads weights and trees from
a file, and then trains one batch for each line that it reads.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import numpy as np

PROGRAMS = {"DyNet, autobatching": "with_dynet.py", "PyTorch, node by node": "with_torch.py"}


class MissingPeerError(Exception):
    """A system cannot be had in the environment; the message says why."""


class Peer:
    """A running program that trains the network; a context manager that ends it."""

    def __init__(
        self, name: str, python: str, arrays: Mapping[str, np.ndarray], rate: float, batch: int
    ) -> None:
        """Start it.

        Args:
          name: one of `PROGRAMS`.
          python: the interpreter of the environment that has the system.
          arrays: weights and trees by name.
          rate: of the gradient steps.
          batch: how many trees a step takes.

        Raises:
          MissingPeerError: it has not started.
        """
        self._folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self._folder.name) / "network.npz"
        np.savez(path, rate=np.float64(rate), batch=np.int64(batch), **arrays)
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        program = pathlib.Path(__file__).parent / PROGRAMS[name]
        self._process = subprocess.Popen(
            [python, str(program), str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        try:
            self._reply()
        except RuntimeError as error:
            self.close()
            raise MissingPeerError(f"{name}: {error}") from error

    def step(self, number: int) -> float:
        """Train on one batch; the mean loss of a tree before the update."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{number}\n")
        self._process.stdin.flush()
        return float(self._reply())

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()
        self._folder.cleanup()

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _reply(self) -> Any:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("reply "):
                return json.loads(line.removeprefix("reply "))
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines() or [f"exit {self._process.wait()}"]
        raise RuntimeError(lines[-1])
