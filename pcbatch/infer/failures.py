"""What to say when the user's own code raises inside a primitive."""

from __future__ import annotations

import dataclasses
import linecache
import sysconfig
import traceback
import types
from collections.abc import Sequence
from pathlib import Path

import tensorflow as tf

from pcbatch.errors import Diagnostic, Span
from pcbatch.infer.domain import Static, Value
from pcbatch.operators import DoesNotFit, fits

_NOT_THE_USERS = (
    *{sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")},
    str(Path(__file__).parent.parent),
    "<frozen ",
)
_UNKNOWN_LENGTH = (
    "object cannot be interpreted as an integer",
    "iterating over a tensor needs a static leading dimension",
)
_NUMBERS_ONLY = (
    "must be real number, not SymbolicTensor",
    "not 'SymbolicTensor'",
    "Cannot convert a symbolic tf.Tensor",
)
MAX_CALLS = 6


@dataclasses.dataclass(frozen=True)
class _InUserCode(Diagnostic):
    """A mistake inside the user's own functions; `calls` is the way from the expression there."""

    calls: tuple[str, ...]

    def trace(self) -> tuple[str, ...]:
        return ("your code, most recent call last:", *self.calls) if self.calls else ()


@dataclasses.dataclass(frozen=True)
class PrimitiveFailed(_InUserCode):
    title = "this expression fails for one member: {error}"
    reason = "Python raised {kind} when the expression was tried with {inputs}."
    remedy = "make it work for ONE example; `f.single(...)` runs the function as plain Python."
    error: str
    kind: str
    inputs: str


@dataclasses.dataclass(frozen=True)
class _InPlainFunction(_InUserCode):
    """A mistake in calling a function `name` that is not autobatched."""

    name: str
    inputs: str


@dataclasses.dataclass(frozen=True)
class PlainCondition(_InPlainFunction):
    title = "`{name}` decides with Python on a tensor"
    reason = (
        "`{name}` is not autobatched, so a call of it is one primitive for all members, tried with "
        "{inputs}; its members cannot go different ways."
    )
    remedy = (
        "decorate it:\n@pcbatch.autobatch\ndef {name}(...):\n"
        "or choose without a branch: tf.where(condition, a, b), tf.minimum, tf.reduce_any"
    )


@dataclasses.dataclass(frozen=True)
class PlainRecursion(_InPlainFunction):
    title = "`{name}` calls itself, but is not autobatched"
    reason = (
        "a function that is not autobatched is one primitive, traced once for all members with "
        "{inputs}; how deep it recurses cannot depend on the member."
    )
    remedy = "decorate it:\n@pcbatch.autobatch\ndef {name}(...):"


@dataclasses.dataclass(frozen=True)
class ConditionInPrimitive(_InUserCode):
    title = "this expression decides with Python on a tensor"
    reason = (
        "a comprehension, a lambda or a plain function runs as one primitive for all members, "
        "tried with {inputs}; its members cannot go different ways."
    )
    remedy = (
        "write the condition in a statement:\nfor y in ys:\n    if y > 0:\n        total += y\n"
        "or choose without a branch: tf.where(condition, a, b), tf.reduce_any"
    )
    inputs: str


@dataclasses.dataclass(frozen=True)
class UnknownLength(_InUserCode):
    title = "a length or a number of rounds depends on data"
    reason = "inside an expression Python must know it when the function is traced, with {inputs}."
    remedy = (
        "write the loop as a statement, whose rounds may differ between members:\n"
        "total = 0\nfor k in range(n):\n    total += k * k"
    )
    inputs: str


@dataclasses.dataclass(frozen=True)
class PlainIteration(_InPlainFunction):
    title = "`{name}` takes a tensor apart with Python"
    reason = (
        "`{name}` is not autobatched, so a call of it is one primitive for all members, tried with "
        "{inputs}; there Python cannot iterate over a tensor or unpack it."
    )
    remedy = (
        "take its rows first, where their number is static:\nfor row in tf.unstack(x):\n"
        "or decorate it:\n@pcbatch.autobatch\ndef {name}(...):"
    )


@dataclasses.dataclass(frozen=True)
class NeedsNumbers(_InUserCode):
    title = "a function of Python or NumPy is given a tensor"
    reason = "it takes numbers, but {inputs} stands for the values of all members."
    remedy = (
        "use TensorFlow's function: tf.exp(x) instead of math.exp(x) or np.exp(x);\n"
        "to run Python for each member: pcbatch.host_call(function, x, result=tf.TensorSpec(...))"
    )
    inputs: str


@dataclasses.dataclass(frozen=True)
class NumberTooLarge(_InUserCode):
    title = "{error}"
    reason = (
        "a Python integer takes the dtype of the tensor that it meets, here or on another path to "
        "this place."
    )
    remedy = (
        "use a wider dtype for the tensor, e.g. tf.cast(n, tf.{wider});\n"
        "where it is meant to wrap around, write the number that it becomes: {wrapped}"
    )
    error: str
    wider: str
    wrapped: int


def number_too_large(span: Span, error: DoesNotFit, calls: tuple[str, ...] = ()) -> Diagnostic:
    """Say that a dtype does not hold a Python integer."""
    dtype = error.dtype
    wrapped = (error.number - dtype.min) % 2 ** (8 * dtype.size) + dtype.min
    wider = next(t for t in (tf.int64, tf.uint64, tf.float64) if fits(error.number, t))
    return NumberTooLarge(span, calls, str(error), wider.name, wrapped)


def explain(
    span: Span, error: Exception, names: Sequence[str], args: tuple[Value, ...]
) -> Diagnostic:
    """Say what went wrong in the user's code, and with which inputs.

    Args:
      span: the expression.
      error: what it raised.
      names: what its operands are called.
      args: their abstract values.
    """
    frames = _users_frames(error)
    inputs = _inputs(names, args)
    calls = _calls(frames) if len(frames) > 1 else ()
    inner = frames[-1][0] if frames else None
    text = str(error).strip().split("\n")[0] or type(error).__name__
    if isinstance(error, DoesNotFit):
        return number_too_large(span, error, calls)
    undecided = isinstance(error, tf.errors.OperatorNotAllowedInGraphError)
    if any(sign in text for sign in _UNKNOWN_LENGTH):
        return UnknownLength(span, calls, inputs)
    if any(sign in text for sign in _NUMBERS_ONLY):
        return NeedsNumbers(span, calls, inputs)
    if inner is not None and "Iterating over a symbolic" in text:
        return PlainIteration(span, calls, inner.co_name, inputs)
    if inner is not None and len(frames) > 1 and inner.co_name.isidentifier():
        name = inner.co_name
        by_itself = name in inner.co_names or name in inner.co_freevars
        if isinstance(error, RecursionError) or (undecided and by_itself):
            return PlainRecursion(span, calls, name, inputs)
        if undecided:
            return PlainCondition(span, calls, name, inputs)
    if undecided:
        return ConditionInPrimitive(span, calls, inputs)
    return PrimitiveFailed(span, calls, text, type(error).__name__, inputs)


def _inputs(names: Sequence[str], args: tuple[Value, ...]) -> str:
    """The operands that hold tensors, with their types for one member."""
    named = zip(names, args, strict=True) if names else (("", arg) for arg in args)
    shown = [
        str(arg) if name.startswith("%") or not name else f"{name}: {arg}"
        for name, arg in named
        if not all(isinstance(leaf, Static) for leaf in arg.leaves)
    ]
    return ", ".join(shown) or "no tensors"


def _users_frames(error: Exception) -> list[tuple[types.CodeType, int]]:
    """The frames of the user's code and the line in each, the expression itself first."""
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    return [(c, line) for c, line in frames if not c.co_filename.startswith(_NOT_THE_USERS)]


def _calls(frames: list[tuple[types.CodeType, int]]) -> tuple[str, ...]:
    """One line per frame with its source; of a long way, the last part."""
    return tuple(
        f"  {code.co_filename}:{line} in {code.co_name}: "
        + linecache.getline(code.co_filename, line).strip()
        for code, line in frames[-MAX_CALLS:]
    )
