"""What to say when the user's own code raises inside a primitive."""

from __future__ import annotations

import dataclasses
import linecache
import re
import traceback
import types
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch.errors import Diagnostic, Span
from pcbatch.infer.domain import Static, Value
from pcbatch.infer.maybe_none import holds_maybe
from pcbatch.infer.refusals import InUserCode, of_misuse
from pcbatch.semantics import chosen_texts, rounds, vocabulary
from pcbatch.semantics.builtin_functions import builtin
from pcbatch.semantics.faults import Protected, stop
from pcbatch.semantics.misuse import Misuse, TextOfMember, call
from pcbatch.semantics.named_texts import want_spelled
from pcbatch.semantics.none_or_value import MaybeNone, used
from pcbatch.semantics.operators import DoesNotFit, fits
from pcbatch.semantics.user_code import is_own_file, is_users_file, users_frames

_UNKNOWN_LENGTH = (
    "object cannot be interpreted as an integer",
    "a tensor needs a static leading dimension",
)
_NUMBERS_ONLY = (
    "must be real number, not SymbolicTensor",
    "not 'SymbolicTensor'",
    "Cannot convert a symbolic tf.Tensor",
    "'SymbolicTensor' object does not support item assignment",
    "indices must be integers or slices, not SymbolicTensor",
)
_TO_JAX = ("as an abstract array", "'tensorflow.")
_OTHER_DTYPE = ("that does not match type", "Tensor conversion requested dtype")
MAX_CALLS = 6


_OF_NODE = " for '{{node "
"""Here TensorFlow begins to speak of the operation that it makes of a call."""


@dataclasses.dataclass(frozen=True)
class PrimitiveFailed(InUserCode):
    title = "this expression fails for one member: {error}"
    reason = "Python raised {kind} when the expression was tried with {inputs}."
    remedy = "make it work for ONE example; `f.single(...)` runs the function as plain Python."
    error: str
    kind: str
    inputs: str


@dataclasses.dataclass(frozen=True)
class DtypesDiffer(PrimitiveFailed):
    """A function of TensorFlow is given two dtypes; in the program Python numbers have none."""


@dataclasses.dataclass(frozen=True)
class _InPlainFunction(InUserCode):
    """A mistake in calling a function `name` that is not autobatched."""

    name: str
    inputs: str


_INSIDE = (
    "`{name}` runs inside one primitive for all members, tried with {inputs}, since a "
    "function of a library calls it; "
)
_CALLED = "make it a function or a method, and call it in the program:\ny = {name}(x)"


@dataclasses.dataclass(frozen=True)
class PlainCondition(_InPlainFunction):
    title = "`{name}` decides with Python on a tensor"
    reason = _INSIDE + "there the members cannot go different ways."
    remedy = (
        _CALLED
        + "\nor choose without a branch: tf.where(condition, a, b), tf.minimum, tf.reduce_any"
    )


@dataclasses.dataclass(frozen=True)
class PlainRecursion(_InPlainFunction):
    title = "`{name}` calls itself inside an expression"
    reason = _INSIDE + "there its depth cannot depend on the member."
    remedy = _CALLED


@dataclasses.dataclass(frozen=True)
class PlainHandler(_InPlainFunction):
    title = "`{name}` protects what a member may raise ({fault})"
    reason = _INSIDE + "there Python cannot catch what only some of them raise."
    remedy = _CALLED + "\nor ask first, as in `a / b if b else 0.0`"
    fault: str


@dataclasses.dataclass(frozen=True)
class ConditionInPrimitive(InUserCode):
    title = "this expression decides with Python on a tensor"
    reason = (
        "an expression that calls nothing of the program, as a lambda that is handed over, runs as "
        "one primitive for all members, tried with {inputs}; its members cannot go different ways."
    )
    remedy = (
        "write the condition in a statement:\nfor y in ys:\n    if y > 0:\n        total += y\n"
        "or choose without a branch: tf.where(condition, a, b), tf.reduce_any"
    )
    inputs: str


