"""Batched calls inside other programs: graphs, input pipelines, replicas and saved models."""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.support import programs

ROOT = pathlib.Path(__file__).parents[2]


fib = pcbatch.autobatch(programs.fib.__wrapped__, max_stack_depth=16)
FIB = [fib.single(n) for n in range(13)]
TABLE = tf.constant(np.arange(1000.0) / 8, tf.float32)
"""Large enough that a graph captures it instead of copying it."""


def in_a_process(*arguments: str) -> list[list]:
    """Run `embedding_script.py`; the lists that it prints."""
    command = [sys.executable, "-m", "tests.tools.embedding_script", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert not done.returncode, done.stderr[-3000:]
    return [ast.literal_eval(line) for line in done.stdout.splitlines() if line.startswith("[")]


@pytest.mark.every(2)
@pytest.mark.parametrize("jit_compile", [False, True])
def test_inside_a_tf_function_beside_other_code(jit_compile: bool) -> None:
    """What comes before and after the call is part of the same graph; a second call reuses it."""

    @tf.function(jit_compile=jit_compile)
    def outer(n):
        found = fib(tf.sort(n)) * 2
        return tf.reverse(found, [0]), tf.reduce_sum(fib(n))

    for n in ([4, 1, 12, 0, 7], [3, 3, 2, 9, 11]):
        found, total = outer(tf.constant(n))
        assert found.numpy().tolist() == [2 * FIB[k] for k in sorted(n, reverse=True)]
        assert int(total) == sum(FIB[k] for k in n)


@pcbatch.autobatch
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def test_in_a_graph_the_capacity_is_an_argument_and_overflow_a_status() -> None:
    """No host can enlarge a stack there: without a capacity the call is refused with the remedy."""

    @tf.function(autograph=False)
    def limited(n):
        result = depth.run(n, max_stack_depth=6)
        return result.value, result.status

    value, status = limited(tf.constant([3, 20, 6]))
    assert status.numpy().tolist() == [0, pcbatch.Status.STACK_OVERFLOW, 0]
    assert value.numpy()[[0, 2]].tolist() == [3, 6]
    with pytest.raises(pcbatch.ArgumentError, match=r"cannot grow.*max_stack_depth="):
        tf.function(depth, autograph=False)(tf.constant([3]))


@pytest.mark.parametrize("parallel", [None, 2])
def test_inside_a_dataset_map(parallel: int | None) -> None:
    numbers = tf.data.Dataset.range(13).map(lambda n: tf.cast(n, tf.int32))
    batches = numbers.batch(4, drop_remainder=True)
    found = batches.map(fib, num_parallel_calls=parallel).prefetch(1).unbatch()
    assert [int(x) for x in found] == FIB[:12]


def test_a_dataset_of_unknown_batch_size_is_refused_with_a_remedy() -> None:
    numbers = tf.data.Dataset.range(13).map(lambda n: tf.cast(n, tf.int32))
    # AutoGraph passes the message on, but not the type of the exception.
    with pytest.raises(Exception, match="drop_remainder=True"):
        numbers.batch(4).map(fib)


@pytest.mark.thorough
def test_under_distribution_strategies() -> None:
    """Two replicas on two logical CPUs, one device; each eagerly and in a graph."""
    *mirrored, one, one_in_graph = in_a_process("distribute")
    assert mirrored == [[FIB[:4], FIB[4:8]]] * 2
    assert one == one_in_graph == FIB[:6]


class Model(tf.Module):
    """A batched program with a captured tensor and a variable."""

    def __init__(self):
        self.factor = tf.Variable(2.0)

        @pcbatch.autobatch(max_stack_depth=16)
        def program(n):
            if n <= 1:
                return self.factor * tf.cast(n, tf.float32)
            assert n < 12, "too large"
            return program(n - 1) + program(n - 2) + TABLE[n]

        self.program = program

    @tf.function(input_signature=[tf.TensorSpec([3], tf.int32)])
    def __call__(self, n):
        result = self.program.run(n)
        return {"value": result.value, "status": result.status}


@pytest.mark.thorough
def test_a_saved_model_runs_without_pcbatch(tmp_path) -> None:
    """Loaded where pcbatch cannot be imported: the same values, and its variable is a variable."""
    model = Model()
    tf.saved_model.save(model, str(tmp_path))
    here = model(tf.constant([0, 3, 12]))
    ((value, status, after),) = in_a_process("load", str(tmp_path))
    assert status == here["status"].numpy().tolist() == [0, 0, int(pcbatch.Status.FAILED)]
    assert value[:2] == here["value"].numpy().tolist()[:2] == [0.0, 4.0 + 0.375 + 0.25]
    assert after[:2] == [0.0, 20.0 + 0.375 + 0.25]
