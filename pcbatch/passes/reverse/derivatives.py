"""What is differentiated: the active variables, and the derivative of each unit of a block."""

from __future__ import annotations

import dataclasses
from typing import Any

from pcbatch import ir
from pcbatch.errors import Diagnostic, ProgramError
from pcbatch.ir.analysis import activity
from pcbatch.ir.analysis.flow import Flow
from pcbatch.ir.analysis.liveness import liveness
from pcbatch.passes.reverse.derivative import Derivative, Unit, units
from pcbatch.passes.rewrite import Names
from pcbatch.passes.tracing import argument_types, captures, is_read, trace


@dataclasses.dataclass(frozen=True)
class GradientThroughHost(Diagnostic):
    title = "a gradient would pass through `{name}`"
    reason = "it is Python on the host, of which no derivative is known, and floats go through it."
    remedy = "keep what it gives out of the differentiated value, or compute it in the program."
    name: str


@dataclasses.dataclass(frozen=True)
class GradientThroughBatched(Diagnostic):
    title = "a gradient would pass through a batched function to what all members share"
    reason = (
        "it takes the batch axis itself, and does not say what each member's part is in the "
        "derivative with regard to {shared}."
    )
    remedy = "hand it over as an argument of each member, or write the function for ONE member."
    shared: str


class Derivatives:
    """What of a program is differentiated, and how.

    Args:
      program: in stack form; its first output is differentiated.
      view: its graph.
      names: those that are taken.
      wrt: with regard to what.

    Attributes:
      sources: the names of that.
      active: the variables and the buffers through which a derivative passes.
      types: of all that has a name in the program.

    Raises:
      ProgramError: a derivative would pass through what has none.
    """

    def __init__(
        self, program: ir.StackProgram, view: Flow, names: Names, wrt: tuple[ir.Source, ...]
    ):
        self._program = program
        self.types = argument_types(program.types, program)
        self._captured: dict[str, ir.Captured] = {}
        self._reads: dict[tuple[Any, tuple[ir.TensorType, ...]], tuple[str, ...]] = {}
        self.sources = [self._source(x, names) for x in wrt]
        self.active = activity.active(
            program.blocks, self.types, self.sources, program.outputs[:1], self._hidden
        )
        self._refuse_host_calls()
        self._live = liveness(view)
        self._known: dict[tuple[ir.Label, int], Derivative | None] = {}
        self._needed: dict[Derivative, tuple[int, ...]] = {}

    def of(self, block: ir.Block, unit: Unit) -> Derivative | None:
        """The derivative of primitives; None where nothing goes back through them."""
        key = (block.label, unit.start)
        if key not in self._known:
            live = tuple(live for _, live in self._live.backward(block.label))[::-1]
            self._known[key] = self._made(unit, live[unit.end - 1])
        return self._known[key]

    def needed(self, made: Derivative) -> tuple[int, ...]:
        """The positions of the arguments that a derivative depends on."""
        return self._needed[made]

    def argument_types(self, made: Derivative) -> tuple[ir.TensorType, ...]:
        """The types of the arguments of a derivative."""
        return tuple(self.types[x] for x in (*made.inputs, *made.outputs, *made.kept))

    def buffers_read(self) -> frozenset[str]:
        """The buffers that some derivative reads."""
        found: set[str] = set()
        for block in self._program.blocks:
            for unit in units(block):
                made = self.of(block, unit) if unit.store is None else None
                if made is not None:
                    read = (made.inputs[i] for i in self.needed(made) if i < len(made.inputs))
                    found.update(name for name in read if name in self._program.buffers)
        return frozenset(found)

    def _made(self, unit: Unit, live: frozenset[ir.Variable]) -> Derivative | None:
        outputs = tuple(x for x in unit.writes if x in self.active and x in live)
        if not outputs:
            return None
        hidden = dict.fromkeys(x for op in unit.operations for x in self._hidden(op))
        wrt = tuple(x for x in (*unit.reads, *hidden) if x in self.active)
        captured = tuple(self._captured[x] for x in wrt if x in hidden)
        made = Derivative(unit.operations, unit.reads, outputs, wrt, captured=captured)
        if made.batched:
            self._refuse_shared(made)
            made = dataclasses.replace(made, apart=len(outputs) > 1)
            self._needed[made] = tuple(range(len(self.argument_types(made))))
            return made
        known = trace(made, self.argument_types(made))
        if len(outputs) > 1 and not known.flat:
            made = dataclasses.replace(made, apart=True)
        self._needed[made] = known.needed
        return made

    def _source(self, source: ir.Source, names: Names) -> str:
        """The name of what one differentiates by."""
        match source:
            case int(position):
                return self._program.inputs[position]
            case ir.Captured():
                name = names.fresh(source.name)
                self.types[name] = source.type
                self._captured[name] = dataclasses.replace(source, name=name)
                return name
        return source

    def _hidden(self, primitive: ir.Primitive) -> tuple[str, ...]:
        """What of that a primitive reads by itself."""
        if not self._captured or primitive.fn is ir.move:
            return ()
        key = primitive.fn, tuple(self.types[name] for name in primitive.args)
        if key not in self._reads:
            read = captures(*key)
            self._reads[key] = tuple(
                name
                for name, x in self._captured.items()
                if any(is_read(x.value, other) for other in read)
            )
        return self._reads[key]

    def _refuse_host_calls(self) -> None:
        for block in self._program.blocks:
            match block.terminator:
                case ir.Await(call=ir.HostCall(targets=targets, text=text, span=span)):
                    if not self.active.isdisjoint(targets):
                        raise ProgramError(GradientThroughHost(span, text))

    def _refuse_shared(self, made: Derivative) -> None:
        """The derivative of a batched function by what is shared is that of all members."""
        shared = [f"`{x}`" for x in made.wrt if x in self._program.shared]
        shared += ["what it reads by itself"] if made.captured else []
        if shared:
            raise ProgramError(GradientThroughBatched(made.primitives[0].span, shared[0]))
