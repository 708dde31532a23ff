"""The mistakes that the frontend finds: one class for each, with its reason and its remedy."""

from __future__ import annotations

import dataclasses

from pcbatch.errors import Diagnostic


@dataclasses.dataclass(frozen=True)
class SourceUnavailable(Diagnostic):
    title = "the source of `{name}` is not available"
    reason = "autobatch reads a function's source text, and Python kept none for this function."
    remedy = (
        "define the function in a file, in a notebook cell or in IPython; for text given to exec:\n"
        "linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)\n"
        'exec(compile(text, filename, "exec"), namespace)'
    )
    name: str


@dataclasses.dataclass(frozen=True)
class SourceChanged(Diagnostic):
    title = "the source of `{name}` does not match its code"
    reason = "the file has changed since Python loaded it, or the line is ambiguous."
    remedy = "load the module again, or put each lambda on a line of its own"
    name: str


@dataclasses.dataclass(frozen=True)
class SourceEdited(Diagnostic):
    title = "`{name}` was edited after Python had loaded it"
    reason = (
        "a batch runs the text of a function, plain Python the code that was loaded; the file now "
        "says something else."
    )
    remedy = (
        "load the module again and take the function from it, or start Python anew:\n"
        "    importlib.reload(module)"
    )
    name: str


@dataclasses.dataclass(frozen=True)
class NameUnbound(Diagnostic):
    title = "`{name}` is not defined"
    reason = (
        "it is neither a variable of the function nor of a function around it, nor of the module."
    )
    remedy = "define or import `{name}` before the function is called"
    name: str


@dataclasses.dataclass(frozen=True)
class TryStatement(Diagnostic):
    title = "`except*` is not supported"
    reason = "a member has one exception, not a group of them."
    remedy = "write `except`."


@dataclasses.dataclass(frozen=True)
class FinallyWithin(Diagnostic):
    title = "a `finally` within a `finally`, too deep"
    reason = (
        "its statements are a part of each way out of the `try`, and of each way through the "
        "`finally` around it, so the program would double with each one."
    )
    remedy = (
        "put the statements of a `finally` into a nested function, which is made once:\n"
        "finally:\n    close(k)"
    )


@dataclasses.dataclass(frozen=True)
class CaughtUnknown(Diagnostic):
    title = "what `except {text}` catches is not known before the program runs"
    reason = "which members it catches an exception of is decided from its class."
    remedy = "name a class of exceptions, or several in parentheses."
    text: str


@dataclasses.dataclass(frozen=True)
class RaisedUnknown(Diagnostic):
    title = "which exception `raise {text}` raises is not known before the program runs"
    reason = (
        "which `except` a member goes on in, or the status that it stops with, is decided from the "
        "class of the exception."
    )
    remedy = (
        'name the class where it is raised: raise ValueError("...")\n'
        "or raise what an `except ... as e` around has caught, and nothing else is called: raise e"
    )
    text: str


@dataclasses.dataclass(frozen=True)
class ExceptionUsed(Diagnostic):
    title = "the exception `{name}` is used as an object"
    reason = (
        "a member has no exception objects; it is decided which `except` a member goes on in, and "
        "what the exception says and holds."
    )
    remedy = (
        "ask for that: str({name}), {name}.args[0], an attribute that its class has given it; "
        "`raise`, `raise {name}` and `raise Other(...) from {name}` may raise it, or another."
    )
    name: str


@dataclasses.dataclass(frozen=True)
class WithStatement(Diagnostic):
    title = "`with {context}` is not supported"
    reason = (
        "objects of your own classes that the function makes, contextlib.suppress and nullcontext,"
        " quiet np.errstate and tf.name_scope may be contexts; another one cannot be kept open"
        " while members go different ways."
    )
    remedy = (
        "move the block into a plain function outside, which runs as one primitive:\n"
        "def block(x):  # not autobatched\n"
        "    with {context} as context:\n"
        "        return g(x)"
    )
    context: str


@dataclasses.dataclass(frozen=True)
class YieldExpression(Diagnostic):
    title = "this generator function cannot stand in the place of a loop"
    reason = (
        "`for x in numbers(n):`, a comprehension, sum, list, next, ... over a call of a generator "
        "function run its statements as a loop, or put all that it gives into a list. Each `yield` "
        "of it is a statement, and it returns nothing else; the function that is batched is none."
    )
    remedy = (
        "collect the values in a list and return it:\n"
        "out = []\n"
        "out.append(x)  # instead of: yield x"
    )


@dataclasses.dataclass(frozen=True)
class SeveralGenerators(Diagnostic):
    title = "`zip` takes the elements of two generators in turn"
    reason = (
        "the statements of a generator stand in the place of the loop over it, and those of two "
        "cannot run in turn."
    )
    remedy = (
        "collect the values of one in a list first:\n"
        "xs = list(itertools.islice(first(), n))\n"
        "for x, y in zip(xs, second()):"
    )


@dataclasses.dataclass(frozen=True)
class GeneratorInParts(Diagnostic):
    title = "the generator `{name}` is not used up at once"
    reason = (
        "it goes over itself, or its statements cannot stand in a loop, so a call puts all that it "
        "gives into a list. That is the same in list, sum, sorted, ..., in a comprehension, and in "
        "a loop that takes all elements, outside of `try`, and changes, between two of them, only "
        "numbers and containers of its own. It cannot be kept and go on, either: it takes a "
        "variable that is assigned more than once, or in a loop; it has a `yield` in an "
        "expression, in a `with` or before a `finally`; or it is not sure which function is meant."
    )
    remedy = "take all elements first:\nfor x in list({name}(...)):\n    ..."
    name: str


