"""A fit in ArviZ's form, of the ArviZ that is installed: before 1.0, or after."""

from __future__ import annotations

import dataclasses
from typing import Any

import arviz
import matplotlib
import numpy as np
import pytest

import nuts
from nuts.errors import SamplingError
from nuts.results import arviz_groups
from nuts.results.arviz_versions import TREES, mcse
from tests.nuts.test_fit import CHAINS, DRAWS, make_fit
from tests.nuts.test_predictions import MODELS, X, Y, fit_of

matplotlib.use("Agg")
PLACES = {"dims": {"y": ["place"], "counts": ["place"]}, "coords": {"place": list("abcde")}}


def data_of(model: str = "automatic", **options: Any) -> Any:
    return fit_of(model).to_arviz(MODELS[model], **options)


def groups(data: Any) -> set[str]:
    return set(data.children) if TREES else set(data.groups())


def test_it_is_what_this_arviz_takes() -> None:
    kind = type(make_fit().to_arviz())
    assert (kind.__module__.split(".")[0], kind.__name__) == (
        ("xarray", "DataTree") if TREES else ("arviz", "InferenceData")
    )


def test_groups_of_a_model() -> None:
    data = data_of(**PLACES)
    assert groups(data) == {
        "posterior",
        "sample_stats",
        "observed_data",
        "log_likelihood",
        "posterior_predictive",
    }
    assert set(data["posterior"].data_vars) == {"slope", "scale"}
    assert data["observed_data"]["y"].dims == ("place",)
    np.testing.assert_array_equal(data["observed_data"]["y"], Y)
    for group in ("log_likelihood", "posterior_predictive"):
        assert data[group]["y"].dims == ("chain", "draw", "place")
        assert list(data[group]["y"].place.values) == list("abcde")
    fit, model = fit_of("automatic"), MODELS["automatic"]
    np.testing.assert_array_equal(data["log_likelihood"]["y"], nuts.log_likelihood(fit, model)["y"])
    np.testing.assert_array_equal(data["posterior_predictive"]["y"], nuts.predict(fit, model)["y"])
    np.testing.assert_array_equal(data["sample_stats"]["energy"], fit.stats.energy)


def test_arviz_computes_with_it() -> None:
    """Its estimate of the predictive density is near that from all draws, as the data are few."""
    data = data_of(**PLACES)
    found = arviz.loo(data, var_name="y")
    elpd = float(found.elpd if TREES else found.elpd_loo)
    density = np.exp(data["log_likelihood"]["y"].values.astype(np.float64)).mean((0, 1))
    assert elpd == pytest.approx(np.log(density).sum(), abs=0.5) and elpd < np.log(density).sum()
    summary = arviz.summary(data, var_names=["slope"])
    ours = {row.name: row for row in fit_of("automatic").summary()}
    assert float(summary["mean"]["slope"]) == pytest.approx(ours["slope"].mean, abs=1e-2)
    assert float(summary["ess_bulk"]["slope"]) == pytest.approx(ours["slope"].ess_bulk, abs=1)


def test_arviz_plots_it() -> None:
    made = arviz.plot_forest(data_of(), var_names=["slope"], backend="matplotlib")
    figure = made.viz["figure"].item() if TREES else np.ravel(made)[0].figure
    assert figure.axes


def test_effective_sample_sizes_are_those_of_quantiles() -> None:
    x = fit_of("automatic").draws.slope
    rows = {row.name: row for row in fit_of("automatic").summary()}
    tails = [float(arviz.ess(x, method="quantile", prob=p)) for p in (0.05, 0.95)]
    assert rows["slope"].ess_tail == pytest.approx(min(tails))


@pytest.mark.filterwarnings("error::DeprecationWarning:nuts")
def test_a_standard_error_is_one_number() -> None:
    """Beside Numba an ArviZ before 1.0 returns an array of it."""
    x = fit_of("automatic").draws.slope
    found = mcse(x, "mean")
    assert type(found) is float
    assert found == pytest.approx(float(np.squeeze(arviz.mcse(x, method="mean"))))


