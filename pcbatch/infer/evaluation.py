"""What a primitive has given on abstract values."""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch.backend.op_traces import OpTrace
from pcbatch.infer.domain import Value
from pcbatch.infer.sharers import NONE, Sharers
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.lists.fresh import NOWHERE, Origins

Alias = tuple[int, int] | None


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ScratchTrace:
    """What the evaluation of a primitive has left in the scratch graph.

    Attributes:
      inputs: the placeholders of each argument leaf, in order.
      results: the leaves of each result.
      operations: all that were made.
      checks: the message of each exception that some members may have, in the order in which Python
        would come to them, and the condition under which there is none.
      assertions: what the assertions among the operations say; a last check says whether they hold.
    """

    inputs: tuple[tf.Tensor, ...]
    results: tuple[tuple[Any, ...], ...]
    operations: tuple[tf.Operation, ...]
    checks: tuple[tuple[str, tf.Tensor], ...] = ()
    assertions: tuple[str, ...] = ()

    def piece(self, selected: tuple[tuple[int, int], ...]) -> OpTrace:
        """The part that computes some leaves of the results, and the conditions of checks."""
        leaves = (self.results[i][j] for i, j in selected)
        outputs = [x.array if isinstance(x, Buffer) else x for x in leaves]
        outputs += [condition for _, condition in self.checks]
        return OpTrace(self.inputs, tuple(outputs), self.operations)


@dataclasses.dataclass(frozen=True, slots=True)
class Evaluation:
    """What a primitive gives: a value per target and, per leaf, the argument leaf that it is.

    Attributes:
      sharers: which arrays lie in which, and which are changed.
      hidden: where those lists are made that are held by objects which are no structures.
      twice: whether a list of the member has one array twice.
      rows: of which arguments a list is copied, as the row of another list.
      shared: of which arguments the rows are copied, into another list.
    """

    values: tuple[Value, ...]
    aliases: tuple[tuple[Alias, ...], ...]
    trace: ScratchTrace
    sharers: Sharers = NONE
    hidden: Origins = NOWHERE
    twice: bool = False
    rows: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()
