"""Tables of the documents, in Markdown, from `bench/results/`; `bench.pages` writes them."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bench import all_targets, report
from pcbatch.runtime.optimizations import OPTIMIZATIONS

Row = Mapping[str, Any]


@functools.cache
def result(name: str) -> Mapping[str, Any]:
    """What `--save` has kept."""
    return json.loads((report.RESULTS / f"{name}.json").read_text())


def rows(name: str) -> list[Row]:
    """The rows of a saved result."""
    return result(name)["rows"]


def grid(head: Iterable[str], lines: Iterable[Iterable[str]], left: int = 1) -> str:
    """A table in Markdown, whose first columns stand to the left."""
    head = list(head)
    rule = ["---"] * left + ["--:"] * (len(head) - left)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *lines))


def number(value: float | None) -> str:
    """Three digits, and all of those before the point."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def measured(name: str) -> str:
    """Where a result is from."""
    return measured_on(name, result(name)["machine"])


def measured_on(name: str, machine: Mapping[str, str]) -> str:
    """By which command, when and where a result was measured."""
    return (
        f"Measured by `python -m bench {name} --save` on {machine['date']}: "
        f"{machine['processor']}, {machine['cores']} cores, load {machine['load']}, "
        f"TensorFlow {machine['tensorflow']}."
    )


def targets() -> str:
    """What is aimed at, and what was measured."""
    lines = [
        (row["case"], row["what"], number(row["figure"]), row["target"], row["met"])
        for name in all_targets.CASES
        for row in rows(name)
        if row["target"]
    ]
    return grid(("case", "what", "figure", "target", "met"), lines, left=2)


def by_columns(
    name: str, line: str, column: str, value: str, titles: Mapping[Any, str], **chosen: Any
) -> str:
    """A table with a line for each value of one column, and a column for each of another."""
    cells: dict[str, dict[Any, str]] = {}
    for row in rows(name):
        if all(row[key] == wanted for key, wanted in chosen.items()):
            cells.setdefault(row[line], {})[row[column]] = number(row[value])
    lines = [[key, *(found.get(title, "") for title in titles)] for key, found in cells.items()]
    return grid([line, *titles.values()], lines)


def figure1() -> str:
    """Useful gradients a second."""
    titles = {1: "1 chain", 2: "2", 10: "10", 100: "100", 1000: "1,000"}
    return by_columns("figure1", "way", "chains", "gradients/s", titles)


def utilization() -> str:
    """The share of the gradient block's lanes in use."""
    titles = {10: "10 chains", 100: "100", 1000: "1,000"}
    return by_columns("utilization", "way", "chains", "gradient", titles)


def programs() -> str:
    """Milliseconds a call of small programs."""
    ways = ("auto", "switch", "most-active", "local", "hybrid")
    titles = {way: f"{way}, ms" for way in ways}
    return by_columns("programs", "program", "way", "run ms", titles, members=10000)


def first_calls() -> str:
    """The stages of a first call."""
    columns = ("front end", "passes", "both, first", "tracing", "XLA")
    lines = [[row["program"], *(number(row[c]) for c in columns)] for row in rows("compile")]
    return grid(("program", *(f"{column}, s" for column in columns)), lines)


def starts() -> str:
    """A first call in a new process."""
    columns = ("CPU [s]", "first call [s]", "beyond [s]", "over no cache")
    titles = ("processor time, s", "first call, s", "beyond a later call, s", "over no cache")
    lines = [[r["case"], r["process"], *(number(r[c]) for c in columns)] for r in rows("start")]
    return grid(("case", "process", *titles), lines, left=2)


def gradients() -> str:
    """What a gradient costs over the function alone."""
    lines = [
        (row["case"], f"{row['members']:,}", number(row["ms"]), number(row["figure"]))
        for row in rows("gradients")
        if row["part"] == "ratio" and row["way"] == "gradient"
    ]
    return grid(("program", "members", "value and gradient, ms", "over the function alone"), lines)


def vectorize() -> str:
    """Vectorized code against other ways."""
    columns = ("pcbatch ms", "by hand ms", "over by hand", "sequential ms", "vectorized_map ms")
    titles = ("pcbatch, ms", "by hand, ms", "over by hand", "one by one, ms", "vectorized_map, ms")
    speedups = ("speedup", "speedup by hand")
    lines = [
        [row["case"], f"{row['members']:,}", *(number(row[c]) for c in (*columns, *speedups))]
        for row in rows("vectorize")
    ]
    return grid(("case", "members", *titles, "over one by one", "by hand over it"), lines)


def gpu() -> str:
    """Useful gradients a second on a GPU."""
    cells: dict[tuple[str, int], dict[str, float]] = {}
    for row in rows("gpu"):
        found = cells.setdefault((row["target"], row["chains"]), {})
        found[row["sampler"]] = row["gradients/s"]
    lines = []
    for (target, chains), rates in cells.items():
        ours, peers = rates["pcbatch"], [rates.get("blackjax"), rates.get("numpyro")]
        best = max(rate for rate in peers if rate is not None)
        lines.append([target, f"{chains:,}", *map(number, (ours, *peers, ours / best))])
    return grid(("target", "chains", "pcbatch", "BlackJAX", "NumPyro", "over the better"), lines)


def progress() -> str:
    """What the line of progress and slices cost, as shares of the run."""
    columns = {
        "whole s": "run, s",
        "progress cost": "line of progress",
        "progress cost, wall": "by wall time",
        "slices cost": "slices",
        "slices cost, wall": "by wall time",
        "noise": "noise",
        "noise, wall": "by wall time",
        "Ctrl-C s": "longest Ctrl-C, s",
    }
    lines = [
        [row["case"], *(f"{row[column]:.3f}" for column in columns)] for row in rows("progress")
    ]
    return grid(("program", *columns.values()), lines)


