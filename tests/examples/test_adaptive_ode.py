"""The adaptive solver is right, takes each member's own steps, and so is its posterior."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from nuts.models.lotka_volterra import runge_kutta
from tests.examples.loading import load
from tests.support.extent import LARGE
from tests.support.tolerances import GRADIENT, STATISTICAL, Tolerance, assert_close

example = load("adaptive_ode")
RANDOM = np.random.default_rng(4)
DATA = example.simulated()[0]
SHORT = example.Data(DATA.times[:4], DATA.counts[:4])
CENTRE = np.log([0.55, 0.028, 0.8, 0.024, 33.0, 6.0, 0.2, 0.2])
VECTORS = CENTRE + 0.1 * RANDOM.standard_normal([5, 8])
HOW = {"in_axes": (0, None)}


def positions(vectors: np.ndarray) -> tuple:
    return example.Position(vectors[:, :4], vectors[:, 4:6], vectors[:, 6:])


def fixed_steps(vectors: np.ndarray, data: tuple) -> np.ndarray:
    """Log densities float64[...] of float64[..., 8] by 50 steps a year of a method of order four,
    up to a constant."""
    a, b, c, d = np.moveaxis(np.exp(vectors[..., :4]), -1, 0)
    state, noise = np.exp(vectors[..., 4:6]), np.exp(vectors[..., 6:])

    def slope(y: np.ndarray) -> np.ndarray:
        return np.stack([(a - b * y[..., 1]) * y[..., 0], (d * y[..., 0] - c) * y[..., 1]], -1)

    total = vectors[..., :4].sum(-1) - 2.0 * ((a - 1.0) ** 2 + (c - 1.0) ** 2)
    total -= 200.0 * ((b - 0.05) ** 2 + (d - 0.05) ** 2)
    normal = (vectors[..., 4:6] - np.log(10.0)) ** 2 + (vectors[..., 6:] + 1.0) ** 2
    for year, counts in enumerate(data.counts):
        for _ in range(50 if year else 0):
            state = runge_kutta(slope, state, 1 / 50)
        normal = normal + (np.log(counts / state) / noise) ** 2 + 2.0 * np.log(noise)
    return total - 0.5 * normal.sum(-1)


def test_the_density_is_that_of_fine_fixed_steps() -> None:
    """The tolerances of a step are 1e-5 of the state and 1e-3, forty of them are taken, and the
    squares of about 40 logarithms are divided by 0.04."""
    found = example.evaluate.run(positions(VECTORS), DATA, **HOW).value[0]
    assert_close(found, fixed_steps(VECTORS, DATA), Tolerance(0.0, 0.1))


def test_smaller_tolerances_come_nearer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example, "RELATIVE", 1e-9)
    monkeypatch.setattr(example, "ABSOLUTE", 1e-8)
    found = example.evaluate.run(positions(VECTORS), SHORT, **HOW).value[0]
    assert_close(found, fixed_steps(VECTORS, SHORT), Tolerance(0.0, 1e-5))


@pytest.mark.thorough
def test_members_take_their_own_steps_and_gradients_are_those_of_plain_python() -> None:
    spread = CENTRE + 0.4 * RANDOM.standard_normal([4, 8])
    gradient = pcbatch.value_and_grad(example.evaluate, has_aux=True)
    (values, steps), slopes = gradient.run(positions(spread), SHORT, **HOW).value
    assert len(set(steps.numpy().tolist())) > 1
    for k in range(len(spread)):
        member = example.Position(*(tf.constant(x[k]) for x in positions(spread)))
        with tf.GradientTape() as tape:
            tape.watch(member)
            value, number = example.evaluate.single(member, SHORT)
        assert int(number) == steps[k]
        assert_close(values[k], value, GRADIENT)
        for found, expected in zip(slopes, tape.gradient(value, member), strict=True):
            assert_close(found[k], expected, GRADIENT)


@pytest.mark.thorough
def test_too_many_steps_have_no_density(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example, "STEPS", 40)
    far = np.stack([CENTRE, CENTRE + np.array(4 * [3.0] + 4 * [0.0])])
    gradient = pcbatch.value_and_grad(example.evaluate, has_aux=True)
    (values, steps), slopes = gradient.run(positions(far), SHORT, **HOW).value
    assert np.isfinite(values[0]) and steps[0] < 40
    assert values[1] == -np.inf and steps[1] == 40
    assert all(np.all(np.isfinite(slope)) for slope in slopes)


def test_data_and_reference_are_read(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "data.json"
    path.write_text('{"N": 2, "ts": [1, 3], "y_init": [30, 4], "y": [[47.2, 6.1], [70.2, 9.8]]}')
    data = example.read_data(str(path))
    assert data.times.tolist() == [0.0, 1.0, 3.0]
    assert data.counts.tolist() == [[30.0, 4.0], [47.2, 6.1], [70.2, 9.8]]
    path.write_text('{"params": {"theta[1]": {"mean": 0.5, "sd": 0.06, "mcse_mean": 0.001}}}')
    assert example.read_reference(str(path))[0][:3] == (0.5, 0.06, 0.001)


def test_means_are_compared_and_solutions_drawn(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, which draws counts, is not installed")
    draws = np.exp(CENTRE + 0.1 * RANDOM.standard_normal([6, 50, 8]))
    means = draws.mean((0, 1))
    errors = draws.mean(1).std(0, ddof=1) / np.sqrt(6)
    example.show(draws, [example.Known(m - 3.0 * e, 0.1) for m, e in zip(means, errors)])
    rows = [line[14:].split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert_close(np.array(rows, float)[:, 0], means, Tolerance(0.0, 6e-5))
    assert [row[3] for row in rows] == 8 * ["+3.0"]
    example.draw(SHORT, draws[:, -1], np.arange(6), str(tmp_path / "counts.png"))
    assert (tmp_path / "counts.png").stat().st_size > 5000


@pytest.mark.skipif(not LARGE, reason="minutes: set PCBATCH_STRESS=1")
def test_its_posterior_is_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    """Means of 1,600 draws against those of Stan; one wrong by a fifth of its sd would be found."""
    example.main("--chains 32 --draws 50 --warmup 80".split())
    rows = [line[14:].split() for line in capsys.readouterr().out.splitlines()]
    rows = [[float(x) for x in row] for row in rows if len(row) == 4 and row[3][0] in "+-"]
    means, sds, known, apart = np.array(rows).T
    assert_close(known, [k.mean for k in example.simulated()[1]], Tolerance(0.0, 1e-4))
    assert len(apart) == 8 and np.all(np.abs(apart) < STATISTICAL)
    assert np.all(np.abs(means - known) < 0.2 * sds)
