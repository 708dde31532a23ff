"""Run one primitive on abstract values.

The user's expression is called once with placeholders of one member's dtypes and shapes, inside a
graph that nothing runs; what comes out tells the types of the results. No user writes a type
function.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import tensorflow as tf

from pcbatch.errors import PcbatchError, ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer import texts
from pcbatch.infer.calls import unpacked
from pcbatch.infer.domain import BufferRef, Leaf, NewBuffer, Shared, Static, Tensor, Value, is_empty
from pcbatch.infer.evaluation import Evaluation, ScratchTrace
from pcbatch.infer.failures import explain, protected
from pcbatch.infer.frozen import frozen, is_refused, static_arrays
from pcbatch.infer.heap import Heap
from pcbatch.infer.lists import Lists
from pcbatch.infer.objects import OperandWatch, check_chosen, check_followed, check_kept, unrolled
from pcbatch.infer.outside import OutsideWatch
from pcbatch.infer.provenance import (
    has_lists,
    hidden,
    marked,
    provenance,
    with_gathered,
    with_helped,
)
from pcbatch.infer.provenance import known as known_lists
from pcbatch.infer.randomness import Run, run_checked
from pcbatch.infer.reachable import names_read, reachable
from pcbatch.infer.refusals import check_states
from pcbatch.infer.rooms import Rooms
from pcbatch.infer.sharers import sharers
from pcbatch.infer.stand_ins import instantiate, with_objects_known
from pcbatch.infer.store import SharedTensors
from pcbatch.ir import BufferType, TensorType
from pcbatch.semantics import data, faults, misuse, named_texts, pytree, rounds, sharing, vocabulary
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.gathering import GATHERED
from pcbatch.semantics.lists.fresh import NOWHERE
from pcbatch.semantics.lists.member import MemberList
from pcbatch.semantics.lists.noted import NOTED, Noted
from pcbatch.semantics.object_elements import methods_of_elements
from pcbatch.semantics.operators import is_weak, kind, mark_weak, weak_scope
from pcbatch.semantics.plain_classes import kinds_on_heap
from pcbatch.semantics.scoped import Scoped
from pcbatch.semantics.static_values import StaticRanges
from pcbatch.vectorizer import assertions_hold, messages

_IN_ITSELF = "an object that this expression has"

PRIMITIVE: contextvars.ContextVar[Span | None] = contextvars.ContextVar("primitive", default=None)
"""The place of the primitive that is being tried now, if any."""


@dataclasses.dataclass
class Evaluations:
    """What primitives have given, kept while inference begins again.

    Attributes:
      known: by the primitive, its operands, and all else that inference knows of them.
      lasting: the same of those that hold in another form of the program, too.
      graphs: the scratch graphs, which have what they are made of.
      ways: how loops over static ranges are run, and whether there was one.
    """

    known: dict[Any, Evaluation] = dataclasses.field(default_factory=dict)
    lasting: dict[Any, Evaluation] = dataclasses.field(default_factory=dict)
    graphs: list[Any] = dataclasses.field(default_factory=list)
    ways: StaticRanges = dataclasses.field(default_factory=StaticRanges)

    def of_another_form(self) -> Evaluations:
        """What holds where the program is lowered, or its lists are kept, in another way."""
        return dataclasses.replace(self, known={})


@functools.cache
def plain_call(keywords: tuple[str | None, ...], batched: bool) -> Callable[..., tuple[Any, ...]]:
    """A primitive that calls its first argument, which is no autobatched function.

    Args:
      keywords: of the call, see `ir.Call`.
      batched: what is called takes the batch axis itself.
    """

    def call(function: Any, *values: Any) -> tuple[Any, ...]:
        with rounds.given_to(function):
            positional, named = unpacked(values, keywords)
        callee = function.function if batched else function
        return (vocabulary.call(callee, *positional, **named),)

    return call


class Evaluator:
    """Evaluates primitives on abstract values, in the current (scratch) graph."""

    def __init__(
        self,
        store: SharedTensors,
        rooms: Rooms,
        lists: Lists,
        evaluations: Evaluations,
        heap: Heap,
    ):
        self._store, self._rooms, self._lists = store, rooms, lists
        self._cache: dict[Any, Evaluation] = {}
        self._evaluations, self._heap = evaluations, heap

    def __call__(
        self,
        fn: Callable[..., tuple[Any, ...]],
        args: tuple[Value, ...],
        span: Span,
        name: str,
        batched: bool = False,
        operands: tuple[str, ...] = (),
    ) -> Evaluation:
        """The abstract results of `fn` on `args`.

        Args:
          fn: a source-form primitive's function.
          args: one abstract value per parameter.
          span: where it stands, for messages.
          name: how to call a shared tensor that it makes.
          batched: `fn` takes a leading batch axis; it is tried with a batch of one.
          operands: what the arguments are called, for messages.

        Raises:
          ProgramError: the user's expression raised, or gives what no variable can hold.
        """
        leaves = (x for value in args for x in value.leaves)
        places = tuple(self._rooms.among_others(x) for x in leaves if isinstance(x, BufferRef))
        made = tuple(provenance(value) for value in args)
        key = (fn, args, name, batched, places, made)
        if key not in self._cache:
            try:
                self._cache[key] = self._kept(key, fn, args, span, name, batched, operands)
            except RecursionError:
                raise ProgramError(report.StructureWithoutEnd(span, _IN_ITSELF)) from None
            except ProgramError as error:
                instead = getattr(fn, "where_changed", None)
                if instead is None or not isinstance(error.diagnostic, report.ChangesInPlace):
                    raise
                given = (lambda *_: instead, args, span, name, batched, operands)
                self._cache[key] = self._evaluate(*given)
        return self._cache[key]

    def _kept(self, key: Any, *given: Any) -> Evaluation:
        """What another run of inference has found, if that holds for this one."""
        named, known = named_texts.in_use(), self._evaluations.known
        if named is None or named.asked is not None:
            return self._evaluate(*given)
        key = (key, *self._around(given[0], given[1]), named.room)
        if (found := known.get(key) or self._evaluations.lasting.get(key)) is not None:
            return found
        shared = len(self._store.shared)
        found = self._evaluate(*given)
        if named.asked is None and len(self._store.shared) == shared:
            known[key] = found
            if named.is_unused and not _has_shared(found):
                self._evaluations.lasting[key] = found
        return found

    def _around(self, fn: Callable[..., Any], args: tuple[Value, ...]) -> tuple[Any, ...]:
        """What an evaluation depends on beside its operands and the texts of the program."""
        rooms = {r for a in args for x in a.leaves if isinstance(x, BufferRef) for r in x.rooms}
        where = frozenset((room, self._lists.rooms.get(room, NOWHERE)) for room in rooms)
        unroll = self._evaluations.ways.unroll
        return where, self._heap.seen_by(fn), kinds_on_heap(), unroll

    def _evaluate(
        self,
        fn: Callable[..., tuple[Any, ...]],
        args: tuple[Value, ...],
        span: Span,
        name: str,
        batched: bool,
        operands: tuple[str, ...],
    ) -> Evaluation:
        origin: dict[int, tuple[int, int]] = {}
        keep: list[Any] = []
        inputs: list[tf.Tensor] = []
        known: dict[Leaf, Any] = {}
        new: dict[int, NewBuffer] = {}
        arrays: list[tuple[Any, tuple[int, int]]] = list(static_arrays(args))

        def make(i: int, j: int, leaf: Leaf) -> Any:
            stand_in, given = self._stand_in(leaf, batched)
            inputs.extend(given)
            arrays.extend((x, (i, j)) for x in given if sharing.is_array(x))
            if isinstance(leaf, BufferRef) and len(leaf.rooms) == 1:
                stand_in = known.setdefault(leaf, stand_in)  # One buffer is one object.
            origin[id(stand_in)] = (i, j)
            keep.append(stand_in)
            return stand_in

        graph = tf.compat.v1.get_default_graph()
        before = len(graph.get_operations())
        noted = faults.collecting(trial=True) if not batched else contextlib.nullcontext()
        with (
            weak_scope(),
            misuse.trial(),
            rounds.counting_reads(),
            texts.refused(),
            frozen(args),
            sharing.noting() as notes,
            noted as collected,
        ):
            values = instantiate(args, make)
            watch = OperandWatch(operands, values)
            names = names_read(fn)
            around = tuple(reachable(values, names))
            outside = OutsideWatch(around, names)
            run: Run = lambda: tuple(map(unrolled, with_objects_known(fn, values, args)))  # noqa: E731
            with (
                Scoped(PRIMITIVE, span),
                Scoped[list[Any]](GATHERED, []) as gathered,
                Scoped(NOTED, Noted()) as made_of,
            ):
                try:
                    with outside:
                        outputs = run_checked(run, around)
                        watch.check_objects(span, run)
                        outside.check(span, run)
                except PcbatchError:
                    raise
                except faults.Protected as error:
                    raise ProgramError(protected(span, error, operands, args)) from error
                except Exception as error:  # the user's code may raise anything; it is passed on
                    if is_refused(error):
                        raise ProgramError(report.ChangesArray(span)) from None
                    methods = tuple(methods_of_elements(values))
                    said = explain(span, error, operands, args)
                    raise ProgramError(said, methods=methods) from error
            watch.check(span)
            check_chosen(gathered, span)
            check_states(graph.get_operations()[before:], span)
            results, aliases, flat = [], [], []
            for output in outputs:
                leaves, tree = pytree.flatten(output, whole=True)
                check_kept(tree, leaves, span)
                flat.append(tuple(leaves))
                alias = tuple(origin.get(id(x)) for x in leaves)
                results.append(Value(tree, tuple(
                    args[a[0]].leaves[a[1]] if a else self._leaf(x, span, name, batched, new)
                    for x, a in zip(leaves, alias, strict=True)
                )))  # fmt: skip
                aliases.append(alias)
            held = NOWHERE
            helped = list(misuse.helpers_giving())
            if helped or any(map(has_lists, args)):
                found = with_helped(known_lists(values, args, self._lists.origins_of), helped)
                found = with_gathered(found, gathered)
                pairs = zip(outputs, results, strict=True)
                results = [marked(output, value, found) for output, value in pairs]
                held = hidden(itertools.chain(*flat), found)
        assertions = () if batched else tuple(messages(graph.get_operations()[before:]))
        checks = [*collected.conditions.items()] if collected else []
        if assertions:
            checks.append(("; ".join(assertions), assertions_hold()))
        operations = tuple(graph.get_operations()[before:])
        made = ScratchTrace(tuple(inputs), tuple(flat), operations, tuple(checks), assertions)
        shared = sharers(notes, arrays, flat, operations, before)
        return Evaluation(
            tuple(results), tuple(aliases), made, shared, held, bool(made_of.twice),
            _holding(values, made_of.rows), _holding(values, made_of.shared),
        )  # fmt: skip

    def _stand_in(self, leaf: Leaf, batched: bool) -> tuple[Any, tuple[tf.Tensor, ...]]:
        """What stands for a leaf, and the placeholders that it is made of."""
        lead = [1] if batched else []
        match leaf:
            case Tensor(type_, weak) | Shared(_, type_, weak):
                each = lead if isinstance(leaf, Tensor) else []
                if isinstance(leaf, Tensor) and is_empty(type_) and not batched:
                    return tf.zeros(type_.shape, type_.dtype), ()
                tensor = tf.compat.v1.placeholder(type_.dtype, [*each, *type_.shape])
                return (mark_weak(tensor) if weak else tensor), (tensor,)
            case BufferRef():
                types = self._rooms.inputs(leaf, batched)
                given = tuple(tf.compat.v1.placeholder(t.dtype, [*lead, *t.shape]) for t in types)
                return self._rooms.buffer(leaf, given, batched), given
            case Static():
                raise TypeError("a static leaf needs no placeholder")

    def _leaf(
        self, output: Any, span: Span, name: str, batched: bool, new: dict[int, NewBuffer]
    ) -> Any:
        if isinstance(output, Buffer) and tf.is_symbolic_tensor(output.array):
            return new.setdefault(id(output), _new_buffer(output, len(new)))
        if isinstance(output, tf.Tensor):
            if not tf.is_symbolic_tensor(output):
                return self._store.constant(name, output)
            return _tensor_leaf(output, span, batched)
        if isinstance(output, (tf.SparseTensor, tf.RaggedTensor, tf.TensorArray)):
            raise ProgramError(report.UnsupportedTensor(span, type(output).__name__))
        if not data.is_large(output):
            check_followed(output, span)
        return Static(output)


def _has_shared(found: Evaluation) -> bool:
    """Whether a result is a tensor of all members, of which the name is that of one attempt."""
    return any(isinstance(x, Shared) for value in found.values for x in value.leaves)


def _new_buffer(buffer: Buffer, number: int) -> NewBuffer:
    length, *shape = buffer.shape
    type_ = BufferType(length, TensorType(buffer.dtype.name, tuple(shape)))
    return NewBuffer(type_, number, buffer.is_zero)


def _holding(values: Iterable[Any], lists: Iterable[Any]) -> tuple[int, ...]:
    """Which values are one of some lists, or hold one."""
    known = {key for one in lists for key in _identities(one, parts=False)}
    if not known:
        return ()
    return tuple(k for k, x in enumerate(values) if not known.isdisjoint(_identities(x)))


def _identities(value: Any, parts: bool = True) -> Iterator[int]:
    """What tells a value, and its parts, from others; of a list of the member its buffers do."""
    if isinstance(value, MemberList):
        yield from map(id, pytree.flatten(value.data)[0])
        return
    yield id(value)
    for part in (pytree.parts(value) or ()) if parts else ():
        yield from _identities(part)


def _tensor_leaf(output: tf.Tensor, span: Span, batched: bool) -> Tensor:
    if not output.shape.is_fully_defined():
        raise ProgramError(report.DynamicShape(span, str(output.shape)))
    if kind(output.dtype) < 0:
        raise ProgramError(report.UnsupportedTensor(span, f"{output.dtype.name} tensor"))
    shape = tuple(output.shape)
    return Tensor(TensorType(output.dtype.name, shape[1:] if batched else shape), is_weak(output))
