"""The ways to run a shared program on its batch, and how results are compared.

A runner takes a `Program` and returns the structure of batched results as NumPy arrays. One
function per way, all here, so that the conformance, metamorphic and generated tests agree on what
it means to run a program.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from pcbatch.backend.tuning import NARROW
from pcbatch.runtime.known_calls import KnownCalls
from pcbatch.semantics import pytree
from tests.conformance.programs import Program
from tests.support.tolerances import assert_close, rounding

Runner = Callable[[Program], Any]

CROWD = NARROW.fused_share * NARROW.fused_lanes + 5
"""So many members that small blocks run in crews, in one pass, too; the last has idle lanes."""


@contextlib.contextmanager
def deep_recursion(limit: int = 8_000) -> Iterator[None]:
    """Let plain Python recurse as deep as the programs do."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, limit))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def plain_members(program: Program) -> list[Any]:
    """The ground truth: plain Python on every member, one after the other."""
    with deep_recursion(), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy scalars warn where they wrap.
        return [
            tf.nest.map_structure(to_plain, program.function.single(*member, **program.static))
            for member in map(program.member, range(program.batch_size()))
        ]


def release(function: Any) -> None:
    """Drop what was compiled of a function. (`tests.support.compiled` drops what XLA keeps.)"""
    function._specializations.clear()
    function._known_calls = KnownCalls()
    function._variants.clear()
    function.transformed.clear()


def to_plain(leaf: Any) -> Any:
    """A leaf as NumPy or Python sees it; a buffer is the array that it holds."""
    if isinstance(leaf, pcbatch.Buffer):
        leaf = leaf.array
    return leaf.numpy() if tf.is_tensor(leaf) else leaf


def run(program: Program, args: tuple[Any, ...] | None = None, **options: Any) -> Any:
    """Run through the public interface; `options` go to `.run`. No member may fail."""
    args = program.args if args is None else args
    with deep_recursion():
        result = program.function.run(*args, **program.static, throw=True, **options)
    return to_arrays(result.value)


def to_arrays(structure: Any) -> Any:
    return tf.nest.map_structure(_to_array, structure)


def _to_array(leaf: Any) -> np.ndarray:
    """A leaf as an array: of texts that a program made, which are ragged, the codes of texts."""
    if isinstance(leaf, tf.RaggedTensor):
        leaf = pcbatch.Labels(pcbatch.Labels.coded(leaf, str).tolist()).code
    return np.asarray(leaf)


def _reference(program: Program, form: str) -> Any:
    lowered = program.function.lower(*program.args, **program.static)
    return to_arrays(lowered.interpret(form))


def _machine(program: Program, **options: Any) -> Any:
    return run(program, strategy="pc", **program.options, **options)


def _left_out(program: Program, **options: Any) -> Any:
    """The machine without any of its optimizations."""
    how = {"without": pcbatch.OPTIMIZATIONS, **program.options, **options}
    compiled = program.function.lower(*program.args, **program.static).compile(**how)
    with deep_recursion():
        return to_arrays(compiled(*program.args, **program.static))


def _crowd(program: Program) -> Any:
    """The batch again and again, until it is a crowd; every copy has to equal the first."""
    size = program.batch_size()
    index = np.arange(CROWD) % size
    whole = run(program, program.select(index), strategy="pc", shards=1, **program.options)
    first = tf.nest.map_structure(lambda leaf: leaf[:size], whole)
    members = [tf.nest.map_structure(lambda leaf, i=i: leaf[i], first) for i in range(size)]
    assert_matches(whole, [members[i] for i in index], program.roundings)
    return first


RUNNERS: dict[str, Runner] = {
    "loop": functools.partial(run, strategy="loop"),
    "reference-call": functools.partial(_reference, form="call"),
    "reference-stack": functools.partial(_reference, form="stack"),
    "local": functools.partial(run, strategy="local"),
    "hybrid": functools.partial(run, strategy="hybrid"),
    "eager-switch": functools.partial(_machine, jit=False, schedule="switch"),
    "eager-most-active": functools.partial(_machine, jit=False, schedule="switch-most-active"),
    "eager-sweep": functools.partial(_machine, jit=False, schedule="sweep"),
    "eager-unoptimized": functools.partial(_left_out, jit=False),
    "xla-unoptimized": functools.partial(_left_out, jit=True),
    "xla-switch": functools.partial(_machine, jit=True, schedule="switch"),
    "xla-most-active": functools.partial(_machine, jit=True, schedule="switch-most-active"),
    "xla-sweep": functools.partial(_machine, jit=True, schedule="sweep"),
    "xla-auto": functools.partial(_machine, jit=True, schedule="auto"),
    "xla-crowd": _crowd,
}

