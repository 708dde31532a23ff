"""`pcbatch.profile`: what a run cost, and where."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from pcbatch.errors import ArgumentError
from pcbatch.tools.profiling import page, plot
from pcbatch.tools.profiling.measurements import Measurements, by_block
from pcbatch.tools.profiling.record import record

OPTIONS = ("schedule", "max_stack_depth", "max_steps", "jit", "optimize", "without")
"""What `profile` passes on."""


@dataclasses.dataclass(frozen=True)
class Profile(Measurements):
    """What a run did, with charts and a page of it.

    Attributes:
      result: what it gave, with every member's status.
      blocks: the blocks in flow order.
      timeline: the run in rows of steps.
      batch_size: the number of members.
      program: what ran, in stack form.
    """

    def __str__(self) -> str:
        return self.table()

    def plot(self, path: str | None = None) -> Any:
        """Draw three charts over the steps: active members by block, utilization, stack depths.

        Args:
          path: a file to save to; None: none.

        Returns:
          A matplotlib `Figure`.
        """
        return plot.figure(self, path)

    def html(self, path: str | None = None) -> str:
        """Write one self-contained page: the graph beside the source, hot blocks coloured.

        Args:
          path: a file to save to; None: none.

        Returns:
          The text of the page.
        """
        return page.write(self, path)


def profile(f: Any, *, rows: int = 400, **options: Any) -> Callable[..., Profile]:
    """Run an autobatched function step by step and say what it did.

    Every step returns to the host, so that the run is slow; what it counts is what an ordinary run
    of the same schedule does, with `pad=False`.

    Args:
      f: an autobatched function.
      rows: how finely to resolve the steps.
      **options: `schedule`, `max_stack_depth`, `max_steps`, `jit`, as for `autobatch`, and
        `optimize`, `without`, as for `compile`.

    Returns:
      A function of `f`'s arguments that returns a `Profile`.

    Raises:
      ArgumentError: `f` is not autobatched, or an option has no meaning here.
    """
    if not hasattr(f, "lower"):
        raise ArgumentError(f"profile takes a function made by pcbatch.autobatch, not {f!r}")
    if not isinstance(rows, int) or rows < 1:
        raise ArgumentError(f"rows is {rows!r}: a positive integer")
    for name in options:
        if name not in OPTIONS:
            raise ArgumentError(f"profile has no option {name!r}: it has {', '.join(OPTIONS)}")

    def run(*args: Any, **kwargs: Any) -> Profile:
        compiled = f.lower(*args, **kwargs).compile(**options)
        machine = compiled.machine
        moment, timeline = record(
            machine, compiled.start(*args, **kwargs), rows, compiled.options.max_steps
        )
        result = compiled.finish(moment)
        blocks = by_block(machine.context.codes, machine.counts(moment.carry))
        return Profile(result, blocks, timeline, machine.batch_size, machine.program)

    return run
