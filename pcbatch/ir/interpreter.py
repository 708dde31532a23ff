"""The meaning of both forms: interpreters for one member, small, slow and obvious.

Whatever a runtime does for a member of a batch must be what is done here, and whatever a pass does
to a program must not change what is computed here. Values are anything that the primitives take:
eager tensors normally. Variables live in plain dicts, stacks are Python lists.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.ir.host_gradients import on_host


class StopReason(enum.Enum):
    """Why a member stopped that neither returned nor failed."""

    STEP_LIMIT = "step limit"
    CANCELLED = "cancelled"


STEP_LIMIT, CANCELLED = StopReason.STEP_LIMIT, StopReason.CANCELLED


class Outcome(NamedTuple):
    """How a run ended.

    Attributes:
      results: the values returned, in order; None where the member stopped with a fault.
      fault: the message of the `Fail` or the `Check`, or why else it stopped; None where the member
        returned.
      buffers: what the buffers held at the end, by name.
      where: the place of the `Fail` or the `Check`.
      totals: what the member has added to each total, by name.
    """

    results: tuple[Any, ...] | None
    fault: str | StopReason | None
    buffers: Mapping[str, Any] = MappingProxyType({})
    where: Span | None = None
    totals: Mapping[str, Any] = MappingProxyType({})


def fresh_buffers(buffers: Mapping[str, ir.BufferType]) -> dict[str, Any]:
    """The buffers of a member that has not begun, by name: zeros."""
    return {
        name: tf.zeros((buffer.length, *buffer.element.shape), buffer.element.dtype)
        for name, buffer in buffers.items()
    }


class _Memory:
    """What is not in variables: shared values, the member, buffers and totals (first zero)."""

    def __init__(
        self, shared: Mapping[str, Any], program: ir.Program | ir.StackProgram, member: int
    ):
        self.shared, self.member = shared, member
        self.buffers = fresh_buffers(program.buffers)
        self.totals = {name: tf.zeros(t.shape, t.dtype) for name, t in program.totals.items()}

    def read(self, name: str, variables: Mapping[ir.Variable, Any]) -> Any:
        """The value of a variable, of a shared value or of a buffer."""
        for place in (variables, self.shared, self.buffers):
            if name in place:
                return place[name]
        raise KeyError(name)


@dataclasses.dataclass
class _Frame:
    """One activation of a function: where it stands and what its variables hold."""

    function: ir.Function
    variables: dict[ir.Variable, Any]
    block: ir.Block
    position: int = 0

    def go_to(self, label: ir.Label) -> None:
        self.block = next(block for block in self.function.blocks if block.label == label)
        self.position = 0


def run_call_form(
    program: ir.Program,
    args: tuple[Any, ...],
    shared: Mapping[str, Any],
    *,
    max_steps: int | None = None,
    member: int = 0,
    cancelled: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run a typed call-form program on one member.

    Args:
      program: the program.
      args: the value of each parameter of the entry function.
      shared: the value of each shared name.
      max_steps: stop with a fault after so many blocks have been entered.
      member: its number, which host calls are told.
      cancelled: asked before each operation; stop with a fault when it says so.

    Returns:
      The results of the entry function, or the fault.
    """
    memory = _Memory(shared, program, member)
    return _run_function(program, program.entry, args, memory, _Clock(max_steps, cancelled))


@dataclasses.dataclass
class _Clock:
    """When a run stops."""

    max_steps: int | None
    cancelled: Callable[[], bool]
    steps: int = 0

    def stops(self) -> StopReason | None:
        """Why the run stops here, if it does."""
        if self.max_steps is not None and self.steps > self.max_steps:
            return STEP_LIMIT
        return CANCELLED if self.cancelled() else None


