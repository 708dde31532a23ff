"""How a machine runs a program: the stages of a turn, and in which form they are compiled.

A plan is a value. It begins as the published machine, which runs every block for the whole batch
under a mask, and each optimization of `sweep.registry` rewrites it.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, runtime_checkable

import tensorflow as tf

from pcbatch.vectorizer import AS_WRITTEN, Forms
from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context


class Part(Protocol):
    """A part of a turn.

    Attributes:
      codes: the blocks that it runs, in order; a loop of one block may be there several times.
      lanes: of one execution of a block.
    """

    @property
    def codes(self) -> tuple[BlockInfo, ...]: ...

    @property
    def lanes(self) -> int: ...

    def is_kernel(self, context: Context) -> bool:
        """Whether, where it is the only stage, the loop around it is one kernel."""
        ...


class Step(Part, Protocol):
    """A stage that is run once in each turn."""

    def run(
        self, context: Context, state: State, before: tf.Tensor, shared: Mapping[str, Any]
    ) -> State:
        """Run the blocks once.

        Args:
          context: the program.
          state: the carry.
          before: int64[], how many executions of a block by a member there were before this turn.
          shared: the shared values by name.
        """
        ...


@runtime_checkable
class WholeLoop(Part, Protocol):
    """A stage that is the only one of its plan, and runs all turns."""

    def run_turns(
        self,
        context: Context,
        state: State,
        shared: Mapping[str, Any],
        may_go_on: Callable[[State], tf.Tensor],
    ) -> State:
        """Run turn after turn until no member can move, or `may_go_on` of the carry is False."""
        ...


Stage = Step | WholeLoop


@dataclasses.dataclass(frozen=True)
class Plan:
    """How a machine runs a program.

    Attributes:
      stages: of a turn, in order.
      forms: which forms products with shared matrices may have.
      outlines: parts of the loop are one kernel of XLA each, where that pays.
    """

    stages: tuple[Stage, ...]
    forms: Forms = AS_WRITTEN
    outlines: bool = False

    @property
    def alone(self) -> Stage | None:
        """The only stage, if there is only one."""
        return self.stages[0] if len(self.stages) == 1 else None

    def codes(self, of: type[Part]) -> list[BlockInfo]:
        """The blocks of all stages of a kind, each once, in flow order."""
        found = {c.index: c for s in self.stages if isinstance(s, of) for c in s.codes}
        return [found[index] for index in sorted(found)]

    def lanes(self, context: Context) -> tuple[int, ...]:
        """How many lanes one execution of each block has."""
        sizes = [context.batch_size] * len(context.codes)
        for stage in self.stages:
            for code in stage.codes:
                sizes[code.index] = stage.lanes
        return tuple(sizes)


class Optimization(abc.ABC):
    """A rewriting of plans; each is a file of `vm.sweep`, and can go.

    Attributes:
      name: as `without=` takes it.
      purpose: what it does, in a sentence.
    """

    name: ClassVar[str]
    purpose: ClassVar[str]

    @staticmethod
    @abc.abstractmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """The better plan, or the same.

        Args:
          plan: what the optimizations before have made.
          context: the program, the batch's size and the target.
        """
