"""`nuts.sample` on the workers of an executor gives the draws of one process, warmup included."""

from __future__ import annotations

import functools
import pathlib
import pickle
import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import nuts
import pcbatch
from nuts.adaptation.ensemble import Ensemble
from nuts.errors import SamplingError
from nuts.sampler.chain import Record
from pcbatch.backend.target import XLA_GPU
from pcbatch.errors import ArgumentError
from pcbatch.runtime.cluster import refusals
from tests.runtime.executors import Breaking, Counting, Faulty, Here, Killing, Pools, cut_slices

CHAINS, DRAWS, DIM = 5, 16, 2
OPTIONS = {
    "num_chains": CHAINS,
    "num_draws": DRAWS,
    "num_warmup": 40,
    "max_tree_depth": 4,
    "seed": 3,
    "progress": False,
}
GOING_ON = {"max_tree_depth": 4, "seed": 3, "progress": False}
SCALES = tf.constant([1.0, 9.0])


def target(x: tf.Tensor) -> tf.Tensor:
    return -0.5 * tf.reduce_sum(x * x / SCALES)


def sample(init: Any = None, **options: Any) -> Any:
    start, how = (tf.TensorSpec([DIM]), OPTIONS) if init is None else (init, GOING_ON)
    return nuts.sample(target, start, **{**how, **options})


@functools.cache
def whole() -> nuts.Fit:
    """Of one process."""
    return sample()


def assert_same(found: nuts.Fit, wanted: nuts.Fit) -> None:
    """Bit by bit: draws, statistics, and what warmup has learned."""
    np.testing.assert_array_equal(found.draws, wanted.draws)
    for name, one, other in zip(found.stats._fields, found.stats, wanted.stats, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=name)
    np.testing.assert_array_equal(found.learned.step_size, wanted.learned.step_size)
    np.testing.assert_array_equal(found.learned.inverse_mass, wanted.learned.inverse_mass)


# --- The same bits -------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("parts", [2, 5])
def test_parts_change_no_bit(parts: int) -> None:
    executor = Here()
    assert_same(sample(executor=executor, parts=parts), whole())
    assert executor.calls > 10 * parts, "warmup runs there, too"


@pytest.mark.thorough
@pytest.mark.parametrize("how", [{"pool": "none"}, {"thin": 3}])
def test_other_options_change_no_bit(how: dict[str, Any]) -> None:
    assert_same(sample(executor=Here(), parts=2, **how), sample(**how))


@pytest.mark.thorough
def test_draws_are_reduced_as_they_come_back() -> None:
    reducers = [nuts.reducers.Mean(), nuts.reducers.Covariance()]
    here, there = (
        sample(reducers=reducers, **how) for how in ({}, {"executor": Here(), "parts": 2})
    )
    tf.nest.map_structure(np.testing.assert_array_equal, there.reduced, here.reduced)


@pytest.mark.thorough
def test_draws_are_stored_as_they_come_back(tmp_path: pathlib.Path) -> None:
    assert_same(sample(executor=Here(), parts=2, store=tmp_path / "run"), whole())
    assert_same(nuts.load(tmp_path / "run"), whole())


def test_a_fit_is_gone_on_from() -> None:
    first, more = ({"num_draws": n} for n in (9, DRAWS - 9))
    workers = {"executor": Here(), "parts": 2}
    here = sample(**first)
    there = sample(**first, **workers)
    both = there.extended(sample(there, **more, **workers))
    assert_same(both, here.extended(sample(here, **more)))


def test_progress_is_one_bar(capfd: pytest.CaptureFixture[str]) -> None:
    assert_same(sample(executor=Here(), parts=2, progress=True), whole())
    shown = capfd.readouterr().err
    assert shown.count("\n") == 1 and "56/56" in shown and "divergences" in shown


@pytest.mark.thorough
def test_models_in_jax_travel() -> None:
    """They are compiled into the program; a worker needs no JAX."""
    jnp = pytest.importorskip("jax.numpy")
    log_density = nuts.from_jax(lambda x: -0.5 * jnp.sum(x * x))
    how = {**OPTIONS, "num_draws": 4, "num_warmup": 20}
    here, there = (
        nuts.sample(log_density, tf.TensorSpec([2]), **how, **where)
        for where in ({}, {"executor": Here(), "parts": 2})
    )
    assert_same(there, here)


