"""The cases P1 to P10 at tiny sizes: what they check, count and compare. Nothing is timed here."""

from __future__ import annotations

import argparse
import re

import numpy as np
import pytest
import tensorflow as tf

from bench import (
    agreement,
    all_targets,
    apart,
    figure1,
    functions,
    machine,
    optimizations,
    peers,
    report,
    utilization,
)
from bench.__main__ import COMMANDS, load
from bench.cases import goal
from bench.cases.against_samplers import Comparison
from bench.limit import check_gradients
from bench.sampler import Draws
from bench.targets import LogisticRegression, Normal
from pcbatch.ir.block_counts import BlockCount, Stats
from tests.support.tolerances import Tolerance, assert_close

SMALL = Normal(np.array([1.0, 0.5, 2.0], np.float32))


@pytest.fixture
def in_this_process(monkeypatch):
    calls = []

    def call(function, cores=None, for_memory=False, **arguments):
        assert not for_memory
        calls.append(cores)
        return function(**arguments)

    monkeypatch.setattr(apart, "call", call)
    return calls


def run_case(name, *words):
    """Run a benchmark as the command line does; give its rows."""
    benchmark = load(COMMANDS[name][0])
    parser = argparse.ArgumentParser()
    benchmark.add_arguments(parser)
    rows = benchmark.run(parser.parse_args(words))
    for row in rows:
        assert re.fullmatch(r"P\d+b?", row["case"])
        assert list(row) == list(rows[0])
    return rows


def test_goals_have_a_direction():
    assert goal.at_least(3.0).verdict(3.5) == {"figure": 3.5, "target": ">= 3", "met": "yes"}
    assert goal.at_least(3.0).verdict(2.5)["met"] == "no"
    assert goal.at_most(0.05).verdict(0.01)["met"] == "yes"
    assert goal.at_most(0.05).verdict(0.06)["met"] == "no"
    assert goal.at_most(0.05).verdict(None)["met"] == ""
    assert goal.NO_GOAL.verdict(7.0) == {"figure": 7.0, "target": "", "met": ""}


@pytest.mark.every(3)
@pytest.mark.parametrize("function", functions.FUNCTIONS, ids=lambda f: f.name)
def test_the_functions_give_what_numpy_says(function):
    arguments = function.tensors(20)
    value = function.function.run(*arguments, jit=False, throw=True).value
    function.check(20, value)
    with pytest.raises(AssertionError):
        function.check(20, value + 1)


def test_numpy_s_answers_are_plain_python_s():
    for function in functions.FUNCTIONS:
        arguments = function.tensors(4)
        single = [int(function.function.single(*(a[i] for a in arguments))) for i in range(4)]
        np.testing.assert_array_equal(single, function.expected(*function.arguments(4)))


def test_trees_have_all_sizes():
    left, right, _, _ = functions.BY_NAME["tree"].arguments(2000)
    nodes = 1 + (left >= 0).sum(1) + (right >= 0).sum(1)
    assert set(nodes) == set(range(1, functions.TREE_NODES + 1))


@pytest.mark.parametrize("target", [SMALL, Normal.uneven(5)], ids=["small", "uneven"])
def test_the_normal_agrees_with_numpy(target):
    check_gradients(target, 4)
    starts = target.starts(4000)
    assert_close(starts.std(0), target.scales, Tolerance(6 / np.sqrt(2 * 4000)))


def test_chains_of_the_regression_start_in_its_posterior():
    """Against importance sampling; the normal approximation's means are up to 16 errors off."""
    target, number = LogisticRegression.synthetic(60, 4), 5000
    starts = target.starts(number).astype(np.float64)
    generator, freedom = np.random.default_rng(5), 6
    center, factor = starts.mean(0), 1.2 * np.linalg.cholesky(np.cov(starts.T))
    far = np.sqrt(freedom / generator.chisquare(freedom, 20_000))
    noise = far[:, np.newaxis] * generator.standard_normal((20_000, 4))
    proposals = center + noise @ factor.T
    log_weights = np.array([target.exact(x)[0] for x in proposals])
    log_weights += (freedom + 4) / 2 * np.log1p((noise**2).sum(1) / freedom)
    weights = np.exp(log_weights - log_weights.max())
    weights /= weights.sum()
    mean = weights @ proposals
    variance = weights @ (proposals - mean) ** 2
    error = np.sqrt(variance * (1 / number + (weights**2).sum()))
    assert (np.abs(starts.mean(0) - mean) < 4.5 * error).all()
    assert_close(starts.var(0), variance, Tolerance(4.5 * np.sqrt(2 / number + 4e-4)))


