"""The public surface: decorating, calling, running with options, lowering, caching, threads."""

from __future__ import annotations

import concurrent.futures
import copy
import dataclasses
import inspect
import itertools
import linecache
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.runtime.options import NAMES, RunOptions
from tests.conformance.programs import BY_NAME
from tests.conformance.programs.record import floats, ints
from tests.conformance.runners import assert_identical, to_arrays
from tests.support.tolerances import assert_close

FIB = [1, 1, 2, 3, 5, 8, 13, 21]
N = np.arange(8, dtype=np.int32)


@pcbatch.autobatch
def fib(n):
    """The n-th Fibonacci number."""
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)


# --- The decorated function --------------------------------------------------------------------


def test_keeps_the_name_doc_and_signature() -> None:
    assert fib.__name__ == "fib"
    assert fib.__doc__ == "The n-th Fibonacci number."
    assert fib.__module__ == __name__
    assert list(inspect.signature(fib).parameters) == ["n"]


def test_single_is_plain_python() -> None:
    assert fib.single(6) == 13
    assert type(fib.single(6)) is int


def test_every_number_of_a_fault_is_the_status_failed() -> None:
    def several(n):
        assert n != 1, "one"
        assert n != 2, "two"
        if n == 3:
            raise ValueError("three")
        return n

    status = pcbatch.autobatch(several).run(N[:5], jit=False).status.numpy()
    assert len(set(status.tolist())) == 4
    names = [pcbatch.Status(int(s)).name for s in status]
    assert names == ["DONE", "FAILED", "FAILED", "FAILED", "DONE"]
    assert [pcbatch.Status(s) for s in status][1] is pcbatch.Status.FAILED
    for wrong in (-1, "DONE", None, 2.5):
        with pytest.raises(ValueError, match="not a valid Status"):
            pcbatch.Status(wrong)


def test_decorator_with_and_without_options() -> None:
    def double(n):
        return n + n if n > 2 else n

    bare = pcbatch.autobatch(double)
    called = pcbatch.autobatch()(double)
    configured = pcbatch.autobatch(double, jit=False, schedule="switch")
    for function in (bare, called, configured):
        assert function.run(N, jit=False).value.numpy().tolist() == [0, 1, 2, 6, 8, 10, 12, 14]


def test_call_takes_arrays_tensors_and_variables() -> None:
    for argument in (N, tf.constant(N), tf.Variable(N)):
        assert _countdown(argument).numpy().tolist() == [0] * 8


@pcbatch.autobatch(jit=False)
def _countdown(n):
    while n > 0:
        n -= 1
    return n


def test_call_returns_tensors_in_the_structure_of_the_result() -> None:
    result = BY_NAME["namedtuple_loop"].function.run(*BY_NAME["namedtuple_loop"].args, jit=False)
    assert type(result.value).__name__ == "State"
    assert all(tf.is_tensor(leaf) for leaf in result.value)


# --- Options -----------------------------------------------------------------------------------


def test_signatures_show_the_options() -> None:
    decorator, run, of_map = map(inspect.signature, (pcbatch.autobatch, fib.run, pcbatch.map))
    defaults = RunOptions()
    for name in NAMES:
        assert decorator.parameters[name].default == getattr(defaults, name)
        assert run.parameters[name].default is None
    assert {"schedule", "jit", "max_steps", "fixed"} < set(of_map.parameters)
    assert not {"optimize", "without"} & {*decorator.parameters, *run.parameters}


@pytest.mark.parametrize("option", ["optimise", "without"])
def test_unknown_options_are_refused(option: str) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{option}'"):
        pcbatch.autobatch(_countdown.__wrapped__, **{option: True})
    with pytest.raises(pcbatch.ArgumentError, match=f"unexpected keyword argument '{option}'"):
        fib.run(N, **{option: True})


@pytest.mark.parametrize("strategy", ["pc", "local", "hybrid", "loop"])
def test_strategies_agree(strategy: str) -> None:
    assert fib.run(N, strategy=strategy).value.numpy().tolist() == FIB


@pytest.mark.every(2)
@pytest.mark.parametrize("schedule", ["switch", "sweep", "auto"])
@pytest.mark.parametrize("jit", [False, True])
def test_schedules_agree(schedule: str, jit: bool) -> None:
    assert fib.run(N, schedule=schedule, jit=jit).value.numpy().tolist() == FIB


