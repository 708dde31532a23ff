"""Targets that are written in Stan: over a double of BridgeStan, and over BridgeStan itself."""

from __future__ import annotations

import concurrent.futures
import functools
import json
import os
import pathlib
import shutil
import sys
import threading
import types
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import nuts
import pcbatch
from tests.nuts.stan_double import KNOWN, Known, StanDouble
from tests.support.tolerances import EXACT, STATISTICAL, Tolerance, assert_close

SMALL: dict[str, Any] = {"num_chains": 100, "num_draws": 20, "num_warmup": 30, "progress": False}
FEW: dict[str, Any] = {
    "num_chains": 3, "num_draws": 3, "num_warmup": 0, "step_size": 0.5, "progress": False
}  # fmt: skip


ALONE = FEW | {"num_chains": 1, "strategy": "loop"}
"""Without XLA, which takes seconds to compile."""
SIZES: list[int] = []
"""How many chains each call of the host was for."""


@functools.cache
def target_of(name: str) -> Any:
    """A target that notes in `SIZES` what it is called for."""
    target = nuts.from_stan(KNOWN[name]().double)
    points = target.points

    def noted(positions: np.ndarray) -> Any:
        SIZES.append(len(positions))
        return points(positions)

    target.points = noted
    return target


@functools.cache
def fit_of(name: str) -> nuts.Fit:
    return nuts.sample(target_of(name), **SMALL)


def assert_means(fit: nuts.Fit, known: Known) -> None:
    """The means of chains, which are independent, have the known mean.

    With 100 chains a mean is beyond `STATISTICAL` standard errors with probability 3e-7; a bias of
    0.8 standard deviations of the mean of one chain is found with probability 0.99.
    """
    for name, mean in known.means.items():
        of_chains = fit.draws[name].mean(1)
        error = of_chains.std(0, ddof=1) / np.sqrt(len(of_chains))
        assert of_chains.shape[1:] == np.shape(mean)
        assert (np.abs(of_chains.mean(0) - mean) < STATISTICAL * error).all(), name


@pytest.mark.thorough
@pytest.mark.parametrize("name", KNOWN)
def test_a_fit_has_the_known_means(name: str) -> None:
    assert_means(fit_of(name), KNOWN[name]())


def test_draws_have_the_names_shapes_and_values_of_stan() -> None:
    draws = fit_of("slopes").draws
    assert {name: x.shape[2:] for name, x in draws.items()} == {
        "slope": (2,), "powers": (2, 3), "first": ()
    }  # fmt: skip
    slope = draws["slope"]
    powers = np.stack([slope, slope**2, slope**3], -1)
    assert_close(draws["powers"], powers, Tolerance(1e-12, 1e-12))
    assert {x.dtype for x in draws.values()} == {np.dtype("float64")}


def test_names_of_tuples_and_complex_numbers_are_variables_of_their_own() -> None:
    names = ["p:1", "p:2.1", "p:2.2", "z.1.real", "z.1.imag", "z.2.real", "z.2.imag", "a.1:1"]
    double = StanDouble(
        1, (names, [], []), lambda u: (0.0, u), lambda u, rng: (np.arange(8.0), (), ())
    )
    target = nuts.from_stan(double)
    found = target.constrained(np.zeros([2, 1]))
    rows = {name: x.numpy()[1].tolist() for name, x in found.items()}
    assert rows == {
        "p:1": 0.0, "p:2": [1.0, 2.0], "z.real": [3.0, 5.0], "z.imag": [4.0, 6.0], "a:1": [7.0]
    }  # fmt: skip
    assert list(found) == list(target.shown)


def test_blocks_may_be_left_out_and_generated_numbers_are_of_the_draw() -> None:
    double = KNOWN["slopes"]().double
    assert set(nuts.from_stan(double, include_gq=False).shown) == {"slope", "powers"}
    assert set(nuts.from_stan(double, include_tp=False).shown) == {"slope", "first"}
    positions = np.random.default_rng(0).normal(size=(5, 2))
    target, other = nuts.from_stan(double), nuts.from_stan(double, seed=1)
    whole, part = target.constrained(positions), target.constrained(positions[2:])
    assert_close(part["first"], whole["first"][2:], EXACT)
    assert (whole["first"].numpy() != other.constrained(positions)["first"].numpy()).all()


@pytest.mark.thorough
def test_each_gradient_is_one_call_for_all_chains_that_wait() -> None:
    """As many calls as the longest chain has gradients, and one for the starts."""
    first = fit_of("slopes")
    SIZES.clear()
    fit = nuts.sample(target_of("slopes"), first, num_draws=5, progress=False)
    gradients = fit.stats.num_leapfrogs
    assert len(SIZES) == 1 + gradients.sum(1).max()
    assert sum(SIZES) == SMALL["num_chains"] + gradients.sum()


