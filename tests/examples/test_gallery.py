"""The programs of the gallery give for each member what plain Python gives, and draw."""

from __future__ import annotations

import ast
import functools
import json

import numpy as np
import pytest
import tensorflow as tf

from bench import report
from bench.gallery import GALLERY, check_equal, member, plain_function
from bench.gallery_peers import PEERS
from tests.docs.pages import DOCS, ROOT
from tests.examples.loading import load

MEMBERS = 4
COMPILED = ("kd_tree", "newton_fractal")
"""Programs that run as one XLA loop here; the others with masks, which needs no compilation."""

OF_ONE_MEMBER = [name for name, shown in GALLERY.items() if not shown.whole]


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
        case "felsenstein":
            return batch[0], batch[1][:, :5]
        case "gillespie" | "waiting_line":
            return tuple(part[:2] for part in batch)
    return batch


@pytest.mark.every(16)
@pytest.mark.parametrize("name", OF_ONE_MEMBER)
def test_each_member_is_plain_python(name: str, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, which draws the pictures, is not there")
    plain, shown, example = plain_function(name), GALLERY[name], load(name)
    if name == "tree_network":
        monkeypatch.setattr(example, "trained", functools.partial(example.trained, steps=1))
    if name == "waiting_line":
        monkeypatch.setitem(plain.__globals__, "CUSTOMERS", 4)
        monkeypatch.setattr(example, "CUSTOMERS", 4)
    function, batch = getattr(example, shown.function), batch_of(example, name)
    strategy = "pc" if name in COMPILED else "local"
    result = function.run(*batch, strategy=strategy, throw=True).value
    members = len(tf.nest.flatten(batch[0])[0])
    for k in range(min(members, 2 if shown.calls_tensorflow else MEMBERS)):
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


@pytest.mark.thorough
def test_the_posteriors_are_those_of_numpyro(tmp_path) -> None:
    pytest.importorskip("numpyro", reason="NumPyro, the peer, is not there")
    pytest.importorskip("matplotlib", reason="matplotlib, which draws the pictures, is not there")
    example = load("posteriors")
    batch = example.inputs(40)
    result = example.draws(*batch)
    PEERS["posteriors"].check(PEERS["posteriors"].prepare(batch)(), result)
    example.draw(batch, result, str(tmp_path / "picture.png"))
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_each_program_has_a_peer() -> None:
    assert list(PEERS) == list(GALLERY)


QUICK = ("quicksort", "kd_tree", "quadrature", "newton_fractal", "tree_network")
"""Programs whose peers need no compilation and little time."""


@pytest.mark.parametrize("name", QUICK)
def test_peers_do_the_same(name: str) -> None:
    pytest.importorskip("scipy", reason="SciPy, the peer, is not there")
    example, shown, peer = load(name), GALLERY[name], PEERS[name]
    batch = batch_of(example, name)
    plain = plain_function(name)
    members = range(len(tf.nest.flatten(batch[0])[0]))
    found = [plain(*member(shown, batch, k)) for k in members]
    ours = [one[peer.result] if isinstance(one, tuple) else one for one in found]
    peer.check(peer.prepare(batch)(), np.array(ours))
