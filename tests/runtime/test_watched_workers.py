"""Checkpoints and progress of a run on workers."""

from __future__ import annotations

import pathlib
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.runtime.control import checkpoint
from pcbatch.runtime.control.checkpoint import CheckpointError
from tests.runtime.executors import Faulty, Here, cut_slices
from tests.support.results import assert_same

CANCELLED = pcbatch.Status.CANCELLED


@pcbatch.autobatch(in_axes=(0, None))
def depth(n, scale):
    """Recursive, so that carries have stacks."""
    if n == 0:
        return scale
    return 1 + depth(n - 1, scale)


N, SCALE = np.array([1, 20, 3, 2, 18, 4, 25, 5], np.int32), tf.constant(7)


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_slices(monkeypatch, 0)


def interrupting(at: int) -> Faulty:
    """An executor that hears Ctrl-C in a call."""

    def call(number: int, make: Callable[[], Any]) -> Any:
        if number == at:
            signal.raise_signal(signal.SIGINT)
        return make()

    return Faulty(call)


def parts(path: pathlib.Path) -> list[str]:
    return sorted(x.name for x in path.parent.glob("*.part?"))


@pytest.mark.every(4)
@pytest.mark.parametrize("at", [1, 20, 60])
def test_a_run_goes_on_with_other_workers(tmp_path: pathlib.Path, at: int) -> None:
    """Whether parts have ended, have come back, or have not; the end is that of a whole run."""
    path = tmp_path / "run"
    whole = depth.run(N, SCALE, shards=4)
    stopped = depth.run(N, SCALE, executor=interrupting(at), parts=4, checkpoint=path, every=0.0)
    assert CANCELLED in stopped.status.numpy()
    executor = Here()
    rest = depth.run(N, SCALE, executor=executor, parts=4, checkpoint=path, resume=True)
    assert_same(rest, whole)
    assert parts(path) == [f"run.part{i}" for i in range(4)]
    assert executor.calls > 0
    again = Here()
    assert_same(depth.run(N, SCALE, executor=again, parts=4, resume=path), whole)
    assert again.calls == 0, "all have ended"


def test_a_part_is_written_now_and_then_and_at_the_end(monkeypatch, tmp_path) -> None:
    path, written, save = tmp_path / "run", [], checkpoint.save

    def noted(path: str, *args: Any) -> None:
        written.append(pathlib.Path(path).name)
        save(path, *args)

    monkeypatch.setattr(checkpoint, "save", noted)
    executor = Here()
    depth.run(N, SCALE, executor=executor, parts=2, checkpoint=path, every=3600.0)
    assert sorted(written) == ["run", "run.part0", "run.part1"]
    written.clear()
    depth.run(N, SCALE, executor=executor, parts=2, checkpoint=path, every=0.0)
    assert written.count("run") == 1 and written.count("run.part0") > 5


def test_other_runs_are_refused(tmp_path: pathlib.Path) -> None:
    path, executor = tmp_path / "run", Here()
    depth.run(N, SCALE, executor=interrupting(30), parts=2, checkpoint=path)

    def resume(*args: Any, parts: int = 2) -> None:
        depth.run(*args, executor=executor, parts=parts, resume=path)

    with pytest.raises(CheckpointError, match=r"parts: 2 there, 4 here(.|\n)*say parts=2"):
        resume(N, SCALE, parts=4)
    with pytest.raises(CheckpointError, match=r"help: it was begun on an executor: .* parts=2"):
        depth.run(N, SCALE, resume=path)
    here = tmp_path / "here"
    depth.run(N, SCALE, checkpoint=here)
    with pytest.raises(CheckpointError, match="help: go on without executor=, as it was begun"):
        depth.run(N, SCALE, executor=executor, resume=here)
    with pytest.raises(CheckpointError, match="argument `n`: other values"):
        resume(N + 1, SCALE)
    with pytest.raises(CheckpointError, match="shared values: "):
        resume(N, SCALE + 1)
    with pytest.raises(CheckpointError, match="cannot be read"):
        depth.run(N, SCALE, executor=executor, resume=tmp_path / "none")
    file = tmp_path / "run.part1"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(CheckpointError, match="damaged or cut short"):
        resume(N, SCALE)
    assert executor.calls == 0


def test_parts_of_a_run_before_are_removed(tmp_path: pathlib.Path) -> None:
    """This run ends before any part has come back, and begins anew."""
    path, calls = tmp_path / "run", []
    depth.run(N, SCALE, executor=Here(), parts=4, checkpoint=path)
    assert len(parts(path)) == 4
    foreign = tmp_path / "run.part_of_something_else"
    foreign.write_text("")
    other = N[::-1].copy()

    def stop(*_: Any) -> Any:
        calls.append(1)
        raise OSError

    lost = depth.run(other, SCALE, executor=Faulty(stop), parts=4, retries=0, checkpoint=path)
    assert (lost.status.numpy() == pcbatch.Status.LOST).all() and parts(path) == []
    assert foreign.exists()
    found = depth.run(other, SCALE, executor=Here(), parts=4, checkpoint=path, resume=True)
    assert_same(found, depth.run(other, SCALE, shards=4))


def test_a_full_disk_costs_the_checkpoint_only(monkeypatch, tmp_path: pathlib.Path) -> None:
    def full(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(checkpoint, "_write_whole", full)
    with pytest.warns(pcbatch.CheckpointWarning, match="no space left"):
        result = depth.run(N, SCALE, executor=Here(), parts=2, checkpoint=tmp_path / "run")
    assert_same(result, depth.run(N, SCALE, shards=2))


def test_progress_is_the_sum_over_parts(monkeypatch, capsys) -> None:
    """Five members in parts of two leave a lane over, which is none of them."""
    monkeypatch.setattr("pcbatch.runtime.cluster.watch.PERIOD", 0.0)
    result = depth.run(N[:5], SCALE, executor=Here(), parts=3, progress=True)
    assert_same(result, depth.run(N[:5], SCALE, shards=3))
    shown = [line for line in capsys.readouterr().err.split("\r") if line.strip()]
    assert "0/5" in shown[0] and "5/5" in shown[-1] and any("3/5" in line for line in shown)
    assert f"steps={result.stats.steps}" in shown[-1]
