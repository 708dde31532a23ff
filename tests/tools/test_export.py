"""Exported programs: run by JAX in a process that has neither pcbatch nor TensorFlow."""

from __future__ import annotations

import importlib.util
import json
import pickle
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.support.extent import LARGE

needs_jax = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None,
    reason="JAX, which runs exported programs, is not installed (extra 'export')",
)

WEIGHTS = tf.constant(np.linspace(-1.0, 1.0, 200).reshape(2, 100), tf.float32)
OFFSET = tf.Variable(0.25)

RUN_ALONE = """
import sys, pickle
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("tensorflow", "pcbatch"):
            raise ImportError(name + " is blocked here")
sys.meta_path.insert(0, Blocked())
archive, arguments, results = sys.argv[1:]
sys.path.insert(0, archive)
import pcbatch_program
program = pcbatch_program.load(archive, "cpu", {"xla_cpu_experimental_ynn_fusion_type": ""})
with open(arguments, "rb") as f:
    args = pickle.load(f)
with open(results, "wb") as f:
    pickle.dump(program(*args), f)
"""


def run_alone(archive: Path, *args: Any) -> dict[str, Any]:
    """Run an archive in a process that cannot import pcbatch or TensorFlow."""
    folder = archive.parent
    (folder / "arguments").write_bytes(pickle.dumps(args))
    files = [archive, folder / "arguments", folder / "results"]
    subprocess.run([sys.executable, "-c", textwrap.dedent(RUN_ALONE), *files], check=True)
    return pickle.loads((folder / "results").read_bytes())


class Point(NamedTuple):
    n: Any
    x: Any


@pcbatch.autobatch(in_axes=(0, None))
def descend(point, matrix):
    """Recursion, a shared argument, a captured tensor and variable, an assertion, a structure."""
    if point.n <= 1:
        return {"y": point.x, "sum": (point.n, None), "w": OFFSET + tf.reduce_sum(WEIGHTS[1])}
    assert point.n <= 7, "too many"
    left = descend(Point(point.n - 1, tf.sin(tf.linalg.matvec(matrix, point.x)) + point.x), matrix)
    right = descend(Point(point.n - 2, point.x * 0.3), matrix)
    total = left["sum"][0] + right["sum"][0]
    return {"y": left["y"] + 0.5 * right["y"], "sum": (total, None), "w": left["w"]}


def arguments() -> tuple[Point, tf.Tensor]:
    x = tf.reshape(tf.linspace(0.0, 1.0, 27), [9, 3])
    return Point(tf.range(9), x), tf.reshape(tf.range(9.0), [3, 3])


@pytest.mark.thorough
@needs_jax
def test_an_exported_program_gives_the_same_values_without_pcbatch_and_tensorflow(tmp_path) -> None:
    """Everything at once: two of nine members stop, one of them for want of stack.

    JAX's compiler gives matrix products to a library that rounds them differently, which the
    recursion would enlarge (to 1e-4); told not to, it makes the same bits.
    """
    args = arguments()
    depth = 5
    compiled = descend.lower(*args).compile(max_stack_depth=depth)
    compiled.export(tmp_path / "descend.zip")
    point, matrix = args
    given = {"n": point.n.numpy(), "x": point.x.numpy()}, matrix.numpy()
    found = run_alone(tmp_path / "descend.zip", *given)
    here = descend.run(*args, max_stack_depth=depth)
    status = here.status.numpy()
    assert set(status) == {0, pcbatch.Status.STACK_OVERFLOW, pcbatch.Status.FAILED}
    np.testing.assert_array_equal(found["status"], status)
    done = status == 0
    for key in ("y", "w"):
        ours = here.value[key].numpy()[done]
        assert found["value"][key].dtype == ours.dtype
        np.testing.assert_array_equal(found["value"][key][done], ours)
    np.testing.assert_array_equal(found["value"]["sum"][0][done], here.value["sum"][0][done])
    assert found["value"]["sum"][1] is None
    assert int(found["steps"]) == here.stats.steps
    assert found["active"].tolist() == [block.active for block in here.stats.blocks]


@needs_jax
def test_a_long_table_of_truth_values_is_read_as_it_was(tmp_path: Path) -> None:
    """Constants of the program's own, not captured: they are in its text."""
    table = np.random.default_rng(0).random((31, 7)) < 0.4

    @pcbatch.autobatch
    def how_many(row, stride):
        marks = 0
        while row < 31:
            if table[row, row % 7]:
                marks += 1
            row += stride
        return marks

    args = np.arange(31, dtype=np.int32), np.arange(31, dtype=np.int32) % 5 + 1
    how_many.lower(*args).compile().export(tmp_path / "marks.zip")
    np.testing.assert_array_equal(
        run_alone(tmp_path / "marks.zip", *args)["value"],
        [how_many.single(int(row), int(stride)) for row, stride in zip(*args, strict=True)],
    )


