"""What a run takes in memory and on disk, said before it starts, against what it takes."""

from __future__ import annotations

import dataclasses
import gc
import pathlib
import re
import shutil
import tempfile
import warnings
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import nuts
from bench import apart
from nuts.adaptation.learned import Learned
from nuts.errors import SamplingError
from nuts.results.draws import Ending
from nuts.run import machine_memory as machine
from nuts.run import memory as estimates
from nuts.run import sampling
from nuts.run.machine_memory import MachineMemory, machine_memory
from tests.nuts.test_fit import make_fit
from tests.nuts.test_interrupts import OPTIONS, target
from tests.nuts.test_store import of_values

CHAINS, DRAWS, DIM = 1000, 500, 100
"""Of float32, with the statistics: 210 MB."""
HOW = {"num_warmup": 0, "step_size": 0.5, "max_tree_depth": 1, "progress": False}


def normal(x: tf.Tensor) -> tf.Tensor:
    return -0.5 * tf.reduce_sum(x * x)


def peak_of(num_draws: int, store: str | None) -> int:
    """The bytes by which the memory of this process grows while a compiled program draws."""
    gc.collect()
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak is measured from now on
    before = _status("VmRSS")
    fit = nuts.sample(
        normal, tf.TensorSpec([DIM]), num_chains=CHAINS, num_draws=num_draws, store=store, **HOW
    )
    assert fit.num_draws == num_draws
    return _status("VmHWM") - before


def _status(name: str) -> int:
    text = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(re.search(rf"^{name}:\s*(\d+) kB", text, re.MULTILINE)[1])


