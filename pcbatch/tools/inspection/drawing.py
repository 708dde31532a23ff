"""The control-flow graph of a program as SVG."""

from __future__ import annotations

import html
import os
import pathlib
from collections.abc import Iterator, Mapping

from pcbatch import ir
from pcbatch.ir.printer import operation_text
from pcbatch.tools.inspection.graph_layout import GraphLayout, place

CHARACTER, LINE, MARGIN = 6.1, 13.0, 6.0
COLUMNS = 58
"""Longer instructions are cut."""

_STYLE = """
text { font: 10px monospace; fill: #222 } .label { font-weight: bold } .line { fill: #888 }
rect { stroke: #555; rx: 4px } path { fill: none; stroke: #555 }
.call { stroke-dasharray: 5 3; stroke: #06c } .then { stroke: #080 } .orelse { stroke: #b00 }
"""


class Picture:
    """An SVG picture; a notebook shows it as such.

    Attributes:
      svg: its text.
    """

    def __init__(self, svg: str):
        self.svg = svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file."""
        pathlib.Path(path).write_text(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg


def draw(program: ir.StackProgram, heat: Mapping[str, float] | None = None) -> Picture:
    """Draw the control-flow graph of a program in stack form.

    Args:
      program: what the machine runs. A dashed edge is a call; where a function returns to, no edge
        says: the block after a call has an edge from the block that makes it.
      heat: per label a number from 0 to 1, which colours the block; None: no colours.
    """
    texts = {block.label: list(_lines(block)) for block in program.blocks}
    sizes = {label: _size(label, lines) for label, lines in texts.items()}
    edges = [edge for block in program.blocks for edge in _edges(block)]
    laid_out = place(sizes, [(a, b) for a, b, _ in edges])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{laid_out.width:.0f}" '
        f'height="{laid_out.height:.0f}" viewBox="0 0 {laid_out.width:.0f} {laid_out.height:.0f}">',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" style="fill:#555;stroke:none"/>'
        "</marker></defs>",
    ]
    for (_, _, kind), path in zip(edges, laid_out.paths, strict=True):
        parts.append(f'<path class="{kind}" d="{_curve(path)}" marker-end="url(#arrow)"/>')
    for label, lines in texts.items():
        parts.append(_node(label, lines, sizes[label], laid_out, (heat or {}).get(label)))
    return Picture("\n".join([*parts, "</svg>"]))


def color(heat: float) -> str:
    """From white (0) to red (1)."""
    cool = int(255 * (1 - 0.75 * min(max(heat, 0.0), 1.0)))
    return f"rgb(255,{cool},{cool})"


def _lines(block: ir.Block) -> Iterator[tuple[str, str]]:
    """The instructions of a block, each with its source line."""
    for op in (*block.operations, block.terminator):
        text = operation_text(op)
        text = text if len(text) <= COLUMNS else text[: COLUMNS - 1] + "…"
        yield text, str(op.span.line or "")


def _size(label: str, lines: list[tuple[str, str]]) -> tuple[float, float]:
    columns = max(len(label), *(len(text) + 2 + len(number) for text, number in lines))
    return columns * CHARACTER + 2 * MARGIN, (len(lines) + 1) * LINE + 2 * MARGIN


def _edges(block: ir.Block) -> Iterator[tuple[str, str, str]]:
    match block.terminator:
        case ir.Jump(target=target) | ir.Await(target=target):
            yield block.label, target, "jump"
        case ir.Branch(then=then, orelse=orelse):
            yield block.label, then, "then"
            yield block.label, orelse, "orelse"
        case ir.PushJump(return_to=return_to, target=target):
            yield block.label, target, "call"
            yield block.label, return_to, "jump"


def _curve(points: tuple[tuple[float, float], ...]) -> str:
    (x, y), *rest = points
    parts = [f"M{x:.1f} {y:.1f}"]
    for x2, y2 in rest:
        middle = (y + y2) / 2
        parts.append(f"C{x:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}")
        x, y = x2, y2
    return " ".join(parts)


def _node(
    label: str,
    lines: list[tuple[str, str]],
    size: tuple[float, float],
    laid_out: GraphLayout,
    heat: float | None,
) -> str:
    x, y = laid_out.left[label], laid_out.top[label]
    width, height = size
    fill = "#f7f7f7" if heat is None else color(heat)
    numbers = " ".join(sorted({number for _, number in lines if number}, key=int))
    parts = [
        f'<g class="block" data-label="{html.escape(label)}" data-lines="{numbers}">',
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>',
        _text(x + MARGIN, y + MARGIN + LINE * 0.8, label, "label"),
    ]
    for i, (text, number) in enumerate(lines, 2):
        baseline = y + MARGIN + LINE * (i - 0.2)
        parts.append(_text(x + MARGIN, baseline, text, "code"))
        right = x + width - MARGIN - len(number) * CHARACTER
        parts.append(_text(right, baseline, number, "line"))
    return "".join([*parts, "</g>"])


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{html.escape(text)}</text>'
