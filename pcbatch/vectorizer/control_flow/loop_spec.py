"""What is known of a loop before it is built: what goes round, what each trip moves or repeats."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import tensorflow as tf

from pcbatch.backend.private import graphs
from pcbatch.vectorizer.control_flow import hoisted_sums
from pcbatch.vectorizer.control_flow.bounds import Loop
from pcbatch.vectorizer.interpreter import Interpreter
from pcbatch.vectorizer.kinds import ANY, Kind, ListKind, PlainKind
from pcbatch.vectorizer.lists import rows
from pcbatch.vectorizer.session import Session
from pcbatch.vectorizer.values import ListOf, Plain, Value


@dataclasses.dataclass(frozen=True)
class LoopSpec:
    """One loop, as it is to be built.

    Attributes:
      session: what it is built in.
      op: the loop in the graph of one member.
      inputs: where its variables begin; then the lists of the factors of `sums`.
      cond, body: its graphs.
      body_outputs: what the body computes; then the factors of `sums`.
      loop: how its variables change, read from its graphs.
      trips: how many there are at most; None: not known.
      sums: the variables that are sums of matrix products, and the products of a trip.
      repeated: the lists to which each trip pushes one value that the loop does not change.
      carried: the variables that go round.
      wanted: those of them whose last value is read.
      moves: by how much each trip moves the length of a list or a shared counter.
      mask: bool[B], the members that run it; None: all.
      fault: int32[B], what the members have failed of; None: it is not asked.
    """

    session: Session
    op: tf.Operation
    inputs: Sequence[Value]
    cond: graphs.FuncGraph
    body: graphs.FuncGraph
    body_outputs: Sequence[tf.Tensor]
    loop: Loop
    trips: int | None
    sums: Mapping[int, list[hoisted_sums.MatrixProduct]]
    repeated: Mapping[int, Plain]
    carried: Sequence[int]
    wanted: frozenset[int]
    moves: Mapping[int, int]
    mask: tf.Tensor | None
    fault: tf.Tensor | None

    @property
    def size(self) -> int:
        """B."""
        return self.session.size

    def pops(self, i: int) -> bool:
        """Whether list i may lose elements."""
        value = self.inputs[i]
        assert isinstance(value, ListOf)
        is_factor = i >= len(self.body.inputs)
        return value.popped or not (is_factor or self.loop.only_longer(i))

    def all_values(self, carried: Sequence[Value]) -> list[Value]:
        """The values of all variables, from those that go round."""
        every = list(self.inputs)
        for i, value in zip(self.carried, carried, strict=True):
            every[i] = value
        return every

    def condition(self, values: Sequence[Value]) -> Plain:
        """Whether another trip is made, from the values of all variables."""
        interpreter = Interpreter(self.session)
        values = list(values[: len(self.cond.inputs)])
        (result,) = interpreter.graph(self.cond, values, self.cond.outputs[:1])
        return interpreter.plain(self.op, result)

    def first_kind(self, i: int) -> Kind:
        """A guess of the kind of variable i, to be widened."""
        kind = self.inputs[i].kind
        if isinstance(kind, ListKind) and i in self.repeated:
            return dataclasses.replace(kind, capacity=self.trips, repeated=self.repeated[i])
        if isinstance(kind, PlainKind):
            return dataclasses.replace(kind, range=ANY)
        if isinstance(kind, ListKind) and i < len(self.body.inputs):
            pushes = _pushes(self.body.inputs[i])
            if kind.capacity is None or (pushes and self.trips is None and not kind.sealed):
                return dataclasses.replace(kind, capacity=None)
            room = 0 if kind.sealed else pushes * (self.trips or 0)
            return dataclasses.replace(kind, capacity=kind.capacity + room, sealed=True)
        return kind


def analyzed(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> LoopSpec:
    """Read from the graphs of a loop how it is to be built."""
    session = interpreter.session
    cond, body = graphs.called(op, "cond"), graphs.called(op, "body")
    outputs = graphs.outputs_of_call(op, body)
    loop = Loop(cond, body, outputs, inputs)
    trips = loop.trips()
    sums = _sums(cond, body, outputs, inputs, trips) if session.xla and trips is not None else {}
    for i in sums:
        outputs[i] = body.inputs[i]
    outputs += [factor for products in sums.values() for p in products for factor in p.factors]
    repeated = _repeated(interpreter, loop, body, inputs)
    for i in repeated:
        outputs[i] = body.inputs[i]
    factors = range(len(inputs), len(outputs))
    every = [*inputs, *(hoisted_sums.no_factors(trips or 0) for _ in factors)]
    changing = [
        i for i in range(len(inputs)) if i not in sums and (i in repeated or not loop.invariant(i))
    ]
    carried = [*changing, *factors]
    return LoopSpec(
        session=session,
        op=op,
        inputs=every,
        cond=cond,
        body=body,
        body_outputs=outputs,
        loop=loop,
        trips=trips,
        sums=sums,
        repeated=repeated,
        carried=carried,
        wanted=frozenset(i for i in changing if interpreter.reads(op.outputs[i])),
        moves=_moves(loop, every, carried, len(body.inputs)),
        mask=session.mask,
        fault=session.fault,
    )


def _sums(
    cond: graphs.FuncGraph,
    body: graphs.FuncGraph,
    outputs: list[tf.Tensor],
    inputs: list[Value],
    trips: int,
) -> dict[int, list[hoisted_sums.MatrixProduct]]:
    found = {
        i: hoisted_sums.terms(cond, body, outputs, i, trips)
        for i, value in enumerate(inputs)
        if isinstance(value, Plain)
    }
    return {i: products for i, products in found.items() if products is not None}


def _repeated(
    interpreter: Interpreter, loop: Loop, body: graphs.FuncGraph, inputs: list[Value]
) -> dict[int, Plain]:
    found: dict[int, Plain] = {}
    for i, value in enumerate(inputs):
        if not isinstance(value, ListOf) or not rows.is_empty(value.element):
            continue
        item = loop.pushed(i)
        if item is None or value.repeated is not None:
            continue
        (outside,) = Interpreter(interpreter.session).graph(body, inputs, [item], effects=False)
        if isinstance(outside, Plain):
            found[i] = outside
    return found


def _moves(loop: Loop, inputs: list[Value], carried: list[int], count: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for i in carried:
        value = inputs[i]
        step = None
        if isinstance(value, ListOf) and i < count:
            step = loop.moved(i)
        elif isinstance(value, Plain) and not value.stacked and not value.kind.shape:
            step = loop.step(i)
        if step is not None:
            found[i] = step
    return found


def _pushes(tensor: tf.Tensor) -> int:
    """How often the body pushes to a list, one push after the other."""
    count = 0
    while True:
        following = [op for op in tensor.consumers() if op.type == "TensorListPushBack"]
        if not following or following[0].inputs[0] is not tensor:
            return count
        tensor, count = following[0].outputs[0], count + 1
