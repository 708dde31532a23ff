"""A batch cut into shards, one machine loop per shard, each in a thread of its own.

XLA on CPU spreads large operations over the cores, and matrix products above all; the small ones
between them run on one core. Loops of their own keep all cores busy, and a shard whose members have
ended keeps nobody waiting.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch import structure
from pcbatch.errors import ArgumentError
from pcbatch.options import RunOptions
from pcbatch.result import Result
from pcbatch.stats import Stats
from pcbatch.vm.driver import Cancelled, Hook
from pcbatch.vm.machine import Finished, Machine
from pcbatch.vm.state import State

LISTEN_SECONDS = 0.3


class Cancel(Hook):
    """Ends a shard's run when the user has stopped the whole."""

    period = LISTEN_SECONDS

    def __init__(self) -> None:
        self.event = threading.Event()

    def pause(self, state: State) -> State:
        if self.event.is_set():
            raise Cancelled
        return state


def shard_size(batch_size: int, count: int) -> int:
    """The members of one shard.

    Raises:
      ArgumentError: the shards would not have one size.
    """
    size, rest = divmod(batch_size, count)
    if rest:
        raise ArgumentError(
            f"a batch of {batch_size} cannot be cut into {count} shards of one size; choose a "
            "number of shards that divides it"
        )
    return size


def run_shards(
    machine: Machine,
    inputs: Mapping[str, tf.Tensor],
    shared: Mapping[str, Any],
    options: RunOptions,
) -> list[Finished]:
    """Run all shards at the same time; Ctrl-C ends them all.

    Args:
      machine: for batches of the size of a shard.
      inputs: the arguments of the whole batch by variable.
      shared: the shared values by name.
      options: of the run.

    Returns:
      Where each shard ended, in order.

    Raises:
      ArgumentError: the program calls the host, or is called inside a graph.
    """
    if machine.blocks.calls_host or tf.inside_function():
        raise ArgumentError(
            "a program that calls the host, or runs inside a tf.function, runs in one shard"
        )
    size, cancel = machine.batch_size, Cancel()

    def run(shard: int) -> Finished:
        own = {name: x[shard * size : (shard + 1) * size] for name, x in inputs.items()}
        return machine.run(machine.begin(own), shared, options.max_steps, (cancel,))

    with concurrent.futures.ThreadPoolExecutor(options.shards) as pool:
        futures = [pool.submit(run, shard) for shard in range(options.shards)]
        try:
            concurrent.futures.wait(futures)
        except KeyboardInterrupt:
            cancel.event.set()
        return [future.result() for future in futures]


def merge(results: Sequence[Result]) -> Result:
    """One result of the shards' results, in order.

    Counts are summed; `steps` is that of the longest shard.
    """
    values = [structure.flatten(result.value) for result in results]
    leaves = [_joined(parts) for parts in zip(*(v[0] for v in values), strict=True)]
    status = tf.concat([result.status for result in results], 0)
    return dataclasses.replace(
        results[0],
        value=structure.unflatten(values[0][1], leaves),
        status=status,
        faults={k: fault for result in results for k, fault in result.faults.items()},
        stats=_summed([result.stats for result in results if result.stats is not None]),
    )


def _joined(parts: tuple[Any, ...]) -> Any:
    return tf.concat(parts, 0) if tf.is_tensor(parts[0]) else parts[0]


def _summed(stats: Sequence[Stats]) -> Stats:
    blocks = (
        dataclasses.replace(
            same[0],
            executions=sum(b.executions for b in same),
            active=sum(b.active for b in same),
        )
        for same in zip(*(s.blocks for s in stats), strict=True)
    )
    return Stats(max(s.steps for s in stats), tuple(blocks))
