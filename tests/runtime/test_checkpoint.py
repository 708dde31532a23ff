"""Checkpoints: whole at any moment, gone on from bit by bit, refused where they do not fit."""

from __future__ import annotations

import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.runtime.control.checkpoint import load, previous, save
from tests.conformance.runners import assert_identical, to_arrays
from tests.runtime import killed
from tests.support.programs import fib

ROOT = pathlib.Path(__file__).parents[2]
FIB = (np.arange(8, dtype=np.int32),)
HOW = {"jit": False, "schedule": "sweep"}
KILLS = 12


def same(a: pcbatch.Result, b: pcbatch.Result) -> None:
    assert_identical(to_arrays(a.value), to_arrays(b.value))
    np.testing.assert_array_equal(a.status, b.status)
    assert a.stats == b.stats


@pytest.fixture
def path(tmp_path: pathlib.Path) -> str:
    return str(tmp_path / "run.checkpoint")


@pytest.fixture(scope="module")
def whole() -> pcbatch.Result:
    return fib.run(*FIB, **HOW)


# --- Going on ----------------------------------------------------------------------------------


@pytest.mark.every(2)
@pytest.mark.parametrize("how", [HOW, {"jit": True, "schedule": "auto"}], ids=["eager", "xla"])
def test_a_stopped_run_goes_on_bit_by_bit(path: str, how: dict) -> None:
    """The step limit stops it; values, statuses and counts are those of an uninterrupted run."""
    whole = fib.run(*FIB, **how)
    part = fib.run(*FIB, **how, checkpoint=path, max_steps=15)
    assert (part.status == pcbatch.Status.STEP_LIMIT).numpy().any()
    same(fib.run(*FIB, **how, resume=path), whole)


def test_growing_stacks_survive(path: str) -> None:
    @pcbatch.autobatch(jit=False)
    def depth(n):
        return 0 if n == 0 else 1 + depth(n - 1)

    n = np.array([0, 40, 3], np.int32)
    depth.run(n, checkpoint=path, max_steps=60)
    resumed = depth.run(n, resume=path)
    assert resumed.value.numpy().tolist() == [0, 40, 3]
    same(resumed, depth.run(n))


def test_another_stack_depth_is_kept_to_or_refused(path: str) -> None:
    """A run that goes on has the depth that it is given, not that of the checkpoint."""
    n = np.array([25, 2], np.int32)
    climbs.run(n, checkpoint=path, max_steps=8)
    deeper = climbs.run(n, resume=path, max_stack_depth=30)
    same(deeper, climbs.run(n, max_stack_depth=30))
    shallow = climbs.run(n, resume=path, max_stack_depth=20)
    assert shallow.status.numpy().tolist() == [pcbatch.Status.STACK_OVERFLOW, pcbatch.Status.DONE]
    with pytest.raises(pcbatch.CheckpointError, match="8 frames deep, and max_stack_depth is 7"):
        climbs.run(n, resume=path, max_stack_depth=7)
    same(climbs.run(n, resume=path, max_stack_depth=9), climbs.run(n, max_stack_depth=9))


def test_only_the_part_of_the_stacks_in_use_is_written(path: str) -> None:
    n = np.full(1000, 6, np.int32)
    climbs.run(n, checkpoint=path, max_steps=3, max_stack_depth=1000)
    assert os.path.getsize(path) < 100_000
    same(climbs.run(n, resume=path, max_stack_depth=1000), climbs.run(n, max_stack_depth=1000))


@pcbatch.autobatch(jit=False)
def climbs(n):
    return 0 if n == 0 else 1 + climbs(n - 1)


def test_resume_true_goes_on_where_there_is_something_to_go_on_from(path: str, whole) -> None:
    options = {**HOW, "checkpoint": path, "resume": True}
    assert fib.run(*FIB, **options, max_steps=12).status.numpy().any()
    written = load(path)[-1]
    assert written == 12
    same(fib.run(*FIB, **options), whole)
    same(fib.run(*FIB, **options), whole)  # from the end: nothing is left to do