def test_a_sampler_of_another_distribution_is_noticed():
    generator = np.random.default_rng(0)

    def draws(scale, shift=0.0):
        positions = scale * generator.standard_normal((100, 20, 3)) + shift
        return Draws(positions, np.ones((100, 20), int))

    agreement.check_agreement(draws(1.0), draws(1.0))
    with pytest.raises(AssertionError, match="variance"):
        agreement.check_agreement(draws(1.0), draws(1.4))
    with pytest.raises(AssertionError, match="mean"):
        agreement.check_agreement(draws(1.0), draws(1.0, 0.4))


def test_samplers_agree_at_the_same_draw_wherever_they_started():
    generator = np.random.default_rng(0)

    def approaching(length, share):
        """Chains that start at 5 and go to 0, by a share of the way at each draw."""
        noise = generator.standard_normal((100, length, 3))
        far = 5.0 * (1.0 - share) ** np.arange(length)
        return Draws(far[:, np.newaxis] + noise, np.ones((100, length), int))

    agreement.check_agreement(approaching(4, 0.3), approaching(50, 0.3))
    with pytest.raises(AssertionError, match="mean"):
        agreement.check_agreement(approaching(4, 0.3), approaching(50, 0.6))


@pytest.mark.thorough
def test_p1_compares_with_the_limit(monkeypatch):
    monkeypatch.setattr("bench.cases.near_limit.STEP_SIZE", 0.4)
    monkeypatch.setattr("bench.targets.LogisticRegression.synthetic", lambda *_: SMALL)
    words = "--chains 3 --draws 2 --calls 1".split()
    (row,) = run_case("near_limit", *words)
    assert row["figure"] == pytest.approx(row["gradients/s"] / row["limit/s"])
    assert 0 < row["utilization"] <= 1


@pytest.mark.thorough
def test_samplers_are_compared_by_useful_gradients():
    comparison = Comparison("P3", lambda: SMALL, 0.4, (3,), 2, 6, goal.at_least(1.0))
    parser = argparse.ArgumentParser()
    comparison.add_arguments(parser)
    rows = comparison.run(parser.parse_args(["--peers", "TFP", "--rounds", "1"]))
    ours, theirs = rows
    assert (ours["figure"], ours["met"]) == (1.0, "")
    assert theirs["figure"] == pytest.approx(ours["gradients/s"] / theirs["gradients/s"])
    assert theirs["met"] in ("yes", "no")
    assert 1 <= theirs["leapfrogs/draw"] < 1024


@pytest.mark.thorough
def test_a_missing_peer_is_a_named_gap(monkeypatch):
    monkeypatch.setitem(peers.SAMPLERS, "NumPyro", "bench.peers.nowhere")
    comparison = Comparison("P3", lambda: SMALL, 0.4, (3,), 2, 6, goal.at_least(1.0))
    parser = argparse.ArgumentParser()
    comparison.add_arguments(parser)
    _, missing = comparison.run(parser.parse_args(["--peers", "NumPyro", "--rounds", "1"]))
    assert missing["figure"] is None
    assert "NumPyro" in missing["gap"] and "nowhere" in missing["gap"]


def test_p5_takes_the_largest_rise():
    rows = run_case("flat_cost", "--batches", "10", "20", "--functions", "collatz", "--calls", "1")
    (row,) = rows
    assert row["figure"] == pytest.approx(row["ns at 20"] / row["ns at 10"])


def test_p6_compares_two_capacities():
    words = "--what fib --capacity 16 --times 2 --members 20 --rounds 1".split()
    (row,) = run_case("stack_capacity", *words)
    assert row["figure"] == pytest.approx(abs(row["ms at 32"] / row["ms at 16"] - 1))