@pytest.mark.thorough
def test_prior_predictions_and_quantities_are_groups() -> None:
    model = MODELS["automatic"]
    prior = model.distribution.sample(30, seed=1)
    predictions = {"y": np.zeros((CHAINS, DRAWS, 3))}
    data = data_of(
        prior=prior,
        predictions=predictions,
        pred_dims={"y": ["future"]},
        pred_coords={"future": [2030, 2031, 2032]},
        generated={"double": 2.0 * fit_of("automatic").draws.slope},
        constant_data={"x": X},
        **PLACES,
    )
    assert set(data["posterior"].data_vars) == {"slope", "scale", "double"}
    np.testing.assert_array_equal(data["prior"]["slope"], prior.slope[np.newaxis])
    np.testing.assert_array_equal(data["prior_predictive"]["y"], prior.y[np.newaxis])
    assert "y" not in data["prior"].data_vars
    assert list(data["predictions"]["y"].future.values) == [2030, 2031, 2032]
    np.testing.assert_array_equal(data["constant_data"]["x"], X)


def test_a_group_of_the_users_is_taken_in_place_of_the_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is not made, either."""
    monkeypatch.delattr(arviz_groups, "predict")
    mine = {"y": np.zeros((CHAINS, DRAWS, 5))}
    data = data_of(posterior_predictive=mine)
    assert set(data["posterior_predictive"].data_vars) == {"y"}
    assert not data["posterior_predictive"]["y"].values.any()


def test_a_sequence_has_the_names_of_its_model() -> None:
    data = data_of("sequential", prior=30)
    assert set(data["posterior"].data_vars) == set(data["prior"].data_vars) == {"slope", "scale"}
    assert set(fit_of("sequential").to_arviz()["posterior"].data_vars) == {"0", "1"}


def test_axes_of_draws_have_names() -> None:
    data = make_fit().to_arviz(dims={"pair.theta": ["k"]}, coords={"k": ["a", "b"]})
    assert data["posterior"]["pair.theta"].dims == ("chain", "draw", "k")
    assert list(data["posterior"]["pair.theta"].k.values) == ["a", "b"]


WRONG = {
    "no such variable": ({"dims": {"theta": ["k"]}}, "dims has 'theta', but the variables are acc"),
    "too many dims": ({"dims": {"pair.mu": ["k"]}}, r"1 names to pair.mu, .* have the shape \[\]"),
    "too few labels": (
        {"dims": {"pair.theta": ["k"]}, "coords": {"k": ["a"]}},
        "coords has 1 labels for k, and pair.theta has 2 there",
    ),
    "labels of no dims": ({"coords": {"k": [1]}}, "labels for k, which dims gives to no variable"),
    "another prior": (
        {"prior": {"z": np.zeros(3)}},
        "prior has z, and the fit has draws",
    ),
    "no names": ({"generated": np.zeros((CHAINS, DRAWS))}, "generated must have names"),
    "a name twice": ({"generated": {"pair.mu": np.zeros((CHAINS, DRAWS))}}, "as the draws of the"),
    "predicted": (
        {"predictions": {"y": np.zeros((CHAINS, DRAWS))}, "pred_dims": {"z": ["k"]}},
        "dims has 'z', but the variables are y",
    ),
    "not pinned": ({"model": MODELS["automatic"].distribution}, "knows nothing"),
}


@pytest.mark.parametrize("case", WRONG)
def test_names_that_do_not_fit_are_refused(case: str) -> None:
    options, message = WRONG[case]
    with pytest.raises(SamplingError, match=message):
        make_fit().to_arviz(**options)


def test_a_model_without_observations_is_refused() -> None:
    with pytest.raises(SamplingError, match="nothing of the model is pinned"):
        fit_of("automatic").to_arviz(MODELS["automatic"].distribution)


def test_draws_at_the_largest_depth_are_marked() -> None:
    fit = make_fit()
    depth = fit.stats.tree_depth.copy()
    depth[3, 7] = fit.max_tree_depth
    fit = dataclasses.replace(fit, stats=fit.stats._replace(tree_depth=depth))
    assert int(fit.to_arviz()["sample_stats"]["reached_max_treedepth"].sum()) == 1
