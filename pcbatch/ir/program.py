"""The language: what the frontend writes, what the passes rewrite, what the runtimes run.

Two forms share most of their instructions.

*Call form* (before lowering). A program is a set of functions that call each other.

    function    ::= name(params) -> results  block+
    block       ::= label: operation* terminator
    operation   ::= targets = Primitive(args)       run `fn` on the arguments of one member
                  | targets = Call callee(args)     another function of the program, or its gradient
                  | Store buffer[index] = value     write an element or a row of a buffer, in place
                  | Check condition, message        stop the members for which it does not hold
                  | targets = HostCall(args)        run Python on the host
    terminator  ::= Jump label | Branch condition ? label : label | Return values | Fail message

*Stack form* (after lowering). One flat list of blocks; calls have become jumps.

    operation   ::= Primitive | Accumulate | Store | Check | Push variable | Pop variable
    terminator  ::= Jump | Branch | PushJump return_to, target | Return | Fail | Await target

A `HostCall` becomes a block of its own that has nothing but an `Await`.

Call form exists in two stages. The frontend emits *source* call form: variables hold Python values
(tensors, structures of tensors, or static Python objects), nothing has a type, and the callee of a
`Call` is a variable. Inference turns it into *typed* call form: every variable is one tensor with a
dtype and a per-member shape, structures are flattened, static values are gone, and the callee is
the name of a function of the program.

Everything here is frozen data without behaviour. Blocks name each other by label; a label or a
variable is a plain string, unique within its function in call form and within the program in stack
form. Source: Radul et al. 2020, section 3.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Final

from pcbatch.errors import Span

Variable = str
Label = str


def move(*values: Any) -> tuple[Any, ...]:
    """The primitive that copies its arguments: target i takes argument i, all at once."""
    return values


def unbind(*_: Any) -> tuple[None]:
    """The primitive that takes a variable its value: in source form only.

    What the user deletes is its argument, as it must have a value.
    """
    return (None,)


# --- Operations --------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Primitive:
    """Run straight-line code on one member.

    Attributes:
      targets: the variables that receive the results.
      fn: takes one positional value per argument and returns a tuple with one value per target.
        In source form the values are Python values; in typed form they are tensors of one member
        (where `batched`, of the whole batch with the batch on axis 0). `fn is move` marks a
        parallel copy.
      args: the variables it reads; in typed form also names of shared values and of buffers. In
        source form a Python exception from `fn` is the user's own.
      text: what to print for `fn`, normally the user's expression.
      span: the place in the user's source.
      batched: `fn` takes the batch axis itself (`pcbatch.batched`).
    """

    targets: tuple[Variable, ...]
    fn: Callable[..., tuple[Any, ...]]
    args: tuple[Variable, ...]
    text: str
    span: Span
    batched: bool = False


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """A tensor or a `tf.Variable` that primitives read by themselves.

    Attributes:
      name: what its derivative is called.
      value: the tensor or the variable.
      type: its type.
    """

    name: str
    value: Any
    type: TensorType


@dataclasses.dataclass(frozen=True, slots=True)
class Summed:
    """A shared value whose derivative is wanted as the sum over all members.

    Attributes:
      source: the value.
      total: the name of the total of the program to which the derivative is added.
    """

    source: str | Captured
    total: str


Source = int | str | Captured | Summed
"""With regard to what one differentiates: an argument by its position, a shared value by its name,
or what primitives read by themselves."""


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """Call a function (call form only).

    Attributes:
      targets: one variable in source form; in typed form one per result of the callee.
      callee: in source form the variable that holds the function; in typed form the name of a
        function of the program.
      args: the argument variables, in evaluation order.
      keywords: source form only, one per argument: None for a positional argument, a name for a
        keyword argument, "*" for a starred one, "**" for a double-starred one, and "?name" for a
        local variable that is passed by its name where it is bound. Typed form: ().
      span: the place in the user's source.
      wrt: typed form: None for a call. Else the callee is differentiated, too: the targets receive
        its results, and then the derivative of the first, a floating scalar, with regard to each of
        these, for the member alone. For one that is `Summed` there is no target.
      along: typed form: None for a call. Else the arguments are followed by the tangents of those
        at these positions, and the results by the tangents of the floating ones.
    """

    targets: tuple[Variable, ...]
    callee: str
    args: tuple[Variable, ...]
    keywords: tuple[str | None, ...]
    span: Span
    wrt: tuple[Source, ...] | None = None
    along: tuple[int, ...] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Accumulate:
    """Run straight-line code on one member, and add some of its results to totals (stack form).

    Attributes:
      targets: the variables that receive the first results.
      totals: what the others are added to: totals of the program, or buffers of the member, each as
        a whole.
      fn, args, text, span: as of a `Primitive`. `fn` gives a result for each target, and then one
        for each total.
      linear: the positions of the arguments on which the latter depend linearly. A member for which
        they are all zero adds nothing, whatever the others are.
    """

    targets: tuple[Variable, ...]
    totals: tuple[str, ...]
    fn: Callable[..., tuple[Any, ...]]
    args: tuple[str, ...]
    linear: tuple[int, ...]
    text: str
    span: Span


@dataclasses.dataclass(frozen=True, slots=True)
class Store:
    """Write one element, `buffer[index] = value`, or several that lie together.

    In source form `buffer` is the variable to update and may turn out to hold a dict or a list with
    a static index. In typed form `buffer` names a buffer of the program, `index` a scalar integer
    variable and `value` a variable with the element's type.

    Attributes:
      several: typed form: None for one element. Else the buffer is taken as rows of so many
        elements, `index` says which row, and `value` is the whole row, `[several, ...]`.
      text: source form: what to print for the index.
      augmented: source form: it is the assignment of `buffer[index] op= ...`, which has read the
        element before.
    """

    buffer: Variable
    index: Variable
    value: Variable
    span: Span
    several: int | None = None
    text: str = ""
    augmented: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Check:
    """Stop a member with a fault where a condition does not hold, as Python raises an exception.

    What stands behind it in its block may still run for a member that it stops, of which nothing is
    seen any more: the member stops at the end of the block, with the fault of the first check that
    failed. So a block needs no branch for its checks.

    Attributes:
      condition: a bool scalar variable, which nothing behind the check in its block assigns.
      message: what to tell the user, e.g. "ZeroDivisionError: division by zero".
      span: the place in the user's source.
    """

    condition: Variable
    message: str
    span: Span


@dataclasses.dataclass(frozen=True, slots=True)
class HostCall:
    """Run Python on the host, for all members that have come this far.

    It has effects that nothing sees: no pass may remove, repeat or reorder it.

    Attributes:
      targets: the variables that receive the results.
      fn: takes the numbers of the members, int[K], and one NumPy array per argument, `[K, ...]`
        for a variable or a buffer, one value for all for a shared one; returns one array
        `[K, ...]` per target, of the target's dtype and shape.
      args: the variables, shared values and buffers that it is given.
      text: what to print for `fn`.
      span: the place in the user's source.
      gradient: takes what `fn` takes, and then an array for each target: its adjoint. It returns an
        array for each floating argument: its adjoint. None: no derivative passes through the call.
    """

    targets: tuple[Variable, ...]
    fn: Callable[..., tuple[Any, ...]]
    args: tuple[str, ...]
    text: str
    span: Span
    gradient: Callable[..., tuple[Any, ...]] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Push:
    """Save the variable's value on the variable's own stack; the variable keeps its value."""

    variable: Variable
    span: Span


@dataclasses.dataclass(frozen=True, slots=True)
class Pop:
    """Take the variable's most recently saved value off its stack, back into the variable."""

    variable: Variable
    span: Span