@needs_jax
def test_the_header_says_what_goes_in_and_what_comes_out(tmp_path) -> None:
    args = arguments()
    descend.lower(*args).compile(max_stack_depth=3).export(tmp_path / "descend.zip")
    with zipfile.ZipFile(tmp_path / "descend.zip") as archive:
        header = json.loads(archive.read("header.json"))
        artifact = archive.read("program.stablehlo")
    inputs = [(x["name"], x["dtype"], x["shape"], x["batched"]) for x in header["inputs"]]
    assert inputs == [
        ("point.n", "int32", [9], True),
        ("point.x", "float32", [9, 3], True),
        ("matrix", "float32", [3, 3], False),
    ]
    assert list(header["parameters"]) == ["point", "matrix"]
    assert [x["shape"] for x in header["constants"]] == [[2, 100], []]
    names = [x["name"] for x in header["outputs"]]
    assert names == ["value.y", "value.sum.0", "value.w", "status", "steps", "executions", "active"]
    assert header["stack depth"] == 3 and header["custom calls"] == []
    assert "too many" in header["status"][str(int(pcbatch.Status.FAILED))]
    assert (
        artifact.startswith(b"ML\xefR") and f"StableHLO_v{header['stablehlo']}".encode() in artifact
    )
    assert b"test_export" not in artifact, "the artifact names files of this machine"


@needs_jax
def test_products_are_exact_unless_speed_is_asked_for(tmp_path: Path) -> None:
    from jax.extend.mlir import deserialize_portable_artifact
    from jax.extend.mlir.dialects import stablehlo
    from jax.extend.mlir.ir import Context

    compiled = descend.lower(*arguments()).compile(max_stack_depth=3)
    for precision in ("highest", "default"):
        compiled.export(tmp_path / "p.zip", platform="gpu", precision=precision)
        with zipfile.ZipFile(tmp_path / "p.zip") as archive:
            header = json.loads(archive.read("header.json"))
            artifact = archive.read("program.stablehlo")
        with Context() as context:
            stablehlo.register_dialect(context)
            text = str(deserialize_portable_artifact(artifact))
        assert (header["platform"], header["precision"]) == ("gpu", precision)
        assert "stablehlo.dot" in text and ("HIGHEST" in text) == (precision == "highest")


@pytest.mark.parametrize(
    ("how", "said"), [({"platform": "tpu"}, "'gpu'"), ({"precision": "low"}, "'highest'")]
)
def test_what_it_cannot_be_arranged_for_is_refused(tmp_path: Path, how, said) -> None:
    compiled = descend.lower(*arguments()).compile(max_stack_depth=3)
    with pytest.raises(pcbatch.ArgumentError, match=said):
        compiled.export(tmp_path / "refused.zip", **how)
    assert not (tmp_path / "refused.zip").exists()


@needs_jax
def test_the_step_limit_is_part_of_the_program(tmp_path) -> None:
    @pcbatch.autobatch(max_steps=10)
    def count(n):
        total = n
        while n > 0:
            n = n - 1
            total = total + n
        return total

    n = tf.constant([2, 500])
    count.lower(n).compile().export(tmp_path / "count.zip")
    found = run_alone(tmp_path / "count.zip", n.numpy())
    assert found["status"].tolist() == [0, pcbatch.Status.STEP_LIMIT]
    assert found["value"][0] == 3


@needs_jax
def test_arguments_of_another_type_are_refused(tmp_path) -> None:
    from pcbatch.tools.export import pcbatch_program

    args = arguments()
    descend.lower(*args).compile(max_stack_depth=3).export(tmp_path / "descend.zip")
    program = pcbatch_program.load(tmp_path / "descend.zip", "cpu")
    point = {"n": args[0].n.numpy(), "x": args[0].x.numpy()}
    matrix = args[1].numpy()
    with pytest.raises(TypeError, match=r"`point.n` is int64\[9\].* int32\[9\]"):
        program({**point, "n": point["n"].astype(np.int64)}, matrix)
    with pytest.raises(TypeError, match="the parameters are"):
        program(point)
    with pytest.raises(TypeError, match="3 arguments"):
        program(point, matrix, matrix)


