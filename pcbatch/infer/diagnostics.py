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
class StoreIntoDict(Diagnostic):
    title = "an element of the dict `{name}` is assigned"
    reason = (
        "a dict that is changed must be made in the program, by `{{...}}`, `dict(...)` or a "
        "comprehension; this one is an argument, a global, or a part of something else."
    )
    remedy = "copy it first, and write to the copy:\nown = dict({name})\nown[0] = x"
    name: str


@dataclasses.dataclass(frozen=True)
class NamedKeys(Diagnostic):
    title = "{what} with keys that are no numbers is changed"
    reason = (
        "a member's own set or dict has keys that are numbers, or tuples of numbers; with other "
        "keys each value of a dict is a variable of its own."
    )
    remedy = (
        'make a new one and assign it: table = {{**table, "q": x}}\n'
        "or number the keys: RED, GREEN, BLUE = 0, 1, 2"
    )
    what: str


@dataclasses.dataclass(frozen=True)
class KeyedResult(Diagnostic):
    title = "the function returns a {kind} of the member"
    reason = "the members' results are arrays, or lists of them; a {kind} has another form."
    remedy = (
        "return lists:\n"
        "return sorted(seen)  # of a set\n"
        "return list(table.items())  # of a dict\n"
        "return list(queue)  # of a deque"
    )
    kind: str


@dataclasses.dataclass(frozen=True)
class CounterUpdated(Diagnostic):
    title = "`update`, or `|=`, of a Counter"
    reason = "it counts, or keeps the greater counts, which is not what a dict's does."
    remedy = "count one by one:\nfor x in xs:\n    counts[x] += 1"


@dataclasses.dataclass(frozen=True)
class BoundedQueue(Diagnostic):
    title = "`{name}` of a deque with a maxlen"
    reason = "of those only `append` and `appendleft` drop what is too many at the other end here."
    remedy = "append the elements one by one:\nfor x in xs:\n    queue.append(x)"
    name: str


@dataclasses.dataclass(frozen=True)
class ListOfDict(Diagnostic):
    title = "a list among the values of a dict is changed"
    reason = "which of them it is depends on the member, so what it has is a copy."
    remedy = (
        "make the lists the rows of one list: rows = [[] for _ in range(3)]\n"
        "rows[key].append(x)  # instead of table[key].append(x)"
    )


@dataclasses.dataclass(frozen=True)
class KeyedElement(Diagnostic):
    title = "this does not fit into the {kind}"
    reason = (
        "the keys of a set or a dict that is changed are numbers, or tuples of as many numbers; "
        "the values of a dict are so, too, of one dtype, and no lists."
    )
    remedy = (
        "make them alike, e.g. (x, 0) beside (x, y);\n"
        "instead of lists in a dict keep a list of pairs: pairs.append((key, x))"
    )
    kind: str


@dataclasses.dataclass(frozen=True)
class StoreIntoList(Diagnostic):
    title = "an element of the list `{name}` is assigned"
    reason = (
        "a list that is written to must be made in the program, by `[...]`, `[x] * n`, a "
        "comprehension, `list(...)` or a slice, or be an argument; this one is a global, or a part "
        "of something else."
    )
    remedy = "copy it first, and write to the copy:\nown = list({name})\nown[0] = x"
    name: str


@dataclasses.dataclass(frozen=True)
class ListElement(Diagnostic):
    title = "this value does not fit into the list"
    reason = (
        "{what}; a list that is written to holds numbers, or tuples of numbers or arrays, of one "
        "dtype and shape."
    )
    remedy = "make the elements alike, e.g. with tf.cast, or keep one list per kind of element."
    what: str


@dataclasses.dataclass(frozen=True)
class ListInList(Diagnostic):
    title = "a list is put into a list, and `{name}` still means it"
    reason = (
        "a list of lists holds copies of its rows, so a later change of the row by its own name "
        "would not be seen in the list."
    )
    remedy = "put a copy into it: rows.append(row[:]) or rows[i] = row[:]"
    name: str


@dataclasses.dataclass(frozen=True)
class RowReplaced(Diagnostic):
    title = "a row of a list is replaced, and `{name}` may still mean the old one"
    reason = (
        "a list of lists holds its rows side by side, and a name of a row means its place there, "
        "where another row is afterwards."
    )
    remedy = "use the row where it is, rows[i][j], or keep a copy of it: row = rows[i][:]"
    name: str


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


@dataclasses.dataclass(frozen=True)
class HandedListChanged(Diagnostic):
    title = "this changes a list that another call may still use as its own"
    reason = (
        "each call of the recursion makes lists and hands them on, so it hands on what they hold; "
        "a change of one would not be seen by the call that goes on to use the other."
    )
    remedy = "hand on, or return, a copy of the list that is used afterwards: `f(xs[:])`."


@dataclasses.dataclass(frozen=True)
class ListHandedTwice(Diagnostic):
    title = "the list for `{name}` is handed to `{callee}` twice"
    reason = (
        "each call of the recursion makes lists and hands them on, so it hands on what they hold; "
        "two of the arguments may be one list."
    )
    remedy = "hand on a copy: `{callee}(..., {name}[:], ...)`."
    name: str
    callee: str


@dataclasses.dataclass(frozen=True)
class NoneOrValue(Diagnostic):
    title = "the function returns None on one path and a value on another"
    reason = (
        "it returns None {none}, and {value} {elsewhere}; one array stands for the results of all "
        "members, and None has no place in it."
    )
    remedy = (
        "return a value of the same kind that means none: -1, (-1, -1), or math.nan of floats;\n"
        "or a second result that says whether there is one: return True, x and return False, 0;\n"
        'a path that no member should take ends with an exception: raise ValueError("no result")'
    )
    value: str
    none: str
    elsewhere: str


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
class LengthOfComprehension(Diagnostic):
    title = "the length of what a comprehension makes depends on data"
    reason = (
        "a condition or a number of rounds differs between members; lists may have other lengths, "
        "tuples, sets and dicts may not."
    )
    remedy = "make a list of it:\npositive = [y for y in ys if y > 0]"


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
class IteratorKept(Diagnostic):
    title = "a `{kind}` object is kept in a variable"
    reason = "taking an element changes it in place, once for all members."
    remedy = (
        "use it where it is made, e.g. at the head of a loop, or make a list of it:\n"
        "pairs = list(zip(xs, ys))\n"
        "first = pairs[0]  # instead of next(pairs)"
    )
    kind: str
