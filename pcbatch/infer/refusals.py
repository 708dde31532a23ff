"""What to say of expressions that would mean the same for all members, rounds and calls."""

from __future__ import annotations

import dataclasses
import linecache
from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from pcbatch.backend.private.graphs import traceback_of
from pcbatch.errors import Diagnostic, ProgramError, Span
from pcbatch.semantics import misuse
from pcbatch.semantics.user_code import is_users_file
from pcbatch.vectorizer import Touch, all_operations, touch


@dataclasses.dataclass(frozen=True)
class InUserCode(Diagnostic):
    """A mistake inside the user's own functions; `calls` is the way from the expression there."""

    calls: tuple[str, ...]

    def trace(self) -> tuple[str, ...]:
        return ("your code, most recent call last:", *self.calls) if self.calls else ()


@dataclasses.dataclass(frozen=True)
class ChangesVariable(InUserCode):
    title = "a state outside of the program is changed ({operation})"
    reason = (
        "members run side by side, again in every round and in any order, so a `tf.Variable`, a "
        "table or an iterator has no one value that all of them see."
    )
    remedy = (
        "return the new value, and assign it after the call:\n"
        "ys = f(xs)\n"
        "v.assign_add(tf.reduce_sum(ys))\n"
        "what one member changes is a local variable, or a `pcbatch.buffer`"
    )
    operation: str


@dataclasses.dataclass(frozen=True)
class DrawsState(InUserCode):
    title = "random numbers are drawn from a state ({name})"
    reason = (
        "a random state has no order of draws that members could share, and NumPy's and Python's "
        "is drawn from once, when the function is traced: all members, rounds and later calls "
        "would see that number."
    )
    remedy = (
        "give each member a key of its own, as an argument:\n"
        "keys = pcbatch.random.split(pcbatch.random.key(0), batch_size)  # outside\n"
        "x = pcbatch.random.normal(key)  # inside\n"
        "key = pcbatch.random.fold_in(key, round)  # a new key for each round\n"
        "or draw outside, and pass the numbers as an argument"
    )
    name: str


@dataclasses.dataclass(frozen=True)
class ReadsClock(InUserCode):
    title = "{name} when the function is traced"
    reason = "all members, all rounds and all later calls would see that one value."
    remedy = (
        "pass the value as an argument, with in_axes=(0, None):\n"
        "f(xs, tf.constant(time.time(), tf.float64))\n"
        "to measure time, read the clock before and after the call"
    )
    name: str


@dataclasses.dataclass(frozen=True)
class TextOfMember(InUserCode):
    title = "`{name}` is asked of a value of a member"
    reason = (
        "when the function is traced a placeholder stands for the values of all members, and what "
        "Python would see is the text, or the identity, of that."
    )
    remedy = (
        'to print: pcbatch.debug_print("n is {{}}", n)\n'
        "of a number str(x), bin(n), f'{{n:05d}}' and f'{{x:.2f}}' are known, and texts of tuples "
        "and lists, of known lengths, of them;\n"
        "for what depends on another text, run Python while the program runs, on some members at a "
        "time:\n"
        "def length(x):  # x is a NumPy array\n"
        "    return np.array([len(str(k)) for k in x], np.int32)\n"
        "count = pcbatch.host_call(length, x, result=tf.TensorSpec([], tf.int32))"
    )
    name: str


@dataclasses.dataclass(frozen=True)
class UnknownOfNumPy(InUserCode):
    title = "`{name}` of a member's array is not known"
    reason = (
        "NumPy's functions are known one by one, and of this one there is no version that works "
        "on the values of all members at once."
    )
    remedy = (
        "use a function of TensorFlow, or functions of NumPy that are known;\n"
        "to run NumPy while the program runs, on some members at a time:\n"
        "def on_members(x):  # x[k] is one member's array\n"
        "    return np.stack([... for row in x])\n"
        "y = pcbatch.host_call(on_members, x, result=tf.TensorSpec(shape, dtype))"
    )
    name: str


@dataclasses.dataclass(frozen=True)
class Unsupported(InUserCode):
    title = "{said}"
    reason = "{why}"
    remedy = "{instead}"
    said: str
    why: str
    instead: str


@dataclasses.dataclass(frozen=True)
class ShapeOfMember(InUserCode):
    title = "{what} depends on the member"
    reason = (
        "the member may say how long np.zeros(n), np.arange(n), np.eye(n) and the like are; "
        "elsewhere a shape is the same for all members."
    )
    remedy = (
        "make the array with the shape: m = np.zeros((n, 3)), and put the elements into it\n"
        "or make the largest one, and choose what counts: v = np.where(np.arange(8) < n, v, 0)"
    )
    what: str


@dataclasses.dataclass(frozen=True)
class RepeatedByMember(InUserCode):
    title = "a {kind} is repeated as often as a member's value says"
    reason = "its length must be known when the function is traced, the same for all members."
    remedy = (
        "repeat a list or a tuple, which may have another length for each member:\nitems = [x] * n"
    )
    kind: str


