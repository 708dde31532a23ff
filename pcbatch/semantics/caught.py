"""What a handler, or an `__exit__`, is told of an exception that a member has."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from pcbatch.semantics.misuse import Unsupported, refusing
from pcbatch.semantics.static_values import UnrollIndex


def _asked() -> Unsupported:
    return Unsupported(
        "an exception is asked for what it says, or holds",
        "a member has no exception objects. Its class is known, its text where no number of the "
        "member is in it, and what a `raise` of the same function has given it.",
        "decide by the class, as in `except MyError:`; or return what is asked for, instead of "
        "raising an exception that holds it",
    )


_refuse = refusing(_asked)
_ASKED_OF_ALL = ("dtype", "gone_over", "items_of_plain", "shape")
"""The attributes that are asked of any object, to find out what it is."""


class Caught:
    """Stands for an exception, or for its traceback.

    It is not None, is an instance of its class, and may be raised again. What else is asked of it
    is refused.

    Args:
      kind: its class.
      raised: which exception it is.
      number: blocks are kept apart by it, as by an `UnrollIndex`; None: they are not.
    """

    __slots__ = ("_kind", "_number", "_raised")

    def __init__(self, kind: type, raised: Any, number: int | None = None):
        self._kind, self._raised, self._number = kind, raised, number

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # what `isinstance` asks
        return self._kind

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in _ASKED_OF_ALL:
            raise AttributeError(name)
        made = _made(self._kind, getattr(self._raised, "given", None))
        if made is not None and (name == "args" or name in vars(made)):
            return getattr(made, name)
        if name == "args" and "__init__" not in vars(self._kind):
            return (self.text(),) if self.text() else ()
        raise _asked()

    def text(self) -> str:
        """What `str` gives of it.

        Raises:
          Unsupported: there are numbers of the member in it.
        """
        made = _made(self._kind, getattr(self._raised, "given", None))
        if made is not None:
            return str(made)
        message = getattr(self._raised, "message", "{}")
        if "{" in message or not _shows_its_argument(self._kind):
            raise _asked()
        return str(message.partition(": ")[2])

    def __repr__(self) -> str:
        return f"<{self._kind.__name__} of a member>"

    def __str__(self) -> str:
        return self.text()

    __format__ = _refuse


def _made(kind: type, given: tuple[Any, ...] | None) -> Any:
    """The exception that a class makes of known arguments; None where they are not known."""
    return kind(*given) if given is not None else None


@functools.lru_cache(maxsize=1024)
def caught(kind: Any, raised: Any, number: int | None = None) -> Caught:
    """What stands for an exception; the same for equal ones."""
    return Caught(kind, raised, number)


def told(exception: Any) -> tuple[Any, Any, Any]:
    """A primitive: the class of an exception that is handled, itself, and its traceback.

    Inference knows which exception it is, and does not run this.
    """
    raise NotImplementedError


def raised_of(value: Any) -> Any:
    """Which exception it is that an `__exit__` was told of; None for any other value."""
    return value._raised if type(value) is Caught else None


def kind_of(value: Any) -> type:
    """The class of an exception."""
    kind: type = value._kind
    return kind


# --- What a `raise` of the same function gives ----------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Told:
    """An exception that the function itself raises, of which is known what it holds.

    Attributes:
      args: what it was made with.
    """

    _number: UnrollIndex
    _kind: type
    args: tuple[Any, ...]
    _own: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._own:
            return self._own[name]
        if name.startswith("__") or name in _ASKED_OF_ALL:
            raise AttributeError(name)
        if hasattr(self._kind, name):
            raise _asked()
        raise AttributeError(f"'{self._kind.__name__}' object has no attribute '{name}'")

    def text(self) -> Any:
        """What `str` gives of it; a part of it may be another value than a text."""
        if not _shows_its_argument(self._kind):
            raise _asked()
        return "" if not self.args else self.args[0] if len(self.args) == 1 else self.args


def _shows_its_argument(kind: type) -> bool:
    """Whether `str` of an exception is that of its only argument."""
    return getattr(kind, "__str__", None) in (BaseException.__str__, Exception.__str__)


@dataclasses.dataclass(frozen=True)
class Making:
    """A primitive: what is told of an exception that a member raises.

    Attributes:
      number: of the place that raises it; blocks are kept apart by it.
      kind: its class.
      names: those of the keywords, which are the last arguments.
    """

    number: int
    kind: type[BaseException]
    names: tuple[str, ...] = ()

    def __call__(self, *values: Any) -> tuple[Told]:
        last = len(values) - len(self.names)
        named = dict(zip(self.names, values[last:], strict=True))
        made = self.kind(*values[:last], **named)
        return (Told(UnrollIndex(self.number), self.kind, made.args, dict(vars(made))),)


def number_of(value: Any) -> int | None:
    """The number by which blocks are kept apart in which a variable stands for an exception."""
    return value._number if type(value) is Caught else None


def is_exception(value: Any) -> bool:
    """Whether a value stands for an exception."""
    return type(value) in (Caught, Told)
