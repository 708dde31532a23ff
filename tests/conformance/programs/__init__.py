"""The shared programs: plain single-example functions, each with a batch to run it on."""

from __future__ import annotations

from tests.conformance.programs import (
    arrays,
    buffers,
    changing,
    classes,
    dtypes,
    everyday,
    expressions,
    helpers,
    hosted,
    keyed,
    library,
    lists,
    loops,
    numerics,
    polymorphic,
    randomness,
    recursion,
    references,
    rows,
    sequences,
    shaped,
    structures,
    tables,
    texts,
    vocabulary,
    widths,
)
from tests.conformance.programs.record import Program

THEMES = (
    recursion,
    references,
    polymorphic,
    library,
    loops,
    expressions,
    structures,
    tables,
    shaped,
    arrays,
    numerics,
    buffers,
    randomness,
    dtypes,
    helpers,
    changing,
    classes,
    hosted,
    keyed,
    lists,
    sequences,
    texts,
    vocabulary,
    widths,
    everyday,
    rows,
)

PROGRAMS: tuple[Program, ...] = tuple(program for theme in THEMES for program in theme.PROGRAMS)

BY_NAME: dict[str, Program] = {program.name: program for program in PROGRAMS}

__all__ = ["BY_NAME", "PROGRAMS", "THEMES", "Program"]
