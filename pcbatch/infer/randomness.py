"""Random states and clocks of the host, behind a primitive's back.

What an expression calls itself is looked at before it is called (`misuse`). A plain function that
it calls may draw from a random state, too, or read a clock: the one is seen in the state, the other
in what the primitive gives when it is tried again.
"""

from __future__ import annotations

import contextlib
import pickle
import random
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.infer.reachable import codes
from pcbatch.semantics import pytree
from pcbatch.semantics.misuse import GENERATORS, HostClock, HostState, noting
from pcbatch.semantics.user_code import is_installed_file
from pcbatch.vectorizer import all_operations

TRIALS = 3
"""So often a primitive must be seen to draw: another thread may do it meanwhile."""

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

Run = Callable[[], tuple[Any, ...]]


def run_checked(run: Run, around: Sequence[Any]) -> tuple[Any, ...]:
    """Try a primitive, and refuse one that draws from a random state or reads a clock.

    Args:
      run: tries it.
      around: what its operands lead to, see `reachable`.

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
    if any(isinstance(x, types.FunctionType) and _suspicious(x.__code__) for x in around):
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


def _suspicious(code: types.CodeType) -> bool:
    return any(not _UNREPEATABLE.isdisjoint(part.co_names) for part in codes(code))
