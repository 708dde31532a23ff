"""`python -m tests.installed FILE...`: install a wheel or an sdist, and run the README with it.

Each is installed alone into an empty folder; what it needs comes from this environment.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

from tests.docs.pages import README, blocks


def check(distribution: pathlib.Path) -> None:
    """Install a distribution, and run the README's code and the command of the sampler."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder, "installed")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place]
        subprocess.run([*pip, distribution.resolve()], check=True)
        script = pathlib.Path(folder, "readme.py")
        code = "\n\n".join(block.code for block in blocks(README))
        script.write_text(f"{code}\n\nprint(pcbatch.__file__)\n")
        lines = printed([script], place).splitlines()
        expected = [line for block in blocks(README) for line in block.output.splitlines()]
        assert lines[:-1] == expected, lines
        assert lines[-1].startswith(str(place)), lines[-1]
        assert "breast_cancer" in printed(["-m", "nuts", "--list"], place)
    print(f"{distribution.name}: the README runs")


def printed(arguments: list[str | pathlib.Path], place: pathlib.Path) -> str:
    """What a fresh Python prints that finds the packages in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(place)}
    command = [sys.executable, *arguments]
    run = subprocess.run(
        command, env=environment, cwd=place, stdout=subprocess.PIPE, text=True, check=True
    )
    return run.stdout


if __name__ == "__main__":
    for name in sys.argv[1:]:
        check(pathlib.Path(name))
