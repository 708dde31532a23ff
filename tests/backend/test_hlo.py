"""What XLA makes of the machine: no stack and no buffer is copied inside the loop."""

from __future__ import annotations

import pytest
import tensorflow as tf

import pcbatch
from tests.backend.hlo import computations, inside_loops, loop_depths
from tests.support import programs

BATCH, DEPTH, LENGTH, WIDTH = 23, 37, 11, 7
# Row counts that nothing else in the program has: the spill areas' and the buffer's.
SPILL, BUFFER = BATCH * DEPTH, BATCH * LENGTH
ROOMS = 3  # for the buffers of `rooms`


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
        return tf.linalg.matvec(tf.ones([WIDTH, 3000]), tf.tanh(v[0] * ANGLES))
    return costly_walk(v + 1.0, n - 1) + costly_walk(v, n - 2)


ANGLES = tf.linspace(0.0, 1.0, 3000)


@pcbatch.autobatch(max_stack_depth=DEPTH)
def wide_walk(v, n):
    """Saves wide values and narrow ones at one place, each to its own columns of a row."""
    if n <= 0:
        return tf.tile(v, [4]) * 2.0, n
    w, k = wide_walk(v + 1.0, n - 1)
    u, m = wide_walk(v * 0.5, n - 2)
    return w - u * tf.reduce_sum(v), k + m


@pcbatch.autobatch
def rooms(v, n):
    """A buffer is made, and cleared, in each round; another one is still in use."""
    old = pcbatch.buffer(LENGTH, like=v)
    while n > 0:
        new = pcbatch.buffer(LENGTH, like=v)
        new[n] = old[n - 1] + v
        old = new
        n -= 1
    return old[0]


PROGRAMS = {"rooms": rooms, "walk": walk, "costly_walk": costly_walk, "wide_walk": wide_walk}


def compiled_text(name: str, schedule: str, kernels: bool = False) -> str:
    specs = tf.TensorSpec([BATCH, WIDTH]), tf.TensorSpec([BATCH], tf.int32)
    compiled = PROGRAMS[name].lower(*specs).compile(schedule=schedule)
    return compiled.as_text("optimized_hlo", kernels)


WRITES_IN_PLACE = ("scatter", "dynamic-update-slice", "dynamic_update_slice")
MERELY_NAMES = (" parameter(", " get-tuple-element(", " bitcast(")


def large(line: str) -> bool:
    several = (f"[{ROOMS * BUFFER},", f"[{BATCH},{ROOMS * LENGTH},", f"[{BATCH * ROOMS},{LENGTH},")
    one = (f"[{SPILL},", f"[{BUFFER},", f"[{BATCH},{LENGTH},")
    return any(shape in line for shape in (*several, *one))


@pytest.mark.every(9)
@pytest.mark.parametrize(
    ("name", "schedule", "kernels"),
    [
        ("rooms", "sweep", False),
        ("rooms", "sweep", True),
        ("rooms", "switch", False),
        ("walk", "sweep", False),
        ("walk", "switch", False),
        ("costly_walk", "sweep", False),
        ("wide_walk", "sweep", False),
        ("wide_walk", "switch", False),
        ("wide_walk", "sweep", True),
    ],
)
def test_no_stack_or_buffer_is_copied_in_the_loop(name: str, schedule: str, kernels: bool) -> None:
    """Some columns of a stack are no array of their own either."""
    text = compiled_text(name, schedule, kernels)
    writes = [
        x for x in inside_loops(text) if any(word in x for word in WRITES_IN_PLACE) and large(x)
    ]
    assert writes, "the program must have stacks for the test to mean anything"
    lines = list(inside_loops(text, fused=False))
    rewritten = [
        line
        for line in lines
        if large(line.split("(")[0])
        and not any(word in line for word in (*WRITES_IN_PLACE, *MERELY_NAMES))
    ]
    assert not rewritten
    conditionals = [line for line in lines if " conditional(" in line and large(line)]
    assert not conditionals


