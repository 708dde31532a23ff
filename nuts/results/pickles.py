"""Fits that can be pickled, whatever their draws look like.

TFP's coroutines give their values in a tuple whose class exists in the process only that made it.
In a pickle such a tuple, or one of a class that was defined within a function, is a NamedTuple of
the same name with the same fields; `tf.nest` and TFP take one for the other.
"""

from __future__ import annotations

import collections
import copy
import functools
import operator
import sys
from typing import Any


class Pickled:
    """A frozen dataclass that holds structures; copies of it have the original's classes."""

    def __copy__(self) -> Any:
        return type(self)(**vars(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return type(self)(**{name: _copied(value, memo) for name, value in vars(self).items()})

    def __getstate__(self) -> dict[str, Any]:
        return {name: portable(value) for name, value in vars(self).items()}


def portable(structure: Any) -> Any:
    """The structure, as another process can load it; parts that it can load stay as they are."""
    return _mapped(portable, _portable_tuple, structure)


def named_tuple(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    """A NamedTuple that can be pickled though its class is no global of a module."""
    return _class(name, fields)(*values)


@functools.lru_cache(maxsize=1024)
def _class(name: str, fields: tuple[str, ...]) -> Any:
    make: Any = collections.namedtuple
    made = make(name, fields)
    made.__reduce__ = lambda self: (named_tuple, (name, fields, tuple(self)))
    made.__copy__ = lambda self: self
    return made


def _portable_tuple(kind: Any, values: list[Any]) -> Any:
    known = kind if _is_global(kind) else _class(kind.__name__, tuple(kind._fields))
    return known(*values)


def _is_global(kind: type) -> bool:
    """Whether the name of a class leads to it."""
    try:
        return operator.attrgetter(kind.__qualname__)(sys.modules.get(kind.__module__)) is kind
    except AttributeError:
        return False


def _copied(structure: Any, memo: dict[int, Any]) -> Any:
    leaf = functools.partial(_copied, memo=memo)
    copied = _mapped(leaf, lambda kind, values: kind(*values), structure)
    return copy.deepcopy(structure, memo) if copied is structure else copied


def _mapped(each: Any, rebuild: Any, structure: Any) -> Any:
    """Apply a function to the parts of a container, and put them together again.

    Args:
      each: the function of a part.
      rebuild: takes the class of a NamedTuple and its values.
      structure: anything; what is no container is returned itself.
    """
    if isinstance(structure, dict):
        made = copy.copy(structure)
        made.update((key, each(value)) for key, value in structure.items())
        return made
    if hasattr(structure, "_fields") and isinstance(structure, tuple):
        return rebuild(type(structure), list(map(each, structure)))
    if type(structure) in (list, tuple):
        return type(structure)(map(each, structure))
    return structure
