"""Random states and clocks of the host, behind a primitive's back.

What an expression calls itself is looked at before it is called (`misuse`). A plain function that
it calls may draw from a random state, too, or read a clock: the one is seen in the state, the other
in what the primitive gives when it is tried again.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import inspect
import pickle
import random
import sys
import threading
import time
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.misuse import GENERATORS, HostClock, HostState, noting
from pcbatch.semantics.user_code import is_installed, is_installed_file, is_users_object
from pcbatch.vectorizer import all_operations

TRIALS = 3
"""So often a primitive must be seen to draw: another thread may do it meanwhile."""
MAX_DEPTH = 4

_CLOCKS = (
    "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns",
    "process_time", "process_time_ns",
)  # fmt: skip
"""Functions of the module `time`."""

_UNREPEATABLE = frozenset({
    *_CLOCKS, "now", "utcnow", "today", "urandom", "uuid1", "uuid4",
    "token_bytes", "token_hex", "token_urlsafe", "randbelow", "randbits", "SystemRandom",
    "default_rng", "RandomState", "Random", "SeedSequence",
})  # fmt: skip
"""Names in the code of a plain function that make it worth while to try it again."""

_DULL = (tf.Tensor, tf.Variable, np.generic, str, bytes, int, float, complex)
"""Values that lead nowhere."""

CONTAINERS = (list, dict, set, bytearray, collections.deque, np.ndarray)

Run = Callable[[], tuple[Any, ...]]


def run_checked(run: Run, around: Sequence[Any]) -> tuple[Any, ...]:
    """Try a primitive, and refuse one that draws from a random state or reads a clock.

    Args:
      run: tries it.
      around: what its operands lead to, see `reached`.

    Raises:
      HostState: it changes a random state of Python or NumPy, which was there before.
      HostClock: it gives something else each time.
    """
    generators = [x for x in around if isinstance(x, GENERATORS)]
    for _ in range(TRIALS):
        before = _states(generators)
        outputs = run()
        after = _states(generators)
        drawn = [a[0] for a, b in zip(before, after, strict=True) if a != b]
        if not drawn:
            break
    else:
        raise HostState(drawn[0])
    if any(isinstance(x, types.CodeType) and _suspicious(x) for x in around):
        _check_repeated(run)
    return outputs


def _check_repeated(run: Run) -> None:
    """Refuse a primitive that never gives the same twice; the first time it may fill a cache."""
    digests = []
    for hours in (0, 400, 1200):
        with _later(hours):
            digests.append(_digest(run))
    first, second, third = digests
    if first != second and second != third:
        raise HostClock("")


@contextlib.contextmanager
def _later(hours: int) -> Iterator[None]:
    """Put the clocks of the module `time` ahead, for what the user's code reads in this thread.

    The numbers of a clock that are read within a millisecond may be one `float32`.
    """
    here = threading.get_ident()

    def ahead(clock: Callable[[], Any], units: int) -> Callable[[], Any]:
        def read() -> Any:
            by_installed = is_installed_file(sys._getframe(1).f_code.co_filename)
            away = by_installed or threading.get_ident() != here
            return clock() + (0 if away else hours * 3600 * units)

        return read

    clocks = {name: getattr(time, name) for name in _CLOCKS}
    try:
        for name, clock in clocks.items():
            setattr(time, name, ahead(clock, 10**9 if name.endswith("_ns") else 1))
        yield
    finally:
        for name, clock in clocks.items():
            setattr(time, name, clock)


def _digest(run: Run) -> list[Any]:
    """The numbers in what a primitive makes, and those that it makes them of."""
    graph = tf.compat.v1.get_default_graph()
    before = len(graph.get_operations())
    with noting() as given:
        leaves, _ = pytree.flatten(run())
    made = all_operations(graph.get_operations()[before:])
    constants = [op.get_attr("value") for op in made if op.type == "Const"]
    numbers = [x.SerializeToString() for x in constants if x.dtype != tf.string.as_datatype_enum]
    plain = (str, int, float, complex, bytes, np.generic, np.ndarray)
    return [*numbers, *map(repr, given), *(repr(x) for x in leaves if isinstance(x, plain))]


# --- Random states -------------------------------------------------------------------------------


def _states(generators: Sequence[Any]) -> list[tuple[str, bytes]]:
    """The random states, each after what it is called."""
    shared = [("random", random.getstate()), ("np.random", np.random.get_state(legacy=False))]
    own = [(f"a {type(x).__name__}", _state(x)) for x in generators]
    return [(name, pickle.dumps(state)) for name, state in (*shared, *own)]


def _state(generator: Any) -> Any:
    match generator:
        case random.SystemRandom():
            return None
        case random.Random():
            return generator.getstate()
        case np.random.RandomState():
            return generator.get_state(legacy=False)
        case np.random.Generator():
            return generator.bit_generator.state
    return generator.state


def names_read(fn: Callable[..., Any]) -> tuple[str, ...]:
    """The names, and those of attributes, that a primitive's function reads."""
    code = getattr(fn, "__code__", None)
    if code is None:
        return ()
    return *code.co_names, *(x for x in code.co_consts if isinstance(x, str))