def test_options_of_the_decorator_are_defaults_of_run() -> None:
    @pcbatch.autobatch(max_steps=3, jit=False)
    def count(n):
        i = 0
        while i < n:
            i += 1
        return i

    limited = np.asarray(count.run(ints(100)).status)
    free = np.asarray(count.run(ints(100), max_steps=10_000).status)
    assert limited[0] != 0
    assert free[0] == 0


def test_plain_call_raises_where_run_can_report() -> None:
    @pcbatch.autobatch(jit=False)
    def positive(n):
        assert n > 0
        return n

    with pytest.raises(pcbatch.MemberError):
        positive(ints(1, 0))
    with pytest.raises(pcbatch.MemberError):
        positive.run(ints(1, 0), throw=True)
    status = np.asarray(positive.run(ints(1, 0)).status)
    assert (status == 0).tolist() == [True, False]


def test_deep_recursion_needs_no_option() -> None:
    """Stacks grow by themselves where no depth is given."""

    @pcbatch.autobatch
    def depth(n):
        return 0 if n == 0 else 1 + depth(n - 1)

    assert depth(ints(0, 1, 300, 7)).numpy().tolist() == [0, 1, 300, 7]


# --- Statistics --------------------------------------------------------------------------------


def test_stats_count_blocks_and_members() -> None:
    """The counts are those of the run: no machine can change them."""
    stats = fib.run(N, jit=False, schedule="switch").stats
    assert stats.steps == sum(block.executions for block in stats.blocks)
    for block in stats.blocks:
        assert block.batch_size == 8
        assert 0 <= block.active <= block.executions * block.batch_size
        if block.executions:
            assert block.utilization == block.active / (block.executions * block.batch_size)
    lines = inspect.getsourcelines(inspect.unwrap(fib))
    used = {block.line for block in stats.blocks if block.executions}
    assert used <= set(range(lines[1], lines[1] + len(lines[0])))


def test_stats_do_not_depend_on_the_compiler() -> None:
    """Executions may differ: the eager machine leaves out blocks where nobody stands."""
    eager = fib.run(N, jit=False, schedule="sweep").stats
    compiled = fib.run(N, jit=True, schedule="sweep").stats
    assert eager.steps == compiled.steps
    counts = [[(block.label, block.active) for block in s.blocks] for s in (eager, compiled)]
    assert counts[0] == counts[1]


def test_active_members_are_the_visits_of_each_member() -> None:
    """Blocks are visited as often as plain execution visits them, whatever the schedule."""
    totals = [
        sum(block.active for block in fib.run(N, jit=False, schedule=schedule).stats.blocks)
        for schedule in ("switch", "sweep")
    ]
    alone = sum(
        block.active
        for n in N
        for block in fib.run(N[n : n + 1], jit=False, schedule="switch").stats.blocks
    )
    assert totals == [alone, alone]


# --- Lowering ----------------------------------------------------------------------------------


def test_lowered_text_is_readable_and_stable() -> None:
    texts = {fib.lower(tf.TensorSpec([8], tf.int32)).as_text() for _ in range(2)}
    (text,) = texts
    assert "fib" in text
    assert "n <= 1" in text or "n - 1" in text


def test_lower_takes_arrays_too() -> None:
    assert fib.lower(N).as_text() == fib.lower(tf.TensorSpec([8], tf.int32)).as_text()


def test_lowered_text_does_not_depend_on_the_order_of_compilation() -> None:
    programs = [BY_NAME[name] for name in ("tree_sum", "even_odd", "dict_argument")]
    first = [program.function.lower(*program.args).as_text() for program in programs]
    second = [program.function.lower(*program.args).as_text() for program in reversed(programs)]
    assert first == second[::-1]


def test_compile_gives_a_reusable_executable() -> None:
    executable = fib.lower(tf.TensorSpec([8], tf.int32)).compile()
    assert to_arrays(executable(N)).tolist() == FIB
    assert to_arrays(executable(N[::-1].copy())).tolist() == FIB[::-1]


# --- Inside other programs ---------------------------------------------------------------------


@pytest.mark.parametrize("jit_compile", [False, True])
def test_inside_a_tf_function(jit_compile: bool) -> None:
    @tf.function(jit_compile=jit_compile)
    def outer(n):
        return fib.run(n, max_stack_depth=20).value * 10 + 1

    assert outer(tf.constant(N)).numpy().tolist() == [10 * f + 1 for f in FIB]


