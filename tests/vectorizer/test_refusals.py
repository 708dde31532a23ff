"""What the vectorizer refuses: each error says what is wrong and names the user's line.

The operation that is refused stands on a line marked `# here`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.support.tolerances import Tolerance, assert_close

X = tf.constant([[1.0, -1.0, 2.0], [1.0, 1.0, 3.0]])
N = tf.constant([1, 2])
STATE = tf.Variable(0.0)


# --- Shapes that depend on the member ---------------------------------------------------------


def masked(x, n):
    return tf.boolean_mask(x, x > 0.0)  # here


def prefix(x, n):
    return x[:n]  # here


def filled(x, n):
    return tf.fill([n], x[0])  # here


def counted(x, n):
    return tf.cast(tf.range(n), x.dtype)  # here


def places(x, n):
    return tf.where(x > 0.0)  # here


def repeated(x, n):
    return tf.repeat(x, n)  # here


def distinct(x, n):
    return tf.unique(x).y  # here


def segments(x, n):
    return tf.math.segment_sum(x, tf.cast(tf.nn.relu(x), tf.int32))  # here


def bins(x, n):
    return tf.math.bincount(tf.cast(tf.nn.relu(x), tf.int32), minlength=4, maxlength=4)  # here


def branches_of_two_shapes(x, n):
    return tf.cond(x[1] > 0.0, lambda: x[:2], lambda: x)  # here


def growing(x, n):
    def body(i, a):
        return i + 1, tf.concat([a, x[:1]], 0)

    shapes = (tf.TensorShape([]), tf.TensorShape([None]))
    return tf.while_loop(lambda i, _: i < n, body, (0, x), shape_invariants=shapes)[1]  # here


# --- Lists --------------------------------------------------------------------------------------


def list_of_a_members_size(x, n):
    array = tf.TensorArray(x.dtype, size=n)  # here
    return array.write(0, x[0]).read(0)


def list_of_a_members_length(x, n):
    def body(i, array):
        return i + 1, array.write(i, x[i])

    array = tf.TensorArray(x.dtype, size=0, dynamic_size=True, element_shape=[])
    _, array = tf.while_loop(lambda i, _: i < n, body, (0, array), maximum_iterations=3)
    return array.stack()  # here


def list_that_grows_without_a_bound(x, n):
    def body(i, array):
        return i + 1, array.write(i, x[0])  # here, outside XLA

    most = tf.cast(tf.reduce_sum(tf.abs(x)), tf.int32)
    array = tf.TensorArray(x.dtype, size=0, dynamic_size=True, element_shape=[])
    _, array = tf.while_loop(lambda i, _: i < most, body, (0, array))  # here, under XLA
    return array.size()


# --- The rest -----------------------------------------------------------------------------------


def assigning(x, n):
    STATE.assign(x[0])  # here
    return x


REFUSED: dict[Callable[..., Any], str] = {
    masked: "shape is not static or depends on the member",
    prefix: "shape is not static or depends on the member",
    filled: "shape is not static or depends on the member",
    counted: "shape is not static or depends on the member",
    places: "shape is not static or depends on the member",
    repeated: "shape is not static or depends on the member",
    distinct: "shape is not static or depends on the member",
    segments: "unsorted_segment_sum",
    bins: "unsorted_segment_sum",
    branches_of_two_shapes: "one shape",
    growing: "one shape",
    list_of_a_members_size: "size depends on the member",
    list_of_a_members_length: "lengths depend on the member",
    list_that_grows_without_a_bound: "maximum_iterations",
    assigning: "changes a variable",
}


def named(fn: Callable[..., Any], message: object) -> bool:
    """Whether a message gives the place of a marked line of a function."""
    lines, first = inspect.getsourcelines(fn)
    marked = [first + i for i, text in enumerate(lines) if "# here" in text]
    return any(f"{__file__}:{line} " in str(message) for line in marked)


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_what_is_refused_names_the_line(fn: Callable[..., Any], jit: bool) -> None:
    batched = tf.function(pcbatch.vectorize(fn), autograph=False, jit_compile=jit)
    with pytest.raises(pcbatch.VectorizationError) as error:
        batched(X, N)
    assert re.search(REFUSED[fn], str(error.value)), error.value
    assert named(fn, error.value), error.value


def test_a_gradient_through_a_loop_without_a_bound_asks_for_one_under_xla() -> None:
    def grown(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(lambda a: a < 9.0, lambda a: (a * a,), (x,))[0]  # here
        return tape.gradient(y, x)

    x = tf.constant([2.0, 1.5])
    assert_close(pcbatch.vectorize(grown)(x), [4 * 8.0, 8 * 1.5**7], Tolerance(1e-5))
    compiled = tf.function(pcbatch.vectorize(grown), autograph=False, jit_compile=True)
    with pytest.raises(pcbatch.VectorizationError, match="maximum_iterations") as error:
        compiled(x)
    assert named(grown, error.value), error.value


def test_strict_refuses_an_operation_without_a_batched_form() -> None:
    def draw(seed):
        return tf.random.stateless_normal([2], seed)  # here

    seeds = tf.constant([[1, 2], [3, 4]])
    with pytest.raises(pcbatch.VectorizationError, match="Stateless") as error:
        pcbatch.vectorize(draw, strict=True)(seeds)
    assert named(draw, error.value), error.value
    with pytest.warns(pcbatch.VectorizationWarning, match="Stateless") as warned:
        drawn = pcbatch.vectorize(draw)(seeds)
    assert named(draw, warned[0].message)
    np.testing.assert_array_equal(drawn, [draw(s) for s in seeds])


def added(x, y):
    return x + y


@pytest.mark.parametrize(
    ("axes", "shapes", "text"),
    [
        (None, ([2], [2]), "no argument is batched"),
        (0, ([2], [3]), "batch sizes"),
        (0, ([2], []), "scalar"),
        (1, ([2], [2]), "axis 0"),
        ((0,), ([2], [2]), "does not fit"),
        (((0, 0), 0), ([2], [2]), "argument 0 has another structure"),
    ],
)
def test_arguments_that_do_not_fit(axes, shapes, text) -> None:
    args = [tf.zeros(shape) for shape in shapes]
    first = inspect.getsourcelines(added)[1]
    with pytest.raises(pcbatch.ArgumentError, match=text) as error:
        pcbatch.vectorize(added, in_axes=axes)(*args)
    assert f"added ({__file__}:{first})" in str(error.value)


def test_in_axes_of_another_structure() -> None:
    def of_pair(pair):
        return pair[0] + pair[1]

    with pytest.raises(pcbatch.ArgumentError, match="another structure"):
        pcbatch.vectorize(of_pair, in_axes=((0,),))((tf.zeros(2), tf.zeros(2)))
    with pytest.raises(pcbatch.ArgumentError, match="another structure"):
        pcbatch.vectorize(lambda d: d["a"], in_axes=({"b": 0},))({"a": tf.zeros(2)})


def test_an_unknown_batch_size() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])], autograph=False)
    def doubled(x):
        return pcbatch.vectorize(lambda v: 2 * v)(x)

    with pytest.raises(pcbatch.ArgumentError, match="known number"):
        doubled(tf.zeros(2))


def test_sequences_that_differ_in_more_than_their_length() -> None:
    total = pcbatch.ragged(lambda x, length: tf.reduce_sum(x))
    with pytest.raises(pcbatch.ArgumentError, match="no sequence"):
        total([])
    with pytest.raises(pcbatch.ArgumentError, match="differ in more"):
        total([np.zeros([3, 2]), np.zeros([4, 3])])
