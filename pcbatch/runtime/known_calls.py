"""Calls with arrays of types that have come before: of these all but the values is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.backend.private import eager_values, graphs
from pcbatch.backend.private.eager_values import EagerTensor
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.result import Result
from pcbatch.runtime.specialization import Specialization
from pcbatch.vm.launch import members_of_parts, parts
from pcbatch.vm.machine import Machine

MOST_CALLS = 256
"""So many calls of a function are known at a time."""

Key = tuple[Any, ...]


class KnownCalls:
    """The known calls of a function."""

    def __init__(self) -> None:
        self._calls: dict[Key, KnownCall] = {}

    def run(self, args: tuple[Any, ...], options: RunOptions) -> Result | None:
        """Make a call if it is known; otherwise nothing has run.

        Args:
          args: as the user has given them, all by position.
          options: of the run.
        """
        if not self._calls or tf.inside_function() or graphs.recording():
            return None
        key = _key(args, options)
        call = None if key is None else self._calls.get(key)
        if call is None or not call.specialization.still_valid():
            return None
        return call.run([x if type(x) is EagerTensor else tf.convert_to_tensor(x) for x in args])

    def learn(
        self,
        args: tuple[Any, ...],
        options: RunOptions,
        arguments: Arguments,
        specialization: Specialization,
    ) -> None:
        """Get to know a call that has run, if it can be known.

        Args:
          args, options: as of `run`.
          arguments: what was read from them, and the object of a method.
          specialization: what has run.
        """
        key = _key(args, options)
        if key is None or tf.inside_function() or options.strategy != "pc":
            return
        call = known_call(specialization, arguments, len(args), options)
        if call is None:
            return
        if len(self._calls) >= MOST_CALLS:
            self._calls.clear()
        self._calls[key] = call


class KnownCall:
    """A call of which only the values of the arguments are not known.

    Args:
      specialization: what runs.
      machine: on what.
      members: how many each part of the batch has.
      options: of the run.
      inputs: the number of the argument, by input of the program.
      shared: the same, by parameter that members share.
    """

    def __init__(
        self,
        specialization: Specialization,
        machine: Machine,
        members: list[int],
        options: RunOptions,
        inputs: Mapping[str, int],
        shared: Mapping[tuple[str, int], int],
    ):
        self.specialization, self._machine, self._options = specialization, machine, options
        self._inputs, self._shared = inputs, shared
        self._members = members

    def run(self, args: list[tf.Tensor]) -> Result:
        """Make it with arguments of the known types."""
        named = {name: args[i] for name, i in self._inputs.items()}
        starts = parts(named, self._members, self._machine.batch_size)
        shared = self.specialization.shared_of(lambda *leaf: args[self._shared[leaf]])
        return self.specialization.run_parts(
            self._machine, self._members, starts, named, shared, self._options
        )


def known_call(
    specialization: Specialization, arguments: Arguments, given: int, options: RunOptions
) -> KnownCall | None:
    """A call as it is known after it has run.

    Args:
      specialization: what has run.
      arguments: of the call.
      given: how many the user has given, arrays by position; before them is a method's object.
      options: of the run.

    Returns:
      It; None where an argument is static, left out or converted, and where the program may begin
      again with more room.
    """
    bound = len(arguments.leaves) - given
    leaves, size = arguments.leaves[bound:], arguments.batch_size
    if bound != arguments.bound or any(x.axis == "static" or x.weak for x in leaves):
        return None
    taken = specialization.entry_leaves(arguments)
    as_given = all(x.axis == 0 and x.value.dtype == leaf.type.dtype for x, leaf in taken)
    if specialization.grows or not size or not as_given:
        return None
    cut = specialization.cut(size, options)
    members = members_of_parts(size, cut.members)
    machine = specialization.machine(cut.lanes, options, len(members))
    places = {(x.parameter, x.index): i for i, x in enumerate(leaves)}
    entry = [places[x.parameter, x.index] for x, _ in taken]
    inputs = dict(zip(machine.program.inputs, entry, strict=True))
    return KnownCall(specialization, machine, members, options, inputs, places)


def _key(args: tuple[Any, ...], options: RunOptions) -> Key | None:
    """What tells calls apart; None for arguments that are not all arrays.

    A known call keeps its options, so that no others get their number.
    """
    key: list[Any] = [id(options)]
    for value in args:
        if type(value) is EagerTensor:
            key.append(eager_values.type_of(value))
        elif type(value) is np.ndarray and value.dtype.kind in "biufc":
            key.append((value.dtype.str, value.shape))
        else:
            return None
    return tuple(key)
