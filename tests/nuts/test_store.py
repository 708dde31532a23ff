"""Draws that go to disk as they come: `nuts.sample(..., store=folder)`."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import pathlib
import pickle
import resource
import shutil
import tracemalloc
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import nuts
from nuts.adaptation.ensemble import Ensemble
from nuts.adaptation.learned import Learned
from nuts.errors import SamplingError
from nuts.results import saved, stored
from nuts.results.growing import Growing, mapped
from nuts.results.mixing import NestedRHat, nested_r_hat
from nuts.results.stored import Store
from nuts.run.collection import Warmed
from nuts.run.interruption import StoreError, StoreStopped
from nuts.run.options import OutputOptions, RunOptions
from nuts.run.space import Space
from nuts.run.storing import Stored
from nuts.run.target import from_function
from nuts.sampler.chain import Record
from nuts.sampler.trajectory import Point
from tests.nuts.test_fit import make_fit
from tests.nuts.test_interrupts import DRAWS, OPTIONS, interrupt, sample, target
from tests.support.tolerances import Tolerance, assert_close

SLICED = {"progress": True}
"""Draws are made in four slices then, by the same compiled program."""


@pytest.fixture(scope="module")
def whole() -> nuts.Fit:
    return sample()


def assert_same(found: nuts.Fit, wanted: nuts.Fit) -> None:
    """Bit by bit: draws, statistics, where chains stand, and what was learned."""
    for name in ("draws", "stats", "end", "learned"):
        one, other = getattr(found, name), getattr(wanted, name)
        tf.nest.map_structure(np.testing.assert_array_equal, one, other)
    for one, other in zip(found.stats, wanted.stats, strict=True):
        assert one.dtype == other.dtype
    assert found.repeats[:2] == wanted.repeats[:2]
    assert (found.thin, found.max_tree_depth) == (wanted.thin, wanted.max_tree_depth)


def go_on(fit: nuts.Fit, num_draws: int, **options: Any) -> nuts.Fit:
    """By the compiled program that is there, which has room for twenty-four draws."""
    return nuts.sample(
        target, fit, **{**OPTIONS, "num_draws": num_draws, "num_warmup": 0, **options}
    )


def manifest(folder: pathlib.Path) -> dict[str, Any]:
    return json.loads((folder / stored.MANIFEST).read_bytes())


# --- What a store holds --------------------------------------------------------------------------


def test_the_draws_are_those_of_a_run_without_a_store(
    tmp_path: pathlib.Path, whole: nuts.Fit
) -> None:
    assert_same(sample(store=tmp_path / "one"), whole)
    fit = sample(store=tmp_path / "run", **SLICED)
    assert_same(fit, whole)
    again = nuts.load(tmp_path / "run")
    assert_same(again, whole)
    assert again.blocks == fit.blocks and again.timing == fit.timing
    assert again.summary() == whole.summary() and again.warnings() == whole.warnings()
    assert manifest(tmp_path / "run")["finished"]
    raw = np.load(tmp_path / "run" / "draws_0_x.npy")
    np.testing.assert_array_equal(raw.swapaxes(0, 1), whole.draws)
    with pytest.raises(ValueError, match="read-only"):
        fit.draws[0] = 0.0


@pytest.mark.thorough
def test_what_fits_are_for_works_with_a_store(tmp_path: pathlib.Path, whole: nuts.Fit) -> None:
    fit = sample(store=tmp_path / "run", **SLICED)
    data = fit.to_arviz()
    np.testing.assert_array_equal(data.posterior["x"], whole.draws)
    doubled = nuts.generated(fit, lambda x: 2.0 * x)
    np.testing.assert_array_equal(doubled, nuts.generated(whole, lambda x: 2.0 * x))
    more = go_on(fit, 20, store=tmp_path / "more")
    both = fit.extended(more)
    np.testing.assert_array_equal(both.draws[:, :DRAWS], whole.draws)
    assert both.num_draws == DRAWS + 20
    fit.save(tmp_path / "fit.npz")
    assert_same(nuts.load(tmp_path / "fit.npz"), whole)
    text = pickle.dumps(fit)
    shutil.rmtree(tmp_path / "run")
    assert_same(pickle.loads(text), whole)


def of_values(position: tf.Tensor, discrete: dict[str, tf.Tensor]) -> tf.Tensor:
    mean = tf.cast(discrete["z"], tf.float32)
    return -0.5 * tf.reduce_sum((position - mean) ** 2)


def test_discrete_values_and_thinned_draws_are_stored(tmp_path: pathlib.Path) -> None:
    how = {"num_chains": 2, "num_draws": 3, "num_warmup": 0, "step_size": 0.9, "thin": 2}
    how |= {"strategy": "loop", "progress": False, "max_tree_depth": 2, "discrete": {"z": 2}}
    with_store, without = (
        nuts.sample(of_values, tf.TensorSpec([2]), **how, **where)
        for where in ({"store": tmp_path / "run"}, {})
    )
    assert_same(with_store, without)
    assert_same(nuts.load(tmp_path / "run"), without)
    assert with_store.draws["z"].dtype == np.int32


def test_any_structure_and_any_name(tmp_path: pathlib.Path) -> None:
    fit = make_fit()
    draws = {**fit.draws, "a/b": fit.draws["x"][0], "A": fit.stats.lp, "a": -fit.stats.lp}
    store = Store(tmp_path / "run", resume=False)
    store.begin(saved.learned_arrays(fit.learned), {"run": "one"})
    parts = [slice(0, 60), slice(60, 100)]
    for part in parts:
        piece, stats = tf.nest.map_structure(lambda x: x[:, part], (draws, fit.stats._asdict()))
        store.write(part.start, piece, stats)
        store.note(dataclasses.replace(fit, draws=draws), part.stop, finished=False)
    found, stats = store.read(draws, 100)
    tf.nest.map_structure(np.testing.assert_array_equal, found, draws)
    np.testing.assert_array_equal(stats["lp"], fit.stats.lp)
    again = nuts.load(tmp_path / "run").draws
    assert type(again["pair"])._fields == fit.draws["pair"]._fields
    np.testing.assert_array_equal(again["A"], fit.stats.lp)
    np.testing.assert_array_equal(again["a"], -fit.stats.lp)


def test_a_file_grows_and_can_be_read_at_any_time(tmp_path: pathlib.Path) -> None:
    rows = np.arange(40.0).reshape(10, 2, 2)
    file = Growing(tmp_path / "x.npy", (2, 2), rows.dtype)
    for first in (0, 4):
        file.write(first, rows[first : first + 4])
        file.declare(first + 4)
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), rows[: first + 4])
    file.write(8, rows[8:])
    file.close(8)
    assert (tmp_path / "x.npy").stat().st_size == 128 + 8 * 32
    with pytest.raises(ValueError, match="has 8 of 9 rows"):
        mapped(tmp_path / "x.npy", 9)


# --- Runs that end early -------------------------------------------------------------------------


def test_ctrl_c_leaves_the_draws_so_far(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, whole: nuts.Fit
) -> None:
    with monkeypatch.context() as patch:
        interrupt(patch, True, 9, "pc")
        with pytest.raises(nuts.Interrupted) as caught:
            sample(store=tmp_path / "run")
    assert f"nuts.load({str(tmp_path / 'run')!r}) reads them" in str(caught.value)
    fit, again = caught.value.result, nuts.load(tmp_path / "run")
    assert 0 < again.num_draws < DRAWS and not manifest(tmp_path / "run")["finished"]
    assert_same(again, fit)
    np.testing.assert_array_equal(again.draws, whole.draws[:, : again.num_draws])


class Killed(BaseException):
    pass


def kill(monkeypatch: pytest.MonkeyPatch, slices: int) -> None:
    """End a run without a word after so many slices of draws."""
    advance, left = Ensemble.advance, [slices]

    def run(self: Ensemble, tuning: Any, num_draws: int, thin: int = 1) -> Any:
        if not left[0]:
            raise Killed
        left[0] -= 1
        return advance(self, tuning, num_draws, thin)

    monkeypatch.setattr(Ensemble, "advance", run)


def test_a_run_that_is_killed_leaves_the_slices_so_far(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    how = {"num_warmup": 0, "step_size": 0.7, **SLICED}
    there = sample(**how)
    kill(monkeypatch, 2)
    with pytest.raises(Killed):
        sample(store=tmp_path / "run", **how)
    fit = nuts.load(tmp_path / "run")
    assert fit.num_draws == DRAWS // 2
    np.testing.assert_array_equal(fit.draws, there.draws[:, : DRAWS // 2])
    np.testing.assert_array_equal(fit.end.positions, there.draws[:, DRAWS // 2 - 1])


def test_a_store_is_gone_on_with_beside_a_checkpoint(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, whole: nuts.Fit
) -> None:
    both = {"store": tmp_path / "run", "checkpoint": tmp_path / "checkpoint"}
    with monkeypatch.context() as patch:
        interrupt(patch, True, 9, "pc")
        with pytest.raises(nuts.Interrupted, match="resume=True a call makes the others"):
            sample(**both)
    assert_same(sample(**both, resume=True), whole)
    assert_same(nuts.load(tmp_path / "run"), whole)
    assert_same(sample(**both, resume=True), whole)  # a finished one is left as it is
    assert_same(nuts.load(tmp_path / "run"), whole)
    with pytest.raises(SamplingError, match="holds another run"):
        sample(**{**both, "checkpoint": tmp_path / "other"}, resume=True, seed=4)
    assert_same(nuts.load(tmp_path / "run"), whole)


SHORT = {"num_warmup": 0, "step_size": 0.7, **SLICED}


def test_a_full_disk_ends_in_a_message_and_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    """In the middle of the third slice, whose positions have been written."""
    there, write = sample(**SHORT), Growing.write

    def full(self: Growing, first: int, rows: np.ndarray) -> None:
        if first == DRAWS // 2 and self.path.name == "stats_lp.npy":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        write(self, first, rows)

    monkeypatch.setattr(Growing, "write", full)
    wanted = r"after 12 of 24 draws of each chain: .*No space left on device: .*stats_lp\.npy"
    with pytest.raises(nuts.StoreError, match=wanted) as caught:
        sample(store=tmp_path / "run", **SHORT)
    assert "init=fit, store='another folder'" in str(caught.value)
    error = pickle.loads(pickle.dumps(caught.value))
    assert (str(error), error.path) == (str(caught.value), str(tmp_path / "run"))
    fit = nuts.load(error.path)
    for found in (fit, caught.value.result, error.result):
        np.testing.assert_array_equal(found.draws, there.draws[:, : DRAWS // 2])
    assert_same(fit, caught.value.result)


@pytest.mark.parametrize("after", [0, 3])
def test_a_disk_that_has_no_room_for_the_manifest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, after: int
) -> None:
    left, replace = [after], Store._replace

    def full(self: Store, name: str, content: bytes) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(self, name, content)

    monkeypatch.setattr(Store, "_replace", full)
    with pytest.raises(StoreError, match="No space left on device") as caught:
        sample(store=tmp_path / "run", **SHORT)
    if after:
        assert caught.value.result.num_draws == nuts.load(tmp_path / "run").num_draws == 12
    else:
        assert caught.value.result is None and not os.listdir(tmp_path / "run")


def test_what_the_system_refuses_amid_a_write_leaves_whole_draws(tmp_path: pathlib.Path) -> None:
    """No file may have more than 200,000 bytes; a slice of positions has 80,000."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
        with pytest.raises(StoreStopped, match="File too large"):
            fed(tmp_path / "run", 4)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "run" / "draws_0_x.npy").stat().st_size == 128 + 160_000
    assert nuts.load(tmp_path / "run").num_draws == 40


