"""The passes in their order, with the verifier between them."""

from __future__ import annotations

from collections.abc import Callable, Collection

from pcbatch import ir
from pcbatch.ir.analysis import calls
from pcbatch.ir.verify import verify
from pcbatch.passes import (
    arrays_in_place,
    cancel,
    checks,
    coalesce,
    conditions,
    copies,
    dead,
    if_conversion,
    inline,
    jumps,
    operands,
    rotation,
    webs,
)
from pcbatch.passes.lowering import to_stack
from pcbatch.passes.tracing import Knowledge, Traced

Observer = Callable[[str, ir.Program | ir.StackProgram], None]
CallPass = Callable[[ir.Program], ir.Program]
StackPass = Callable[[ir.StackProgram], ir.StackProgram]


def _ignore(name: str, program: ir.Program | ir.StackProgram) -> None:
    """The observer that does nothing."""


def call_form_passes(knowledge: Knowledge) -> tuple[tuple[str, CallPass], ...]:
    """The passes over call form, by name, in order."""
    cheap = knowledge.is_cheap
    tidy: tuple[tuple[str, CallPass], ...] = (
        ("split webs", webs.split_webs),
        ("coalesce", coalesce.coalesce),
        ("remove dead code", dead.remove_dead),
    )
    return (
        ("drop checks", lambda program: checks.drop_checks(program, knowledge)),
        ("restrict operands", lambda program: operands.restrict_operands(program, knowledge)),
        ("simplify jumps", jumps.simplify_jumps),
        ("inline", lambda program: inline.inline(program, cheap)),
        ("simplify jumps", jumps.simplify_jumps),
        ("propagate shared values", copies.propagate_shared),
        *tidy,
        ("restrict operands", lambda program: operands.restrict_operands(program, knowledge)),
        ("remove dead code", dead.remove_dead),
        (
            "convert branches",
            lambda program: if_conversion.convert_branches(program, cheap, knowledge.is_steep),
        ),
        ("simplify jumps", jumps.simplify_jumps),
        ("join conditions", lambda program: conditions.join_conditions(program, cheap)),
        ("simplify jumps", jumps.simplify_jumps),
        ("rotate loops", lambda program: rotation.rotate(program, cheap)),
        ("simplify jumps", jumps.simplify_jumps),
        *tidy,
    )


def stack_form_passes(knowledge: Knowledge) -> tuple[tuple[str, StackPass], ...]:
    """The passes over stack form, by name, in order."""
    return (
        ("remove dead code", dead.remove_stack_dead),
        (
            "restrict operands",
            lambda program: operands.restrict_stack_operands(program, knowledge),
        ),
        ("remove dead code", dead.remove_stack_dead),
        ("simplify jumps", jumps.simplify_stack_jumps),
        ("split webs", webs.split_stack_webs),
        ("coalesce", coalesce.coalesce_stack),
        ("cancel pushes", cancel.cancel_pushes),
        ("remove dead code", dead.remove_stack_dead),
        ("simplify jumps", jumps.simplify_stack_jumps),
        # A branch that became a jump leaves its condition behind, and storage is for live values.
        ("remove dead code", dead.remove_stack_dead),
        ("arrays in place", arrays_in_place.arrays_in_place),
    )


def simplify(
    program: ir.Program,
    *,
    knowledge: Knowledge | None = None,
    without: Collection[str] = (),
    after: Observer = _ignore,
) -> ir.Program:
    """Run the passes over call form.

    Args:
      program: in typed call form.
      knowledge: about the primitives; by default what tracing them tells.
      without: the names of passes to leave out, see `runtime.optimizations`.
      after: called with a unique name and the result, wherever a pass has changed something.

    Returns:
      The same program, simpler.

    Raises:
      VerificationError: the program, or what a pass has made of it, breaks a rule of `ir`.
    """
    verify(program, "inference")
    passes = call_form_passes(Traced(program) if knowledge is None else knowledge)
    for number, (name, change) in enumerate(passes, 1):
        changed = program if name in without else change(program)
        if changed != program:
            verify(changed, name)
            after(f"call form {number}: {name}", changed)
        program = changed
    return program


def lower(
    program: ir.Program,
    *,
    knowledge: Knowledge | None = None,
    without: Collection[str] = (),
    after: Observer = _ignore,
) -> ir.StackProgram:
    """Simplify, lower to stack form, and run the passes over stack form.

    Args, Raises: as for `simplify`.

    Returns:
      What the machine runs.
    """
    known = Traced(program) if knowledge is None else knowledge
    simplified = simplify(program, knowledge=known, without=without, after=after)
    return lower_simplified(simplified, knowledge=known, without=without, after=after)


def lower_simplified(
    program: ir.Program,
    *,
    knowledge: Knowledge | None = None,
    without: Collection[str] = (),
    after: Observer = _ignore,
) -> ir.StackProgram:
    """Lower what `simplify` has made to stack form, and run the passes over stack form.

    Args, Raises: as for `simplify`.

    Returns:
      What the machine runs.
    """
    known = Traced(program) if knowledge is None else knowledge
    if calls.differentiated(program):
        from pcbatch.passes.reverse import recomputed

        recomputed.refuse(program)
    stack = to_stack(program)
    verify(stack, "lower")
    after("stack form 0: lower", stack)
    for number, (name, change) in enumerate(stack_form_passes(known), 1):
        changed = stack if name in without else change(stack)
        if changed != stack:
            verify(changed, name)
            after(f"stack form {number}: {name}", changed)
        stack = changed
    return stack
