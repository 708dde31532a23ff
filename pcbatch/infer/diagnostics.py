"""What inference can find wrong with a program, one class per kind of mistake."""

from __future__ import annotations

import dataclasses

from pcbatch.errors import Diagnostic


@dataclasses.dataclass(frozen=True)
class MaybeUnbound(Diagnostic):
    title = "`{name}` may be read before it has a value"
    reason = "on some path to this line nothing was assigned to `{name}`."
    remedy = (
        "give `{name}` a value of the same type on every path, e.g. before the `if` or the loop."
    )
    name: str


@dataclasses.dataclass(frozen=True)
class JoinConflict(Diagnostic):
    title = "`{name}` has two types where two paths meet"
    reason = "it is {left} here and {right} {elsewhere}."
    remedy = (
        "give `{name}` one dtype, shape and structure on all paths, e.g. with tf.cast, tf.zeros or "
        "a literal of the right kind (0.0 instead of 0, a number instead of None)."
    )
    name: str
    left: str
    right: str
    elsewhere: str


@dataclasses.dataclass(frozen=True)
class ResultConflict(Diagnostic):
    title = "the function returns two types"
    reason = "it returns {left} here and {right} {elsewhere}."
    remedy = "return one structure with one dtype and shape on every path."
    left: str
    right: str
    elsewhere: str


@dataclasses.dataclass(frozen=True)
class ArgumentConflict(Diagnostic):
    title = "argument `{name}` of `{callee}` changes its type in a recursive call"
    reason = "it is {left} here and {right} in another call."
    remedy = "pass one dtype, shape and structure in every call, e.g. with tf.cast."
    name: str
    callee: str
    left: str
    right: str


@dataclasses.dataclass(frozen=True)
class DynamicShape(Diagnostic):
    title = "the shape of this value depends on data"
    reason = "its shape is {shape}, but every member's value must have one known shape."
    remedy = "use fixed sizes and masks (e.g. tf.where with three arguments) instead."
    shape: str


@dataclasses.dataclass(frozen=True)
class UnsupportedTensor(Diagnostic):
    title = "a {what} cannot be a member's value"
    reason = "members hold dense tensors of numbers and booleans only."
    remedy = "convert it to a dense numeric tensor first."
    what: str


@dataclasses.dataclass(frozen=True)
class ConditionNotScalar(Diagnostic):
    title = "a condition must be a scalar"
    reason = "this one is {value}: its truth is ambiguous."
    remedy = "reduce it with tf.reduce_any(...) or tf.reduce_all(...)."
    value: str


@dataclasses.dataclass(frozen=True)
class CallMismatch(Diagnostic):
    title = "the arguments do not fit `{callee}`"
    reason = "{error}."
    remedy = "the signature is {callee}{signature}."
    callee: str
    error: str
    signature: str


@dataclasses.dataclass(frozen=True)
class NotCallable(Diagnostic):
    title = "`{name}` cannot be called"
    reason = "it is {value}, not a function known when the program is traced."
    remedy = "pass functions as arguments named in static_argnames, or capture them."
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class NotStatic(Diagnostic):
    title = "argument `{name}` of `{callee}` must be static"
    reason = "it is named in static_argnames, but here it is {value}."
    remedy = (
        "pass a Python value that does not depend on the data, or drop it from static_argnames."
    )
    name: str
    callee: str
    value: str


@dataclasses.dataclass(frozen=True)
class NeverReturns(Diagnostic):
    title = "`{name}` never returns"
    reason = "every path through it calls itself again, loops forever or raises."
    remedy = "add a base case that returns without a recursive call."
    name: str


@dataclasses.dataclass(frozen=True)
class TooManyInstances(Diagnostic):
    title = "`{name}` needs more than {limit} specializations"
    reason = "each call passes other static values or other types, and it never ends."
    remedy = (
        "pass the changing argument as a tensor, e.g. tf.constant(...), or drop it from "
        "static_argnames."
    )
    name: str
    limit: int


@dataclasses.dataclass(frozen=True)
class UnrollTooLong(Diagnostic):
    title = "this loop over a static container is unrolled more than {limit} times"
    reason = "every turn of a loop over a Python container becomes code of its own."
    remedy = "loop over `range(...)` or over a tensor's leading axis instead."
    limit: int


