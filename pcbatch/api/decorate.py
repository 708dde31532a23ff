"""`@pcbatch.autobatch`."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any

from pcbatch.api.autobatched import Autobatched
from pcbatch.errors import ArgumentError
from pcbatch.runtime.arguments import ArgumentOptions, static_names
from pcbatch.runtime.options import NAMES, RunOptions, shown
from pcbatch.semantics.caches import uncached


@shown(overriding=False)
def autobatch(
    fn: Callable[..., Any] | None = None,
    *,
    in_axes: Any = 0,
    static_argnames: str | Iterable[str] = (),
    **options: Any,
) -> Any:
    """Batch a function that is written for one example.

    Args:
      fn: the function: Python with `if`, `while`, `for`, early `return` and recursion over tensors.
        A call to anything that is not autobatched is a primitive: any TensorFlow code, written for
        one example.
      in_axes: 0 for a batched argument, None for one that all members share; one for all
        parameters, or a tuple or dict of them, nested like the arguments where they are structures.
      static_argnames: parameters that are hashable Python values; each gets code of its own.
      strategy: "pc" (the program-counter machine, one XLA computation), "local" (local static:
        masks and host recursion, TensorFlow eager), "hybrid" (local static, each block compiled
        with XLA) or "loop" (one member after the other, eager).
      schedule: for "pc": "sweep", "switch" (smallest program counter first, as published),
        "switch-most-active", or "auto" (the sweep).
      max_stack_depth: the capacity of the machine's stacks; None: they grow as needed.
      max_steps: at most so many turns of the machine's loop.
      jit: for "pc": False runs the machine step by step in eager TensorFlow, for debugging.
      max_stack_bytes: stacks grow to this size in all and no further; None: to a quarter of the
        machine's memory. Members that need more end with the status STACK_OVERFLOW, which names
        the function that recursed.
      max_tape_bytes: what gradients record takes at most so much in all; None: `max_stack_bytes`
        is the only limit. Members with long tapes go on in fewer lanes. Where that is not enough,
        they have the status STACK_OVERFLOW, which says where, and how much was taken.
      progress: show a line with the members done, the time left, the share of lanes in use, and
        the rate of what `pcbatch.counted` marks.
      checkpoint: a file that the state of the run is written to, at its end and on the way.
      every: the seconds between two checkpoints.
      resume: a checkpoint of a run of the same function with the same arguments, from which to go
        on, bit by bit as if it had never stopped; True: go on from `checkpoint` if it is there,
        and start anew otherwise.
      shards: for "pc": cut the batch into so many parts, each with a loop of its own, as many at
        a time as there are cores; None: one per core where parts are large enough, several where
        members are wide, see `runtime.shards`.
      checks: True: where Python raises for a member, that member stops with the exception as its
        status (`IndexError`, `ZeroDivisionError`, ...). False: no checks; then what such a member
        computes is unspecified. "overflow": besides, a member stops where an integer does not fit
        in its dtype, which wraps around otherwise.
      list_capacity: so many elements a list that grows has room for at first; None: 64. Where a
        member needs more, the run begins again with four times the room (twice, where lists are
        long); not in a `tf.function`, with host calls or with checkpoints, where the member stops
        with a status.
      pad: for "pc": a compiled batch runs in a program for the next size on a ladder, so that other
        sizes nearby need no compilation. Lanes that are left over are empty. False: in a program
        for exactly as many members, as in a `tf.function` and in what `.lower` compiles.

    Returns:
      An `Autobatched`: call it with batched arguments; it also has `.single`, `.run`, `.lower`.
      Without `fn`, a decorator.

    Raises:
      ArgumentError: an option is not one of the above.
    """
    unknown = [name for name in options if name not in NAMES]
    if unknown:
        raise TypeError(f"autobatch() got an unexpected keyword argument {unknown[0]!r}")
    defaults = RunOptions().override(**options)

    def decorate(function: Callable[..., Any]) -> Autobatched:
        function = uncached(function)
        if isinstance(function, Autobatched):
            raise ArgumentError(f"{function.__name__} is autobatched already")
        if not isinstance(function, types.FunctionType):
            raise ArgumentError(f"autobatch takes a Python function, not {function!r}")
        names = static_names(function, static_argnames)
        return Autobatched(function, ArgumentOptions(in_axes, names), defaults)

    return decorate if fn is None else decorate(fn)
