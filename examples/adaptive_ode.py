"""Rates of predators and prey, by an adaptive solver: `python examples/adaptive_ode.py`.

The solver is the embedded pair of Dormand and Prince (1980, "A family of embedded Runge-Kutta
formulae"), an ordinary loop with step control. `nuts` differentiates it, and each chain takes as
many steps as its own solution needs. The model is that of Carpenter (2018, "Predator-prey
population dynamics", Stan case studies).
"""

from __future__ import annotations

import argparse
import itertools
import json
import pathlib
import time
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import nuts
import pcbatch
from nuts.models import lotka_volterra
from nuts.results.reference import Known

DESCRIPTION = "Rates of predators and prey, by an adaptive solver in a NUTS target."

STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
"""Of each slope behind the first, the weights of those before; the last are those of the step."""
ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
"""The step less that of order four, as weights of the seven slopes."""

RELATIVE, ABSOLUTE = 1e-5, 1e-3
"""The tolerances of a step."""
STEPS = 1000
"""The most steps of a solution. Warmup tries rates that would take a hundred thousand."""


def weighted(weights, slopes):
    return sum(weight * slope for weight, slope in zip(weights, slopes, strict=True))


def slope(rates, state):
    """The equations of Lotka and Volterra: how fast prey and predators become more, float64[2]."""
    a, b, c, d = tf.unstack(rates)
    prey, predators = tf.unstack(state)
    return tf.stack([(a - b * predators) * prey, (d * prey - c) * predators])


def try_step(rates, state, step):
    """The state a step later, and its error in units of what is tolerated.

    No gradient passes through the error, so that the lengths of steps are taken as given.
    """
    slopes = [slope(rates, state)]
    for weights in STAGES:
        later = state + step * weighted(weights, slopes)
        slopes.append(slope(rates, later))
    scale = ABSOLUTE + RELATIVE * tf.maximum(tf.abs(state), tf.abs(later))
    error = tf.reduce_max(tf.abs(step * weighted(ERROR, slopes)) / scale)
    return later, tf.stop_gradient(error)


@pcbatch.autobatch
def solve(rates, state, now, end, step, steps):
    """Go from one time to another in steps as long as the tolerances allow.

    Args:
      rates: float64[4].
      state: float64[2], at the time `now`.
      now, end: float64[].
      step: float64[], the length to try first.
      steps: int32[], how many were tried before.

    Returns:
      The state at the end, the length to try next, and the number of steps tried by then. Where
      that is `STEPS` the solution has not come to the end.
    """
    while now < end and steps < STEPS:
        step = min(step, end - now)
        later, error = try_step(rates, state, step)
        if error <= 1.0:
            now, state = now + step, later
        step *= min(5.0, max(0.2, 0.9 * (error + 1e-10) ** -0.2))
        steps += 1
    return state, step, steps


class Data(NamedTuple):
    """Counts of prey and predators.

    Attributes:
      times: float64[N + 1], the first of them 0.
      counts: float64[N + 1, 2].
    """

    times: Any
    counts: Any


class Position(NamedTuple):
    """What is drawn, all logarithms.

    Attributes:
      rates: float64[4], a, b, c and d.
      start: float64[2], the state at time 0.
      noise: float64[2], the standard deviations of the counts' logarithms.
    """

    rates: Any
    start: Any
    noise: Any


@pcbatch.autobatch
def evaluate(position, data):
    """The log density at a position, and how many steps its solution took.

        a, c ~ Normal(1, 0.5),  b, d ~ Normal(0.05, 0.05),  all positive
        start ~ LogNormal(log 10, 1),  noise ~ LogNormal(-1, 1)
        counts ~ LogNormal(log of the solution, noise)

    Args:
      position: the `Position`.
      data: the `Data`.
    """
    rates, noise = tf.exp(position.rates), tf.exp(position.noise)
    off = (rates - [1.0, 0.05, 1.0, 0.05]) / [0.5, 0.05, 0.5, 0.05]
    total = tf.reduce_sum(position.rates - 0.5 * off**2)
    total -= 0.5 * tf.reduce_sum((position.start - np.log(10.0)) ** 2)
    total -= 0.5 * tf.reduce_sum((position.noise + 1.0) ** 2)
    state, step, steps = tf.exp(position.start), 0.1, 0
    for i in range(len(data.times)):
        if i > 0:
            state, step, steps = solve(rates, state, data.times[i - 1], data.times[i], step, steps)
            if steps == STEPS:
                return -np.inf, steps
        z = tf.math.log(data.counts[i] / state) / noise
        total -= tf.reduce_sum(0.5 * z**2 + position.noise)
    return total, steps


def posterior(data: Data) -> pcbatch.Autobatched:
    """The log density of a `Position`, for `nuts.sample`."""
    data = Data(*map(tf.constant, data))

    @pcbatch.autobatch
    def log_density(position):
        return evaluate(position, data)[0]

    return log_density


def simulated() -> tuple[Data, list[Known]]:
    """The counts that come with `nuts`, and what Stan finds in them."""
    counts = lotka_volterra.load_data()
    known = lotka_volterra.reference()
    return Data(np.arange(len(counts), dtype=float), counts), list(known.values())


