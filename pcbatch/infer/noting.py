"""Note, while a program is written down, which variables share an array, and which change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.array_steps import Step, global_nodes, nodes
from pcbatch.infer.call_writer import Edge
from pcbatch.infer.calls import Operand
from pcbatch.infer.domain import BufferRef, NewBuffer, Shared, Value
from pcbatch.infer.evaluation import Evaluation
from pcbatch.infer.holding import Holding
from pcbatch.infer.instance import Instance
from pcbatch.infer.maybe_none import carried_over
from pcbatch.infer.rebinding import Rebind


class Noting(Holding):
    """The steps of one block, see `shared_arrays`."""

    def note(self, step: Step) -> None:
        self.engine.shared_arrays.add(self.instance, self.place, step)

    def nodes(self, variable: str, value: Value) -> tuple[str, ...]:
        """The leaves of a variable that are arrays."""
        if variable not in self.instance.source.free:
            return nodes(variable, value)
        tensors, arrays = nodes(f"#{variable}", value), global_nodes(variable, value)
        found = zip(tensors, arrays, value.leaves, strict=True)
        return tuple(t if isinstance(leaf, Shared) else a for t, a, leaf in found)

    def note_moves(self, op: ir.Primitive, values: Sequence[Value]) -> None:
        """Note that variables are given others' values."""
        pairs = [
            (new, old)
            for target, arg, value in zip(op.targets, op.args, values, strict=True)
            for new, old in zip(nodes(target, value), self.nodes(arg, value), strict=True)
            if new and old
        ]
        self.note_pairs(op.targets, pairs, op.span)

    def note_pairs(
        self,
        targets: Iterable[str],
        pairs: Sequence[tuple[str, str]],
        span: Span,
        rebinds: bool = False,
    ) -> None:
        """Note that variables are assigned, and which of their arrays was which one before.

        Args:
          targets: the variables.
          pairs: the arrays.
          span: of the operation.
          rebinds: the variables see what the step before has changed.
        """
        by_source: dict[str, list[str]] = {}
        for new, old in pairs:
            by_source.setdefault(old, []).append(new)
        together = (frozenset((a, b)) for new in by_source.values() for a in new for b in new)
        self.note(
            Step(
                span,
                frozenset(targets),
                {new: frozenset([old]) for new, old in pairs},
                frozenset(pair for pair in together if len(pair) == 2),
                kinds={new: frozenset([old]) for new, old in pairs},
                rebinds=rebinds,
            )
        )

    def note_primitive(
        self,
        op: ir.Primitive | ir.Call,
        args: tuple[str, ...],
        values: tuple[Value, ...],
        outcome: Evaluation,
    ) -> None:
        """Note what a primitive makes of its arguments' arrays.

        Raises:
          ProgramError: it changes an array of which it reads another name afterwards.
        """
        found = outcome.sharers
        if found.seen:
            raise ProgramError(report.ChangedInHelper(op.span))
        given = [self.nodes(arg, value) for arg, value in zip(args, values, strict=True)]
        made = [nodes(t, value) for t, value in zip(op.targets, outcome.values, strict=True)]

        def of(leaves: Iterable[tuple[int, int]], names: Sequence[Sequence[str]]) -> Iterator[str]:
            return filter(None, (names[i][j] for i, j in leaves))

        everything = frozenset(filter(None, (name for names in given for name in names)))
        sources = {
            name: everything
            if isinstance(outcome.values[i].leaves[j], BufferRef | NewBuffer)
            else frozenset(of(found.sources.get((i, j), ()), given))
            for i, names in enumerate(made)
            for j, name in enumerate(names)
            if name
        }
        kinds = {
            made[i][j]: None if leaves is None else frozenset(of(leaves, given))
            for (i, j), leaves in found.kinds.items()
        }
        pairs = (frozenset(of(pair, made)) for pair in found.together)
        changed = frozenset(of(found.changed, given))
        # What is assigned anew behind it is not what a handler sees then.
        live = self.following() | self.handled().difference(args) if changed else set[str]()
        self.note(
            Step(
                op.span,
                frozenset(op.targets),
                sources,
                frozenset(pair for pair in pairs if len(pair) == 2),
                kinds=kinds,
                changed=changed,
                live=frozenset(live.difference(op.targets)),
                rebinds=isinstance(op, ir.Primitive) and isinstance(op.fn, Rebind),
                of_part=isinstance(op, ir.Primitive) and bool(getattr(op.fn, "of_part", "")),
            )
        )

    def known(self, name: str) -> Value | None:
        """The value of a variable of the function; None where it has none."""
        return self.env[name].value if name in self.env else None

    def note_mixed(self, names: Iterable[str], span: Span) -> None:
        """Note that a list is given elements."""
        known = [(name, self.known(name)) for name in names]
        found = (n for name, value in known if value is not None for n in self.nodes(name, value))
        self.note(Step(span, mixed=frozenset(filter(None, found))))

    def note_call(
        self, op: ir.Call, target: Instance, arguments: dict[str, tuple[str, ...]]
    ) -> None:
        """Note a call of a function of the program, and what each parameter is given."""
        result = nodes(op.targets[0], target.result) if target.result is not None else ()
        self.note(
            Step(
                op.span,
                frozenset(op.targets),
                callee=target.name,
                arguments=arguments,
                result=result,
                live=frozenset(self.kept(op.targets)),
            )
        )

    def note_edge(self, edge: Edge, span: Span) -> None:
        """Note which array is which one before where parts of variables may be None."""
        place, values = edge
        begun = [v for v, here, _ in values if here is None]
        lifted = [(v, a, b) for v, a, b in values if a is not None and a.tree != b.tree]
        pairs = [
            (new, old)
            for variable, here, there in lifted
            for new, (_, old) in zip(
                nodes(variable, there),
                carried_over(here, nodes(variable, here), there),
                strict=True,
            )
            if new and old
        ]
        sources = {new: frozenset([old]) for new, old in pairs}
        step = Step(span, frozenset([*begun, *(v for v, *_ in lifted)]), sources, kinds=sources)
        self.engine.shared_arrays.add_edge(self.instance, self.place, place, step)

    def with_nodes(self, variable: str, operand: Operand) -> Operand:
        """An operand whose leaves are called what they are called here."""
        return Operand(operand.value, self.nodes(variable, operand.value))

    def note_return(self, variable: str, value: Value) -> None:
        """Note what a function returns."""
        key, result = (self.instance.name, self.place), self.instance.result
        assert result is not None
        found = carried_over(value, self.nodes(variable, value), result)
        self.engine.shared_arrays.returned[key] = tuple(name for _, name in found)
