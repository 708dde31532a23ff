"""What NumPy means on the values of one member."""

from __future__ import annotations

import dataclasses
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from pcbatch.semantics.arrays.methods import FUNCTIONS, METHODS, NAMES, attribute
from pcbatch.semantics.arrays.views import shared
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.misuse import UnknownOfNumPy
from pcbatch.semantics.static_values import MemberSequence, PartOfArray

__all__ = ["METHODS", "NAMES", "OF_UFUNCS", "attribute", "meanings"]

_OTHER_NAMES = {
    "amax": "max", "amin": "min", "abs": "absolute", "linalg.trace": "trace",
    "linalg.matmul": "matmul", "linalg.cross": "cross",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Meaning:
    """What a function of NumPy's means.

    Attributes:
      name: in `np`.
      meaning: takes the arguments that mean something here.
    """

    name: str
    meaning: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"np.{self.name} of a member's array: {error}") from None
        args = tuple(Meanings.array(x) if isinstance(x, MemberSequence) else x for x in args)
        part = next((x for x in args if isinstance(x, PartOfArray)), None)
        if part is not None:
            name = _OTHER_NAMES.get(self.name, self.name)
            return part.numpy(name, self.meaning, args, kwargs)
        inner = (x for a in args if isinstance(a, (list, tuple)) for x in a)
        part = next((x for x in inner if isinstance(x, PartOfArray)), None)
        if part is not None:
            return part.in_sequence(self.name, args, kwargs)
        return shared(self.name, self.meaning(*args, **kwargs), (*args, *kwargs.values()))

    @property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.meaning)


def _all_equal(test: str) -> Callable[..., Any]:
    def run(a: Any, b: Any, **how: Any) -> Any:
        return FUNCTIONS["all"](FUNCTIONS[test](a, b, **how))

    return run


def _array_equal(a: Any, b: Any) -> Any:
    shapes = [FUNCTIONS["shape"](x) for x in (a, b)]
    return _all_equal("equal")(a, b) if shapes[0] == shapes[1] else False


_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all",
    "logical_or": "any",
}  # fmt: skip
_ACCUMULATIONS = {"add": "cumsum", "multiply": "cumprod"}


def _reduced(function: np.ufunc, array: Any, axis: Any = 0, *, keepdims: bool = False) -> Any:
    if function.__name__ not in _REDUCTIONS:
        raise UnknownOfNumPy(f"np.{function.__name__}.reduce")
    return FUNCTIONS[_REDUCTIONS[function.__name__]](array, axis, keepdims=keepdims)


def _accumulated(function: np.ufunc, array: Any, axis: Any = 0) -> Any:
    if function.__name__ not in _ACCUMULATIONS:
        raise UnknownOfNumPy(f"np.{function.__name__}.accumulate")
    return FUNCTIONS[_ACCUMULATIONS[function.__name__]](array, axis)


def _outer(function: np.ufunc, a: Any, b: Any) -> Any:
    if function.__name__ not in FUNCTIONS:
        raise UnknownOfNumPy(f"np.{function.__name__}.outer")
    rows = FUNCTIONS["reshape"](a, (-1, 1))
    return FUNCTIONS[function.__name__](rows, FUNCTIONS["ravel"](b))


OF_UFUNCS: dict[str, Callable[..., Any]] = {
    "reduce": _reduced,
    "accumulate": _accumulated,
    "outer": _outer,
}
"""The methods of NumPy's ufuncs; the ufunc is the first argument."""


def meanings() -> list[tuple[Any, Meaning]]:
    """The functions of NumPy that are known, and what they mean."""
    known = FUNCTIONS | {new: FUNCTIONS[old] for new, old in _OTHER_NAMES.items()}
    known |= {"allclose": _all_equal("isclose"), "array_equal": _array_equal}
    return [
        (function, Meaning(name, meaning))
        for name, meaning in known.items()
        if (function := _of_numpy(name)) is not None
    ]


def _of_numpy(name: str) -> Any:
    """NumPy's function of a name; None where this NumPy has none."""
    try:
        return operator.attrgetter(name)(np)
    except AttributeError:
        return None
