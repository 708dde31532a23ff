"""A batch on the workers of an executor gives what it gives in this process."""

from __future__ import annotations

import concurrent.futures
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.backend.tuning import NARROW
from pcbatch.cache import store
from pcbatch.errors import ArgumentError
from pcbatch.runtime.cluster import dispatch, packing, travel, worker
from pcbatch.runtime.cluster.run import MOST_PARTS
from pcbatch.vm.carry import State
from tests.conformance.programs import BY_NAME
from tests.runtime.executors import Counting, Here, cut_slices
from tests.support.programs import collatz_path, fib
from tests.support.results import assert_same, bits

NUMBERS, SCALE = tf.range(1, 31), tf.constant([2.0, 3.0])
DEPTHS = tf.constant([1, 14, 3, 7, 2, 5], tf.int32)


@pytest.mark.every(4)
@pytest.mark.parametrize("parts", [1, 4, 40])
def test_parts_change_no_result(parts: int) -> None:
    """Four parts of 30 members leave lanes over; more parts than members have one each."""
    result = collatz_path.run(NUMBERS, SCALE, executor=Here(), parts=parts)
    assert_same(result, collatz_path.run(NUMBERS, SCALE, shards=parts))
    assert pcbatch.Status.FAILED in result.status
    member = result.status.numpy().tolist().index(pcbatch.Status.FAILED)
    assert "assert steps < 100" in result.message(member)


@pytest.mark.every(4)
@pytest.mark.parametrize("name", ["shared_table", "histogram", "newton", "early_return_nested"])
def test_shared_programs_have_the_same_bits(name: str) -> None:
    program = BY_NAME[name]
    here = program.function.run(*program.args, **program.static)
    there = program.function.run(*program.args, **program.static, executor=Here(), parts=2)
    assert bits(there.value) == bits(here.value)
    assert there.status.numpy().tolist() == here.status.numpy().tolist()


@pytest.mark.thorough
def test_a_part_goes_on_from_its_carry(monkeypatch) -> None:
    """Each slice of a part is a task of its own, and stacks grow on the way."""
    cut_slices(monkeypatch, 1e-3)
    executor = Here()
    n = tf.constant([1, 20, 3, 7], tf.int32)  # deeper than the first stacks
    result = fib.run(n, executor=executor, parts=2)
    assert executor.calls > 4
    assert_same(result, fib.run(n, shards=2))


def test_large_carries_come_back_less_often(monkeypatch) -> None:
    """Packing, unpacking and sending take a small share of the time."""
    monkeypatch.setattr(dispatch, "SECONDS", 0)
    monkeypatch.setattr(dispatch, "WORTH", 1e6)
    monkeypatch.setattr(dispatch, "NETWORK", float("inf"))
    seconds = []

    class Noting(Here):
        def call(self, number: int, fn: Any, *args: Any) -> Any:
            *_, task, _ = args
            seconds.append(packing.unpacked(task).seconds)
            return fn(*args)

    result = fib.run(DEPTHS, executor=Noting(), parts=1, throw=True)
    assert_same(result, fib.run(DEPTHS, shards=1))
    first, second = seconds
    assert first == 0 and second > 1


def test_threads_and_runs_share_one_program(monkeypatch) -> None:
    """Runs with other shared values, too."""
    made = []

    class Counted(worker.StoredProgram):
        def __init__(self, *args: Any):
            made.append(args[0])
            super().__init__(*args)

    monkeypatch.setattr(worker, "StoredProgram", Counted)
    worker._unpacked_loop.cache_clear()
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        for scale in (SCALE, SCALE, 2 * SCALE):
            result = collatz_path.run(NUMBERS, scale, executor=threads, parts=5)
            assert_same(result, collatz_path.run(NUMBERS, scale, shards=5))
    assert len(made) == 1


def test_a_later_worker_finds_the_program_on_disk(monkeypatch, tmp_path) -> None:
    """And compiles it anew where the file holds what XLA does not take."""
    monkeypatch.setenv("PCBATCH_CACHE", str(tmp_path))
    programs, run = dict[Any, bool](), worker.StoredProgram.run

    def noted(program: worker.StoredProgram, given: Any) -> Any:
        programs.setdefault(program, program.is_on_trial)
        if len(programs) == 3:
            raise tf.errors.InternalError(None, None, "no executable")
        return run(program, given)

    monkeypatch.setattr(worker.StoredProgram, "run", noted)
    for _ in range(3):
        worker._unpacked_loop.cache_clear()
        assert collatz_path.run(NUMBERS[:3], SCALE, executor=Here(), parts=1, throw=True)
    assert [*programs.values()] == [False, True, True, False]
    (name,) = {program.name for program in programs}
    assert store.read(name) is not None