@pytest.mark.thorough
def test_draws_are_those_of_the_same_density_in_tensorflow() -> None:
    known = KNOWN["slopes"]()
    x, y = (tf.constant(known.data[name], tf.float64) for name in ("x", "y"))

    def log_density(slope: tf.Tensor) -> tf.Tensor:
        residual = y - tf.linalg.matvec(x, slope)
        return -0.5 * (tf.reduce_sum(residual**2) + tf.reduce_sum(slope**2))

    start = np.zeros(2)
    found = nuts.sample(nuts.from_stan(known.double), start, **ALONE).draws["slope"]
    expected = nuts.sample(log_density, start, **ALONE).draws
    assert_close(found, expected, Tolerance(1e-9, 1e-9))


@pytest.mark.thorough
def test_rejected_positions_diverge_and_are_counted() -> None:
    fit = fit_of("rejecting")
    assert fit.draws["x"].min() > -0.5 and fit.divergences > 0
    target = nuts.from_stan(KNOWN["rejecting"]().double)
    values, gradients = target.points(np.array([[-1.0], [1.0], [-2.0]]))
    assert values.tolist() == [-np.inf, -0.5, -np.inf]
    assert gradients.tolist() == [[0.0], [-1.0], [0.0]]
    assert target.num_rejected == 2 and "x is -2.0" in target.last_rejected


def test_stans_message_is_told_where_no_chain_can_start() -> None:
    target = nuts.from_stan(KNOWN["rejecting"]().double)
    with pytest.raises(nuts.SamplingError, match=r"chain 0: (.|\n)*Stan says: .* x is -1.0"):
        nuts.sample(target, np.full([3, 1], -1.0), **FEW)


def fails(after: int, error: Exception) -> StanDouble:
    """A model that raises from some evaluation on."""
    calls = []

    def evaluate(u: np.ndarray) -> tuple[float, np.ndarray]:
        calls.append(u)
        if len(calls) > after:
            raise error
        return -0.5 * u[0] ** 2, -u

    return StanDouble(1, (["x"], [], []), evaluate, lambda u, rng: (u, (), ()))


def test_an_error_of_the_program_ends_the_run() -> None:
    error = RuntimeError("vector[uni] indexing: accessing element out of range. index 4 ...")
    with pytest.raises(nuts.SamplingError, match=r"cannot evaluate the model: .*index 4"):
        nuts.sample(nuts.from_stan(fails(0, error)), **FEW)
    with pytest.raises(pcbatch.HostCallError, match=r"cannot evaluate the model: .*index 4"):
        nuts.sample(nuts.from_stan(fails(9, error)), **ALONE)
    with pytest.raises(pcbatch.HostCallError, match="ValueError: something else"):
        nuts.sample(nuts.from_stan(fails(9, ValueError("something else"))), **ALONE)


def test_what_stan_cannot_compute_of_a_draw_is_not_a_number() -> None:
    def constrain(u: np.ndarray, rng: Any) -> Any:
        if u[0] < 0:
            raise RuntimeError("sigma is negative")
        return u, (), ()

    target = nuts.from_stan(StanDouble(1, (["x"], [], []), lambda u: (0.0, u), constrain))
    found = target.constrained(np.array([[1.0], [-1.0]]))["x"].numpy()
    assert_close(found, [1.0, np.nan], EXACT)


def test_threads_share_the_chains_that_wait_where_the_model_lets_them() -> None:
    seen = set()
    meet = threading.Barrier(2, timeout=30)

    def evaluate(u: np.ndarray) -> tuple[float, np.ndarray]:
        seen.add(threading.get_ident())
        if u[0] in (1.0, 9.0):
            meet.wait()
        return u[0], -u

    def made(info: str, threads: int | None) -> Any:
        how = (1, (["x"], [], []), evaluate, lambda u, rng: (u, (), ()))
        return nuts.from_stan(StanDouble(*how, info), threads=threads)

    positions = np.arange(10.0)[:, np.newaxis]
    values, gradients = made("STAN_THREADS=true", 2).points(positions)
    assert len(seen) == 2
    assert_close(values, positions[:, 0], EXACT)
    assert_close(gradients, -positions, EXACT)
    seen.clear()
    few = positions[2:8]
    for target in (made("STAN_THREADS=false", 2), made("STAN_THREADS=true", None)):
        target.points(few)
        assert seen == {threading.get_ident()}, "one thread where it must be, or costs less"


@functools.cache
def none_there() -> StanDouble:
    return StanDouble(0, ([], [], []), lambda u: (0.0, u), lambda u, rng: ((), (), ()))


