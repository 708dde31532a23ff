"""Python values with a meaning of their own inside a batched program."""

from __future__ import annotations

import abc
import contextvars
import dataclasses
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, NoReturn

import numpy as np

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


class Meanings:
    """What the module that has lists of members makes known to the layers below it.

    Attributes:
      repeated: what a list or a tuple and a number of the member make.
      sliced: what some elements of a list or a tuple are, where the bounds are the member's.
      part: the part of an array that a slice means, where the bounds are the member's.
      inside: what an index of several parts means of an array whose lengths may be the member's.
      of_each: what a function of each element gives of arrays whose lengths may be the member's.
      sized: an array with a shape in which there are numbers of the member, and how it is made.
      arange: `np.arange` with a bound of the member.
      linspace: `np.linspace` with a number of points of the member.
      eye: `np.eye` with a shape of the member.
      written: what an array with as many elements as the member has is after an assignment.
      written_at: what an array is with other elements at the places that such an array has.
      placed: where an element of such an array is, counted along all axes.
      selected: the elements of an array that truth values of the member choose.
      at_part: the elements of an array at the places that a part of an array has.
      selecting: NumPy's functions whose results have as many elements as the member's values say.
      array_of: the array of a list or a tuple in which there are values of the member.
      array: the array of a list or a queue of the member, a part where its length is the member's.
      table: what a key of the member is looked up in, of a dict that is not changed.
      row: one of several lists of known, and different, lengths.
      with_texts: elements with texts among them, which a member may choose from.
      set_of: the set of the elements of several sequences.
      dict_of: the dict of several parts, each a pair or a dict.
      dict_of_pairs: the dict of a list of the member with pairs.
      of_text: an attribute, by its name, of a text that depends on the member.
      builtin: calls one of Python's builtins on arguments among which are lists of the member.
      text: refuses to make a text of a sequence of the member, by a function of some name.
      unknown_of_numpy: refuses to call a function of NumPy with one.
      looked_up: by a class of the prelude, what an index of an object of it is looked up in, given
        the user's text of the index.
      stand_ins: by a class of the prelude, the type that Python has in its place, and what is gone
        over in an object of it.
      contents: by the class of references to sets, or dicts, on the heap, what one is now.
    """

    repeated: Callable[[Sequence[Any], Any], Any]
    sliced: Callable[[Sequence[Any], slice], Any]
    part: Callable[[Any, slice], Any]
    inside: Callable[[Any, Sequence[Any], Sequence[str]], Any]
    of_each: Callable[..., Any]
    sized: Callable[[Sequence[Any], Callable[[list[int]], Any]], Any]
    arange: Callable[..., Any]
    linspace: Callable[..., Any]
    eye: Callable[..., Any]
    written: Callable[[Any, Any, Any, Sequence[str]], Any]
    written_at: Callable[[Any, Any, Any], Any]
    placed: Callable[[Any, Sequence[Any], Sequence[str]], Any]
    selected: Callable[[Any, Any], Any]
    at_part: Callable[[Any, Any], Any]
    selecting: Mapping[str, Callable[[Any], Any]]
    array_of: Callable[[Sequence[Any]], Any]
    array: Callable[[MemberSequence], Any]
    table: Callable[[Mapping[Any, Any], tuple[str, ...], bool], Any]
    row: Callable[[Sequence[list[Any]], Any], Any]
    with_texts: Callable[[list[Any]], Any]
    set_of: Callable[[Iterable[Any]], Any]
    dict_of: Callable[[Iterable[Any]], Any]
    dict_of_pairs: Callable[[Any], Any]
    of_text: Callable[[Any, str], Any]
    builtin: Callable[[Callable[..., Any], Any, Any], Any]
    text: Callable[[str], NoReturn]
    unknown_of_numpy: Callable[[Callable[..., Any]], NoReturn]
    looked_up: ClassVar[dict[type, Callable[[Any, tuple[str, ...]], Any]]] = {}
    stand_ins: ClassVar[dict[type, tuple[type, Callable[[Any], Any]]]] = {}
    contents: ClassVar[dict[type, Callable[[Any], Any]]] = {}


def gone_over(value: Any) -> Any:
    """What is gone over in an object of the prelude; anything else as it is."""
    known = Meanings.stand_ins.get(type(value))
    return value if known is None else known[1](value)


def contents(value: Any) -> Any:
    """The set, or the dict, that an object on the heap stands for; anything else as it is."""
    known = Meanings.contents.get(type(value))
    return value if known is None else known(value)


def as_index(value: Any) -> int | None:
    """The value as a Python int where it is a static integer, else None."""
    try:
        return operator.index(value)
    except TypeError:
        return None