# --- Memory --------------------------------------------------------------------------------------


def fed(folder: pathlib.Path, slices: int, rows: int = 20) -> int:
    """Feed a run of so many slices; the most bytes that its arrays take at a time."""
    chains, dim = 50, 10
    space = Space(tf.TensorSpec([dim], tf.float64))
    run = RunOptions(chains, None, 0, 5, 1000.0, "pc", "auto", None, 60.0, False)
    output = OutputOptions(slices * rows, 1, None, False, folder)
    collected = Stored(from_function(lambda x: x, space), run, output)
    numbers = np.random.RandomState(0).standard_normal((chains, rows))
    whole = np.ones((chains, rows), np.int32)
    counts = (whole, whole)
    record = Record(
        numbers[..., np.newaxis].repeat(dim, 2), numbers, numbers, *counts, *[numbers] * 3, *counts
    )
    point = Point(np.zeros((chains, dim)), np.zeros(chains), np.zeros((chains, dim)))
    tracemalloc.start()
    collected.begin(Warmed(Learned(np.float64(0.5), np.ones(dim)), point, 0, 0.0))
    for _ in range(slices):
        collected.add(record)
    collected.close(1.0, ())
    fit = collected.fit(1.0, ())
    collected.warnings(fit)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert fit.num_draws == slices * rows
    return peak


