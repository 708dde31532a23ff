"""What two paths give, and what is no number of one type."""

from __future__ import annotations

import dataclasses

from pcbatch.errors import Diagnostic


@dataclasses.dataclass(frozen=True)
class MaybeUnbound(Diagnostic):
    title = "a nested function takes `{name}`, which may have no value"
    reason = (
        "on some path to this line nothing was assigned to `{name}`, and a nested function holds "
        "the values of the variables around it."
    )
    remedy = (
        "give `{name}` a value of the same type on every path, e.g. before the `if` or the loop."
    )
    name: str


@dataclasses.dataclass(frozen=True)
class NeverBound(Diagnostic):
    title = "every member reads a variable here that has no value"
    reason = "Python raises {message}"
    remedy = "assign the variable before this line."
    message: str


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
class UnsignedConflict(JoinConflict):
    title = "`{name}` has a sign on one path, and on another 64 bits without a sign"
    reason = "it is {left} here and {right} {elsewhere}, and no dtype holds all numbers of both."
    remedy = "give it no sign from the first:\n{name} = {name} & (2**64 - 1)"


@dataclasses.dataclass(frozen=True)
class AttributeOnOnePath(Diagnostic):
    title = "`{name}` has the attribute `{attribute}` on one path and not on another"
    reason = (
        "each attribute of an object is a variable, and a `{kind}` that comes from {elsewhere} has "
        "other ones than here."
    )
    remedy = "assign it in `__init__`, on all paths:\nself.{attribute} = None"
    name: str
    attribute: str
    kind: str
    elsewhere: str


@dataclasses.dataclass(frozen=True)
class StructureWithoutEnd(Diagnostic):
    title = "{what} has a value of its own kind inside, in that another one, and so on"
    reason = (
        "each part of a tuple or a dict, and of an object whose class is a NamedTuple or has a "
        "metaclass, `__new__`, `__getattr__` or `__init_subclass__`, is a variable of its own, so "
        "how deep they go must be known when the program is traced; here it depends on the member, "
        "as in a linked list or in a tree."
    )
    remedy = (
        "make it an object of a class without these, or of a dataclass, which may lead to others:\n"
        "class Node:\n"
        "    def __init__(self, value, following):\n"
        "        self.value, self.following = value, following\n"
        "head = Node(k, head)"
    )
    what: str


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
class BufferConflict(Diagnostic):
    title = "`{name}` is one of two buffers that differ where two paths meet"
    reason = "it is {left} here and {right} {elsewhere}."
    remedy = "make both with one length, and with `like=` of one dtype and shape."
    name: str
    left: str
    right: str
    elsewhere: str


@dataclasses.dataclass(frozen=True)
class NotATensor(Diagnostic):
    title = "the function returns a Python object that is no tensor"
    reason = "{path} of its result is {value}."
    remedy = "return tensors, numbers, texts, None, or structures of them."
    path: str
    value: str


@dataclasses.dataclass(frozen=True)
class NoneBeside(Diagnostic):
    title = "`{name}` is None on one path and a {kind} on another"
    reason = "a {kind} cannot be None for some members; the other path is {elsewhere}."
    remedy = (
        "begin with an empty one, and remember whether there is one:\n"
        "{name}, found = {empty}, False\n"
        "and where it is assigned: found = True"
    )
    name: str
    kind: str
    empty: str
    elsewhere: str


@dataclasses.dataclass(frozen=True)
class NoneBesideResult(Diagnostic):
    title = "`{name}` returns None on one path and a {kind} on another"
    reason = "a {kind} cannot be None for some members; the other path is {elsewhere}."
    remedy = (
        "return a second value that says whether there is one:\n"
        "return {empty}, False  # for None\n"
        "return found, True  # for a {kind}"
    )
    name: str
    kind: str
    empty: str
    elsewhere: str


@dataclasses.dataclass(frozen=True)
class NoneForSome(Diagnostic):
    title = "`{name}` is None for some members"
    reason = "this call is given one array for all members, and None has no place in it."
    remedy = (
        "say what stands for none:\n"
        "{name} = -1 if {name} is None else {name}\n"
        "or stop the members that have none:\n"
        'if {name} is None:\n    raise ValueError("there is none")'
    )
    name: str
