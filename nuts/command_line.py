"""The command line: sample a bundled model, or one's own, and show what came out."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings

from nuts.errors import SamplingError, SamplingWarning
from nuts.models import MODELS, Model
from nuts.results.fit import Fit, load
from nuts.results.reference import Reference
from nuts.results.report import report
from nuts.run.options import METRICS, POOLS
from nuts.run.sampling import sample

DESCRIPTION = """\
Sample a posterior with many chains of the recursive No-U-Turn Sampler, all in one XLA program.
Prints a table of the posterior, how the sampler did and how full the batch was, and writes the
draws and pictures of them.
"""

EPILOG = """\
A model of your own is module:function, where the function takes nothing and returns what
nuts.sample takes first: the log density and init.

A run that is stopped leaves its draws in the folder of --store: --load FOLDER shows them.
"""


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m nuts", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("model", nargs="?", help="a bundled model, or module:function")
    parser.add_argument("--model", dest="chosen", metavar="MODEL", help="the same, as an option")
    parser.add_argument("--list", action="store_true", help="name the bundled models and stop")
    run = parser.add_argument_group("how much")
    run.add_argument("--chains", type=int, default=1000, help="number of chains [%(default)s]")
    run.add_argument("--draws", type=int, default=200, help="kept draws per chain [%(default)s]")
    run.add_argument("--warmup", type=int, default=300, help="draws of warmup [%(default)s]")
    run.add_argument("--thin", type=int, default=1, help="keep one draw in this many [%(default)s]")
    run.add_argument("--seed", type=int, default=0, help="of all random numbers [%(default)s]")
    how = parser.add_argument_group("how")
    how.add_argument("--step-size", type=float, help="the first step size [searched]")
    how.add_argument("--target-accept", type=float, help="mean acceptance [the model's, or 0.8]")
    how.add_argument(
        "--metric",
        choices=METRICS,
        default="diag",
        help="form of the estimated scales [%(default)s]",
    )
    how.add_argument("--max-tree-depth", type=int, default=10, help="most doublings [%(default)s]")
    how.add_argument(
        "--pool",
        choices=POOLS,
        default="all",
        help="chains that share step size and metric [%(default)s]",
    )
    how.add_argument("--strategy", default="pc", help="pc, local, hybrid or loop [%(default)s]")
    how.add_argument("--schedule", default="auto", help="auto, sweep or switch [%(default)s]")
    out = parser.add_argument_group("output")
    out.add_argument("--out", default="out", help="folder for draws and pictures [%(default)s]")
    out.add_argument(
        "--vars",
        type=lambda text: text.split(","),
        metavar="NAMES",
        help="what to show in full, such as w,tau or theta[3] [the first numbers of each]",
    )
    out.add_argument(
        "--store",
        metavar="FOLDER",
        help="write draws there as they come, so that memory does not depend on --draws; an empty "
        "folder, or a new one [fit.npz in --out, at the end]",
    )
    out.add_argument(
        "--load",
        metavar="FIT",
        help="sample nothing: show the draws of a folder of --store, or of a fit.npz",
    )
    out.add_argument("--no-progress", action="store_true", help="show no bar")
    return parser


def main(argv: list[str] | None = None) -> int:
    parser = make_parser()
    arguments = parser.parse_args(argv)
    if arguments.list:
        width = max(map(len, MODELS))
        for name, bundled in MODELS.items():
            print(f"{name:<{width}}  {bundled.description}")
        return 0
    if arguments.load is not None and arguments.store is not None:
        parser.error("--load samples nothing, so that there is nothing to --store")
    names = [name for name in (arguments.model, arguments.chosen) if name is not None]
    if len(names) > 1 or (not names and arguments.load is None):
        parser.error("name one model; --list shows the bundled ones")
    model = find_model(names[0], parser) if names else None
    if arguments.load is not None:
        show(loaded(arguments.load, parser), arguments.load, model, arguments)
    elif model is not None:
        run(model, arguments)
    return 0


def find_model(name: str, parser: argparse.ArgumentParser) -> Model:
    """The bundled model of that name, or the user's own."""
    if ":" in name:
        module, _, function = name.partition(":")
        sys.path.insert(0, os.getcwd())
        try:
            problem = getattr(importlib.import_module(module), function)
        except (ModuleNotFoundError, AttributeError) as error:
            parser.error(f"cannot find {name!r}: {error}")
        return Model(function, name, problem)
    if name not in MODELS:
        parser.error(f"no model is called {name!r}; --list shows the bundled ones")
    return MODELS[name]


def loaded(path: str, parser: argparse.ArgumentParser) -> Fit:
    """The fit of a file or of a store."""
    try:
        fit = load(path)
    except (OSError, SamplingError) as error:
        parser.error(f"--load {path}: {error}")
    if not fit.num_draws:
        parser.error(f"--load {path}: it has no draws yet")
    return fit


def run(model: Model, arguments: argparse.Namespace) -> None:
    """Sample the model, keep the draws, and show what came out."""
    target, init = model.problem()
    settings = dict(model.settings)
    if arguments.target_accept is not None:
        settings["target_accept"] = arguments.target_accept
    # The report says all that `sample` warns of, and more.
    warnings.simplefilter("ignore", SamplingWarning)
    fit = sample(
        target,
        init,
        num_chains=arguments.chains,
        num_draws=arguments.draws,
        num_warmup=arguments.warmup,
        thin=arguments.thin,
        seed=arguments.seed,
        step_size=arguments.step_size,
        metric=arguments.metric,
        max_tree_depth=arguments.max_tree_depth,
        pool=arguments.pool,
        strategy=arguments.strategy,
        schedule=arguments.schedule,
        progress=not arguments.no_progress,
        store=arguments.store,
        **settings,
    )
    assert isinstance(fit, Fit)  # draws that are reduced make another result
    saved = arguments.store
    if saved is None:
        os.makedirs(arguments.out, exist_ok=True)
        saved = os.path.join(arguments.out, "fit.npz")
        fit.save(saved)
    show(fit, saved, model, arguments)


def show(fit: Fit, saved: str, model: Model | None, arguments: argparse.Namespace) -> None:
    """Print the report of a fit, and draw it.

    Args:
      fit: the fit.
      saved: where its draws are.
      model: what it is of, where that is known.
      arguments: of the command line.
    """
    reference: Reference = {}
    if model is not None:
        fit, reference = model.reported(fit), model.reference()
    try:
        print(report(fit, reference, arguments.vars))
    except SamplingError as error:
        raise SystemExit(f"--vars: {error}\ndraws, for nuts.load: {saved}") from error
    print(f"\ndraws, for nuts.load: {saved}")
    if fit.num_draws >= 4:
        pictures = fit.plot(arguments.out, arguments.vars)
        print(f"pictures: {', '.join(map(str, pictures))}")