COMPILED = ("hybrid", *(name for name in RUNNERS if name.startswith("xla")))
"""The runners that compile with XLA, which takes seconds a program."""


# --- Comparison --------------------------------------------------------------------------------


def assert_matches(actual: Any, members: list[Any], roundings: int) -> None:
    """Assert that batched results equal the members' plain results.

    Args:
      actual: the batched structure, `[B, ...]` per leaf.
      members: one structure of plain results per member.
      roundings: how many operations may round differently one after the other.
    """
    members = [as_batched(actual, member) for member in members]
    for member in members:
        tf.nest.assert_same_structure(actual, member)
    columns = zip(*map(tf.nest.flatten, members), strict=True)
    pairs = zip(tf.nest.flatten(actual), columns, strict=True)
    for position, (leaf, column) in enumerate(pairs):
        _assert_leaf(leaf, column, roundings, f"result leaf {position}")


def as_batched(actual: Any, member: Any) -> Any:
    """A member's plain result in the form of the batch: an `Optional`, `Labels` of a text.

    Args:
      actual: the batched structure.
      member: the plain result; a part that is an `Optional` stays as it is.
    """
    parts = pytree.parts(actual)
    if parts is None or isinstance(member, pcbatch.Optional):
        return member
    if isinstance(actual, pcbatch.Labels) and isinstance(member, str | enum.Enum):
        code = pcbatch.Labels([member]).code.numpy()[0]
        return pcbatch.Labels.coded(code, actual.kind)
    if isinstance(actual, pcbatch.Optional):
        there = member is not None
        of_none = tf.nest.map_structure(lambda x: np.zeros(x.shape[1:], x.dtype), actual.value)
        value = as_batched(actual.value, member) if there else of_none
        return pcbatch.Optional(has_value=there, value=value)
    own = pytree.parts(member)
    if own is None or len(own) != len(parts):
        return member
    children = iter([as_batched(a, m) for a, m in zip(parts, own, strict=True)])
    return pytree.with_parts(member, lambda *_: next(children))


def _assert_leaf(actual: np.ndarray, column: tuple[Any, ...], roundings: int, place: str) -> None:
    strong = {value.dtype for value in column if hasattr(value, "dtype")}
    if len(strong) == 1:
        (least,) = strong  # A counter beside an argument of 64 bits is wider than NumPy has it.
        wide = actual.dtype.kind == least.kind == "i" and actual.dtype.itemsize > least.itemsize
        assert wide or actual.dtype == least, f"{place}: {actual.dtype}, plain Python: {least}"
    expected = np.stack([_convert(value, actual.dtype, place) for value in column])
    assert actual.shape == expected.shape, f"{place}: {actual.shape} against {expected.shape}"
    assert_close(actual, expected, rounding(actual.dtype, roundings), place)


def _convert(value: Any, dtype: np.dtype, place: str) -> np.ndarray:
    """A plain result in the machine's dtype, which must be able to hold it."""
    value = np.asarray(value)
    assert np.can_cast(value.dtype, dtype, "same_kind"), f"{place}: {dtype} for {value.dtype}"
    assert (value.dtype.kind == "b") == (dtype.kind == "b"), f"{place}: {dtype} for {value.dtype}"
    converted = value.astype(dtype)
    if dtype.kind != "f":
        assert np.array_equal(converted, value), f"{place}: {value} does not fit {dtype}"
    return converted


def assert_identical(actual: Any, expected: Any) -> None:
    """Assert equality of structure, dtypes, shapes and every bit."""
    tf.nest.assert_same_structure(actual, expected)
    for a, b in zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if a.tobytes() != b.tobytes():
            np.testing.assert_array_equal(a, b)
            raise AssertionError("equal values with different bits (signed zeros or NaN payloads)")