def test_memory_does_not_depend_on_the_number_of_draws(tmp_path: pathlib.Path) -> None:
    """Slices of 1.5 MB each, of which the store keeps 1.2 MB."""
    fed(tmp_path / "first", 1)
    few, many = (fed(tmp_path / str(slices), slices, rows=200) for slices in (3, 30))
    assert many < 1.1 * few < 8_000_000
    assert sum(path.stat().st_size for path in (tmp_path / "30").iterdir()) > 30_000_000


def test_a_run_without_draws_has_a_store(tmp_path: pathlib.Path) -> None:
    fed(tmp_path / "none", 1, rows=0)
    assert nuts.load(tmp_path / "none").draws.shape == (50, 0, 10)


def test_nested_r_hat_of_slices_is_that_of_all_draws() -> None:
    draws = np.random.RandomState(0).standard_normal((6, 9, 2)) + np.arange(6)[:, None, None]
    for groups in (1, 2, 3, 6):
        reducer = NestedRHat(groups)
        state = reducer.start(6, 9, 2)
        for part in np.split(draws, [2, 3], axis=1):
            state = reducer.update(state, part)
        wanted = [nested_r_hat(draws[..., i], groups) for i in range(2)]
        assert_close(reducer.result(state), wanted, Tolerance(1e-12))