def test_p7_measures_each_target(in_this_process, monkeypatch):
    monkeypatch.setattr("bench.cases.cold_compile._TARGETS", {"normal": lambda: SMALL})
    monkeypatch.setattr("bench.cases.cold_compile.LENGTH", 2)
    (row,) = run_case("cold_compile", "--chains", "3", "--targets", "normal")
    assert row["figure"] >= 0
    assert len(in_this_process) == 1


def test_p8_alternates_cores(in_this_process, monkeypatch):
    monkeypatch.setattr("bench.cases.cores.Normal.uneven", lambda: SMALL)
    words = "--chains 3 --draws 2 --calls 1 --rounds 2".split()
    (row,) = run_case("cores", *words)
    assert in_this_process == [1, 2, 1, 2]
    assert row["figure"] == pytest.approx(row["gradients/s on 2"] / row["gradients/s on 1"])


def test_a_process_apart_gets_its_cores_and_its_failure_is_reported():
    assert apart.call(machine.describe, cores=1)["cores"] == "1"
    with pytest.raises(RuntimeError, match="unexpected keyword"):
        apart.call(machine.describe, nonsense=1)


def test_targets_are_collected_from_what_is_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    met = {"case": "P5", "what": "fib", "ns": 3.0, **goal.at_most(1.3).verdict(1.0)}
    shown = {"case": "P5", "what": "other", "ns": 3.0, **goal.NO_GOAL.verdict(1.0)}
    report.save("flat_cost", {}, [met, shown])
    parser = argparse.ArgumentParser()
    all_targets.add_arguments(parser)
    kept, missing = all_targets.run(
        parser.parse_args(["--saved", "--only", "flat_cost", "stack_capacity"])
    )
    assert kept == {"case": "P5", "what": "fib", "figure": 1.0, "target": "<= 1.3", "met": "yes"}
    assert (missing["case"], missing["what"]) == ("stack_capacity", "not measured")


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["fib", "collatz", "tree"])
def test_auto_batching_computes_the_same_functions(name):
    from bench.cases.against_batching import STACK_DEPTH
    from bench.peers import tfp_auto_batching

    function = functions.BY_NAME[name]
    arguments = function.arguments(50)
    arguments = tuple(a[:8] for a in arguments) if name == "tree" else arguments
    run = tfp_auto_batching.function(name, STACK_DEPTH[name], jit=False)
    np.testing.assert_array_equal(run(*map(tf.constant, arguments)), function.expected(*arguments))


@pytest.mark.thorough
def test_p9_stops_while_all_chains_are_busy(monkeypatch):
    monkeypatch.setattr("bench.cases.lanes.STEP_SIZE", 0.4)
    monkeypatch.setattr("bench.targets.LogisticRegression.synthetic", lambda *_: SMALL)
    (row,) = run_case("lanes", "--chains", "3", "--draws", "20")
    assert 0 < row["figure"] <= 1
    assert row["figure"] == pytest.approx(row["gradients"] / (3 * row["executions"]))


def test_memory_is_the_difference_of_two_processes(monkeypatch, capsys):
    """What TensorFlow and compiling take is in both."""
    from bench.cases import peak_memory

    sizes = {1_000: (100_000, 900_000), 10: (1_000, 751_500)}

    def call(function, for_memory, chains, length):
        assert (function, for_memory, length) == (peak_memory.nuts_bytes, True, 500)
        return sizes[chains]

    monkeypatch.setattr(peak_memory.apart, "call", call)
    options = argparse.Namespace(what=["NUTS"], members=0, chains=1_000, length=500)
    (row,) = peak_memory.run(options)
    assert row["figure"] == 148_500 / 99_000
    assert row["met"] == "no"


def test_lock_step_waits_for_the_longest():
    assert utilization.lock_step(np.array([[1, 3], [3, 1]])) == pytest.approx(8 / 12)
    assert utilization.lock_step(np.array([[7, 3], [7, 3]])) == 1.0


def test_counts_of_runs_add_up():
    one = Stats(5, (BlockCount("leaf", 1, executions=2, active=3, batch_size=4),))
    both = utilization.total([one, one])
    assert both == Stats(10, (BlockCount("leaf", 1, executions=4, active=6, batch_size=4),))


