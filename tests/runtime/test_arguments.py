"""Bad input: every mistake gives a pcbatch error that says what is wrong and on which line.

Mistakes in a program are found when it is first called; the error names the user's file and line
and the variable. Mistakes in a call name the argument. The lines are found by a marker comment.
"""

from __future__ import annotations

import inspect
import pathlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ArgumentError, MemberError, PcbatchError, ProgramError
from tests.conformance.programs.record import floats, ints

N = ints(0, 1, 2, 3)


def fails(kind: type[PcbatchError], call: Callable[[], Any], *fragments: str) -> str:
    """Assert that the call raises the kind of error with all fragments in its message."""
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    for fragment in fragments:
        assert re.search(fragment, message), f"{fragment!r} is not in:\n{message}"
    return message


def here(marker: str) -> str:
    """`test_arguments.py:LINE` for the line of this file that ends with the marker comment."""
    lines = pathlib.Path(__file__).read_text().splitlines()
    (line,) = [i for i, text in enumerate(lines, 1) if text.endswith(f"# {marker}")]
    return rf"test_arguments\.py:{line}\b"


# --- Mistakes in a program ---------------------------------------------------------------------


@pcbatch.autobatch
def changes_dtype(n, x):
    value = n
    if n > 0:
        value = x
    return value


@pcbatch.autobatch
def changes_shape(n):
    value = tf.zeros([2])
    if n > 0:
        value = tf.zeros([3])
    return value


@pcbatch.autobatch
def grows_in_loop(n):
    path = tf.zeros([1])
    while n > 0:
        path = tf.concat([path, path], 0)
        n = n - 1
    return path


@pcbatch.autobatch
def changes_structure(n):
    if n > 0:
        return n, n
    return n


@pcbatch.autobatch
def returns_object(n):
    if n > 0:
        n = n + 1
    return {"name": print, "value": n}


@pcbatch.autobatch
def vector_condition(x):
    if x > 0:  # vector condition
        return x
    return -x


@pcbatch.autobatch
def fails_inside(x):
    y = x * 2
    return tf.reshape(y, [7, 7])  # fails inside


@pcbatch.autobatch
def never_returns(n):  # never returns
    return never_returns(n + 1) + 1


@pcbatch.autobatch
def helper(a, b, scale=1):
    if a > b:
        return a
    return b * scale


@pcbatch.autobatch
def calls_wrongly(n):
    return helper(n) + 1  # calls wrongly


@pcbatch.autobatch
def stores_into_tensor(x):
    y = tf.identity(x)
    y[0] = 1.0  # stores into tensor
    return [x, y]


@pcbatch.autobatch
def recursive_argument_grows(x, n):
    if n == 0:
        return tf.reduce_sum(x)
    return recursive_argument_grows(tf.concat([x, x], 0), n - 1)  # argument grows


@pcbatch.autobatch
def undefined_name(n):
    if n > 0:
        return undefined_elsewhere(n)  # noqa: F821 # undefined name
    return n


X2 = np.ones([4, 2], np.float32)

PROGRAM_ERRORS = [
    (
        changes_dtype,
        (N, np.arange(4, dtype=np.uint64)),
        (r"`value`", "int32", "uint64", r"test_arguments\.py:"),
    ),
    (changes_shape, (N,), (r"`value`", r"\[2\]", r"\[3\]", r"test_arguments\.py:")),
    (grows_in_loop, (N,), (r"`path`", r"\[1\]", r"\[2\]", r"test_arguments\.py:")),
    (changes_structure, (N,), (r"test_arguments\.py:", "tuple|structure", "return")),
    (returns_object, (N,), (r"test_arguments\.py:", "name", "print", "tensor")),
    (vector_condition, (X2,), (here("vector condition"), "scalar", r"reduce_any|reduce_all")),
    (fails_inside, (X2,), (here("fails inside"), r"\[2\]|\(2,\)|2 values|2\b")),
    (never_returns, (N,), (r"test_arguments\.py:", "`never_returns`", "returns")),
    (calls_wrongly, (N,), (here("calls wrongly"), "`helper`", r"\bb\b")),
    (stores_into_tensor, (X2,), (here("stores into tensor"), r"`y", "buffer")),
    (recursive_argument_grows, (X2, N), (r"test_arguments\.py:", r"`x`", r"\[2\]|\[4\]")),
    (undefined_name, (N,), (here("undefined name"), "undefined_elsewhere")),
]


@pytest.mark.parametrize(
    ("program", "args", "fragments"), PROGRAM_ERRORS, ids=[p.__name__ for p, _, _ in PROGRAM_ERRORS]
)
@pytest.mark.parametrize("strategy", ["pc", "local"])
def test_program_errors_name_the_line(program, args, fragments, strategy) -> None:
    message = fails(ProgramError, lambda: program.run(*args, strategy=strategy), *fragments)
    assert "why:" in message