def _run_function(
    program: ir.Program, name: str, args: tuple[Any, ...], memory: _Memory, clock: _Clock
) -> Outcome:
    frames = [_frame(program.functions[name], args)]
    while True:
        frame = frames[-1]
        clock.steps += frame.position == 0
        if why := clock.stops():
            return Outcome(None, why, memory.buffers)
        if frame.position < len(frame.block.operations):
            operation = frame.block.operations[frame.position]
            if isinstance(operation, ir.Call):
                values = tuple(frame.variables[name] for name in operation.args)
                if operation.wrt is not None or operation.along is not None:
                    run = _differentiated if operation.along is None else _along_tangents
                    outcome = run(program, operation, values, memory, clock)
                    if outcome.results is None:
                        return outcome
                    _resume(frame, outcome.results)
                    continue
                frames.append(_frame(program.functions[operation.callee], values))
            elif isinstance(operation, ir.Check) and not bool(frame.variables[operation.condition]):
                return Outcome(None, operation.message, memory.buffers, operation.span)
            else:
                _run(operation, frame.variables, memory)
                frame.position += 1
            continue
        match frame.block.terminator:
            case ir.Jump(target=target):
                frame.go_to(target)
            case ir.Branch() as branch:
                frame.go_to(_chosen(branch, frame.variables))
            case ir.Fail(message=message, span=span):
                return Outcome(None, message, memory.buffers, span)
            case ir.Return(values=names):
                results = tuple(frame.variables[name] for name in names)
                frames.pop()
                if not frames:
                    return Outcome(results, None, memory.buffers, totals=memory.totals)
                _resume(frames[-1], results)


def _differentiated(
    program: ir.Program, call: ir.Call, args: tuple[Any, ...], memory: _Memory, clock: _Clock
) -> Outcome:
    """Run a function under a tape; its results, and the derivative of the first."""
    assert call.wrt is not None
    values = tuple(map(tf.identity, args))
    with tf.GradientTape() as tape:
        watched = [_source(x, values, memory) for x in call.wrt]
        tape.watch(watched)
        outcome = _run_function(program, call.callee, values, memory, clock)
    if outcome.results is None:
        return outcome
    slopes = tape.gradient(
        outcome.results[0], watched, unconnected_gradients=tf.UnconnectedGradients.ZERO
    )
    found = []
    for source, slope in zip(call.wrt, map(tf.convert_to_tensor, slopes), strict=True):
        if isinstance(source, ir.Summed):
            memory.totals[source.total] += slope
        else:
            found.append(slope)
    return outcome._replace(results=(*outcome.results, *found))


def _along_tangents(
    program: ir.Program, call: ir.Call, args: tuple[Any, ...], memory: _Memory, clock: _Clock
) -> Outcome:
    """Run a function with tangents; its results, and the tangents of the floating ones."""
    assert call.along is not None
    count = len(args) - len(call.along)
    values = tuple(map(tf.identity, args[:count]))
    given = [values[i] for i in call.along]
    with tf.autodiff.ForwardAccumulator(given, list(args[count:])) as accumulator:
        outcome = _run_function(program, call.callee, values, memory, clock)
    if outcome.results is None:
        return outcome
    floats = [x for x in map(tf.convert_to_tensor, outcome.results) if x.dtype.is_floating]
    tangents = [accumulator.jvp(x, tf.UnconnectedGradients.ZERO) for x in floats]
    return outcome._replace(results=(*outcome.results, *tangents))


def _source(source: ir.Source, args: tuple[Any, ...], memory: _Memory) -> Any:
    match source:
        case int(position):
            return args[position]
        case ir.Captured(value=value):
            return value
        case ir.Summed(source=inner):
            return _source(inner, args, memory)
    return memory.shared[source]


