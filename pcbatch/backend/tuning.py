"""The numbers by which the machine decides, one set for each kind of processor.

None of them changes a result. Each says what it bounds and the command that shows what another
value would cost; a test that depends on a value passes its own set.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Tuning:
    """The constants of the sweep.

    A *cost* is operations and moved numbers for each member. Where several numbers belong to one
    decision the command stands at the first of them.

    Attributes:
      small: a block of at most this cost runs for the whole batch, under a mask.
        (`python -m bench optimizations --without buckets`)
      in_a_row: how often at most a loop of one small block runs in a row, which XLA makes one pass.
        (`python -m bench optimizations --without repetition`)
      in_a_row_compacted: the same in a compacted bucket, where each round is counted.
      outlined: in a kernel a block of this many arithmetic operations is a loop of its own: XLA
        would compute parts of it once for each block and register that need them.
        (`python -m bench optimizations --without "outlined blocks"`)
      dominant: a block is dominant if it costs this many times what all cheaper blocks cost.
        (`python -m bench near_limit`)
      longest_wait: in every so many turns, at the latest, the members that wait for a dominant
        block run.
      kernel_lanes: the lanes of a bucket that is part of a kernel: a vector of float32 numbers.
        (`python -m bench against_samplers_uneven`)
      fewest_lanes: any other bucket has at least so many lanes, or the whole batch.
      worth: a bucket is worth running if this share of its lanes is filled and smaller buckets are
        left. (`python -m bench lanes`)
      masked_work: a program of at most this cost, for the whole batch together, runs under masks as
        a whole: then what a turn costs is that its operations begin.
        (docs/notes/2026-11-gpu.md)
      bucket_work: a bucket does at least so much, or has the whole batch.
      rounds: blocks run at most so often in a row before the next ones.
        (`python -m bench optimizations --without rounds`)
      compacted_share: a compacted bucket has this small a share of the batch.
        (`python -m bench against_batching`)
      compacted_lanes: and at least so many lanes, where there are as many buckets as
        `fewest_compacted` says: a round begins as many operations for few lanes as for many.
      fewest_compacted: so many compacted buckets share a batch at least.
      compacted_members: a batch of fewer members has no compacted buckets.
      rounds_together: a compacted bucket stays together for so many rounds at least: gathering and
        putting back cost as much as a few rounds.
      most_rounds_together: and for about so many rounds at most.
      busy: a compacted bucket parts when a smaller share of its lanes can move and others wait.
      rows_at_once: a loop over members treats so many in a turn, in the processor's registers, if
        the batch has as many members as `many_rows` says; else one, as it compiles faster.
      fused_share: a compacted bucket has this small a share of the batch where rounds are one fused
        pass, which takes little more time for more lanes.
        (`python -m bench optimizations --without "fused pass"`)
      fused_lanes: and at least so many lanes.
      fused_steps: a fused pass of several rounds is about so many instructions for a lane.
      fused_unrolled: and one of a single round at most so many, which is what LLVM unrolls: the row
        with which a pass begins counts as a round.
      fused_arrays: of more arrays LLVM makes no vectors.
      fused_rounds: a fused pass has at most so many rounds.
      fused_overhead: instructions that see whether a lane stands at a block, choose the next and
        count.
      bucket_fewest: the smallest bucket of a dominant block has at least so many lanes.
        (`python -m bench optimizations --without "bucket sizes"`)
      bucket_shares: and about this small a share of the largest.
      bucket_step: each bucket is so many times as large as the next smaller one.
      bucket_tile: a largest bucket has a multiple of so many lanes: tiles of matrix products.
      cached_cost: what a dominant block's bucket does in all at most, so that the processor's
        caches hold it. (`python -m bench optimizations --without caches`)
      few_lanes: where that makes fewer lanes than these, `cached_cost_of_few` holds.
      cached_cost_of_few: as `cached_cost`: without wide vectors a product of few rows takes no
        longer for each row, and caches nearer to a core hold the rest.
      last_lanes: where products have the members last a bucket has at most so many lanes,
        (`python -m bench near_limit`)
      last_cost: and does about so much.
      kernel_cost: what does more at a time is no kernel: XLA spreads it over threads.
        (`python -m bench optimizations --without outlining`)
      kernel_arithmetic: what has more arithmetic at a time has it outside of kernels.
      kernel_registers: what reads and writes more registers is no kernel, even if it only moves
        them: LLVM takes the square of that. (`python -m bench compile --programs variables:200`)
      longest_kernel: blocks of more to compile (`BlockInfo.length`) are never one kernel, and are
        compiled in groups. (`python -m bench compile`)
      group: the length of a group.
      longest_together: about so much to compile is one kernel where a batch has few members. LLVM
        takes more than twice as long for twice as much, and a kernel a microsecond to begin.
        (docs/notes/2026-11-first-calls.md)
      shard_members: a shard has at least so many members. (`python -m bench cores`)
      shard_work: and at least so much work, if all its members ran every block.
      shard_bytes: registers of so many bytes stay in a core's caches.
      shard_cached_members: a shard is cut for the caches only where it has so many members left.
      padded: while all lanes together cost no more, a third of them may be empty.
        (`python -m bench batch_sizes`)
      padded_bytes: a batch whose registers take more has no empty lanes: its arguments would be
        copied for them.
    """

    small: float = 64.0
    in_a_row: int = 8
    in_a_row_compacted: int = 4
    outlined: float = 16.0
    dominant: float = 3.0
    longest_wait: int = 64
    kernel_lanes: int = 8
    fewest_lanes: int = 32
    worth: float = 0.8
    masked_work: float = 0.0
    bucket_work: float = 0.0
    rounds: int = 16
    compacted_share: int = 20
    compacted_lanes: int = 128
    fewest_compacted: int = 6
    compacted_members: int = 192
    rounds_together: int = 8
    most_rounds_together: int = 64
    busy: float = 0.5
    rows_at_once: int = 4
    many_rows: int = 4096
    fused_share: int = 6
    fused_lanes: int = 64
    fused_steps: float = 180.0
    fused_unrolled: float = 300.0
    fused_arrays: int = 9
    fused_rounds: int = 8
    fused_overhead: float = 3.0
    bucket_fewest: int = 6
    bucket_shares: int = 64
    bucket_step: int = 8
    bucket_tile: int = 10
    cached_cost: float = 2.5e8
    few_lanes: int = 100
    cached_cost_of_few: float = 1e8
    last_lanes: int = 96
    last_cost: float = 5e8
    kernel_cost: float = 1e7
    kernel_arithmetic: float = 1e6
    kernel_registers: int = 150
    longest_kernel: int = 300
    group: int = 80
    longest_together: int = 500
    shard_members: int = 32
    shard_work: float = 1e5
    shard_bytes: int = 3 * 2**20
    shard_cached_members: int = 128
    padded: float = 1e5
    padded_bytes: int = 2**26

    def rows_in_a_turn(self, batch_size: int) -> int:
        """How many members a loop over members of a batch treats in a turn."""
        return self.rows_at_once if batch_size >= self.many_rows else 1


NARROW = Tuning()
"""Processors with vectors of at most 32 bytes. Measured on EPYC (Zen 3)."""
WIDE = Tuning(few_lanes=0)
"""Processors with vectors of 64 bytes. Measured on EPYC (Zen 4) and a Xeon."""
GPU = Tuning(
    masked_work=6e7,
    bucket_work=1e10,
    cached_cost=2e10,
    cached_cost_of_few=2e10,
    longest_kernel=10_000,
    group=10_000,
)
"""GPUs, where each operation takes a microsecond to begin, and asking whether a group of blocks has
anything to do takes longer. Measured on an H200, see docs/notes/2026-11-gpu.md."""
