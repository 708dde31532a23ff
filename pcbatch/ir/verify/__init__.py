"""Check that a program is what `ir` says it is; run after each pass.

A failure here is a mistake in pcbatch, never the user's: `VerificationError` names the pass and the
place. `rules` has what both forms share.
"""

from __future__ import annotations

from typing import assert_never

from pcbatch import ir
from pcbatch.errors import PcbatchError
from pcbatch.ir.verify.call_form import verify_program
from pcbatch.ir.verify.rules import BrokenRule
from pcbatch.ir.verify.stack_form import verify_stack_program

__all__ = ["VerificationError", "verify"]


class VerificationError(PcbatchError):
    """A compiler pass made a program that breaks the rules of its form."""


def verify(program: ir.Program | ir.StackProgram, after: str = "") -> None:
    """Check a typed call-form program or a stack-form program.

    Args:
      program: the program.
      after: the pass that made it, for the message.

    Raises:
      VerificationError: a rule is broken.
    """
    try:
        match program:
            case ir.Program():
                verify_program(program)
            case ir.StackProgram():
                verify_stack_program(program)
            case _:
                assert_never(program)
    except BrokenRule as broken:
        stage = f"after {after}: " if after else ""
        raise VerificationError(f"{stage}{broken}") from None