def test_checkpoints_are_written_on_the_way(path: str, whole, monkeypatch) -> None:
    steps = []

    def spy(path, leaves, fingerprint):
        steps.append(int(leaves[-1]))

    monkeypatch.setattr("pcbatch.runtime.control.checkpoint.save", spy)
    same(fib.run(*FIB, **HOW, checkpoint=path, every=0.0), whole)
    assert len(steps) > 3
    assert steps == sorted(steps)
    assert steps[-1] == whole.stats.steps


def test_kill_at_random_moments(tmp_path: pathlib.Path) -> None:
    """A process that is killed (SIGKILL) again and again ends with the result of one that is not.

    Here few times and without XLA, so that it costs little; `make stress` has 50 kills, with XLA.
    """
    options = ["--eager", "--kills", str(KILLS)]
    command = [sys.executable, "-m", "tests.runtime.killed", str(tmp_path), *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    words = done.stdout.split()
    told = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    assert told["kills"] == KILLS
    assert told["advanced"] >= KILLS // 2, "children are killed before they have done anything"
    end = np.load(tmp_path / "end.npz")
    whole = fib.run(*killed.EAGER, jit=False)
    np.testing.assert_array_equal(end["value"], whole.value)
    np.testing.assert_array_equal(end["status"], whole.status)
    assert end["steps"] == whole.stats.steps


# --- Refusals ----------------------------------------------------------------------------------


@pytest.fixture
def written(path: str) -> str:
    """A checkpoint and the one before it."""
    fib.run(*FIB, **HOW, checkpoint=path, max_steps=8)
    fib.run(*FIB, **HOW, checkpoint=path, resume=path, max_steps=12)
    return path


DAMAGES = {
    "cut short": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "one bit": lambda content: content[:-100] + bytes([content[-100] ^ 1]) + content[-99:],
    "longer": lambda content: content + b"\0",
    "foreign": lambda content: b"PK\3\4" + content[4:],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_checkpoint_is_refused_and_the_older_one_serves(written, damage, whole) -> None:
    file = pathlib.Path(written)
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(pcbatch.CheckpointError) as caught:
        fib.run(*FIB, **HOW, resume=written)
    assert written in str(caught.value)
    assert f"resume={previous(written)!r}" in str(caught.value)
    same(fib.run(*FIB, **HOW, resume=previous(written)), whole)


@pcbatch.autobatch
def other(n):
    while n > 3:
        n = n - 2
    return n


def test_a_checkpoint_of_another_run_is_refused(written: str) -> None:
    refused = {
        "function": lambda: other.run(*FIB, **HOW, resume=written),
        "argument `n`": lambda: fib.run(FIB[0] + 1, **HOW, resume=written),
        "batch size": lambda: fib.run(FIB[0][:-1], **HOW, resume=written),
        "schedule": lambda: fib.run(*FIB, jit=False, schedule="switch", resume=written),
    }
    for what, call in refused.items():
        with pytest.raises(pcbatch.CheckpointError, match=f"another run.*{what}: "):
            call()


@pcbatch.autobatch(jit=False)
def far(point, step):
    while point["x"] < 100:
        point = {"x": point["x"] + step, "y": point["y"]}
    return point["x"] + point["y"]


def test_the_arguments_that_differ_are_named(path: str) -> None:
    x = FIB[0]
    far.run({"x": x, "y": x}, x + 1, checkpoint=path, max_steps=4)
    with pytest.raises(pcbatch.CheckpointError) as caught:
        far.run({"x": x + 1, "y": x}, x + 2, resume=path)
    told = "another run (argument `point.x`: other values; argument `step`: other values)"
    assert told in str(caught.value)
    assert type(caught.value).__module__ == "pcbatch"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


STEP = 1


@pcbatch.autobatch(jit=False)
def climb(n):
    while n < 50:
        n += STEP
    return n


def test_a_changed_constant_is_another_run(path: str, monkeypatch) -> None:
    climb.run(FIB[0], checkpoint=path, max_steps=5)
    assert climb.run(FIB[0], resume=path).value.numpy().tolist() == [50] * 8
    monkeypatch.setattr(f"{__name__}.STEP", 2)
    with pytest.raises(pcbatch.CheckpointError, match=r"another run.*constants: "):
        climb.run(FIB[0], resume=path)


@pcbatch.autobatch(jit=False, in_axes=(0, None))
def scaled(n, scale):
    while n < 1000:
        n = n * scale + 1
    return n


VARIABLE = tf.Variable(3)


@pcbatch.autobatch(jit=False)
def scaled_by_variable(n):
    while n < 1000:
        n = n * VARIABLE + 1
    return n


def test_a_changed_shared_value_is_another_run(path: str) -> None:
    scaled.run(FIB[0], tf.constant(3), checkpoint=path, max_steps=2)
    with pytest.raises(pcbatch.CheckpointError, match=r"another run.*shared values: "):
        scaled.run(FIB[0], tf.constant(5), resume=path)
    scaled_by_variable.run(FIB[0], checkpoint=path, max_steps=2)
    VARIABLE.assign(5)
    with pytest.raises(pcbatch.CheckpointError, match=r"another run.*constants: "):
        scaled_by_variable.run(FIB[0], resume=path)


def test_a_missing_checkpoint_is_an_error(path: str) -> None:
    with pytest.raises(pcbatch.CheckpointError, match="cannot be read"):
        fib.run(*FIB, **HOW, resume=path)


def test_another_version_is_refused(path: str, monkeypatch) -> None:
    monkeypatch.setattr("pcbatch.runtime.control.checkpoint.VERSION", 99)
    save(path, [np.zeros(2)], {})
    monkeypatch.undo()
    with pytest.raises(pcbatch.CheckpointError, match="version 99"):
        load(path)


def test_options_that_cannot_be() -> None:
    refused = {
        "no folder": {"checkpoint": "/nowhere/at/all"},
        "strategy 'pc'": {"checkpoint": "x", "strategy": "local"},
        "which is not given": {"resume": True},
        "seconds": {"checkpoint": "x", "every": -1.0},
        "is a folder": {"checkpoint": "/"},
        "'': the path of a file": {"resume": ""},
        "5: the path of a file": {"checkpoint": 5},
    }
    for message, options in refused.items():
        with pytest.raises(pcbatch.ArgumentError, match=message):
            fib.run(*FIB, **options)
    with pytest.raises(pcbatch.ArgumentError, match="between slices"):
        tf.function(pcbatch.autobatch(climb.__wrapped__, progress=True), autograph=False)(FIB[0])


def test_a_failing_write_does_not_end_the_run(path: str, whole, monkeypatch) -> None:
    def full(*_):
        raise OSError("no space left on device")

    fib.run(*FIB, **HOW, checkpoint=path, max_steps=8)
    monkeypatch.setattr("os.fsync", full)
    with pytest.warns(pcbatch.CheckpointWarning, match="no space left"):
        same(fib.run(*FIB, **HOW, checkpoint=path), whole)
    monkeypatch.undo()
    assert not os.path.exists(path + ".tmp")
    same(fib.run(*FIB, **HOW, resume=path), whole)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "bool", "int8", "uint32"])
def test_every_dtype_is_kept_bit_by_bit(path: str, dtype: str) -> None:
    values = tf.cast(tf.constant([[0.0, 1.0, 2.5], [1e3, 3.0, 0.0]]), dtype).numpy()
    leaves = [values, values[0, 0], np.zeros([0, 2], values.dtype)]
    save(path, leaves, {})
    for read, kept in zip(load(path), leaves, strict=True):
        assert_identical(read, np.asarray(kept))
