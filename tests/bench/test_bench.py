"""The benchmarks' own parts: what they check, count and print."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
import tensorflow as tf

from bench import limit, machine, report, sampler, timing
from bench.targets import LogisticRegression
from nuts.sampler.chain import Record
from pcbatch.ir.block_counts import BlockCount, Stats
from tests.support.tolerances import Tolerance, assert_close

TARGET = LogisticRegression.synthetic(points=200, regressors=3)


def test_the_target_is_the_same_each_time_and_agrees_with_numpy():
    again = LogisticRegression.synthetic(points=200, regressors=3)
    for field in ("features", "outcomes", "truth"):
        np.testing.assert_array_equal(getattr(again, field), getattr(TARGET, field))
    limit.check_gradients(TARGET, 4)


def test_a_wrong_gradient_is_noticed():
    class Wrong(LogisticRegression):
        def batched(self):
            def value_and_gradient(positions):
                value, gradient = LogisticRegression.batched(self)(positions)
                return value, gradient + 1.0

            return value_and_gradient

    with pytest.raises(AssertionError):
        limit.check_gradients(Wrong(**_fields(TARGET)), 2)


@pytest.mark.parametrize("with_density", [False, True])
def test_the_bare_loop_takes_all_its_steps(with_density):
    loop = limit.bare_loop(TARGET, with_density)
    # From the origin, where steps of this size do not disappear in the rounding of the position.
    starts = np.zeros((2, 3), np.float32)
    value, gradient = (part.numpy() for part in TARGET.batched()(starts))
    positions, total = loop(tf.constant(starts), tf.constant(5))
    assert_close(positions, 5e-8 * gradient, Tolerance(1e-4))
    assert_close(total, 5 * value if with_density else np.zeros(2), Tolerance(1e-5))


def test_impossible_leapfrog_counts_are_noticed():
    sampler.check_record(_record(leapfrogs=7, depth=3))
    sampler.check_record(_record(leapfrogs=9, depth=3))
    for leapfrogs, depth in ((6, 3), (16, 3), (0, 0), (1024, 10)):
        with pytest.raises(AssertionError):
            sampler.check_record(_record(leapfrogs, depth))
    with pytest.raises(AssertionError):
        sampler.check_record(_record(7, 3)._replace(position=np.array([[[np.nan]]])))


def test_the_gradient_block_is_the_one_that_runs_least():
    blocks = (
        BlockCount("leaf", 1, executions=10, active=60, batch_size=10),
        BlockCount("after", 2, executions=40, active=60, batch_size=10),
        BlockCount("other", 3, executions=5, active=50, batch_size=10),
    )
    assert sampler.gradient_block(Stats(50, blocks), 60).utilization == 0.6
    assert sampler.gradient_block(Stats(50, blocks), 61) is None


def test_timing_keeps_the_first_call_apart_and_checks_before_it_goes_on():
    calls = []
    measured = timing.measure(lambda: calls.append(1) or tf.constant(3), calls=4)
    assert len(calls) == 5
    assert measured.best <= measured.median <= measured.worst

    def refuse(value):
        assert int(value) == 4

    with pytest.raises(AssertionError):
        timing.measure(lambda: calls.append(1) or tf.constant(3), calls=4, check=refuse)
    assert len(calls) == 6


def test_calls_take_turns_in_another_order_each_round(monkeypatch):
    monkeypatch.setattr(timing, "seconds", lambda call: call() or timing.SHORTEST)
    calls = []
    names = ["a", "b", "c"]
    times = timing.alternate({name: lambda name=name: calls.append(name) for name in names}, 20)
    rounds = [tuple(calls[i : i + 3]) for i in range(0, 60, 3)]
    assert {tuple(sorted(each)) for each in rounds} == {("a", "b", "c")}
    assert len(set(rounds)) > 3
    assert list(times) == names and {len(each) for each in times.values()} == {20}


def test_short_calls_are_made_several_times_in_a_row(monkeypatch):
    calls = []
    took = {"long": 2 * timing.SHORTEST, "short": 0.375 * timing.SHORTEST}
    monkeypatch.setattr(timing, "seconds", lambda call: took[call()])
    times = timing.alternate(
        {name: lambda name=name: calls.append(name) or name for name in took}, 1
    )
    assert calls.count("long") == 1 and calls.count("short") == 3
    assert "".join(calls) in ("longshortshortshort", "shortshortshortlong")
    assert times == {name: pytest.approx((each,)) for name, each in took.items()}


def test_tables_align_text_left_and_numbers_right():
    rows = [
        {"name": "a", "count": 12_345, "rate": 0.12345, "note": None},
        {"name": "long", "count": 1, "rate": 123_456.0, "note": None},
    ]
    assert report.table(rows).splitlines() == [
        "name   count     rate  note",
        "a     12,345    0.123     -",
        "long       1  123,456     -",
    ]


def test_saved_results_name_the_machine_and_the_options(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RESULTS", tmp_path / "results")
    rows = [{"chains": 1, "ratio": 0.5}]
    path = report.save("limit", {"draws": 2}, rows)
    content = json.loads(path.read_text())
    assert content["rows"] == rows
    assert content["options"] == {"draws": 2}
    assert content["machine"].keys() == machine.describe().keys()
    assert content["machine"]["tensorflow"] == tf.__version__


def _fields(target: LogisticRegression) -> dict[str, np.ndarray]:
    return {f.name: getattr(target, f.name) for f in dataclasses.fields(target)}


def _record(leapfrogs: int, depth: int) -> Record:
    blank = {name: np.zeros((1, 1)) for name in Record._fields}
    counts = {"num_leapfrogs": np.array([[leapfrogs]]), "tree_depth": np.array([[depth]])}
    return Record(**(blank | counts | {"position": np.zeros((1, 1, 1))}))