CallOperation = Primitive | Call | Store | Check | HostCall
StackOperation = Primitive | Accumulate | Store | Check | Push | Pop


# --- Terminators -------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Jump:
    target: Label
    span: Span


@dataclasses.dataclass(frozen=True, slots=True)
class Branch:
    """Go to `then` where the condition holds, to `orelse` elsewhere.

    In typed and in stack form the condition is a bool scalar; in source form it is any Python
    value, and its truth is what Python's `bool` (or, for a tensor, comparison with zero) says.
    """

    condition: Variable
    then: Label
    orelse: Label
    span: Span


@dataclasses.dataclass(frozen=True, slots=True)
class Return:
    """Leave the function.

    Attributes:
      values: call form: the variables returned (exactly one in source form). Stack form: ().
      address: stack form: the variable that holds the block to go to (a scalar int32, set by
        `PushJump`). Call form: None.
    """

    values: tuple[Variable, ...]
    span: Span
    address: Variable | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Fail:
    """Stop this member with a fault: a failed `assert` or a `raise` in user code.

    Attributes:
      message: what to tell the user, e.g. "AssertionError: step size must be positive".
      kind: source form: the class of the exception, where the message does not tell.
      again: source form: the variable of a `Handler`, whose exception is raised again; else "".
      named: source form: the variable that holds the class of the exception, if that is not known
        yet, and `message` is its text; else "".
      told: source form: the variable that holds what is told of the exception, see `RAISED`; "":
        it follows from the message, or from what is given.
      given: source form: the arguments that it is made with, where they are known.
    """

    message: str
    span: Span
    kind: type[BaseException] | None = None
    again: Variable = ""
    named: Variable = ""
    told: Variable = ""
    given: tuple[Any, ...] | None = None


RAISED: Final = "%raised"
"""The variable in which a handler finds what is told of the exception (source form)."""


@dataclasses.dataclass(frozen=True, slots=True)
class PushJump:
    """Put `return_to` into `address` and go to `target` (stack form's call).

    A call that can re-enter its own function is preceded by a `Push` of `address`, and the block
    `return_to` begins with the matching `Pop`.
    """

    return_to: Label
    target: Label
    address: Variable
    span: Span


