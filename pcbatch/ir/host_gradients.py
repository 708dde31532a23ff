"""Host calls of one member, through which TensorFlow's tapes see."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import tensorflow as tf

from pcbatch.errors import Diagnostic, ProgramError
from pcbatch.ir.operations import HostCall


@dataclasses.dataclass(frozen=True)
class GradientThroughHost(Diagnostic):
    title = "a gradient would pass through `{name}`"
    reason = "it is Python on the host, of which no derivative is known, and floats go through it."
    remedy = (
        "keep what it gives out of the differentiated value, compute it in the program, or say "
        "what its gradient is: pcbatch.host_call(..., gradient=fn). "
        "No gradient of a gradient passes through it."
    )
    name: str


def on_host(
    call: HostCall, values: Sequence[Any], shared: Sequence[bool], member: int
) -> tuple[tf.Tensor, ...]:
    """Run a host call for one member.

    Args:
      call: it.
      values: its arguments.
      shared: which of them all members share.
      member: its number.

    Returns:
      The results. A tape that asks for the gradient gets what the call's own function for it says.

    Raises:
      ProgramError: a tape asks, and there is no such function.
    """
    arrays = [
        np.asarray(x) if alike else np.asarray(x)[np.newaxis]
        for x, alike in zip(values, shared, strict=True)
    ]
    members = np.array([member])

    def run(*given: tf.Tensor) -> tuple[Any, Callable[..., Any]]:
        results = [tf.convert_to_tensor(x[0]) for x in call.fn(members, *arrays)]

        def back(*adjoints: tf.Tensor) -> list[tf.Tensor | None]:
            if call.gradient is None:
                refuse()
            found = iter(tf.custom_gradient(slopes)(*given, *adjoints))
            return [next(found) if x.dtype.is_floating else None for x in given]

        return results, back

    def slopes(*given: tf.Tensor) -> tuple[Any, Callable[..., Any]]:
        assert call.gradient is not None
        bars = [np.asarray(x)[np.newaxis] for x in given[len(arrays) :]]
        found = call.gradient(members, *arrays, *bars)
        return [tf.convert_to_tensor(x[0]) for x in found], refuse

    def refuse(*_: Any) -> NoReturn:
        raise ProgramError(GradientThroughHost(call.span, call.text))

    return tuple(tf.custom_gradient(run)(*map(tf.convert_to_tensor, values)))
