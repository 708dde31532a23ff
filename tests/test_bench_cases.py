"""The cases P1 to P10 at tiny sizes: what they check, count and compare. Nothing is timed here."""

from __future__ import annotations

import argparse
import functools

import numpy as np
import pytest

from bench import agreement, apart, functions, machine, peers
from bench.__main__ import COMMANDS, load
from bench.cases import goal
from bench.cases.against_samplers import Comparison
from bench.limit import check_gradients
from bench.sampler import Draws
from bench.targets import Normal


class Small(Normal):
    """A normal whose log density is always the same object: NUTS is compiled for it once."""

    @functools.cache
    def log_density(self):
        return super().log_density()

    __hash__ = object.__hash__


SMALL = Small(np.array([1.0, 0.5, 2.0], np.float32))


@pytest.fixture
def in_this_process(monkeypatch):
    calls = []

    def call(function, cores=None, **arguments):
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
        assert row["case"] == name
        assert list(row) == list(rows[0])
    return rows


def test_goals_have_a_direction():
    assert goal.at_least(3.0).verdict(3.5) == {"figure": 3.5, "target": ">= 3", "met": "yes"}
    assert goal.at_least(3.0).verdict(2.5)["met"] == "no"
    assert goal.at_most(0.05).verdict(0.01)["met"] == "yes"
    assert goal.at_most(0.05).verdict(0.06)["met"] == "no"
    assert goal.at_most(0.05).verdict(None)["met"] == ""
    assert goal.NO_GOAL.verdict(7.0) == {"figure": 7.0, "target": "", "met": ""}


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
    np.testing.assert_allclose(starts.std(0), target.scales, rtol=6 / np.sqrt(2 * 4000))


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


def test_p1_compares_with_the_limit(monkeypatch):
    monkeypatch.setattr("bench.cases.near_limit.STEP_SIZE", 0.4)
    monkeypatch.setattr("bench.targets.LogisticRegression.synthetic", lambda *_: SMALL)
    words = "--chains 3 --draws 2".split()
    (row,) = run_case("P1", *words)
    assert row["figure"] == pytest.approx(row["gradients/s"] / row["limit/s"])
    assert 0 < row["utilization"] <= 1


def test_samplers_are_compared_by_useful_gradients():
    comparison = Comparison("P3", lambda: SMALL, 0.4, (3,), (2, 2), goal.at_least(1.0))
    parser = argparse.ArgumentParser()
    comparison.add_arguments(parser)
    rows = comparison.run(parser.parse_args(["--peers", "TFP", "--rounds", "1"]))
    ours, theirs = rows
    assert (ours["figure"], ours["met"]) == (1.0, "")
    assert theirs["figure"] == pytest.approx(ours["gradients/s"] / theirs["gradients/s"])
    assert theirs["met"] in ("yes", "no")
    assert 1 <= theirs["leapfrogs/draw"] < 1024


def test_a_missing_peer_is_a_named_gap(monkeypatch):
    monkeypatch.setitem(peers.SAMPLERS, "NumPyro", "bench.peers.nowhere")
    comparison = Comparison("P3", lambda: SMALL, 0.4, (3,), (2, 2), goal.at_least(1.0))
    parser = argparse.ArgumentParser()
    comparison.add_arguments(parser)
    _, missing = comparison.run(parser.parse_args(["--peers", "NumPyro", "--rounds", "1"]))
    assert missing["figure"] is None
    assert "NumPyro" in missing["gap"] and "nowhere" in missing["gap"]


def test_p5_takes_the_largest_rise():
    rows = run_case("P5", "--batches", "10", "20", "--functions", "collatz", "--calls", "1")
    (row,) = rows
    assert row["figure"] == pytest.approx(row["ns at 20"] / row["ns at 10"])


def test_p6_compares_two_capacities():
    words = "--what fib --capacity 16 --times 2 --members 20 --rounds 1".split()
    (row,) = run_case("P6", *words)
    assert row["figure"] == pytest.approx(abs(row["ms at 32"] / row["ms at 16"] - 1))


def test_p7_measures_each_target(in_this_process, monkeypatch):
    monkeypatch.setattr("bench.cases.cold_compile._TARGETS", {"normal": lambda: SMALL})
    monkeypatch.setattr("bench.cases.cold_compile.LENGTH", 2)
    (row,) = run_case("P7", "--chains", "3", "--targets", "normal")
    assert row["figure"] >= 0
    assert len(in_this_process) == 1


def test_p8_alternates_cores(in_this_process, monkeypatch):
    monkeypatch.setattr("bench.cases.cores.Normal.uneven", lambda: SMALL)
    words = "--chains 3 --draws 2 --calls 1 --rounds 2".split()
    (row,) = run_case("P8", *words)
    assert in_this_process == [1, 2, 1, 2]
    assert row["figure"] == pytest.approx(row["gradients/s on 2"] / row["gradients/s on 1"])


def test_a_process_apart_gets_its_cores_and_its_failure_is_reported():
    assert apart.call(machine.describe, cores=1)["cores"] == "1"
    with pytest.raises(RuntimeError, match="unexpected keyword"):
        apart.call(machine.describe, nonsense=1)