def test_program_errors_carry_the_diagnostic() -> None:
    """Tools can read the place without parsing the text."""
    with pytest.raises(ProgramError) as caught:
        calls_wrongly(N)
    span = caught.value.diagnostic.span
    assert pathlib.Path(span.file).name == pathlib.Path(__file__).name
    assert "helper(n)" in inspect.getsource(inspect.getmodule(fails)).splitlines()[span.line - 1]


def test_error_is_the_same_each_time() -> None:
    messages = {fails(ProgramError, lambda: calls_wrongly(N)) for _ in range(2)}
    assert len(messages) == 1


# --- Mistakes in a call ------------------------------------------------------------------------


@pcbatch.autobatch
def scaled_sum(n, x):
    total = x
    while n > 0:
        total += x
        n -= 1
    return total


@pcbatch.autobatch(in_axes=(0, None))
def shifted(n, table):
    return n + table[0] if n > 0 else n


@pcbatch.autobatch(in_axes=(0, {"a": 0, "b": None}))
def with_structure(n, config):
    return n + config["a"] if n > 0 else config["b"]


@pcbatch.autobatch(static_argnames=("k",))
def with_static(n, k):
    return n * k if n > 0 else n


X = floats(1, 2, 3, 4)

CALL_ERRORS = {
    "batch sizes differ": (lambda: scaled_sum(N, floats(1, 2, 3)), (r"\b4\b", r"\b3\b", "batch")),
    "no batch axis": (lambda: scaled_sum(N, np.float32(1)), (r"`?x`?", "axis|batch")),
    "no batched argument": (lambda: shifted.run(N[0], X), (r"`?n`?", "axis|batch")),
    "missing argument": (lambda: scaled_sum(N), (r"\bx\b", "missing|argument")),
    "extra argument": (lambda: scaled_sum(N, X, X), ("argument",)),
    "unknown keyword": (lambda: scaled_sum(N, X, z=X), (r"\bz\b",)),
    "bytes": (lambda: scaled_sum(N, np.array([b"a", b"b", b"c", b"d"])), (r"`?x`?", "dtype")),
    "texts": (lambda: scaled_sum(N, np.array([["a", "b"]])), (r"`?x`?", "one text")),
    "object": (lambda: scaled_sum(N, object()), (r"`?x`?", "object|tensor")),
    "ragged": (lambda: scaled_sum(N, [[1.0], [1.0, 2.0], [3.0], []]), (r"`?x`?",)),
    "structure of in_axes": (lambda: with_structure(N, (N, N)), ("in_axes",)),
    "key of in_axes": (lambda: with_structure(N, {"a": N, "c": N[0]}), ("in_axes",)),
    "static not hashable": (lambda: with_static(N, k=[1]), (r"\bk\b", "hashable|static")),
    "unknown strategy": (
        lambda: scaled_sum.run(N, X, strategy="fast"),
        ("strategy", "fast", "local"),
    ),
    "unknown schedule": (
        lambda: scaled_sum.run(N, X, schedule="best"),
        ("schedule", "best", "sweep"),
    ),
    "negative depth": (lambda: scaled_sum.run(N, X, max_stack_depth=-1), ("max_stack_depth",)),
    "negative steps": (lambda: scaled_sum.run(N, X, max_steps=-5), ("max_steps",)),
}


@pytest.mark.parametrize("name", CALL_ERRORS)
def test_call_errors_name_the_argument(name: str) -> None:
    call, fragments = CALL_ERRORS[name]
    fails(ArgumentError, call, *fragments)


def test_wrong_number_of_axes_is_refused() -> None:
    @pcbatch.autobatch(in_axes=(0, 0, None))
    def two(n, x):
        return x if n > 0 else -x

    fails(ArgumentError, lambda: two(N, X), "in_axes", r"\b3\b", r"\b2\b")


def test_axis_other_than_zero_is_refused() -> None:
    def build() -> Any:
        @pcbatch.autobatch(in_axes=1)
        def identity(n):
            return n

        return identity(np.zeros([2, 3], np.float32))

    fails(PcbatchError, build, "in_axes", r"\b1\b")


def test_static_argname_must_exist() -> None:
    def build() -> Any:
        @pcbatch.autobatch(static_argnames=("missing",))
        def identity(n):
            return n

        return identity(N)

    fails(PcbatchError, build, "static_argnames", "missing")


def test_wrong_dtype_in_a_primitive_names_the_line() -> None:
    @pcbatch.autobatch
    def rotate(x):
        return tf.bitwise.left_shift(x, 1)  # rotate

    fails(ProgramError, lambda: rotate(X), here("rotate"))


# --- Empty batches -----------------------------------------------------------------------------


@pcbatch.autobatch
def path_and_norm(x, n):
    length = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        x = x * 0.5
        length += 1
    return {"x": x, "length": length, "norms": (tf.reduce_sum(x * x), n)}


