"""Functions of two arrays `float64[5]` of one member, by the kind of operation they are about."""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

Function = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
STEPS = 5


def _matrix(x: tf.Tensor) -> tf.Tensor:
    return x[:, tf.newaxis] * tf.range(1, 4, dtype=x.dtype) + tf.eye(5, 3, dtype=x.dtype)


# --- Straight-line code -----------------------------------------------------------------------


def elementwise(x, y):
    return tf.reduce_sum(tf.sin(x) * y - tf.sqrt(x) / (1 + y**2) + tf.maximum(x, y) * tf.sigmoid(y))


def broadcasting(x, y):
    return tf.reduce_sum((x[:, tf.newaxis] - y) ** 2 * x[1] + tf.reduce_max(y), [0, 1])


def shapes(x, y):
    pairs = tf.stack([x, y], 1)
    moved = tf.transpose(tf.reshape(pairs, [5, 2])) @ tf.concat([_matrix(y), _matrix(x)], 1)
    parts = tf.unstack(moved, axis=1)
    return tf.reduce_sum(parts[0] * parts[3]) + tf.reduce_prod(tf.tile(x, [2])[::3]) + y[-1]


def along_axes(x, y):
    first, second = tf.split(tf.stack([x, y, x * y]), [1, 2], 0)
    padded = tf.pad(tf.roll(first, 2, 1), [[0, 1], [1, 0]]) * tf.reverse(y[0] * x, [0])[1]
    chosen = tf.gather(tf.slice(second, [0, 1], [2, -1]), [2, 0, 2], axis=1)
    sums = tf.cumsum(tf.tile(chosen, [1, 2]), 1, reverse=True) + tf.math.cumprod(padded, 0)
    spread = tf.tensor_scatter_nd_add(x, [[1], [1]], y[:2])
    return tf.reduce_sum(sums[:, 2:]) + sums[-1, 0] + tf.reduce_sum(spread * y)


def matrices(x, y):
    a = _matrix(x)
    square = tf.matmul(a, a, transpose_a=True) + y[0] * tf.eye(3, dtype=x.dtype)
    return tf.linalg.logdet(square) + tf.reduce_sum(tf.linalg.qr(square).r ** 2 * y[:3])


def products(x, y):
    a, b = _matrix(x), _matrix(y)
    inner = tf.tensordot(x, y, 1) + tf.einsum("i,ij->", x, b)
    square = tf.linalg.matmul(a, b, transpose_a=True)
    return inner + tf.reduce_sum(tf.linalg.matvec(b, tf.linalg.matvec(square, x[:3])) * y)


def solves(x, y):
    a = _matrix(x)
    root = tf.linalg.cholesky(tf.matmul(a, a, transpose_a=True) + 0.5 * tf.eye(3, dtype=x.dtype))
    z = tf.linalg.triangular_solve(root, y[:3, tf.newaxis])
    return tf.reduce_sum(z**2) + tf.reduce_sum(tf.math.log(tf.linalg.diag_part(root)))


def indexing(x, y):
    place = tf.cast(y[0] * 2, tf.int32)
    chosen = tf.gather(x, place) * x[place] + tf.reduce_sum(tf.gather(y, [0, 3, 3]))
    spread = tf.tensor_scatter_nd_update(x, [[place]], [y[1]])
    return chosen + tf.reduce_sum(spread * y) + tf.reduce_sum(tf.where(x > y, x, 0.0) ** 2)


def sorting(x, y):
    top = tf.math.top_k(x, 3).values
    return tf.reduce_sum(tf.sort(y) * x) + tf.reduce_sum(tf.cumsum(x) * y) + tf.reduce_sum(top**2)


def _image(x, channels):
    """An image of 3 x 4 with some channels, and a filter of 2 x 2 between those and others."""
    grid = tf.reshape(tf.tile(x, [12])[: 12 * channels], [1, 3, 4, channels])
    return grid * tf.reshape(tf.range(1, 5, dtype=x.dtype), [1, 1, 4, 1])


def convolution(x, y):
    """Image and filter per member, or one of the two shared."""
    kernel = tf.reshape(tf.tile(y, [4])[:16], [2, 2, 2, 2])
    found = tf.nn.conv2d(_image(x, 2), kernel, [1, 2], "SAME")
    pooled = tf.nn.max_pool2d(found, 2, 1, "VALID")
    return tf.reduce_sum(tf.tanh(pooled / 9.0))


def depthwise_convolution(x, y):
    """A filter of each channel: two outputs of each."""
    kernel = tf.reshape(tf.tile(y, [4])[:16], [2, 2, 2, 2])
    found = tf.nn.depthwise_conv2d(_image(x, 2), kernel, [1, 2, 2, 1], "SAME")
    return tf.reduce_sum(tf.tanh(found / 9.0) * tf.range(1, 5, dtype=x.dtype))


