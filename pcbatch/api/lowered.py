"""A function lowered for one signature, and the executable made of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from pcbatch.errors import ArgumentError, MemberError
from pcbatch.infer.domain import BufferRef, Shared, Tensor
from pcbatch.ir import BufferType
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.options import RunOptions, check
from pcbatch.runtime.result import Result
from pcbatch.runtime.specialization import Specialization
from pcbatch.runtime.under_tapes import run_under_tapes
from pcbatch.semantics.pickling import OfThisProcess
from pcbatch.vm.final_state import Reason
from pcbatch.vm.machine import Machine
from pcbatch.vm.room import one_row, spill_bytes, tape_bytes

if TYPE_CHECKING:
    from pcbatch.tools.inspection.drawing import Picture
    from pcbatch.tools.inspection.moment import Moment


@dataclasses.dataclass(frozen=True)
class Memory:
    """What a run takes in memory, in bytes; XLA's intermediates come on top.

    Attributes:
      registers: of variables outside the stacks, program counters and stack pointers. They count
        twice: the loop works on a copy.
      stacks: as deep as at the beginning of a run. What members do not use of them takes no
        memory, as far as whole pages of the operating system are unused.
      tapes: what a gradient records, in the same way. Where runs have needed longer ones, those.
      tape_row: a row on each tape, of all members. A run whose members go at most n times through
        each block needs at most `n * tape_row`.
      buffers: of elements that the program writes one by one, and totals of one shard.
      results: where a batch runs in shards, whose results are put together, both copies. The rest
        is gone by then.
    """

    registers: int
    stacks: int
    tapes: int
    tape_row: int
    buffers: int
    results: int

    @property
    def total(self) -> int:
        """The most at any time."""
        return max(self.registers + self.stacks + self.tapes + self.buffers, self.results)


class Lowered(OfThisProcess):
    """The program at every stage.

    Attributes:
      typed: the typed call form, as inference has written it.
      call_form: the simplified typed call form, which "local" and "hybrid" run.
      stack_form: the stack form, which the machine runs.
      seconds: what the "front end" and the "passes" took.
    """

    def __init__(
        self,
        specialization: Specialization,
        arguments: Arguments,
        options: RunOptions,
        read: Callable[..., Arguments],
    ):
        self._specialization, self._arguments, self._options = specialization, arguments, options
        self._read = read
        self.typed = specialization.inferred.program
        self.call_form = specialization.simplified
        self.stack_form = specialization.stack
        self.seconds = specialization.seconds

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the stages, in order."""
        return tuple(self._specialization.stages)

    def as_text(self, stage: str | None = None) -> str:
        """The program as text: one stage, or all of them under headings."""
        texts = self._specialization.stages
        if stage is not None:
            return texts[stage]()
        return "\n".join(f"=== {name} ===\n{text()}" for name, text in texts.items())

    def graph(self) -> Picture:
        """The control-flow graph of the stack form as an SVG picture, `.svg` or `.save(path)`."""
        from pcbatch.tools.inspection.drawing import draw

        return draw(self.stack_form)

    def interpret(self, form: str) -> Any:
        """Run the reference interpreter, one member after the other; slow, for checking.

        Args:
          form: "call" or "stack".

        Returns:
          The value, as a batched call returns it.

        Raises:
          MemberError: a member stopped with a fault.
        """
        from pcbatch.ir import interpreter

        specialization, size = self._specialization, self._arguments.batch_size
        inputs = specialization.entry_inputs(self._arguments)
        shared = specialization.shared(self._arguments)
        outcomes = []
        for member in range(size):
            args = tuple(x[member] for x in inputs)
            if form == "call":
                outcome = interpreter.run_call_form(self.call_form, args, shared, member=member)
            else:
                outcome = interpreter.run_stack_form(self.stack_form, args, shared, member=member)
            if outcome.results is None:
                raise MemberError(f"member {member}: {outcome.fault}")
            outcomes.append(outcome)
        outputs = tuple(tf.stack(x) for x in zip(*(o.results for o in outcomes), strict=True))
        buffers = {
            name: tf.stack([o.buffers[name] for o in outcomes]) for name in outcomes[0].buffers
        }
        return specialization.value(outputs, buffers, shared, size)

    def compile(self, **overrides: Any) -> Compiled:
        """Compile for the machine, without running.

        Args:
          **overrides: `schedule`, `max_stack_depth`, `jit`, `shards`; `optimize=False` leaves every
            variable and block as the user wrote it, for stepping through the program;
            `without="compaction"`, or several names, leaves out what `pcbatch.OPTIMIZATIONS`
            explains, to measure what it does.

        Raises:
          ArgumentError: an option has a value that it cannot have.
        """
        if overrides.get("pad"):
            raise ArgumentError("pad=True: what is compiled for a batch of one size has that size")
        how = {"strategy": "pc", "jit": True, **overrides, "pad": False}
        options = check(dataclasses.replace(self._options, **how))
        return Compiled(self._specialization, self._arguments, options, self._read)