@pytest.mark.thorough
@pytest.mark.every(2, 2)
@pytest.mark.parametrize("parts", [None, 1])
def test_a_function_of_all_chains_stays_on_one_worker(parts: int | None) -> None:
    def of_all(x: tf.Tensor) -> tf.Tensor:
        assert x.shape[0] in (1, CHAINS)
        return -0.5 * tf.reduce_sum(x * x / SCALES, -1)

    executor = Here()
    there = sample_batched(of_all, executor=executor, parts=parts)
    assert_same(there, sample_batched(of_all))
    assert executor.calls > 10


def sample_batched(function: Callable[..., Any], **how: Any) -> nuts.Fit:
    options = {**OPTIONS, "num_draws": 4, "num_warmup": 20, "batched_target": True, **how}
    return nuts.sample(function, tf.TensorSpec([DIM]), **options)


# --- Bytes ---------------------------------------------------------------------------------------


def test_a_piece_of_warmup_brings_back_what_it_has_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not the room for the draws that are kept: bytes grow by a row for each draw."""
    executor, back, run = Counting(), dict[int, int](), Ensemble._run

    def noted(self: Ensemble, *args: Any) -> Any:
        before, (*_, num_draws, _) = sum(executor.back), args
        done = run(self, *args)
        back[num_draws] = max(back.get(num_draws, 0), sum(executor.back) - before)
        return done

    monkeypatch.setattr(Ensemble, "_run", noted)
    sample(executor=executor, parts=2)
    lanes, row = 6, 4 * (DIM + len(Record._fields) - 1)
    assert {1, 2, 3, DRAWS} <= set(back)
    for num_draws, size in back.items():
        assert size <= back[1] + lanes * row * (num_draws - 1)


# --- Other processes -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pools() -> Iterator[Pools]:
    made = Pools(1, 1)
    yield made
    made.close()


def test_processes_and_one_that_is_killed(pools: Pools) -> None:
    """A function makes the executor once for the whole call, and once more where it is killed."""
    made = []

    def executor() -> Killing:
        made.append(Killing(pools(), 0 if made else 80))
        return made[-1]

    assert_same(sample(executor=executor, parts=5), whole())
    assert len(made) == 2
    names = pools().submit(eval, "[*__import__('sys').modules]").result()
    assert "pcbatch.runtime.cluster.worker" in names
    assert not [name for name in names if name.startswith(("nuts", "tests"))]


@pytest.mark.large
def test_loky() -> None:
    loky = pytest.importorskip("loky")
    try:
        assert_same(sample(executor=loky.get_reusable_executor, parts=5), whole())
    finally:
        loky.get_reusable_executor().shutdown(kill_workers=True)


@pytest.mark.large
def test_dask() -> None:
    distributed = pytest.importorskip("distributed")
    how = {"n_workers": 1, "threads_per_worker": 2, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**how) as cluster, distributed.Client(cluster) as client:
        assert_same(sample(executor=client.get_executor(), parts=5), whole())


# --- Lost workers and Ctrl-C ---------------------------------------------------------------------


def lost_from(call: int) -> Faulty:
    """Loses the calls of the last part from one on: parts are called in turn."""

    def fault(number: int, make: Callable[[], Any]) -> Any:
        if number >= call and number % 2 == 0:
            raise OSError("the machine has gone")
        return make()

    return Faulty(fault)


def test_lost_chains_are_named_in_warmup(tmp_path: pathlib.Path) -> None:
    """With a checkpoint the call goes on to the same bits, with other workers."""
    workers = {"executor": lost_from(20), "parts": 2, "retries": 0}
    with pytest.raises(nuts.ChainsLost, match="lost chains 3 to 4 in warmup") as caught:
        sample(**workers, checkpoint=tmp_path / "run")
    error = caught.value
    assert isinstance(error, SamplingError) and isinstance(error, nuts.ChainsLost)
    assert error.chains == [3, 4] and error.result is None
    assert "OSError: the machine has gone\nhelp: look at the log" in str(error)
    assert "resume=True a call goes on from here" in str(error)
    rest = sample(executor=Here(), parts=2, checkpoint=tmp_path / "run", resume=True)
    assert_same(rest, whole())


def draws_begin(monkeypatch: pytest.MonkeyPatch, executor: Here) -> list[int]:
    """Where the calls of the draws that are kept begin; parts come back after each step then."""
    advance, begin = Ensemble.advance, []

    def noted(self: Ensemble, tuning: Any, num_draws: int, thin: int = 1) -> Any:
        if num_draws > 10:
            cut_slices(monkeypatch, 0)
            monkeypatch.setattr("pcbatch.vm.pace.Pace.work", lambda self, seconds: 100)
            begin.append(executor.calls)
        return advance(self, tuning, num_draws, thin)

    monkeypatch.setattr(Ensemble, "advance", noted)
    return begin


@pytest.mark.every(2)
@pytest.mark.parametrize("way", ["lost", "interrupted"])
def test_what_all_chains_have_drawn_is_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, way: str
) -> None:
    """Where workers are lost amid the draws, and after Ctrl-C; the call can be gone on with."""

    def fault(number: int, make: Callable[[], Any]) -> Any:
        if begin and number == begin[0] + 12:
            if way == "lost":
                raise OSError("the machine has gone")
            signal.raise_signal(signal.SIGINT)
        return make()

    executor = Faulty(fault)
    begin = draws_begin(monkeypatch, executor)
    error = nuts.ChainsLost if way == "lost" else nuts.Interrupted
    with pytest.raises(error, match=r"in \.result of this exception") as caught:
        sample(executor=executor, parts=2, retries=0, checkpoint=tmp_path / "run")
    fit = caught.value.result
    assert 0 < fit.num_draws < DRAWS
    np.testing.assert_array_equal(fit.draws, whole().draws[:, : fit.num_draws])
    assert f"after {fit.num_draws} of {DRAWS} draws" in str(caught.value)
    rest = sample(executor=Here(), parts=2, checkpoint=tmp_path / "run", resume=True)
    assert_same(rest, whole())


def test_the_error_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(nuts.ChainsLost("lost chain 3", [3], None)))
    assert (str(error), error.chains, error.result) == ("lost chain 3", [3], None)


def test_an_executor_that_is_broken_ends_the_call() -> None:
    with pytest.raises(nuts.ChainsLost, match="give a function that makes one") as caught:
        sample(executor=Breaking(), parts=2)
    assert caught.value.chains == [*range(CHAINS)]


# --- What cannot go ------------------------------------------------------------------------------


REFUSED = [
    ({"strategy": "local"}, "needs strategy='pc', not 'local'"),
    ({"batched_target": True, "parts": 2}, "no worker has all of them"),
    ({"parts": 0}, "parts must be an integer, at least 1, not 0"),
    ({"retries": -1}, "retries must be an integer, at least 0, not -1"),
    ({"executor": 3}, "executor must be an object"),
    ({"executor": Here}, "executor must be an object"),
    ({"executor": None, "parts": 3}, "parts=3 is for executor"),
    ({"executor": None, "retries": 3}, "retries=3 is for executor"),
    ({"task_timeout": 0}, "task_timeout must be"),
    ({"executor": None, "task_timeout": 3}, "task_timeout=3 is for executor"),
]


@pytest.mark.parametrize(("how", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_what_does_not_go_is_refused(how: dict[str, Any], reason: str) -> None:
    executor = Here()
    with pytest.raises(SamplingError, match=reason):
        sample(**{"executor": executor, **how})
    assert executor.calls == 0


def test_a_function_that_makes_no_executor_is_refused() -> None:
    with pytest.raises(ArgumentError, match="returned 3, which has no method `submit`"):
        sample(executor=lambda: 3)


def test_a_process_with_a_gpu_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Here()
    monkeypatch.setattr(refusals, "this_machine", lambda: XLA_GPU)
    with pytest.raises(ArgumentError, match="this process has a GPU"):
        sample(executor=executor)
    assert executor.calls == 0


@pcbatch.autobatch
def told(x):
    pcbatch.debug_print("at {}", x)
    return -x * x


@pytest.mark.thorough
def test_a_target_that_calls_python_is_refused() -> None:
    executor = Here()
    with pytest.raises(ArgumentError, match="debug_print cannot run on a worker") as caught:
        nuts.sample(told, tf.TensorSpec([]), executor=executor, **OPTIONS)
    assert __file__ in str(caught.value)
    assert executor.calls == 0
