"""What an `__exit__` is told of an exception that a member has."""

from __future__ import annotations

import functools
from typing import Any

from pcbatch.semantics.misuse import Unsupported, refusing


def _asked() -> Unsupported:
    return Unsupported(
        "an exception is asked for what it says",
        "a member has no exception objects; only the class of its exception is known.",
        "decide by the class, which is the first argument of `__exit__` behind `self`:\n"
        "return kind is not None and issubclass(kind, ValueError)",
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
    """

    __slots__ = ("_kind", "_raised")

    def __init__(self, kind: type, raised: Any):
        self._kind, self._raised = kind, raised

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # what `isinstance` asks
        return self._kind

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in _ASKED_OF_ALL:
            raise AttributeError(name)
        raise _asked()

    def __repr__(self) -> str:
        return f"<{self._kind.__name__} of a member>"

    __str__ = __format__ = _refuse


@functools.lru_cache(maxsize=1024)
def caught(kind: Any, raised: Any) -> Caught:
    """What stands for an exception; the same for equal ones."""
    return Caught(kind, raised)


def told(exception: Any) -> tuple[Any, Any, Any]:
    """A primitive: the class of an exception that is handled, itself, and its traceback.

    Inference knows which exception it is, and does not run this.
    """
    raise NotImplementedError


def raised_of(value: Any) -> Any:
    """Which exception it is that an `__exit__` was told of; None for any other value."""
    return value._raised if type(value) is Caught else None


def kind_of(value: Caught) -> type:
    """The class of an exception."""
    return value._kind
