"""A call with arrays of types that have come before takes a short way to the same results."""

from __future__ import annotations

import concurrent.futures

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.api import autobatched
from pcbatch.runtime import known_calls
from pcbatch.vm.pace import Pace
from tests.support.programs import collatz_path, fib, halvings

SCALE = 2.0


@pcbatch.autobatch(jit=False)
def scaled(x):
    return x * SCALE


@pcbatch.autobatch(jit=False)
def same(x):
    return x


@pcbatch.autobatch(jit=False)
def weighted(x, weight=3.0):
    return x * weight


@pcbatch.autobatch
def depth(n):
    if n <= 0:
        return 0
    return 1 + depth(n - 1)


class Line:
    def __init__(self, slope):
        self.slope = slope

    @pcbatch.autobatch(jit=False)
    def at(self, x):
        return self.slope * x


@pytest.fixture
def reads(monkeypatch):
    """The calls whose arguments were read the long way."""
    made = []
    read = autobatched.read

    def noted(function, *rest):
        made.append(function.__name__)
        return read(function, *rest)

    monkeypatch.setattr(autobatched, "read", noted)
    return made


@pytest.mark.every(3)
@pytest.mark.parametrize("make", [tf.constant, np.array])
@pytest.mark.parametrize("program", [fib, halvings, depth])
def test_a_known_call_gives_what_a_new_one_gives(reads, program, make):
    program(make([5, 3, 1, 4, 2]))
    reads.clear()
    for given in ([9, 1, 2, 7, 0], [1, 1, 1, 1, 1], [5, 12, 3, 8, 10]):
        expected = [program.single(n) for n in given]
        assert program(make(given)).numpy().tolist() == expected
    assert not reads


def test_each_type_of_arguments_is_a_call_of_its_own(reads):
    for given in (np.float32([1, 2]), np.float64([1, 2]), np.int64([1, 2]), np.float32([1, 2, 3])):
        for _ in range(2):
            found = scaled(given)
            np.testing.assert_array_equal(found, given * SCALE)
            assert found.dtype == (tf.float32 if given.dtype == np.float32 else tf.float64)
    assert len(reads) == 4


def test_buffers_begin_with_zeros_each_time(reads):
    """A run has the areas of one before it, which was over in one slice."""
    scale = tf.constant(2.0)
    for _ in range(20):  # slices become longer
        first = collatz_path(tf.constant([7, 9]), scale)
    before = first["path"].numpy()
    assert before.all()
    second = collatz_path(tf.constant([1, 2]), tf.constant(3.0))
    assert second["path"].numpy().tolist() == [[0, 0, 0, 0], [1, 0, 0, 0]]
    assert second["scale"].numpy().tolist() == [3.0, 3.0]
    np.testing.assert_array_equal(first["path"], before)
    assert len(reads) == 1


def test_a_member_that_fails_in_a_known_call_is_told(reads):
    scale = tf.constant(2.0)
    collatz_path(tf.constant([7, 9, 1]), scale)
    result = collatz_path.run(tf.constant([7, 27, 1]), scale)
    again = collatz_path.run(tf.constant([7, 27, 1]), scale)
    assert result.status.numpy().tolist() == again.status.numpy().tolist() == [0, 5, 0]
    assert "steps < 100" in again.message(1)
    with pytest.raises(pcbatch.MemberError, match="1 of 3 members"):
        collatz_path(tf.constant([7, 27, 1]), scale)
    assert collatz_path(tf.constant([7, 9, 1]), scale)["steps"].numpy().tolist() == [16, 19, 0]


def test_stacks_grow_in_a_known_call(reads):
    depth(tf.constant([3, 5]))
    for deepest in (100, 4, 200, 17):
        assert depth(tf.constant([deepest, 5])).numpy().tolist() == [deepest, 5]
    assert len(reads) == 1


def test_options_are_part_of_a_call():
    n = tf.constant([5, 100])
    halvings.run(n)
    assert halvings.run(n, max_steps=2).status.numpy().tolist() != [0, 0]
    assert halvings.run(n).status.numpy().tolist() == [0, 0]
    assert depth.run(n, max_stack_depth=8).status.numpy().tolist() == [0, 1]