@dataclasses.dataclass(frozen=True)
class ValueOfMember(InUserCode):
    title = "which value of a dict is meant depends on the member, and they are not alike"
    reason = (
        "one number, or one array, stands for what it is for all members; the values are of these "
        "kinds: {kinds}."
    )
    remedy = (
        "make the values numbers, or tuples of as many numbers; or choose with branches:\n"
        "if key == 0:\n    y = first(x)\nelse:\n    y = second(x)"
    )
    kinds: str


@dataclasses.dataclass(frozen=True)
class HeldInList(InUserCode):
    title = "a {kind} in a list, or in a dict, is changed"
    reason = "such a list can hold numbers, tuples of numbers, and lists, and so can such a dict."
    remedy = (
        "keep lists there, which do the same:\n"
        "rows = [[] for _ in range(n)]  # or {{name: [] for name in names}}\n"
        "first = rows[i].pop(0)  # instead of rows[i].popleft()"
    )
    kind: str


@dataclasses.dataclass(frozen=True)
class OrderOfSetAsked(InUserCode):
    title = "the order of the elements of a set is asked for"
    reason = (
        "which of them comes first hangs on their hashes: those of texts are others each time that "
        "Python starts."
    )
    remedy = (
        "say in which order:\nfor x in sorted(seen):\n"
        "or keep a list beside the set, to which each new element is appended"
    )


@dataclasses.dataclass(frozen=True)
class ReadAddsKey(InUserCode):
    title = "reading an element of a `defaultdict` adds the key"
    reason = "an expression runs once for all members, so it cannot add a key for one of them."
    remedy = (
        "read it with a default, which adds nothing: counts.get(key, {zero})\n"
        "`counts[key] += x` may stay as it is; the values must be numbers, lists, sets,\n"
        "dicts or queues without a `maxlen`"
    )
    zero: str


@dataclasses.dataclass(frozen=True)
class GetWithoutDefault(InUserCode):
    title = "`get` of a member's key gives a list, or another object, or None"
    reason = (
        "numbers, arrays, texts and tuples of them may be found by a key of the member, or be None."
    )
    remedy = (
        "give it a default of the kind of the values, or ask first:\n"
        "y = table.get(key, -1)\n"
        "if key in table:\n    y = table[key]"
    )


def of_misuse(span: Span, error: misuse.Misuse, calls: tuple[str, ...]) -> Diagnostic:
    """Say what a `Misuse` is."""
    text = str(error)
    match error:
        case misuse.HostClock():
            name = f"`{text}` is read" if text else "a clock or the system's entropy is read"
            return ReadsClock(span, calls, name)
        case misuse.TextOfMember():
            return TextOfMember(span, calls, text)
        case misuse.OrderOfSet():
            return OrderOfSetAsked(span, calls)
        case misuse.ReadAdds():
            return ReadAddsKey(span, calls, text)
        case misuse.ValueOfDict():
            return (
                GetWithoutDefault(span, calls)
                if text == "get"
                else ValueOfMember(span, calls, text)
            )
        case misuse.RepeatedByMember():
            return RepeatedByMember(span, calls, text)
        case misuse.Unsupported():
            return Unsupported(span, calls, error.said, error.why, error.remedy)
        case misuse.ShapeOfMember():
            return ShapeOfMember(span, calls, text)
        case misuse.UnknownOfNumPy():
            return UnknownOfNumPy(span, calls, text)
    return DrawsState(span, calls, text)


def check_states(operations: Iterable[tf.Operation], span: Span) -> None:
    """Refuse a primitive that has made operations with a state.

    Raises:
      ProgramError: one of them changes a variable, draws from a random state or reads a clock.
    """
    for op in all_operations(operations):
        touched = touch(op)
        if touched is not None:
            raise ProgramError(_of_touch(touched, op, span))


def _of_touch(touched: Touch, op: tf.Operation, span: Span) -> Diagnostic:
    calls = _way(op, span)
    match touched:
        case Touch.CHANGES:
            return ChangesVariable(span, calls, op.type)
        case Touch.DRAWS:
            return DrawsState(span, calls, f"TensorFlow's {op.type}")
        case Touch.READS_CLOCK:
            return ReadsClock(span, calls, f"`tf.{op.type.lower()}` is read")


def _way(op: tf.Operation, span: Span) -> tuple[str, ...]:
    """The user's line that made an operation, where the span is not that line."""
    frames: list[Any] = [f for f in traceback_of(op) if is_users_file(f[0])]
    if not frames:
        return ()
    file, line, name, *_ = frames[-1]
    if file == span.file and span.line <= line <= span.end_line:
        return ()
    return (f"  {file}:{line} in {name}: {linecache.getline(file, line).strip()}",)