MANY = 71


@pcbatch.autobatch
def joined(pairs):
    """What is read decides where members go; other blocks write before it is needed again."""
    parent = pcbatch.buffer(8, like=0)
    sets = 8
    for a, b in pairs:
        while parent[a] > a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] > b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[a] = b
            sets -= 1
    return sets


def test_what_is_read_before_a_store_is_not_read_again_from_a_copy() -> None:
    compiled = joined.lower(tf.TensorSpec([MANY, 5, 2], tf.int32)).compile(shards=1)
    assert [len(stage.outlined) for stage in compiled.machine.stages] == [3]
    lines = list(inside_loops(compiled.as_text("optimized_hlo", kernels=True), fused=False))
    whole = [line for line in lines if f"[{MANY * 8}]" in line.split("(")[0]]
    assert any("dynamic-update-slice" in line for line in whole)
    assert not [line for line in whole if " copy(" in line]


fib = pcbatch.autobatch(programs.fib.__wrapped__, max_stack_depth=DEPTH)


@pytest.mark.every(2)
@pytest.mark.parametrize(("program", "kernels"), [(fib, 1), (costly_walk, 3)])
def test_no_stack_is_copied_for_a_kernel(program: pcbatch.Autobatched, kernels: int) -> None:
    """Integers: all is one kernel. Else what moves data is, before and after a block's products."""
    number = tf.TensorSpec([MANY], tf.int32)
    specs = (number,) if program is fib else (tf.TensorSpec([MANY, WIDTH]), number)
    text = program.lower(*specs).compile().as_text("optimized_hlo", kernels=True)
    calls = [x for x in text.splitlines() if " call(" in x and 'xla_cpu_small_call="true"' in x]
    assert len(calls) >= kernels
    lines = [x for x in inside_loops(text, fused=False) if f"[{MANY * DEPTH}," in x.split("(")[0]]
    assert any("dynamic-update-slice" in x or "dynamic_update_slice" in x for x in lines)
    harmless = (*WRITES_IN_PLACE, *MERELY_NAMES, " while(", " call(", " tuple(")
    assert not [x for x in lines if not any(word in x for word in harmless)]


@pytest.mark.thorough
def test_a_dominant_block_is_computed_in_its_own_loop_only() -> None:
    """It reads registers that it does not write: what depends on them alone is constant there, and
    XLA would compute it in every turn, whether the block runs or not."""
    text = compiled_text("costly_walk", "sweep")
    depths = loop_depths(text)
    found = {
        name: depths[name]
        for name, lines in computations(text).items()
        if any(" tanh(" in line and f"= f32[{BATCH},3000]" in line for line in lines)
    }
    assert found and set(found.values()) == {2}, found


def test_an_accumulator_is_written_without_reading_it() -> None:
    """In a loop with a condition per member, whose gradient keeps a row per trip."""

    def decayed(x: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
        def body(i: tf.Tensor, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return i + 1, tf.sin(x)

        return tf.while_loop(
            lambda i, _: i < count, body, (tf.constant(0), x), maximum_iterations=LENGTH
        )[1]

    def slope(x: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = tf.reduce_sum(decayed(x, count))
        return tape.gradient(result, x)

    given = tf.ones([BATCH, WIDTH]), tf.range(BATCH) % LENGTH
    compiled = tf.function(pcbatch.vectorize(slope), autograph=False, jit_compile=True)
    text = compiled.experimental_get_compiler_ir(*given)(stage="optimized_hlo")
    lines = list(inside_loops(text))
    rows, row = f"= f32[{LENGTH},{BATCH},{WIDTH}]", f"= f32[1,{BATCH},{WIDTH}]"
    assert [x for x in lines if rows in x and " dynamic-update-slice(" in x]
    assert not [x for x in lines if row in x and " dynamic-slice(" in x]
    assert not [x for x in lines if rows in x and " scatter(" in x]