def test_a_changed_global_is_noticed_in_a_known_call(monkeypatch):
    x = tf.constant([1.0, 2.0])
    assert scaled(x).numpy().tolist() == [2.0, 4.0]
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert scaled(x).numpy().tolist() == [3.0, 6.0]
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    assert scaled(x).numpy().tolist() == [2.0, 4.0]


def test_a_changed_attribute_is_noticed_in_a_known_call():
    line, other, x = Line(2.0), Line(5.0), tf.constant([1.0, 2.0])
    for slope in (2.0, 3.0, 3.0, 2.0):
        line.slope = slope
        assert line.at(x).numpy().tolist() == [slope, 2 * slope]
        assert other.at(x).numpy().tolist() == [5.0, 10.0]


def test_a_default_is_no_argument(reads):
    x = tf.constant([1.0, 2.0])
    for _ in range(2):
        assert weighted(x).numpy().tolist() == [3.0, 6.0]
        assert weighted(x, x).numpy().tolist() == [1.0, 4.0]
        assert weighted(x, weight=x).numpy().tolist() == [1.0, 4.0]
    assert len(reads) == 5


def test_an_array_that_is_changed_later_is_not_the_result():
    for _ in range(2):
        given = np.float32([1, 2])
        found = same(given)
        given[0] = 7.0
        assert found.numpy().tolist() == [1.0, 2.0]


def test_what_is_no_number_is_refused_after_known_calls():
    same(np.float32([1, 2]))
    with pytest.raises(pcbatch.ArgumentError, match="no numbers"):
        same(np.array([b"a", b"b"]))


def test_a_tape_and_a_graph_see_through_known_calls():
    x = tf.constant([1.0, 2.0])
    scaled(x), scaled(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x)
    assert tape.gradient(y, x).numpy().tolist() == [SCALE, SCALE]
    assert tf.function(lambda: scaled(x), autograph=False)().numpy().tolist() == [2.0, 4.0]


def test_no_more_calls_are_kept_than_may_be(monkeypatch):
    monkeypatch.setattr(known_calls, "MOST_CALLS", 2)
    program = pcbatch.autobatch(scaled.__wrapped__, jit=False)
    for size in (1, 2, 3, 4, 1):
        assert program(tf.ones([size])).numpy().tolist() == [SCALE] * size
        assert len(program._known_calls._calls) <= 2


def test_runs_at_the_same_time_have_areas_of_their_own():
    given = [tf.constant([n, 7, 9]) for n in range(1, 9)] * 4
    scale = tf.constant(1.0)
    expected = [collatz_path(n, scale)["path"].numpy() for n in given]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: collatz_path(n, scale)["path"].numpy(), given))
    np.testing.assert_array_equal(found, expected)


def test_areas_of_a_run_that_has_not_ended_are_not_given_to_another(monkeypatch):
    """A run that the driver goes on with keeps its areas."""
    scale = tf.constant(1.0)
    collatz_path(tf.constant([3, 5]), scale)
    with monkeypatch.context() as patch:
        patch.setattr(Pace, "work", lambda *_: 1)
        late = collatz_path(tf.constant([7, 9]), scale)
    assert collatz_path(tf.constant([1, 1]), scale)["path"].numpy().tolist() == [[0] * 4] * 2
    assert late["steps"].numpy().tolist() == [16, 19]
    assert late["path"].numpy().all()


def test_parts_of_a_batch_that_end_at_different_times(reads):
    """One part is over in its first slice, and the other is not."""
    depth.run(tf.constant([3, 5, 1, 2]), shards=2)
    for given in ([100, 5, 1, 2], [1, 2, 100, 5], [100, 200, 300, 5], [1, 2, 3, 4]):
        result = depth.run(tf.constant(given), shards=2)
        assert result.value.numpy().tolist() == given
        assert not result.status.numpy().any()
    assert len(reads) == 1
