"""Blocks in one pass over the lanes.

XLA on CPU makes a pass over the lanes for each register that blocks change, and computes in each
whatever it needs of the others: a loop with three variables computes everything three times. The
only operation with several results of which it makes one pass is a reduction of several arrays. So
some rounds of the blocks are such a reduction: of arrays with a row for where the lanes stand, and
a row for each round, of which nothing is read. The first row is taken as it is, and each other one
is a round.

The function that is reduced with is one of single numbers, so that blocks are in one pass only if
they need nothing else, no stacks and no buffers. LLVM makes vectors of lanes if it has unrolled the
rows, and does not have to compare too many arrays: the rounds have to be short.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.backend import rounding
from pcbatch.backend.private import xla_operations
from pcbatch.vectorizer.segments import Segment
from pcbatch.vm.block_info import BlockInfo, repeated
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.lanes import Lanes
from pcbatch.vm.sweep.compaction import Compacted, GoOn, whole_vectors
from pcbatch.vm.sweep.plan import Optimization, Plan
from pcbatch.vm.sweep.subloops import fits_kernel

BITS = 31
"""Of a word that counts for several blocks."""
NO_MEMBER = -1
"""The place of what is no lane yet."""


class FusedPass(NamedTuple):
    """Rounds of blocks that are one fused pass.

    Attributes:
      codes: the blocks of a round, in order; a loop of one block may be there several times.
      rounds: how many are one fused pass.
      most: how many there are at most before what was counted is read.
    """

    codes: tuple[BlockInfo, ...]
    rounds: int
    most: int

    @property
    def different(self) -> tuple[int, ...]:
        """The blocks, each once."""
        return tuple(dict.fromkeys(code.index for code in self.codes))

    @property
    def fields(self) -> tuple[tuple[int, int, int], ...]:
        """For each different block where it is counted: the word, the lowest bit, the bits."""
        fields, word, start = [], 0, 0
        for index in self.different:
            often = sum(code.index == index for code in self.codes)
            bits = (self.most * often).bit_length()
            if start + bits > BITS:
                word, start = word + 1, 0
            fields.append((word, start, bits))
            start += bits
        return tuple(fields)

    @property
    def words(self) -> int:
        """The words in which a lane counts."""
        return self.fields[-1][0] + 1


@dataclasses.dataclass(frozen=True, kw_only=True)
class CompactedPasses(Compacted):
    """A compacted bucket in which some rounds are one fused pass.

    Attributes:
      fused_pass: the rounds.
    """

    fused_pass: FusedPass

    can_outline: ClassVar[bool] = False

    def run_rounds(
        self, context: Context, bucket: State, owners: tf.Tensor, go_on: GoOn, shared: Any
    ) -> State:
        """See `Compacted`; each turn of the loop is a pass."""
        del owners
        which = self.fused_pass

        def run_some(rounds: tf.Tensor, bucket: State, counted: list[tf.Tensor]) -> Any:
            bucket, counted = run_fused(context, which, bucket, counted, shared)
            return rounds + which.rounds, bucket, counted

        nothing = [tf.zeros(bucket.pc.shape, tf.int32)] * which.words
        rounds, bucket, counted = xla_operations.while_loop(
            lambda rounds, bucket, _: go_on(rounds, bucket),
            run_some,
            (tf.constant(0), bucket, nothing),
        )
        return count(context, which, rounds, counted, bucket)


class FusedPasses(Optimization):
    """Makes rounds of a compacted bucket one pass over its lanes, which may be more then."""

    name = "fused pass"
    purpose = "rounds of blocks that need single numbers only are one pass over the lanes"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        stage, tuning = plan.alone, context.tuning
        lanes = whole_vectors(context.batch_size // tuning.fused_share)
        if not isinstance(stage, Compacted) or lanes < tuning.fused_lanes:
            return plan
        once = tuple({code.index: code for code in stage.codes}.values())
        for codes in (stage.codes, once):
            made = fused_pass(context, codes)
            if made is not None and fits_kernel(context, codes, lanes):
                passes = CompactedPasses(codes, lanes, fused_pass=made)
                return dataclasses.replace(plan, stages=(passes,))
        return plan


def fused_pass(context: Context, codes: tuple[BlockInfo, ...]) -> FusedPass | None:
    """How rounds of some blocks are in one pass; None if not even one can be.

    Args:
      context: the program.
      codes: the blocks of a round.
    """
    if not all(_needs_single_numbers(context, c) for c in codes):
        return None
    tuning = context.tuning
    steps = sum(c.profile.scalar_steps + len(c.writes) + tuning.fused_overhead for c in codes)
    rounds = min(tuning.fused_rounds, int(tuning.fused_steps / steps) - 1)
    if rounds < 1 and 2 * steps <= tuning.fused_unrolled:
        rounds = 1
    made = FusedPass(codes, rounds, tuning.most_rounds_together + rounds)
    dtypes = _Values(context, made).dtypes(context)
    if rounds < 1 or len(dtypes) + made.words > tuning.fused_arrays:
        return None
    floats = {dtype for dtype in map(tf.as_dtype, dtypes) if dtype.is_floating}
    return made if len(floats) <= 1 else None  # XLA reduces no floats of two precisions together


def _needs_single_numbers(context: Context, code: BlockInfo) -> bool:
    elsewhere = code.pops or code.pushes or code.touches_buffers or code.takes_batch
    if elsewhere or code.profile.loops or not code.same_in_any_kernel:
        return False
    types = {**context.program.types, **context.program.shared}
    names = {*_registers(context, code), *_shared(context, code)}
    return all(types[name].shape == () for name in names)


def _registers(context: Context, code: BlockInfo) -> Iterable[str]:
    """The registers that a block reads or writes."""
    names = [*code.reads, *code.writes]
    terminator = code.block.terminator
    if isinstance(terminator, ir.PushJump):
        names.append(terminator.address)
    return (name for name in names if name in context.position)


def _shared(context: Context, code: BlockInfo) -> Iterable[str]:
    """The shared values that a block reads."""
    segments = (piece for piece in code.body if isinstance(piece, Segment))
    args = (a for segment in segments for op in segment.primitives for a in op.args)
    return (name for name in args if name in context.program.shared)


class _Values:
    """The single numbers that a pass works on for a lane."""

    def __init__(self, context: Context, which: FusedPass):
        codes = which.codes
        self.fails = any(code.fails for code in codes)
        self.rounds_floats = any(c.profile.rounds for c in codes)
        self.registers = sorted(
            {context.position[n] for c in codes for n in _registers(context, c)}
        )
        self.shared = sorted({name for c in codes for name in _shared(context, c)})

    def dtypes(self, context: Context) -> list[Any]:
        """Of the numbers but those that count."""
        names = [context.layout.registers[i] for i in self.registers]
        whole = [tf.int32] * (1 + self.fails + self.rounds_floats)
        return [
            *whole,
            *(context.program.types[name].dtype for name in names),
            *(context.program.shared[name].dtype for name in self.shared),
        ]

    def take(self, state: State) -> list[tf.Tensor]:
        """Those that are of each lane, of a state."""
        faults = [state.fault] if self.fails else []
        return [state.pc, *faults, *(state.registers[i] for i in self.registers)]

    def put(self, state: State, values: Sequence[tf.Tensor]) -> State:
        """The state with these."""
        pc, *rest = values
        fault = rest.pop(0) if self.fails else state.fault
        registers = list(state.registers)
        for i, value in zip(self.registers, rest, strict=True):
            registers[i] = value
        return state._replace(pc=pc, fault=fault, registers=tuple(registers))

    def given(self, state: State, shared: Mapping[str, Any]) -> list[tf.Tensor]:
        """Those that are the same for all lanes: the shared ones, and a zero hidden from XLA."""
        zero = tf.cast(rounding.unknown_zero(state.steps), tf.int32)
        zeros = [zero] if self.rounds_floats else []
        return [*zeros, *(tf.convert_to_tensor(shared[name]) for name in self.shared)]

    def received(
        self, given: Sequence[tf.Tensor]
    ) -> tuple[tf.Tensor | tuple[()], dict[str, tf.Tensor]]:
        """The zero, if it is needed, and the shared values by name."""
        zero, rest = (given[0], given[1:]) if self.rounds_floats else ((), given)
        return zero, dict(zip(self.shared, rest, strict=True))


def run_fused(
    context: Context,
    which: FusedPass,
    state: State,
    counted: Sequence[tf.Tensor],
    shared: Mapping[str, Any],
) -> tuple[State, list[tf.Tensor]]:
    """Run some blocks round after round, each time those that stand at them.

    Args:
      context: the program.
      which: the blocks.
      state: where the lanes are.
      counted: the words, int32[lanes] each, in which each lane counts.
      shared: the shared values by name.

    Returns:
      Where the lanes are then, and the words.
    """
    values = _Values(context, which)
    own, given = [*values.take(state), *counted], values.given(state, shared)
    one = [*own, *given]
    number, fields = len(own) - len(counted), dict(zip(which.different, which.fields, strict=True))

    def one_round(so_far: Sequence[tf.Tensor]) -> list[tf.Tensor]:
        words = list(so_far[number : len(own)])
        zero, shared = values.received(so_far[len(own) :])
        here = values.put(state._replace(steps=zero), so_far[:number])
        for code, times in repeated(which.codes):
            lane = Lanes(context.mask(code, here))
            here, moved = context.move_often(code, here, lane, shared, times)
            word, start, _ = fields[code.index]
            for each in moved:
                words[word] += tf.cast(each.mask, tf.int32) * 2**start
        return [*values.take(here), *words]

    def reduce(*args: tf.Tensor) -> list[tf.Tensor]:
        so_far, element = args[: len(one)], args[len(one) :]
        begun = tf.not_equal(so_far[0], NO_MEMBER)
        after = zip(one_round(so_far), element[: len(own)], strict=True)
        return [*(tf.where(begun, new, first) for new, first in after), *so_far[len(own) :]]

    starts = [tf.constant(NO_MEMBER), *(tf.zeros([], x.dtype) for x in own[1:]), *given]
    reducer = tf.function(reduce, autograph=False).get_concrete_function(
        *(tf.TensorSpec([], x.dtype) for x in (*one, *one))
    )
    shape = [1 + which.rounds, int(state.pc.shape[0])]
    rows = [tf.broadcast_to(x, shape) for x in own]
    nothing = [tf.zeros(shape, x.dtype) for x in given]
    results = xla_operations.variadic_reduce([*rows, *nothing], starts, reducer)
    return values.put(state, results[:number]), results[number : len(own)]


def count(
    context: Context,
    which: FusedPass,
    rounds: tf.Tensor,
    counted: Sequence[tf.Tensor],
    state: State,
) -> State:
    """Count executions of each block, and the lanes that it moved.

    Args:
      context: the program.
      which: the blocks.
      rounds: int32[], how many there were.
      counted: the words of the lanes.
      state: the carry.
    """
    times = np.zeros(context.halt, np.int64)
    for code in which.codes:
        times[code.index] += 1
    moved = [
        tf.bitwise.bitwise_and(tf.bitwise.right_shift(counted[word], start), 2**bits - 1)
        for word, start, bits in which.fields
    ]
    sums = tf.stack([tf.reduce_sum(tf.cast(x, tf.int64)) for x in moved])
    here = tf.one_hot(which.different, context.halt, dtype=tf.int64)
    return state._replace(
        executions=state.executions + times * tf.cast(rounds, tf.int64),
        active=state.active + tf.reduce_sum(here * tf.expand_dims(sums, 1), 0),
    )
