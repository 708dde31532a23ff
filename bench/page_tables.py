"""Tables of the documents, in Markdown, from `bench/results/`; `bench.pages` writes them."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bench import report
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


CASES = (
    "near_limit",
    "against_samplers_logistic",
    "against_samplers_uneven",
    "against_samplers_equal",
    "against_batching",
    "flat_cost",
    "stack_capacity",
    "cold_compile",
    "cores",
    "lanes",
    "peak_memory",
)
"""The results of P1 to P10."""


def targets() -> str:
    """What is aimed at, and what was measured."""
    lines = [
        (row["case"], row["what"], number(row["figure"]), row["target"], row["met"])
        for name in CASES
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
    columns = ("first call [s]", "beyond [s]", "CPU [s]", "over no cache")
    titles = ("first call, s", "beyond a later call, s", "processor time, s", "over no cache")
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


PROGRAMS = {
    ("fib", 10000): "fib",
    ("collatz", 10000): "Collatz",
    ("collatz, helper", 10000): "Collatz, helper",
    ("triangles", 10000): "nested loops",
    ("tree", 10000): "tree",
    ("quadrature", 10000): "quadrature",
    ("NUTS, normal", 1000): "NUTS, normal",
    ("NUTS, regression", 100): "NUTS, regression",
}
"""Programs of `bench optimizations`, and how many members they have."""
TOGETHER = ("shards", "switch", "all")
"""What else it leaves out."""


def optimizations() -> str:
    """How many times as long a call takes without each optimization."""
    figures = {
        (row["without"], row["program"], row["members"]): number(row["times as long"])
        for row in rows("optimizations")
    }
    lines = []
    for name in (*OPTIMIZATIONS, *TOGETHER):
        shown = f"[{name}](#{anchor(name)})" if name in OPTIMIZATIONS else name
        lines.append([shown, *(figures.get((name, *program), "") for program in PROGRAMS)])
    return grid(("without", *PROGRAMS.values()), lines)


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
    "optimizations": optimizations,
}
"""Tables by name; `measured` takes the name of a result."""
