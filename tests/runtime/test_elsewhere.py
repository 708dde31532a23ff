"""A run goes on in another process, where sets have another order, and programs are the same."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

import pcbatch
from pcbatch.runtime.control.fingerprint import digest
from tests.runtime import elsewhere

ROOT = pathlib.Path(__file__).parents[2]


def call(folder: pathlib.Path, part: str, hash_seed: int) -> Any:
    command = [sys.executable, "-m", "tests.runtime.elsewhere", str(folder), part]
    path = os.pathsep.join([str(ROOT), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.thorough
def test_a_run_goes_on_in_another_process(tmp_path: pathlib.Path) -> None:
    begun = call(tmp_path, "begin", 1)
    ended = call(tmp_path, "end", 2)
    for name in elsewhere.RUNS:
        whole = json.loads(json.dumps(elsewhere.run(name)))
        assert begun[name] != whole, f"{name} has ended before it could be gone on with"
        assert ended[name] == whole, name


@pytest.mark.thorough
def test_lowering_gives_the_same_program_in_every_process(tmp_path: pathlib.Path) -> None:
    ours = elsewhere.texts()
    for hash_seed in (1, 2):
        assert call(tmp_path, "text", hash_seed) == ours


OTHERS = {
    "a member of an enum": (elsewhere.Mode.FAST, elsewhere.Mode.SLOW),
    "a set": (frozenset("ab"), frozenset("ac")),
    "a field": (elsewhere.FEW, dataclasses.replace(elsewhere.FEW, step=3.0)),
    "a set in a field": (
        elsewhere.FEW,
        dataclasses.replace(elsewhere.FEW, words=frozenset("p")),
    ),
}


@pytest.mark.parametrize(("one", "another"), OTHERS.values(), ids=OTHERS)
def test_another_static_argument_is_another_run(
    tmp_path: pathlib.Path, one: Any, another: Any
) -> None:
    @pcbatch.autobatch(jit=False, static_argnames=("static",))
    def counts(n, static):
        while n < 9:
            n = n + len(str(type(static)))
        return n

    assert digest([one]) != digest([another])
    n = elsewhere.RUNS["fib"][1][0]
    path = tmp_path / "run"
    counts.run(n, one, checkpoint=path, max_steps=1)
    counts.run(n, one, resume=path)
    with pytest.raises(pcbatch.CheckpointError, match=r"another run.*constants: "):
        counts.run(n, another, resume=path)
