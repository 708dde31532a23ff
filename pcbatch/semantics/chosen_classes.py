"""`type(x)` of an object that is of one of several classes, within an expression."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, NoReturn

import tensorflow as tf

from pcbatch.semantics import chosen_texts
from pcbatch.semantics.misuse import Unsupported

_NAMES = ("__name__", "__qualname__", "__module__")


def _refuse(*_: Any) -> NoReturn:
    raise Unsupported(
        "the class of an object, which the member says, is used so",
        "it can be compared with `is` and `==`, and has a `__name__`.",
        "ask what it is: isinstance(x, Circle)\n"
        "or have a method, or an attribute, of each class that says it",
    )


@dataclasses.dataclass(eq=False, repr=False)
class ChosenClass:
    """One of several classes.

    Attributes:
      tag: says which, by its place.
      classes: which there are.
    """

    tag: Any
    classes: Sequence[type]

    def is_same(self, other: Any) -> Any:
        """Whether another class, or such a one, is the same."""
        if not isinstance(other, ChosenClass):
            return self._is_any(k for k, kind in enumerate(self.classes) if kind is other)
        same = (tf.logical_and(self.is_same(kind), other.is_same(kind)) for kind in self.classes)
        return functools.reduce(tf.logical_or, same)

    def _is_any(self, places: Any) -> Any:
        return functools.reduce(tf.logical_or, (tf.equal(self.tag, k) for k in places), False)

    def __getattr__(self, name: str) -> Any:
        if name not in _NAMES:
            _refuse()
        return chosen_texts.chosen([getattr(kind, name) for kind in self.classes], self.tag)

    __eq__ = __hash__ = __bool__ = __call__ = __iter__ = _refuse
    __repr__ = __str__ = __format__ = _refuse