@dataclasses.dataclass(frozen=True)
class GeneratorWithin(Diagnostic):
    title = "the generator `{name}` is gone over within too many others"
    reason = (
        "its statements stand in the place of the loop over it, as do those of the generators "
        "around it: three within each other, at most."
    )
    remedy = (
        "have one of them go over a list:\n"
        "for x in list(numbers(n)):  # instead of: for x in numbers(n):"
    )
    name: str


@dataclasses.dataclass(frozen=True)
class AsyncSyntax(Diagnostic):
    title = "`async` and `await` are not supported"
    reason = "a batched program runs on the device, where there is nothing to await."
    remedy = "await the data outside, and pass it in as an argument"


@dataclasses.dataclass(frozen=True)
class GlobalStatement(Diagnostic):
    title = "`{keyword}` is not supported"
    reason = (
        "thousands of members would write one Python variable; `{names}` can be read, not rebound."
    )
    remedy = (
        "drop the `{keyword}` line; pass the value as an argument and return the new one:\n"
        "def step(x, count):\n"
        "    return x, count + 1"
    )
    keyword: str
    names: str


@dataclasses.dataclass(frozen=True)
class NestedRebinds(Diagnostic):
    title = "nested function `{name}` rebinds variables of the function around it"
    reason = (
        "`nonlocal` works for variables that are assigned before the nested function, outside of "
        "branches and loops, and bound by assignments only, which is not so of `{names}`."
    )
    remedy = (
        "assign it at the top of the function around, e.g. best = None; or return the new value, "
        "and assign that:\n"
        "def add(total, x):\n"
        "    return total + x\n"
        "total = add(total, x)"
    )
    name: str
    names: str


@dataclasses.dataclass(frozen=True)
class CapturedRebound(Diagnostic):
    title = "`{variable}` changes after `{function}` has captured it"
    reason = (
        "a decorated nested function takes the variables around it by value, when it is defined; "
        "`{variable}` is assigned again before a later use of `{function}`."
    )
    remedy = "pass `{variable}` as an argument, or define `{function}` after the assignment"
    variable: str
    function: str


@dataclasses.dataclass(frozen=True)
class CachedChanges(Diagnostic):
    title = "`{name}` remembers its results, and changes something around it"
    reason = (
        "where Python has a result already, it does not run the function again. Here the results "
        "are not remembered: they, or the arguments, cannot be in a dict of the member, or the "
        "function is not only called."
    )
    remedy = (
        "leave `lru_cache` away, or write the table by hand:\n"
        "if k not in known:\n"
        "    known[k] = {name}(k)"
    )
    name: str


@dataclasses.dataclass(frozen=True)
class DeleteStatement(Diagnostic):
    title = "`del` of an attribute is not supported"
    reason = "what holds it is one Python object, which all members share."
    remedy = "leave it there, or give it another value in a new object: state._replace(q=0.0)"


@dataclasses.dataclass(frozen=True)
class MatchStatement(Diagnostic):
    title = "this pattern of a `match` is not supported"
    reason = (
        "patterns are numbers, names, `|`, tuples, classes of numbers, and classes whose "
        "`__match_args__` are known; not mappings."
    )
    remedy = 'use `if`:\nif "q" in state:\n    q = state["q"]'


@dataclasses.dataclass(frozen=True)
class ClassStatement(Diagnostic):
    title = "the class `{name}` cannot be defined inside an autobatched function"
    reason = "{why}; such a class is made once, for all members."
    remedy = (
        "define it at the top of the module, and hand over what it takes from the function:\n"
        "class State:\n"
        "    def __init__(self, q, p):\n"
        "        self.q, self.p = q, p"
    )
    name: str
    why: str


@dataclasses.dataclass(frozen=True)
class TypeStatement(Diagnostic):
    title = "a type alias inside an autobatched function is not supported"
    reason = "it has no effect on the members."
    remedy = "move it to the top of the module"


@dataclasses.dataclass(frozen=True)
class AttributeAssignment(Diagnostic):
    title = "assignment to attribute `{attribute}` is not supported"
    reason = "the object is one Python object, shared by all members of the batch."
    remedy = (
        "make a changed copy:\n"
        "state = state._replace({attribute}=value)  # a NamedTuple\n"
        "state = dataclasses.replace(state, {attribute}=value)  # a dataclass"
    )
    attribute: str


@dataclasses.dataclass(frozen=True)
class CallInLambda(Diagnostic):
    title = "`{callee}` is called in a lambda"
    reason = (
        "the lambda is given to a function of a library, which runs as one primitive and cannot "
        "call a function of the program."
    )
    remedy = "write a loop that calls `{callee}` itself, or give the lambda to a function of yours"
    callee: str


@dataclasses.dataclass(frozen=True)
class FrameAccess(Diagnostic):
    title = "`{name}()` is not supported"
    reason = "it looks at Python's own frame, and members do not have one."
    remedy = "name the variables that you mean"
    name: str


@dataclasses.dataclass(frozen=True)
class BareRaise(Diagnostic):
    title = "`raise` needs an exception"
    reason = "there is no exception to raise again, since `try` is not supported."
    remedy = 'raise ValueError("step size must be positive")'


@dataclasses.dataclass(frozen=True)
class UnknownSyntax(Diagnostic):
    title = "{kind} is not supported"
    reason = "this syntax is newer than pcbatch."
    remedy = "write it in plainer Python, or in a function that is not autobatched"
    kind: str


@dataclasses.dataclass(frozen=True)
class NoBatchAxis(Diagnostic):
    title = "argument `{path}` has no batch axis: it is a scalar"
    reason = "every batched argument has one value per member along axis 0."
    remedy = (
        "pass one value per member, e.g. tf.constant([...]), or share the one value:\n"
        "{name}.run(..., in_axes={{{parameter!r}: None}})  # or in the decorator"
    )
    path: str
    parameter: str
    name: str
