"""What a failure says of the other ways in which a program may be lowered, and so be typed."""

from __future__ import annotations

from pcbatch.errors import ProgramError
from pcbatch.infer import diagnostics as report
from pcbatch.infer import refusals
from pcbatch.semantics.lists.dense import LooseRows, OnlyShared
from pcbatch.semantics.misuse import ValueOfDict


def is_of_dicts(error: ProgramError) -> bool:
    """Whether it is said of a container of containers that is no object of the prelude."""
    kinds = (
        refusals.HeldInList, refusals.ReadAddsKey, report.ChangesInPlace, report.ChangesObject,
        report.KeyedElement, report.ListOfDict, report.SharedObject, report.StoreIntoDict,
    )  # fmt: skip
    return isinstance(error.diagnostic, kinds)


def is_of_functions(error: ProgramError) -> bool:
    """Whether it is said of what may be one of several functions, as far as can be told."""
    of_choice = isinstance(error.__cause__, ValueOfDict | TypeError)
    return of_choice or isinstance(error.diagnostic, report.JoinConflict)


def is_of_rows(error: ProgramError) -> bool:
    """Whether it is said of a list that may be a row of several lists."""
    kinds = (
        report.ListInList, report.RowChanged, report.RowReplaced, report.StoreIntoList,
        report.VariableKept,
    )  # fmt: skip
    return isinstance(error.diagnostic, kinds) or isinstance(
        error.__cause__, (OnlyShared, LooseRows)
    )


def nearest(before: ProgramError | None, now: ProgramError) -> ProgramError:
    """What to say of a program: what was wrong with its objects as structures, unless the heap has
    a meaning for that."""
    if before is None or isinstance(before.diagnostic, report.StructureWithoutEnd):
        return now
    of_structures = (
        refusals.Unsupported, report.ChangedThenRaised, report.JoinConflict, report.ListElement,
        report.NoneBeside, report.SharedObject,
    )  # fmt: skip
    fits = not isinstance(now.diagnostic, report.AttributeOnHeap)
    return now if fits and isinstance(before.diagnostic, of_structures) else before
