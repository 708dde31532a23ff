"""Run exported NUTS programs on this machine's accelerator, beside NumPyro and BlackJAX.

Needs JAX and NumPy, and what `python -m bench.exported DIRECTORY` has written; NumPyro and BlackJAX
are compared with where they are installed. Neither pcbatch nor TensorFlow is needed:

    python bench/gpu.py DIRECTORY --chains 100 1000 10000 100000 --save results.json

All samplers have the same target, step size, unit metric and starts. Each result is checked before
anything is timed: finite draws, and the mean of every variable within six standard errors of the
truth (normal) or of our chains' (regression). Compilation is timed apart.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import pathlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

ERRORS = 6.0
"""So many standard errors a mean may be off: 2e-9 for each of some hundred variables."""


class Drawn(NamedTuple):
    """What a sampler gives: mean float[chains, dim] over its draws, leapfrogs int[chains]."""

    mean: Any
    leapfrogs: Any


class Case(NamedTuple):
    """A target for some number of chains: the data of both, and where the chains start."""

    name: str
    directory: pathlib.Path
    chains: int
    draws: int
    data: dict[str, np.ndarray]
    setup: dict[str, np.ndarray]
    start: np.ndarray

    def log_density(self) -> Callable[[jax.Array], jax.Array]:
        """The target for one position, for the samplers that are written in JAX."""
        if self.name == "normal":
            precision = jnp.asarray(1.0 / self.data["spread"] ** 2)
            return lambda q: -0.5 * jnp.sum(precision * q * q)
        features, outcomes = jnp.asarray(self.data["features"]), jnp.asarray(self.data["outcomes"])

        def log_density(q: jax.Array) -> jax.Array:
            logits = features @ q
            return jnp.sum(outcomes * logits - jax.nn.softplus(logits)) - 0.5 * jnp.sum(q * q)

        return log_density


def load_case(directory: pathlib.Path, name: str, chains: int, draws: int) -> Case:
    """Read what `bench.exported` has written."""
    data = dict(np.load(directory / f"{name}.npz"))
    setup = dict(np.load(directory / f"{name}-{chains}.npz"))
    noise = np.random.default_rng(1).standard_normal((chains, data["center"].size))
    start = (data["center"] + data["spread"] * noise).astype(np.float32)
    return Case(name, directory, chains, draws, data, setup, start)


# --- The samplers: each returns a function that draws -------------------------------------------


def pcbatch_sampler(case: Case) -> Callable[[], Drawn]:
    """The exported program."""
    archive = str(case.directory / f"{case.name}-{case.chains}.zip")
    sys.path.insert(0, archive)
    runner = importlib.import_module("pcbatch_program")
    sys.path.remove(archive)
    program, setup = runner.load(archive), case.setup
    metric = {name: setup[name] for name in ("inverse_mass", "momentum_scale")}
    tuning = {name: setup[name] for name in ("step_size", "max_tree_depth")} | {"metric": metric}
    inputs = program.put(case.start, setup["keys"], tuning, np.int32(case.draws))

    def run() -> Drawn:
        found = program.execute(inputs)
        status = np.asarray(found["status"])
        assert not status.any(), program.header["status"][str(status.max())]
        return Drawn(found["value.sum"] / case.draws, found["value.leapfrogs"])

    return run


def blackjax_sampler(case: Case) -> Callable[[], Drawn]:
    """BlackJAX's NUTS under `jax.vmap`, draws in a scan, all compiled as one."""
    import blackjax

    kernel = blackjax.nuts(
        case.log_density(),
        step_size=float(case.setup["step_size"]),
        inverse_mass_matrix=jnp.asarray(case.setup["inverse_mass"]),
        max_num_doublings=int(case.setup["max_tree_depth"]),
    )

    def chain(start: jax.Array, key: jax.Array) -> Drawn:
        def one(carry: Any, key: jax.Array) -> Any:
            state, total, leapfrogs = carry
            state, info = kernel.step(key, state)
            return (state, total + state.position, leapfrogs + info.num_integration_steps), None

        carry = (kernel.init(start), jnp.zeros_like(start), jnp.int32(0))
        (_, total, leapfrogs), _ = jax.lax.scan(one, carry, jax.random.split(key, case.draws))
        return Drawn(total / case.draws, leapfrogs)

    keys = jax.random.split(jax.random.key(0), case.chains)
    return functools.partial(jax.jit(jax.vmap(chain)), jnp.asarray(case.start), keys)