@pytest.mark.parametrize("groups", [None, 5])
@pytest.mark.parametrize("step", [50.0, 0.01])
def test_a_run_with_a_store_warns_of_the_same(
    tmp_path: pathlib.Path, step: float, groups: int | None
) -> None:
    """Steps of fifty standard deviations diverge; small ones lead nowhere."""
    how = {"num_warmup": 0, "step_size": step, "num_superchains": groups, "max_tree_depth": 1}
    said = []
    for where in ({}, {"store": tmp_path / "run"}):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always", nuts.SamplingWarning)
            sample(**how, **where, **SLICED)
        said.append([str(one.message) for one in seen])
    assert said[0] == said[1] != []
    assert ("diverged" in said[0][0]) == (step > 1) and ("R-hat" in said[0][-1]) == (step < 1)


# --- What is refused -----------------------------------------------------------------------------

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no path": ({"store": 3}, "store must be the path of a folder, not 3"),
    "reducers": ({"reducers": [nuts.reducers.Mean()]}, "with reducers none are kept"),
    "resume alone": ({"resume": True}, "from checkpoint=.*, which is not given"),
    "one folder": ({"checkpoint": "here"}, "store and checkpoint are one folder"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_go_together_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, case: str
) -> None:
    monkeypatch.chdir(tmp_path)
    options, message = REFUSED[case]
    with pytest.raises(SamplingError, match=message):
        sample(**{"store": "here", **options})
    assert not (tmp_path / "here").exists()


def test_a_folder_that_is_not_empty_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for resume in (False, True):
        with pytest.raises(SamplingError, match=r"not empty, and holds no store"):
            Store(tmp_path, resume)
    with pytest.raises(SamplingError, match=r"cannot be made: .*\nhelp: name another folder"):
        Store(tmp_path / "notes.txt", resume=False)
    store = Store(tmp_path / "new", resume=False)
    store.begin({}, {"run": "one"})
    with pytest.raises(SamplingError, match=r"holds a run, whose draws nuts\.load"):
        Store(tmp_path / "new", resume=False)


def damage(folder: pathlib.Path, name: str, change: Callable[[bytes], bytes]) -> None:
    (folder / name).write_bytes(change((folder / name).read_bytes()))


DAMAGED: dict[str, tuple[Callable[[pathlib.Path], Any], str]] = {
    "no store": (lambda folder: (folder / "store.json").unlink(), "is no store of nuts.sample"),
    "half a manifest": (
        lambda folder: damage(folder, "store.json", lambda x: x[:100]),
        "store.json cannot be read",
    ),
    "another version": (
        lambda folder: damage(folder, "store.json", lambda x: x.replace(b"store 1", b"store 9")),
        "another version of nuts, 'nuts.store 9'",
    ),
    "a file is missing": (
        lambda folder: (folder / "stats_lp.npy").unlink(),
        "is damaged: .*stats_lp.npy",
    ),
    "a file is short": (
        lambda folder: damage(folder, "draws_0_x.npy", lambda x: x[:-8]),
        "is damaged",
    ),
    "no draws": (
        lambda folder: damage(
            folder,
            "store.json",
            lambda x: json.dumps({**json.loads(x), "fit": None}).encode(),
        ),
        "has no draws: its run was stopped",
    ),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_store_is_refused(tmp_path: pathlib.Path, whole: nuts.Fit, case: str) -> None:
    fit = whole
    store = Store(tmp_path / "run", resume=False)
    store.begin(saved.learned_arrays(fit.learned), {"run": "one"})
    store.write(0, fit.draws, fit.stats._asdict())
    store.note(fit, DRAWS, finished=True)
    store.close()
    assert_same(nuts.load(tmp_path / "run"), whole)
    change, message = DAMAGED[case]
    change(tmp_path / "run")
    with pytest.raises(SamplingError, match=message):
        nuts.load(tmp_path / "run")


def test_slices_are_handed_to_the_disk_where_that_takes_little(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Always at the end; in between as often as a share of the time allows."""
    store, synced, clock = stored.Store(tmp_path, False), [], [0.0]

    class File:
        def declare(self, num_rows: int) -> None: ...

        def sync(self) -> None:
            clock[0] += 1.0

    store._files["x"] = File()
    monkeypatch.setattr(stored, "time", types.SimpleNamespace(perf_counter=lambda: clock[0]))
    for number in range(1, 61):
        before = clock[0]
        store._sync(number, finished=number == 60)
        if clock[0] > before:
            synced.append(number)
        clock[0] += 1.0
    assert synced == [1, 21, 41, 60] and store._num_synced == 60