# --- Conditionals and calls -------------------------------------------------------------------


def cond(x, y):
    return tf.cond(x[0] > 1.0, lambda: tf.reduce_sum(tf.math.log(x) * y), lambda: y[2] ** 3)


def cond_that_would_be_infinite(x, y):
    """The derivative of the branch not taken is infinite: nothing of it may come back."""
    z = tf.maximum(x[0] - 1.0, 0.0)
    return tf.cond(z > 0.0, lambda: tf.sqrt(z) * y[0], lambda: y[1])


def switch_case(x, y):
    branches = [lambda: x[1] * y[0], lambda: x[2] ** 2, lambda: tf.sin(x[3])]
    return tf.switch_case(tf.cast(x[0] * 3, tf.int32) - 1, branches)


def called(x, y):
    inner = tf.function(lambda v, w: tf.sin(v) * tf.reduce_sum(w), autograph=False)
    return tf.reduce_sum(inner(inner(x, y), x))


def own_gradient(x, y):
    @tf.custom_gradient
    def clipped(v):
        return tf.abs(v) ** 2, lambda upstream: upstream * 3.0 * v

    return tf.reduce_sum(clipped(x) * y)


# --- Loops ------------------------------------------------------------------------------------


def fixed_loop(x, y):
    def body(i, a):
        return i + 1, tf.sin(a) * y + 0.1 * x

    return tf.reduce_sum(tf.while_loop(lambda i, a: i < STEPS, body, (0, x))[1])


def loop_until_done(x, y):
    """Members run for different numbers of trips; what they count comes out too."""

    def going(i, n, pair, a):
        return tf.reduce_sum(a) < 9.0

    def body(i, n, pair, a):
        return i + 3, n - 2, pair + 1, a * 1.3 + 0.1 * tf.sin(y)

    start = (1, tf.constant(50, tf.uint8), tf.constant([5, 7]), x)
    *counts, last = tf.while_loop(going, body, start, maximum_iterations=12)
    first, second, pair = (tf.cast(n, x.dtype) for n in counts)
    return tf.reduce_sum(last) + first * second + tf.reduce_sum(pair * [1.0, 10.0])


def loop_in_loop(x, y):
    def body(i, a):
        limit = 3.0 + tf.cast(i, x.dtype)
        inner = tf.while_loop(
            lambda j, b: tf.reduce_sum(b) < limit,
            lambda j, b: (j + 1, b * 1.2 + 0.05 * y),
            (0, a * 0.5),
            maximum_iterations=15,
        )
        return i + 1, inner[1] + 0.1 * x

    return tf.reduce_sum(tf.while_loop(lambda i, a: i < 3, body, (0, x))[1] ** 2)


def loop_in_branch(x, y):
    """Where the branch is not taken the loop would never end."""

    def loop():
        return tf.while_loop(
            lambda a: a * y[1] < 10.0, lambda a: (a * x[0],), (x[0],), maximum_iterations=400
        )[0]

    return tf.cond(x[0] > 1.05, loop, lambda: x[2] * y[0])


def branch_in_loop(x, y):
    def body(i, a):
        return i + 1, tf.cond(a > 1.0, lambda: a * 0.7 + x[0] * 0.1, lambda: a * a + y[i])

    return tf.while_loop(lambda i, a: i < STEPS, body, (0, x[1]))[1]


# --- Lists ------------------------------------------------------------------------------------


def scan(x, y):
    states = tf.scan(lambda a, b: tf.sin(a * b[0]) + a * b[1], (x, y), initializer=y[0])
    return tf.reduce_sum(states**2)


def map_fn(x, y):
    mapped = tf.map_fn(lambda v: v[0] * tf.exp(-v[1]), (x, y), fn_output_signature=x.dtype)
    return tf.reduce_sum(mapped * x[::-1])


def foldl(x, y):
    return tf.foldl(lambda a, v: a * v + tf.sin(a), x, initializer=y[0])


def array_written(x, y):
    def body(i, array, state):
        state = state * x[0] + y[i]
        return i + 1, array.write(i, state), state

    array = tf.TensorArray(x.dtype, size=STEPS)
    _, array, _ = tf.while_loop(lambda i, *_: i < STEPS, body, (0, array, x[1]))
    return tf.reduce_sum(array.stack() * x)


def array_read_back(x, y):
    array = tf.TensorArray(x.dtype, size=STEPS, clear_after_read=False).unstack(x)

    def body(i, array):
        return i + 1, array.write(i, array.read(i - 1) * y[i])

    _, array = tf.while_loop(lambda i, *_: i < STEPS, body, (1, array))
    return tf.reduce_sum(array.stack())


def array_that_grows(x, y):
    array = tf.TensorArray(x.dtype, size=0, dynamic_size=True)
    _, array = tf.while_loop(
        lambda i, _: i < STEPS, lambda i, t: (i + 1, t.write(i, x[i] ** 2)), (0, array)
    )
    return tf.reduce_sum(array.stack() * y)