@dataclasses.dataclass(frozen=True)
class UnknownLength(InUserCode):
    title = "a length or a number of rounds depends on data"
    reason = "inside an expression Python must know it when the function is traced, with {inputs}."
    remedy = (
        "write the loop as a statement, whose rounds may differ between members:\n"
        "total = 0\nfor k in range(n):  # or: for x in xs:\n    total += k * k"
    )
    inputs: str


@dataclasses.dataclass(frozen=True)
class PlainIteration(_InPlainFunction):
    title = "`{name}` takes a tensor apart with Python"
    reason = _INSIDE + "there Python cannot iterate over a tensor or unpack it."
    remedy = (
        "take its rows first, where their number is static:\nfor row in tf.unstack(x):\nor "
        + _CALLED
    )


@dataclasses.dataclass(frozen=True)
class NeedsNumbers(InUserCode):
    title = "{function} is given a tensor"
    reason = "it takes numbers, but {inputs} stands for the values of all members."
    remedy = (
        "use a function of `math`, all of which are known, or TensorFlow's: tf.asinh(x);\n"
        "to run Python for each member: pcbatch.host_call(function, x, result=tf.TensorSpec(...))"
    )
    function: str
    inputs: str


@dataclasses.dataclass(frozen=True)
class FunctionInJax(InUserCode):
    title = "{function} is written in JAX, and is given a tensor of TensorFlow's"
    reason = "the program is TensorFlow's, where {inputs} stands for the values of all members."
    remedy = (
        "call it through TensorFlow:\n"
        "energy = pcbatch.from_jax(energy)  # once, where it is defined\n"
        "or use TensorFlow's own function, which for `jnp.sin` is `tf.sin`"
    )
    function: str
    inputs: str


@dataclasses.dataclass(frozen=True)
class KeyOfMember(InUserCode):
    title = "plain Python looks for a member's number in a set or a dict"
    reason = (
        "it finds a key by its hash, which is one number, but {inputs} stands for the numbers of "
        "all members."
    )
    remedy = (
        "look it up in a function or a method of yours, which the program calls, and not in "
        "what a library calls:\n"
        "def fee(state):\n    return FEES[state]"
    )
    inputs: str


@dataclasses.dataclass(frozen=True)
class NumberTooLarge(InUserCode):
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


_FAULTS = (IndexError, KeyError, ArithmeticError, StopIteration)
"""What Python raises for values that it cannot take, whatever their types."""
_CALLERS = (call.__code__, builtin.__code__, vocabulary.call.__code__)
"""What calls the functions that the user's expressions call."""
_OUT_OF_RANGE = re.compile(r"slice index -?\d+ of dimension \d+ out of bounds")
"""What TensorFlow says of a constant index, with a ValueError."""


