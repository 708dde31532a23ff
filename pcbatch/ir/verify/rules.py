"""The rules that both forms share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pcbatch import ir
from pcbatch.ir.analysis import effects, flow
from pcbatch.ir.analysis.activity import is_floating, type_of_source
from pcbatch.ir.printer import operation_text

BOOL = ir.TensorType("bool", ())
INTEGERS = ("int32", "int64")


class BrokenRule(Exception):
    """A broken rule and its place; becomes a `VerificationError` at the border."""


def require(condition: bool, place: str, message: str) -> None:
    """Raise `BrokenRule` where the condition does not hold."""
    if not condition:
        raise BrokenRule(f"{place}: {message}")


def verify_blocks(blocks: tuple[ir.Block, ...], place: str) -> None:
    require(bool(blocks), place, "no blocks")
    labels = [block.label for block in blocks]
    require(len(set(labels)) == len(labels), place, "repeated label")
    require(ir.HALT not in labels, place, f"a block is called {ir.HALT!r}")
    for block in blocks:
        for label in effects.jumps(block.terminator):
            require(label in labels, f"{place}.{block.label}", f"no block {label!r}")


def verify_operation(
    operation: Any,
    types: Mapping[str, ir.TensorType],
    program: ir.Program | ir.StackProgram,
    place: str,
) -> None:
    constants = {**program.shared, **program.buffers}
    for name in effects.writes(operation):
        require(name in types, place, f"{name!r} has no type")
    match operation:
        case ir.Primitive(targets=targets, args=args):
            for name in args:
                require(name in types or name in constants, place, f"unknown name {name!r}")
            require(len(set(targets)) == len(targets), place, "repeated target")
            if operation.fn is ir.move:
                found = [types.get(name) or program.shared.get(name) for name in args]
                verify_types(found, [types[name] for name in targets], place)
        case ir.Call(targets=targets, args=args) if isinstance(program, ir.Program):
            callee = program.functions.get(operation.callee)
            if callee is None:
                raise BrokenRule(f"{place}: no function {operation.callee!r}")
            require(not operation.keywords, place, "keywords in typed form")
            wanted = [callee.types[name] for name in callee.params]
            tangents = [wanted[i] for i in operation.along or ()]
            require(all(map(is_floating, tangents)), place, "a tangent of no float")
            verify_types([types.get(name) for name in args], [*wanted, *tangents], place)
            results = list(callee.results)
            if operation.along is not None:
                results += filter(is_floating, callee.results)
            if operation.wrt is not None:
                require(bool(results) and is_floating(results[0]), place, "a result of no slope")
                for x in operation.wrt:
                    type_ = type_of_source(x, wanted, program.shared)
                    if isinstance(x, ir.Summed):
                        verify_types([program.totals.get(x.total)], [type_], place)
                    else:
                        results.append(type_)
            verify_types([types[name] for name in targets], results, place)
        case ir.Accumulate(targets=targets, totals=totals, args=args, linear=linear):
            require(isinstance(program, ir.StackProgram), place, "stack form only")
            for name in args:
                require(name in types or name in constants, place, f"unknown name {name!r}")
            for name in totals:
                known = name in program.totals or name in program.buffers
                require(known, place, f"no total and no buffer {name!r}")
            require(
                len({*targets, *totals}) == len(targets) + len(totals), place, "repeated target"
            )
            require(set(linear) <= set(range(len(args))), place, f"no arguments at {linear}")
        case ir.Store(buffer=buffer, index=index, value=value):
            array = program.buffers.get(buffer)
            if array is None:
                raise BrokenRule(f"{place}: no buffer {buffer!r}")
            verify_types([types.get(value)], [array.row(operation.several)], place)
            rows = array.length % (operation.several or 1) == 0
            require(rows, place, f"{array} is no number of rows of {operation.several} elements")
            kind = types.get(index)
            integer = kind is not None and kind.shape == () and kind.dtype in INTEGERS
            require(integer, place, f"the index is {kind}, not an integer scalar")
        case ir.Check(condition=condition):
            verify_types([types.get(condition)], [BOOL], place)
        case ir.HostCall():
            require(isinstance(program, ir.Program), place, "call form only; stack form awaits")
            verify_host_call(operation, types, constants, place)
        case ir.Push(variable=variable) | ir.Pop(variable=variable):
            require(isinstance(program, ir.StackProgram), place, "stack form only")
            require(variable in types, place, f"{variable!r} has no type")
        case _:
            raise BrokenRule(f"{place}: not an operation of this form")


def verify_host_call(
    call: ir.HostCall, types: Mapping[str, Any], constants: Mapping[str, Any], place: str
) -> None:
    for name in call.args:
        require(name in types or name in constants, place, f"unknown name {name!r}")
    for name in call.targets:
        require(name in types, place, f"{name!r} has no type")
    require(len(set(call.targets)) == len(call.targets), place, "repeated target")


def verify_types(
    found: Iterable[ir.TensorType | None], wanted: Iterable[ir.TensorType], place: str
) -> None:
    have, want = list(found), list(wanted)
    text = f"types ({', '.join(map(str, have))}), not ({', '.join(map(str, want))})"
    require(have == want, place, text)


def check_reads(view: flow.Flow, label: ir.Label, start: frozenset[str], place: str) -> None:
    defined = set(start)
    for instruction in view.instructions(label):
        for name in view.reads(instruction):
            text = f"{operation_text(instruction)}: {name!r} may be undefined"
            require(name in defined, f"{place}.{label}", text)
        defined.update(effects.writes(instruction))
    for name in view.results.get(label, ()):
        require(name in defined, f"{place}.{label}", f"output {name!r} may be undefined")