def test_what_is_wrong_with_a_model_is_said() -> None:
    double = KNOWN["rate"]().double
    with pytest.raises(nuts.SamplingError, match="nothing to sample"):
        nuts.from_stan(none_there())
    with pytest.raises(nuts.SamplingError, match="has its data already"):
        nuts.from_stan(double, {"N": 4})
    with pytest.raises(nuts.SamplingError, match="threads must be at least 1, not 0"):
        nuts.from_stan(double, threads=0)
    with pytest.raises(nuts.SamplingError, match=r"init has the form .*shape=\(2,\)"):
        nuts.sample(nuts.from_stan(double), np.zeros(2), **FEW)
    with pytest.raises(nuts.SamplingError, match=r"init has float32, .* are float64"):
        nuts.sample(nuts.from_stan(double), np.zeros(1, np.float32), **FEW)
    with pytest.raises(nuts.SamplingError, match=r"executor= is not for a Stan model"):
        nuts.sample(nuts.from_stan(double), executor=concurrent.futures.Executor(), **FEW)
    with pytest.raises(nuts.SamplingError, match="batched_target=True is for a function"):
        nuts.sample(nuts.from_stan(double), batched_target=True, **FEW)


def bridgestan_that(raises: Exception) -> types.ModuleType:
    module = types.ModuleType("bridgestan")

    class StanModel:
        def __init__(self, *args: Any, **kwargs: Any):
            raise raises

    StanModel.__module__ = "bridgestan.model"
    module.StanModel = StanModel
    return module


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("Failed to download"), r"cannot be compiled: Failed (.|\n)*set the variable"),
        (RuntimeError("Semantic error"), r"does not take model.stan .*: Semantic error"),
        (FileNotFoundError("File 'model.stan' does not exist"), "model.stan' does not exist"),
    ],
)
def test_what_bridgestan_raises_is_told(
    error: Exception, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bridgestan", bridgestan_that(error))
    with pytest.raises(nuts.SamplingError, match=message):
        nuts.from_stan(pathlib.Path("model.stan"), {"N": 1})
    with pytest.raises(nuts.SamplingError, match=r"takes the path of a .stan file .*, not 3"):
        nuts.from_stan(3)


def test_how_to_give_a_model_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    model = object.__new__(bridgestan_that(ValueError()).StanModel)
    with pytest.raises(nuts.SamplingError, match=r"help: nuts.sample\(nuts.from_stan\(model\)"):
        nuts.sample(model)
    monkeypatch.setitem(sys.modules, "bridgestan", None)
    with pytest.raises(nuts.SamplingError, match=r"needs bridgestan, .*: pip install bridgestan"):
        nuts.from_stan("model.stan")


def why_not() -> str:
    """Why BridgeStan cannot compile here; empty where it can. Looks, and downloads nothing."""
    try:
        from bridgestan.compile import get_bridgestan_path, verify_bridgestan_path
        from bridgestan.download import CURRENT_BRIDGESTAN
    except ImportError:
        return "BridgeStan is not installed (extra 'stan')"
    try:
        there = "BRIDGESTAN" in os.environ
        verify_bridgestan_path(get_bridgestan_path() if there else CURRENT_BRIDGESTAN)
    except ValueError as error:
        return f"BridgeStan has no C++ source here: {error}"
    return "" if shutil.which("make") else "there is no make"


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:The version of the compiled model")
@pytest.mark.skipif(bool(why_not()), reason=why_not() or "BridgeStan can compile")
@pytest.mark.parametrize("name", KNOWN)
def test_the_same_through_bridgestan(name: str, tmp_path: pathlib.Path) -> None:
    """The double has BridgeStan's values, and a fit the known means."""
    known = KNOWN[name]()
    path = tmp_path / f"{name}.stan"
    path.write_text(known.program)
    data = tmp_path / "data.json"
    data.write_text(json.dumps(known.data))
    target, double = nuts.from_stan(path, str(data)), nuts.from_stan(known.double)
    assert target.shown == double.shown
    if name != "share":  # Stan's space of a simplex is another one from version 2.37 on
        positions = np.random.default_rng(0).normal(size=(4, target.specs.shape[0]))
        found, expected = target.points(positions), double.points(positions)
        assert_close(found[1], expected[1], Tolerance(1e-9, 1e-9))
        finite = np.isfinite(expected[0])
        assert (np.isfinite(found[0]) == finite).all()
        apart = (found[0] - expected[0])[finite]
        assert_close(apart, np.full_like(apart, apart[0]), Tolerance(1e-9, 1e-9))
    assert_means(nuts.sample(target, **SMALL), known)
    if name == "rejecting":
        assert target.num_rejected and "x is" in target.last_rejected