def measure() -> list[dict[str, int]]:
    """The estimate and the peak of a run with a store, and of one without."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        peak_of(32, None)  # compiles
        for store in (f"{folder}/run", None):
            told = nuts.memory(
                normal,
                tf.TensorSpec([DIM]),
                num_chains=CHAINS,
                num_draws=DRAWS,
                store=store is not None,
            )
            found.append({"told": told.peak, "kept": told.draws, "peak": peak_of(DRAWS, store)})
    return found


@pytest.mark.thorough
def test_a_run_takes_what_was_said() -> None:
    """In a process of its own, whose program is compiled before."""
    stored, kept = apart.call(measure, for_memory=True)
    assert kept["kept"] > 200_000_000
    for found in (stored, kept):
        assert found["peak"] < 1.3 * found["told"], found
        assert found["told"] < 2.5 * found["peak"], found
    assert stored["peak"] < 0.75 * kept["peak"]


def test_the_bytes_of_draws_are_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    """Exactly; in a store each file has a header beside them."""
    made = []
    monkeypatch.setattr(
        "nuts.run.sampling.check_room",
        lambda *about: made.append(estimates.of_draws(*about)) or [],
    )
    how = {**HOW, "num_chains": 2, "num_draws": 2, "strategy": "loop", "discrete": {"z": 2}}
    fit = nuts.sample(of_values, tf.TensorSpec([2]), **how, store=tmp_path / "run")
    arrays = [*tf.nest.flatten(fit.draws), *fit.stats._replace(step_size=fit.stats.lp[:0])]
    (told,) = made
    assert told.store == sum(x.nbytes for x in arrays) and told.draws == 0
    files = list((tmp_path / "run").glob("*.npy"))
    assert sum(path.stat().st_size for path in files) == told.store + 128 * len(files)


def test_an_estimate_is_a_table() -> None:
    told = estimates.Memory(2_000_000, 300_000, 0, 40_000, 0, None)
    assert told.peak == 2_340_000
    lines = [line.split() for line in str(told).splitlines()]
    assert lines[0] == ["kept", "draws", "2", "MB"] and lines[-1][-1] == "-"
    assert [estimates.in_words(x) for x in (7, 1500, 2.5e9, 3e15)] == [
        "7 B", "1.5 kB", "2.5 GB", "3e+03 TB"
    ]  # fmt: skip


def test_reducers_and_fits_are_counted() -> None:
    """A fit brings its number of chains, 40."""
    end = Ending(np.zeros((40, 2), np.float32), 0, 100)
    learned = Learned(np.float64(0.5), np.ones(2))
    fit = dataclasses.replace(make_fit(), draws=np.zeros((40, 100, 2)), learned=learned, end=end)
    kept = nuts.memory(target, tf.TensorSpec([2]), num_chains=40, num_draws=24)
    again = nuts.memory(target, fit, num_draws=24)
    assert (again.draws, again.program) == (kept.draws, kept.program)
    reduced = nuts.memory(target, fit, num_draws=24, reducers=[nuts.reducers.Mean()])
    assert kept.draws == 24 * 40 * (2 * 4 + 21) and reduced.draws == 0
    assert reduced.statistics == 2 * 2 * 8 + 8 and reduced.slice > kept.slice
    assert kept.program > 24 * 40 * 2 * 4


class Reached(Exception):
    pass


def seen(monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[str]:
    """What a run warns of before it samples, at the line of the call."""

    def stop(*_: Any) -> None:
        raise Reached

    with monkeypatch.context() as patch, warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", nuts.SamplingWarning)
        patch.setattr(sampling, "collect", stop)
        with pytest.raises(Reached):
            nuts.sample(target, tf.zeros(2), **{**OPTIONS, **options})
    assert all(one.filename == __file__ for one in found)
    return [str(one.message) for one in found]


def test_a_run_that_may_not_fit_is_told_before_it_samples(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    assert seen(monkeypatch) == []
    monkeypatch.setattr(estimates, "machine_memory", lambda: MachineMemory(9000, 10**12))
    (told,) = seen(monkeypatch)
    assert told.startswith("nuts.sample: the draws may not fit into memory") and "9 kB" in told
    assert all(remedy in told for remedy in ("thin=", "store=", "reducers="))
    (told,) = seen(monkeypatch, store=tmp_path / "run")
    assert "take fewer chains" in told and "store=" not in told
    monkeypatch.setattr(estimates, "machine_memory", lambda: None)
    assert seen(monkeypatch) == []
    usage = shutil.disk_usage(tmp_path)._replace(free=100)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    (told,) = seen(monkeypatch, store=tmp_path / "new" / "run")
    assert "may have no room: the draws take 3.48 kB, and 100 B are free" in told


def test_a_run_that_cannot_fit_is_refused() -> None:
    """Five chains of 10 ** 15 draws."""
    with pytest.raises(SamplingError, match=r"num_draws=1000000000000000 of 5 chains take .* TB"):
        nuts.sample(target, tf.zeros(2), **{**OPTIONS, "num_draws": 10**15})


def test_limits_of_containers_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    assert 0 < machine_memory().left <= machine_memory().total
    (tmp_path / "meminfo").write_text("MemTotal: 1000 kB\nMemAvailable: 600 kB\nSwapTotal: 24 kB\n")
    (tmp_path / "own").write_text("4:cpu,memory:/b\n1:name=systemd:/\n0::/a/inner\n")
    monkeypatch.setattr(machine, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(machine, "OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(machine, "GROUPS", tmp_path / "groups")
    assert machine_memory() == MachineMemory(600 * 1024, 1024 * 1024)
    for group, most in (("a", "400000"), ("a/inner", "max")):
        folder = tmp_path / "groups" / group
        folder.mkdir(parents=True)
        (folder / "memory.max").write_text(most)
        (folder / "memory.current").write_text("250000")
        (folder / "memory.stat").write_text("anon 7\ninactive_file 50000\n")
    assert machine_memory() == MachineMemory(200_000, 400_000)
    folder = tmp_path / "groups" / "memory" / "b"
    folder.mkdir(parents=True)
    (folder / "memory.limit_in_bytes").write_text("300000")
    (folder / "memory.usage_in_bytes").write_text("350000")
    (folder / "memory.stat").write_text("total_inactive_file 0\n")
    assert machine_memory() == MachineMemory(0, 300_000)
    (tmp_path / "meminfo").unlink()
    (tmp_path / "own").unlink()
    assert machine_memory().left == machine_memory().total > 10**8
