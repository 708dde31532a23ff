"""A batch cut into shards, one machine loop per shard, each in a thread of its own.

XLA on CPU spreads large operations over the cores, and matrix products above all; the small ones
between them run on one core. Loops of their own keep all cores busy, and a shard whose members have
ended keeps no other waiting.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch.backend import rows
from pcbatch.backend.target import this_machine
from pcbatch.backend.tuning import Tuning
from pcbatch.errors import ArgumentError
from pcbatch.ir.block_counts import Stats
from pcbatch.runtime import ladder, thread_pool
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.outcome import all_done
from pcbatch.runtime.result import Fault, Result, Status
from pcbatch.semantics import pytree
from pcbatch.vm.block_info import Prepared
from pcbatch.vm.sweep.caches import Caches


class Cut(NamedTuple):
    """How a batch is cut.

    Attributes:
      members: of one shard; the last may have fewer.
      lanes: of its loop; those without a member are empty.
    """

    members: int
    lanes: int


def cut(batch_size: int, program: Prepared, options: RunOptions) -> Cut:
    """How a batch is cut in a run, see `size` and `ladder.lanes`."""
    members = size(batch_size, program, options)
    return Cut(members, ladder.lanes(members, program, options))


def size(batch_size: int, program: Prepared, options: RunOptions) -> int:
    """The members of one shard; the last may have fewer.

    Without a number from the user there is a shard per core, in a compiled run on CPUs under the
    sweep, and several where blocks gather more than a core's caches hold. One loop is left to a
    small batch, to the switch (the published machine), and to a program that calls the host or a
    function of the whole batch, which would notice the cut.

    Args:
      batch_size: the members of all shards.
      program: what runs.
      options: how.

    Raises:
      ArgumentError: the user wants several where there can be one only.
    """
    alone = tf.inside_function() or program.calls_host
    if options.shards is not None:
        if alone and options.shards > 1:
            raise ArgumentError(
                "a program that calls the host, or runs inside a tf.function, runs in one shard"
            )
        return -(-batch_size // options.shards)
    swept = options.jit and options.schedule in ("auto", "sweep")
    if alone or not swept or program.takes_batch or tf.config.list_logical_devices("GPU"):
        return batch_size
    cores, tuning = thread_pool.cores(), this_machine().tuning
    worth = int(batch_size * program.cost / tuning.shard_work)
    number = max(1, min(cores, batch_size // tuning.shard_members, worth))
    if number == cores and Caches.name not in options.without:
        number *= _per_core(batch_size // cores, program, tuning)
    return -(-batch_size // number)


def _per_core(members: int, program: Prepared, tuning: Tuning) -> int:
    """How many shards a core has, so that its caches hold what buckets gather.

    Compacted buckets and small blocks go through memory in order, and a block that costs more than
    all others does not wait for it.

    Args:
      members: of all shards of a core.
      program: what runs.
      tuning: the numbers of this machine.
    """
    largest = max(code.cost for code in program.codes)
    if largest <= tuning.small or largest >= tuning.dominant * (program.cost - largest):
        return 1
    wanted = math.ceil(members * program.register_bytes / tuning.shard_bytes)
    return max(1, min(wanted, members // tuning.shard_cached_members))


def merge(results: list[Result]) -> Result:
    """One result of the shards' results, in order.

    Counts and totals are summed; `steps` is that of the longest shard.

    Args:
      results: of the shards; the list is left without their values, each of which goes as soon as
        it has been copied.
    """
    if len(results) == 1:
        return results[0]
    leaves, trees = zip(*(pytree.flatten(result.value) for result in results), strict=True)
    results[:] = [dataclasses.replace(result, value=None) for result in results]
    columns = [list(parts) for parts in zip(*leaves, strict=True)]
    del leaves
    return dataclasses.replace(
        results[0],
        value=pytree.unflatten(trees[0], [_joined(parts) for parts in columns]),
        status=_status([result.status for result in results]),
        faults=_faults(results),
        stats=summed([result.stats for result in results if result.stats is not None]),
        totals={
            name: tf.add_n([result.totals[name] for result in results])
            for name in results[0].totals
        },
    )


def _faults(results: Sequence[Result]) -> dict[int, Fault]:
    """What the statuses mean: a shard that has a status knows best."""
    found = dict(results[0].faults)
    for result in results:
        status = result.status.numpy()
        ended_badly = np.unique(status[status != Status.DONE])
        found |= {number: result.faults[number] for number in ended_badly.tolist()}
    return found


def _status(parts: list[tf.Tensor]) -> tf.Tensor:
    """The statuses of all members: where all are done, those that other runs have."""
    if all(part is all_done(int(part.shape[0])) for part in parts):
        return all_done(sum(int(part.shape[0]) for part in parts))
    return rows.joined(parts)


def _joined(parts: list[Any]) -> Any:
    """The parts of a value one after the other; the list is emptied."""
    if not tf.is_tensor(parts[0]):
        return parts.pop()
    whole = rows.joined(parts)
    parts.clear()
    return whole


def summed(stats: Sequence[Stats]) -> Stats:
    """The counts of several shards; `steps` is that of the longest."""
    blocks = (
        dataclasses.replace(
            same[0],
            executions=sum(b.executions for b in same),
            active=sum(b.active for b in same),
        )
        for same in zip(*(s.blocks for s in stats), strict=True)
    )
    return Stats(max(s.steps for s in stats), tuple(blocks))
