"""The modules that compiled expressions call, by the names that they have in them."""

from __future__ import annotations

import builtins

from pcbatch.frontend import lazy_steps, loop_protocol, ranges, selecting, unpacking
from pcbatch.semantics import (
    builtin_functions,
    conditional,
    dispatch,
    displays,
    generated,
    inplace,
    iterators,
    merging,
    object_elements,
    operators,
    prelude,
    row_lists,
    several,
    vocabulary,
)

OPERATORS = "__pcbatch__"
FUNCTIONS = "__functions__"
DISPLAYS = "__displays__"
LOOPS = "__loops__"
RANGES = "__ranges__"
UNPACKING = "__unpacking__"
SELECTING = "__selecting__"
LAZY = "__lazy__"
VOCABULARY = "__vocabulary__"
IN_PLACE = "__in_place__"
PRELUDE = "__prelude__"
ROW_LISTS = "__row_lists__"
ITERATORS = "__iterators__"
GENERATED = "__generated__"
OBJECTS = "__objects__"
CONDITIONAL = "__conditional__"
DISPATCH = "__dispatch__"
SEVERAL = "__several__"
MERGING = "__merging__"

RUNTIME = {
    OPERATORS: operators,
    FUNCTIONS: builtin_functions,
    DISPLAYS: displays,
    LOOPS: loop_protocol,
    RANGES: ranges,
    UNPACKING: unpacking,
    SELECTING: selecting,
    LAZY: lazy_steps,
    VOCABULARY: vocabulary,
    IN_PLACE: inplace,
    PRELUDE: prelude,
    ROW_LISTS: row_lists,
    ITERATORS: iterators,
    GENERATED: generated,
    OBJECTS: object_elements,
    CONDITIONAL: conditional,
    DISPATCH: dispatch,
    SEVERAL: several,
    MERGING: merging,
}
"""What compiled expressions call, by the names that they have for it."""

OF_PROGRAM = {
    name: RUNTIME[name]
    for name in (DISPATCH, GENERATED, ITERATORS, MERGING, OBJECTS, PRELUDE, ROW_LISTS)
}
"""Those that have functions of the program."""

GLOBALS = {"__builtins__": builtins, **RUNTIME}
"""The global names of a compiled expression."""
