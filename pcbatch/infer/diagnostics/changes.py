"""Changes of arrays and objects in place."""

from __future__ import annotations

import dataclasses

from pcbatch.errors import Diagnostic


@dataclasses.dataclass(frozen=True)
class StoreTarget(Diagnostic):
    title = "`{name}[...] = ...` needs a list, a buffer, or an array that has no other name"
    reason = (
        "`{name}` is {value}; tensors cannot be changed in place. An array of NumPy's can where "
        "the function makes it and only computes with it: what is put into another variable or a "
        "list, captured, or handed to a function of the program might mean the same array."
    )
    remedy = (
        "write to a copy that has no other name, and hand on copies of that, own.copy():\n"
        "own = np.array({name})\nown[0] = x  # a row's element is m[i, j]\n"
        "or make a list of it: own = list({name})"
    )
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class ChangedInPlace(Diagnostic):
    title = "{name} is an array that is changed in place, and {other} may be the same array"
    reason = (
        "in NumPy `a += b` changes the array, and every name and every view of it sees that: "
        "{other} is read later, and would keep its old value here."
    )
    remedy = (
        "if {other} shall keep its value, make a new array: a = a + b for a += b,\n"
        "or copy it where the second name is given: b = a.copy(), row = m[i].copy();\n"
        "if it shall see the change, use one name for both: m[i] += b for row += b"
    )
    name: str
    other: str


@dataclasses.dataclass(frozen=True)
class ChangedByCall(Diagnostic):
    title = "this changes the array {name} in place, and {other} is read afterwards"
    reason = (
        "in NumPy `a += b` in a function changes the array that it is given, and every name of it, "
        "and of what is a view of it, sees that; here {other} would keep its old value."
    )
    remedy = (
        "make a new array in the function, a = a + b for a += b, and return it;\n"
        "or hand it a copy: f(v.copy())"
    )
    name: str
    other: str


@dataclasses.dataclass(frozen=True)
class ChangedInHelper(Diagnostic):
    title = "this expression changes an array in place, and reads another name of it afterwards"
    reason = (
        "in NumPy `a += b` changes the array, and every name and every view of it sees that; here "
        "a plain function that does so gives its name a new array."
    )
    remedy = (
        "make a new array in the function: a = a + b for a += b\nor begin with a copy: a = a.copy()"
    )


@dataclasses.dataclass(frozen=True)
class ChangesArray(Diagnostic):
    title = "this expression changes an array in place that it is given"
    reason = (
        "a plain function runs once for all members, when the function is traced, and so does a "
        "nested one without branches: all rounds would share that one change."
    )
    remedy = (
        "begin with a copy in the function, a = a.copy(), and return it;\n"
        "or write the statement in the function that makes the array"
    )


@dataclasses.dataclass(frozen=True)
class ChangesInPlace(Diagnostic):
    title = "{what} is changed in place"
    reason = (
        "an expression runs once for all members, when the function is traced, so a change of a "
        "{kind} would be lost."
    )
    remedy = (
        "make a new one and assign it:\n"
        'table = {{**table, "q": x}}  # instead of table.update(q=x)\n'
        "a list or a buffer that the function has made may change, in a statement of its own:\n"
        "items.append(x)"
    )
    what: str
    kind: str


@dataclasses.dataclass(frozen=True)
class ChangesObject(Diagnostic):
    title = "{what} is changed in place"
    reason = (
        "an expression runs once for all members, when the function is traced, so all of them "
        "would have the change, whatever way they take."
    )
    remedy = "{instead}"
    what: str
    instead: str


@dataclasses.dataclass(frozen=True)
class SliceOfBuffer(Diagnostic):
    title = "a slice of the buffer `{name}` is assigned"
    reason = "a buffer is written one element at a time."
    remedy = "write a loop:\nfor i in range(a, b):\n    {name}[i] = x[i - a]"
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
class BufferForEachCall(Diagnostic):
    title = "each call in a recursion of `{callee}` is given another buffer as `{name}`"
    reason = (
        "every depth of the recursion makes a buffer that the calls below it may change, and "
        "nothing bounds their number."
    )
    remedy = (
        "make one buffer before the recursion, with room for all depths, and pass on where in it "
        "a call may write:\n"
        "room = pcbatch.buffer(depths * n, like=x)\n"
        "{callee}(..., room, start + n)\n"
        "or pass on the elements as tensors, which calls cannot change."
    )
    name: str
    callee: str
