"""Fits in pickles and copies, with draws of every structure that a target may have."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import pathlib
import pickle
import subprocess
import sys
from collections import namedtuple
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import nuts
from nuts.adaptation.learned import Learned
from nuts.results.draws import named_draws
from nuts.results.pickles import portable
from nuts.results.streamed_fit import StreamedFit, Totals
from tests.nuts.test_fit import make_fit

tfd = tfp.distributions
ROOT = pathlib.Path(__file__).parents[2]
Global = namedtuple("Global", "mu theta")


def local_tuple(*values: Any) -> Any:
    Local = namedtuple("Local", "mu theta")
    return Local(*values)


@tfd.JointDistributionCoroutineAutoBatched
def coroutine():
    mu = yield tfd.Normal(0.0, 1.0, name="mu")
    yield tfd.MultivariateNormalDiag([mu, mu], name="theta")


NORMALS = {"mu": tfd.Normal(0.0, 1.0), "theta": tfd.MultivariateNormalDiag([0.0, 0.0])}
MODELS = {
    "coroutine": coroutine,
    "named": tfd.JointDistributionNamed(NORMALS),
    "named, ordered": tfd.JointDistributionNamed(collections.OrderedDict(NORMALS)),
    "named, a tuple": tfd.JointDistributionNamed(Global(**NORMALS)),
    "named, a local tuple": tfd.JointDistributionNamed(local_tuple(*NORMALS.values())),
    "sequential": tfd.JointDistributionSequential(list(NORMALS.values())),
    "nested": tfd.JointDistributionNamed({"a": NORMALS["mu"], "b": coroutine}),
    "one": tfd.Normal(0.0, 1.0),
}


@functools.cache
def fit_of(model: str) -> nuts.Fit:
    draws = tf.nest.map_structure(np.asarray, MODELS[model].sample((40, 100), seed=(1, 2)))
    return dataclasses.replace(make_fit(), draws=draws)


def assert_alike(one: Any, other: Any) -> None:
    tf.nest.assert_same_structure(one, other)
    tf.nest.map_structure(np.testing.assert_array_equal, one, other)


@pytest.mark.every(2)
@pytest.mark.parametrize("model", MODELS)
def test_a_fit_of_every_kind_of_target_is_pickled(model: str) -> None:
    fit = fit_of(model)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(fit, protocol))
    assert_alike(fit.draws, again.draws)
    assert named_draws(fit.draws).keys() == named_draws(again.draws).keys()
    assert (again.stats._fields, again.timing) == (fit.stats._fields, fit.timing)
    if "local" not in model and model not in ("coroutine", "nested"):
        assert type(again.draws) is type(fit.draws)
    # What was loaded is pickled as well, whole or only its draws.
    assert_alike(pickle.loads(pickle.dumps(again)).draws, fit.draws)
    assert_alike(pickle.loads(pickle.dumps(again.draws)), fit.draws)


def test_a_target_takes_the_draws_that_were_loaded() -> None:
    fit = fit_of("coroutine")
    again = pickle.loads(pickle.dumps(fit))
    one, other = (tf.nest.map_structure(lambda x: x[0, 0], f.draws) for f in (fit, again))
    np.testing.assert_array_equal(coroutine.log_prob(one), coroutine.log_prob(other))


@pytest.mark.parametrize("model", MODELS)
def test_a_copy_of_a_fit_has_its_classes(model: str) -> None:
    fit = fit_of(model)
    assert copy.copy(fit).draws is fit.draws
    again = copy.deepcopy(fit)
    assert type(again.draws) is type(fit.draws)
    assert_alike(fit.draws, again.draws)
    leaves = zip(tf.nest.flatten(again.draws), tf.nest.flatten(fit.draws), strict=True)
    assert not any(one is other for one, other in leaves)


def test_a_fit_without_draws_is_pickled() -> None:
    mean = tf.nest.map_structure(lambda x: x.mean((0, 1)), fit_of("coroutine").draws)
    totals = Totals(4000, 0.8, 7.0, 0, 0, 1.0)
    learned = Learned(np.float64(0.5), np.ones(3))
    timing = make_fit().timing
    fit = StreamedFit({"mean": mean}, {"mean": mean}, totals, 40, 100, learned, 10, timing, (), 8)
    for again in (pickle.loads(pickle.dumps(fit)), copy.copy(fit), copy.deepcopy(fit)):
        assert_alike(again.reduced, fit.reduced)
        assert again.summary() == fit.summary() and again.totals == totals


@pytest.mark.thorough
def test_a_fresh_process_loads_it(tmp_path: pathlib.Path) -> None:
    (tmp_path / "fits").write_bytes(pickle.dumps([fit_of("coroutine"), fit_of("nested")]))
    text = """
import pickle, sys
fits = pickle.load(open(sys.argv[1], "rb"))
print(*(type(f.draws).__name__ for f in fits), fits[0].draws._fields, fits[1].draws["b"]._fields)
print(fits[0].summary())
"""
    command = [sys.executable, "-c", text, str(tmp_path / "fits")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("StructTuple dict ('mu', 'theta') ('mu', 'theta')\n")
    assert "theta[1]" in done.stdout


def test_a_loaded_fit_is_pickled(tmp_path: pathlib.Path) -> None:
    fit = fit_of("coroutine")
    fit.save(tmp_path / "fit.npz")
    again = nuts.load(tmp_path / "fit.npz")
    assert_alike(pickle.loads(pickle.dumps(again)).draws, fit.draws)
    assert_alike(copy.deepcopy(again).draws, fit.draws)


def test_what_can_be_pickled_stays_as_it_is() -> None:
    default = collections.defaultdict(list, {"b": Global(1, 2), "a": [3]})
    found = portable(default)
    assert found == default and list(found) == ["b", "a"]
    assert type(found) is collections.defaultdict and found["z"] == [] and "z" not in default