def exception_of(error: BaseException | None, args: tuple[Value, ...]) -> str | None:
    """What Python says of an error that is one of values, not of the program: a member's fault.

    Args:
      error: what a primitive raised when it was tried.
      args: its abstract operands.

    Returns:
      The message of the status; None where the program is to be refused. Where operands are
      tensors, what a library raises is about shapes and types.
    """
    if error is None or isinstance(error, DoesNotFit):
        return None
    if any(holds_maybe(arg.tree) for arg in args):  # of None Python says something else
        return None
    found = _OUT_OF_RANGE.search(str(error)) if isinstance(error, ValueError) else None
    if found:
        return f"IndexError: {found[0]}"
    known = all(isinstance(leaf, Static) for arg in args for leaf in arg.leaves)
    if not isinstance(error, (*_FAULTS, ValueError)) or not (known or _is_pythons(error)):
        return None
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _is_pythons(error: BaseException) -> bool:
    """Whether the user's code raised an error, or what Python does for an operation in it."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    code = frame.f_code
    if is_own_file(code.co_filename):
        return isinstance(error, _FAULTS) or code in (*_CALLERS, stop.__code__)
    return is_users_file(code.co_filename)


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
    frames = users_frames(error)
    inputs = _inputs(names, args)
    inner = frames[-1][0] if frames else None
    is_called = inner is not None and inner.co_name not in (span.function.rpartition(".")[2], "")
    is_called = is_called or len(frames) > 1
    calls = as_calls(frames) if is_called else ()
    said = str(error).strip().split("\n")[0].partition(_OF_NODE)[0]
    text = said or type(error).__name__
    if isinstance(error, DoesNotFit):
        return number_too_large(span, error, calls)
    if isinstance(error, Misuse):
        return of_misuse(span, error, calls)
    if MaybeNone.__name__ in text:
        return of_misuse(span, used(), calls)
    if chosen_texts.ChosenText.__name__ in text:
        want_spelled()
        return of_misuse(span, chosen_texts.used(), calls)
    if "expected str instance, Text found" in text:
        return of_misuse(span, TextOfMember("str.join"), calls)
    undecided = isinstance(error, tf.errors.OperatorNotAllowedInGraphError)
    if "Tensor is unhashable" in text:
        return KeyOfMember(span, calls, inputs)
    if isinstance(error, rounds.UnknownLength) or any(sign in text for sign in _UNKNOWN_LENGTH):
        return UnknownLength(span, calls, inputs)
    if isinstance(error, TypeError) and all(sign in text for sign in _TO_JAX):
        return FunctionInJax(span, calls, _called(error), inputs)
    if any(sign in text for sign in _NUMBERS_ONLY):
        return NeedsNumbers(span, calls, _called(error), inputs)
    if inner is not None and "Iterating over a symbolic" in text:
        return PlainIteration(span, calls, inner.co_name, inputs)
    if inner is not None and is_called and inner.co_name.isidentifier():
        name = inner.co_name
        by_itself = name in inner.co_names or name in inner.co_freevars
        if isinstance(error, RecursionError) or (undecided and by_itself):
            return PlainRecursion(span, calls, name, inputs)
        if undecided:
            return PlainCondition(span, calls, name, inputs)
    if undecided:
        return ConditionInPrimitive(span, calls, inputs)
    kind = DtypesDiffer if any(sign in text for sign in _OTHER_DTYPE) else PrimitiveFailed
    return kind(span, calls, text, type(error).__name__, inputs)


def protected(
    span: Span, error: Protected, names: Sequence[str], args: tuple[Value, ...]
) -> Diagnostic:
    """Say that a plain function would have to catch what a member raises; as `explain`."""
    frames = users_frames(error)
    inner = frames[-1][0].co_name
    return PlainHandler(span, as_calls(frames), inner, _inputs(names, args), str(error))


def _called(error: Exception) -> str:
    """What the function that an expression called last is called."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    called: list[Any] = [f.f_locals.get("function") for f in frames if f.f_code in _CALLERS]
    name = getattr(called[-1], "__name__", "") if called else ""
    if not name:
        return "a function of Python or NumPy"
    module = getattr(called[-1], "__module__", None) or "builtins"
    return f"`{name}`" if module == "builtins" else f"`{module}.{name}`"


def _inputs(names: Sequence[str], args: tuple[Value, ...]) -> str:
    """The operands that hold tensors, with their types for one member."""
    named = zip(names, args, strict=True) if names else (("", arg) for arg in args)
    shown = [
        str(arg) if name.startswith("%") or not name else f"{name}: {arg}"
        for name, arg in named
        if not all(isinstance(leaf, Static) for leaf in arg.leaves)
    ]
    return ", ".join(shown) or "no tensors"


def as_calls(frames: list[tuple[types.CodeType, int]]) -> tuple[str, ...]:
    """One line per frame with its source; of a long way, the last part."""
    return tuple(
        f"  {code.co_filename}:{line} in {code.co_name}: "
        + linecache.getline(code.co_filename, line).strip()
        for code, line in frames[-MAX_CALLS:]
    )
