"""The strategy "loop": no batching, one member after the other, in plain Python."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import structure
from pcbatch.arguments import Arguments
from pcbatch.buffers import Buffer
from pcbatch.infer.domain import BufferRef, Leaf, Shared, Static, Tensor
from pcbatch.local_static import RECURSION_LIMIT
from pcbatch.result import Fault, Result, Status
from pcbatch.specialize import Specialization
from pcbatch.stats import Stats


def run_loop(
    function: Any, bound: tuple[Any, ...], specialization: Specialization, arguments: Arguments
) -> Result:
    """Run every member with the plain Python function and stack the results.

    A member that raises has the status of a user fault; the others are not affected.
    """
    rows, status, faults = [], [], {}
    for member in range(arguments.batch_size):
        leaves, fault = _one(function, bound, specialization, arguments, member)
        rows.append(leaves)
        if fault is None:
            status.append(int(Status.DONE))
            continue
        number = next((n for n, f in faults.items() if f.message == fault.message), None)
        if number is None:
            number = Status.FAILED + len(faults)
            faults[number] = fault
        status.append(int(number))
    value = _stack(specialization, rows, arguments.batch_size)
    return Result(value, tf.constant(status, tf.int32), Stats(arguments.batch_size, ()), faults)


def _one(
    function: Any,
    bound: tuple[Any, ...],
    specialization: Specialization,
    arguments: Arguments,
    member: int,
) -> tuple[list[Any] | None, Fault | None]:
    values = _member_arguments(arguments, member)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION_LIMIT))
    try:
        result = function.single(*values[len(bound) :])
    except Exception as error:  # a user's fault: it becomes this member's status
        message = f"{type(error).__name__}: {error}"
        return None, Fault(message, None, "run f.single(...) on this member to debug it")
    finally:
        sys.setrecursionlimit(before)
    return structure.flatten(result)[0], None


def _member_arguments(arguments: Arguments, member: int) -> list[Any]:
    leaves: dict[str, list[Any]] = {name: [] for name in arguments.trees}
    for leaf in arguments.leaves:
        value = leaf.value[member] if leaf.axis == 0 else leaf.value
        leaves[leaf.parameter].append(value)
    return [structure.unflatten(tree, leaves[name]) for name, tree in arguments.trees.items()]


def _stack(specialization: Specialization, rows: list[list[Any] | None], size: int) -> Any:
    result = specialization.inferred.result
    columns = []
    for i, leaf in enumerate(result.leaves):
        dtype, shape = _type(specialization, leaf)
        if dtype is None:
            columns.append(None)
            continue
        column = np.zeros([size, *shape], tf.as_dtype(dtype).as_numpy_dtype)
        for member, row in enumerate(rows):
            if row is not None:
                value = row[i].array if isinstance(row[i], Buffer) else row[i]
                column[member] = np.asarray(value)
        columns.append(tf.constant(column))
    return structure.unflatten(result.tree, columns)


def _type(specialization: Specialization, leaf: Leaf) -> tuple[str | None, tuple[int, ...]]:
    match leaf:
        case Tensor(type_) | Shared(_, type_):
            return type_.dtype, type_.shape
        case BufferRef(name):
            type_ = specialization.inferred.program.buffers[name]
            return type_.element.dtype, (type_.length, *type_.element.shape)
        case Static(None):
            return None, ()
        case Static(value):
            tensor = tf.convert_to_tensor(value)
            return tensor.dtype.name, tuple(tensor.shape)
