"""Programs that an earlier process has compiled: right, and not compiled again."""

from __future__ import annotations

import gc
import pathlib
import signal
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch import cache
from pcbatch.cache import store
from pcbatch.vm import stored_loop
from pcbatch.vm.machine import Machine
from tests.conformance.programs import BY_NAME
from tests.conformance.runners import release, run, to_arrays
from tests.support.extent import sized

PROGRAMS = (
    "fib", "shared_table", "histogram", "newton", "early_return_nested", "functions_of_math",
)  # fmt: skip


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> pathlib.Path:
    """An empty directory for the cache."""
    monkeypatch.setenv("PCBATCH_CACHE", str(tmp_path))
    return tmp_path


def files(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(folder.glob(f"*{store.SUFFIX}"))


def no_tracing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have it fail to trace the loop of a machine."""

    def traced(*_: Any) -> Any:
        raise AssertionError("the loop is traced")

    monkeypatch.setattr(Machine, "_loop", traced)


def bits(value: Any) -> list[bytes]:
    return [leaf.tobytes() for leaf in tf.nest.flatten(to_arrays(value))]


@pytest.mark.every(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_second_process_traces_nothing_and_has_the_same_bits(monkeypatch, folder, name):
    program = BY_NAME[name]
    release(program.function)
    first = bits(run(program))
    assert len(files(folder)) == 1
    release(program.function)
    with monkeypatch.context() as second:
        no_tracing(second)
        assert bits(run(program)) == first
    release(program.function)
    monkeypatch.setenv("PCBATCH_CACHE", "")
    assert bits(run(program)) == first, "without the cache"


def test_a_second_process_runs_another_size_of_batch(monkeypatch, folder):
    """Ten members and twelve have one program, in one file."""
    fib()(tf.range(10))
    no_tracing(monkeypatch)
    assert fib()(tf.range(12)).numpy().tolist() == [*FIB, 21, 34, 55, 89]
    assert len(files(folder)) == 1


def fib() -> Any:
    """A small program, as a new process has it."""

    @pcbatch.autobatch
    def fib(n):
        if n < 2:
            return n
        return fib(n - 1) + fib(n - 2)

    return fib


N = tf.range(8)
FIB = [0, 1, 1, 2, 3, 5, 8, 13]


def ruined(content: bytes) -> dict[str, bytes]:
    """What a file of the cache may be."""
    foreign = store._packed(store.Entry(b"no StableHLO", {}))
    return {
        "damaged": content[:200] + bytes([content[200] ^ 1]) + content[201:],
        "cut short": content[: len(content) // 2],
        "empty": b"",
        "another version": content.replace(b"cache 1", b"cache 0", 1),
        "foreign": b"\x7fELF",
        "whole, and no program": foreign,
        "whole, and no executable": store._packed(
            store._unpacked(content)._replace(executables={"xla_compile_cache__1.pb": b"?"})
        ),
    }


@pytest.mark.thorough
def test_a_file_that_is_no_program_is_as_good_as_none(monkeypatch, folder):
    fib()(N)
    (file,) = files(folder)
    for how, content in ruined(file.read_bytes()).items():
        file.write_bytes(content)
        np.testing.assert_array_equal(fib()(N), FIB, how)
    cache.clear()
    np.testing.assert_array_equal(fib()(N), FIB)
    with monkeypatch.context() as second:
        no_tracing(second)
        np.testing.assert_array_equal(fib()(N), FIB)


def test_what_xla_does_not_take_is_removed(folder):
    fib()(N)
    (file,) = files(folder)
    file.write_bytes(store._packed(store.Entry(b"no StableHLO", {})))
    again = fib()
    np.testing.assert_array_equal(again(N), FIB)
    assert files(folder) == []
    np.testing.assert_array_equal(again(N), FIB)


def test_a_directory_that_cannot_be_written_costs_nothing(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no directory")
    monkeypatch.setenv("PCBATCH_CACHE", str(tmp_path / "file"))
    np.testing.assert_array_equal(fib()(N), FIB)


def test_a_program_keeps_no_arguments(folder):
    for _ in range(2):  # made, and from the disk
        function, n = fib(), tf.range(8)
        kept = weakref.ref(n)
        function(n)
        del n
        gc.collect()
        assert kept() is None


def scaled(factor: Any, table: Any) -> Any:
    def helper(x):
        return x * factor

    @pcbatch.autobatch
    def scaled(x):
        while x < 50.0:
            x = helper(x) + table[0]
        return x

    return scaled


X = tf.constant([1.0, 20.0])


def scaled_by_hand(factor: float, first: float) -> list[float]:
    result = []
    for x in X.numpy().tolist():
        while x < 50.0:
            x = x * factor + first
        result.append(x)
    return result


def test_what_the_code_reads_is_in_the_key(folder):
    """Constants of helpers are. Tensors are arguments: other values are the same program."""
    cases = [(2.0, 1.0), (3.0, 1.0), (2.0, 4.0)]
    for factor, first in cases:
        value = scaled(factor, tf.constant([first, 0.0]))(X)
        np.testing.assert_array_equal(value, scaled_by_hand(factor, first))
    assert len(files(folder)) == 2


OPTIONS = [{}, {"schedule": "switch"}, {"max_stack_depth": 9}, {"optimize": False}]


@pytest.mark.thorough
def test_how_a_program_is_compiled_is_in_the_key(folder):
    for options in OPTIONS:
        np.testing.assert_array_equal(fib().lower(N).compile(**options)(N), FIB)
    np.testing.assert_array_equal(fib()(N[:5]), FIB[:5])
    assert len(files(folder)) == len(OPTIONS) + 1


def test_what_surrounds_a_program_is_in_the_key(monkeypatch, folder):
    fib()(N)
    monkeypatch.setattr(stored_loop, "surroundings", lambda _: ("another version",))
    np.testing.assert_array_equal(fib()(N), FIB)
    assert len(files(folder)) == 2


def test_programs_that_hold_what_others_cannot_have_are_not_kept(folder):
    variable = tf.Variable(2.0)

    class Model:
        def __init__(self) -> None:
            self.layer = lambda x: x * variable

    model = Model()

    @pcbatch.autobatch
    def held(x):
        while x < 50.0:
            x = model.layer(x) + 1.0
        return x

    whole = pcbatch.batched(lambda x: x * 2.0)

    @pcbatch.autobatch
    def of_batch(x):
        while x < 50.0:
            x = whole(x) + 1.0
        return x

    for function in (held, of_batch):
        np.testing.assert_array_equal(function(X), scaled_by_hand(2.0, 1.0))
    assert files(folder) == []
    variable.assign(3.0)
    np.testing.assert_array_equal(held(X), scaled_by_hand(3.0, 1.0))


def test_programs_that_warn_are_not_kept(folder):
    def made() -> Any:
        @pcbatch.autobatch
        def looped(x):
            while x < 3.0:
                seed = tf.stack([tf.cast(x, tf.int32), 1])
                x = x + 1.0 + tf.random.stateless_uniform([], seed)
            return x

        return looped

    with pytest.warns(pcbatch.VectorizationWarning):
        made()(X)
    assert files(folder) == []


def test_what_xla_cannot_compile_is_refused_as_without_the_cache(folder):
    @pcbatch.autobatch
    def printed(x):
        while x < 3.0:
            x = x + tf.strings.to_number(tf.strings.as_string(x))
        return x

    with pytest.raises(pcbatch.VectorizationError, match="XLA cannot compile"):
        printed(X)
    assert files(folder) == []


def test_host_calls_and_stacks_that_grow_go_on_from_a_program_on_disk(folder):
    """The carry of one program is another's; what Python is called does not matter."""

    def make(add: int) -> Any:
        def host(k):
            return k + add

        @pcbatch.autobatch
        def depth(n):
            if n == 0:
                return pcbatch.host_call(host, n, result=tf.TensorSpec([], tf.int32))
            return depth(n - 1) + 1

        return depth

    for add in range(2):
        np.testing.assert_array_equal(make(add)(tf.constant([3, 300])), [3 + add, 300 + add])
    assert len(files(folder)) == 2, "the stacks have grown once, from 256 rows"


SCRIPT = """
import tests  # says which cache to use
import numpy as np
from pcbatch.cache import executables, store
from tests.cache import test_programs
taken, take = [], executables.take
def noted(name):
    taken.append(take(name))
    return taken[-1]
executables.take = noted
known = {name for path in store.directory().glob("*.program") for name in
         store.read(path.stem).executables}
print("ready", flush=True)
value = test_programs.fib()(test_programs.N)
np.testing.assert_array_equal(value, test_programs.FIB)
made = {*taken[0]} if taken else set()
print("done", bool(known), made == known, len(made), flush=True)
"""
"""Run a program; say whether its executable was on disk, whether XLA has made no other one, and how
many there are of the program that has run."""


def start(folder: pathlib.Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        env={"PCBATCH_CACHE_OF_TESTS": str(folder), "PATH": "", "TF_CPP_MIN_LOG_LEVEL": "3"},
        cwd=pathlib.Path(__file__).parent.parent.parent,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.thorough
def test_processes_at_once_of_which_one_is_killed(folder):
    processes = [start(folder) for _ in range(sized(2, 4))]
    assert processes[0].stdout.readline() == "ready\n"
    processes[0].send_signal(signal.SIGKILL)
    processes[0].communicate()
    ends = [process.communicate(timeout=500)[0] for process in processes[1:]]
    assert all(process.returncode == 0 for process in processes[1:])
    assert all(" 1\n" in end for end in ends), ends
    (file,) = files(folder)
    assert store.read(file.stem).executables
    assert end_of(folder) == "done True True 1"
    entry = store.read(file.stem)
    ruined = {name: content[:-9] for name, content in entry.executables.items()}
    store.write(file.stem, entry._replace(executables=ruined))
    assert end_of(folder) == "done True False 0", "compiled anew"
    assert files(folder) == []


def end_of(folder: pathlib.Path) -> str:
    return start(folder).communicate(timeout=500)[0].splitlines()[-1]
