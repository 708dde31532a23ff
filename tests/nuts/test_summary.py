"""Tables and pictures of many numbers: what is shown, and what stands for the rest."""

from __future__ import annotations

import dataclasses
import pathlib

import numpy as np
import pytest

import nuts
from nuts.command_line import main
from nuts.errors import SamplingError
from nuts.results import plots
from nuts.results.choice import MOST_ROWS
from nuts.results.reference import Known
from nuts.results.report import report
from nuts.results.streamed_fit import StreamedFit, Totals
from tests.nuts.test_fit import CHAINS, DRAWS, make_fit

LONG = 100


def long_fit(apart: int | None = None) -> nuts.Fit:
    """A vector of a hundred numbers between two others; the chains disagree about one of them."""
    random = np.random.RandomState(0)
    theta = random.standard_normal((CHAINS, DRAWS, LONG))
    if apart is not None:
        theta[: CHAINS // 2, :, apart] += 5.0
    others = random.standard_normal((2, CHAINS, DRAWS))
    draws = {"mu": others[0], "theta": theta, "z": others[1]}
    return dataclasses.replace(make_fit(), draws=draws)


def names(table: str) -> list[str]:
    return [line.split("  ")[0] for line in table.splitlines()[1:]]


def test_of_a_long_vector_the_first_numbers_and_the_worst_of_the_rest_are_shown() -> None:
    summary = long_fit(apart=60).summary()
    assert len(summary) == LONG + 2
    shown = [f"theta[{i}]" for i in range(MOST_ROWS)]
    assert names(str(summary)) == ["mu", *shown, "and 88 more of theta", "z"]
    (rest,) = [line for line in str(summary).splitlines() if "more of" in line]
    rows = {row.name: row for row in summary}
    worst = rows["theta[60]"]
    least = min(row.ess_tail for row in summary if row.variable == "theta")
    assert rest.split()[5:] == [f">={worst.ess_bulk:.0f}", f">={least:.0f}", f"<={worst.r_hat:.3f}"]
    assert worst.r_hat > 1.5


def test_the_whole_table_is_there() -> None:
    summary = long_fit().summary()
    assert names(summary.table()) == [row.name for row in summary]


def test_what_is_asked_for_by_name_is_shown_in_full() -> None:
    fit = long_fit()
    whole = [f"theta[{i}]" for i in range(LONG)]
    some = fit.summary(variables=["theta"])
    assert names(str(some)) == [row.name for row in some] == whole
    assert names(str(fit.summary().of(["theta"]))) == whole
    assert names(str(fit.summary(variables=["z", "theta[99]"]))) == ["theta[99]", "z"]
    assert names(str(fit.summary(variables="mu"))) == ["mu"]
    by_name = {row.name: row for row in fit.summary()}
    assert some[7] == by_name["theta[7]"]._replace(nested_r_hat=some[7].nested_r_hat)


def test_one_row_is_not_left_out() -> None:
    fit = long_fit()
    short = dataclasses.replace(fit, draws={"theta": fit.draws["theta"][..., : MOST_ROWS + 1]})
    assert len(names(str(short.summary()))) == MOST_ROWS + 1
    longer = dataclasses.replace(fit, draws={"theta": fit.draws["theta"][..., : MOST_ROWS + 2]})
    assert names(str(longer.summary()))[-1] == "and 2 more of theta"


def test_the_rest_is_compared_with_the_reference_too() -> None:
    fit = long_fit()
    reference = {"theta[5]": Known(0.0, 1.0), "theta[50]": Known(1.0, 1.0)}
    summary = fit.summary(reference)
    (rest,) = [line for line in str(summary).splitlines() if "more of" in line]
    known = {row.name: row for row in summary}["theta[50]"]
    assert rest.split()[-1] == f"<={abs(known.z_mean):.1f}"
    constant = dataclasses.replace(fit, draws={"theta": np.zeros((CHAINS, DRAWS, LONG))})
    assert str(constant.summary()).splitlines()[-1].split()[5:] == ["-", "-", "-"]


def test_a_report_shows_what_is_asked_for_and_warns_of_all() -> None:
    fit = long_fit(apart=60)
    text = report(fit, {}, ["mu"])
    assert names(text.split("\n\n")[0]) == ["mu"]
    assert "R-hat is above" in text and "for theta[60]" in text
    assert "and 88 more of theta" in report(fit, {})


def test_pictures_are_of_what_is_asked_for(tmp_path: pathlib.Path) -> None:
    fit = long_fit()
    assert list(plots._first_columns(fit, ["theta[50]", "z"])) == ["theta[50]", "z"]
    assert list(plots._first_columns(fit))[:2] == ["mu", "theta[0]"]
    column = plots._first_columns(fit, ["theta"])["theta[3]"]
    np.testing.assert_array_equal(column, fit.draws["theta"][..., 3])
    with pytest.raises(SamplingError, match="no variable 'w'"):
        fit.plot(tmp_path, ["w"])


def test_statistics_of_draws_that_are_not_kept_are_shortened() -> None:
    mean = {"mu": np.zeros(()), "theta": np.arange(100.0)}
    totals = Totals(4000, 0.8, 7.0, 0, 0, 1.0)
    learned, timing = make_fit().learned, make_fit().timing
    fit = StreamedFit({"mean": mean}, {"mean": mean}, totals, 4, 5, learned, 10, timing, (), 8)
    lines = fit.summary().splitlines()
    assert len(lines) == 1 + 1 + MOST_ROWS + 1 and lines[-1].rstrip() == "and 88 more of theta"
    assert fit.summary(["theta[99]"]).splitlines()[1].split() == ["theta[99]", "99"]


@pytest.mark.parametrize("unknown", ["w", "theta[100]", "theta[0"])
def test_a_name_that_is_not_there_is_refused(unknown: str) -> None:
    with pytest.raises(SamplingError, match="the variables are mu, theta, z, and their") as caught:
        long_fit().summary(variables=["mu", unknown])
    assert repr(unknown) in str(caught.value)


@pytest.mark.every(2)
@pytest.mark.parametrize("known", [True, False])
def test_the_command_line_shows_what_is_asked_for(
    known: bool, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    size = ["--chains", "2", "--draws", "3", "--warmup", "2", "--max-tree-depth", "2"]
    how = ["--strategy", "local", "--no-progress", "--out", str(tmp_path)]
    call = ["banana", *size, *how, "--vars", "y" if known else "y,w"]
    if known:
        assert main(call) == 0
        printed = capsys.readouterr().out
        assert names(printed.split("\n\n")[0]) == ["y"]
    else:
        with pytest.raises(SystemExit, match=r"no variable 'w'[^\0]*fit\.npz"):
            main(call)
        assert nuts.load(tmp_path / "fit.npz").num_draws == 3
