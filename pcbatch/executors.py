"""Executors for `executor=`, beside those of the standard library and of clusters."""

from __future__ import annotations

import concurrent.futures
import importlib
from collections.abc import Callable
from typing import Any

from pcbatch.errors import ArgumentError
from pcbatch.runtime.cluster.engine import Renewing, Submits

__all__ = ["Renewing", "ray"]


def ray(*, num_cpus: float = 1, **options: Any) -> Submits:
    """The workers of Ray, which has no executor of its own.

    `ray.init` is for the caller: without it Ray starts workers on this machine. What pcbatch does
    not want any more, Ray ends: it kills the worker, as one that hangs cannot be asked.

    Args:
      num_cpus: the cores that a task takes of its machine.
      **options: other options of a remote function of Ray, as `resources` or `memory`.

    Returns:
      An executor.

    Raises:
      ArgumentError: Ray is not installed.
    """
    return _Ray({"num_cpus": num_cpus, "max_retries": 0, **options})


class _Ray:
    """See `ray`. Ray makes no call again by itself: pcbatch does, from a later carry."""

    def __init__(self, options: dict[str, Any]):
        try:
            self._ray = importlib.import_module("ray")
        except ImportError as error:
            raise ArgumentError(f"executors.ray: {error}\nhelp: pip install ray") from error
        self._call = self._ray.remote(**options)(_call)

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> concurrent.futures.Future[Any]:
        """Have a worker call a function."""
        reference = self._call.remote(fn, *args)
        future: concurrent.futures.Future[Any] = reference.future()

        def end(done: concurrent.futures.Future[Any]) -> None:
            if done.cancelled():
                self._ray.cancel(reference, force=True)

        future.add_done_callback(end)
        return future


def _call(fn: Callable[..., Any], *args: Any) -> Any:
    return fn(*args)
