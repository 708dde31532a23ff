"""The options of a run, checked."""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from pcbatch.errors import ArgumentError
from pcbatch.runtime import optimizations
from pcbatch.semantics.faults import Checks
from pcbatch.vm.sweep.registry import SCHEDULES

F = TypeVar("F", bound=Callable[..., Any])
_KEYWORD = inspect.Parameter.KEYWORD_ONLY

STRATEGIES = ("pc", "local", "hybrid", "loop")
COUNTS = (
    "max_stack_depth", "max_stack_bytes", "max_tape_bytes", "max_steps", "shards", "list_capacity",
)  # fmt: skip
HOST_ONLY = ("max_stack_bytes", "max_tape_bytes", "progress", "checkpoint", "resume")
"""Options that are the host's business between slices of the machine's loop."""


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """How to run: see `pcbatch.autobatch` for the meaning of each."""

    strategy: str = "pc"
    schedule: str = "auto"
    max_stack_depth: int | None = None
    max_steps: int | None = None
    jit: bool = True
    optimize: bool = True
    without: frozenset[str] = frozenset()
    max_stack_bytes: int | None = None
    max_tape_bytes: int | None = None
    progress: bool = False
    checkpoint: str | os.PathLike[str] | None = None
    every: float = 60.0
    resume: str | os.PathLike[str] | bool = False
    shards: int | None = None
    checks: Checks = True
    list_capacity: int | None = None
    pad: bool = True

    def override(self, **given: Any) -> RunOptions:
        """The options with those replaced that are not None.

        Raises:
          ArgumentError: an option has a value that it cannot have.
        """
        return check(dataclasses.replace(self, **{k: v for k, v in given.items() if v is not None}))

    @property
    def keeps(self) -> bool:
        """Whether a run writes checkpoints, or goes on from one."""
        return self.checkpoint is not None or bool(self.resume)

    def controls(self) -> list[str]:
        """The names of the options in use that need the host between slices."""
        return [name for name in HOST_ONLY if getattr(self, name)]


AT_COMPILATION = ("optimize", "without")
NAMES = tuple(f.name for f in dataclasses.fields(RunOptions) if f.name not in AT_COMPILATION)
"""The options of a decorator and of a call; the others are for a program that is compiled."""


def taken_from(
    given: Mapping[str, Any], names: Collection[str] = NAMES
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Take the options with these names out of keyword arguments.

    Returns:
      The options, and the other arguments.
    """
    options = {name: value for name, value in given.items() if name in names}
    return options, {name: value for name, value in given.items() if name not in names}


def shown(names: Collection[str] = NAMES, overriding: bool = True) -> Callable[[F], F]:
    """Show options as keywords in the signature of a function that takes them as `**kwargs`.

    Args:
      names: of the options.
      overriding: by default they are None, which means those of the decorator, and the function
        has other keyword arguments as well.
    """

    def keyword(field: dataclasses.Field[Any]) -> inspect.Parameter:
        default = None if overriding else field.default
        text = f"{str(field.type).removesuffix(' | None')} | None" if overriding else field.type
        return inspect.Parameter(field.name, _KEYWORD, default=default, annotation=text)

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        *own, others = signature.parameters.values()
        options = [keyword(f) for f in dataclasses.fields(RunOptions) if f.name in names]
        rest = [others] if overriding else []
        described: Any = function
        described.__signature__ = signature.replace(parameters=[*own, *options, *rest])
        return function

    return decorate


def check(options: RunOptions) -> RunOptions:
    """Return the options, the names in `without` as a set.

    Raises:
      ArgumentError: an option has a value that it cannot have, or two do not go together.
    """
    if options.strategy not in STRATEGIES:
        raise ArgumentError(f"unknown strategy {options.strategy!r}: one of {STRATEGIES}")
    if options.schedule not in SCHEDULES:
        raise ArgumentError(f"unknown schedule {options.schedule!r}: one of {SCHEDULES}")
    if not (isinstance(options.checks, bool) or options.checks == "overflow"):
        raise ArgumentError(f'checks is {options.checks!r}: True, False or "overflow"')
    if not isinstance(options.pad, bool):
        raise ArgumentError(f"pad is {options.pad!r}: True or False")
    for name in COUNTS:
        value = getattr(options, name)
        if value is not None and (not isinstance(value, int) or value < 1):
            raise ArgumentError(f"{name} is {value!r}: a positive integer or None")
    if not isinstance(options.every, int | float) or not options.every >= 0:
        raise ArgumentError(f"every is {options.every!r}: the seconds between two checkpoints")
    if options.controls() and options.strategy != "pc":
        raise ArgumentError(
            f"{options.controls()[0]} needs strategy 'pc': {options.strategy!r} has no carry that "
            "the host could look at"
        )
    _check_files(options)
    return dataclasses.replace(options, without=optimizations.check(options.without))


def _check_files(options: RunOptions) -> None:
    for name in ("checkpoint", "resume"):
        value = getattr(options, name)
        if value is None or (name == "resume" and isinstance(value, bool)):
            continue
        if not isinstance(value, str | os.PathLike) or not os.fspath(value):
            raise ArgumentError(f"{name} is {value!r}: the path of a file")
    if options.resume is True and options.checkpoint is None:
        raise ArgumentError("resume=True goes on from checkpoint=..., which is not given")
    if options.checkpoint is not None:
        folder, name = os.path.split(os.path.abspath(options.checkpoint))
        if not os.path.isdir(folder):
            raise ArgumentError(f"checkpoint: there is no folder {folder}")
        if os.path.isdir(options.checkpoint):
            raise ArgumentError(f"checkpoint: {name} is a folder; give the path of a file in it")