@pytest.mark.parametrize("strategy", ["pc", "local", "loop"])
def test_empty_batch_gives_empty_results(strategy: str) -> None:
    result = path_and_norm.run(
        np.zeros([0, 3], np.float64), np.zeros([0], np.int64), strategy=strategy, jit=False
    ).value
    assert set(result) == {"x", "length", "norms"}
    leaves = {"x": result["x"], "norm": result["norms"][0], "n": result["norms"][1]}
    shapes = {name: (tuple(leaf.shape), leaf.dtype.name) for name, leaf in leaves.items()}
    assert shapes == {"x": ((0, 3), "float64"), "norm": ((0,), "float64"), "n": ((0,), "int64")}
    assert tuple(result["length"].shape) == (0,)


def test_empty_batch_of_a_wrong_program_still_fails() -> None:
    fails(ProgramError, lambda: calls_wrongly(np.zeros([0], np.int32)), here("calls wrongly"))


# --- Faults of single members ------------------------------------------------------------------


@pcbatch.autobatch
def checked_root(n):
    assert n >= 0, "n must not be negative"  # checked root
    root = 0
    while (root + 1) * (root + 1) <= n:
        root += 1
    if root > 9:
        raise ValueError("too large")
    return root


@pcbatch.autobatch
def endless(n):
    while n != 10:
        n += 1
    return n


@pcbatch.autobatch
def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


@pytest.mark.parametrize("strategy", ["pc", "local"])
def test_failed_assert_stops_only_its_member(strategy: str) -> None:
    args = ints(4, -1, 81, 200, 0)
    result = checked_root.run(args, strategy=strategy)
    status, value = np.asarray(result.status), np.asarray(result.value)
    assert (status == 0).tolist() == [True, False, True, False, True]
    assert value[status == 0].tolist() == [2, 9, 0]
    assert status[1] != status[3]


def test_failed_assert_raises_with_the_members_and_the_message() -> None:
    call = lambda: checked_root(ints(4, -1, 9, 200))  # noqa: E731
    fails(
        MemberError,
        call,
        "n must not be negative",
        "too large",
        r"\b1\b",
        r"\b3\b",
        "checked_root|:",
    )


def test_step_limit_is_a_status() -> None:
    result = endless.run(ints(0, 3, 11, 10), max_steps=200)
    status = np.asarray(result.status)
    assert (status == 0).tolist() == [True, True, False, True]
    assert np.asarray(result.value)[status == 0].tolist() == [10, 10, 10]
    fails(
        MemberError, lambda: endless.run(ints(0, 11), max_steps=200, throw=True), "step", r"\b1\b"
    )


def test_stack_overflow_is_a_status() -> None:
    result = deep.run(ints(0, 2, 40, 3), max_stack_depth=5)
    status = np.asarray(result.status)
    assert (status == 0).tolist() == [True, True, False, True]
    assert np.asarray(result.value)[status == 0].tolist() == [0, 2, 3]
    fails(
        MemberError, lambda: deep.run(ints(0, 40), max_stack_depth=5, throw=True), "stack", r"\b1\b"
    )


def test_statuses_have_messages() -> None:
    """A status can be turned into words, with the user's line."""
    result = checked_root.run(ints(-1, 4))
    assert "n must not be negative" in result.message(0)
    assert re.search(here("checked root"), result.message(0))
    assert result.message(1) == ""


LIMIT = tf.constant(3.0)


@pcbatch.autobatch
def doubled_beyond(y):
    key = 2.0 * y
    while key < 100.0:
        key = key * LIMIT
    return key


@pcbatch.autobatch(in_axes=(None, 0))
def with_shared_key(key, y):
    return doubled_beyond(y + key)


@pcbatch.autobatch
def with_member_limit(LIMIT):  # the name of a global of the callee
    z = LIMIT
    while z > 0.0:
        z = z - 1.0
    return doubled_beyond(z + 2.0) + LIMIT


@pytest.mark.parametrize("strategy", ["local", "pc"])
def test_shared_tensors_and_variables_of_one_name_are_kept_apart(strategy: str) -> None:
    """An argument of one function may have the name of another's variable or global tensor."""
    ys = tf.constant([1.0, 2.5, 7.0])
    how = {"strategy": strategy, "jit": False}
    key = tf.constant(2.0)
    seen = with_shared_key.run(key, ys, **how).value
    assert seen.numpy().tolist() == [with_shared_key.single(key, y).numpy() for y in ys]
    seen = with_member_limit.run(ys, **how).value
    assert seen.numpy().tolist() == [with_member_limit.single(y).numpy() for y in ys]


def test_an_object_that_is_no_structure_is_told_how_to_be_one():
    class Point:
        def __init__(self, x):
            self.x = x

    @pcbatch.autobatch
    def f(point):
        return point.x

    with pytest.raises(
        pcbatch.errors.ArgumentError, match=r"@dataclasses\.dataclass above `Point`"
    ):
        f(Point(tf.constant([1, 2])))
