"""One function for one signature: inferred, lowered, with its arguments and results as tensors."""

from __future__ import annotations

import copy
import dataclasses
import time
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
import tensorflow as tf

from pcbatch import frontend, ir
from pcbatch.backend import garbage
from pcbatch.errors import ProgramError
from pcbatch.infer import Frontend, Inferred, infer
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Callee
from pcbatch.infer.domain import (
    BufferRef,
    Leaf,
    Shared,
    Static,
    Tensor,
    Value,
    carried,
    is_empty,
    is_number,
)
from pcbatch.infer.store import Origin, SharedTensors
from pcbatch.ir import BufferType
from pcbatch.ir.block_counts import Stats
from pcbatch.ir.printer import to_text
from pcbatch.passes.pipeline import lower_simplified, simplify
from pcbatch.passes.tracing import Traced
from pcbatch.runtime import watch
from pcbatch.runtime.arguments import Arguments, LeafArgument
from pcbatch.runtime.control.fingerprint import digest
from pcbatch.runtime.result import Result
from pcbatch.semantics import change_detection, pytree
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.constants import code_of, is_constant
from pcbatch.semantics.faults import Checks, checking
from pcbatch.semantics.limits import capacity_of_texts
from pcbatch.semantics.lists import CAPACITY, ListLayout, presented
from pcbatch.semantics.numbers.widths import Widths, constant, literal, using
from pcbatch.vm.block_info import calls_host

SharedArgument = Callable[[str, int], tf.Tensor]
"""Gives the value of a shared leaf of an argument, by the parameter and its number."""


