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

The first call of a program compiles it, and is not counted here. *Plain Python* is the same
function without pcbatch, one member after the other. A dash stands where a program draws random
numbers: they come from TensorFlow, which would take most of the time there.

Below 1 the batch is slower. Sudoku has a few members that try very much, and all places of the
batch are kept for them. Quicksort does little more than compare two numbers at each step.
[Numba](../coming_from/numba.md) is the better tool for such programs.

{machine}

## Larger programs

* [Tree-LSTM](../examples/tree_lstm.md): a recursive network is trained on trees.
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
    head = "| program | | members | a batch | a member | in plain Python | times as fast |"
    lines = [head, "| --- | --- | --: | --: | --: | --: | --: |", *map(line, results["rows"])]
    return INDEX.format(table="\n".join(lines), machine=machine(results["machine"]))


def line(row: Mapping[str, Any]) -> str:
    """A row of the table, with the picture."""
    name, plain = row["program"], row["us a member in plain Python"]
    cells = [
        f"[{title(name)}]({name}.md)",
        f"[![{title(name)}]({name}.png){{width=120}}]({name}.md)",
        f"{row['members']:,}",
        seconds(row["s"]),
        seconds(row["us a member"] * 1e-6),
        "-" if plain is None else seconds(plain * 1e-6),
        "-" if plain is None else f"{row['times as fast']:.3g}",
    ]
    return f"| {' | '.join(cells)} |"


def page(row: Mapping[str, Any], where: Mapping[str, str]) -> str:
    """The page of one program."""
    name, plain = row["program"], row["us a member in plain Python"]
    times = f"A batch of {row['members']:,} members takes {seconds(row['s'])}. "
    times += f"The first call, which compiles, takes {seconds(row['first call, s'])}."
    if plain is not None:
        times += f" Plain Python takes {seconds(plain * 1e-6)} for one member: "
        times += f"the batch is {row['times as fast']:.3g} times as fast."
    code = (ROOT / "examples" / f"{name}.py").read_text()
    return PAGE.format(name=name, title=title(name), times=times, code=code, machine=machine(where))


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
