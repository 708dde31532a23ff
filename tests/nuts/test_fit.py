"""What a fit says about itself, from made-up draws."""

from __future__ import annotations

import dataclasses
import pathlib
import warnings
from collections import namedtuple
from collections.abc import Iterator

import arviz
import numpy as np
import pytest
import tensorflow as tf

import nuts
from nuts.adaptation.ensemble import BlockUse
from nuts.adaptation.learned import Learned
from nuts.results import plots
from nuts.results.draws import Stats, Timing, named_draws, scalar_names
from nuts.results.fit import Fit
from nuts.results.mixing import energy_fraction, split_r_hat
from nuts.results.reference import Known
from nuts.results.report import report
from nuts.results.warnings import quick_warnings, r_hat_limit
from nuts.run.collection import SoFar
from nuts.run.progress_bar import ProgressBar
from nuts.run.streaming import Reduction
from nuts.sampler.chain import Record
from tests.support.tolerances import STATISTICAL

Pair = namedtuple("Pair", "mu theta")
CHAINS, DRAWS = 40, 100


def make_fit() -> Fit:
    """Independent normal draws, and the statistics of a sampler without trouble."""
    random = np.random.RandomState(0)
    shape = (CHAINS, DRAWS)
    stats = Stats(
        lp=random.standard_normal(shape),
        accept_prob=np.full(shape, 0.8),
        step_size=np.full(shape, 0.5),
        tree_depth=np.full(shape, 3),
        num_leapfrogs=np.full(shape, 7),
        energy=random.standard_normal(shape),
        diverging=np.zeros(shape, bool),
    )
    draws = {
        "pair": Pair(2 + random.standard_normal(shape), random.standard_normal((*shape, 2))),
        "x": [random.standard_normal((*shape, 1, 2))],
    }
    learned = Learned(np.float64(0.5), np.ones(5))
    blocks = (BlockUse("leaf", 10, 100, 3000, 4000),)
    return Fit(draws, stats, learned, 10, Timing(3.0, 2.0), blocks)


def test_names_of_numbers() -> None:
    named = named_draws(make_fit().draws)
    assert list(named) == ["pair.mu", "pair.theta", "x.0"]
    assert scalar_names("x", (1, 2)) == ["x[0,0]", "x[0,1]"] and scalar_names("x", ()) == ["x"]
    assert list(named_draws(np.zeros((2, 3)))) == ["x"]


def test_summary_of_independent_draws() -> None:
    """Each statistic is within `STATISTICAL` of its standard errors."""
    rows = {row.name: row for row in make_fit().summary({"pair.mu": Known(2.0, 1.0)})}
    assert list(rows) == ["pair.mu", "pair.theta[0]", "pair.theta[1]", "x.0[0,0]", "x.0[0,1]"]
    mu = rows["pair.mu"]
    number = CHAINS * DRAWS
    error = STATISTICAL / np.sqrt(number)
    assert abs(mu.mean - 2) < error
    assert abs(mu.sd - 1) < error / np.sqrt(2)
    assert abs(mu.q95 - (2 + 1.645)) < 2.1 * error  # sqrt(0.05 * 0.95) over the density there
    # One over twice the sum of autocorrelations, of which one or two have noise that counts.
    assert mu.ess_bulk / number == pytest.approx(1, abs=2 * error)
    assert mu.mcse_mean == pytest.approx(1 / np.sqrt(number), rel=error)
    assert mu.r_hat < r_hat_limit(DRAWS)
    assert abs(mu.z_mean) < STATISTICAL and abs(mu.z_sd) < STATISTICAL
    assert rows["pair.theta[0]"].z_mean is None


def test_table_lines_up_and_shows_the_reference() -> None:
    lines = str(make_fit().summary({"pair.mu": Known(2.0, 1.0)})).split("\n")
    assert len(lines) == 6 and "ref mean" in lines[0] and len({len(x) for x in lines[:2]}) == 1
    assert "ref mean" not in str(make_fit().summary())


def test_a_fit_and_its_summary_are_short_in_a_notebook() -> None:
    fit = make_fit()
    assert repr(fit) == (
        "<nuts.Fit: 40 chains x 100 draws of pair.mu, pair.theta [2], x.0 [1, 2]; 0 divergences>"
    )
    assert repr(fit.summary()) == str(fit.summary())