def test_inside_a_tf_function_stacks_need_a_depth() -> None:
    with pytest.raises(pcbatch.ArgumentError, match="max_stack_depth"):
        tf.function(fib, autograph=False)(tf.constant(N))


def test_inside_a_compiled_tf_function_a_failed_member_is_nan() -> None:
    @pcbatch.autobatch(max_stack_depth=3)
    def halvings(x):
        if x < 1.0:
            return x
        return 1.0 * halvings(x / 2.0)

    outer = tf.function(lambda x: halvings(x), jit_compile=True)
    found = outer(tf.constant([0.5, 2.0, 1e6])).numpy()
    np.testing.assert_array_equal(found, [0.5, 0.5, np.nan])


def test_static_arguments_specialize() -> None:
    @pcbatch.autobatch(static_argnames=("mode",), jit=False)
    def f(n, mode="up"):
        if mode == "up":
            while n < 5:
                n += 1
        else:
            while n > -5:
                n -= 1
        return n

    assert f(ints(0, 9)).numpy().tolist() == [5, 9]
    assert f(ints(0, 9), mode="down").numpy().tolist() == [-5, -5]
    assert f(ints(0, 9), mode="up").numpy().tolist() == [5, 9]


def test_captured_variables_are_read_at_call_time() -> None:
    offset = tf.Variable(1)

    @pcbatch.autobatch
    def shifted(n):
        return n + offset if n > 0 else n

    assert shifted(ints(0, 1, 2)).numpy().tolist() == [0, 2, 3]
    offset.assign(10)
    assert shifted(ints(0, 1, 2)).numpy().tolist() == [0, 11, 12]


LIMIT = 3


def test_global_constants_are_read_at_call_time(monkeypatch: pytest.MonkeyPatch) -> None:
    @pcbatch.autobatch(jit=False)
    def capped(n):
        return LIMIT if n > LIMIT else n

    assert capped(N).numpy().tolist() == [0, 1, 2, 3, 3, 3, 3, 3]
    monkeypatch.setattr(f"{__name__}.LIMIT", 5)
    assert capped(N).numpy().tolist() == [0, 1, 2, 3, 4, 5, 5, 5]


def test_methods_bind_self() -> None:
    class Stepper:
        def __init__(self, step):
            self.step = step

        @pcbatch.autobatch(jit=False)
        def climb(self, n, top):
            while n < top:
                n += self.step
            return n

    assert Stepper(2).climb(ints(0, 1, 9), ints(5, 5, 5)).numpy().tolist() == [6, 5, 9]
    assert Stepper(5).climb(ints(0, 1, 9), ints(5, 5, 5)).numpy().tolist() == [5, 6, 9]
    assert Stepper(2).climb.single(0, 5) == 6


def test_autobatched_lambda() -> None:
    clip = pcbatch.autobatch(lambda n: 0 if n < 0 else n, jit=False)
    assert clip(ints(-5, 0, 7)).numpy().tolist() == [0, 0, 7]


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass(frozen=True)
class Ball:
    """A dataclass that TensorFlow's nest understands by its two methods."""

    height: Any
    speed: Any

    def __tf_flatten__(self):
        return (), (self.height, self.speed)

    @classmethod
    def __tf_unflatten__(cls, metadata, leaves):
        return cls(*leaves)


def test_structures_as_arguments_and_results() -> None:
    @pcbatch.autobatch(jit=False)
    def drop(point, ball, extra):
        while ball.height > 0:
            ball = Ball(ball.height - ball.speed, ball.speed + 1)
            point = Point(point.x + extra["wind"], point.y)
        return {"point": point, "ball": ball}

    result = drop(
        Point(ints(0, 0, 0), ints(1, 2, 3)),
        Ball(ints(10, 0, 3), ints(1, 1, 1)),
        {"wind": ints(1, 2, 3)},
    )
    assert result["point"].x.numpy().tolist() == [4, 0, 6]
    assert result["ball"].height.numpy().tolist() == [0, 0, 0]
    assert result["ball"].speed.numpy().tolist() == [5, 1, 3]


def test_batched_callables_get_the_whole_batch() -> None:
    shapes = []

    @pcbatch.batched
    def row_sums(rows):
        shapes.append(tuple(rows.shape))
        return tf.reduce_sum(rows, axis=1)

    @pcbatch.autobatch(jit=False)
    def until_large(row):
        while row_sums(row) < 10:
            row = row * 2
        return row

    rows = np.array([[1, 1], [6, 6], [0.5, 2]], np.float32)
    assert until_large(rows).numpy().tolist() == [[8, 8], [6, 6], [2, 8]]
    assert all(len(shape) == 2 and shape[1] == 2 for shape in shapes)


