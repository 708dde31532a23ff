"""Members of a slow part go on with idle workers, in parts with fewer lanes."""

from __future__ import annotations

import itertools
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.runtime.cluster import moves, worker
from pcbatch.runtime.cluster.dispatch import Dispatcher
from tests.runtime.executors import Faulty, Here, cut_slices
from tests.support.results import assert_same, bits

DONE, CANCELLED, LOST, FAILED = (
    pcbatch.Status[name] for name in ("DONE", "CANCELLED", "LOST", "FAILED")
)


@pcbatch.autobatch
def wander(n):
    """Recursion of different depths within a long loop; one member fails, late."""
    total = n * 0
    for i in range(n):
        total += depth(i % 19)
        assert total != 5130
    return total, tf.sin(tf.cast(n, tf.float32))


@pcbatch.autobatch
def depth(k):
    return 0 if k == 0 else 1 + depth(k - 1)


N = np.concatenate([np.full(128, 2), 400 + np.arange(128) * 7 % 501]).astype(np.int32)
"""The first of two parts ends at once, the other one does not."""


@pytest.fixture
def cuts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Short slices on four workers; the lanes of the parts to which members move, as they do."""
    cut_slices(monkeypatch, 1e-3)
    numbers = itertools.count()
    monkeypatch.setattr(worker, "name", lambda: f"worker {next(numbers) % 4}")
    made, move = list[int](), Dispatcher._move

    def noted(dispatcher: Dispatcher, number: int, lanes: int) -> Any:
        made.append(lanes)
        return move(dispatcher, number, lanes)

    monkeypatch.setattr(Dispatcher, "_move", noted)
    return made


def assert_same_but_for_counts(one: pcbatch.Result, other: pcbatch.Result) -> None:
    """Fewer members share the executions of a block, but none moves on more or less often."""
    assert bits(one.value) == bits(other.value)
    assert one.status.numpy().tolist() == other.status.numpy().tolist()
    assert one.stats is not None and other.stats is not None
    assert [x.active for x in one.stats.blocks] == [x.active for x in other.stats.blocks]


@pytest.mark.thorough
def test_members_move_and_no_bit_changes(cuts) -> None:
    """Stacks grow before and after, members fail, and parts are cut again."""
    result = wander.run(N, executor=Here(), parts=2)
    assert cuts and cuts[0] <= 64
    here = wander.run(N, shards=2)
    assert_same_but_for_counts(result, here)
    failed = np.flatnonzero(here.status.numpy() == FAILED)
    assert failed.size and (failed >= 128).all()
    assert "assert total != 5130" in result.message(int(failed[0]))
    assert not result.interrupted


@pytest.mark.thorough
def test_parts_that_have_moved_are_cut_again(cuts, monkeypatch) -> None:
    """When more workers are idle: the second time to a half of the lanes."""
    wanted = iter([64, 32])
    halved: Callable[..., Any] = lambda _, members, __: next(wanted, None) if members else None  # noqa: E731
    monkeypatch.setattr(moves, "fewer_lanes", halved)
    result = wander.run(N, executor=Here(), parts=2)
    assert cuts == [64, 32]
    assert_same_but_for_counts(result, wander.run(N, shards=2))


def test_members_stay_where_workers_have_other_parts(cuts) -> None:
    slow = np.concatenate([N[128:], N[128:], N[128:], N[128:]])
    dispatched = Here()
    result = wander.run(slow[:128], executor=dispatched, parts=4)
    assert_same(result, wander.run(slow[:128], shards=4))
    assert cuts == []


@pytest.mark.parametrize(
    ("batch_size", "members", "workers", "lanes"),
    [
        (128, 128, 4, 32),
        (128, 128, 3, 64),
        (128, 100, 2, 64),
        (128, 60, 2, 32),
        (128, 33, 9, 32),
        (128, 32, 9, None),  # the lanes of a part are at least 32
        (128, 128, 1, None),
        (1000, 700, 2, 500),
        (1001, 700, 2, 501),
        (16, 16, 9, None),
    ],
)
def test_lanes(batch_size: int, members: int, workers: int, lanes: int | None) -> None:
    assert moves.fewer_lanes(batch_size, members, workers) == lanes


@pcbatch.autobatch
def turned(x):
    while tf.reduce_sum(x) < 1e3:
        x = tf.linalg.matvec(tf.constant([[1.0, 0.002], [0.002, 1.0]]), x)
    return x


@pytest.mark.every(2)
@pytest.mark.parametrize("how", ["product", "max_steps", "checkpoint", "progress"])
def test_members_stay_where_it_would_be_seen(cuts, how: str, tmp_path, monkeypatch) -> None:
    """In last bits, in the number of turns, in files of parts."""
    executor = Here()
    if how == "product":
        cut_slices(monkeypatch, 0)
        x = np.linspace(400, 499, 512, dtype=np.float32).reshape(256, 2)
        turned.run(x, executor=executor, parts=2, throw=True)
    else:
        value = {"max_steps": 10**6, "checkpoint": tmp_path / "kept", "progress": True}[how]
        result = wander.run(N, executor=executor, parts=2, **{how: value})
        assert_same(result, wander.run(N, shards=2))
    assert cuts == [] and executor.calls > 2 * moves.SLICES + 2


def test_ctrl_c_and_losses_after_members_have_moved(cuts) -> None:
    """Each member has what there is of it, at its place."""
    whole = wander.run(N, shards=2)

    def lose(_: int, call: Callable[[], Any]) -> Any:
        if cuts:
            raise OSError("gone")
        return call()

    def press(_: int, call: Callable[[], Any]) -> Any:
        if cuts:
            signal.raise_signal(signal.SIGINT)
        return call()

    for fault, status in ((lose, LOST), (press, CANCELLED)):
        cuts.clear()
        result = wander.run(N, executor=Faulty(fault), parts=2, retries=0)
        found = result.status.numpy()
        assert set(found.tolist()) <= {DONE, FAILED, status} and status in found
        ended = found != status
        assert (found[ended] == whole.status.numpy()[ended]).all()
        assert (result.value[0].numpy()[ended] == whole.value[0].numpy()[ended]).all()
        assert result.interrupted == (status == CANCELLED)
