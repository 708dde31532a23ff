"""MkDocs makes the gallery of `examples/`, with figures from `bench/results/gallery.json`."""

from __future__ import annotations

import ast
import json
import pathlib
from collections.abc import Mapping
from typing import Any

from bench.page_tables import measured_on

ROOT = pathlib.Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results" / "gallery.json"

INDEX = """\
# Gallery

Each program is written for one example, in plain Python. pcbatch runs it for a batch. Each draws
its own picture: `python examples/quicksort.py picture.png`.

{table}

Times are of the processor, on all cores together. The first call of a program compiles it, and
is not counted here.

* *Plain Python* is the same function without pcbatch, one member after the other. A dash stands
  where a program calls TensorFlow for each member, as for random numbers: one after the other,
  these calls would take most of the time.
* The *peer* is a tool that a person would use. It does the same work, and its results are compared
  (`bench/gallery_peers.py`). Numba compiles the same loops for one member and runs one after the
  other; its first call is not counted either.

The batch and its peer take turns in one process, so their ratio is worth more than the times, which
differ from day to day.

Below 1 the batch is slower. Where a member's work is small integers and comparisons, Numba is
the better tool: [Coming from Numba](../coming_from/numba.md) says when. Sudoku has a few members
that try very much, and the others wait for them. Sorting is what `numpy.sort` is for. Use pcbatch
for such a program if it needs gradients, random keys, or a place inside a larger batched program.

{machine}

## Larger programs

* [Tree-LSTM on sentences](../examples/tree_lstm.md): each node has a label.
* [Phylogenetics](../examples/phylogenetics.md): Felsenstein's pruning, its gradients, and NUTS.
* [Adaptive ODE](../examples/adaptive_ode.md): a solver with steps of its own in each chain of NUTS.
* `examples/logistic_regression.py` and `examples/joint_distribution.py`: NUTS in thirty lines.
* `examples/cluster_dask.py`: walks on spheres, on the workers of a cluster.
* `examples/cluster_slurm.py`: NUTS on the workers of a Slurm job.
"""

PAGE = """\
# {title}

![{title}: the picture that the program draws]({name}.png)

{times}

```python title="examples/{name}.py"
{code}```

{machine}
"""


def on_files(files: Any, config: Any) -> Any:
    """Add the pages; MkDocs calls this once a build."""
    from mkdocs.structure.files import File

    results = json.loads(RESULTS.read_text())
    files.append(File.generated(config, "gallery/index.md", content=index(results)))
    for row in results["rows"]:
        name = f"gallery/{row['program']}.md"
        files.append(File.generated(config, name, content=page(row, results["machine"])))
    return files


def index(results: Mapping[str, Any]) -> str:
    """The table of all programs."""
    titles = ("program", "members", "a member", "in plain Python", "over it", "a member in a peer")
    titles += ("over the peer",)
    rule = ["---"] + ["--:"] * 6
    head = [f"| {' | '.join(cells)} |" for cells in (titles, rule)]
    lines = [*head, *map(line, results["rows"])]
    return INDEX.format(table="\n".join(lines), machine=machine(together(results)))


def together(results: Mapping[str, Any]) -> Mapping[str, str]:
    """The machine, with the dates and the loads of all rows."""
    dates = sorted({row["date"] for row in results["rows"]})
    loads = sorted({row["load"] for row in results["rows"]}, key=float)
    spans = {"date": f"{dates[0]} to {dates[-1]}", "load": f"{loads[0]} to {loads[-1]}"}
    return {**results["machine"], **spans}


def line(row: Mapping[str, Any]) -> str:
    """A row of the table, with the picture."""
    name, plain = row["program"], row["us a member in plain Python"]
    peer, there, ratio = against_peer(row)
    cells = [
        f"[![{title(name)}]({name}.png){{width=120}}]({name}.md)<br>[{title(name)}]({name}.md)",
        f"{row['members']:,}",
        seconds(row["us a member"] * 1e-6),
        "-" if plain is None else seconds(plain * 1e-6),
        "-" if plain is None else f"{row['times as fast']:.3g}",
        f"{peer}: {there}",
        ratio,
    ]
    return f"| {' | '.join(cells)} |"


def against_peer(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """The peer, what it takes for a member, and how many times as fast a batch is."""
    there = seconds(row["peer's us a member"] * 1e-6)
    return row["peer"], there, f"{row['over the peer']:.3g}"


def page(row: Mapping[str, Any], where: Mapping[str, str]) -> str:
    """The page of one program."""
    name, plain = row["program"], row["us a member in plain Python"]
    times = f"A batch of {row['members']:,} members takes {seconds(row['s'])} of the processor. "
    times += f"The first call, which compiles, takes {seconds(row['first call, s'])}."
    if plain is not None:
        times += f" Plain Python takes {seconds(plain * 1e-6)} for one member: "
        times += f"the batch is {row['times as fast']:.3g} times as fast."
    peer, there, ratio = against_peer(row)
    times += f" {peer} takes {there} for one member: the batch is {ratio} times as fast."
    code = (ROOT / "examples" / f"{name}.py").read_text()
    when = machine({**where, "date": row["date"], "load": row["load"]})
    return PAGE.format(name=name, title=title(name), times=times, code=code, machine=when)


def title(name: str) -> str:
    """What the program's docstring says before the command."""
    docstring = ast.get_docstring(ast.parse((ROOT / "examples" / f"{name}.py").read_text()))
    return docstring.partition(": `")[0]


def machine(where: Mapping[str, str]) -> str:
    """What was measured where, and by which command."""
    return measured_on("gallery", where)


def seconds(value: float) -> str:
    """A time with three digits and its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.1e} s"