def test_variables_and_tensors_travel_as_they_are_now() -> None:
    weight, offset = tf.Variable([1.0, 2.0]), tf.constant([0.5, 0.25])

    def gain(x):
        return tf.reduce_sum(weight * x + offset)

    @pcbatch.autobatch
    def grow(x):
        while x < 50.0:
            x = x + gain(x)
        return x

    x = tf.constant([1.0, 2.0, 3.0])
    for value in ([1.0, 2.0], [3.0, 0.5]):
        weight.assign(value)
        assert_same(grow.run(x, executor=Here(), parts=3, throw=True), grow.run(x, shards=3))


def test_limits_are_those_of_a_local_run() -> None:
    for how in ({"max_steps": 40}, {"max_stack_depth": 5}, {"max_stack_bytes": 1500}):
        here = fib.run(DEPTHS + 5, shards=3, **how)
        assert here.status.numpy().any() and not here.status.numpy().all(), how
        assert_same(fib.run(DEPTHS + 5, executor=Here(), parts=3, **how), here)


@pytest.mark.thorough
def test_a_list_that_is_too_short_begins_again() -> None:
    @pcbatch.autobatch(list_capacity=2)
    def digits(n):
        found = []
        while n > 0:
            found.append(n % 10)
            n = n // 10
        return len(found)

    n = tf.constant([7, 123456, 98])
    assert digits.run(n, executor=Here(), parts=2, throw=True).value.numpy().tolist() == [1, 6, 2]


def test_how_many_parts_there_are() -> None:
    """A function of the whole batch sees the whole batch."""

    @pcbatch.autobatch
    def centred(x):
        return pcbatch.batched(lambda x: x - tf.reduce_mean(x))(x)

    members = NARROW.shard_members
    for count, wanted in ((1, 1), (2 * members, 2), (100 * members, MOST_PARTS)):
        executor = Here()
        fib.run(tf.ones([count], tf.int32), executor=executor)
        assert executor.calls == wanted
    executor = Here()
    x = tf.range(4.0 * members)
    assert bits(centred.run(x, executor=executor).value) == bits(centred(x))
    assert executor.calls == 1


def test_an_empty_batch_needs_no_worker() -> None:
    executor = Here()
    result = fib.run(tf.zeros([0], tf.int32), executor=executor, parts=3)
    assert result.value.shape == [0] and executor.calls == 0


@pcbatch.autobatch
def asks(n):
    return pcbatch.host_call(lambda n: 2 * n, n, result=tf.TensorSpec([], tf.int32))


@pcbatch.autobatch
def prints(n):
    pcbatch.debug_print("{}", n)
    return n


@pcbatch.autobatch
def stops(n):
    pcbatch.breakpoint()
    return n


@pcbatch.autobatch
def squared(x):
    return x * x


@pcbatch.autobatch
def cubed(x):
    total = 0.0
    while x < 100.0:
        x = x * (1.5 + 1 / x)
        total = total + x * x * x
    return total


@pytest.mark.parametrize(
    ("program", "name"), [(asks, "host_call"), (prints, "debug_print"), (stops, "breakpoint")]
)
def test_host_calls_are_refused_at_their_line(program: Any, name: str) -> None:
    executor = Here()
    with pytest.raises(ArgumentError, match=f"{name} cannot run on a worker") as caught:
        program.run(NUMBERS, executor=executor)
    text = str(caught.value)
    assert __file__ in text and f"pcbatch.{name}" in text and "help: take" in text
    assert executor.calls == 0


REFUSED = [
    ({"strategy": "local"}, "strategy 'pc'"),
    ({"jit": False}, "jit=True"),
    ({"shards": 2}, "say parts="),
    ({"parts": 0}, "parts is 0"),
    ({"parts": True}, "parts is True"),
    ({"retries": -1}, "retries is -1"),
    ({"task_timeout": 0}, "task_timeout is 0"),
    ({"executor": None, "task_timeout": 1.0}, "task_timeout=1.0 is for executor"),
    ({"executor": 3}, "executor is 3"),
    ({"executor": concurrent.futures.ThreadPoolExecutor}, "executor is <class"),
    ({"executor": lambda: 3}, "returned 3"),
    ({"executor": None, "parts": 3}, "parts=3 is for executor"),
]


