"""How a block ends: the terminators of both forms."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from pcbatch.errors import Span
from pcbatch.ir.operations import HostCall
from pcbatch.ir.tensor_types import Label, Variable


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
