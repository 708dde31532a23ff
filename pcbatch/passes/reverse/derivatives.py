"""The way back through the primitives of a block.

What they have computed is computed again, and then each is differentiated, the last one first. So
an output that nothing has used adds nothing, and no primitive is differentiated twice.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from pcbatch import ir
from pcbatch.errors import Diagnostic, ProgramError
from pcbatch.ir.analysis import activity, effects
from pcbatch.ir.analysis.flow import Flow
from pcbatch.ir.analysis.liveness import Liveness, liveness
from pcbatch.ir.host_gradients import GradientThroughHost
from pcbatch.passes.reverse.backward import Back, Backward
from pcbatch.passes.reverse.derivative import Derivative
from pcbatch.passes.reverse.recomputed import Recomputed
from pcbatch.passes.reverse.region import Region, Versions, regions
from pcbatch.passes.reverse.scope import LARGE, LONG, Scope
from pcbatch.passes.reverse.through_calls import Through
from pcbatch.passes.tracing import captures, is_read, joins, trace


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
      scope: the names.
      wrt: with regard to what.
      by_rows: whether the program that is made may add rows to adjoints; it is not differentiated.
      recomputed: the functions that calls among the operations mean.

    Attributes:
      returned: the names of that of which a member has the derivative; the others are summed.
      totals: by name, what is added to: of what is summed over all members, a total of the program;
        of long arrays, and of large buffers, the adjoint.
      active: the variables and the buffers through which a derivative passes.

    Raises:
      ProgramError: a derivative would pass through what has none.
    """

    def __init__(
        self,
        program: ir.StackProgram,
        view: Flow,
        scope: Scope,
        wrt: tuple[ir.Source, ...],
        by_rows: bool,
        recomputed: Recomputed,
    ):
        self._program, self._scope, self._recomputed = program, scope, recomputed
        self._captured: dict[str, ir.Captured] = {}
        self._reads: dict[tuple[Any, tuple[ir.TensorType, ...]], tuple[str, ...]] = {}
        sources = [(self._source(x), x) for x in wrt]
        self._shared = {name: x for name, x in sources if not isinstance(x, int)}
        self.totals = {name: x.total for name, x in sources if isinstance(x, ir.Summed)}
        self.returned = [name for name, _ in sources if name not in self.totals]
        self.active = activity.active(
            program.blocks,
            scope.types,
            [name for name, _ in sources],
            program.outputs[:1],
            self._hidden,
        )
        self._refuse_host_calls()
        self._own = self._with_rows() if by_rows else {}
        self._calls = Through(scope, self.active, dict(self.totals))
        self.totals |= self._own
        live = liveness(view)
        self._back = {
            (block.label, region.start): self._through(region, _live_behind(live, block, region))
            for block in program.blocks
            for region in regions(block)
            if not isinstance(region.alone, ir.Store)
        }

    def back(self, block: ir.Block, region: Region) -> Back:
        """The way back through primitives, or through a call."""
        return self._back[block.label, region.start]

    def buffers_read(self) -> frozenset[str]:
        """The buffers that the way back reads."""
        found = {name for back in self._back.values() for name in back.inputs}
        return frozenset(found & self._program.buffers.keys())

    def _through(self, region: Region, live: frozenset[ir.Variable]) -> Back:
        if isinstance(call := region.alone, ir.Call):
            hidden = [(x, self._shared[x]) for x in self._hidden(call) if x in self.active]
            return self._calls.call(call, live, self._recomputed, hidden)
        if isinstance(call, ir.HostCall):
            return self._calls.host(call, live)
        span = region.operations[-1].span
        versions = Versions(region, self._scope, self._program.shared, self.active)
        way = Backward(versions, self._scope, self.active, span)
        assigned = [name for name in region.writes if name in self.active]
        for name in assigned:
            if name in live:
                way.begin(name)
        for primitive in reversed(way.versions.primitives):
            if outputs := way.outputs(primitive):
                self._differentiate(way, primitive, outputs)
        again, inputs = way.versions.again(way.needed)
        return Back(inputs, (*again, *way.operations), way.changed(assigned, live))

    def _differentiate(
        self, way: Backward, primitive: ir.Primitive, outputs: tuple[str, ...]
    ) -> None:
        inputs, hidden = tuple(dict.fromkeys(primitive.args)), self._hidden(primitive)
        sources = [x for x in (*inputs, *hidden) if way.is_active(x)]
        captured = tuple(self._captured[x] for x in sources if x in hidden)
        whole = self._own if primitive.batched else {}
        summed = tuple(x for x in sources if x in self.totals and x not in whole)
        wrt = tuple(x for x in sources if x not in summed)
        if not sources:
            return
        kept = tuple(x for x in wrt if way.has_adjoint(x))
        made = Derivative(primitive, inputs, outputs, wrt, kept, captured, summed)
        several = len(outputs) > 1
        if primitive.batched:
            self._refuse_shared(made)
            way.add(dataclasses.replace(made, apart=several), None, {})
            return
        types = tuple(self._scope.types[x] for x in primitive.args)
        if several and not joins(primitive.fn, types, _places(primitive, outputs)):
            for x in outputs if summed else ():
                one = dataclasses.replace(made, outputs=(x,), wrt=(), kept=())
                way.add(one, self._needed(one), self.totals)
            made = dataclasses.replace(made, apart=True, summed=())
        if made.wrt or made.summed:
            way.add(made, self._needed(made), self.totals)

    def _with_rows(self) -> dict[str, str]:
        """The adjoints of long arrays that nothing assigns, and of large buffers."""
        program, types = self._program, self._scope.types
        written = {
            name
            for block in program.blocks
            for i in (*block.operations, block.terminator)
            for name in effects.writes(i)
        }
        arrays = [x for x in self.returned if x in program.inputs and x not in written]
        long = [x for x in arrays if math.prod(types[x].shape) > LONG]
        large = [x for x in program.buffers if math.prod(types[x].shape) > LARGE]
        return {x: self._scope.bar_of_rows(x) for x in (*long, *large) if x in self.active}

    def _needed(self, made: Derivative) -> tuple[int, ...]:
        """The positions of the arguments that a derivative depends on."""
        names = (*made.inputs, *made.outputs, *made.kept)
        return trace(made, tuple(self._scope.types[x] for x in names)).needed

    def _source(self, source: ir.Source) -> str:
        """The name of what one differentiates by."""
        match source:
            case ir.Summed(source=inner):
                return self._source(inner)
            case int(position):
                return self._program.inputs[position]
            case ir.Captured():
                name = self._scope.name(source.name, source.type)
                self._captured[name] = dataclasses.replace(source, name=name)
                return name
        return source

    def _hidden(self, primitive: ir.Primitive | ir.Call) -> tuple[str, ...]:
        """What of that a primitive, or a function, reads by itself."""
        if isinstance(primitive, ir.Call):
            reads, callee = self._recomputed.reads, primitive.callee
            return tuple(x for x, source in self._shared.items() if reads(callee, _of(source)))
        if not self._captured or primitive.fn is ir.move:
            return ()
        key = primitive.fn, tuple(self._scope.types[name] for name in primitive.args)
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
            for instruction in (*block.operations, block.terminator):
                call = instruction.call if isinstance(instruction, ir.Await) else instruction
                if not isinstance(call, ir.HostCall) or self.active.isdisjoint(call.targets):
                    continue
                if call is not instruction or call.gradient is None:
                    raise ProgramError(GradientThroughHost(call.span, call.text))

    def _refuse_shared(self, made: Derivative) -> None:
        """The derivative of a batched function by what is shared is that of all members."""
        shared = [f"`{x}`" for x in (*made.wrt, *made.summed) if x in self._program.shared]
        shared += ["what it reads by itself"] if made.captured else []
        if shared:
            raise ProgramError(GradientThroughBatched(made.primitive.span, shared[0]))


def _of(source: ir.Source) -> Any:
    """What one differentiates by, whether it is summed or not."""
    return source.source if isinstance(source, ir.Summed) else source


def _live_behind(live: Liveness, block: ir.Block, region: Region) -> frozenset[ir.Variable]:
    """What is live behind a region."""
    after = [names for _, names in live.backward(block.label)][::-1]
    return after[region.end - 1]


def _places(primitive: ir.Primitive, outputs: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(i for i, name in enumerate(primitive.targets) if name in outputs)