class SpecializedProgram:
    """A function for one signature of arguments, and how its arguments and results are passed.

    Attributes:
      inferred: the typed program.
      list_capacity: how many elements lists that grow have room for.
      grows: whether there are such lists.
      simplified: its call form after the passes (local static runs it).
      stack: its stack form (the machine runs it).
      stages: the text of each stage by name.
      seconds: what the front end and the passes took.
      pullbacks: what takes adjoints back through it, by what a tape has watched.
    """

    @garbage.of_new_objects
    def __init__(
        self,
        callee: Callee,
        arguments: Arguments,
        source: Frontend,
        checks: Checks = True,
        list_capacity: int = CAPACITY,
    ):
        began = time.perf_counter()
        store = SharedTensors()
        abstract = arguments.abstract(store)
        with checking(checks), using(arguments.widths):
            self.inferred: Inferred = infer(callee, abstract, source, store, list_capacity)
        self._widths = arguments.widths
        self.name = callee.function.__name__
        self.list_capacity = max(list_capacity, capacity_of_texts(self.inferred.text_room))
        self.grows = self.inferred.grows
        self._static = [(x.path, x.value) for x in arguments.leaves if x.axis == "static"]
        self._objects = list(map(watch.attributes, self.inferred.objects))
        self._free = [watch.name(f, n) for f, n, _ in self.inferred.free]
        defaults = list(map(watch.content, self.inferred.defaults))
        self._watches = [*self._objects, *defaults, *self._free]
        self._check_result(callee, source)
        self.stages: dict[str, Callable[[], str]] = {
            "source": lambda: to_text(source.lower(callee)),
            "typed": lambda: to_text(self.inferred.program),
        }
        typed = time.perf_counter()
        self._known = known = Traced(self.inferred.program)
        self.simplified: ir.Program = simplify(
            self.inferred.program, knowledge=known, after=self._note
        )
        self.stack: ir.StackProgram = lower_simplified(
            self.simplified, knowledge=known, after=self._note
        )
        self.seconds = {"front end": typed - began, "passes": time.perf_counter() - typed}
        self._begin()

    def _begin(self) -> None:
        """Forget what has been made of the program."""
        self.pullbacks: dict[Any, Any] = {}

    def with_program(self, program: ir.Program, result: Value) -> Self:
        """The same with a typed program that another one was made of, and its result."""
        other = copy.copy(self)
        other._begin()
        other.inferred = dataclasses.replace(self.inferred, program=program, result=result)
        other._known = Traced(program)
        other.simplified = simplify(program, knowledge=other._known)
        other.stack = lower_simplified(other.simplified, knowledge=other._known)
        return other

    def _note(self, name: str, program: ir.Program | ir.StackProgram) -> None:
        self.stages[name] = lambda: to_text(program)

    def _check_result(self, callee: Callee, source: Frontend) -> None:
        result = self.inferred.result
        for path, leaf in zip(pytree.paths(result.tree), result.leaves, strict=True):
            if not isinstance(leaf, Static) or is_number(leaf) or is_constant(leaf.value):
                continue
            if not isinstance(leaf.value, ListLayout | type | None):
                span = source.lower(callee).span
                where = path[1:] or "all"
                raise ProgramError(report.NotATensor(span, where, repr(leaf.value)))

    @property
    def recurses(self) -> bool:
        """Whether the program needs stacks."""
        return any(isinstance(op, ir.Push) for b in self.stack.blocks for op in b.operations)

    @property
    def calls_host(self) -> bool:
        """Whether the program calls Python while it runs."""
        return calls_host(self.stack)

    def still_valid(self) -> bool:
        """Whether globals, closure variables and `self`'s attributes are as they were."""
        return all(one.unchanged() for one in self._watches)

    def constants(self) -> str:
        """The digest of what the program has folded into its code."""
        free = [(f.__qualname__, name, seen) for f, name, seen in self.inferred.free]
        marks = [
            (f.__qualname__, name, change_detection.lasting(one.seen))
            for (f, name, _), one in zip(self.inferred.free, self._free, strict=True)
        ]
        objects = [change_detection.lasting(one.seen) for one in self._objects]
        return digest([self._static, free, marks, objects])

    # --- Arguments and results -------------------------------------------------------------

    def entry_inputs(self, arguments: Arguments) -> tuple[tf.Tensor, ...]:
        """The entry function's parameters: batched leaves, in order.

        A shared leaf that the program mixes with batched values is a parameter, too.
        """
        size = arguments.batch_size
        leaves = self.entry_leaves(arguments)
        return tuple(_as_batch(given.value, given.axis, leaf, size) for given, leaf in leaves)

    def entry_leaves(self, arguments: Arguments) -> list[tuple[LeafArgument, Tensor]]:
        """The arguments that are the entry function's parameters, and what these are."""
        by_leaf = {(x.parameter, x.index): x for x in arguments.leaves}
        return [
            (by_leaf[parameter, i], leaf)
            for parameter, value in self.inferred.params.items()
            for i, leaf in enumerate(value.leaves)
            if isinstance(leaf, Tensor) and carried(leaf)
        ]

    def shared(self, arguments: Arguments) -> dict[str, tf.Tensor]:
        """The shared values as they are now."""
        return self.shared_of(arguments.shared)

    def shared_of(self, argument: SharedArgument) -> dict[str, tf.Tensor]:
        """The shared values as they are now; `argument` gives those that are arguments."""
        return {name: _resolve(origin, argument) for name, origin in self.inferred.shared.items()}

    def captured(self, arguments: Arguments) -> list[Any]:
        """The tensors and the variables that the program reads and that are no arguments."""
        origins = [o for o in self.inferred.shared.values() if o.kind != "argument"]
        return [*self.inferred.captured, *(_resolve(o, arguments.shared) for o in origins)]

    def value(
        self,
        outputs: tuple[tf.Tensor, ...],
        buffers: Mapping[str, tf.Tensor],
        shared: Mapping[str, tf.Tensor],
        batch_size: int,
    ) -> Any:
        """The function's result from the program's outputs."""
        supply = iter(outputs)

        def leaf_value(leaf: Leaf) -> Any:
            match leaf:
                case Tensor(type_) | BufferRef(BufferType(whole=type_)) if is_empty(type_):
                    return tf.zeros([batch_size, *type_.shape], type_.dtype)
                case Tensor():
                    return next(supply)
                case Shared(name):
                    tensor = shared[name]
                    return tf.broadcast_to(tensor, [batch_size, *tensor.shape])
                case BufferRef():
                    which = next(supply) if carried(leaf) else None
                    return self._buffer(leaf, buffers, which)
                case Static(None):
                    return None
                case Static(ListLayout() | type() as known):
                    return known
                case Static(constant) if is_constant(constant):
                    return ChosenText(tf.fill([batch_size], code_of(constant)), type(constant))
                case Static(number):
                    tensor = _constant(number, self._widths)
                    return tf.broadcast_to(tensor, [batch_size, *tensor.shape])

        result = self.inferred.result
        leaves = [leaf_value(x) for x in result.leaves]
        return presented(pytree.unflatten(result.tree, leaves))

    def _buffer(
        self, leaf: BufferRef, buffers: Mapping[str, tf.Tensor], which: tf.Tensor | None
    ) -> tf.Tensor:
        """What members have in a buffer, `[B, length, ...]`; `which`: see `infer.rooms`."""
        place = self.inferred.rooms.at(leaf)
        area, whole = buffers[place.area], leaf.type.whole
        if place.rooms == 1:
            return area
        rooms = tf.reshape(area, [area.shape[0], place.rooms, *whole.shape])
        if place.room is not None:
            return rooms[:, place.room]
        return tf.gather(rooms, tf.clip_by_value(which, 0, place.rooms - 1), batch_dims=1)

    def empty(self, arguments: Arguments) -> Result:
        """The result for a batch without members."""
        types = self.inferred.program.functions[self.inferred.program.entry].results
        outputs = tuple(tf.zeros([0, *t.shape], t.dtype) for t in types)
        buffers = {
            name: tf.zeros([0, t.length, *t.element.shape], t.element.dtype)
            for name, t in self.inferred.program.buffers.items()
        }
        value = self.value(outputs, buffers, self.shared(arguments), 0)
        return Result(value, tf.zeros([0], tf.int32), Stats(0, ()))


def _resolve(origin: Origin, argument: SharedArgument) -> tf.Tensor:
    match origin.kind:
        case "argument":
            return argument(origin.owner, origin.leaf)
        case "free":
            root = frontend.free_value(origin.owner, origin.name)
            leaves, _ = pytree.flatten(root, whole=True)
            return leaves[origin.leaf]
        case _:
            return origin.owner


def _constant(number: Any, widths: Widths) -> tf.Tensor:
    """A result that is the same number for all members."""
    if isinstance(number, (np.ndarray, np.generic)):
        return tf.convert_to_tensor(number)
    with using(widths):
        return constant(number, literal(number).dtype)


def _as_batch(value: Any, axis: Any, leaf: Tensor, batch_size: int) -> tf.Tensor:
    tensor = tf.cast(value, leaf.type.dtype)
    if axis == 0:
        return tensor
    return tf.broadcast_to(tensor, [batch_size, *leaf.type.shape])