@dataclasses.dataclass(frozen=True, slots=True)
class Await:
    """Wait until the host has run `call`, then go to `target` (stack form's host call).

    A member that stands at such a block cannot move by itself.
    """

    call: HostCall
    target: Label
    span: Span


CallTerminator = Jump | Branch | Return | Fail
StackTerminator = Jump | Branch | PushJump | Return | Fail | Await


# --- Types -------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class TensorType:
    """One member's tensor: `dtype` is TensorFlow's name for it ("int32"), `shape` is static."""

    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclasses.dataclass(frozen=True, slots=True)
class BufferType:
    """One member's buffer: `length` elements, written one at a time."""

    length: int
    element: TensorType

    @property
    def whole(self) -> TensorType:
        """All elements as one tensor."""
        return TensorType(self.element.dtype, (self.length, *self.element.shape))

    def row(self, several: int | None) -> TensorType:
        """What a `Store` of one element, or of several that lie together, writes."""
        return self.element if several is None else BufferType(several, self.element).whole

    def rows(self, several: int | None) -> int:
        """How many places such a `Store` can write to."""
        return self.length if several is None else self.length // several

    def __str__(self) -> str:
        return f"buffer({self.length}, {self.element})"


# --- Programs ----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Handler:
    """Where a member goes on for which Python raises an exception (source form only).

    Attributes:
      catches: the classes of the exceptions.
      label: the block.
      variable: takes which exception it was, if it may be raised again; else "".
    """

    catches: tuple[type[BaseException], ...]
    label: Label
    variable: Variable = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Block:
    """Straight-line code. `operations` and `terminator` are of one form.

    In stack form every `Pop` stands before, and every `Push` after, all other operations.

    Attributes:
      handlers: source form: of the exceptions of its operations and of a `Fail`, the first that
        catches one takes it.
    """

    label: Label
    operations: tuple[Any, ...]
    terminator: Any
    handlers: tuple[Handler, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Function:
    """A function in call form; the first block is its entry.

    Attributes:
      name: unique in its program; readable (the user's name, with a number where needed).
      params: the variables that hold the arguments on entry.
      blocks: the first is the entry. The entry is never the target of a jump.
      span: the `def`.
      types: typed form: the type of every variable of the function. Source form: empty.
      results: typed form: the types of the results, in order. Source form: ().
      free: source form: the globals and closure variables that the function reads, in order of
        first use (builtins are not among them); an operation names them like any variable. Typed
        form: ().
      recomputed: a way back has only its arguments, and computes the rest again.
      unbound: source form: the variables that have no value on some paths. Each has a flag, so that
        nothing reads it there. Typed form: ().
    """

    name: str
    params: tuple[Variable, ...]
    blocks: tuple[Block, ...]
    span: Span
    types: Mapping[Variable, TensorType] = dataclasses.field(default_factory=dict)
    results: tuple[TensorType, ...] = ()
    free: tuple[Variable, ...] = ()
    recomputed: bool = False
    unbound: tuple[Variable, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """A typed program in call form.

    Attributes:
      functions: by name, in order of discovery.
      entry: the name of the function to run.
      shared: values that are the same for all members (arguments with `in_axes=None`, captured
        tensors). A primitive may name them among its arguments; nothing assigns them, they are
        never live, saved or batched.
      buffers: per-member arrays, zero at the start: the storage of what `pcbatch.buffer` makes. A
        primitive may name them among its arguments (it gets the whole array, `[length, ...]`); only
        `Store` writes them; they are never live or saved.
      totals: sums over all members, zero at the start. Nothing reads them; a call adds to them what
        is `Summed`.
    """

    functions: Mapping[str, Function]
    entry: str
    shared: Mapping[str, TensorType]
    buffers: Mapping[str, BufferType]
    totals: Mapping[str, TensorType] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class StackProgram:
    """A program in stack form: what the machine runs.

    Attributes:
      blocks: in flow order (reverse postorder from the entry); the first is the entry.
      types: the type of every variable, return addresses included.
      inputs: the variables that hold the arguments at the start.
      outputs: the variables that hold the results when a member has returned.
      address: the entry function's return address; it holds HALT at the start, and a member that
        returns to HALT is done.
      shared, buffers, totals: as in `Program`; `Accumulate` writes totals, and buffers, too.
      tapes: the variables whose stacks a function leaves higher than it found them, for the way
        back (`passes.reverse`).
    """

    blocks: tuple[Block, ...]
    types: Mapping[Variable, TensorType]
    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    address: Variable
    shared: Mapping[str, TensorType]
    buffers: Mapping[str, BufferType]
    tapes: frozenset[Variable] = frozenset()
    totals: Mapping[str, TensorType] = dataclasses.field(default_factory=dict)


HALT: Label = "halt"
"""The label that a return from the entry function goes to; no block has it."""