def test_utilization_across_draws_is_not_below_that_per_draw(monkeypatch):
    monkeypatch.setattr("bench.utilization.Normal.uneven", lambda: SMALL)
    monkeypatch.setattr("bench.utilization.STEP_SIZE", 0.4)
    words = "--chains 3 --draws 2".split()
    options = argparse.ArgumentParser()
    utilization.add_arguments(options)
    rows = utilization.run(options.parse_args([*words, "--ways", "pc, across draws"]))
    ours, lock_step = rows
    assert ours["way"] == "pc, across draws" and lock_step["way"] == "lock step"
    assert ours["blocks"] and 0 < ours["gradient"] <= 1
    assert lock_step["gradient"] <= 1


def run_optimizations(*words):
    parser = argparse.ArgumentParser()
    optimizations.add_arguments(parser)
    return optimizations.run(
        parser.parse_args([*words, "--rounds", "1"], argparse.Namespace(save=False))
    )


@pytest.mark.thorough
def test_optimizations_that_do_nothing_in_a_program_have_no_row():
    words = "--members 40 --without order buckets compaction outlining repetition shards all"
    rows = run_optimizations("--programs", "fib", "collatz", *words.split())
    named = [(row["program"], row["without"]) for row in rows]
    fib, collatz = ("order", "outlining", "shards", "all"), ("outlining", "shards", "all")
    assert named == [("fib", x) for x in fib] + [("collatz", x) for x in collatz]
    assert all(row["times as long"] == pytest.approx(row["ms"] / row["ms with it"]) for row in rows)


def test_optimizations_of_a_sampler_are_compared_by_what_it_draws(monkeypatch):
    monkeypatch.setattr(optimizations, "NUTS", {"NUTS, normal": (lambda: SMALL, 0.2)})
    words = ["--programs", "NUTS, normal", "--chains", "3", "--draws", "2", "--without", "shards"]
    (row,) = run_optimizations(*words, "switch")
    assert (row["without"], row["members"]) == ("shards", 3)


def test_saved_rows_stay_unless_measured_again(monkeypatch, tmp_path):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    assert report.with_saved("some", [{"way": "a", "ms": 1}], ["way"]) == [{"way": "a", "ms": 1}]
    report.save("some", {}, [{"way": "a", "ms": 2}, {"way": "b", "ms": 3}])
    merged = report.with_saved("some", [{"way": "a", "ms": 1}], ["way"])
    assert merged == [{"way": "a", "ms": 1}, {"way": "b", "ms": 3}]


@pytest.mark.large
def test_figure1_has_a_row_for_each_way(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("bench.figure.RESULTS", tmp_path)
    monkeypatch.setattr(figure1.LogisticRegression, "synthetic", lambda *_: SMALL)
    monkeypatch.setattr(figure1, "STEP_SIZE", 0.4)
    monkeypatch.setattr(figure1, "WAYS", {"pc, auto": ({"schedule": "auto"}, 2)})
    monkeypatch.setitem(peers.SAMPLERS, "Stan", "bench.peers.nowhere")
    parser = argparse.ArgumentParser()
    figure1.add_arguments(parser)
    ways = ["bare loop of gradients", "pc, auto", "unbatched, eager", "Stan"]
    options = parser.parse_args(["--chains", "3", "--ways", *ways])
    options.save = False
    rows = figure1.run(options)
    assert list(dict.fromkeys(row["way"] for row in rows)) == ways
    assert all((row["gradients/s"] is None) == (row["way"] == "Stan") for row in rows)
    assert "nowhere" in rows[-1]["gap"]
    assert figure1.plot(rows).read_bytes().startswith(b"\x89PNG")


@pytest.mark.every(2)
@pytest.mark.parametrize("name", peers.LOCK_STEP)
def test_peers_draw_from_the_target(name):
    """The other peers compile for half a minute: the benchmarks check their draws."""
    try:
        run = peers.make(name, SMALL, 50, 0.4, 4)
    except peers.MissingPeerError as error:
        pytest.skip(str(error))
    drawn = run()
    assert drawn.gradients > 0 and drawn.leapfrogs.shape[0] == 50
    exact = SMALL.scales * np.random.default_rng(5).standard_normal((2000, 1, 3))
    agreement.check_agreement(Draws(exact, np.ones((2000, 1), int)), drawn)
