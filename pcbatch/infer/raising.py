"""Where members go on for which an operation of a block raises, see `catching`."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.call_writer import Edge, Way
from pcbatch.infer.catching import Raised, around
from pcbatch.infer.domain import Static, static
from pcbatch.infer.holding import Holding
from pcbatch.infer.instance import Binding, Environment, Instance
from pcbatch.semantics.caught import caught, raised_of
from pcbatch.semantics.static_values import UnrollIndex

if TYPE_CHECKING:
    from pcbatch.infer.calls import Callee, Operand
    from pcbatch.infer.evaluation import Evaluation


class Catching(Holding):
    """What becomes of exceptions in one block."""

    @property
    def handlers(self) -> tuple[ir.Handler, ...]:
        return self.instance.blocks[self.place.label].handlers

    @property
    def is_caught(self) -> bool:
        """Whether an exception may be caught here, or in a caller."""
        return bool(self.handlers or self.instance.caught)

    @property
    def caught(self) -> tuple[type, ...]:
        """The classes of exceptions that are."""
        return around(self.handlers, self.instance.caught)

    def instance_called(
        self, callee: Callee, arguments: dict[str, Operand], span: Span
    ) -> Instance:
        """The function that a call runs, see `Engine.instance`, which this one is known to run."""
        own = self.instance.callee.function.__code__
        self.engine.lending.calls.note(own, callee.function.__code__)
        return self.engine.instance(callee, arguments, span, self.caught)

    def may_raise(self, outcome: Evaluation, span: Span) -> None:
        """Note where members go on that an operation's checks would stop."""
        for message, _ in outcome.trace.checks:
            self.way_out(message, span)

    def way_out(
        self,
        message: str,
        span: Span,
        kind: type[BaseException] | None = None,
        told: bool = False,
        given: tuple[Any, ...] | None = None,
    ) -> Way | None:
        """Where a member goes on for which Python raises; None where it stops."""
        return self._way_out(Raised(message, span, kind, given), told) if self.is_caught else None

    def ways_out(self, target: Instance) -> list[tuple[int, Way]]:
        """Where members go on for which a call has raised, by the number of the exception."""
        numbers = sorted(target.raised)
        ways = [(n, self._way_out(self.engine.exceptions[n])) for n in numbers]
        return [(n, way) for n, way in ways if way is not None]

    def raised_again(self, variable: str, span: Span) -> Raised:
        """The exception that a handler is run for."""
        value = self.env[variable].value
        assert value is not None
        (leaf,) = value.leaves
        assert isinstance(leaf, Static)
        return self.engine.exceptions[int(leaf.value)]

    def tell(self, op: ir.Primitive) -> None:
        """Have variables be what is told of the exception that a handler is run for."""
        raised = self.raised_again(op.args[0], op.span)
        kind: Any = raised.cls or Exception
        told = (kind, caught(kind, raised), caught(types.TracebackType, raised))
        for target, value in zip(op.targets, told, strict=True):
            self.env[target] = Binding(static(value), op.span)

    def raised_by(self, variable: str, text: str, span: Span) -> Raised:
        """The exception whose class, or which itself, a variable holds.

        Raises:
          ProgramError: it holds neither.
        """
        value = self.env[variable].value if variable in self.env else None
        leaf = value.leaf if value is not None else None
        known = leaf.value if isinstance(leaf, Static) else None
        if isinstance(told := raised_of(known), Raised):
            return told
        if isinstance(known, BaseException):
            known, text = type(known), str(known)
        if not isinstance(known, type) or not issubclass(known, BaseException):
            raise ProgramError(report.RaisedNoException(span, variable, str(value)))
        return Raised(f"{known.__name__}: {text}" if text else known.__name__, span, known)

    def _told(self, raised: Raised, told: bool) -> Environment:
        """The variables of a handler, with what it is told of the exception."""
        known = self.env.get(ir.RAISED)
        if told and known is not None and known.value is not None:
            return self.env
        kind: Any = raised.cls or Exception
        value = static(caught(kind, raised, self.engine.exception(raised)))
        return {**self.env, ir.RAISED: Binding(value, raised.span)}

    def _way_out(self, raised: Raised, told: bool = False) -> Way | None:
        for handler in self.handlers:
            if raised.is_caught(handler.catches):
                env = self.env
                if handler.variable:
                    env = self._told(raised, told)
                    which = static(UnrollIndex(self.engine.exception(raised)))
                    env = {**env, handler.variable: Binding(which, raised.span)}
                self.engine.flow(self.instance, handler.label, env, raised.span)
                return self.edge(handler.label, raised.span, env)
        if not raised.is_caught(self.instance.caught):
            return None
        number = self.engine.exception(raised)
        self.engine.gives_back(self.instance, number)
        return number

    def edge(self, label: str, span: Span, env: Environment | None = None) -> Edge:
        """What an edge leads to and carries."""
        env = self.env if env is None else env
        place = self.engine.place(self.instance, label, env, span)
        there, flagged = self.instance.places[place], self.instance.source.unbound
        here = {v: env[v].value if v in env else None for v in there}
        pairs = ((v, here[v], there[v].value) for v in there if v in env or v in flagged)
        return place, [
            (v, a, b) for v, a, b in pairs if b is not None and (a is not None or v in flagged)
        ]
