"""Names of axes, and labels along them, in all that tells of a fit."""

from __future__ import annotations

import dataclasses
import datetime
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import nuts
from nuts.errors import SamplingError
from nuts.results import plots
from nuts.results.draws import Ending, scalar_names
from nuts.results.warnings import quick_warnings
from tests.nuts.test_fit import CHAINS, DRAWS, make_fit
from tests.nuts.test_predictions import MODELS, fit_of

DIMS = {"theta": ["county"], "rate": ["county", "year"]}
COORDS = {"county": ["Aitkin", "Anoka"], "year": np.array([2020, 2021, 2022])}
NAMES = ["theta[Aitkin]", "theta[Anoka]"]
RATES = [f"rate[{county},{year}]" for county in ("Aitkin", "Anoka") for year in (2020, 2021, 2022)]


def plain_fit() -> nuts.Fit:
    random = np.random.RandomState(0)
    shapes = {"theta": (2,), "rate": (2, 3), "z": (2,)}
    draws = {name: random.standard_normal((CHAINS, DRAWS, *x)) for name, x in shapes.items()}
    return dataclasses.replace(make_fit(), draws=draws)


def fit() -> nuts.Fit:
    return plain_fit().named(DIMS, COORDS)


def test_names_of_numbers_have_labels() -> None:
    assert scalar_names("x", (2, 2), [["a", "b"]]) == ["x[a,0]", "x[a,1]", "x[b,0]", "x[b,1]"]
    assert scalar_names("x", (2, 2), [None, [5, 6]]) == ["x[0,5]", "x[0,6]", "x[1,5]", "x[1,6]"]
    assert scalar_names("x", (), [["a"]]) == ["x"]


def test_the_summary_has_them() -> None:
    rows = fit().summary()
    assert [row.name for row in rows] == [*RATES, *NAMES, "z[0]", "z[1]"]
    for named, plain in zip(rows, plain_fit().summary(), strict=True):
        assert named.mean == plain.mean and named.variable == plain.variable
    assert [row.name for row in fit().summary(variables=["theta[Anoka]"])] == ["theta[Anoka]"]
    assert "rate[Anoka,2021]" in str(rows)


def test_warnings_and_pictures_have_them() -> None:
    apart = fit()
    apart.draws["theta"][: CHAINS // 2, :, 1] += 9.0
    for found in (apart.warnings(), quick_warnings(apart)):
        assert "for theta[Anoka]:" in found[0]
    nested = quick_warnings(dataclasses.replace(apart, num_superchains=4))
    assert "for theta[Anoka]:" in nested[0]
    assert list(plots._first_columns(apart, ["theta"])) == NAMES


def test_arviz_has_them() -> None:
    data = fit().to_arviz()
    assert data["posterior"]["rate"].dims == ("chain", "draw", "county", "year")
    assert list(data["posterior"]["theta"].county.values) == COORDS["county"]
    more = fit().to_arviz(dims={"z": ["side"]}, coords={"side": ["left", "right"]})
    assert list(more["posterior"]["z"].side.values) == ["left", "right"]
    assert more["posterior"]["theta"].dims == ("chain", "draw", "county")


def test_a_model_may_name_its_observations_beside_them() -> None:
    model = MODELS["automatic"]
    named = fit_of("automatic").named({"slope": []})
    data = named.to_arviz(model, dims={"y": ["place"]}, coords={"place": list("abcde")})
    assert list(data["observed_data"]["y"].place.values) == list("abcde")


def test_files_pickles_and_longer_fits_keep_them(tmp_path: pathlib.Path) -> None:
    first = dataclasses.replace(fit(), end=Ending({}, 0, DRAWS))
    first.save(tmp_path / "fit.npz")
    more = dataclasses.replace(plain_fit(), end=Ending({}, DRAWS, 2 * DRAWS))
    again = pickle.loads(pickle.dumps(first))
    for other in (nuts.load(tmp_path / "fit.npz"), again, first.extended(more)):
        assert other.axes == first.axes
        assert [row.name for row in other.summary(variables="theta")] == NAMES


def test_labels_that_are_no_text_are_saved_as_text(tmp_path: pathlib.Path) -> None:
    days = [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)]
    named = plain_fit().named({"theta": ["day"]}, {"day": days})
    named.save(tmp_path / "fit.npz")
    loaded = nuts.load(tmp_path / "fit.npz")
    assert loaded.axes.coords["day"] == ("2026-01-01", "2026-01-02")
    assert [row.name for row in loaded.summary(variables="theta")] == [
        row.name for row in named.summary(variables="theta")
    ]


def test_names_may_come_one_after_another() -> None:
    found = plain_fit().named({"theta": ["county"]}).named({}, {"county": ["A", "B"]})
    assert [row.name for row in found.summary(variables="theta")] == ["theta[A]", "theta[B]"]


WRONG: dict[str, tuple[Any, Any, str]] = {
    "no such variable": ({"w": ["k"]}, None, "dims has 'w', but the variables are rate, theta, z"),
    "too many": (
        {"theta": ["a", "b"]},
        None,
        r"gives 2 names to theta, .* the shape \[2\]",
    ),
    "too few labels": (DIMS, {"county": ["A"]}, "coords has 1 labels for county, and theta has 2"),
    "twice": ({"theta": ["k"]}, {"k": ["A", "A"]}, "the label 'A' for k 2 times"),
    "of no axis": ({}, {"k": ["A"]}, "labels for k, which dims gives to no variable"),
    "a word": ({"theta": "county"}, None, "must come in a list, but those of 'theta' are 'county'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_names_that_do_not_fit_are_refused(case: str) -> None:
    dims, coords, message = WRONG[case]
    with pytest.raises(SamplingError, match=message):
        plain_fit().named(dims, coords)
