"""Calls, loops and functions."""

from __future__ import annotations

import dataclasses

from pcbatch.errors import Diagnostic


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
class RaisedNoException(Diagnostic):
    title = "`raise {name}`, but `{name}` is {value}"
    reason = (
        "the class of an exception must be the same for all members that come here: it decides "
        "which `except` they go on in."
    )
    remedy = 'name a class of exceptions: raise ValueError("...")'
    name: str
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
class KeptFunctionSees(Diagnostic):
    title = "`{variable}` changes after a function in `{holder}` may have captured it"
    reason = (
        "in Python a nested function sees the new value if it was made by this call of the "
        "function around it, and the function may be of another call, or inside a plain function."
    )
    remedy = (
        "say which value is meant; for the one at the definition, make it a default:\n"
        "lambda y, {variable}={variable}: y * {variable}"
    )
    variable: str
    holder: str


@dataclasses.dataclass(frozen=True)
class AttributesKept(Diagnostic):
    title = "the attributes of an object are kept as a dict"
    reason = (
        "in Python `vars(state)` and `state.__dict__` are the dict that the object has, and see "
        "its changes; here each attribute is a variable of its own."
    )
    remedy = (
        'use it where it is made, vars(state)["q"], or copy it: dict(vars(state))\n'
        "to change an attribute assign it: state.q = x"
    )


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