def test_a_good_fit_has_no_warnings() -> None:
    assert make_fit().warnings() == []


def test_each_trouble_is_named() -> None:
    fit = make_fit()
    chains = np.arange(CHAINS)[:, None]
    stats = fit.stats._replace(
        diverging=fit.stats.diverging | (chains == 3),
        tree_depth=np.where(chains == 5, 10, 3),
        energy=np.cumsum(fit.stats.energy, 1),
    )
    draws = {"apart": fit.draws["pair"].mu + chains, "fine": fit.draws["pair"].mu}
    found = dataclasses.replace(fit, stats=stats, draws=draws).warnings()
    words = ("100 of 4000 draws (2.50%) diverged", "largest tree depth", "E-BFMI", "R-hat", "fewer")
    assert len(found) == len(words)
    for warning, word in zip(found, words, strict=True):
        assert word in warning
    assert "apart" in found[3] and "fine" not in found[3]


def test_quick_warnings_are_those_that_cost_little() -> None:
    fit = make_fit()
    assert quick_warnings(fit) == []
    chains = np.arange(CHAINS)[:, None]
    draws = {"apart": fit.draws["pair"].mu + chains, "fine": fit.draws["pair"].mu}
    troubled = dataclasses.replace(
        fit, draws=draws, stats=fit.stats._replace(diverging=fit.stats.diverging | (chains == 3))
    )
    quick, full = quick_warnings(troubled), troubled.warnings()
    assert len(quick) == 2 and quick[0] == full[0]
    assert quick[1].startswith("R-hat is above 1.04, at most 11.7") and "for apart:" in quick[1]
    (nested,) = quick_warnings(dataclasses.replace(fit, draws=draws, num_superchains=4))
    assert nested.startswith("nested R-hat is above") and "apart" in nested


def test_quick_r_hat_is_arvizs() -> None:
    draws = named_draws(make_fit().draws)
    for name, r_hat in split_r_hat(draws).items():
        leaf, _, index = name.partition("[")
        x = draws[leaf][(..., *map(int, index[:-1].split(",")))] if index else draws[leaf]
        assert r_hat == pytest.approx(float(arviz.rhat(x, method="split")))


def test_sample_warns_at_the_line_of_the_call() -> None:
    """Steps of fifty standard deviations diverge."""
    options = {"num_chains": 2, "num_draws": 2, "num_warmup": 0, "step_size": 50.0}
    with pytest.warns(nuts.SamplingWarning, match="nuts.sample: 4 of 4 draws .*diverged") as seen:
        nuts.sample(
            lambda x: -0.5 * tf.reduce_sum(x * x),
            tf.ones(1),
            **options,
            progress=False,
            strategy="loop",
        )
    assert seen[0].filename == __file__


def test_the_bar_says_what_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar(5, wanted=True) as bar:
        bar.warmed_up(2, 7, np.array([0.1, 0.25, 9.0]))
        bar.drawn(2, 1, np.float64(0.5))
        bar.drawn(1, 2, np.float64(0.5))
    shown = capsys.readouterr().err
    assert shown.lstrip("\r").startswith("compiling:   0%") and "draws: 100%" in shown
    assert "3 divergences, step size 0.5]" in shown
    with ProgressBar(5, wanted=False) as bar:
        bar.drawn(5, 0, np.float64(0.5))
    assert capsys.readouterr().err == ""


def test_energy_fraction_of_independent_energies() -> None:
    """Independent draws: the mean squared change is twice the variance, less one chain end."""
    energy = np.random.RandomState(1).standard_normal((100, 100))
    assert energy_fraction(energy) == pytest.approx(2 * 99 / 100, abs=0.1)


