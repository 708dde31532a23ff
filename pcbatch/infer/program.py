"""From a function and its arguments' types to a typed program.

After the fixpoint the same transfer functions run once more, with an emitter that writes the typed
program down.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections import deque
from collections.abc import Callable, Mapping

import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.infer import diagnostics as report
from pcbatch.infer.allocation import shares_buffers, without_first_zeros
from pcbatch.infer.calls import Callee, constant
from pcbatch.infer.domain import Value
from pcbatch.infer.emit import Emitter
from pcbatch.infer.engine import Engine, Kept
from pcbatch.infer.evaluate import Evaluations
from pcbatch.infer.failures import PrimitiveFailed
from pcbatch.infer.given_lists import given
from pcbatch.infer.handing import Handing
from pcbatch.infer.heap import Heap
from pcbatch.infer.instance import Frontend, Inferred, Instance, Relower
from pcbatch.infer.kinds import check_presentable
from pcbatch.infer.lending import Lending
from pcbatch.infer.list_plans import Anew, LastResort, Replan
from pcbatch.infer.lists import Lists
from pcbatch.infer.maybe_none import characters_of, holds_chosen
from pcbatch.infer.other_ways import is_of_dicts, is_of_functions, is_of_rows, nearest
from pcbatch.infer.store import SharedTensors
from pcbatch.infer.transfer import Transfer
from pcbatch.ir.analysis import effects
from pcbatch.semantics.limits import room_of_texts, says_full
from pcbatch.semantics.lists import CAPACITY, NoShape
from pcbatch.semantics.named_texts import CharactersNeeded, Named, naming, spelled_room
from pcbatch.semantics.scoped import Scoped
from pcbatch.semantics.spelling import NeedsRoom
from pcbatch.semantics.static_values import STATIC_RANGES

MANY_BLOCKS = 64
"""Where unrolled loops give more blocks than so many, other ways are tried, too."""
MAX_PLANS = 200
"""So many times inference begins again to keep lists in another way."""


def infer(
    callee: Callee,
    arguments: Mapping[str, Value],
    frontend: Frontend,
    store: SharedTensors,
    capacity: int = CAPACITY,
) -> Inferred:
    """Find the types of a program and write it in typed call form.

    Loops over a `range` with static bounds stay loops where the program types that way; where it
    does not, short ones are unrolled. Plain functions that cannot be part of a primitive are
    lowered like the program.

    Args:
      callee: the function to run.
      arguments: the abstract value of each of its parameters.
      frontend: how to get at source form, free names and callees.
      store: the shared tensors known so far (the shared arguments).
      capacity: how many elements lists that grow have room for at first.

    Returns:
      The typed program, its abstract result, and the shared tensors and free names that it reads.

    Raises:
      ProgramError: the program is ill-typed, or an expression of the user's fails.
    """
    code = callee.function.__code__
    arguments = {name: given(name, value, code) for name, value in arguments.items()}
    said: ProgramError | None = None
    refused: ProgramError | None = None
    heap, with_rows, follows = Heap(), False, True
    evaluations = Evaluations()
    while True:
        if (kinds := heap.kinds | frontend.containers()) != heap.kinds:
            heap = heap.on(kinds)
            frontend.on_heap(heap.kinds)
        failures = list[ProgramError]()
        try:
            found = _in_either_way(
                callee, arguments, frontend, _copy(store), capacity, heap, failures, follows,
                evaluations,
            )  # fmt: skip
        except Relower:
            follows = False
            continue
        if found is not None:
            return found
        if said is not None and isinstance(failures[0].diagnostic, report.NeverReturns):
            raise said from said.__cause__  # what all members raise
        fails = isinstance(failures[0].diagnostic, PrimitiveFailed)
        said = said or (failures[0] if fails else None)
        if any(map(frontend.learn, failures)):  # one is enough to begin again
            continue
        if frontend.drop_memos():
            said = None
            continue
        refused = refused if refused and with_rows else nearest(refused, failures[0])
        heap.note_chosen(failures)
        if (united := heap.united()) is not None:
            heap, refused = united, None
            frontend.on_heap(heap.kinds)
            continue
        if is_of_functions(failures[0]) and frontend.take_dispatch():
            refused = None
            continue
        if frontend.take_dicts():
            follows = False
            if is_of_dicts(refused):
                refused = None
            continue
        if (
            is_of_rows(failures[0]) or (not heap.kinds and heap.wider() == heap.kinds)
        ) and frontend.take_rows():
            with_rows, follows = True, False
            continue
        if heap.wider() == heap.kinds:
            if frontend.take_dispatch() or frontend.take_dicts(every=True):
                continue
            raise refused from refused.__cause__
        heap = heap.on(heap.wider())
        frontend.on_heap(heap.kinds)


def _in_either_way(
    callee: Callee,
    arguments: Mapping[str, Value],
    frontend: Frontend,
    store: SharedTensors,
    capacity: int,
    heap: Heap,
    failures: list[ProgramError],
    follows: bool,
    evaluations: Evaluations,
) -> Inferred | None:
    """The typed program, with loops over static ranges as loops or, failing that, unrolled.

    Where neither types, tuples that have two lengths where paths meet become tuples of the member,
    lists whose lengths the program needs are followed, and texts are spelled. A long program of
    unrolled loops is taken where no way has loops as they stand. `follows` is not set
    where a list may grow by several names, as rows of the prelude's objects do. Where all ways
    fail, `failures` says why: first of loops as they stand, which is nearest to the source.

    Raises:
      CharactersNeeded: texts are spelled, and of those that are arguments only the codes are given.
    """
    ways, tuples, followed, spelled = evaluations.ways, LastResort(), LastResort(), LastResort()
    given = any(holds_chosen(value.tree) for value in arguments.values())
    characters = max(map(characters_of, arguments.values()), default=0)
    needed, long = False, None
    with Scoped(STATIC_RANGES, ways):
        for spell, follow, grow, unroll in itertools.product((False, True), repeat=4):
            if (grow and not tuples.could) or (unroll and (long or not ways.seen)):
                continue
            if follow and not (follows and needed and followed.could):
                continue
            if spell is not bool(characters) and (characters or not spelled.could):
                continue
            if spell and given:
                if long:
                    break
                raise CharactersNeeded
            tuples.taken, ways.unroll, followed.taken = grow, unroll, follow
            lists = functools.partial(
                Lists, capacity=capacity, growing_tuples=tuples, followed_lists=followed
            )
            named = Named(given, room=max(room_of_texts(capacity), characters) if spell else 0)
            kept = Kept(
                lists(), Handing(), Lending(), heap, evaluations=evaluations.of_another_form()
            )
            try:
                found = _infer(callee, arguments, frontend, _copy(store), lists, kept, named)
                if not unroll or _is_short(found.program):
                    return found
                long = found
            except ProgramError as failed:
                needed |= isinstance(failed.__cause__, NoShape)
                failures.insert(len(failures) if unroll else 0, failed)
            spelled.could |= named.wanted
    return long


def _is_short(program: ir.Program) -> bool:
    return sum(len(function.blocks) for function in program.functions.values()) <= MANY_BLOCKS


def _copy(store: SharedTensors) -> SharedTensors:
    return dataclasses.replace(store, shared=dict(store.shared))


def _infer(
    callee: Callee,
    arguments: Mapping[str, Value],
    frontend: Frontend,
    store: SharedTensors,
    lists: Callable[[], Lists],
    kept: Kept,
    named: Named,
) -> Inferred:
    """The typed program, when it is known how lists are kept, and which texts there are."""
    for _ in range(MAX_PLANS):
        attempt = _copy(store)
        try:
            with naming(named):
                found = _with_lists(callee, arguments, frontend, attempt, kept)
        except Anew:
            handing = Handing(texts=kept.handing.texts)
            kept = Kept(lists(), handing, Lending(), kept.heap, kept.sources, kept.evaluations)
            continue
        except Replan:
            continue
        except NeedsRoom as needs:
            if any(map(characters_of, arguments.values())):
                raise
            named.room = needs.room
            continue
        if named.is_whole:
            store.shared.update(attempt.shared)
            return found
    raise RuntimeError("inference does not find how the lists of this program are to be kept")


def _with_lists(
    callee: Callee,
    arguments: Mapping[str, Value],
    frontend: Frontend,
    store: SharedTensors,
    kept: Kept,
) -> Inferred:
    """The typed program: functions that return buffers of their own are called once in most."""
    found = None
    if not kept.lists.copies:
        found = _inferred(callee, arguments, Engine(frontend, _copy(store), kept))
    if found is None:
        found = _inferred(callee, arguments, Engine(frontend, store, kept, copied=True))
    assert found is not None
    return found


def _inferred(callee: Callee, arguments: Mapping[str, Value], engine: Engine) -> Inferred | None:
    """The typed program; None where it is wrong without copies of buffers, and has none."""
    found = list[ir.Program]()

    def scratch() -> None:
        graphs.append(tf.compat.v1.get_default_graph())
        operands = {name: constant(value) for name, value in arguments.items()}
        source = engine.lower(callee)
        entry = engine.instance(callee, operands, source.span)
        engine.run(lambda i, place: Transfer(engine, i, place, None).run())
        if entry.result is None:
            if engine.deferred:
                raise engine.deferred[0]
            _check_failures(engine)
            raise ProgramError(report.NeverReturns(source.span, source.name))
        check_presentable(entry.result, entry.result_span or source.span)
        engine.close()
        found.append(_emit(engine, entry))

    graphs = engine.evaluations.graphs
    # A graph that nothing runs: unlike `tf.function` this adds no control dependencies to it.
    tf.compat.v1.wrap_function(scratch, [])
    (program,), entry = found, engine.instances[0]
    assert entry.result is not None
    results = {
        i.name: i.result for i in engine.instances if i.result and i.name in program.functions
    }
    if not engine.copied and shares_buffers(program, results, engine.rooms):
        return None
    objects = tuple({id(x): x for i in engine.instances for x in i.callee.bound}.values())
    shared = {name: origin for name, (_, origin) in engine.store.shared.items()}
    captured = {id(x): x for g in graphs for x, _ in g.captures if x.dtype != tf.resource}
    variables = {id(x): x for g in graphs for x in g.variables}
    return Inferred(
        program=without_first_zeros(program),
        params=entry.params,
        result=entry.result,
        shared=shared,
        free=tuple(engine.free_reads.values()),
        objects=objects,
        rooms=engine.rooms,
        captured=(*variables.values(), *captured.values()),
        defaults=tuple(engine.store.defaults.values()),
        text_room=spelled_room(),
        grows=_may_be_full(program),
    )


def _may_be_full(program: ir.Program) -> bool:
    """Whether a list, or a text, of a member may have no room for more."""
    blocks = (block for function in program.functions.values() for block in function.blocks)
    return any(says_full(message) for message, _ in effects.faults(blocks))


def _check_failures(engine: Engine) -> None:
    """Where no member can return, refuse what Python raises on the first path that ends with it."""
    engine.failed.clear()
    for instance in engine.instances:
        for place in instance.places:
            Transfer(engine, instance, place, None).run()
            if engine.failed:
                raise engine.failed[0]


def _emit(engine: Engine, entry: Instance) -> ir.Program:
    """Write down the functions that the entry reaches."""
    emitters = {entry.name: Emitter(entry, engine.store, engine.rooms)}
    pending = deque([entry])
    while pending:
        instance = pending.popleft()
        emitter = emitters[instance.name]
        waiting, seen = deque([instance.entry]), {instance.entry}
        while waiting:
            place = waiting.popleft()
            emitter.begin(place)
            Transfer(engine, instance, place, emitter).run()
            successors = emitter.finish()
            engine.shared_arrays.successors[instance.name, place] = successors
            for successor in successors:
                if successor not in seen:
                    seen.add(successor)
                    waiting.append(successor)
        for callee in emitter.callees:
            if callee.name not in emitters:
                emitters[callee.name] = Emitter(callee, engine.store, engine.rooms)
                pending.append(callee)
    engine.shared_arrays.check(engine.instances)
    return ir.Program(
        {name: emitter.function() for name, emitter in emitters.items()},
        entry.name,
        {name: type_ for name, (type_, _) in engine.store.shared.items()},
        engine.rooms.areas(),
    )
