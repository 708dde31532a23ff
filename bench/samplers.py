"""Wall time of whole fits, warmup included, to R-hat < 1.01 and 10,000 effective draws.

Every sampler warms up its own way from starts uniform on (-2, 2) and then draws, longer and longer
(at least twice as long, or as its effective draws so far call for), until the slowest coordinate
has both. Each cell runs in a process of its own, which is ended after a limit. Compiling is timed
apart: of JAX ahead of time, of Stan from a model that it has not seen, of ours by a first call that
makes one leapfrog a draw. Then the fit runs up to three times, as time allows; the median counts.
Chains are vectorized where the sampler can do it; Stan runs them one by one on all cores. Models
are the bundled ones, in the same coordinates everywhere; and one with discrete variables, for those
that draw them (`bench.discrete`), of which the continuous ones count.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import nuts
from bench import apart, discrete, machine, report
from bench.bundled import Bundled
from bench.stan_programs import stan_model
from nuts.models import MODELS

SAMPLERS = ("pcbatch", "NumPyro", "BlackJAX", "Stan")
R_HAT, EFFECTIVE_DRAWS = 1.01, 10_000
FEWEST_DRAWS = 200
"""Of a chain: with fewer, R-hat is above its limit for any sampler with correlated draws."""
REPEATS = 3
COORDINATES = {
    "breast_cancer": ("w",),
    "eight_schools": ("mu", "tau", "z"),
    "ill_conditioned_normal": ("x",),
    discrete.NAME: discrete.CONTINUOUS,
}
"""The coordinates of each model under Stan's names, in the order in which others have them."""


