"""`python -m tests.installed FILE...`: install wheels and sdists, and run the README.

Each is installed alone into an empty folder; what it needs comes from this environment. The
README's code and the command of the sampler run with the first. The others must have the same
files, byte by byte, so that there is nothing more to run.
"""

from __future__ import annotations

import filecmp
import os
import pathlib
import subprocess
import sys
import tempfile

from tests.docs.pages import README, blocks

COMMAND = """
print(pcbatch.__file__)
import runpy, sys
sys.argv[1:] = ["--list"]
runpy.run_module("nuts", run_name="__main__", alter_sys=True)
"""
"""Runs behind the README: where the package is, and `python -m nuts --list`."""


def check(distributions: list[pathlib.Path]) -> None:
    """Install distributions, run the README with the first, and compare the others with it."""
    with tempfile.TemporaryDirectory() as folder:
        places = [pathlib.Path(folder, str(k)) for k in range(len(distributions))]
        for distribution, place in zip(distributions, places, strict=True):
            install(distribution, place)
        first, *others = places
        wanted = files(first)  # before Python writes what it has compiled
        for distribution, place in zip(distributions[1:], others, strict=True):
            assert files(place) == wanted, files(place) ^ wanted
            _, differ, unread = filecmp.cmpfiles(first, place, wanted, shallow=False)
            assert not differ + unread, differ + unread
            print(f"{distribution.name}: the files of {distributions[0].name}")
        run_readme(first)
        print(f"{distributions[0].name}: the README runs")


def install(distribution: pathlib.Path, place: pathlib.Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
    subprocess.run([*pip, "--target", place, distribution.resolve()], check=True)


def files(place: pathlib.Path) -> set[str]:
    """All that was installed, but for what pip notes about it."""
    found = {path.relative_to(place) for path in place.rglob("*") if path.is_file()}
    return {str(path) for path in found if not path.parts[0].endswith(".dist-info")}


def run_readme(place: pathlib.Path) -> None:
    """Run the README's code and the command of the sampler with what is in a folder."""
    script = place.with_name("readme.py")
    script.write_text("\n\n".join([*(block.code for block in blocks(README)), COMMAND]))
    lines = printed(script, place).splitlines()
    expected = [line for block in blocks(README) for line in block.output.splitlines()]
    shown, (file, *listed) = lines[: len(expected)], lines[len(expected) :]
    assert shown == expected, shown
    assert file.startswith(str(place)), file
    assert "breast_cancer" in "\n".join(listed), listed


def printed(script: pathlib.Path, place: pathlib.Path) -> str:
    """What a script prints in a fresh Python that finds the packages in a folder."""
    run = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "PYTHONPATH": str(place)},
        cwd=place,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return run.stdout


if __name__ == "__main__":
    check([pathlib.Path(name) for name in sys.argv[1:]])
