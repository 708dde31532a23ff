"""Values without elements give what they give in Python, and end no process."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "ways", ["loop local eager eager-sweep", "sweep switch shards hybrid", "crowd"]
)
def test_values_without_elements(ways: str) -> None:
    command = [sys.executable, "-m", "tests.semantics.zero_sizes", *ways.split()]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert ended.returncode == 0, (ended.stdout + ended.stderr)[-3000:]
    assert ended.stdout.endswith("done\n")
