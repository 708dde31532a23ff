"""The command line, in this process."""

from __future__ import annotations

import pathlib

import pytest

import nuts
from nuts.command_line import main, make_parser
from nuts.models import MODELS, analytic


def test_list_names_every_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == list(MODELS)


def test_help_describes_every_option() -> None:
    parser = make_parser()
    assert all(action.help for action in parser._actions)


@pytest.mark.parametrize("arguments", [[], ["no_such_model"], ["banana", "--model", "funnel"]])
def test_wrong_model_points_to_the_list(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert "--list" in capsys.readouterr().err


def make_banana():
    """A model of one's own, as the command line wants it."""
    return analytic.banana_problem()


@pytest.mark.every(2)
@pytest.mark.parametrize("model", ["banana", f"{__name__}:make_banana"])
def test_a_run_prints_saves_and_draws(
    model: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    size = ["--chains", "4", "--draws", "6", "--warmup", "6", "--max-tree-depth", "3"]
    how = ["--strategy", "local", "--no-progress", "--seed", "3"]
    named = [model] if model == "banana" else ["--model", model]
    assert main([*named, *size, *how, "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    for word in ("R-hat", "divergences", "gradients a second", "warning: fewer than 400"):
        assert word in printed
    assert ("diff/se" in printed) == (model == "banana")
    for picture in ("trace", "rank", "energy", "pair"):
        assert (tmp_path / f"{picture}.png").stat().st_size > 5_000
    assert nuts.load(tmp_path / "fit.npz").draws["x"].shape == (4, 6)


def test_a_store_has_the_draws_and_is_shown_again(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, out = tmp_path / "store", ["--out", str(tmp_path / "pictures")]
    size = ["--chains", "4", "--draws", "6", "--warmup", "6", "--max-tree-depth", "3"]
    how = ["--strategy", "local", "--no-progress", "--store", str(store)]
    assert main(["banana", *size, *how, *out]) == 0
    made = capsys.readouterr().out
    assert f"draws, for nuts.load: {store}" in made
    assert nuts.load(store).draws["x"].shape == (4, 6)
    assert not (tmp_path / "pictures" / "fit.npz").exists()
    assert main(["banana", "--load", str(store), *out]) == 0
    again = capsys.readouterr().out
    table = made.partition("4 chains x 6 draws")[0]
    assert "diff/se" in table and again.startswith(table)
    assert main(["--load", str(store), *out]) == 0
    assert "diff/se" not in capsys.readouterr().out, "no model, no reference"


def test_what_cannot_be_loaded_is_said(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, message in (
        (["--load", str(tmp_path)], "name the folder that store=... named"),
        (["--load", str(tmp_path / "none.npz")], "No such file"),
        (["--load", "a", "--store", "b"], "--load samples nothing"),
    ):
        with pytest.raises(SystemExit):
            main(arguments)
        assert message in capsys.readouterr().err


@pytest.mark.thorough
def test_model_that_cannot_be_found(capsys: pytest.CaptureFixture[str]) -> None:
    for model in ("no_such_module:f", f"{__name__}:no_such_function"):
        with pytest.raises(SystemExit):
            main(["--model", model])
        assert "cannot find" in capsys.readouterr().err
