"""Python that has no meaning for the members of a batch, found where it is called.

An expression is called once, when the program is traced. There a clock, a random state of Python or
NumPy, and the text of a value would be read once for all members, for all rounds and for all calls.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import datetime
import functools
import os
import random
import secrets
import time
import types
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
import tensorflow as tf

from pcbatch.semantics import data, pytree
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.rounds import NeedsRounds, OnlyInProgram
from pcbatch.semantics.scoped import Scoped

GENERATORS = (random.Random, np.random.RandomState, np.random.Generator, np.random.BitGenerator)

_MADE: contextvars.ContextVar[list[Any] | None] = contextvars.ContextVar("made", default=None)
"""The random generators that the primitive that is being tried has made; None outside of one."""


class Misuse(Exception):
    """An expression does what has no meaning for one member of a batch."""


class HostState(Misuse):
    """A random state of Python or NumPy is drawn from."""


class HostClock(Misuse):
    """A clock of the host is read."""


class TextOfMember(Misuse):
    """A value of a member is made a text, or Python asks which object it is."""


class UnknownOfNumPy(Misuse):
    """A function of NumPy, or a method of its arrays, has no meaning on a member's array."""


class Unsupported(Misuse):
    """A call that has no meaning for members, for a reason of its own.

    Args:
      said: what is wrong.
      why: it is.
      remedy: what to write instead.
    """

    def __init__(self, said: str, why: str, remedy: str):
        super().__init__(said)
        self.said, self.why, self.remedy = said, why, remedy


_INSTEAD = {
    "to_bytes": "compute them, as a list: [n >> 8 * k & 255 for k in range(4)]",
    "as_integer_ratio": "make a fraction of it first: Fraction(x).as_integer_ratio()",
    "hex": "have a text of another kind: f'{x:.17f}'",
}


def check_method(name: str) -> None:
    """Refuse a method of Python's numbers that a member's number does not have.

    Raises:
      Unsupported: it is one.
    """
    if name in _INSTEAD:
        raise Unsupported(
            f"`{name}` is asked of a member's number",
            "of the methods of numbers those for bits and parts are known, as `bit_length`, "
            "`is_integer` and `conjugate`.",
            _INSTEAD[name],
        )


def refusing(said: Callable[[], Unsupported]) -> Callable[..., NoReturn]:
    """What stands for the methods of an object that have no meaning, and says so."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise said()

    return refuse


class DecidesInPython(Unsupported, NeedsRounds):
    """Plain Python asks for the truth of an object; a loop, or a branch, of the program may."""


def deciding(said: Callable[[], Unsupported]) -> Callable[..., NoReturn]:
    """What stands for `__bool__` of an object of which only the program can ask the truth."""

    def decide(*_: Any) -> NoReturn:
        found = said()
        raise DecidesInPython(found.said, found.why, found.remedy)

    return decide


class ShapeOfMember(Misuse):
    """The shape of an array, or another number that decides it, depends on the member."""


class RepeatedByMember(Misuse):
    """A sequence is repeated a number of times that depends on the member."""


class ValueOfDict(Misuse):
    """Which of the values of a dict is meant depends on the member, and they are not alike.

    The text names their kinds; "get" stands for None, which is what `get` gives without a default.
    """


class NotOnHeap(ValueOfDict, OnlyInProgram):
    """A plain function makes a set, or a dict, that is to be one on the heap."""


class OrderOfSet(Misuse):
    """The order of the elements of a set is asked for."""


class ReadAdds(Misuse, OnlyInProgram):
    """A `defaultdict` is read in an expression, which would add a key to it.

    The text is what a missing key counts as.
    """


_GIVEN: contextvars.ContextVar[list[Any] | None] = contextvars.ContextVar("given", default=None)
"""The numbers that called functions give; None where nothing asks for them."""


@dataclasses.dataclass
class _Called:
    """A plain function that an expression calls, what it is given, and what it gives."""

    code: types.CodeType
    given: list[Any]
    result: Any = None


_CALLS: contextvars.ContextVar[list[_Called] | None] = contextvars.ContextVar("calls", default=None)
"""The plain functions that the expression calls that is being tried."""


def helpers_given(value: Any) -> tuple[types.CodeType, ...]:
    """The code of the plain functions that the expression gives an object, or a part of it."""
    calls = _CALLS.get() or ()
    parts = {id(part) for part in parts_of(value)}
    return tuple(c.code for c in calls if any(id(x) in parts for x in c.given))


def helpers_giving() -> Iterator[tuple[Any, types.CodeType]]:
    """What the plain functions give that the expression calls, and their code."""
    for called in _CALLS.get() or ():
        for part in parts_of(called.result):
            yield part, called.code


def parts_of(value: Any) -> Iterator[Any]:
    """An object, and what is in it, but for large plain data."""
    yield value
    for part in () if data.is_large(value) else pytree.parts(value) or ():
        yield from parts_of(part)


def noting() -> Scoped[list[Any]]:
    """Note, inside, the numbers that the functions give that an expression calls."""
    return Scoped(_GIVEN, [])


@contextlib.contextmanager
def trial() -> Iterator[None]:
    """Look, inside, at what is called."""
    with Scoped(_MADE, []), Scoped(_CALLS, []):
        yield


@functools.singledispatch
def understood(function: Any) -> Any:
    """The function to run in the place of one that an expression calls: a layer above knows."""
    return function


def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call what an expression of the user's calls.

    Raises:
      Misuse: a primitive is being tried, and the call reads a clock, draws from a random state that
        is older than the primitive, or asks for the text of a member's value.
    """
    made, run = _MADE.get(), understood(function)
    if made is None:
        return run(*args, **kwargs)
    called = _noted(function, [*args, *kwargs.values()])
    check(function, args, kwargs)
    result = run(*args, **kwargs)
    if called is not None:
        called.result = result
    if isinstance(result, GENERATORS):
        made.append(result)
    if isinstance(result, (int, float)) and (given := _GIVEN.get()) is not None:
        given.append(result)
    return result


