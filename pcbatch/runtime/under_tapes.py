"""A batched call under a `tf.GradientTape`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf

from pcbatch.backend.clean_thread import in_clean_thread
from pcbatch.backend.private import graphs
from pcbatch.errors import PcbatchError
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.result import Result
from pcbatch.runtime.specialization import Specialization
from pcbatch.semantics import pytree
from pcbatch.semantics.optional import zeros_for_none

if TYPE_CHECKING:
    from pcbatch.runtime.pullbacks import Pullback


def run_under_tapes(
    specialization: Specialization, arguments: Arguments, options: RunOptions
) -> Result:
    """Run so that a tape around the call, if there is one, finds its gradient."""
    if not (tf.inside_function() or graphs.recording()):  # nothing could ask for one
        return specialization.run(arguments, options)
    frozen = dataclasses.replace(
        arguments,
        leaves=tuple(
            dataclasses.replace(x, value=tf.stop_gradient(x.value)) if _floating(x.value) else x
            for x in arguments.leaves
        ),
    )
    leaves, captured = watched(specialization, arguments)
    result = specialization.run(frozen, options)
    values, tree = pytree.flatten(result.value)
    floats = [i for i, leaf in enumerate(values) if _floating(_numbers(leaf))]
    inputs = [*leaves.values(), *captured.values()]
    if not inputs or not floats:
        return result

    @tf.custom_gradient
    def call(*_: Any) -> Any:
        def gradient(*upstream: Any) -> Any:
            _check_unchanged(specialization, arguments, captured)
            pullback = _pullback(specialization, frozen, options, tuple(leaves), tuple(captured))
            bars = dict(zip(floats, upstream, strict=True))
            found = pullback(frozen, bars, options)
            slopes = [found.leaves.get(i, tf.zeros_like(x)) for i, x in leaves.items()]
            slopes += [found.captured.get(i, tf.zeros_like(x)) for i, x in captured.items()]
            return _without_gradient(specialization.name, slopes, (*inputs, *upstream))

        return [tf.identity(_numbers(values[i])) for i in floats], gradient

    for i, found in zip(floats, call(*inputs), strict=True):
        is_list = isinstance(values[i], tf.RaggedTensor)
        values[i] = values[i].with_flat_values(found) if is_list else found
    # Once more, so that the tape gives no adjoint to what stands for None.
    return dataclasses.replace(result, value=zeros_for_none(pytree.unflatten(tree, values)))


def watched(
    specialization: Specialization, arguments: Arguments
) -> tuple[dict[int, tf.Tensor], dict[int, tf.Tensor]]:
    """The tensors whose gradient a tape may ask for.

    Returns:
      Leaves of the arguments, and what the program captures, by number.
    """
    leaves = {i: x.value for i, x in enumerate(arguments.leaves) if _is_watched(x.value)}
    if not graphs.recording():  # a saved model, which no tape watches, would trace this gradient
        return leaves, {}
    known = enumerate(specialization.captured(arguments))
    read = ((i, tf.convert_to_tensor(x)) for i, x in known if _floating(x))
    return leaves, {i: x for i, x in read if _is_watched(x)}


def _pullback(
    specialization: Specialization,
    arguments: Arguments,
    options: RunOptions,
    leaves: tuple[int, ...],
    captured: tuple[int, ...],
) -> Pullback:
    """What takes adjoints back through a program; made once.

    Raises:
      PcbatchError: the strategy does not differentiate, or no gradient passes through the results.
    """
    if options.strategy != "pc":
        raise PcbatchError(
            f"{specialization.name} runs with strategy {options.strategy!r}, which a "
            "tf.GradientTape does not see through, as members share one Python call\n"
            "help: take 'pc' or 'loop'"
        )
    from pcbatch.runtime.pullbacks import Pullback

    known, wanted = specialization.pullbacks, (leaves, captured)
    if wanted not in known:
        known[wanted] = in_clean_thread(lambda: Pullback(specialization, arguments, *wanted))
    return known[wanted]


def _check_unchanged(
    specialization: Specialization, arguments: Arguments, were: dict[int, tf.Tensor]
) -> None:
    """Refuse the gradient at values that the call has not seen.

    Raises:
      PcbatchError: a variable that the program reads has been assigned since the call.
    """
    if tf.inside_function():
        return
    now = specialization.captured(arguments)
    for i, was in were.items():
        if isinstance(now[i], tf.Variable) and not np.array_equal(now[i], was, equal_nan=True):
            raise PcbatchError(
                f"a variable that {specialization.name} reads has been assigned since the call, "
                "and its gradient would be that of another call\n"
                "help: ask the tape before you assign to it"
            )


def _without_gradient(name: str, slopes: list[Any], inputs: tuple[Any, ...]) -> list[Any]:
    """Gradients of which a gradient is refused."""
    if not (tf.inside_function() or graphs.recording()):
        return slopes

    @tf.custom_gradient
    def guard(*_: Any) -> Any:
        def gradient(*upstream: Any) -> Any:
            raise PcbatchError(
                f"a tape asks for the gradient of the gradient of {name}\n"
                "help: take pcbatch.grad(pcbatch.grad(f)), which is a program"
            )

        return [tf.identity(x) for x in slopes], gradient

    return list(guard(*inputs))


def _numbers(leaf: Any) -> Any:
    """The tensor in a leaf of a value: of lists of a length per member all numbers in a row."""
    return leaf.flat_values if isinstance(leaf, tf.RaggedTensor) else leaf


def _is_watched(value: Any) -> bool:
    return _floating(value) and graphs.is_watched(value)


def _floating(value: Any) -> bool:
    return isinstance(value, (tf.Tensor, tf.Variable)) and value.dtype.is_floating
