"""More inputs than lanes: results in input order, statuses, bounded memory, busy lanes."""

from __future__ import annotations

import contextlib
import itertools
import signal

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.runtime.refill import LOOK_AHEAD, RefilledLanes
from pcbatch.vm.machine import Machine
from tests.conformance.runners import assert_identical


@pcbatch.autobatch
def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@pcbatch.autobatch
def tree(n, x):
    """Recursive, with a buffer; a negative n fails."""
    assert n >= 0, "too small"
    log = pcbatch.buffer(3, like=x)
    log[n % 3] = x
    return leaves(n) * x, log


@pcbatch.autobatch
def leaves(n):
    if n < 2:
        return 1
    return leaves(n - 1) + leaves(n - 2)


def plain(n: int) -> int:
    return int(collatz.single(n))


NUMBERS = [int(n) for n in np.random.default_rng(5).integers(1, 300, 40)]


@pytest.mark.every(3)
@pytest.mark.parametrize("lanes", [1, 7, 40, 1000])
@pytest.mark.parametrize("jit", [True, False])
def test_results_come_in_input_order(lanes: int, jit: bool) -> None:
    numbers = NUMBERS if jit else NUMBERS[: 12 if lanes == 7 else 4]
    found = list(pcbatch.map(collatz, numbers, lanes=lanes, jit=jit))
    assert [int(x) for x in found] == [plain(n) for n in numbers]


@pytest.mark.every(2)
@pytest.mark.parametrize("schedule", ["sweep", "switch"])
def test_recursion_buffers_and_faults(schedule: str) -> None:
    """Every member is what it is in a batch of its own, the faulty ones included."""
    n = np.array([3, 0, -1, 9, 5, 1, -7, 12, 2, 8, 4, 6], np.int32)
    x = np.linspace(1.0, 2.0, 12, dtype=np.float32)
    batch = tree.run(n, x, schedule=schedule)
    mapped = pcbatch.map(tree, zip(n, x, strict=True), lanes=3, schedule=schedule)
    members = list(mapped.members())
    assert [m.index for m in members] == list(range(12))
    assert [m.status for m in members] == batch.status.numpy().tolist()
    for m in members:
        assert ("too small" in m.message) == (n[m.index] < 0)
        if m.status == pcbatch.Status.DONE:
            alone = tf.nest.map_structure(lambda v, i=m.index: v.numpy()[i], batch.value)
            assert_identical(tf.nest.map_structure(np.asarray, m.value), alone)


def test_iterating_raises_at_the_member_that_failed() -> None:
    mapped = iter(pcbatch.map(tree, [(2, 1.0), (-1, 1.0), (3, 1.0)], lanes=2))
    value, _ = next(mapped)
    assert float(value) == 2.0
    with pytest.raises(pcbatch.MemberError, match=r"^input 1 did not return: .*too small"):
        next(mapped)


def test_the_input_that_failed_is_named_wherever_it_stands() -> None:
    inputs = [(2, 1.0)] * 7
    inputs[5] = (-1, 1.0)
    values = pcbatch.map(tree, inputs, lanes=2, jit=False)
    with pytest.raises(pcbatch.MemberError, match=r"^input 5 did not return") as raised:
        list(values)
    assert "members did not return" not in str(raised.value)


def test_a_dataset_feeds_it() -> None:
    dataset = tf.data.Dataset.from_tensor_slices({"n": NUMBERS}).map(lambda d: d["n"])
    result = pcbatch.map(collatz, dataset, lanes=8).result()
    assert result.value.numpy().tolist() == [plain(n) for n in NUMBERS]
    assert not result.status.numpy().any()
    assert result.check() is result
    endless = tf.data.Dataset.range(2**40).map(lambda n: tf.cast(n % 7 + 1, tf.int32))
    first = itertools.islice(pcbatch.map(collatz, endless, lanes=8), 20)
    assert [int(x) for x in first] == [plain(n % 7 + 1) for n in range(20)]


