"""What a block does before it ends: the operations of both forms."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from pcbatch.errors import Span
from pcbatch.ir.tensor_types import TensorType, Variable


def move(*values: Any) -> tuple[Any, ...]:
    """The primitive that copies its arguments: target i takes argument i, all at once."""
    return values


def unbind(*_: Any) -> tuple[None]:
    """The primitive that takes a variable its value: in source form only.

    What the user deletes is its argument, as it must have a value.
    """
    return (None,)


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