def array_until_done(x, y):
    """Members write different numbers of elements; the rest stays zero."""

    def body(i, array, total):
        return i + 1, array.write(i, total * y[i]), total + x[i]

    array = tf.TensorArray(x.dtype, size=STEPS, element_shape=[]).unstack(tf.zeros_like(x))
    trips, array, _ = tf.while_loop(
        lambda i, _, total: total < 3.0, body, (0, array, x[0]), maximum_iterations=STEPS
    )
    return tf.reduce_sum(array.stack() ** 2) + tf.cast(trips, x.dtype)


@tf.function
def array_left_early(x, y):
    """By autograph: a `for` with a `break`; the array keeps its size."""
    array, total = tf.TensorArray(x.dtype, size=STEPS, element_shape=[]), x[0]
    array = array.unstack(tf.zeros_like(x))
    for i in tf.range(STEPS):
        if total > 3.0:
            break
        array = array.write(i, total * y[i])
        total += x[i]
    return tf.reduce_sum(array.stack() ** 2) + total


def weights_in_a_loop(x, y):
    """The gradient of a matrix inside a loop is a sum of products; members stop when they like."""
    square = tf.reshape(tf.tile(x, [13])[:64], [8, 8])

    def body(i, h):
        decay = tf.sin(x[0] * y[1])  # the same in each trip
        joined = tf.concat([h[:3], y], 0)
        new = tf.tanh(0.2 * tf.linalg.matvec(square, joined))
        return i + 1, new + tf.linalg.matvec(square, h, transpose_a=True) * 0.02 + decay * h

    start = tf.zeros([8], x.dtype) + y[0]
    last = tf.while_loop(
        lambda i, h: h[0] * tf.cast(i, h.dtype) < 1.5, body, (0, start), maximum_iterations=4
    )
    return tf.reduce_sum(last[1] ** 2)


def _pushed(lst, *items):
    for item in items:
        lst = tf.raw_ops.TensorListPushBack(input_handle=lst, tensor=item)
    return lst


def _popped(lst, dtype):
    shape = tf.constant([], tf.int32)
    return tf.raw_ops.TensorListPopBack(input_handle=lst, element_shape=shape, element_dtype=dtype)


def _while_it_lasts(x, body, *carry):
    lst = tf.raw_ops.EmptyTensorList(
        element_shape=tf.constant([], tf.int32), max_num_elements=-1, element_dtype=x.dtype
    )
    lst = _pushed(lst, *tf.unstack(x))
    return tf.while_loop(
        lambda i, *_: tf.cast(i, x.dtype) < 6.0 * x[0] - 2.4,
        lambda i, *carry: (i + 1, *body(*carry)),
        (0, lst, *carry),
        maximum_iterations=4,
    )[1:]


def list_as_a_stack(x, y):
    """What a trip pops and pushes again lies at the end of the lists of those that are done."""

    def body(lst):
        lst, top = _popped(lst, x.dtype)
        return [_pushed(lst, tf.sin(top) + y[0])]

    (lst,) = _while_it_lasts(x, body)
    lst, top = _popped(lst, x.dtype)
    return top * _popped(lst, x.dtype)[1]


def list_that_shrinks(x, y):
    """The end of a list, where a trip pushes, is inside the lists of those that are done."""

    def body(lst, total):
        lst, top = _popped(_pushed(lst, y[0] * total), x.dtype)
        lst, below = _popped(lst, x.dtype)
        return lst, tf.sin(top) + below

    lst, total = _while_it_lasts(x, body, y[1])
    return total * _popped(lst, x.dtype)[1]


def matrix_states(x, y):
    """A hidden Markov model's forward pass: matrices in the carry and among the elements."""
    transition = tf.nn.softmax(tf.reshape(tf.concat([x, y[:4]], 0), [3, 3]))

    def step(belief, evidence):
        return tf.linalg.matvec(transition, belief, transpose_a=True) * tf.exp(-evidence * x[:3])

    beliefs = tf.scan(step, y, initializer=tf.fill([3], tf.constant(1 / 3, x.dtype)))
    return tf.math.log(tf.reduce_sum(beliefs[-1]))


GROUPS: dict[str, list[Function]] = {
    "straight": [
        elementwise, broadcasting, shapes, along_axes, matrices, products, solves, indexing,
        sorting, convolution, depthwise_convolution,
    ],
    "branches": [cond, cond_that_would_be_infinite, switch_case, called, own_gradient],
    "loops": [fixed_loop, loop_until_done, loop_in_loop, loop_in_branch, branch_in_loop],
    "lists": [
        scan, map_fn, foldl, array_written, array_read_back, array_that_grows, array_until_done,
        array_left_early, weights_in_a_loop, list_as_a_stack,
        list_that_shrinks, matrix_states,
    ],
}  # fmt: skip
