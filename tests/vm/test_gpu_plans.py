"""How programs are arranged for a GPU.

The results are checked on the CPU, which can run the same. `python -m tests.elsewhere` brings the
shared programs to a GPU.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.backend.target import XLA_GPU, Target
from pcbatch.backend.tuning import GPU
from pcbatch.runtime.options import RunOptions
from pcbatch.vm.context import Context
from pcbatch.vm.sweep.buckets import Bucket
from pcbatch.vm.sweep.masked import Masked
from pcbatch.vm.sweep.plan import Plan
from pcbatch.vm.sweep.registry import plan_for
from tests.conformance.programs import BY_NAME
from tests.conformance.runners import assert_matches, plain_members, to_arrays

IN_BUCKETS = dataclasses.replace(XLA_GPU, tuning=dataclasses.replace(GPU, masked_work=0.0))
"""As for a batch that is too large to run under masks as a whole."""


@pcbatch.autobatch
def powers(matrix, n):
    """A recursion with a product of matrices in it."""
    if n <= 0:
        return tf.eye(16)
    half = powers(matrix, n // 2)
    return half @ half @ matrix if n % 2 else half @ half


def planned(members: int, target: Target = XLA_GPU) -> Plan:
    lowered = powers.lower(tf.TensorSpec([members, 16, 16]), tf.TensorSpec([members], tf.int32))
    prepared = lowered._specialization.prepared(RunOptions())
    return plan_for(Context(prepared, members, target), "auto")


def test_a_small_batch_runs_under_masks_as_a_whole():
    assert isinstance(planned(100).alone, Masked)
    assert any(isinstance(stage, Bucket) for stage in planned(100_000).stages)


def test_a_bucket_has_work_for_the_whole_gpu():
    """Or the whole batch, where that is not enough."""
    for members in (100_000, 100_000_000):
        buckets = [s for s in planned(members).stages if isinstance(s, Bucket)]
        for bucket in buckets:
            work = bucket.lanes * bucket.code.cost
            assert bucket.lanes == members or work >= GPU.bucket_work
    assert any(bucket.lanes < 100_000_000 for bucket in buckets)


@pytest.mark.every(8)
@pytest.mark.parametrize("target", [XLA_GPU, IN_BUCKETS], ids=["masked", "buckets"])
@pytest.mark.parametrize("name", ["fib", "regression", "quicksort_in_a_list", "metropolis"])
def test_results_are_those_of_plain_python(name: str, target: Target):
    program = BY_NAME[name]
    lowered = program.function.lower(*program.args, **program.static)
    specialization, arguments = lowered._specialization, lowered._arguments
    options = RunOptions(max_stack_depth=program.options.get("max_stack_depth", 32))
    machine = specialization.machine(arguments.batch_size, options)
    inputs, shared = specialization.entry_inputs(arguments), specialization.shared(arguments)

    @tf.function(jit_compile=True, autograph=False)
    def run():
        named = dict(zip(machine.program.inputs, inputs, strict=True))
        end = machine.run_in_graph(named, shared, None, target)
        value = specialization.value(end.outputs, end.buffers, shared, arguments.batch_size)
        return value, tf.reduce_any(end.overflow) | tf.reduce_any(end.fault > 0)

    value, failed = run()
    assert not np.asarray(failed)
    assert_matches(to_arrays(value), plain_members(program), program.roundings)