@pytest.mark.parametrize(("how", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_what_does_not_go_is_refused(how: dict[str, Any], reason: str) -> None:
    executor = Here()
    with pytest.raises(ArgumentError, match=reason):
        fib.run(NUMBERS, **{"executor": executor, **how})
    assert executor.calls == 0


def test_what_xla_has_no_kernel_for_is_told_before_anything_goes() -> None:
    @pcbatch.autobatch
    def reread(x):
        while x < 10.0:
            x = x + tf.strings.to_number(tf.strings.as_string(x))
        return x

    executor = Here()
    with (
        pytest.warns(pcbatch.VectorizationWarning),
        pytest.raises(pcbatch.VectorizationError, match=r"XLA cannot compile .*While") as caught,
    ):
        reread.run(tf.constant([1.0, 2.0]), executor=executor)
    assert "help: mark a function" in str(caught.value)
    assert executor.calls == 0


def test_gradients_run_on_workers() -> None:
    gradient = pcbatch.value_and_grad(cubed)
    x = tf.constant([1.0, 2.0, 3.0, 50.0])
    assert_same(gradient.run(x, executor=Here(), parts=2), gradient.run(x, shards=2))


def test_arrays_shrink_where_that_saves_much() -> None:
    """Zeros take no room, numbers that have been computed are not compressed; bits are the same."""
    rng = np.random.default_rng(0)
    begun = np.concatenate([rng.normal(size=4_000), np.zeros(46_000)])
    scalar = np.float32(2).reshape([])
    for array, most in (
        (np.zeros([300, 1000]), 1000),
        (np.zeros([3], np.int8), 1000),
        (np.eye(1, 1001, 1000, dtype=np.int8), 2000),
        (rng.normal(size=[100, 1000]), 801_000),
        (begun, 40_000),
        (scalar, 1000),
        (np.zeros([0, 3], np.int32), 1000),
        (rng.normal(size=[50, 40]).T, 17_000),
        (tf.constant([1.5, 2.5], tf.bfloat16).numpy(), 1000),
    ):
        content = packing.packed({"array": array})
        found = packing.unpacked(content)["array"]
        assert len(content) < most
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert found.tobytes() == array.tobytes()


@pcbatch.autobatch(static_argnames="length")
def noted(n, length):
    """Some rows of numbers that do not shrink, the last of them a negative zero; then zeros."""
    rows = pcbatch.buffer(length, like=0.0)
    for i in range(n):
        rows[i] = tf.sin(1e4 * tf.cast(i + n, tf.float32)) if i < n - 1 else -0.0
    return rows


def test_rows_that_no_member_has_written_do_not_travel() -> None:
    """The bits are the same, and room that nobody has used takes nothing."""
    n, back = np.arange(1, 101, dtype=np.int32), []
    for length in (128, 4096):
        executor = Counting()
        result = noted.run(n, length, executor=executor, parts=1)
        assert_same(result, noted.run(n, length, shards=1))
        back.append(sum(executor.back))
    assert back[1] < back[0] + 1000 < 4 * 100 * 100 + 4000


def test_a_buffer_is_whole_again() -> None:
    """Of any dtype, where nothing is written, and where everything is."""
    for dtype in (tf.bool, tf.int8, tf.bfloat16, tf.float64):
        for rows in (0, 3, 4):
            area = np.zeros([2, 4, 3], dtype.as_numpy_dtype)
            area[1, :rows, 2] = 1
            flat = area.reshape(8, 3)
            carry = empty_carry()._replace(buffers=(flat, flat[:, 0], flat[:, :0]))
            sent = travel.written(carry)
            assert [len(x) for x in sent.buffers] == [2 * rows, 0, 8]
            for one, other in zip(travel.whole(sent, (4, 4, 4)).buffers, carry.buffers):
                assert (one.dtype.as_numpy_dtype, one.shape) == (other.dtype, other.shape)
                assert one.numpy().tobytes() == other.tobytes()


def empty_carry() -> State:
    """Of two members, as arrays."""
    none = np.zeros([0])
    return State(np.zeros([2], np.int32), none, (), (), (), (), none, none, none)


def test_what_is_no_future_is_refused() -> None:
    class Jobs(Here):
        def submit(self, fn: Any, *args: Any) -> Any:
            return "job 7"

    with pytest.raises(ArgumentError, match="'job 7', which is no concurrent"):
        fib.run(DEPTHS, executor=Jobs())


def test_a_tape_or_a_graph_around_the_call_is_refused() -> None:
    executor, x = Here(), tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape, pytest.raises(ArgumentError, match="sees nothing"):
        tape.watch(x)
        squared.run(x, executor=executor)
    with tf.GradientTape():
        squared.run(tf.constant([3, 4]), executor=executor)

    @tf.function(autograph=False)
    def inside(x):
        return squared.run(x, executor=executor).value

    calls = executor.calls
    with pytest.raises(ArgumentError, match="runs without one"):
        inside(x)
    assert executor.calls == calls


def test_a_worker_with_other_versions_is_told_at_once(monkeypatch) -> None:
    class Elsewhere(Here):
        def call(self, number: int, fn: Any, *args: Any) -> Any:
            with monkeypatch.context() as there:
                there.setattr(worker, "versions", lambda: "TensorFlow 1.0, pcbatch 0")
                return fn(*args)

    executor = Elsewhere()
    with pytest.raises(worker.OtherVersionError, match=r"TensorFlow 1\.0(.|\n)*help: install"):
        fib.run(DEPTHS, executor=executor, parts=1)
    assert executor.calls == 1