class Compiled(OfThisProcess):
    """A reusable executable for one signature and batch size.

    Attributes:
      options: how it runs.
    """

    def __init__(
        self,
        specialization: Specialization,
        arguments: Arguments,
        options: RunOptions,
        read: Callable[..., Arguments],
    ):
        self._specialization, self._arguments, self.options = specialization, arguments, options
        self._read = read
        cut = specialization.cut(arguments.batch_size, options)
        shards = -(-arguments.batch_size // max(cut.members, 1)) or 1  # of no members, too
        self._shard = specialization.machine(cut.lanes, options, shards)
        if options.jit:
            self._shard.compile(*self._specs(cut.lanes))

    @property
    def machine(self) -> Machine:
        """What runs the whole batch in one loop: step by step, or somewhere else."""
        return self._specialization.machine(self._arguments.batch_size, self.options)

    def _specs(self, size: int) -> tuple[dict[str, tf.TensorSpec], dict[str, tf.TensorSpec]]:
        """The inputs of a machine for so many members, and the shared values."""
        program = self._shard.program
        inputs = {
            name: tf.TensorSpec([size, *program.types[name].shape], program.types[name].dtype)
            for name in program.inputs
        }
        shared = {n: tf.TensorSpec(t.shape, t.dtype) for n, t in program.shared.items()}
        return inputs, shared

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on arguments of the signature that it was compiled for; the value alone.

        Raises:
          MemberError: some member failed.
        """
        return self.run(*args, **kwargs).check().value

    def run(self, *args: Any, **kwargs: Any) -> Result:
        """Run on arguments of the signature that it was compiled for.

        Raises:
          ArgumentError: the arguments have another signature or batch size.
        """
        arguments = self._fitting(args, kwargs)
        return run_under_tapes(self._specialization, arguments, self.options)

    def start(self, *args: Any, **kwargs: Any) -> Moment:
        """Stop a run before its first step.

        Args:
          *args, **kwargs: arguments of the signature that it was compiled for, at least one member.

        Returns:
          A `Moment`: `.member(i)` shows a member, `.step()` goes on.

        Raises:
          ArgumentError: the arguments have another signature or batch size.
        """
        from pcbatch.tools.inspection.member import Viewer
        from pcbatch.tools.inspection.moment import Moment

        arguments = self._fitting(args, kwargs)
        inputs = self._specialization.entry_inputs(arguments)
        named = dict(zip(self.machine.program.inputs, inputs, strict=True))
        carry = self.machine.begin(named)
        typed = self._specialization.inferred.program
        program = self._specialization.call_form(self.options)
        viewer = Viewer(self.machine, program, typed.functions)
        return Moment(carry, self._specialization.shared(arguments), self.machine, viewer)

    def step(self, state: Moment, steps: int = 1) -> Moment:
        """Make one step of the machine (or some); where no member can move, the state stays.

        Args:
          state: what `start` or `step` has returned.
          steps: how many.
        """
        return state.step(steps)

    def finish(self, state: Moment) -> Result:
        """The result so far: members that have not ended have the status of a step limit."""
        end = self.machine.finished(state.carry, Reason.LIMIT)
        return self._specialization.outcome(self.machine, end, state.shared)

    def _fitting(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        arguments = self._read(*args, **kwargs)
        same = arguments.signature() == self._arguments.signature()
        if not same or arguments.batch_size != self._arguments.batch_size:
            raise ArgumentError(
                "these arguments differ in structure, dtype, shape or batch size from those that "
                "the program was compiled for; lower and compile it for them"
            )
        return arguments

    def memory(self) -> Memory:
        """The sizes of registers, stacks, tapes and buffers."""
        program, size = self._shard.program, self._arguments.batch_size
        layout = self._shard.layout

        def bytes_of(dtype: str, shape: tuple[int, ...]) -> int:
            return tf.TensorShape(shape).num_elements() * tf.as_dtype(dtype).size * size

        def buffer_bytes(buffer: BufferType) -> int:
            return bytes_of(buffer.element.dtype, (buffer.length, *buffer.element.shape))

        registers = sum(
            bytes_of(program.types[n].dtype, program.types[n].shape) for n in layout.registers
        )
        control = bytes_of("int32", (2 + len(layout.frames),))  # pc, fault, pointers
        buffers = sum(map(buffer_bytes, program.buffers.values()))
        buffers += sum(bytes_of(t.dtype, t.shape) // size for t in program.totals.values())
        results = 0
        if self._shard.batch_size < size:
            for leaf in self._specialization.inferred.result.leaves:
                match leaf:
                    case Tensor(type=type_) | Shared(type=type_):
                        results += 2 * bytes_of(type_.dtype, type_.shape)
                    case BufferRef(type=type_):
                        results += 2 * buffer_bytes(type_)
        tapes = tape_bytes(layout, size, self._shard.rows)
        stacks = spill_bytes(layout, size, self._shard.rows) - tapes
        row = tape_bytes(layout, size, one_row(layout))
        return Memory(2 * (registers + control), stacks, tapes, row, buffers, results)

    def as_text(self, dialect: str = "stablehlo", kernels: bool = False) -> str:
        """The compiled program as text.

        Args:
          dialect: "stablehlo", "hlo" or "optimized_hlo".
          kernels: as it runs on this machine, with parts that XLA makes one kernel each, and not as
            it would go elsewhere.
        """
        inputs, shared = self._specs(self._arguments.batch_size)
        zeros = {n: tf.zeros(s.shape, s.dtype) for n, s in inputs.items()}
        shared_zeros = {n: tf.zeros(s.shape, s.dtype) for n, s in shared.items()}
        return self.machine.compiler_ir(zeros, shared_zeros, dialect, kernels)

    def export(self, path: str, platform: str | None = None, precision: str = "highest") -> None:
        """Write the program to a file that runs on any machine with JAX, without pcbatch.

        Args:
          path: the file, a zip archive: the program as a StableHLO portable artifact, a JSON
            header, the tensors that it captures, and `pcbatch_program.py`, which runs it.
          platform: "cpu" or "gpu": what the program is arranged for. It runs on the other, too, to
            the same results, but slower. None: a CPU.
          precision: of matrix products and convolutions: "highest" keeps what the dtypes can hold,
            with "default" a GPU may round float32 factors to 10 bits, which is faster.

        Raises:
          ArgumentError: there is no such platform or precision.
          PcbatchError: JAX is not installed here (extra "export").
        """
        from pcbatch.tools.export.write import export

        export(path, self._specialization, self._arguments, self.options, platform, precision)
