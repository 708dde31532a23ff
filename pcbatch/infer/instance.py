"""What inference knows: specializations, their blocks, and the values there."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.infer.calls import Callee
from pcbatch.infer.domain import Value
from pcbatch.infer.liveness import live_in
from pcbatch.infer.store import Origin
from pcbatch.values import Closure


@dataclasses.dataclass(frozen=True, slots=True)
class Binding:
    """A variable's abstract value (None: unbound on some path) and where it was assigned."""

    value: Value | None
    span: Span


Environment = dict[str, Binding]
Context = tuple[tuple[str, int], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """A block of a function, apart for each position of the unrolled loops around it."""

    label: str
    context: Context = ()

    def __str__(self) -> str:
        return self.label + "".join(f"#{k}" for _, k in self.context)


class Instance:
    """One specialization of a function, as far as it is known."""

    def __init__(self, callee: Callee, source: ir.Function, name: str, params: dict[str, Value]):
        self.callee, self.source, self.name, self.params = callee, source, name, params
        self.result: Value | None = None
        self.result_span: Span | None = None
        self.blocks = {block.label: block for block in source.blocks}
        self.order = {block.label: number for number, block in enumerate(source.blocks)}
        self.live = live_in(source)
        self.places: dict[Place, Environment] = {}
        self.callers: dict[tuple[str, Place], tuple[Instance, Place]] = {}
        self.free: dict[str, Value] = {}

    @property
    def entry(self) -> Place:
        return Place(self.source.blocks[0].label)


@dataclasses.dataclass(frozen=True)
class Frontend:
    """What inference needs from outside.

    Attributes:
      lower: the source form of a function.
      free_value: the current value of a free name of a function, `(function, name, span)`.
      callee: the `Callee` behind an autobatched object; None for any other object.
      closure: the `Callee` behind a closure (whose captured tensors are None); None if its
        function cannot be lowered, because a decorator has replaced it.
      is_batched: whether a callable takes the batch axis itself.
    """

    lower: Callable[[Callee], ir.Function]
    free_value: Callable[[FunctionType, str], Any]
    callee: Callable[[Any], Callee | None]
    closure: Callable[[Closure], Callee | None]
    is_batched: Callable[[Any], bool]


@dataclasses.dataclass(frozen=True)
class Inferred:
    """A typed program and what the caller must know to run it.

    Attributes:
      program: the typed call form.
      params: the abstract arguments of the entry function, by parameter.
      result: the abstract result; its tensor leaves are the program's results, in order.
      shared: where the tensors behind `program.shared` come from.
      free: every free name that was read, with the value that it had.
      objects: the objects whose methods it runs; their attributes were read as constants.
    """

    program: ir.Program
    params: Mapping[str, Value]
    result: Value
    shared: Mapping[str, Origin]
    free: tuple[tuple[FunctionType, str, Any], ...]
    objects: tuple[Any, ...]
