"""An executor of the user's, of which `submit` is used and nothing else."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, Protocol, TypeGuard

from pcbatch.errors import ArgumentError

RETRIES = 3
"""How often in a row a part that was lost is given to a worker again."""


class Submits(Protocol):
    """The part of `concurrent.futures.Executor` that is used."""

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Any:
        """Have a worker call a function; returns a `concurrent.futures.Future`."""


@dataclasses.dataclass(frozen=True)
class Workers:
    """Where a batch is to run.

    Attributes:
      executor: an executor, or a function without arguments that makes one.
      parts: into how many parts the batch is cut; None: see `parts.size`.
      retries: how often in a row a part that was lost is given to a worker again.
      task_timeout: so many seconds late a task counts as lost; infinity: it is waited for.
    """

    executor: Submits | Callable[[], Submits]
    parts: int | None
    retries: int
    task_timeout: float


def workers(
    executor: Any, parts: int | None, retries: int | None, task_timeout: float | None
) -> Workers | None:
    """What a call says about workers; None where it names no executor.

    Raises:
      ArgumentError: an argument has a value that it cannot have, or an executor is missing.
    """
    if executor is None:
        given = {"parts": parts, "retries": retries, "task_timeout": task_timeout}
        for name, value in given.items():
            if value is not None:
                raise ArgumentError(
                    f"{name}={value!r} is for executor=..., which is not given\n"
                    f"help: give a parameter of your function that is called {name} by its position"
                )
        return None
    if isinstance(executor, type) or not (submits(executor) or callable(executor)):
        raise ArgumentError(
            f"executor is {executor!r}: an object with the `submit` of "
            "concurrent.futures.Executor, or a function without arguments that makes one"
        )
    if parts is not None and not _is_count(parts, 1):
        raise ArgumentError(f"parts is {parts!r}: a positive integer or None")
    if retries is not None and not _is_count(retries, 0):
        raise ArgumentError(f"retries is {retries!r}: 0, a positive integer or None")
    if task_timeout is not None and not _is_positive(task_timeout):
        raise ArgumentError(f"task_timeout is {task_timeout!r}: seconds, more than 0, or None")
    late = math.inf if task_timeout is None else float(task_timeout)
    return Workers(executor, parts, RETRIES if retries is None else retries, late)


def _is_count(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def submits(executor: Any) -> TypeGuard[Submits]:
    """Whether something is an executor."""
    return callable(getattr(executor, "submit", None))


class Renewing:
    """An executor that a function makes, and makes anew where the one before takes no more calls.

    A `ProcessPoolExecutor` takes none after one of its processes was killed. A function that is
    given as `executor=` is called in each run; an executor of this class is made once for many.

    Args:
      make: a function without arguments that makes an executor.

    Raises:
      ArgumentError: what it made has no `submit`.
    """

    def __init__(self, make: Callable[[], Submits]):
        self._make = make
        self._executor = self._made()

    def _made(self) -> Submits:
        made = self._make()
        if not submits(made):
            raise ArgumentError(
                f"executor: the function returned {made!r}, which has no method `submit`"
            )
        return made

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Any:
        """Have a worker call a function; returns what the executor returns.

        Raises:
          Exception: of an executor that was made just now, and takes no call.
        """
        try:
            return self._executor.submit(fn, *args)
        except Exception:  # of any kind: each executor has its own for what takes no more calls
            self._executor = self._made()
        return self._executor.submit(fn, *args)


def engine(executor: Any) -> Submits:
    """What the tasks of a run are submitted to.

    Args:
      executor: see `Workers`.
    """
    return executor if submits(executor) else Renewing(executor)


def check_future(future: Any) -> None:
    """Refuse what `submit` has returned, if it cannot tell when it is done.

    Raises:
      ArgumentError: it is no future.
    """
    if not callable(getattr(future, "add_done_callback", None)):
        raise ArgumentError(
            f"executor: its `submit` returned {future!r}, which is no "
            "concurrent.futures.Future: it has no `add_done_callback`"
        )
