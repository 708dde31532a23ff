"""Python values with a meaning of their own inside a batched program."""

from __future__ import annotations

import abc
import contextvars
import dataclasses
import operator
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

METHODS = "__pcbatch_methods__"
"""The attribute in which an object keeps its batched methods."""


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


STATIC_RANGES: contextvars.ContextVar[StaticRanges] = contextvars.ContextVar("static ranges")
"""The way of the inference that runs now."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Factory:
    """Makes one nested function; there is one factory per `def` or `lambda` in the source.

    Attributes:
      make: takes the captured values by name and returns the function.
      group: the factories of the functions that this one may call by their names and that are made
        of the same captured values: its own, and those of functions that call each other.
    """

    make: Callable[..., Callable[..., Any]]
    group: dict[str, Factory] = dataclasses.field(default_factory=dict)

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


def as_index(value: Any) -> int | None:
    """The value as a Python int where it is a static integer, else None."""
    try:
        return operator.index(value)
    except TypeError:
        return None