def test_fixed_and_structured_arguments() -> None:
    @pcbatch.autobatch(in_axes={"scale": None}, static_argnames="mode", jit=False)
    def walk(point, scale, mode):
        while point["x"] < 10:
            point = {"x": point["x"] * scale if mode == "up" else point["x"] + scale}
        return point

    points = [{"x": k} for k in (1, 3, 20, 2)]
    found = pcbatch.map(walk, points, lanes=2, scale=tf.constant(3), mode="up")
    assert [int(p["x"]) for p in found] == [27, 27, 20, 18]


def test_memory_stays_bounded() -> None:
    """An endless stream is read only so far ahead of what has been given out."""
    lanes, read = 4, [0]

    def endless():
        while True:
            read[0] += 1
            yield 1 + read[0] % 9

    mapped = iter(pcbatch.map(collatz, endless(), lanes=lanes))
    for index, value in enumerate(itertools.islice(mapped, 200)):
        assert int(value) == plain(1 + (index + 1) % 9)
        assert read[0] <= index + LOOK_AHEAD * lanes
    slow_first = itertools.chain([77031], endless())
    read[0] = 0
    next(iter(pcbatch.map(collatz, slow_first, lanes=lanes)))
    assert lanes < read[0] <= LOOK_AHEAD * lanes


def test_a_slow_member_is_waited_for() -> None:
    """The oldest one keeps others from being read without end, and comes first all the same."""
    numbers = [77031, *[1] * 200]
    found = [int(x) for x in pcbatch.map(collatz, iter(numbers), lanes=2)]
    assert found == [350] + [0] * 200


def test_a_step_limit_is_each_members_own() -> None:
    mapped = pcbatch.map(collatz, [3, 27, 1, 97, 5, 6], lanes=2, max_steps=10)
    members = list(mapped.members())
    late = [m.status == pcbatch.Status.STEP_LIMIT for m in members]
    assert late == [False, True, False, True, False, False]
    assert [int(m.value) for m, over in zip(members, late, strict=True) if not over] == [7, 0, 5, 8]
    assert "step limit" in members[1].message


def test_too_deep_members_leave_their_lanes() -> None:
    mapped = pcbatch.map(tree, [(25, 1.0), (2, 1.0), (3, 1.0)], lanes=1, max_stack_depth=10)
    assert [m.status for m in mapped.members()] == [pcbatch.Status.STACK_OVERFLOW, 0, 0]


def test_ctrl_c_loses_nothing(monkeypatch) -> None:
    calls = itertools.count()
    original = Machine.advance_in_place

    def advance(machine, *args):
        if next(calls) == 12:
            signal.raise_signal(signal.SIGINT)
        return original(machine, *args)

    monkeypatch.setattr(Machine, "advance_in_place", advance)
    members = list(pcbatch.map(collatz, iter(NUMBERS), lanes=4).members())
    status = [m.status for m in members]
    assert pcbatch.Status.CANCELLED in status
    for m in members:
        assert m.status != pcbatch.Status.DONE or int(m.value) == plain(NUMBERS[m.index])
    assert set(status) <= {0, pcbatch.Status.CANCELLED}


@pytest.mark.parametrize("error", [KeyError("no such file"), KeyboardInterrupt()], ids=type)
def test_an_iterator_that_raises_ends_it_after_what_it_gave(error: BaseException) -> None:
    """An error comes after the results of what was read before; Ctrl-C cancels those."""

    def numbers():
        yield from NUMBERS[:11]
        raise error

    found = []
    ends = (
        contextlib.nullcontext()
        if isinstance(error, KeyboardInterrupt)
        else pytest.raises(KeyError)
    )
    with ends:
        for member in pcbatch.map(collatz, numbers(), lanes=4, jit=False).members():
            found.append(member)
    assert [m.index for m in found] == list(range(11))
    done = [m for m in found if m.status == pcbatch.Status.DONE]
    assert [int(m.value) for m in done] == [plain(NUMBERS[m.index]) for m in done]
    assert (len(done) < 11) == isinstance(error, KeyboardInterrupt)


