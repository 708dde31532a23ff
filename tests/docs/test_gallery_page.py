"""The gallery's pages have each program's code, and no figure that was not measured."""

from __future__ import annotations

import json
import re

from bench.gallery_peers import PEERS
from tests.docs.pages import ROOT
from tests.docs.site import hook


def test_pages_show_the_code_and_the_measured_times() -> None:
    gallery = hook("gallery")
    results = json.loads(gallery.RESULTS.read_text())
    index = gallery.index(results)
    for row in results["rows"]:
        page = gallery.page(row, results["machine"])
        assert (ROOT / "examples" / f"{row['program']}.py").read_text() in page
        assert f"A batch of {row['members']:,} members takes {gallery.seconds(row['s'])} of" in page
        assert gallery.line(row) in index
        assert row["date"] in page
    assert min(row["date"] for row in results["rows"]) in index


def test_each_program_has_a_peer() -> None:
    rows = json.loads(hook("gallery").RESULTS.read_text())["rows"]
    assert {row["program"]: row["peer"] for row in rows} == {
        name: peer.name for name, peer in PEERS.items()
    }


def test_each_figure_of_the_table_is_in_the_results() -> None:
    """Read back: a cell is the number of the file, to its three digits."""
    gallery = hook("gallery")
    results = json.loads(gallery.RESULTS.read_text())
    keys = ("members", "us a member", "us a member in plain Python", "times as fast")
    keys += ("peer's us a member", "over the peer")
    sizes = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "": 1.0}
    for row in results["rows"]:
        cells = gallery.line(row).strip("| ").split(" | ")[1:]
        peer, _, cells[-2] = cells[-2].rpartition(": ")
        assert peer == row["peer"]
        for key, cell in zip(keys, cells, strict=True):
            if row.get(key) is None:
                assert cell == "-"
                continue
            number, unit = re.fullmatch(r"([\d.,]+) ?(\w*)", cell).groups()
            value = float(number.replace(",", "")) * sizes[unit]
            measured = row[key] * (1e-6 if "us a member" in key else 1.0)
            assert abs(value / measured - 1.0) < 0.006, (row["program"], key)