# --- Caching and threads -----------------------------------------------------------------------


def test_second_call_traces_nothing() -> None:
    ticks = itertools.count()

    def traces() -> int:
        return next(copy.copy(ticks))

    def spy(n):
        next(ticks)
        return n - 1

    @pcbatch.autobatch
    def count_down(n):
        while n > 0:
            n = spy(n)
        return n

    count_down(ints(1, 2))
    after_first = traces()
    assert after_first > 0
    count_down(ints(5, 9))
    assert traces() == after_first
    count_down(ints(5, 9, 11))  # more members, of the same type
    assert traces() == after_first
    count_down(np.array([5.0, 9.0], np.float32))
    assert traces() > after_first


def test_threads_share_one_function() -> None:
    """Different signatures at once, each right."""
    batches = [np.arange(size, dtype=np.int32) % 8 for size in (1, 3, 5, 8, 3, 1)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda n: fib.run(n, jit=False).value.numpy(), batches))
    for n, result in zip(batches, results, strict=True):
        assert result.tolist() == [FIB[i] for i in n]


def test_float_widths_are_signatures_of_their_own() -> None:
    @pcbatch.autobatch(jit=False)
    def halve(x):
        while x > 1:
            x = x / 2
        return x

    assert halve(floats(3.0, 1.0)).dtype == tf.float32
    assert halve(np.array([3.0, 1.0])).dtype == tf.float64
    assert_identical(to_arrays(halve(floats(3.0))), floats(0.75))


# --- Gradients ---------------------------------------------------------------------------------


