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
from collections.abc import Mapping
from typing import Any

from pcbatch.errors import Span
from pcbatch.ir.tensor_types import BufferType, Label, TensorType, Variable


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
