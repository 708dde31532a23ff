"""What XLA makes of the machine: no stack and no buffer is copied inside the loop."""

from __future__ import annotations

import pytest
import tensorflow as tf

import pcbatch
from tests.hlo import inside_loops

BATCH, DEPTH, LENGTH, WIDTH = 23, 37, 11, 7
# Row counts that nothing else in the program has: the spill areas' and the buffer's.
SPILL, BUFFER = BATCH * DEPTH, BATCH * LENGTH


@pcbatch.autobatch(max_stack_depth=DEPTH)
def walk(v, n):
    path = pcbatch.buffer(LENGTH, like=v)
    i = 0
    while i < n:
        v = grow(v, i)
        path[i] = v + path[i - 1]
        i += 1
    return path, v


@pcbatch.autobatch
def grow(v, k):
    if k <= 0:
        return v * 2.0
    w = grow(v + 1.0, k - 1)
    return w + grow(v - 1.0, k - 2)


@pcbatch.autobatch(max_stack_depth=DEPTH)
def costly_walk(v, n):
    """Like `grow`, with a block so expensive that it gets a loop of its own."""
    if n <= 0:
        return tf.linalg.matvec(tf.ones([WIDTH, 3000]), tf.tanh(tf.fill([3000], v[0])))
    return costly_walk(v + 1.0, n - 1) + costly_walk(v, n - 2)


PROGRAMS = {"walk": walk, "costly_walk": costly_walk}


def compiled_text(name: str, schedule: str) -> str:
    specs = tf.TensorSpec([BATCH, WIDTH]), tf.TensorSpec([BATCH], tf.int32)
    return PROGRAMS[name].lower(*specs).compile(schedule=schedule).as_text("optimized_hlo")


WRITES_IN_PLACE = ("scatter", "dynamic-update-slice", "dynamic_update_slice")
MERELY_NAMES = (" parameter(", " get-tuple-element(", " bitcast(")


def large(line: str) -> bool:
    return f"[{SPILL}," in line or f"[{BUFFER}," in line or f"[{BATCH},{LENGTH}," in line


@pytest.mark.parametrize(
    ("name", "schedule"), [("walk", "sweep"), ("walk", "switch"), ("costly_walk", "sweep")]
)
def test_no_stack_or_buffer_is_copied_in_the_loop(name: str, schedule: str) -> None:
    lines = list(inside_loops(compiled_text(name, schedule)))
    scatters = [line for line in lines if "scatter" in line and large(line)]
    assert scatters, "the program must have stacks for the test to mean anything"
    rewritten = [
        line
        for line in lines
        if large(line.split("(")[0])
        and not any(word in line for word in (*WRITES_IN_PLACE, *MERELY_NAMES))
    ]
    assert not rewritten
    conditionals = [line for line in lines if " conditional(" in line and large(line)]
    assert not conditionals
