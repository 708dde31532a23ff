"""What a call is told that no worker can run. Nothing has been submitted by then."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import tensorflow as tf

from pcbatch import ir
from pcbatch.backend.target import XLA_GPU, this_machine
from pcbatch.errors import ArgumentError, Diagnostic
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.specialization import Specialization
from pcbatch.runtime.under_tapes import watched


@dataclasses.dataclass(frozen=True)
class HostCallCannotTravel(Diagnostic):
    title: ClassVar[str] = "{call} cannot run on a worker"
    reason: ClassVar[str] = (
        "what goes to the workers of an executor is the compiled program, and this calls Python in "
        "the process that began the run"
    )
    remedy: ClassVar[str] = (
        "take the call out, or return what it needs and make the call when the run is over; "
        "without executor= it runs as it is"
    )

    call: str


def check(specialization: Specialization, arguments: Arguments, options: RunOptions) -> None:
    """Refuse what cannot run on workers.

    Raises:
      ArgumentError: it says what, and what to do.
    """
    _check_surroundings(specialization.name)
    _check_options(options)
    for block in specialization.stack.blocks:
        if isinstance(block.terminator, ir.Await):
            call = block.terminator.call
            raise ArgumentError(HostCallCannotTravel(call.span, call.text))
    if any(watched(specialization, arguments)):
        raise ArgumentError(
            f"a tf.GradientTape watches what {specialization.name} is given, and it sees nothing "
            "of what workers do\n"
            "help: take pcbatch.grad(f) or pcbatch.value_and_grad(f), which are programs, and run "
            "those on the executor"
        )


def _check_surroundings(name: str) -> None:
    if tf.inside_function():
        raise ArgumentError(
            f"executor= needs the host while it runs, and inside a tf.function {name} runs without "
            "one\nhelp: call it outside of the tf.function"
        )
    if this_machine() is XLA_GPU:
        raise ArgumentError(
            "executor= lowers programs for CPUs, and this process has a GPU\n"
            "help: hide it from this process: CUDA_VISIBLE_DEVICES=-1"
        )


def _check_options(options: RunOptions) -> None:
    if options.strategy != "pc":
        raise ArgumentError(
            f"executor= needs strategy 'pc': with {options.strategy!r} Python runs between the "
            "blocks, and no program could travel"
        )
    if not options.jit:
        raise ArgumentError(
            "executor= needs jit=True: what travels to the workers is the compiled program"
        )
    if options.shards is not None:
        raise ArgumentError(
            f"shards={options.shards} cuts a batch for the cores of this machine\n"
            "help: with executor= say parts=, which cuts it for the workers"
        )
