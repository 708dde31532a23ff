"""Find the parameters that a recursion passes on unchanged.

Where every call inside a recursion gives a parameter the value that a parameter of the caller
already has, nothing overwrites it while the recursion runs. All such parameters that hold the same
value become one variable: no move at a call, no push.
"""

from __future__ import annotations

from collections.abc import Iterator

from pcbatch import ir
from pcbatch.ir.analysis import calls, effects

Parameter = tuple[str, ir.Variable]


def find(program: ir.Program) -> dict[Parameter, Parameter]:
    """Map each invariant parameter to the one that names its class.

    Args:
      program: in typed call form.

    Returns:
      By (function, parameter), the first parameter (in the program's order) of those that always
      hold the same value during a recursion. Parameters that may change are absent, and so are
      those of functions that do not recurse.
    """
    passed = list(_passed(program))
    kept = _unassigned(program)
    while True:
        group = _classes(kept, passed)
        wrong = {target for target, source in passed if source not in kept} & set(kept)
        wrong |= _ambiguous(kept, group)
        if not wrong:
            return group
        kept = [parameter for parameter in kept if parameter not in wrong]


def _unassigned(program: ir.Program) -> list[Parameter]:
    """The parameters of recursive functions that their functions never assign."""
    recursion = calls.recursion(program)
    kept = []
    for name, function in program.functions.items():
        assigned = {
            variable
            for block in function.blocks
            for operation in block.operations
            for variable in effects.writes(operation)
        }
        if recursion[name]:
            kept += [(name, p) for p in function.params if p not in assigned]
    return kept


def _passed(program: ir.Program) -> Iterator[tuple[Parameter, Parameter]]:
    """Each (parameter of the callee, argument of the caller) of the calls inside a recursion."""
    recursion = calls.recursion(program)
    for name, function in program.functions.items():
        for call in calls.calls(function):
            if call.callee in recursion[name]:
                params = program.functions[call.callee].params
                for param, arg in zip(params, call.args, strict=True):
                    yield (call.callee, param), (name, arg)


def _classes(
    kept: list[Parameter], passed: list[tuple[Parameter, Parameter]]
) -> dict[Parameter, Parameter]:
    group = {parameter: parameter for parameter in kept}
    for target, source in passed:
        if target in group and source in group:
            first = next(p for p in kept if p in (group[target], group[source]))
            old = {group[target], group[source]}
            group = {p: first if g in old else g for p, g in group.items()}
    return group


def _ambiguous(kept: list[Parameter], group: dict[Parameter, Parameter]) -> set[Parameter]:
    """The parameters whose class holds two parameters of one function: they may swap values."""
    seen: dict[tuple[str, Parameter], Parameter] = {}
    wrong: set[Parameter] = set()
    for parameter in kept:
        key = (parameter[0], group[parameter])
        if seen.setdefault(key, parameter) != parameter:
            wrong |= {p for p in kept if group[p] == group[parameter]}
    return wrong