def reached(values: Iterable[Any], names: Collection[str]) -> Iterator[Any]:
    """What operands lead to: random generators, the code of the user's plain functions, and the
    arrays, lists, dicts and sets that these read.
    """
    seen: dict[int, Any] = {}
    for value in values:
        yield from _reached(value, names, 0, seen)


def _reached(value: Any, names: Collection[str], depth: int, seen: dict[int, Any]) -> Iterator[Any]:
    """What one value leads to, see `reached`.

    Args:
      value: anything.
      names: those that whoever holds the value reads.
      depth: how many steps led to it.
      seen: what was looked at, by identity.
    """
    if id(value) in seen or depth > MAX_DEPTH or isinstance(value, _DULL):
        return
    seen[id(value)] = value
    if isinstance(value, np.ndarray):
        if depth > 0:
            yield value
        return
    if isinstance(value, types.FunctionType):
        if is_installed_file(value.__code__.co_filename):
            return
        yield value.__code__
    elif isinstance(value, GENERATORS) or (depth > 0 and isinstance(value, CONTAINERS)):
        yield value
    if isinstance(value, (types.FunctionType, types.MethodType)):
        names = {name for code in _codes(value.__code__) for name in code.co_names}
    for part in _parts(value, names):
        yield from _reached(part, names, depth + 1, seen)


def _parts(value: Any, names: Collection[str]) -> Iterable[Any]:
    """What a value holds or reads, as far as looking at it runs none of the user's code."""
    if isinstance(value, types.MethodType):
        return value.__self__, value.__func__
    leaves, tree = pytree.flatten(value)
    if tree != pytree.LEAF:
        return *leaves, *_of_class(type(value), names)
    match value:
        case types.BuiltinFunctionType():
            return (value.__self__,)
        case functools.partial():
            return value.func, *value.args, *value.keywords.values()
        case types.FunctionType():
            cells = [cell for cell in value.__closure__ or () if cell != types.CellType()]
            return *_named(value.__globals__, names), *(cell.cell_contents for cell in cells)
        case types.ModuleType() if not is_installed(value.__name__):
            return _named(vars(value), names)
        case type():
            return _of_class(value, names)
        case _ if is_users_object(value):
            return *vars(value).values(), *_of_class(type(value), names)
    return ()


def _of_class(kind: type, names: Iterable[str]) -> list[Any]:
    """What a class of the user's has by some names, and by those that its methods read then.

    Operators call its special methods without a name.
    """
    if is_installed(kind.__module__):
        return []
    special = (name for base in kind.__mro__[:-1] for name in vars(base) if name.startswith("__"))
    waiting, found = [*names, *special], dict[str, Any]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = member = inspect.getattr_static(kind, name, None)
            code = getattr(getattr(member, "fget", member), "__code__", None)
            waiting += code.co_names if code is not None else ()
    return list(found.values())


def _named(namespace: Mapping[str, Any], names: Iterable[str]) -> list[Any]:
    return [namespace[name] for name in names if name in namespace]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _suspicious(code: types.CodeType) -> bool:
    return any(not _UNREPEATABLE.isdisjoint(part.co_names) for part in _codes(code))
