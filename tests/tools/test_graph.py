"""The control-flow graph as a picture: its layout on random graphs, and what the SVG says."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from pcbatch.tools.inspection.graph_layout import GraphLayout, place
from tests.conformance.programs import BY_NAME

SVG = "{http://www.w3.org/2000/svg}"


def random_graph(seed: int) -> tuple[dict[str, tuple[float, float]], list[tuple[str, str]]]:
    """Nodes of random sizes, edges in any direction, loops and double edges among them."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 14))
    names = [f"n{i}" for i in range(count)]
    sizes = {name: (float(rng.uniform(20, 300)), float(rng.uniform(15, 150))) for name in names}
    edges = [(names[rng.integers(i)], names[i]) for i in range(1, count)]
    extra = rng.integers(0, count, (int(rng.integers(0, 2 * count)), 2))
    return sizes, edges + [(names[a], names[b]) for a, b in extra]


def inside(point: tuple[float, float], node: str, sizes, laid_out: GraphLayout) -> bool:
    """Whether a point is strictly inside a node."""
    (x, y), (w, h) = point, sizes[node]
    left, top = laid_out.left[node], laid_out.top[node]
    return left + 1e-6 < x < left + w - 1e-6 and top + 1e-6 < y < top + h - 1e-6


@pytest.mark.parametrize("seed", range(60))
def test_nodes_do_not_overlap_and_edges_go_around_them(seed: int) -> None:
    sizes, edges = random_graph(seed)
    laid_out = place(sizes, edges)
    for a, b in itertools.combinations(sizes, 2):
        apart = (
            laid_out.left[a] + sizes[a][0] <= laid_out.left[b] + 1e-6
            or laid_out.left[b] + sizes[b][0] <= laid_out.left[a] + 1e-6
            or laid_out.top[a] + sizes[a][1] <= laid_out.top[b] + 1e-6
            or laid_out.top[b] + sizes[b][1] <= laid_out.top[a] + 1e-6
        )
        assert apart, (a, b)
    for name, (w, h) in sizes.items():
        assert laid_out.left[name] >= 0 and laid_out.top[name] >= 0
        assert laid_out.left[name] + w <= laid_out.width
        assert laid_out.top[name] + h <= laid_out.height
    assert len(laid_out.paths) == len(edges)
    for (source, target), path in zip(edges, laid_out.paths, strict=True):
        for (x, y), node in ((path[0], source), (path[-1], target)):
            assert laid_out.left[node] <= x <= laid_out.left[node] + sizes[node][0] + 1e-6
            assert laid_out.top[node] <= y <= laid_out.top[node] + sizes[node][1] + 1e-6
        # Through a layer an edge runs straight down; what lies there must not be in its way.
        for (x, y), (x2, y2) in itertools.pairwise(path):
            if x == x2:
                middle = (x, (y + y2) / 2)
                assert not any(inside(middle, node, sizes, laid_out) for node in sizes)


def test_a_program_is_drawn_with_every_instruction() -> None:
    """Well-formed SVG with a box per block and, in its place, an edge per jump, branch and call."""
    program = BY_NAME["best_outcome"]
    lowered = program.function.lower(*program.args)
    picture = lowered.graph()
    root = ElementTree.fromstring(picture.svg)
    boxes = [g for g in root.iter(f"{SVG}g") if g.get("class") == "block"]
    assert [b.get("data-label") for b in boxes] == [b.label for b in lowered.stack_form.blocks]
    texts = [[t.text for t in box.iter(f"{SVG}text")] for box in boxes]
    for block, shown in zip(lowered.stack_form.blocks, texts, strict=True):
        assert len(shown) == 1 + 2 * (len(block.operations) + 1)  # the label; text and line of each
    assert any("await" in text for shown in texts for text in shown)
    kinds = [p.get("class") for p in root.iter(f"{SVG}path") if p.get("class")]
    assert kinds.count("call") == 2
    assert kinds.count("then") == kinds.count("orelse") > 0


def test_a_picture_can_be_saved_and_shown(tmp_path) -> None:
    program = BY_NAME["fib"]
    picture = program.function.lower(*program.args).graph()
    picture.save(tmp_path / "fib.svg")
    assert (tmp_path / "fib.svg").read_text() == picture.svg == picture._repr_svg_() == str(picture)
