"""Gradients of a batched call under a `tf.GradientTape`.

The call runs as it would without a tape. When the tape asks, a program of its own runs the function
once more, with its way back, on the adjoints that the tape has for the results.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import ArgumentError, MemberError, PcbatchError
from pcbatch.infer.domain import BufferRef, Shared, Tensor, Value, carried, container
from pcbatch.ir.analysis.activity import is_floating
from pcbatch.passes.reverse.pullback import pullback, summed
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.guards import mark, mark_total
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.result import Status
from pcbatch.runtime.specialization import Specialization
from pcbatch.semantics import pytree


@dataclasses.dataclass(frozen=True)
class Slopes:
    """The adjoints of what a call has read.

    Attributes:
      leaves: of the arguments' leaves, by their numbers; only of those that the program reads.
      captured: of what `Specialization.captured` lists, by its numbers.
    """

    leaves: Mapping[int, tf.Tensor]
    captured: Mapping[int, tf.Tensor]


class Pullback:
    """What takes adjoints of a call's results back to what the call has read.

    Args:
      of: the program that is called.
      arguments: of a call.
      leaves: the numbers of their leaves that a tape watches.
      captured: the numbers, in `Specialization.captured`, of what else it watches.

    Raises:
      PcbatchError: no gradient passes through its results.
    """

    def __init__(
        self,
        of: Specialization,
        arguments: Arguments,
        leaves: tuple[int, ...],
        captured: tuple[int, ...],
    ):
        result, typed = of.inferred.result, of.inferred.program
        for path, leaf in zip(pytree.paths(result.tree), result.leaves, strict=True):
            if isinstance(leaf, BufferRef):
                raise PcbatchError(
                    f"{of.name} returns a list or a buffer ({path[1:] or 'its result'}), and no "
                    "gradient passes through what members have written to one\n"
                    "help: return numbers or arrays where a tf.GradientTape watches the call"
                )
        self._of = of
        wanted = [arguments.leaves[i] for i in leaves]
        self._by_leaf = self._keys_of_leaves({(x.parameter, x.index) for x in wanted})
        others = [n for n, o in of.inferred.shared.items() if o.kind != "argument"]
        own = len(of.inferred.captured)
        self._captured: dict[int, int | str] = {
            i: f"captured{i}" if i < own else others[i - own] for i in captured
        }
        objects = {f"captured{i}": x for i, x in enumerate(of.inferred.captured)}
        keys = dict.fromkeys((*self._by_leaf.values(), *self._captured.values()))
        self._sources = tuple(
            ir.Captured(key, x, ir.TensorType(x.dtype.name, tuple(x.shape)))
            if isinstance(key, str) and (x := objects.get(key)) is not None
            else key
            for key in keys
        )
        entry = typed.functions[typed.entry]
        self._back: Specialization | None = None
        self._totals: dict[int | str, str] = {}
        if not self._sources or not any(map(is_floating, entry.results)):
            return  # What the tape watches is not read, or not by what differs among members.
        by = tuple(summed(typed, x) for x in self._sources)
        program = pullback(typed, by)
        self._totals = {_key(x.source): x.total for x in by if isinstance(x, ir.Summed)}
        types = program.functions[program.entry].results
        values = [Value(pytree.LEAF, (Tensor(type_),)) for type_ in types]
        self._back = of.with_program(program, container(tuple, range(len(values)), values))

    def _keys_of_leaves(self, wanted: set[tuple[str, int]]) -> dict[tuple[str, int], int | str]:
        """Which parameter of the program, or which shared value, a leaf of an argument is."""
        found: dict[tuple[str, int], int | str] = {}
        position = 0
        for parameter, value in self._of.inferred.params.items():
            for i, leaf in enumerate(value.leaves):
                if isinstance(leaf, Tensor) and carried(leaf):
                    if (parameter, i) in wanted and is_floating(leaf.type):
                        found[parameter, i] = position
                    position += 1
        for name, origin in self._of.inferred.shared.items():
            if origin.kind == "argument" and (origin.owner, origin.leaf) in wanted:
                found[origin.owner, origin.leaf] = name
        return found

    def __call__(
        self, arguments: Arguments, upstream: Mapping[int, tf.Tensor], options: RunOptions
    ) -> Slopes:
        """Take adjoints back.

        Args:
          arguments: of the call.
          upstream: the adjoints of the floating leaves of the value, by their numbers.
          options: of the call.

        Raises:
          ArgumentError: in a graph, where tapes cannot grow, nothing says how long they are.
          MemberError: a member that had returned has found no room for its tape.
        """
        bars, of_shared = self._adjoints(upstream)
        found = self._of_members(arguments, bars, options) if self._back is not None else {}

        def total(key: int | str) -> tf.Tensor | None:
            summed = found.get(key)
            if key in found and key not in self._totals:
                summed = tf.reduce_sum(found[key], 0)
            own = of_shared.get(key)
            return own if summed is None else summed if own is None else summed + own

        slopes: dict[int, tf.Tensor] = {}
        for i, x in enumerate(arguments.leaves):
            key = self._by_leaf.get((x.parameter, x.index))
            slope = None if key is None else found.get(key) if x.axis == 0 else total(key)
            if slope is not None:
                slopes[i] = tf.cast(slope, x.value.dtype)
        captured = {i: total(key) for i, key in self._captured.items()}
        return Slopes(slopes, {i: x for i, x in captured.items() if x is not None})

    def _of_members(
        self, arguments: Arguments, bars: list[tf.Tensor], options: RunOptions
    ) -> dict[int | str, tf.Tensor]:
        """The adjoints of each member, by the key of what it has read; or their sum, of totals."""
        of, back = self._of, self._back
        assert back is not None
        if tf.inside_function() and options.max_stack_depth is None and back.recurses:
            raise ArgumentError(
                f"inside a tf.function the tapes of {of.name} cannot grow: say how many blocks a "
                f"member runs at most, e.g. {of.name}.run(..., max_stack_depth=1000)"
            )
        alone = dataclasses.replace(
            options, max_steps=None, progress=False, checkpoint=None, resume=False
        )
        inputs = (*of.entry_inputs(arguments), *bars)
        result = back.run_program(inputs, of.shared(arguments), arguments.batch_size, alone)
        keys = [_key(x) for x in self._sources if _key(x) not in self._totals]
        of_members = dict(zip(keys, result.value, strict=True))
        totals = {key: result.totals[name] for key, name in self._totals.items()}
        if not tf.inside_function():
            _check_room(of.name, result)
            return of_members | totals
        marked = {key: mark(x, result.status) for key, x in of_members.items()}
        return marked | {key: mark_total(x, result.status) for key, x in totals.items()}

    def _adjoints(
        self, upstream: Mapping[int, tf.Tensor]
    ) -> tuple[list[tf.Tensor], dict[int | str, tf.Tensor]]:
        """Those of the program's results, and those of shared values that are results."""
        bars: list[tf.Tensor] = []
        of_shared: dict[int | str, Any] = {}
        for i, leaf in enumerate(self._of.inferred.result.leaves):
            match leaf:
                case Tensor(type_) if is_floating(type_) and carried(leaf):
                    bars.append(upstream[i])
                case Shared(name, type_) if is_floating(type_):
                    of_shared[name] = of_shared.get(name, 0.0) + tf.reduce_sum(upstream[i], 0)
        return bars, of_shared


def _key(source: int | str | ir.Captured) -> int | str:
    return source.name if isinstance(source, ir.Captured) else source


def _check_room(name: str, result: Any) -> None:
    """Raise where a member had no room for its tape; one that raises has no slope, and a status."""
    status = np.asarray(result.status)
    without = np.flatnonzero((status > 0) & (status < Status.FAILED))
    if without.size:
        raise MemberError(f"the gradient of {name}: {result.message(int(without[0]))}")
