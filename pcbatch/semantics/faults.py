"""What Python raises for the values of one member, which no type shows.

An operation on tensors cannot raise for some members only. So what would raise in Python says so
with `require`: it notes a condition, and the message of the exception. Whoever traces the operation
(`collecting`) makes these conditions results of the primitive, each followed by an `ir.Check`. A
member for which one does not hold stops with the message as its status; the operation itself gives
such a member anything, but must not fail for it.

Where nothing collects, in plain Python on eager tensors, TensorFlow decides.
"""

from __future__ import annotations

import builtins
import contextvars
import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Literal, NoReturn

import numpy as np
import tensorflow as tf

from pcbatch.semantics.scoped import Scoped

Checks = bool | Literal["overflow"]
"""Which exceptions stop a member: none (False), Python's (True), those of integers that do not fit
as well ("overflow")."""

CHECKS: contextvars.ContextVar[Checks] = contextvars.ContextVar("checks", default=True)
"""What the program that is being traced is to check."""


def checking(checks: Checks) -> Scoped[Checks]:
    """Say, for a program that is made inside, which exceptions stop a member."""
    return Scoped(CHECKS, checks)


@dataclasses.dataclass(eq=False)
class Collected:
    """The conditions of one primitive, in the order in which Python would come to them.

    Attributes:
      checks: what is noted.
      graph: the one in which the primitive is traced; None where it runs eagerly. What a function
        that TensorFlow calls does in a graph of its own is TensorFlow's.
      trial: nothing runs: what is known not to hold raises.
      conditions: bool scalars of one member, by message; those of one message are joined.
    """

    checks: Checks
    graph: tf.Graph | None
    trial: bool
    conditions: dict[str, tf.Tensor] = dataclasses.field(default_factory=dict)

    def is_here(self) -> bool:
        """Whether what is computed now is a part of the primitive."""
        here = None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()
        return here is self.graph

    def add(self, holds: tf.Tensor, message: str) -> None:
        known = self.conditions.get(message)
        self.conditions[message] = holds if known is None else tf.logical_and(known, holds)


_COLLECTED: contextvars.ContextVar[Collected | None] = contextvars.ContextVar(
    "collected", default=None
)


def collecting(checks: Checks | None = None, trial: bool = False) -> Scoped[Collected]:
    """Collect, inside, what operations require.

    Args:
      checks: what to note; None: what `CHECKS` says.
      trial: raise where a condition is known not to hold.
    """
    graph = None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()
    collected = Collected(CHECKS.get() if checks is None else checks, graph, trial)
    return Scoped(_COLLECTED, collected)


def unchecked() -> Scoped[None]:
    """Note nothing inside: it is known that nothing there can raise, or has been noted already."""
    return Scoped(_COLLECTED, None)


def wanted(overflow: bool = False) -> bool:
    """Whether what Python raises is to be noted here; `overflow`: whether what wraps around is."""
    collected = _COLLECTED.get()
    if collected is None or not collected.is_here():
        return False
    return collected.checks == "overflow" if overflow else collected.checks is not False


class Protected(BaseException):
    """A member would raise inside a `try` of plain Python, which cannot catch it.

    No `Exception`, as the `try` would catch that itself.
    """


_PROTECTED: contextvars.ContextVar[bool] = contextvars.ContextVar("protected", default=False)


def protected() -> Scoped[bool]:
    """Have what a member raises inside raise `Protected` when a primitive is tried."""
    return Scoped(_PROTECTED, True)


def require(holds: Any, message: str) -> None:
    """Stop the members for which a condition does not hold, as Python raises an exception.

    Args:
      holds: a bool, or a bool tensor of one member; of several elements all have to hold. Build
        it from what the operation is given; make the operation itself safe for any value.
      message: the status, "ValueError: ...".

    Raises:
      Exception: nothing runs yet, and the condition is known not to hold; it is of the class that
        the message names.
      Protected: nothing runs yet, and plain Python protects what is computed.
    """
    collected = _COLLECTED.get()
    if collected is None or not wanted():
        return
    known = holds if not isinstance(holds, tf.Tensor) else None
    if collected.trial and known is None:
        known = tf.get_static_value(holds)
    if known is not None and not np.all(known) and collected.trial:
        stop(message)
    if collected.trial and known is None and _PROTECTED.get():
        raise Protected(message)
    if known is None or not np.all(known):
        holds = tf.convert_to_tensor(holds)
        collected.add(tf.reduce_all(holds) if holds.shape.rank else holds, message)


def stop(message: str) -> NoReturn:
    """Stop all members that come here, whether or not anything is checked.

    Raises:
      Exception: of the class that the message names.
    """
    raise exception(message)


def under(condition: tf.Tensor, way: Callable[[], Any]) -> Any:
    """What a part of a primitive gives that counts where a condition of the member holds.

    Args:
      condition: bool[].
      way: computes it; what it requires is required of those members alone.
    """
    outer = _COLLECTED.get()
    if outer is None:
        return way()
    with Scoped(_COLLECTED, Collected(outer.checks, outer.graph, trial=False)) as inner:
        found = way()
    for message, holds in inner.conditions.items():
        require(tf.logical_or(tf.logical_not(condition), holds), message)
    return found


def exception(message: str) -> Exception:
    """Return the exception of a status's message: "ValueError: ..." is a `ValueError`."""
    name, _, text = message.partition(": ")
    made = getattr(builtins, name, None)
    if isinstance(made, type) and issubclass(made, Exception):
        return made(text)
    return RuntimeError(message)


@functools.lru_cache(maxsize=None, typed=True)  # 1 and 1.0 are not the same here
def said(function: Callable[..., Any], *arguments: Any) -> str:
    """Return what this Python says where a function of its own raises.

    Args:
      function: of Python's own.
      *arguments: an example of values that it does not take.

    Returns:
      The message of the status, e.g. "ZeroDivisionError: division by zero".
    """
    try:
        function(*arguments)
    except Exception as error:  # whatever it is, it is what Python says
        return f"{type(error).__name__}: {error}"
    raise ValueError(f"{function.__name__} takes {arguments}")
