"""Python values with a meaning of their own inside a batched program."""

from __future__ import annotations

import abc
import contextvars
import dataclasses
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.rounds import OnlyInProgram
from pcbatch.semantics.unbound import flag, flagged


class UnrollIndex(int):
    """The position in a static container of a `for` loop that is unrolled.

    Inference keeps blocks apart by the values of such variables instead of joining them, which is
    what unrolls the loop.
    """

    def __repr__(self) -> str:
        return f"#{int(self)}"


@dataclasses.dataclass
class StaticRanges:
    """How inference has loops over a `range` with static bounds run.

    A counter loop is compact, but its variable is a tensor. Where the program needs a Python
    integer, as an index of a tuple of different things does, the loop is unrolled. One round is no
    loop at all.

    Attributes:
      unroll: unroll those of at most `MAX_ROUNDS` rounds.
      seen: there was one that could be.
    """

    unroll: bool = False
    seen: bool = False

    MAX_ROUNDS: ClassVar[int] = 64

    def first(self, bounds: range) -> int:
        """The first value of the loop's counter."""
        short = 0 < len(bounds) <= self.MAX_ROUNDS
        self.seen |= short
        unrolled = len(bounds) == 1 or (short and self.unroll)
        return UnrollIndex(bounds.start) if unrolled else bounds.start


class AttributeName(str):
    """What is assigned by `x.name = value`, in the place of the index of `x[i] = value`."""


DELETED = "%deleted"
"""The variable that takes what `del x[i]` takes out: a call of `pop` with this result is one."""

STATIC_RANGES: contextvars.ContextVar[StaticRanges] = contextvars.ContextVar("static ranges")
"""The way of the inference that runs now."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Factory:
    """Makes one nested function; there is one factory per `def` or `lambda` in the source.

    Attributes:
      make: takes the captured values by name and returns the function.
      group: the factories of the functions that this one may call by their names and that are made
        of the same captured values: its own, and those of functions that call each other.
      late: the captured variables that the body itself reads, which in Python sees them change.
      known: what those captured names mean that are classes, modules and generators.
    """

    make: Callable[..., Callable[..., Any]]
    group: dict[str, Factory] = dataclasses.field(default_factory=dict)
    late: tuple[str, ...] = ()
    known: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def makes(self, function: Any) -> bool:
        """Whether a function is the nested one itself, not what a decorator made of it."""
        code = getattr(function, "__code__", None)
        return code is not None and code in self.make.__code__.co_consts

    def recursive(self, function: Any) -> tuple[str, ...]:
        """The names in `group` that a function of this factory reads."""
        return tuple(name for name in function.__code__.co_freevars if name in self.group)


class Closure:
    """A function that was defined inside an autobatched function.

    It holds the local variables that its body reads, by value, so that it can cross blocks like any
    other structure: the captured values are its children.

    Args:
      factory: makes the function of the captured values; two closures from the same place compare
        by it.
      captured: the captured local variables.
    """

    def __init__(self, factory: Factory, captured: Mapping[str, Any]):
        self.factory = factory
        self.captured = dict(captured)
        self.function = factory.make(**self.captured)
        self.__name__ = getattr(self.function, "__name__", "<lambda>")
        self.__wrapped__ = self.function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any(self.captured[flag(name)] is not True for name in flagged(tuple(self.captured))):
            raise OnlyInProgram(
                "a nested function takes a variable that may have no value; assign it on every path"
            )
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


class Method(abc.ABC):
    """An autobatched function, which may be bound to an object.

    Attributes:
      owner: the object, or None.
      unbound: the function itself, not bound to anything.
    """

    owner: Any
    unbound: Method

    @abc.abstractmethod
    def bind(self, owner: Any) -> Method:
        """The method of another object."""


class Slice(NamedTuple):
    """The slice that an assignment writes to; its bounds may be the member's."""

    start: Any
    stop: Any
    step: Any


class MemberSequence(abc.ABC):
    """A sequence that is no Python list, as members differ in what is written to it.

    Attributes:
      called: what a message calls it.
    """

    called: ClassVar[str] = "list"

    @property
    def stands_for(self) -> type:
        """The type that Python has for it."""
        return list

    def __repr__(self) -> str:
        return Meanings.text("repr")

    def __str__(self) -> str:
        return Meanings.text("str")

    def __format__(self, _: str) -> str:
        return Meanings.text("format")

    # What NumPy asks of an object that a plain function hands to one of its functions.

    def __array__(self, *_: Any, **__: Any) -> Any:
        return Meanings.unknown_of_numpy(np.asarray)

    def __array_function__(self, function: Callable[..., Any], *_: Any) -> Any:
        return Meanings.unknown_of_numpy(function)

    def __array_ufunc__(self, function: np.ufunc, *_: Any, **__: Any) -> Any:
        return Meanings.unknown_of_numpy(function)

    @abc.abstractmethod
    def length(self) -> Any:
        """The number of elements: an int, or an int32 scalar where it is the member's."""

    @abc.abstractmethod
    def __getitem__(self, index: Any) -> Any:
        """An element, or a copy of some."""

    @abc.abstractmethod
    def item(self, index: Any) -> Any:
        """An element at a place that there is."""

    @abc.abstractmethod
    def contains(self, value: Any) -> Any:
        """Whether an element equals a value."""

    @abc.abstractmethod
    def is_same(self, other: Any) -> Any:
        """Whether another one is this very object."""

    @abc.abstractmethod
    def truth(self) -> Any:
        """Whether there are elements."""

    @abc.abstractmethod
    def backward(self) -> Any:
        """The elements from last to first."""

    @abc.abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """The elements, where their number is static."""

    def __getattr__(self, name: str) -> Any:
        kind = "object" if name.startswith("__") else self.stands_for.__name__
        if not name.startswith("__") and hasattr(self.stands_for, name):
            raise AttributeError(f"`{name}` of a {kind} of the member is not known here")
        raise AttributeError(f"'{kind}' object has no attribute '{name}'")

    def looked_up(self, *texts: str, adding: bool = False) -> Any:
        """What an index is looked up in.

        Args:
          *texts: the user's text of each part of the index.
          adding: what is read is assigned at once.
        """
        return self


class PartOfArray(MemberSequence):
    """Some elements of an array, as many as the member's bounds say.

    Attributes:
      array: these elements, and others behind them.
      number: of these elements.
      inner: the numbers along the axes that follow, as far as one may be the member's.
    """

    array: Any
    number: Any
    inner: tuple[Any, ...]

    called = "part of an array"

    @property
    @abc.abstractmethod
    def used(self) -> Any:
        """Which elements of the array are these."""

    @abc.abstractmethod
    def builtin(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """What one of Python's builtins is of arguments among which there are such parts."""

    @abc.abstractmethod
    def compared(self, symbol: str, other: Any) -> Any:
        """What a comparison of each element gives."""

    @abc.abstractmethod
    def numpy(self, name: str, meaning: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """What a function of NumPy is of arguments among which there are such parts."""

    @abc.abstractmethod
    def with_array(self, array: Any) -> PartOfArray:
        """The same with other elements."""

    @abc.abstractmethod
    def in_sequence(self, name: str, args: Any, kwargs: Any) -> Any:
        """What a function of NumPy is of a sequence of such parts."""


def as_index(value: Any) -> int | None:
    """The value as a Python int where it is a static integer, else None."""
    try:
        return operator.index(value)
    except TypeError:
        return None
