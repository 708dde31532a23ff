"""Results as an aligned table, and as JSON where they are to be kept."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from bench import machine
from pcbatch.ir.block_counts import aligned

RESULTS = pathlib.Path(__file__).parent / "results"


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Set rows that have the same keys in columns, numbers to the right, without nested values."""
    names = [name for name, value in rows[0].items() if not isinstance(value, dict)]
    cells = [names] + [[_text(row[name]) for name in names] for row in rows]
    left = [i for i, name in enumerate(names) if isinstance(rows[0][name], str)]
    return aligned(cells, left)


def save(name: str, options: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> pathlib.Path:
    """Write rows, with the machine and the options, to `bench/results/NAME.json`."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    content = {"machine": machine.describe(), "options": dict(options), "rows": list(rows)}
    path.write_text(json.dumps(content, indent=2) + "\n")
    return path


def with_saved(
    name: str, rows: Sequence[Mapping[str, Any]], key: Sequence[str]
) -> list[dict[str, Any]]:
    """Add the rows of `bench/results/NAME.json` that are not among these.

    Args:
      name: of the benchmark.
      rows: new ones.
      key: the columns that say what a row is of.
    """
    path = RESULTS / f"{name}.json"
    saved = json.loads(path.read_text())["rows"] if path.exists() else []

    def name_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(row[column] for column in key)

    new = set(map(name_of, rows))
    return [*map(dict, rows), *(row for row in saved if name_of(row) not in new)]


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
