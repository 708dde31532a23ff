"""Results that are None for some members: what callers get, and what they may do with it."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ArgumentError
from tests.conformance.programs.record import ints
from tests.runtime.executors import Here

N = ints(0, 1, 2, 9, -1, -4, 5)
X = np.array([4.0, -1.0, 0.25], np.float32)


@pcbatch.autobatch(jit=False)
def root(n):
    if n < 0:
        return None
    return math.sqrt(n)


@pcbatch.autobatch(jit=False)
def divisor(n):
    for p in range(2, n):
        if n % p == 0:
            return p, [p, n]


@pcbatch.autobatch(jit=False)
def countdown(n):
    if n < 0:
        return None
    steps = []
    while n > 0:
        steps.append(n)
        n //= 2
    return steps


@pcbatch.autobatch(jit=False)
def square(x):
    if x < 0:
        return None
    return x * x


@pcbatch.autobatch(jit=False)
def or_else(n, found):
    if found is None:
        return -n
    return found


ROOTS = [None if n < 0 else math.sqrt(n) for n in N.tolist()]
COUNTDOWNS = [[], [1], [2, 1], [9, 4, 2, 1], None, None, [5, 2, 1]]


def test_it_has_the_values_and_which_members_have_one() -> None:
    found = root(N)
    assert isinstance(found, pcbatch.Optional)
    assert found.has_value.numpy().tolist() == [n >= 0 for n in N]
    assert found.is_none.numpy().tolist() == [n < 0 for n in N]
    assert found.value.numpy().tolist() == [x or 0.0 for x in ROOTS]
    assert found.tolist() == ROOTS
    assert found.filled(-1).numpy().tolist() == [-1.0 if x is None else x for x in ROOTS]
    assert repr(found) == f"pcbatch.Optional({ROOTS})"


def test_single_gives_pythons() -> None:
    assert root.single(-4) is None
    assert root.single(9) == 3.0


def test_of_a_structure_each_leaf_is_zero_where_there_is_none() -> None:
    found = divisor(N)
    first, (second, third) = found.value
    assert found.has_value.numpy().tolist() == [False] * 3 + [True] + [False] * 3
    assert [x.numpy().tolist() for x in (first, second, third)] == [
        [0, 0, 0, 3, 0, 0, 0], [0, 0, 0, 3, 0, 0, 0], [0, 0, 0, 9, 0, 0, 0],
    ]  # fmt: skip
    assert found.tolist() == [None] * 3 + [(3, [3, 9])] + [None] * 3
    assert [x.numpy()[0] for x in tf.nest.flatten(found.filled(7))] == [7, 7, 7]


def test_of_a_list_there_is_an_empty_row_where_there_is_none() -> None:
    found = countdown(N)
    assert isinstance(found.value, tf.RaggedTensor)
    assert found.value.to_list() == [x or [] for x in COUNTDOWNS]
    assert found.tolist() == COUNTDOWNS
    with pytest.raises(TypeError, match="no number stands for a list"):
        found.filled(0)


def looked_up(n, x):
    """In the program some value of the dict stands where there is none."""
    return {0: x, 9: x * x}.get(n)


def test_nothing_is_seen_of_what_stands_where_there_is_none() -> None:
    value = pcbatch.autobatch(looked_up).run(N, N + 1, jit=False).value
    assert value.tolist() == [1, None, None, 100, None, None, None]
    assert value.value.numpy().tolist() == [1, 0, 0, 100, 0, 0, 0]


WAYS: tuple[dict[str, Any], ...] = (
    {"jit": True, "shards": 3},
    {"jit": False, "schedule": "switch"},
    {"strategy": "local"},
    {"strategy": "hybrid"},
    {"strategy": "loop"},
)


@pytest.mark.every(2)
@pytest.mark.parametrize("how", WAYS, ids=str)
def test_every_way_gives_the_same(how: dict[str, Any]) -> None:
    assert root.run(N, **how).value.tolist() == ROOTS
    if how.get("jit") is not True:
        assert countdown.run(N, **how).value.tolist() == COUNTDOWNS


def test_workers_give_the_same() -> None:
    how = {"executor": Here(), "parts": 2, "jit": True}
    assert root.run(N, **how).value.tolist() == ROOTS


def test_a_checkpoint_goes_on_to_the_same(tmp_path: Any) -> None:
    path = str(tmp_path / "run")
    result = countdown.run(N, checkpoint=path, max_steps=3)
    assert result.status.numpy().any()
    assert countdown.run(N, checkpoint=path, resume=True).value.tolist() == COUNTDOWNS


def test_members_that_fail_have_a_status() -> None:
    def checked(n):
        if n == 9:
            raise ValueError("no nine")
        return None if n < 0 else n

    result = pcbatch.autobatch(checked).run(N, jit=False)
    assert result.status.numpy().astype(bool).tolist() == [n == 9 for n in N]
    done = [x for x, n in zip(result.value.tolist(), N.tolist(), strict=True) if n != 9]
    assert done == [0, 1, 2, None, None, 5]


def test_a_batch_without_members() -> None:
    assert root(N[:0]).tolist() == []


def test_map_gives_none() -> None:
    assert list(pcbatch.map(root, N, lanes=2)) == ROOTS
    assert list(pcbatch.map(countdown, N, lanes=2)) == COUNTDOWNS
    mapped = pcbatch.map(countdown, N, lanes=2).result()
    assert mapped.value.tolist() == COUNTDOWNS
    assert mapped.value.value.dtype == tf.int32


def test_map_gives_lists_and_what_is_none_for_all() -> None:
    def halves(n):
        steps = []
        while n > 0:
            steps.append(n)
            n //= 2
        return steps, None

    wanted = [(x or [], None) for x in COUNTDOWNS]
    made = pcbatch.autobatch(halves)
    assert list(pcbatch.map(made, N, lanes=2, jit=False)) == wanted
    rows, none = pcbatch.map(made, N, lanes=2, jit=False).result().value
    assert (rows.to_list(), none) == ([x for x, _ in wanted], None)


# --- As an argument ------------------------------------------------------------------------------


def test_it_goes_in_again() -> None:
    wanted = [-n if x is None else x for n, x in zip(N.tolist(), ROOTS, strict=True)]
    assert or_else(N, root(N)).numpy().tolist() == wanted
    assert or_else.run(N, root(N), strategy="loop").value.numpy().tolist() == wanted
    compiled = or_else.lower(N, root(N)).compile(jit=False)
    assert compiled(N, root(N)).numpy().tolist() == wanted


def test_a_structure_goes_in_again() -> None:
    def total(pair):
        return None if pair is None else pair[0] + sum(pair[1])

    assert pcbatch.autobatch(total).run(divisor(N), jit=False).value.tolist()[3] == 15


def test_one_for_all_members_goes_in() -> None:
    one = pcbatch.Optional(has_value=True, value=1.5)
    value = or_else.run(N, one, in_axes=(0, None)).value
    assert value.numpy().tolist() == [1.5] * len(N)


def test_lists_of_a_length_per_member_do_not_go_in() -> None:
    with pytest.raises(ArgumentError, match=r"`found\.value` is a ragged tensor"):
        or_else(N, countdown(N))


@pytest.mark.parametrize("has_value", [np.zeros(7), np.ones((7, 2), bool)])
def test_has_value_is_a_bool_for_each_member(has_value: np.ndarray) -> None:
    with pytest.raises(ArgumentError, match="whether the member has a value"):
        or_else(N, pcbatch.Optional(has_value=has_value, value=N))


def test_a_function_of_tensors_does_not_take_it() -> None:
    with pytest.raises(ArgumentError, match=r"argument 0 has a pcbatch\.Optional"):
        pcbatch.vectorize(lambda pair: pair[0])((root(N), N))


# --- With TensorFlow -----------------------------------------------------------------------------


def test_a_tape_gives_no_adjoint_to_none() -> None:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(square(x).value)
    assert tape.gradient(total, x).numpy().tolist() == [8.0, 0.0, 0.5]


def test_a_tape_gives_no_adjoint_to_what_stands_for_none() -> None:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = pcbatch.autobatch(looked_up).run(ints(0, 1, 9), x, jit=False).value
        total = tf.reduce_sum(found.value)
    assert tape.gradient(total, x).numpy().tolist() == [1.0, 0.0, 0.5]


def test_a_tape_sees_the_argument() -> None:
    def scaled(x, o):
        return x if o is None else x * o

    x, values = tf.constant(X), tf.constant([3.0, 5.0, 7.0])
    with tf.GradientTape() as tape:
        tape.watch((x, values))
        given = pcbatch.Optional(has_value=tf.constant([True, False, True]), value=values)
        total = tf.reduce_sum(pcbatch.autobatch(scaled).run(x, given, jit=False).value)
    slopes = [found.numpy().tolist() for found in tape.gradient(total, (x, values))]
    assert slopes == [[3.0, 1.0, 7.0], [4.0, 0.0, 0.25]]


def test_it_stands_beside_a_gradient() -> None:
    def with_none(x):
        return x * x, None if x < 0 else x

    (value, beside), slope = pcbatch.value_and_grad(with_none, has_aux=True).run(X, jit=False).value
    assert value.numpy().tolist() == [16.0, 1.0, 0.0625]
    assert beside.tolist() == [4.0, None, 0.25]
    assert slope.numpy().tolist() == [8.0, -2.0, 0.5]


def test_it_goes_through_a_graph() -> None:
    @tf.function(autograph=False)
    def graph(n, found):
        return root(n), or_else(n, found)

    found, chosen = graph(tf.constant(N), root(N))
    assert found.tolist() == ROOTS
    assert chosen.numpy().tolist() == or_else(N, root(N)).numpy().tolist()


def test_it_is_taken_apart_by_tensorflow_and_pickled() -> None:
    found = root(N)
    assert tf.nest.map_structure(lambda x: x[3:5], found).tolist() == ROOTS[3:5]
    assert pickle.loads(pickle.dumps(found)).tolist() == ROOTS


USES: tuple[Callable[[Any], Any], ...] = (
    bool, list, len, lambda found: found == 3.0, lambda found: found[0],
    lambda found: found + 1, lambda found: found > 1,
)  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_it_is_no_array_itself(use: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        use(root(N))


def test_what_it_says_of_a_wrong_use() -> None:
    with pytest.raises(TypeError, match=r"\.value has it; \.filled\(x\) is an array"):
        bool(root(N))