def refilled() -> str:
    """Lanes that are refilled over one call per batch."""
    columns = {
        "busy, map": "`map`, busy",
        "busy, batches": "one call per batch, busy",
        "map s": "`map`, s",
        "batches s": "one call per batch, s",
    }
    lines = [[f"{row['lanes']:,}", *(number(row[c]) for c in columns)] for row in rows("map")]
    return grid(("lanes", *columns.values()), lines)


def warmup() -> str:
    """What warmup learns, and at what cost: chains together, and each alone."""
    cells: dict[tuple[str, int], dict[str, Row]] = {}
    for row in rows("warmup"):
        cells.setdefault((row["model"], row["warmup draws"]), {})[row["adaptation"]] = row
    columns = ("gradients per chain", "step size error", "metric error")
    lines = [
        [named(model), str(draws)]
        + [f"{number(one['pooled'][c])} / {number(one['per chain'][c])}" for c in columns]
        for (model, draws), one in cells.items()
    ]
    first, *others = columns
    return grid(("model", "draws of warmup", f"{first}, pooled / per chain", *others), lines)


def ess() -> str:
    """Effective draws for a gradient, beside Stan's."""
    both = {"gradients/draw": "Stan's", "step size": "Stan's step", "acceptance": "Stan's acc."}
    both |= {"divergences": "Stan's div."}
    lines = [
        [named(row["model"]), number(row["ours: ESS/1000 gradients"]), number(row["Stan"])]
        + [f"{row['ratio']:.2f} +- {row['+-']:.2f}"]
        + [f"{number(row[ours])} / {number(row[stan])}" for ours, stan in both.items()]
        for row in rows("ess")
    ]
    titles = ("gradients a draw, ours / Stan", "step size", "acceptance reached", "divergences")
    return grid(("model", "effective draws for 1,000 gradients", "Stan", "ratio", *titles), lines)


def samplers() -> str:
    """Seconds of whole fits, with compilation in brackets, and what was not done in time."""
    peers = ("pcbatch", "NumPyro", "BlackJAX", "Stan")
    cells: dict[tuple[str, int], dict[str, str]] = {}
    for row in rows("samplers"):
        found = cells.setdefault((row["model"], row["chains"]), {})
        found[row["sampler"]] = fit_seconds(row)
    lines = [
        [named(model), f"{chains:,}", *(found.get(peer, "") for peer in peers)]
        for (model, chains), found in cells.items()
    ]
    return grid(("model", "chains", *peers), lines)


def fit_seconds(row: Row) -> str:
    """A fit's seconds; a star where they are of the day before the others."""
    star = "*" if row["date"] == "2026-11-21" else ""
    if row["note"]:
        return f"> {row['limit s']:.0f}{star}"
    return f"{number(row['run s'])} ({number(row['compile s'])}){star}"


def few_members() -> str:
    """Microseconds for a useful gradient with few chains."""
    columns = ("pcbatch us/gradient", "NumPyro us/gradient", "BlackJAX us/gradient")
    lines = [
        [named(row["model"]), str(row["chains"])]
        + [number(row[column]) for column in (*columns, "over the best")]
        for row in rows("few_members")
    ]
    return grid(("model", "chains", "pcbatch", "NumPyro", "BlackJAX", "over the best"), lines)


def named(model: str) -> str:
    """A bundled model's name, in words."""
    return model.replace("_", " ")


TITLES = {
    "collatz": "Collatz",
    "collatz, helper": "Collatz with a helper",
    "triangles": "nested loops",
    "NUTS, normal": "NUTS on a normal",
    "NUTS, regression": "NUTS on a regression",
}
"""What programs of `bench optimizations` are called on the page; the others by their names."""
TOGETHER = ("shards", "switch", "all")
"""What else it leaves out."""


def optimizations() -> str:
    """How many times as long a call takes without each optimization, the largest figure first."""
    lines = []
    for name in (*OPTIMIZATIONS, *TOGETHER):
        found = [row for row in rows("optimizations") if row["without"] == name]
        found = sorted(found, key=lambda row: -row["times as long"])
        shown = [(program(row), number(row["times as long"])) for row in found]
        title = f"[{name}](#{anchor(name)})" if name in OPTIMIZATIONS else name
        (most, figure), *others = shown or [("see its section", "")]
        lines.append([title, figure, most, "; ".join(f"{where} {n}" for where, n in others)])
    return grid(("without", "times as long", "program", "other programs"), lines, left=4)


def program(row: Row) -> str:
    """The program of a row of `bench optimizations`; NUTS with the number of its chains."""
    name = TITLES.get(row["program"], row["program"])
    return f"{name} ({row['members']:,} chains)" if name.startswith("NUTS") else name


def anchor(name: str) -> str:
    """The anchor of a heading."""
    return name.replace(" ", "-")


TABLES: Mapping[str, Callable[..., str]] = {
    "measured": measured,
    "targets": targets,
    "figure1": figure1,
    "utilization": utilization,
    "programs": programs,
    "first_calls": first_calls,
    "start": starts,
    "gradients": gradients,
    "vectorize": vectorize,
    "gpu": gpu,
    "progress": progress,
    "map": refilled,
    "optimizations": optimizations,
    "warmup": warmup,
    "ess": ess,
    "samplers": samplers,
    "few_members": few_members,
}
"""Tables by name; `measured` takes the name of a result."""
