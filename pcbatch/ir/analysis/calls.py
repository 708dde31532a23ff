"""Which functions call which, and which calls can come back to their own function."""

from __future__ import annotations

from pcbatch import ir
from pcbatch.ir.analysis import effects, graph


def call_graph(program: ir.Program) -> dict[str, tuple[str, ...]]:
    """Map each function to the functions it calls, in order of appearance, each once."""
    return {
        name: tuple(dict.fromkeys(call.callee for call in calls(function)))
        for name, function in program.functions.items()
    }


def calls(function: ir.Function) -> tuple[ir.Call, ...]:
    """List the calls of a function, in order of appearance."""
    return tuple(
        operation
        for block in function.blocks
        for operation in block.operations
        if isinstance(operation, ir.Call)
    )


def all_of(program: ir.Program) -> tuple[ir.Call, ...]:
    """List the calls of all functions."""
    return tuple(call for function in program.functions.values() for call in calls(function))


def reached(program: ir.Program, start: str) -> dict[str, ir.Function]:
    """The function of a name, and all that it calls, directly or not."""
    found = {start: program.functions[start]}
    waiting = [start]
    while waiting:
        for call in calls(program.functions[waiting.pop()]):
            if call.callee not in found:
                found[call.callee] = program.functions[call.callee]
                waiting.append(call.callee)
    return found


def differentiated(program: ir.Program) -> frozenset[str]:
    """The functions of which a program asks for the gradient, with all that they call."""
    asked = {
        call.callee: None
        for function in program.functions.values()
        for call in calls(function)
        if is_differentiated(call)
    }
    return frozenset(name for callee in asked for name in reached(program, callee))


def is_whole(program: ir.Program, call: ir.Call) -> bool:
    """Whether a call must stay one: its callee is differentiated, or not recorded."""
    return is_differentiated(call) or program.functions[call.callee].recomputed


def is_differentiated(call: ir.Call) -> bool:
    """Whether a call asks for derivatives of its callee."""
    return call.wrt is not None or call.along is not None


def call_sites(program: ir.Program) -> dict[str, int]:
    """Count, for each function, the places that call it."""
    count = dict.fromkeys(program.functions, 0)
    for function in program.functions.values():
        for call in calls(function):
            count[call.callee] += 1
    return count


def recursion(program: ir.Program) -> dict[str, tuple[str, ...]]:
    """Map each function to the functions of its recursion: those it calls that call it back.

    Returns:
      By function, its strongly connected component of the call graph in the program's order; ()
      for a function that does not recurse.
    """
    called = call_graph(program)
    recursive = graph.cyclic(called)
    return {
        name: members if name in recursive else ()
        for members in graph.components(called)
        for name in members
    }


def allocates_once(program: ir.Program, function: str, label: ir.Label) -> bool:
    """Say whether a run of the program executes the block at most once.

    So it is where the block is in no loop, and its function is the entry or has one call site that
    is itself executed at most once. What a gradient computes again is executed twice. (A buffer may
    only be allocated in such a block.)
    """
    looping = {name: _blocks_in_loops(f) for name, f in program.functions.items()}
    recursive = recursion(program)
    while True:
        again = program.functions[function].recomputed
        if again or recursive[function] or label in looping[function]:
            return False
        sites = [
            (name, block.label)
            for name, caller in program.functions.items()
            for block in caller.blocks
            for operation in block.operations
            if isinstance(operation, ir.Call) and operation.callee == function
        ]
        if function == program.entry:
            return not sites
        if len(sites) != 1:
            return not sites
        function, label = sites[0]


def _blocks_in_loops(function: ir.Function) -> frozenset[ir.Label]:
    return graph.cyclic({b.label: effects.jumps(b.terminator) for b in function.blocks})