@pytest.mark.parametrize("thin", [1, 10])
def test_a_low_energy_fraction_is_told_however_draws_are_thinned(thin: int) -> None:
    """Energies of an autoregression with E-BFMI 0.2; every tenth draw alone looks like 1.3."""
    random = np.random.RandomState(0)
    every = np.zeros((CHAINS, 50 * DRAWS))
    for i in range(1, every.shape[1]):
        every[:, i] = 0.9 * every[:, i - 1] + np.sqrt(0.19) * random.standard_normal(CHAINS)
    every = every[:, -10 * DRAWS :]
    rows = every.reshape(CHAINS, -1, thin)
    record = Record(*[np.zeros(rows.shape[:2])] * len(Record._fields))._replace(
        energy=rows[..., -1],
        first_energy=rows[..., 0],
        energy_changes=np.square(np.diff(rows, axis=2)).sum(2),
    )
    repeats = SoFar().then(record).repeats(CHAINS, thin)
    whole = energy_fraction(every)
    assert whole == pytest.approx(0.2, abs=0.03)
    assert energy_fraction(record.energy, repeats.energy_change) == pytest.approx(whole, rel=0.1)
    assert thin == 1 or energy_fraction(record.energy) > 1
    reduction = Reduction([nuts.reducers.Mean()], CHAINS, rows.shape[1], 10, thin)
    for part in np.split(np.arange(rows.shape[1]), 4):
        piece = tf.nest.map_structure(lambda leaf: leaf[:, part], record)
        reduction.update({"x": piece.energy}, piece)
    assert reduction.totals().energy_fraction == pytest.approx(whole, rel=0.1)
    fit = make_fit()
    stats = fit.stats._replace(energy=record.energy[:, :DRAWS])
    told = dataclasses.replace(fit, stats=stats, thin=thin, repeats=repeats).warnings()
    assert [text for text in told if text.startswith("E-BFMI is 0.")]


def test_save_and_load(tmp_path: pathlib.Path) -> None:
    fit = make_fit()
    fit = dataclasses.replace(fit, learned=fit.learned._replace(moved=np.array([3])))
    fit.save(tmp_path / "fit.npz")
    again = nuts.load(tmp_path / "fit.npz")
    assert type(again.draws["pair"])._fields == Pair._fields
    for name, leaf in named_draws(fit.draws).items():
        np.testing.assert_array_equal(named_draws(again.draws)[name], leaf)
    for old, new in zip(fit.stats, again.stats, strict=True):
        np.testing.assert_array_equal(old, new)
        assert old.dtype == new.dtype
    assert (again.timing, again.blocks, again.max_tree_depth) == (fit.timing, fit.blocks, 10)
    np.testing.assert_array_equal(again.learned.inverse_mass, fit.learned.inverse_mass)
    np.testing.assert_array_equal(again.learned.moved, [3])


def test_a_file_of_an_older_version_says_nothing_of_moved_chains(tmp_path: pathlib.Path) -> None:
    make_fit().save(tmp_path / "fit.npz")
    with np.load(tmp_path / "fit.npz") as file:
        parts = {name: file[name] for name in file if name != "learned_moved"}
    np.savez(tmp_path / "old.npz", **parts)
    assert nuts.load(tmp_path / "old.npz").learned.moved.size == 0


def test_to_arviz_uses_its_names() -> None:
    data = make_fit().to_arviz()
    assert data.posterior["pair.theta"].shape == (CHAINS, DRAWS, 2)
    assert {
        "lp",
        "acceptance_rate",
        "step_size",
        "tree_depth",
        "n_steps",
        "energy",
        "diverging",
        "reached_max_treedepth",
    } == (set(data.sample_stats))


def test_many_chains_of_few_draws_are_no_mistake_to_arviz() -> None:
    fit = make_fit()
    draws, stats = tf.nest.map_structure(lambda x: x[:, : CHAINS - 1], (fit.draws, fit.stats))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = dataclasses.replace(fit, draws=draws, stats=stats).to_arviz()
    assert data.posterior["pair.theta"].shape == (CHAINS, CHAINS - 1, 2)


def test_plot_writes_pictures(tmp_path: pathlib.Path) -> None:
    fit = make_fit()
    diverging = np.zeros((CHAINS, DRAWS), bool)
    diverging[3, 7] = True
    fit = dataclasses.replace(fit, stats=fit.stats._replace(diverging=diverging))
    paths = fit.plot(tmp_path / "made")
    assert [path.name for path in paths] == ["trace.png", "rank.png", "energy.png", "pair.png"]
    for path in paths:
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 10_000