def _noted(function: Any, given: list[Any]) -> _Called | None:
    """Note a call of a plain function, or of a method of a plain object; None for any other."""
    calls = _CALLS.get()
    if isinstance(function, types.MethodType):
        function, given = function.__func__, [function.__self__, *given]
    if calls is None or not isinstance(function, types.FunctionType):
        return None
    calls.append(_Called(function.__code__, given))
    return calls[-1]


def check(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse a call. Arguments, results and errors: as for `call`."""
    while isinstance(function, functools.partial):
        args, kwargs = (*function.args, *args), function.keywords | kwargs
        function = function.func
    _, name = _CLOCKS.get(id(function), (None, ""))
    if name or _is_calendar(function):
        raise HostClock(name or f"datetime.{function.__self__.__name__}.{function.__name__}")
    _, name = _RANDOM.get(id(function), (None, ""))
    if not name and id(function) in _SEEDED:
        how = "" if _is_seeded(args, kwargs) else "without a seed"
        how = "seeded by a member's number" if holds_member((args, kwargs)) else how
        name = f"{_SEEDED[id(function)][1]} {how}" if how else ""
    name = name or _drawn_by(function)
    if name:
        raise HostState(name)
    owner = _owner(function)
    if isinstance(owner, (tf.Tensor, tf.Variable)) and function.__name__ in _SHOWING:
        raise TextOfMember(function.__name__)
    if getattr(function, "__module__", "") == "statistics" and holds_member((args, kwargs)):
        raise _of_fractions(function.__name__)
    if _is_text(owner, function) and holds_member((args, kwargs)):
        raise TextOfMember(f"str.{function.__name__}")


def _of_fractions(name: str) -> Unsupported:
    return Unsupported(
        f"`statistics.{name}` of a member's numbers",
        "it computes with fractions, and gives an integer where the result is one.",
        "compute it from sums and sorted numbers:\n"
        "mean = sum(xs) / len(xs)\n"
        "deviation = math.sqrt(sum((x - mean) ** 2 for x in xs) / len(xs))\n"
        "middle = sorted(xs)[len(xs) // 2]",
    )


def holds_member(value: Any) -> bool:
    """Whether a value is, or a container in it has, a value of a member."""
    leaves, tree = pytree.flatten(value)
    if tree == pytree.LEAF:
        return isinstance(value, Buffer) or tf.is_symbolic_tensor(value)
    return any(map(holds_member, leaves))


def refuse_text(name: str, *values: Any) -> None:
    """Refuse to make a text of what holds a value of a member."""
    if any(map(holds_member, values)):
        raise TextOfMember(name)


def _no_text(name: str) -> NoReturn:
    raise TextOfMember(name)


Meanings.text = _no_text


def _owner(function: Any) -> Any:
    """The object that a method is bound to; None for anything else."""
    bound = (types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType)
    return function.__self__ if isinstance(function, bound) else None


def _is_text(owner: Any, function: Any) -> bool:
    return isinstance(owner, str) or getattr(function, "__objclass__", None) is str


def _is_calendar(function: Any) -> bool:
    owner = _owner(function)
    dated = isinstance(owner, type) and issubclass(owner, datetime.date)
    return dated and function.__name__ in ("now", "utcnow", "today")


def _is_seeded(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return any(x is not None for x in (*args, *kwargs.values()))


def _drawn_by(function: Any) -> str:
    """What a call of a generator's method is called; empty where it is none, or does no harm."""
    owner = _owner(function)
    if not isinstance(owner, GENERATORS) or function.__name__ in _PEEKING:
        return ""
    if any(owner is x for x in _MADE.get() or ()) and not isinstance(owner, random.SystemRandom):
        return ""
    shared = {id(_owner(np.random.random)): "np.random", id(_owner(random.random)): "random"}
    return f"{shared.get(id(owner), type(owner).__name__)}.{function.__name__}"


def _named(module: Any, names: str, prefix: str = "") -> dict[int, tuple[Callable[..., Any], str]]:
    """Functions of a module, with their names, by identity: not every object has a hash."""
    found = {n: getattr(module, n) for n in names.split() if hasattr(module, n)}
    return {id(f): (f, f"{prefix or module.__name__}.{n}") for n, f in found.items()}


_CLOCKS = _named(
    time,
    "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time "
    "process_time_ns thread_time thread_time_ns clock_gettime clock_gettime_ns localtime gmtime "
    "ctime",
)
_RANDOM = {
    **_named(os, "urandom getrandom"),
    **_named(uuid, "uuid1 uuid4"),
    **_named(secrets, "token_bytes token_hex token_urlsafe randbelow"),
    **_named(np.random, "seed ranf sample", "np.random"),
    **_named(random, "SystemRandom"),
}
_SEEDED = {
    **_named(np.random, "default_rng RandomState SeedSequence", "np.random"),
    **_named(np.random, "PCG64 PCG64DXSM MT19937 Philox SFC64", "np.random"),
    **_named(random, "Random"),
}
"""What makes a generator: of the system's entropy, where no seed is given."""

_PEEKING = ("getstate", "get_state", "__repr__", "__str__")
_SHOWING = ("__str__", "__repr__", "__format__", "__hash__")