@dataclasses.dataclass(frozen=True)
class StoreTarget(Diagnostic):
    title = "`{name}[...] = ...` needs a buffer"
    reason = "`{name}` is {value}; tensors cannot be changed in place."
    remedy = "make it with `{name} = pcbatch.buffer(n, like=x)`."
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class StoreIntoDict(Diagnostic):
    title = "an element of the dict `{name}` is assigned"
    reason = "two names may mean one dict, and only buffers are shared between program points."
    remedy = 'make a new one: {name} = {{**{name}, "q": x}}'
    name: str


@dataclasses.dataclass(frozen=True)
class StoreIntoList(Diagnostic):
    title = "an element of the list `{name}` is assigned"
    reason = "two names may mean one list, and only buffers are shared between program points."
    remedy = (
        "make a new one: {name} = [*{name}[:i], x, *{name}[i + 1 :]]\n"
        "or a buffer, whose elements can be assigned: {name} = pcbatch.buffer(n, like=x)"
    )
    name: str


@dataclasses.dataclass(frozen=True)
class StoreElement(Diagnostic):
    title = "this value does not fit the elements of buffer `{name}`"
    reason = "the value is {value}, an element is {element}."
    remedy = "store a value with the dtype and shape given as `like=` when the buffer was made."
    name: str
    value: str
    element: str


@dataclasses.dataclass(frozen=True)
class StoreIndex(Diagnostic):
    title = "the index of a buffer must be an integer scalar"
    reason = "it is {value}."
    remedy = "write one element at a time: `{name}[i] = x`."
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class BufferInLoop(Diagnostic):
    title = "a buffer is made more than once"
    reason = (
        "this line can run again (in a loop, in a recursion, or called twice), but a buffer is "
        "allocated once."
    )
    remedy = "make the buffer before the loop, in a function that is called once, and pass it on."


@dataclasses.dataclass(frozen=True)
class NotATensor(Diagnostic):
    title = "the function returns a Python object that is no tensor"
    reason = "{path} of its result is {value}."
    remedy = "return tensors, numbers, None, or structures of them."
    path: str
    value: str


@dataclasses.dataclass(frozen=True)
class HostCallMismatch(Diagnostic):
    """A call of a host function with arguments that do not fit."""

    title = "host call with arguments that do not fit"
    reason = "{text}"
    remedy = (
        "give the function itself (a def at module level, or one that captures nothing), what it "
        "needs as arguments, and a static result:\n"
        "pcbatch.host_call(simulate, x, result=tf.TensorSpec([], tf.float32))"
    )

    text: str


@dataclasses.dataclass(frozen=True)
class CallInsidePrimitive(Diagnostic):
    title = "`{name}` is autobatched and cannot be called from inside another function's code"
    reason = (
        "a lambda, a comprehension or a function that is not autobatched runs as one straight-line "
        "primitive, which has no calls of its own to batch."
    )
    remedy = (
        "call `{name}` in a statement or a loop of the autobatched function, or decorate the "
        "function in between with @pcbatch.autobatch."
    )
    name: str


@dataclasses.dataclass(frozen=True)
class ChangesInPlace(Diagnostic):
    title = "{what} is changed in place"
    reason = (
        "an expression runs once for all members, when the function is traced, so a change of a "
        "{kind} would be lost."
    )
    remedy = (
        "make a new one and assign it:\n"
        "items = [*items, x]  # instead of items.append(x)\n"
        'table = {{**table, "q": x}}  # instead of table.update(q=x)\n'
        "values that grow with the data go into a `pcbatch.buffer`"
    )
    what: str
    kind: str


@dataclasses.dataclass(frozen=True)
class HiddenTensors(Diagnostic):
    title = "a {what} hides tensors"
    reason = (
        "tensors are followed through tuples, lists, dicts, NamedTuples, dataclasses, attrs "
        "classes and nested functions, but not into other objects."
    )
    remedy = (
        "make the class a NamedTuple or a dataclass, or use the object within one expression:\n"
        "lp = tfd.Normal(loc, scale).log_prob(x)"
    )
    what: str


@dataclasses.dataclass(frozen=True)
class IteratorKept(Diagnostic):
    title = "a `{kind}` object is kept in a variable"
    reason = "taking an element changes it in place, once for all members."
    remedy = (
        "use it where it is made, e.g. at the head of a loop, or make a list of it:\n"
        "pairs = list(zip(xs, ys))\n"
        "first = pairs[0]  # instead of next(pairs)"
    )
    kind: str