def test_without_jax_the_error_says_what_to_install(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "jax.extend", None)
    compiled = descend.lower(*arguments()).compile(max_stack_depth=3)
    with pytest.raises(pcbatch.PcbatchError, match=r"pip install pcbatch\[export\]"):
        compiled.export(tmp_path / "never.zip")
    assert not (tmp_path / "never.zip").exists()


@needs_jax
@pytest.mark.skipif(not LARGE, reason="compiles eight programs: set PCBATCH_STRESS=1")
def test_the_benchmark_for_other_machines_runs_and_checks(tmp_path) -> None:
    """Small sizes: the samplers present agree, each is timed, and an absent one is a named gap."""
    from bench import exported, gpu

    exported.main([str(tmp_path), "--chains", "16", "--points", "200", "--dim", "5"])
    saved = tmp_path / "gpu.json"
    gpu.main([str(tmp_path), "--chains", "16", "--draws", "20", "--save", str(saved)])
    rows = json.loads(saved.read_text())["rows"]
    assert [(r["target"], r["sampler"]) for r in rows] == [
        (target, sampler) for target in ("logistic", "normal") for sampler in gpu.SAMPLERS
    ]
    for row in rows:
        if "gap" not in row:
            assert row["gradients/s"] > 0 and row["standard errors"] < gpu.ERRORS


@needs_jax
@pytest.mark.skipif(not LARGE, reason="compiles NUTS twice: set PCBATCH_STRESS=1")
def test_exported_chains_of_nuts_draw_the_same_bits(tmp_path) -> None:
    """Floats, buffers, random numbers and nested structures: every draw of every chain."""
    from nuts.adaptation.ensemble import chain_keys
    from nuts.sampler.chain import run_pool
    from nuts.sampler.trajectory import evaluate
    from nuts.sampler.tuning import Settings, make_tuning, of_pool

    precision = tf.constant([1.0, 2.0, 0.5])
    settings = Settings(lambda q: -0.5 * tf.reduce_sum(precision * q * q))
    start = np.random.default_rng(0).standard_normal((6, 3)).astype(np.float32)
    point = tf.vectorized_map(lambda q: evaluate(settings.target, q), tf.constant(start))
    tuning = of_pool(make_tuning(np.float32(0.3), np.ones(3), 6, tf.float32), 0.3, 6)
    numbers = tf.constant(0), tf.constant(8), tf.constant(1)
    args = point, chain_keys(0, 6)[1], tuning, *numbers
    lowered = run_pool.lower(settings, 8, *args)
    lowered.compile(max_stack_depth=16).export(tmp_path / "chains.zip")
    found = run_alone(tmp_path / "chains.zip", *map(to_plain, args))
    _, record = run_pool.run(settings, 8, *args, max_stack_depth=16).check().value
    assert not found["status"].any()
    for name, leaf in record._asdict().items():
        assert found["value"][1][name].tobytes() == leaf.numpy().tobytes(), name


def to_plain(value: Any) -> Any:
    """NumPy arrays, and dicts for NamedTuples: what a process without pcbatch can read."""
    if hasattr(value, "_asdict"):
        return {name: to_plain(leaf) for name, leaf in value._asdict().items()}
    return np.asarray(value)


def test_what_xla_has_no_kernel_for_is_told(tmp_path: Path) -> None:
    @pcbatch.autobatch
    def reread(x):
        while x < 10.0:
            x = x + tf.strings.to_number(tf.strings.as_string(x))
        return x

    with pytest.warns(pcbatch.VectorizationWarning):
        compiled = reread.lower(tf.constant([1.0, 2.0])).compile()
    for write in (compiled.as_text, lambda: compiled.export(str(tmp_path / "program.zip"))):
        with pytest.raises(pcbatch.VectorizationError, match=r"XLA cannot compile .*While"):
            write()


@needs_jax
def test_what_is_none_for_some_members_has_two_parts(tmp_path: Path) -> None:
    """And goes in again with them."""

    @pcbatch.autobatch
    def divisor(n, found):
        if found is None:
            return n
        return next((k for k in range(2, n) if n % k == 0), None)

    n = np.array([4, 5, 9, 7], np.int32)
    given = {"has_value": np.array([True, True, True, False]), "value": n}
    divisor.lower(n, pcbatch.Optional(**given)).compile().export(tmp_path / "divisor.zip")
    value = run_alone(tmp_path / "divisor.zip", n, given)["value"]
    assert value["has_value"].tolist() == [True, False, True, True]
    assert value["value"].tolist() == [2, 0, 3, 7]