class Fit(NamedTuple):
    """A fit that is ready to run.

    Attributes:
      run: runs it from the start: float[chains, draws, D].
      compile_seconds: what compiling took.
    """

    run: Callable[[], np.ndarray]
    compile_seconds: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench samplers`."""
    parser.add_argument("--models", nargs="+", default=list(COORDINATES), choices=list(COORDINATES))
    parser.add_argument("--samplers", nargs="+", default=list(SAMPLERS), choices=SAMPLERS)
    parser.add_argument("--chains", type=int, nargs="+", default=[4, 100, 1000])
    parser.add_argument("--warmup", type=int, default=300, help="draws of warmup")
    parser.add_argument("--pooled-warmup", type=int, default=150, help="of a pool of >= 100 chains")
    parser.add_argument("--seconds", type=float, default=150.0, help="the limit of a cell")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure the cells and print a line for each as it comes; with those kept from before."""
    rows = []
    for name in options.models:
        for chains in options.chains:
            for sampler in options.samplers:
                if name == discrete.NAME and sampler not in discrete.SAMPLERS:
                    continue
                pooled = sampler == "pcbatch" and chains >= 100
                warmup = options.pooled_warmup if pooled else options.warmup
                row = {"model": name, "chains": chains, "sampler": sampler, "warmup": warmup}
                circumstances = {"limit s": options.seconds, "date": machine.describe()["date"]}
                rows.append(row | _limited(row, options.seconds) | circumstances)
                print(report.table(rows[-1:]), flush=True)
    if not options.save:
        return rows
    kept = report.with_saved("samplers", rows, ("model", "chains", "sampler"))
    return sorted(kept, key=_place)


def _place(row: Mapping[str, Any]) -> tuple[int, int, int]:
    models, samplers = list(COORDINATES), list(SAMPLERS)
    return models.index(row["model"]), row["chains"], samplers.index(row["sampler"])


def _limited(row: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    empty = {"draws": None, "compile s": None, "run s": None, "runs": 0, "min ESS": None}
    empty |= {"max R-hat": None, "note": ""}
    try:
        return empty | apart.call(cell, limit=seconds, seconds=seconds, **row)
    except TimeoutError:
        return empty | {"note": f"not finished in {seconds:g} s"}


def cell(sampler: str, model: str, chains: int, warmup: int, seconds: float) -> dict[str, Any]:
    """Draw more until both goals are reached, or time is up."""
    draws = max(FEWEST_DRAWS, EFFECTIVE_DRAWS // chains)
    began = time.perf_counter()
    while True:
        fit = MAKERS[sampler](model, chains, warmup, draws)
        taken, positions = _timed(fit.run)
        ess, r_hat = diagnose(positions)
        result = {"draws": draws, "compile s": fit.compile_seconds, "run s": taken, "runs": 1}
        result |= {"min ESS": round(ess), "max R-hat": r_hat}
        if ess >= EFFECTIVE_DRAWS and r_hat < R_HAT:
            break
        more = max(2.0, 1.2 * EFFECTIVE_DRAWS / ess)
        if time.perf_counter() - began + fit.compile_seconds + more * taken > seconds:
            return result | {"note": f"goal not reached in {seconds:g} s"}
        draws = round(draws * more)
    times = [taken]
    while len(times) < REPEATS and time.perf_counter() - began + 1.5 * taken < seconds:
        times.append(_timed(fit.run)[0])
    return result | {"run s": statistics.median(times), "runs": len(times)}


def plot(rows: Sequence[Mapping[str, Any]]) -> pathlib.Path:
    """Seconds against chains, a panel for each model, to `bench/results/samplers.png`.

    An empty triangle stands at the limit that a cell has not met.
    """
    from matplotlib.figure import Figure

    models = list(dict.fromkeys(row["model"] for row in rows))
    figure = Figure(figsize=(4.2 * len(models), 4), layout="constrained")
    panels = figure.subplots(1, len(models), squeeze=False)[0]
    for panel, model in zip(panels, models, strict=True):
        for i, sampler in enumerate(SAMPLERS):
            mine = [r for r in rows if (r["model"], r["sampler"]) == (model, sampler)]
            done = [r for r in mine if r["run s"] is not None and not r["note"]]
            sizes = [r["chains"] for r in done]
            panel.plot(sizes, [r["run s"] for r in done], f"C{i}o-", label=sampler)
            whole = [r["run s"] + r["compile s"] for r in done]
            panel.plot(sizes, whole, f"C{i}o:", alpha=0.4)
            late = [(r["chains"], r["limit s"]) for r in mine if r["note"]]
            if late:
                panel.plot(*zip(*late, strict=True), f"C{i}^", fillstyle="none")
        panel.set(xscale="log", yscale="log", title=model, xlabel="chains")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel(
        "seconds to 10,000 effective draws\n(dotted: with compiling; triangle: more)"
    )
    panels[0].legend(fontsize="small")
    path = report.RESULTS / "samplers.png"
    figure.savefig(path, dpi=120)
    return path


def _timed(run: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    began = time.perf_counter()
    positions = run()
    return time.perf_counter() - began, positions


def diagnose(positions: np.ndarray) -> tuple[float, float]:
    """The smallest bulk ESS and the largest R-hat over coordinates."""
    import arviz

    columns = [positions[:, :, d].astype(np.float64) for d in range(positions.shape[2])]
    ess = min(float(arviz.ess(x, method="bulk")) for x in columns)
    return ess, max(float(arviz.rhat(x, method="rank")) for x in columns)


def _starts(model: str, chains: int) -> np.ndarray:
    return Bundled(model).starts(chains)


def _pcbatch(model: str, chains: int, warmup: int, draws: int) -> Fit:
    size = {"num_chains": chains, "num_draws": draws, "progress": False}
    if model == discrete.NAME:
        target, init, size["discrete"] = discrete.problem()
    else:
        target, init = MODELS[model].problem()

    def sample(**options: Any) -> np.ndarray:
        found = nuts.sample(target, init, **size, **options).draws
        found = {name: x for name, x in found.items() if name not in size.get("discrete", ())}
        return np.concatenate([x.reshape(chains, draws, -1) for x in found.values()], -1)

    shortest = {"num_warmup": 0, "step_size": 1e-3, "max_tree_depth": 1}
    seconds, _ = _timed(lambda: sample(**shortest))
    return Fit(lambda: sample(num_warmup=warmup), seconds)


def _compiled(one: Callable[[Any, Any], Any], starts: np.ndarray, chains: int) -> Fit:
    """Compile a function of one chain's key and start for all chains."""
    import jax

    starts = jax.numpy.asarray(starts)
    keys = jax.random.split(jax.random.key(0), chains)
    began = time.perf_counter()
    sample = jax.jit(jax.vmap(one)).lower(keys, starts).compile()
    seconds = time.perf_counter() - began
    return Fit(lambda: np.asarray(sample(keys, starts)), seconds)


def _numpyro(model: str, chains: int, warmup: int, draws: int) -> Fit:
    if model == discrete.NAME:
        one = discrete.numpyro_chain(warmup, draws)
        return _compiled(lambda key, _: one(key), np.zeros(chains), chains)
    import jax
    from numpyro.infer.hmc import hmc

    from bench.peers.jax_targets import log_density

    density = log_density(Bundled(model))
    # The kernel's own functions in one program: `MCMC.run` would compile anew in every run.
    init_kernel, sample_kernel = hmc(lambda position: -density(position), algo="NUTS")

    def one(key, start):
        state = init_kernel(start, num_warmup=warmup, rng_key=key)

        def draw(state, _):
            state = sample_kernel(state)
            return state, state.z

        state, _ = jax.lax.scan(lambda s, _: (sample_kernel(s), None), state, length=warmup)
        return jax.lax.scan(draw, state, length=draws)[1]

    return _compiled(one, _starts(model, chains), chains)


def _blackjax(model: str, chains: int, warmup: int, draws: int) -> Fit:
    import blackjax
    import jax

    from bench.peers.jax_targets import log_density

    density = log_density(Bundled(model))
    adapt = blackjax.window_adaptation(blackjax.nuts, density)

    def one(key, start):
        key_warmup, key_draws = jax.random.split(key)
        (state, parameters), _ = adapt.run(key_warmup, start, warmup)
        step = blackjax.nuts(density, **parameters).step

        def draw(state, key):
            state, _ = step(key, state)
            return state, state.position

        return jax.lax.scan(draw, state, jax.random.split(key_draws, draws))[1]

    return _compiled(one, _starts(model, chains), chains)


def _stan(model: str, chains: int, warmup: int, draws: int) -> Fit:
    import stan

    program = stan_model(model)
    # A remark makes it a program that Stan has not compiled before.
    source = f"// {time.time_ns()}\n{program.source}"
    began = time.perf_counter()
    built = stan.build(source, data=program.data, random_seed=1)
    seconds = time.perf_counter() - began

    def run() -> np.ndarray:
        found = built.sample(num_chains=chains, num_samples=draws, num_warmup=warmup)
        rows = [found[name].reshape(-1, draws, chains) for name in COORDINATES[model]]
        return np.moveaxis(np.concatenate(rows), [0, 1, 2], [2, 1, 0])

    return Fit(run, seconds)


MAKERS = {"pcbatch": _pcbatch, "NumPyro": _numpyro, "BlackJAX": _blackjax, "Stan": _stan}
