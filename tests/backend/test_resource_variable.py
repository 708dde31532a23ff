"""Variables that kernels change: in place, unless somebody keeps the value."""

from __future__ import annotations

import pathlib

import pytest
import tensorflow as tf

from pcbatch.backend.resource_variable import Variable
from pcbatch.vm import uninitialized
from pcbatch.vm.traced_function import TracedFunction


def add_to_first(variable: Variable, number: tf.Tensor) -> tf.Tensor:
    old = variable.read()
    variable.assign(tf.tensor_scatter_nd_add(old, [[0]], number[None]))
    return old[0]


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint32", "int64", "complex64"])
def test_a_kernel_changes_it_and_not_the_values_of_others(dtype: str, jit: bool) -> None:
    given = tf.ones([4], dtype)
    variable = Variable.of(given)
    kernel = TracedFunction(add_to_first, jit)
    assert kernel(variable, tf.constant(2, dtype)) == 1
    kept = variable.read()
    assert kernel(variable, tf.constant(3, dtype)) == 3
    assert given.numpy().tolist() == [1, 1, 1, 1]
    assert kept.numpy().tolist() == [3, 1, 1, 1]
    assert variable.read().numpy().tolist() == [6, 1, 1, 1]


def test_variables_of_several_shapes_share_a_kernel() -> None:
    kernel = TracedFunction(add_to_first, jit=True)
    for size in (3, 5, 3):
        variable = Variable.of(tf.zeros([size]))
        kernel(variable, tf.constant(1.0))
        assert variable.read().numpy().tolist() == [1.0] + [0.0] * (size - 1)


def test_its_memory_goes_with_it() -> None:
    before = resident()
    for _ in range(30):
        Variable.of(tf.ones([25_000_000]))
    assert resident() - before < 1e9


def test_it_is_one_under_a_distribution_strategy() -> None:
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        variable = Variable.of(tf.zeros([2]))
        TracedFunction(add_to_first, jit=True)(variable, tf.constant(1.0))
        assert variable.read().numpy().tolist() == [1.0, 0.0]


@pytest.mark.parametrize("rows", [4, 7])
def test_a_longer_tensor_begins_with_the_same_rows(rows: int) -> None:
    area = tf.reshape(tf.range(8.0), [4, 2])
    longer = uninitialized.longer(area, rows)
    assert longer.shape == [rows, 2]
    assert longer[:4].numpy().tolist() == area.numpy().tolist()


def resident() -> int:
    """The memory of this process, in bytes."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096
