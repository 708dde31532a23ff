"""`python -m bench COMMAND`: measure, print a table, and keep it with `--save`."""

from __future__ import annotations

import argparse
import importlib
import os
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from bench import machine, report

COMMANDS = {
    "targets": ("bench.all_targets", "all cases P1 to P10, and which targets are met"),
    "near_limit": ("bench.cases.near_limit", "NUTS over a bare loop of gradients"),
    "against_samplers_logistic": (
        "bench.cases.against_samplers:P2",
        "NUTS on a logistic regression over other NUTS",
    ),
    "against_samplers_uneven": (
        "bench.cases.against_samplers:P3",
        "NUTS on an uneven normal over other NUTS",
    ),
    "against_samplers_equal": (
        "bench.cases.against_samplers:P3B",
        "NUTS with equal trajectories over other NUTS",
    ),
    "against_batching": ("bench.cases.against_batching", "small functions over TFP auto_batching"),
    "flat_cost": ("bench.cases.flat_cost", "cost per member from 1,000 to 100,000 members"),
    "stack_capacity": ("bench.cases.stack_capacity", "run time with stacks 16 times as deep"),
    "cold_compile": ("bench.cases.cold_compile", "cold compilation of the NUTS program"),
    "cores": ("bench.cases.cores", "two cores over one"),
    "lanes": ("bench.cases.lanes", "share of the gradient block's lanes in use"),
    "peak_memory": ("bench.cases.peak_memory", "peak memory over what .memory() predicts"),
    "figure1": ("bench.figure1", "gradients per second against chains, ours and the peers'"),
    "utilization": ("bench.utilization", "share of lanes in use against chains"),
    "optimizations": ("bench.optimizations", "what each optimization buys: left out, one by one"),
    "limit": ("bench.limit", "useful gradients per second against a bare loop of gradients"),
    "warmup": ("bench.warmup", "warmup gradients against errors of what is learned, pooled or not"),
    "arrivals": ("bench.arrivals", "do all chains arrive, and at what cost for the others"),
    "streaming": (
        "bench.streaming",
        "peak memory of runs that keep no draws",
    ),
    "ess": ("bench.ess", "effective draws per gradient of NUTS, against Stan"),
    "samplers": ("bench.samplers", "wall time of whole fits to 10,000 effective draws, and peers'"),
    "references": ("bench.references", "long runs of Stan, for the references of bundled models"),
    "map": (
        "bench.refilled_lanes",
        "lanes that are refilled over one call per batch, on heavy tails",
    ),
    "cluster": ("bench.cluster", "two worker processes over two shards, and what travels"),
    "progress": ("bench.slices", "what slices and the line of progress cost"),
    "compile": ("bench.compile", "front end, passes, tracing and XLA of NUTS and small programs"),
    "start": ("bench.start", "the first call in a new process, with the cache on disk and without"),
    "against_vmap": ("bench.against_vmap", "simple loops over jax.jit(jax.vmap(...)) of the same"),
    "few_members": (
        "bench.few_members",
        "gradients per second of NUTS with few chains, over other samplers",
    ),
    "batch_sizes": ("bench.batch_sizes", "what the empty lanes of a padded batch cost"),
    "checks": ("bench.checks", "what the checks for Python's exceptions cost"),
    "gallery": ("bench.gallery", "the programs of the gallery, over plain Python"),
    "lists": ("bench.lists", "lists that calls make, over one area in which all are allocated"),
    "vectorize": (
        "bench.vectorize",
        "single-example code, vectorized, against code batched by hand",
    ),
    "gradients": ("bench.gradients", "gradients over functions, and trained trees over peers"),
    "programs": ("bench.programs", "the small programs of the tests: strategies, schedules, sizes"),
}


def load(place: str) -> Any:
    """The module, or the object in a module, that has `add_arguments` and `run`."""
    module, _, attribute = place.partition(":")
    loaded = importlib.import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


def main() -> None:
    """Read the command line and run one benchmark."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    benchmarks = {}
    for name, (place, purpose) in COMMANDS.items():
        benchmarks[name] = load(place)
        command = commands.add_parser(
            name,
            help=purpose,
            description=benchmarks[name].__doc__ if ":" not in place else purpose,
            formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        )
        benchmarks[name].add_arguments(command)
        command.add_argument("--save", action="store_true", help="keep it in bench/results/")
    options = parser.parse_args()
    print("  ".join(f"{key}: {value}" for key, value in machine.describe().items()), flush=True)
    rows = benchmarks[options.command].run(options)
    print()
    print(report.table(rows))
    if options.save:
        print(f"saved to {report.save(options.command, vars(options), rows)}")
        if plot := getattr(benchmarks[options.command], "plot", None):
            print(f"saved to {plot(rows)}")


if __name__ == "__main__":
    main()
