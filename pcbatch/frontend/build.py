"""Lower a Python function to source call form."""

from __future__ import annotations

import types
from collections.abc import Callable

import gast

from pcbatch import ir
from pcbatch.frontend import (
    chosen_parts,
    collected_generators,
    converted,
    counts,
    extended,
    from_function,
    grouped,
    kept_generators,
    kept_ranges,
    kept_streams,
    matrix_columns,
    memos,
    named_attributes,
    narrowed_statements,
    operator_functions,
    resumed_loops,
    returned_iterators,
    rounds,
    scope,
    source,
    starred_builtins,
    statements,
    subset,
)
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.captures import check_captures
from pcbatch.frontend.compile import MakeClosure
from pcbatch.frontend.prelude_objects import PreludeObjects
from pcbatch.frontend.resumed import Resumed
from pcbatch.ir.analysis.effects import source_reads
from pcbatch.semantics.generated import GENERATOR, PARAMETER, TAKEN
from pcbatch.semantics.static_values import Closure
from pcbatch.semantics.unbound import flag


def _no_method(_: str) -> bool:
    return False


def lower(
    fn: types.FunctionType,
    *,
    needs_call: Callable[[object], bool],
    is_method: Callable[[str], bool] = _no_method,
    objects: PreludeObjects | None = None,
    unbound: frozenset[str] = frozenset(),
    is_called: bool = False,
) -> ir.Function:
    """Lower a function to source call form.

    Args:
      fn: a plain Python function, written for one member. Its source must be at hand.
      needs_call: whether a call of an object is a call of the program (`ir.Call`) rather than a
        part of a primitive. It is asked about callees whose value is known now: globals, closure
        variables, and attributes of those. Other callees are always called by `ir.Call`.
      is_method: whether a special method, such as `__add__`, or a property of a name is a function
        of the program. Then an operation that may mean it is a primitive of its own.
      objects: what the program makes objects of the prelude of.
      unbound: the variables that have no value on some paths.
      is_called: another function calls it: as a generator function it takes a list.

    Returns:
      The function. Its variables hold Python values and have no types; its parameters stand in
      the order of `inspect.signature(fn)`, `*args` and `**kwargs` being one variable each.
      Temporaries are called "%1", "%2", ...

    Raises:
      ProgramError: the function is not in the subset; the diagnostic names the place.
    """
    generator = vars(fn).get(GENERATOR)
    own = generator or fn
    taken = frozenset(vars(own).get(TAKEN, own.__code__.co_freevars if generator else ()))
    b = Builder(own, source.find(own), needs_call, rounds.lower, is_method, taken)
    b.unbound = unbound
    objects = objects or PreludeObjects()
    if generator is not None:
        resumed = Resumed(b)
        kept_generators.rewrite(b, is_resumed=True)
        resumed_loops.rewrite(b)
        return _build(b, (PARAMETER,), objects, is_called, resumed)
    is_iter = is_called and returned_iterators.rewrite(b)
    kept_generators.rewrite(b)
    collected_generators.rewrite(b, is_called)
    if is_iter:
        returned_iterators.check(b)
    params = scope.parameters(b.source.node.args)
    return _build(b, params, objects, is_called)


def can_lower_closure(closure: Closure) -> bool:
    """Whether a closure's function is the nested `def` or lambda itself, not a decorated one."""
    return closure.factory.makes(closure.function)


def lower_closure(
    closure: Closure,
    *,
    needs_call: Callable[[object], bool],
    is_method: Callable[[str], bool] = _no_method,
    objects: PreludeObjects | None = None,
    unbound: frozenset[str] = frozenset(),
) -> ir.Function:
    """Lower a nested function, with the variables that it captured as parameters.

    All that it takes from outside is passed in, so it has no free names, and one lowering serves
    every closure of the same factory. Where the function calls itself, or one that it was made
    together with, the name holds a closure of the same captured values.

    Args:
      closure: a closure for which `can_lower_closure` holds.
      needs_call, is_method, objects, unbound: as for `lower`.

    Returns:
      The function. Its parameters are the names in `closure.captured`, in order, then its own.

    Raises:
      ProgramError: the function is not in the subset.
    """
    fn = closure.function
    assert isinstance(fn, types.FunctionType)
    found = source.find(fn)
    captured = tuple(closure.captured)
    group = closure.factory.recursive(fn)
    taken, known = frozenset((*captured, *group)), closure.factory.known
    b = Builder(fn, found, needs_call, rounds.lower, is_method, taken, known)
    b.unbound = unbound
    objects = objects or PreludeObjects()
    kept_generators.rewrite(b)
    collected_generators.rewrite(b, is_called=True)
    for name in group:
        make = MakeClosure(closure.factory.group[name], captured)
        b.flow.run((name,), make, captured, name, found.head())
    params = (*captured, *scope.parameters(found.node.args))
    return _build(b, params, objects, is_called=True)


def _build(
    b: Builder,
    params: tuple[ir.Variable, ...],
    objects: PreludeObjects,
    is_called: bool,
    resumed: Resumed | None = None,
) -> ir.Function:
    node = b.source.node
    memos.rewrite(b, objects.memos)
    grouped.rewrite(b)
    counts.rewrite(b)
    chosen_parts.rewrite(b)
    extended.rewrite(b)
    from_function.rewrite(b)
    starred_builtins.rewrite(b)
    converted.rewrite(b)
    named_attributes.rewrite(b)
    operator_functions.rewrite(b)
    matrix_columns.rewrite(b)
    objects.rewrite(b, params if resumed is None else resumed.given, is_called)
    b.lower_statements = statements.lower_body
    subset.check(b.source, b.is_builtin)
    kept_ranges.rewrite(b)
    kept_streams.rewrite(b)
    if resumed is not None:
        resumed.begin()
    if isinstance(node, gast.Lambda):
        statements.lower_return(b, node.body, node.body)
    else:
        statements.lower_body(b, narrowed_statements.body(b, node.body))
        if b.flow.reachable and resumed is None:
            statements.return_none(b, b.source.head())
    blocks = b.flow.finish() if resumed is None else resumed.finish()
    objects.has_iterators |= b.has_iterators
    check_captures(blocks, b.closures_made)
    name = "lambda" if isinstance(node, gast.Lambda) else node.name
    known = b.local.union(map(flag, b.unbound))
    return ir.Function(name, params, blocks, b.source.head(), free=_free(blocks, known))


def _free(blocks: tuple[ir.Block, ...], local: frozenset[str]) -> tuple[ir.Variable, ...]:
    """Return the free names that the blocks read, in order of first use."""
    found: dict[ir.Variable, None] = {}
    for block in blocks:
        for part in (*block.operations, block.terminator):
            for variable in source_reads(part):
                if variable not in local and not variable.startswith("%"):
                    found[variable] = None
    return tuple(found)
