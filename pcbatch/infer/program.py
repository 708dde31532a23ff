"""From a function and its arguments' types to a typed program.

After the fixpoint the same transfer functions run once more, with an emitter that writes the typed
program down.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Mapping

import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.infer import diagnostics as report
from pcbatch.infer.allocation import check_allocations
from pcbatch.infer.calls import Callee, constant
from pcbatch.infer.domain import Value
from pcbatch.infer.emit import Emitter
from pcbatch.infer.engine import Engine
from pcbatch.infer.instance import Frontend, Inferred, Instance
from pcbatch.infer.store import Store
from pcbatch.infer.transfer import Transfer
from pcbatch.values import STATIC_RANGES, StaticRanges


def infer(
    callee: Callee, arguments: Mapping[str, Value], frontend: Frontend, store: Store
) -> Inferred:
    """Find the types of a program and write it in typed call form.

    Loops over a `range` with static bounds stay loops where the program types that way; where it
    does not, short ones are unrolled.

    Args:
      callee: the function to run.
      arguments: the abstract value of each of its parameters.
      frontend: how to get at source form, free names and callees.
      store: the shared tensors known so far (the shared arguments).

    Returns:
      The typed program, its abstract result, and the shared tensors and free names that it reads.

    Raises:
      ProgramError: the program is ill-typed, or an expression of the user's fails.
    """
    ways = StaticRanges()
    token = STATIC_RANGES.set(ways)
    try:
        return _infer(
            callee,
            arguments,
            frontend,
            dataclasses.replace(store, shared=dict(store.shared), buffers=dict(store.buffers)),
        )
    except ProgramError as error:
        if not ways.seen:
            raise
        ways.unroll = True
        try:
            return _infer(callee, arguments, frontend, store)
        except ProgramError:
            raise error from error.__cause__
    finally:
        STATIC_RANGES.reset(token)


def _infer(
    callee: Callee, arguments: Mapping[str, Value], frontend: Frontend, store: Store
) -> Inferred:
    engine = Engine(frontend, store)
    found: list[ir.Program] = []

    def scratch() -> None:
        operands = {name: constant(value) for name, value in arguments.items()}
        source = frontend.lower(callee)
        entry = engine.instance(callee, operands, source.span)
        engine.run(lambda i, place: Transfer(engine, i, place, None).run())
        if entry.result is None:
            raise ProgramError(report.NeverReturns(source.span, source.name))
        found.append(_emit(engine, entry))

    # A graph that nobody runs: unlike `tf.function` this adds no control dependencies to it.
    tf.compat.v1.wrap_function(scratch, [])
    entry = engine.instances[0]
    assert entry.result is not None
    objects = tuple({id(x): x for i in engine.instances for x in i.callee.bound}.values())
    shared = {name: origin for name, (_, origin) in store.shared.items()}
    return Inferred(
        found[0], entry.params, entry.result, shared, tuple(engine.free_reads.values()), objects
    )


def _emit(engine: Engine, entry: Instance) -> ir.Program:
    """Write down the functions that the entry reaches."""
    emitters = {entry.name: Emitter(entry, engine.store)}
    pending = deque([entry])
    while pending:
        instance = pending.popleft()
        emitter = emitters[instance.name]
        waiting, seen = deque([instance.entry]), {instance.entry}
        while waiting:
            place = waiting.popleft()
            emitter.begin(place)
            Transfer(engine, instance, place, emitter).run()
            for successor in emitter.finish():
                if successor not in seen:
                    seen.add(successor)
                    waiting.append(successor)
        for callee in emitter.callees:
            if callee.name not in emitters:
                emitters[callee.name] = Emitter(callee, engine.store)
                pending.append(callee)
    program = ir.Program(
        {name: emitter.function() for name, emitter in emitters.items()},
        entry.name,
        {name: type_ for name, (type_, _) in engine.store.shared.items()},
        dict(engine.store.buffers),
    )
    check_allocations(program)
    return program
