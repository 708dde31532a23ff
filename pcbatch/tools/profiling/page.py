"""A profile as one page of HTML that needs nothing else."""

from __future__ import annotations

import html
import linecache
import os
import pathlib

import numpy as np

from pcbatch.tools.inspection.drawing import color
from pcbatch.tools.profiling.measurements import Measurements

CELL = 12
COLUMNS = 120
AROUND = 3
"""Lines of source shown before and after those that ran."""

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 13px sans-serif; margin: 1em }} h2 {{ font-size: 15px }}
.side {{ display: flex; gap: 1em; align-items: flex-start }}
.side > div {{ overflow: auto; max-height: 85vh; border: 1px solid #ccc }}
pre {{ margin: 0; padding: .5em; font: 12px monospace }} pre span {{ display: block }}
pre span.marked, g.marked rect {{ outline: 2px solid #06c; stroke: #06c; stroke-width: 3 }}
table {{ border-collapse: collapse }} td, th {{ padding: 1px 8px; text-align: right }}
td:first-child, th:first-child {{ text-align: left; font-family: monospace }}
</style></head><body>
<h1>{title}</h1><p>{summary}</p>
<div class="side"><div>{graph}</div><div>{source}</div></div>
<h2>Blocks</h2>{table}
<h2>Members moved on, by block (down) and step (across, {steps} steps)</h2>{heat}
<script>
const mark = lines => document.querySelectorAll("[data-line]").forEach(
  s => s.classList.toggle("marked", lines.includes(s.dataset.line)));
const blocks = [...document.querySelectorAll("g.block")];
const linesOf = g => (g.dataset.lines || "").split(" ");
blocks.forEach(g => {{ g.onmouseenter = () => mark(linesOf(g)); g.onmouseleave = () => mark([]) }});
document.querySelectorAll("[data-line]").forEach(s => {{
  const hit = on => blocks.forEach(
    g => g.classList.toggle("marked", on && linesOf(g).includes(s.dataset.line)));
  s.onmouseenter = () => hit(true); s.onmouseleave = () => hit(false) }});
</script></body></html>
"""


def write(profile: Measurements, path: str | None) -> str:
    """Make the page; save it where a path is given."""
    result = profile.result
    done = int(np.count_nonzero(np.asarray(result.status) == 0))
    steps = int(profile.timeline.steps[-1])
    lanes = sum(b.executions * b.batch_size for b in profile.blocks)
    moved = sum(b.active for b in profile.blocks)
    text = _PAGE.format(
        title="pcbatch profile",
        summary=f"{profile.batch_size:,} members, {done:,} returned; {steps:,} steps; "
        f"{moved / max(lanes, 1):.1%} of all lanes did useful work. Colours: share of the time by "
        "the cost model. Point at a block or a line to see what belongs to it.",
        graph=profile.graph().svg,
        source=_source(profile),
        table=_table(profile),
        heat=_heat_map(profile),
        steps=f"{steps:,}",
    )
    if path is not None:
        pathlib.Path(path).write_text(text)
    return text


def _source(profile: Measurements) -> str:
    """Each file's lines around those that ran, coloured."""
    share = {(x.file, x.line): x.share for x in profile.lines()}
    hottest = max(share.values(), default=0.0) or 1.0
    parts = []
    for file in dict.fromkeys(file for file, _ in share):
        numbers = [line for f, line in share if f == file]
        shown = sorted({k for n in numbers for k in range(n - AROUND, n + AROUND + 1) if k > 0})
        lines = [(n, linecache.getline(file, n)) for n in shown]
        rows = "".join(_line(n, text, share.get((file, n)), hottest) for n, text in lines if text)
        parts.append(f"<pre><b>{html.escape(os.path.basename(file))}</b>{rows}</pre>")
    return "".join(parts)


def _line(number: int, text: str, share: float | None, hottest: float) -> str:
    percent = "" if share is None else f"{100 * share:5.1f}%"
    back = "" if share is None else f' style="background:{color(share / hottest)}"'
    shown = html.escape(f"{percent:>6} {number:>5}  {text.rstrip()}")
    return f'<span data-line="{number}"{back}>{shown}</span>'


def _table(profile: Measurements) -> str:
    rows = [
        f"<tr><td>{html.escape(b.label)}</td><td>{b.executions:,}</td><td>{b.active:,}</td>"
        f"<td>{b.utilization:.1%}</td><td>{b.share:.1%}</td></tr>"
        for b in profile.blocks
    ]
    head = "<tr><th>block</th><th>executions</th><th>active members</th><th>utilization</th>"
    return f"<table>{head}<th>time</th></tr>{''.join(rows)}</table>"


def _heat_map(profile: Measurements) -> str:
    """Blocks by at most so many columns of steps, as SVG."""
    time = profile.timeline
    columns = np.array_split(np.arange(len(time.steps)), min(COLUMNS, len(time.steps)))
    starts = np.concatenate([[0], time.steps])
    cells = []
    for x, part in enumerate(columns):
        steps = max(int(starts[part[-1] + 1] - starts[part[0]]), 1)
        moved = time.active[part].sum(0) / (steps * max(profile.batch_size, 1))
        cells += [
            f'<rect x="{x * CELL}" y="{y * CELL}" width="{CELL}" height="{CELL}" '
            f'fill="{color(value)}" style="stroke:none"><title>{html.escape(block.label)}, '
            f"steps {starts[part[0]]} to {starts[part[-1] + 1]}: {value:.1%}</title></rect>"
            for y, (block, value) in enumerate(zip(profile.blocks, moved, strict=True))
            if value
        ]
    names = [
        f'<text x="{len(columns) * CELL + 6}" y="{y * CELL + 10}" font-size="10">'
        f"{html.escape(b.label)}</text>"
        for y, b in enumerate(profile.blocks)
    ]
    width, height = len(columns) * CELL + 360, len(profile.blocks) * CELL
    body = "".join((*cells, *names))
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">{body}</svg>'
