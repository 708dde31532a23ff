"""The programs of the gallery give for each member what plain Python gives, and draw."""

from __future__ import annotations

import ast
import json

import numpy as np
import pytest
import tensorflow as tf

from bench import report
from bench.gallery import GALLERY, check_equal, member, plain_function
from tests.docs.pages import DOCS, ROOT
from tests.examples.loading import load

MEMBERS = 4
COMPILED = ("kd_tree", "newton_fractal")
"""Programs that run as one XLA loop here; the others with masks, which needs no compilation."""


def batch_of(example, name: str) -> tuple:
    """A small batch, of members that have little to do."""
    batch = example.inputs(MEMBERS)
    match name:
        case "annealing":
            return batch[0][:2], batch[1][:2, :6], 12
        case "alpha_beta":  # positions with five or six moves made
            return tuple(part[3::5] for part in example.inputs(5 * MEMBERS))
        case "quicksort":
            return (batch[0][:, :8],)
        case "sudoku":  # one to three empty cells
            solved, _ = plain_function(name)(batch[0][0].tolist())
            return (np.array([[0] * k + solved[k:] for k in range(1, 4)], np.int32),)
        case "gillespie" | "waiting_line":
            return tuple(part[:2] for part in batch)
    return batch


@pytest.mark.every(2)
@pytest.mark.parametrize("name", GALLERY)
def test_each_member_is_plain_python(name: str, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, which draws the pictures, is not there")
    plain, shown, example = plain_function(name), GALLERY[name], load(name)
    if name == "waiting_line":
        monkeypatch.setitem(plain.__globals__, "CUSTOMERS", 4)
        monkeypatch.setattr(example, "CUSTOMERS", 4)
    function, batch = getattr(example, shown.function), batch_of(example, name)
    strategy = "pc" if name in COMPILED else "local"
    result = function.run(*batch, strategy=strategy, throw=True).value
    for k in range(min(len(batch[0]), 2 if shown.draws else MEMBERS)):
        expected = tf.nest.map_structure(lambda leaf, k=k: np.asarray(leaf[k]), result)
        check_equal(plain(*member(shown, batch, k)), expected)
    example.draw(batch, result, str(tmp_path / "picture.png"))
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_the_saved_times_and_pictures_are_of_these_programs() -> None:
    rows = json.loads((report.RESULTS / "gallery.json").read_text())["rows"]
    assert [row["program"] for row in rows] == list(GALLERY)
    assert sorted(p.stem for p in (DOCS / "gallery").glob("*.png")) == sorted(GALLERY)


@pytest.mark.parametrize("name", GALLERY)
def test_programs_are_short(name: str) -> None:
    """At most 60 lines that are not empty."""
    text = (ROOT / "examples" / f"{name}.py").read_text()
    assert ast.get_docstring(ast.parse(text)).endswith(
        f"`python examples/{name}.py [picture.png]`."
    )
    assert sum(bool(line.strip()) for line in text.splitlines()) <= 60
