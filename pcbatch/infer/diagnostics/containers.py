"""Lists, sets, dicts and queues of the member."""

from __future__ import annotations

import dataclasses

from pcbatch.errors import Diagnostic


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
class SharedObject(Diagnostic):
    title = "{what} is changed, and {other} may have the same one"
    reason = (
        "in Python it is one object, and all that have it see the change; here each value of a "
        "dict with keys that are no numbers, or of an object that is given as an argument, is a "
        "variable of its own, and whether {other} has this one depends on the member, or it has a "
        "copy."
    )
    remedy = (
        "change it where it is known which one it is:\n"
        "if condition:\n"
        "    first.q = x\n"
        "else:\n"
        "    second.q = x\n"
        "or make it an object of a class in the function, which may have several names;\n"
        "or copy it where it gets its second name: other = copy.copy(state)"
    )
    what: str
    other: str


@dataclasses.dataclass(frozen=True)
class ChangedThenRaised(Diagnostic):
    title = "what this call raises is caught, and `{name}` may have been changed before"
    reason = (
        "a function that raises gives nothing back, so that the handler would see `{name}` as it "
        "was before the call."
    )
    remedy = (
        "change `{name}` when nothing more can be raised, outside of the `try`;\n"
        "or have the function return what says that it has failed, and test that."
    )
    name: str


@dataclasses.dataclass(frozen=True)
class ArrayInList(Diagnostic):
    title = "an operator changes an array in the list `{name}`, which may be there twice"
    reason = (
        "in NumPy `xs[k] += x` changes the array, wherever it is, and every name of it sees that; "
        "here a list that is written to holds copies."
    )
    remedy = "put a copy into the list: xs.append(v.copy())\nor make a new array: xs[k] = xs[k] + x"
    name: str


@dataclasses.dataclass(frozen=True)
class AttributeOfObject(Diagnostic):
    title = "assignment to attribute `{attribute}` is not supported"
    reason = (
        "the object is one Python object, shared by all members of the batch, or its class does "
        "not take the assignment; only an object that the program has made, or one of a dataclass "
        "that it is given as an argument, is the member's own."
    )
    remedy = (
        "make the object in the function, and change that one:\n"
        "state = State(x)\n"
        "state.{attribute} = value\n"
        "or make a changed copy of a NamedTuple: state = state._replace({attribute}=value)"
    )
    attribute: str


@dataclasses.dataclass(frozen=True)
class AttributeAfterInit(Diagnostic):
    title = "an object of `{kind}` is given the attribute `{attribute}`, which `__init__` does not"
    reason = (
        "such objects are in a heap of the member's, which has a place for each attribute that "
        "`__init__` assigns; whether an object has another one may depend on the member."
    )
    remedy = "assign it in `__init__`, too:\nself.{attribute} = None"
    kind: str
    attribute: str


@dataclasses.dataclass(frozen=True)
class NamedKeys(Diagnostic):
    title = "{what} with keys of several kinds is changed"
    reason = (
        "a member's own set or dict has keys of one kind: numbers, texts, constants of an Enum, or "
        "tuples of these; with other keys each value of a dict is a variable of its own."
    )
    remedy = (
        'make a new one and assign it: table = {{**table, "q": x}}\n'
        'or make the keys alike: (0, x) and (1, y) instead of "q" and y'
    )
    what: str


@dataclasses.dataclass(frozen=True)
class AttributeOnHeap(Diagnostic):
    title = "this value does not fit into the attribute `{attribute}` of `{kind}`"
    reason = (
        "{said}; the objects of a `{kind}` are kept together, as its attributes lead to others, or "
        "as they have several names: all values of an attribute are objects of one class or None, "
        "or numbers or None, or texts or None, tuples or lists of numbers, of one dtype and shape."
    )
    remedy = (
        "keep an attribute for each kind of value, None where there is none:\n"
        "self.{attribute}, self.number = None, k"
    )
    attribute: str
    kind: str
    said: str


@dataclasses.dataclass(frozen=True)
class VariableKept(Diagnostic):
    title = "the generator `{generator}` cannot keep {what} until it goes on"
    reason = (
        "{said}; a generator that is not used up at once keeps its variables, and what its loops "
        "go over: numbers or None, texts or None, objects of one class, or lists of numbers that "
        "have no other name."
    )
    remedy = (
        "give it a list of its own, xs[:], or take all elements first:\n"
        "elements = list({generator}(...))"
    )
    what: str
    generator: str
    said: str


@dataclasses.dataclass(frozen=True)
class ArrayOnHeap(Diagnostic):
    title = "an array that is an attribute of an object is changed in place"
    reason = (
        "the objects of this class are kept together, as its attributes lead to others, or as they "
        "have several names; each has a copy of the array, which other names of it do not see."
    )
    remedy = (
        "assign another array: p.position = p.position + v\n"
        "or keep numbers, or a list of them: p.position = [0.0, 0.0]"
    )


@dataclasses.dataclass(frozen=True)
class ClassResult(Diagnostic):
    title = "the function returns the class of an object, which depends on the member"
    reason = "the members' results are arrays, lists of them, or texts; a class is none of these."
    remedy = "return its name: type(x).__name__"


@dataclasses.dataclass(frozen=True)
class ObjectResult(Diagnostic):
    title = "the function returns an object of `{kind}`, which may lead to others of its class"
    reason = (
        "a member's objects of `{kind}` are kept together, and refer to each other; the members' "
        "results are arrays, or lists of them."
    )
    remedy = (
        "return what the objects have, as numbers or a list of them:\n"
        "values = []\n"
        "while node is not None:\n"
        "    values.append(node.value)\n"
        "    node = node.next\n"
        "return values"
    )
    kind: str


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
class ListOfDict(Diagnostic):
    title = "a list among the values of a dict is changed"
    reason = "which of them it is depends on the member, so what it has is a copy."
    remedy = (
        "ask first, and take the list by its key:\n"
        "if key in table:\n    table[key].append(x)  # instead of table.get(key, []).append(x)"
    )


@dataclasses.dataclass(frozen=True)
class KeyedElement(Diagnostic):
    title = "this does not fit into the {kind}"
    reason = (
        "the keys of a set or a dict that is changed are numbers, texts, or tuples of as many of "
        "these, and not None for some members; the values of a dict are so, too, of one kind, or "
        "they are lists, sets or dicts."
    )
    remedy = (
        "make them alike, e.g. (x, 0) beside (x, y), or ask first: if key is not None:\n"
        "in the place of deques keep lists: first = queues[k].pop(0)"
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
class StoreIntoTuple(Diagnostic):
    title = "an element of the tuple `{name}` is assigned"
    reason = "a tuple cannot be changed: plain Python raises a TypeError."
    remedy = "make a list of it, and write to that:\nown = list({name})\nown[0] = x"
    name: str


@dataclasses.dataclass(frozen=True)
class ListElement(Diagnostic):
    title = "this value does not fit into the list"
    reason = (
        "{what}; a list that is written to holds numbers, texts, or tuples of numbers or arrays, "
        "of one dtype and shape, or None."
    )
    remedy = (
        "make the elements alike, e.g. float(n) beside 0.5, or keep one list per kind of element."
    )
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
class RowChanged(Diagnostic):
    title = "this list was put into a list of lists, and is changed afterwards"
    reason = (
        "a list of lists holds copies of its rows. A variable still means the list that was put "
        "into it, or what the list of lists has of it, and would not see the change."
    )
    remedy = "put a copy into it: rows.append(row[:]) or rows[i] = row[:]"


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