def test_pictures_show_divergences_and_disagreement() -> None:
    fit = make_fit()
    x = fit.draws["pair"].mu.copy()
    x[: CHAINS // 2] += 5.0
    diverging = np.zeros((CHAINS, DRAWS), bool)
    diverging[0, :4] = True
    fit = dataclasses.replace(
        fit, draws={"a": x, "b": x}, stats=fit.stats._replace(diverging=diverging)
    )
    columns = plots._first_columns(fit)
    ticks = plots.trace(fit, columns).axes[0].lines[-1]
    assert list(ticks.get_xdata()) == [0, 1, 2, 3]
    counts = plots.rank(fit, columns).axes[0].images[0].get_array()
    half = counts.shape[0] // 2
    assert counts[:half, : counts.shape[1] // 4].sum() == 0 and counts.mean() == pytest.approx(1)
    (panel,) = plots.pair(fit, columns).axes
    assert len(panel.lines[0].get_xdata()) == 4


def test_many_draws_are_shown_by_their_density() -> None:
    """Each counts, but for those far out; few are shown as points."""
    fit = make_fit()
    columns = {"a": fit.draws["pair"].mu, "b": fit.draws["pair"].theta[..., 0]}
    (panel,) = plots.pair(fit, columns).axes
    counts = panel.collections[0].get_array()
    assert 0.99 * CHAINS * DRAWS < counts.sum() <= CHAINS * DRAWS
    few = Stats(*(leaf[:, :20] for leaf in fit.stats))
    some = {name: x[:, :20] for name, x in columns.items()}
    (panel,) = plots.pair(dataclasses.replace(fit, stats=few), some).axes
    assert not panel.collections and len(panel.lines[0].get_xdata()) == CHAINS * 20


def test_pictures_of_one_number(tmp_path: pathlib.Path) -> None:
    fit = dataclasses.replace(make_fit(), draws=make_fit().draws["pair"].mu)
    assert len(fit.plot(tmp_path)) == 4
    with pytest.raises(ValueError, match="four draws"):
        dataclasses.replace(fit, stats=Stats(*(x[:, :3] for x in fit.stats))).plot(tmp_path)


def test_report_tells_speed_and_utilization() -> None:
    text = report(make_fit(), {"pair.mu": Known(2.0, 1.0)})
    assert "0 divergences" in text and "14,000 gradients a second" in text
    assert "in 1 means" in text and "75.0%" in text and "leaf" in text


@pytest.fixture
def no_numpy_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


@pytest.mark.usefixtures("no_numpy_warnings")
def test_a_number_that_is_the_same_in_all_draws_has_no_diagnostics() -> None:
    """A Cholesky factor has some. Nothing is wrong with them, and nothing is divided by zero."""
    fit = make_fit()
    factor = np.zeros((CHAINS, DRAWS, 2, 2))
    factor[..., 0, 0], factor[..., 1, 1] = 1.0, fit.draws["pair"].mu
    fit = dataclasses.replace(fit, draws={"L": factor}, num_superchains=4)
    assert fit.warnings() == quick_warnings(fit) == []
    assert quick_warnings(dataclasses.replace(fit, num_superchains=None)) == []
    rows = {row.name: row for row in fit.summary()}
    for name, value in (("L[0,0]", 1.0), ("L[0,1]", 0.0)):
        assert (rows[name].mean, rows[name].sd) == (value, 0.0) and np.isnan(rows[name][6:12]).all()
    line = str(fit.summary()).splitlines()[2]
    assert line.split() == ["L[0,1]", "0", "0", "0", "0", "0", "-", "-", "-", "-"]


@pytest.mark.usefixtures("no_numpy_warnings")
@pytest.mark.parametrize("apart", [True, False], ids=["each at its own", "all at one"])
@pytest.mark.parametrize("stuck", [3, CHAINS])
def test_chains_that_never_moved_are_told(stuck: int, apart: bool) -> None:
    fit = make_fit()
    theta = fit.draws["pair"].theta.copy()
    theta[:stuck] = np.arange(stuck)[:, None, None] if apart else 1.0
    fit = dataclasses.replace(fit, draws=theta)
    for found in (fit.warnings(), quick_warnings(fit)):
        assert found[0].startswith(f"{stuck} of 40 chains never moved")
    if stuck == CHAINS and apart:
        assert split_r_hat({"x": theta})["x[0]"] == np.inf and "R-hat" in fit.warnings()[1]


def test_a_fit_without_draws_is_summarized() -> None:
    fit = make_fit()
    empty = dataclasses.replace(
        fit,
        draws=fit.draws["pair"].mu[:, :0],
        stats=Stats(*(leaf[:, :0] for leaf in fit.stats)),
    )
    (row,) = empty.summary()
    assert np.isnan(row.mean) and np.isnan(row.r_hat) and str(empty.summary())