def read_data(path: str) -> Data:
    """Counts in the form of Stan's case study: JSON with ts, y_init and y."""
    found = json.loads(pathlib.Path(path).read_text())
    counts = np.array([found["y_init"], *found["y"]], float)
    return Data(np.array([0.0, *found["ts"]]), counts)


def read_reference(path: str) -> list[Known]:
    """Known means of rates, start and noise, in this order: JSON with params, of which each has
    mean, sd and mcse_mean."""
    params = json.loads(pathlib.Path(path).read_text())["params"]
    return [Known(p["mean"], p["sd"], p["mcse_mean"]) for p in params.values()]


def draw(data: Data, draws: np.ndarray, steps: np.ndarray, path: str) -> None:
    """Draw solutions of some draws, float64[K, 8], and all numbers of steps; needs matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[2, 1])
    times = np.linspace(0.0, data.times[-1], 101)
    rates, state, step = draws[:, :4], draws[:, 4:6], np.full(len(draws), 0.1)
    states = [state]
    for now, end in itertools.pairwise(times):
        axes = (0, 0, None, None, 0, None)
        state, step, _ = solve.run(rates, state, now, end, step, 0, in_axes=axes).value
        states.append(state.numpy())
    for k, (name, colour) in enumerate((("prey", "tab:blue"), ("predators", "tab:red"))):
        left.plot(times, np.array(states)[:, :, k], color=colour, alpha=0.1, linewidth=0.8)
        left.plot(data.times, data.counts[:, k], "o", color=colour, markersize=4, label=name)
    left.set(xlabel="year", ylabel="counts")
    left.legend()
    right.hist(steps, bins=np.arange(steps.min(), steps.max() + 2) - 0.5)
    right.set(xlabel="steps of the solver", ylabel="draws")
    figure.savefig(path, dpi=90)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=DESCRIPTION)
    add = parser.add_argument
    add("--data", metavar="PATH", help="counts, as JSON with ts, y_init and y [simulated]")
    add("--reference", metavar="PATH", help="JSON with known means, to compare with --data")
    add("--chains", type=int, default=64, help="of NUTS [%(default)s]")
    add("--draws", type=int, default=100, help="of each chain [%(default)s]")
    add("--warmup", type=int, default=100, help="draws before [%(default)s]")
    add("--seed", type=int, default=0, help="of all that is random [%(default)s]")
    add("--figure", metavar="PNG", help="draw solutions and numbers of steps into this file")
    options = parser.parse_args(argv)

    data, known = simulated()
    if options.data:
        data, known = read_data(options.data), []
    if options.reference:
        known = read_reference(options.reference)
    random = np.random.default_rng(options.seed)
    noise = 0.05 * random.standard_normal([options.chains, 8])
    start = np.log([0.5, 0.025, 0.8, 0.025, *data.counts[0], 0.25, 0.25]) + noise
    began = time.perf_counter()
    fit = nuts.sample(
        posterior(data),
        Position(start[:, :4], start[:, 4:6], start[:, 6:]),
        num_chains=options.chains,
        num_draws=options.draws,
        num_warmup=options.warmup,
        seed=options.seed,
        progress=False,
    )
    seconds = time.perf_counter() - began
    speed = np.sum(fit.stats.num_leapfrogs) / fit.timing.sampling
    print(
        f"{options.chains} chains of {options.draws} draws: {seconds:.0f} s, compilation included"
    )
    print(f"{speed:.0f} gradients/s while drawing, divergent: {np.sum(fit.stats.diverging)}")

    last = Position(*(x[:, -1] for x in fit.draws))
    steps = evaluate.run(last, data, in_axes=(0, None)).value[1].numpy()
    print(f"steps of the solver: {steps.min()} to {steps.max()}, {steps.mean():.1f} on average")
    draws = np.exp(np.concatenate(fit.draws, -1))
    show(draws, known)
    for warning in fit.warnings():
        print(warning)
    if options.figure:
        draw(data, draws[:, -1], steps, options.figure)


def show(draws: np.ndarray, known: list[Known]) -> None:
    """Print means and standard deviations, beside known ones, and how far apart the means are.

    Args:
      draws: float64[chains, draws, 8].
      known: of the eight numbers, or empty.
    """
    names = [*(f"rate {x}" for x in "abcd"), "prey at 0", "predators at 0", "noise 1", "noise 2"]
    means, sds = draws.mean((0, 1)), draws.std((0, 1))
    errors = draws.mean(1).std(0, ddof=1) / np.sqrt(len(draws))
    print("                    mean       sd" + "     known  standard errors apart" * bool(known))
    for k, name in enumerate(names):
        line = f"{name:14}  {means[k]:8.4f} {sds[k]:8.4f}"
        if known:
            apart = (means[k] - known[k].mean) / np.hypot(errors[k], known[k].mcse_mean)
            line += f"  {known[k].mean:8.4f} {apart:+8.1f}"
        print(line)


if __name__ == "__main__":
    main()