def run_stack_form(
    program: ir.StackProgram,
    args: tuple[Any, ...],
    shared: Mapping[str, Any],
    *,
    max_steps: int | None = None,
    member: int = 0,
) -> Outcome:
    """Run a stack-form program on one member. Arguments and result as for `run_call_form`.

    A return address holds the label of a block. All variables share one dict, whatever function
    they came from: only what was pushed survives an assignment.
    """
    memory = _Memory(shared, program, member)
    blocks = {block.label: block for block in program.blocks}
    variables = dict(zip(program.inputs, args, strict=True))
    variables[program.address] = ir.HALT
    stacks: dict[ir.Variable, list[Any]] = {}
    label = program.blocks[0].label
    steps = 0
    while label != ir.HALT:
        steps += 1
        if max_steps is not None and steps > max_steps:
            return Outcome(None, STEP_LIMIT, memory.buffers)
        for operation in blocks[label].operations:
            match operation:
                case ir.Push(variable=name):
                    stacks.setdefault(name, []).append(variables[name])
                case ir.Pop(variable=name):
                    variables[name] = stacks[name].pop()
                case ir.Check(condition=name, message=message, span=span):
                    if not bool(variables[name]):
                        return Outcome(None, message, memory.buffers, span)
                case _:
                    _run(operation, variables, memory)
        match blocks[label].terminator:
            case ir.Jump(target=target):
                label = target
            case ir.Branch() as branch:
                label = _chosen(branch, variables)
            case ir.PushJump(return_to=return_to, target=target, address=address):
                variables[address] = return_to
                label = target
            case ir.Return(address=str(address)):
                label = variables[address]
            case ir.Fail(message=message, span=span):
                return Outcome(None, message, memory.buffers, span)
            case ir.Await(call=call, target=target):
                _run(call, variables, memory)
                label = target
    results = tuple(variables[name] for name in program.outputs)
    return Outcome(results, None, memory.buffers, totals=memory.totals)


def _frame(function: ir.Function, args: tuple[Any, ...]) -> _Frame:
    variables = dict(zip(function.params, args, strict=True))
    return _Frame(function, variables, function.blocks[0])


def _resume(frame: _Frame, results: tuple[Any, ...]) -> None:
    """Give a frame the results of the call at which it stands."""
    call = frame.block.operations[frame.position]
    frame.variables.update(zip(call.targets, results, strict=True))
    frame.position += 1


def _chosen(branch: ir.Branch, variables: Mapping[str, Any]) -> ir.Label:
    return branch.then if bool(variables[branch.condition]) else branch.orelse


def _run(operation: Any, variables: dict[str, Any], memory: _Memory) -> None:
    """Run a primitive, a host call or a store; a negative index counts from the end, and one
    outside the buffer stores nothing."""
    match operation:
        case ir.Primitive(targets=targets, fn=fn, args=args):
            if operation.batched:
                results = _run_batched(fn, args, variables, memory)
            else:
                results = fn(*(memory.read(name, variables) for name in args))
            variables.update(zip(targets, results, strict=True))
        case ir.Accumulate(targets=targets, totals=totals, fn=fn, args=args):
            values = [memory.read(name, variables) for name in args]
            results = fn(*values)
            variables.update(zip(targets, results[: len(targets)], strict=True))
            if any(bool(tf.reduce_any(tf.not_equal(values[i], 0))) for i in operation.linear):
                for name, added in zip(totals, results[len(targets) :], strict=True):
                    place = memory.totals if name in memory.totals else memory.buffers
                    place[name] += added
        case ir.HostCall(targets=targets, args=args):
            values = [memory.read(name, variables) for name in args]
            shared = [n in memory.shared and n not in variables for n in args]
            found = on_host(operation, values, shared, memory.member)
            variables.update(zip(targets, found, strict=True))
        case ir.Store(buffer=buffer, index=index, value=value):
            position = int(variables[index])
            whole = memory.buffers[buffer]
            several = () if operation.several is None else (operation.several,)
            rows = whole.shape[0] // (operation.several or 1)
            position += rows if position < 0 else 0
            if 0 <= position < rows:
                array = tf.reshape(whole, [rows, *several, *whole.shape[1:]])
                array = tf.tensor_scatter_nd_update(array, [[position]], [variables[value]])
                memory.buffers[buffer] = tf.reshape(array, whole.shape)


def _run_batched(
    fn: Any, args: tuple[str, ...], variables: dict[str, Any], memory: _Memory
) -> tuple[Any, ...]:
    """Call a function that takes the batch axis itself on a batch of one.

    Variables and buffers have the batch axis, shared values do not.
    """
    whole = []
    for name in args:
        value = memory.read(name, variables)
        is_shared = name not in variables and name in memory.shared
        whole.append(value if is_shared else tf.convert_to_tensor(value)[tf.newaxis])
    return tuple(tf.convert_to_tensor(result)[0] for result in fn(*whole))