def test_a_tape_around_a_call_finds_its_gradient() -> None:
    @pcbatch.autobatch
    def grow(x):
        while x < 10:
            x = x * 3
        return x

    x = tf.constant([1.0, 5.0, 20.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = grow(x)
    assert_close(tape.gradient(y, x), [27.0, 3.0, 1.0])


def test_stateless_random_ops_take_a_seed_per_member() -> None:
    """They have no batched form, so they loop over the members, with a warning that says so."""

    @pcbatch.autobatch
    def noise(seed):
        return tf.random.stateless_normal([3], seed), tf.random.stateless_uniform([], seed)

    seeds = np.arange(8, dtype=np.int32).reshape(4, 2)
    with pytest.warns(pcbatch.VectorizationWarning, match="StatelessRandom"):
        local = noise.run(seeds, strategy="local").value
    for seed, normal, uniform in zip(seeds, *local, strict=True):
        np.testing.assert_array_equal(normal, tf.random.stateless_normal([3], seed))
        np.testing.assert_array_equal(uniform, tf.random.stateless_uniform([], seed))
    with pytest.warns(pcbatch.VectorizationWarning):
        compiled = noise(seeds)
    for a, b in zip(noise(seeds[::-1]), compiled, strict=True):
        np.testing.assert_array_equal(a, b[::-1])


def test_truth_values_are_integers_in_arithmetic() -> None:
    """As in Python; TensorFlow's own operators refuse them."""

    @pcbatch.autobatch
    def hits(x):
        return (x > 1) + (x > 2) * (x < 4) - (x == 0), 10 * (x > 1), (x > 1) / 2

    n = np.array([0, 2, 3, 5], np.int32)
    for strategy in ("local", "loop"):
        total, tens, half = hits.run(n, strategy=strategy).value
        np.testing.assert_array_equal(total, [-1, 1, 2, 1])
        np.testing.assert_array_equal(tens, [0, 10, 10, 10])
        np.testing.assert_array_equal(half, [0.0, 0.5, 0.5, 0.5])


CELL = """\
@pcbatch.autobatch
def walk(seed, n):
    place = tf.cast(n, tf.float32) * 2.0
    place += 1.0
    while n > 0:
        n -= 1
        place -= 0.5
        place += tf.random.stateless_gamma([], seed + n, 4.0)
    return place + tf.random.stateless_gamma([], seed, 2.0)
"""


def test_a_fallback_warns_once_at_the_line_of_the_operation() -> None:
    """Once for all strategies and segments; a cell's name in angle brackets is the user's, too."""
    lines = CELL.splitlines(keepends=True)
    linecache.cache["<cell 7>"] = (len(CELL), None, lines, "<cell 7>")
    cell = {"pcbatch": pcbatch, "tf": tf}
    exec(compile(CELL, "<cell 7>", "exec"), cell)
    args = (np.array([[1, 2], [3, 4]], np.int32), np.array([2, 1], np.int32))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("default", pcbatch.VectorizationWarning)
        for options in ({"strategy": "local"}, {"jit": False}, {"strategy": "local"}):
            cell["walk"].run(*args, **options)
    assert sorted((w.filename, w.lineno) for w in caught) == [("<cell 7>", 8), ("<cell 7>", 9)]
    assert all("Stateless" in str(w.message) for w in caught)


class Shift:
    def __init__(self, by):
        self.by = by

    @pcbatch.autobatch
    def apply(self, x):
        return x + self.by


SHIFT = Shift(1)


@pcbatch.autobatch
def shifted(x):
    return SHIFT.apply(x)


def test_attributes_of_a_called_methods_object_are_read_at_call_time(monkeypatch) -> None:
    assert shifted(tf.range(2)).numpy().tolist() == [1, 2]
    monkeypatch.setattr(SHIFT, "by", 10)
    assert shifted(tf.range(2)).numpy().tolist() == [10, 11]


class Scale(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.factor, self.shifts = tf.Variable(5.0), [tf.Variable(1.0), tf.Variable(2.0)]

    def plain(self, x):
        return x * self.factor + self.shifts[1]

    @pcbatch.autobatch
    def scaled(self, x):
        return self.plain(x)


SCALE = Scale()
CONSTANT = tf.constant(2.0)


@pcbatch.autobatch
def with_a_nested_function(x):
    def inner(y):
        return y * SCALE.shifts[0]

    return inner(x)


@pcbatch.autobatch
def with_integers(x):
    return SCALE.factor * tf.cast(x, tf.float32)


@pcbatch.autobatch
def with_a_tensor(x):
    return x * CONSTANT


@pytest.mark.every(12)
@pytest.mark.parametrize("around", ["tape", "persistent tape", "tf.function", "XLA", "inside"])
@pytest.mark.parametrize(
    "function, source",
    [
        (SCALE.scaled, SCALE.factor),
        (SCALE.scaled, SCALE.shifts[1]),
        (with_a_nested_function, SCALE.shifts[0]),
        (with_integers, SCALE.factor),
        (with_a_tensor, CONSTANT),
    ],
    ids=["self", "a list of self", "a nested function", "integers", "a tensor"],
)
def test_a_tape_finds_gradients_of_what_is_captured(function, source, around) -> None:
    call = lambda x: function(x)  # noqa: E731
    if around in ("tf.function", "XLA"):
        call = tf.function(call, jit_compile=around == "XLA")

    def gradient(x, run):
        with tf.GradientTape(persistent=around == "persistent tape") as tape:
            tape.watch(source)
            y = run(x)
        return tape.gradient(y, source)

    x = tf.range(3) if function is with_integers else tf.range(3.0)
    expected = gradient(x, lambda x: tf.stack([function.single(member) for member in x]))
    gradient = tf.function(gradient) if around == "inside" else gradient
    assert_close(gradient(x, call), expected)


def slope_of_a_square(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


@pytest.mark.parametrize("around", ["a tape", "a graph"])
def test_gradients_inside_a_first_call_are_taken_whatever_is_around(around) -> None:
    """A program that is traced while a tape records, or in a graph, has tapes of its own."""

    @pcbatch.autobatch
    def grown(x):
        while slope_of_a_square(x) < 5.0:
            x = x + 1.0
        return x

    def recorded(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            return grown(x)

    call = recorded if around == "a tape" else tf.function(grown)
    np.testing.assert_array_equal(call(tf.constant([0.5, 3.0])), [2.5, 3.0])


def test_a_tape_around_a_compiled_call_finds_its_gradient() -> None:
    compiled = SCALE.scaled.lower(tf.range(3.0)).compile()
    with tf.GradientTape() as tape:
        y = compiled(tf.range(3.0))
    assert_close(tape.gradient(y, SCALE.factor), 3.0)


def test_a_tape_may_watch_what_a_call_captures() -> None:
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.stop_gradient(SCALE.scaled(tf.range(3.0)))) * SCALE.factor
    assert_close(tape.gradient(y, SCALE.factor), 5.0 * 3 + 2.0 * 3)
