"""What a run inside a `tf.function` cannot do, where no host can help."""

from __future__ import annotations

from pcbatch.errors import ArgumentError
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.specialization import Specialization


def check_options(name: str, options: RunOptions) -> None:
    """Refuse options that need the host.

    Args:
      name: of the function.
      options: of the call.

    Raises:
      ArgumentError: one of them does.
    """
    if options.strategy != "pc":
        raise ArgumentError(
            f"inside a tf.function {name} runs with strategy 'pc' only, not {options.strategy!r}"
        )
    if options.controls():
        raise ArgumentError(
            f"{options.controls()[0]} needs the host between slices of the run, and inside a "
            f"tf.function {name} runs without one"
        )


def check_specialization(name: str, options: RunOptions, specialization: Specialization) -> None:
    """Refuse a program that needs the host, to have deeper stacks or to run Python.

    Args:
      name: of the function.
      options: of the call.
      specialization: what would run.

    Raises:
      ArgumentError: it does.
    """
    if options.max_stack_depth is None and specialization.recurses:
        raise ArgumentError(
            f"inside a tf.function the stacks of {name} cannot grow: say how deep they are, e.g. "
            f"{name}.run(..., max_stack_depth=32)"
        )
    if specialization.calls_host:
        raise ArgumentError(
            f"{name} calls Python while it runs (pcbatch.host_call, debug_print or breakpoint), "
            "and inside a tf.function or an exported program no host can help.\n"
            "help: call it outside of the tf.function, or take the host calls out"
        )
