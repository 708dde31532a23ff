"""What importing costs, and what `python -m nuts` writes before it says anything itself."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys

import pytest

import nuts
import pcbatch
from nuts.startup_lines import is_about_the_machine

ROOT = pathlib.Path(__file__).parent.parent.parent

HEAVY = ("tensorflow_probability", "tf_keras", "matplotlib", "arviz", "sklearn", "jax")
RARE = (
    "pcbatch.frontend.diagnostics.",
    "pcbatch.infer.diagnostics.",
    "pcbatch.ir.interpreter",
    "pcbatch.passes.reverse",
    "pcbatch.tools.",
)
"""What few programs need, and takes long to define."""


def run(*arguments: str, path: pathlib.Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run Python apart, as from a shell in which nothing is set."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}
    environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(map(str, (path, ROOT))))
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.thorough
def test_what_is_rarely_needed_is_imported_when_it_is():
    program = (
        "import sys, tensorflow; before = {*sys.modules}; import pcbatch, nuts; nuts.sample; "
        "print(*({*sys.modules} - before))"
    )
    modules = run("-c", program).stdout.split()
    assert "nuts.run.sampling" in modules
    assert [name for name in modules if name in HEAVY or name.startswith(RARE)] == []


def test_importing_the_sampler_imports_nothing():
    modules = run("-c", "import sys, nuts; print(*sys.modules)").stdout.split()
    assert [name for name in modules if name.startswith(("nuts.", "pcbatch", "tensorflow"))] == []


@pytest.mark.thorough
def test_the_command_writes_no_lines_about_the_machine():
    done = run("-m", "nuts", "--list")
    assert done.stderr == ""
    assert "eight_schools" in done.stdout


WRITES = r"""
import os
lines = (
    "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
    "I0000 00:00:1795753005.1 4257 port.cc:153] oneDNN custom operations are on.",
    "E0000 00:00:1795753005.1 4257 port.cc:154] something is broken",
    "I am no line of TensorFlow",
    "F0000 00:00:1795753005.1 4257 cpu.cc:1] this processor has no AVX",
)
os.write(2, "\n".join(lines).encode())
"""
"""A module that writes what a TensorFlow writes that is about to abort."""

LEFT = [
    "E0000 00:00:1795753005.1 4257 port.cc:154] something is broken",
    "I am no line of TensorFlow",
    "F0000 00:00:1795753005.1 4257 cpu.cc:1] this processor has no AVX",
]


def test_nothing_else_is_lost_where_the_process_dies(tmp_path):
    (tmp_path / "tensorflow.py").write_text(WRITES + "os.abort()")
    done = run("-m", "nuts", path=tmp_path)
    assert done.returncode == -signal.SIGABRT
    assert done.stderr.splitlines() == LEFT


def test_an_error_of_the_import_is_seen(tmp_path):
    (tmp_path / "tensorflow.py").write_text(WRITES + "raise ImportError('no such library')")
    done = run("-m", "nuts", path=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("\n".join(LEFT))
    assert done.stderr.endswith("ImportError: no such library\n")


@pytest.mark.parametrize("line", [b"I", b"I0000", b"W0000 00:00:1 1 a.cc:1] x", b"Interrupted\n"])
def test_a_line_that_is_no_information_stays(line):
    assert not is_about_the_machine(line)


@pytest.mark.parametrize("package", [pcbatch, nuts])
def test_every_public_name_is_there(package):
    assert [name for name in package.__all__ if getattr(package, name, None) is None] == []
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(package, "nothing")
