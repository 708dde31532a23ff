"""Relations between runs: what may be changed about a batch without changing a member's result."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from tests.conformance.programs import BY_NAME, Program
from tests.conformance.runners import assert_identical, run
from tests.support.tolerances import assert_close, rounding

# One of each kind: integer recursion, a loop, per-member arrays with calls, a buffer with side
# effects in order, random numbers, and floats in elementwise kernels.
NAMES = (
    "fib",
    "collatz",
    "tree_sum",
    "evaluation_order",
    "random_walk",
    "adaptive_quadrature",
)
SHARED = {name: BY_NAME[name] for name in NAMES}
# The first members of fib only: the cost of the others doubles with every second one.
SHARED["fib"] = dataclasses.replace(SHARED["fib"], args=SHARED["fib"].select(range(8)))
MODES = {
    "eager": {"strategy": "pc", "jit": False},
    "xla": {"strategy": "pc", "jit": True},
    "local": {"strategy": "local"},
}
COMPILED_NAMES = ("tree_sum", "random_walk", "adaptive_quadrature")
CASES = [
    pytest.param(SHARED[name], MODES[mode], id=f"{name}-{mode}")
    for name in NAMES
    for mode in MODES
    if mode != "xla" or name in COMPILED_NAMES
]


def assert_unchanged(program: Program, options: dict, actual: object, expected: object) -> None:
    """Assert equality: of every bit, but for floats in TensorFlow's own kernels.

    There the last bit of `exp` depends on where a member stands in the array, as measured in
    docs/machine.md; under XLA it does not.
    """
    if not program.roundings or options.get("jit"):
        assert_identical(actual, expected)
        return
    for a, b in zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True):
        assert_close(a, b, rounding(a.dtype, program.roundings))


def _rows(structure: object, indices: object) -> object:
    return tf.nest.map_structure(lambda leaf: leaf[indices], structure)


@pytest.mark.every(8, 2)
@pytest.mark.parametrize(("program", "options"), CASES)
def test_permuting_members_permutes_results(program: Program, options: dict) -> None:
    order = np.random.default_rng(11).permutation(program.batch_size())
    result = run(program, **options)
    permuted = run(program, program.select(order), **options)
    assert_unchanged(program, options, permuted, _rows(result, order))


@pytest.mark.every(4, 2)
@pytest.mark.parametrize(("program", "options"), CASES)
def test_same_call_twice_is_bit_identical(program: Program, options: dict) -> None:
    assert_identical(run(program, **options), run(program, **options))


@pytest.mark.every(4, 2)
@pytest.mark.parametrize(("program", "options"), CASES)
def test_batch_size_changes_nothing(program: Program, options: dict) -> None:
    """Half the members alone give the same as among all."""
    half = np.arange(program.batch_size() // 2)
    alone = run(program, program.select(half), **options)
    assert_unchanged(program, options, alone, _rows(run(program, **options), half))


@pytest.mark.every(8, 2)
@pytest.mark.parametrize(("program", "options"), CASES)
def test_member_of_a_thousand_equals_batch_of_one(program: Program, options: dict) -> None:
    members = np.random.default_rng(12).integers(0, program.batch_size(), size=1000)
    thousand = run(program, program.select(members), **options)
    alone = run(program, program.select(members[737:738]), **options)
    assert_unchanged(program, options, alone, _rows(thousand, slice(737, 738)))


@pytest.mark.every(2)
@pytest.mark.parametrize("name", NAMES)
def test_neighbours_do_not_matter(name: str) -> None:
    """A member keeps its result when all others become copies of another one."""
    program = SHARED[name]
    size = program.batch_size()
    members = np.full(size, size - 1)
    members[3] = 3
    among_copies = run(program, program.select(members), strategy="pc", jit=False)
    assert_identical(
        _rows(among_copies, slice(3, 4)),
        _rows(run(program, strategy="pc", jit=False), slice(3, 4)),
    )


@pytest.mark.every(4)
@pytest.mark.parametrize("name", NAMES)
def test_schedules_agree(name: str) -> None:
    """The order in which blocks run is not observable."""
    program = SHARED[name]
    results = [run(program, strategy="pc", jit=False, schedule=s) for s in ("switch", "sweep")]
    assert_identical(results[0], results[1])
