"""What `pcbatch.grad` and `pcbatch.checkpoint` make of a function."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Gradient:
    """The derivative of a function's value with regard to some of its arguments.

    Attributes:
      argnums: the positions of the arguments, or the only one.
      has_aux: the function returns a pair: its value, and what is handed on as it is.
      with_value: the value is part of the result.
    """

    argnums: int | tuple[int, ...]
    has_aux: bool
    with_value: bool

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of the arguments."""
        return (self.argnums,) if isinstance(self.argnums, int) else self.argnums

    @property
    def name(self) -> str:
        """What the function that gives it is called."""
        return "value_and_grad" if self.with_value else "grad"

    def result(self, value: Any, aux: Any, slopes: Sequence[Any]) -> Any:
        """What the function that gives it returns.

        Args:
          value: of the function.
          aux: what it gives beside; None where there is none.
          slopes: one for each of the positions.
        """
        found = slopes[0] if isinstance(self.argnums, int) else tuple(slopes)
        if self.with_value:
            return ((value, aux) if self.has_aux else value), found
        return (found, aux) if self.has_aux else found


@dataclasses.dataclass(frozen=True)
class Recomputed:
    """The function itself. A way back has its arguments, and computes the rest again."""

    @property
    def name(self) -> str:
        """What the function is called before its own name."""
        return "checkpoint"


Transformation = Gradient | Recomputed


class OfNested:
    """Transforms a function that is defined inside an autobatched one, for `partial`.

    Attributes:
      transformation: what is made of the function.
    """

    def __init__(self, transformation: Transformation):
        self.transformation = transformation

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = self.transformation.name
        raise TypeError(f"the {name} of a nested function is for calls by the program itself")


class ForwardMode:
    """A function of a function, its arguments and their tangents: `pcbatch.jvp`.

    Args:
      name: how users call it.
      plain: what it does outside of a program.
    """

    def __init__(self, name: str, plain: Callable[..., Any]):
        functools.update_wrapper(self, plain)
        self.__name__ = self.__qualname__ = name
        self._plain = plain
        names = inspect.signature(plain).parameters
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.signature = inspect.Signature([inspect.Parameter(name, kind) for name in names])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._plain(*args, **kwargs)

    def __reduce__(self) -> str:
        return self.__name__  # a global of the module where it is defined


class Transformed:
    """What a transformation has made of a function of the program, as inference meets it.

    Attributes:
      callee: the function, as inference sees it.
      by: what is made of it.
    """

    # No dataclass, of which inference makes a structure.
    def __init__(self, callee: Any, by: Transformation):
        self.callee, self.by = callee, by
