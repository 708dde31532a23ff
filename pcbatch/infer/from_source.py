"""Source code for inference: what a call means, and what a function reads."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from pcbatch import frontend, ir
from pcbatch.errors import ProgramError
from pcbatch.infer import Frontend
from pcbatch.infer.calls import Callee
from pcbatch.infer.failures import UnknownLength
from pcbatch.infer.helpers import Helpers
from pcbatch.infer.instance import Relower
from pcbatch.infer.known_primitives import KnownPrimitives
from pcbatch.infer.transformed_form import transformed_form
from pcbatch.infer.unbound import Flags, with_flags
from pcbatch.semantics import (
    dispatch,
    generated,
    iterators,
    object_elements,
    prelude,
    rationals,
    row_lists,
    total_ordering,
)
from pcbatch.semantics.batched import Batched
from pcbatch.semantics.host import HostFunction
from pcbatch.semantics.static_values import Closure
from pcbatch.semantics.transformations import ForwardMode
from pcbatch.semantics.unbound import flagged

CALLED = (Batched, HostFunction, ForwardMode)
"""What a program calls by an operation of its own, beside its functions."""


def frontend_for(callee_of: Callable[[Any], Callee | None]) -> Frontend:
    """What inference needs, from the real frontend."""
    helpers, objects, flags = Helpers(frontend.is_made), frontend.PreludeObjects(), Flags()
    dicts, rows, primitives = objects.dicts, objects.rows, KnownPrimitives()
    for module in (rationals, total_ordering):
        helpers.take_in(module.program_methods())

    def callee(value: Any) -> Callee | None:
        return callee_of(value) or helpers.callee(value)

    def needs_call(value: Any) -> bool:
        value = value.func if isinstance(value, functools.partial) else value
        made = value is generated.generated or value is generated.generated_by
        return made or callee(value) is not None or isinstance(value, CALLED)

    asked: dict[str, Any] = {
        "needs_call": needs_call, "is_method": helpers.is_method, "objects": objects
    }  # fmt: skip

    entry: list[FunctionType] = []

    def lower(callee: Callee) -> ir.Function:
        if callee.transformations:
            return transformed_form(
                callee, lower(dataclasses.replace(callee, transformations=())).span
            )
        function = callee.function
        names = flags.of(function.__code__)
        if callee.closure is not None:
            names |= flagged(tuple(callee.closure.captured))
            found = frontend.lower_closure(callee.closure, unbound=names, **asked)
        else:
            if not entry:
                entry.append(function)
            is_called = function is not entry[0]
            found = frontend.lower(function, unbound=names, is_called=is_called, **asked)
        if (dicts.needed and take_dicts()) or take_iterators():
            raise Relower
        if names:
            found = with_flags(found, names, frontend.free_reads(function))
        return primitives.in_place_of(found)

    def take_iterators() -> bool:
        new = objects.has_iterators and helpers.callee(iterators.advance) is None
        if new:
            for module in (iterators, generated, object_elements):
                helpers.take_in(module.program_methods())
        return new

    def take_dicts(every: bool = False) -> bool:
        new = dicts.take_every() if every else dicts.take()
        for name in new:
            helpers.take_in(prelude.program_methods(getattr(prelude, name)))
        return bool(new)

    def containers() -> frozenset[type]:
        kinds = (getattr(prelude, name) for name in sorted(dicts.kinds))
        return frozenset(kind for kind in kinds if prelude.is_on_heap(kind))

    def take_dispatch() -> bool:
        new = objects.dispatching.take()
        if new:
            helpers.take_in(dispatch.program_methods())
        return new

    def take_rows() -> bool:
        new = rows.take()
        if new:
            helpers.take_in(row_lists.program_methods())
        return new

    def take_totals(error: ProgramError) -> bool:
        return isinstance(error.diagnostic, UnknownLength) and objects.totals.take()

    def closure(example: Closure) -> Callee | None:
        if not frontend.can_lower_closure(example):
            return None
        assert isinstance(example.function, FunctionType)
        return Callee(example.function, closure=example)

    return Frontend(
        lower=lower,
        closure=closure,
        free_value=frontend.free_value,
        callee=callee,
        is_batched=lambda value: isinstance(value, Batched),
        on_heap=helpers.put_on_heap,
        learn=lambda error: helpers.learn(error) or flags.learn(error) or take_totals(error),
        take_dicts=take_dicts,
        containers=containers,
        take_dispatch=take_dispatch,
        take_rows=take_rows,
        drop_memos=objects.memos.drop,
    )