def test_ctrl_c_amid_the_hosts_own_work_is_heard(monkeypatch) -> None:
    """While results are taken out of their lanes, when no slice runs."""
    original, left = RefilledLanes._leave, [3]

    def leave(lanes, end):
        left[0] -= 1
        if left[0] == 0:
            signal.raise_signal(signal.SIGINT)
        return original(lanes, end)

    monkeypatch.setattr(RefilledLanes, "_leave", leave)
    found = list(pcbatch.map(collatz, iter(NUMBERS), lanes=4, jit=False).members())
    status = [m.status for m in found]
    assert set(status) == {pcbatch.Status.DONE, pcbatch.Status.CANCELLED}
    assert len(found) < len(NUMBERS)


def test_an_example_that_does_not_fit_ends_it_after_those_before() -> None:
    found = []
    with pytest.raises(pcbatch.ArgumentError, match="from number 2 on"):
        for value in pcbatch.map(collatz, [3, 6, 2.5, 7], lanes=2, jit=False):
            found.append(int(value))
    assert found == [7, 8]


@pcbatch.autobatch
def asks(x):
    """The host refuses negative numbers."""
    y = x * 2
    return pcbatch.host_call(refuses, y, result=tf.TensorSpec([], tf.float32))


def refuses(x):
    if np.any(x < 0):
        raise ValueError("negative")
    return x


@pytest.mark.parametrize("jit", [True, False])
def test_counts_are_there_after_the_host_has_failed(jit: bool) -> None:
    mapped = pcbatch.map(asks, [1.0, 2.0, 3.0, -1.0], lanes=2, jit=jit)
    with pytest.raises(pcbatch.HostCallError, match="negative"):
        list(mapped)
    assert mapped.stats.steps > 0


def test_nothing_to_do() -> None:
    assert list(pcbatch.map(collatz, [])) == []
    with pytest.raises(pcbatch.ArgumentError, match="no input"):
        pcbatch.map(collatz, []).result()


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(pcbatch.ArgumentError, match="autobatch"):
        pcbatch.map(len, [1])
    with pytest.raises(pcbatch.ArgumentError, match="lanes"):
        pcbatch.map(collatz, [1], lanes=0)
    with pytest.raises(pcbatch.ArgumentError, match="no parameter 'k'"):
        list(pcbatch.map(collatz, [1], k=3))
    with pytest.raises(pcbatch.ArgumentError, match="tuple of these"):
        list(pcbatch.map(tree, [1, 2]))
    with pytest.raises(pcbatch.ArgumentError, match="differ"):
        list(pcbatch.map(collatz, [1, 2.5], lanes=1, jit=False))
    shared = pcbatch.autobatch(lambda x, w: x * w, in_axes=(0, None))
    with pytest.raises(pcbatch.ArgumentError, match=r"same for all members.*\n.*w=\.\.\."):
        list(pcbatch.map(shared, [(1.0, 2.0), (3.0, 2.0)], jit=False))
    with pytest.raises(pcbatch.ArgumentError, match="differ in the names"):
        list(pcbatch.map(tree, [{"n": 1, "x": 1.0}, {"n": 1}], lanes=2))


def test_lanes_stay_busy_on_heavy_tails() -> None:
    """By the machine's own counts: the loop's block moves most lanes on in most executions."""
    rng = np.random.default_rng(0)
    lengths = np.minimum(rng.pareto(1.2, 600) * 20, 3000).astype(np.int32)

    @pcbatch.autobatch
    def count(n):
        i = 0
        while i < n:
            i += 1
        return i

    mapped = pcbatch.map(count, lengths, lanes=16)
    assert [int(x) for x in mapped] == lengths.tolist()
    in_queue = max(block.utilization for block in mapped.stats.blocks)
    batches = [count.run(lengths[k : k + 16]).stats for k in range(0, 592, 16)]
    loop = max(range(len(batches[0].blocks)), key=lambda b: batches[0].blocks[b].active)
    runs = [s.blocks[loop] for s in batches]
    in_batches = sum(b.active for b in runs) / sum(b.executions * 16 for b in runs)
    assert in_queue > 2 * in_batches