def numpyro_sampler(case: Case) -> Callable[[], Drawn]:
    """NumPyro's NUTS, chains vectorized, draws in a scan, all compiled as one."""
    from numpyro.infer import NUTS

    log_density = case.log_density()
    kernel = NUTS(
        potential_fn=lambda q: -log_density(q),
        step_size=float(case.setup["step_size"]),
        adapt_step_size=False,
        adapt_mass_matrix=False,
        max_tree_depth=int(case.setup["max_tree_depth"]),
    )
    start = jnp.asarray(case.start)
    keys = jax.random.split(jax.random.PRNGKey(0), case.chains)
    state = kernel.init(keys, 0, start, (), {})

    @jax.jit
    def run(state: Any) -> Drawn:
        def one(carry: Any, _: None) -> Any:
            state, total, leapfrogs = carry
            state = kernel.sample(state, (), {})
            return (state, total + state.z, leapfrogs + state.num_steps), None

        carry = (state, jnp.zeros_like(start), jnp.zeros(case.chains, jnp.int32))
        (_, total, leapfrogs), _ = jax.lax.scan(one, carry, None, case.draws)
        return Drawn(total / case.draws, leapfrogs)

    return functools.partial(run, state)


SAMPLERS = {"pcbatch": pcbatch_sampler, "blackjax": blackjax_sampler, "numpyro": numpyro_sampler}


# --- Checking and timing ------------------------------------------------------------------------


def check(case: Case, drawn: Drawn, ours: Drawn | None) -> float:
    """The largest deviation of a variable's mean, in standard errors.

    Raises:
      AssertionError: a draw is not finite, a trajectory is empty, or a mean is off.
    """
    mean, leapfrogs = np.asarray(drawn.mean, np.float64), np.asarray(drawn.leapfrogs)
    assert np.isfinite(mean).all() and (leapfrogs >= case.draws).all()
    error = mean.std(0, ddof=1) / np.sqrt(case.chains)
    truth = np.zeros_like(error)
    if case.name != "normal" and ours is None:
        return 0.0
    if case.name != "normal":
        other = np.asarray(ours.mean, np.float64)
        truth = other.mean(0)
        error = np.hypot(error, other.std(0, ddof=1) / np.sqrt(case.chains))
    worst = float(np.max(np.abs(mean.mean(0) - truth) / error))
    assert worst < ERRORS, f"a mean is {worst:.1f} standard errors off"
    return worst


def seconds(run: Callable[[], Drawn]) -> tuple[float, Drawn]:
    """Time one run, to the end of its work on the device."""
    began = time.perf_counter()
    drawn = jax.block_until_ready(run())
    return time.perf_counter() - began, drawn


def measure(case: Case, sampler: str, calls: int, ours: Drawn | None) -> tuple[dict, Drawn]:
    """Compile, check, time."""
    began = time.perf_counter()
    run = SAMPLERS[sampler](case)
    _, drawn = seconds(run)
    first = time.perf_counter() - began
    worst = check(case, drawn, ours)
    times = [seconds(run)[0] for _ in range(calls)]
    leapfrogs, median = int(np.asarray(drawn.leapfrogs, np.int64).sum()), statistics.median(times)
    row = {
        "target": case.name,
        "chains": case.chains,
        "draws": case.draws,
        "sampler": sampler,
        "compile s": max(first - median, 0.0),
        "run s": median,
        "spread": (max(times) - min(times)) / median,
        "leapfrogs/draw": leapfrogs / (case.chains * case.draws),
        "gradients/s": leapfrogs / median,
        "standard errors": worst,
    }
    return row, drawn


def measure_all(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Every target, number of chains and sampler; the ratio to ours in each row."""
    for name in options.targets:
        for chains in options.chains:
            case = load_case(options.directory, name, chains, options.draws)
            ours, rate = None, None
            for sampler in SAMPLERS:
                if sampler != "pcbatch" and importlib.util.find_spec(sampler) is None:
                    yield {"target": name, "chains": chains, "sampler": sampler, "gap": True}
                    continue
                row, drawn = measure(case, sampler, options.calls, ours)
                if sampler == "pcbatch":
                    ours, rate = drawn, row["gradients/s"]
                row["pcbatch over it"] = rate / row["gradients/s"]
                yield row


def main(arguments: list[str] | None = None) -> None:
    """Read the command line, measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=pathlib.Path, help="what bench.exported has written")
    parser.add_argument("--targets", nargs="+", default=["logistic", "normal"])
    parser.add_argument("--chains", type=int, nargs="+", default=[100, 1000, 10_000, 100_000])
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--calls", type=int, default=3, help="timed calls of each program")
    parser.add_argument("--save", type=pathlib.Path, help="write the rows as JSON")
    options = parser.parse_args(arguments)
    jax.config.update("jax_default_matmul_precision", "highest")  # as the exported programs
    device = jax.devices()[0]
    print(f"device: {device.platform} {device.device_kind}, JAX {jax.__version__}", flush=True)
    machine = {"platform": device.platform, "device": device.device_kind, "jax": jax.__version__}
    rows = list[dict[str, Any]]()
    for row in measure_all(options):
        print(json.dumps(row), flush=True)
        rows.append(row)
        if options.save:  # after each row: a run that is cut short leaves what it has
            options.save.write_text(json.dumps({"machine": machine, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
