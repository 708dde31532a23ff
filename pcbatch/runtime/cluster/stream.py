"""A stream of members on the workers of an executor: a part after the other, many at a time."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from pcbatch.ir.block_counts import Stats
from pcbatch.runtime import shards
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.cluster import refusals
from pcbatch.runtime.cluster.dispatch import Dispatcher
from pcbatch.runtime.cluster.engine import Workers
from pcbatch.runtime.cluster.part import Over
from pcbatch.runtime.cluster.run import MOST_PARTS, with_causes
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.refill import EndedMembers
from pcbatch.runtime.specialization import Specialization
from pcbatch.semantics.interrupts import interrupts
from pcbatch.vm.carry import Start
from pcbatch.vm.launch import number


class PartsWithWorkers:
    """Parts of a stream that are with workers; used like `RefilledLanes`.

    Args:
      specialization: the program.
      arguments: the first members, as many as a part has.
      options: how to run.
      workers: where; `parts` is how many parts are with them at a time.

    Attributes:
      cancelled: Ctrl-C has stopped the run, or whoever sets this does.

    Raises:
      ArgumentError: no worker can run this program, or this call.
    """

    def __init__(
        self,
        specialization: Specialization,
        arguments: Arguments,
        options: RunOptions,
        workers: Workers,
    ):
        refusals.check(specialization, arguments, options)
        self._specialization, self._size = specialization, arguments.batch_size
        self._most = workers.parts or MOST_PARTS
        self._machine = specialization.machine(self._size, options, self._most)
        self._shared = specialization.shared(arguments)
        self._dispatcher = Dispatcher(self._machine, self._shared, workers, options, self._most)
        self._members: dict[int, range] = {}
        self._count, self._parts = 0, 0
        self._counted: list[Stats] = []
        self._over: list[Over] = []
        self.cancelled = False
        self.refill(arguments)

    @property
    def free(self) -> int:
        """How many members `refill` takes now."""
        return self._size if self._dispatcher.going < self._most else 0

    @property
    def ahead(self) -> int:
        """How many members are read before the oldest result is there, so that workers are busy."""
        return 2 * self._most * self._size

    def stats(self) -> Stats:
        """The counts of the parts that are over."""
        return self._counted[0] if self._counted else Stats(0, ())

    def refill(self, arguments: Arguments) -> None:
        """Give a part to a worker; it has as many members as the first one, or fewer."""
        size = arguments.batch_size
        values = self._specialization.entry_inputs(arguments)
        lanes = np.arange(self._size) % size  # empty lanes compute on values of some member
        inputs = {
            name: tf.gather(x, lanes)
            for name, x in zip(self._machine.program.inputs, values, strict=True)
        }
        self._members[self._parts] = range(self._count, self._count + size)
        self._over += self._dispatcher.begin(self._parts, Start(inputs, number(size)), size)
        self._count, self._parts = self._count + size, self._parts + 1

    def advance(self) -> list[EndedMembers]:
        """Wait until a part is over. Once it is cancelled all are."""
        with interrupts() as heard:
            try:
                while not (self._over or self.cancelled or heard.is_set()):
                    self._over += self._dispatcher.wait()
            except KeyboardInterrupt:
                heard.set()
            self.cancelled |= heard.is_set()
            if self.cancelled:
                self._over += self._dispatcher.stop()
        over, self._over = self._over, []
        return [self._ended(part) for part in over]

    def close(self) -> None:
        """What is still with workers is wanted no more."""
        self._dispatcher.give_up()

    def _ended(self, part: Over) -> EndedMembers:
        indices = [*self._members.pop(part.number)]
        result = self._specialization.outcome(
            self._machine, part.end, self._shared, members=len(indices)
        )
        assert result.stats is not None
        self._counted = [shards.summed([*self._counted, result.stats])]
        faults = with_causes(result.faults, self._dispatcher.causes)
        return EndedMembers(indices, result.value, result.status.numpy(), faults)
