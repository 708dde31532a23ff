"""What inference knows: specializations, their blocks, and the values there."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer.calls import Callee
from pcbatch.infer.domain import BufferRef, Value
from pcbatch.infer.lending import Lent
from pcbatch.infer.liveness import live_in
from pcbatch.infer.rooms import Rooms
from pcbatch.infer.store import Origin
from pcbatch.ir.analysis import effects
from pcbatch.semantics.static_values import Closure, Factory


@dataclasses.dataclass(frozen=True, slots=True)
class Binding:
    """A variable's abstract value (None: unbound on some path) and where it was assigned."""

    value: Value | None
    span: Span


Environment = dict[str, Binding]
Context = tuple[tuple[str, int], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class UnrolledBlock:
    """A block of a function, apart for each position of the unrolled loops around it."""

    label: str
    context: Context = ()

    def __str__(self) -> str:
        return self.label + "".join(f"#{k}" for _, k in self.context)


def operations(source: ir.Function) -> Iterator[ir.CallOperation]:
    """The operations of a function."""
    return (op for block in source.blocks for op in block.operations)


class Relower(Exception):
    """Functions are to be lowered in another way, so inference begins anew."""


class Instance:
    """One specialization of a function, as far as it is known.

    Attributes:
      factories: of the nested functions that it makes.
      made: the variables that hold nothing but these.
      given: the parameters that it does not assign.
      called_at: where it was called first.
      caught: the classes of exceptions that are caught around its calls.
      lent: the objects that it changes for its callers.
      raised: the numbers of those that it gives back, see `Engine.exceptions`.
    """

    def __init__(
        self,
        callee: Callee,
        source: ir.Function,
        name: str,
        params: dict[str, Value],
        called_at: Span,
        caught: tuple[type, ...] = (),
        lent: Lent = (),
    ):
        self.callee, self.source, self.name, self.params = callee, source, name, params
        self.called_at, self.caught, self.lent = called_at, caught, lent
        self.raised: set[int] = set()
        self.result: Value | None = None
        self.result_span: Span | None = None
        self.blocks = {block.label: block for block in source.blocks}
        self.order = {block.label: number for number, block in enumerate(source.blocks)}
        self.live = live_in(source)
        self.seen = {label: set(names) for label, names in self.live.items()}
        self.places: dict[UnrolledBlock, Environment] = {}
        self.callers: dict[tuple[str, UnrolledBlock], tuple[Instance, UnrolledBlock]] = {}
        self.free: dict[str, Value] = {}
        making: set[str] = set()
        assigned: set[str] = set()
        factories: list[Factory] = []
        for op in operations(source):
            factory = getattr(op.fn, "factory", None) if isinstance(op, ir.Primitive) else None
            (assigned if factory is None else making).update(effects.writes(op))
            factories += [] if factory is None else [factory]
        self.factories = tuple(factories)
        self.made = making - assigned - params.keys()
        self.given = params.keys() - assigned - making

    def reached_by(self) -> set[types.CodeType]:
        """The functions during whose calls it may be called: its own, and all that lead to it."""
        waiting: list[Instance] = [self]
        seen = dict[str, types.CodeType]()
        while waiting:
            instance = waiting.pop()
            if instance.name not in seen:
                seen[instance.name] = instance.callee.function.__code__
                waiting += [caller for caller, _ in instance.callers.values()]
        return set(seen.values())

    def buffers(self) -> Iterator[BufferRef]:
        """The references to buffers that it has been found to have."""
        bindings = (b.value for env in self.places.values() for b in env.values())
        for value in (*bindings, *self.params.values(), self.result):
            for leaf in value.leaves if value else ():
                if isinstance(leaf, BufferRef):
                    yield leaf

    @property
    def entry(self) -> UnrolledBlock:
        return UnrolledBlock(self.source.blocks[0].label)


def seen_from(source: ir.Function, span: Span) -> ir.Function:
    """A function of the prelude, of which all is said of the place of a call."""
    blocks = tuple(
        dataclasses.replace(
            block,
            operations=tuple(dataclasses.replace(op, span=span) for op in block.operations),
            terminator=dataclasses.replace(block.terminator, span=span),
        )
        for block in source.blocks
    )
    return dataclasses.replace(source, blocks=blocks, span=span)


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
      on_heap: have some classes make their objects in calls of the program.
      learn: take in the plain functions that a failed expression calls, as functions of the
        program, or give the variables flags that have no value on some paths; False if there are
        none that were not known.
      take_dicts: have dicts of lists be objects of the prelude; False if there are none that were
        not so until now.
      containers: the classes of the prelude whose objects are on the heap.
      take_dispatch: have functions that a member chooses be called by branches; False likewise.
      take_rows: the same of lists of lists, whose rows several lists have then.
      drop_memos: leave out the caches of functions; False where none was taken.
    """

    lower: Callable[[Callee], ir.Function]
    free_value: Callable[[FunctionType, str], Any]
    callee: Callable[[Any], Callee | None]
    closure: Callable[[Closure], Callee | None]
    is_batched: Callable[[Any], bool]
    on_heap: Callable[[frozenset[type]], None]
    learn: Callable[[ProgramError], bool]
    take_dicts: Callable[..., bool]
    containers: Callable[[], frozenset[type]]
    take_dispatch: Callable[[], bool]
    take_rows: Callable[[], bool]
    drop_memos: Callable[[], bool]


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
      rooms: where its buffers are.
      defaults: the values of parameters that its calls leave out, if they can change.
      grows: whether a list, or a text, may have no room for more.
      captured: the variables and the tensors that its primitives read by themselves.
      text_room: how many characters its texts have room for; 0 where they are codes.
    """

    program: ir.Program
    params: Mapping[str, Value]
    result: Value
    shared: Mapping[str, Origin]
    free: tuple[tuple[FunctionType, str, Any], ...]
    objects: tuple[Any, ...]
    rooms: Rooms
    captured: tuple[Any, ...]
    defaults: tuple[Any, ...] = ()
    grows: bool = False
    text_room: int = 0
