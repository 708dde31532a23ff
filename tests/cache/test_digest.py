"""What the digest of a program sees."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

import pcbatch
from pcbatch import ir
from pcbatch.errors import NOWHERE
from pcbatch.vm import program_digest
from pcbatch.vm.area_segments import adding
from pcbatch.vm.block_info import Prepared, prepare
from pcbatch.vm.cost_model import profile


def prepared(function: Any, *args: Any) -> Prepared:
    return prepare(pcbatch.autobatch(function).lower(*args).stack_form)


def digest(function: Any, *args: Any) -> str | None:
    return program_digest.digest(prepared(function, *args))


X = tf.constant([1.0, 2.0])


def doubled(x):
    while x < 8.0:
        x = x * 2.0
    return x


def moved():
    """The same program, at another place."""

    def doubled(x):
        while x < 8.0:
            x = x * 2.0

        return x

    return doubled


def tripled(x):
    while x < 8.0:
        x = x * 3.0
    return x


def failing(x):
    assert x > 0.0
    assert x < 9.0
    return x


def failing_otherwise(x):
    assert x > 0.0
    assert x < 9.0, "too large"
    return x


def test_places_do_not_count():
    assert digest(doubled, X) == digest(moved(), X)


@pytest.mark.parametrize("other", [tripled, failing])
def test_other_programs_have_other_digests(other):
    assert digest(doubled, X) != digest(other, X)
    assert digest(other, X) is not None


def test_types_and_messages_count():
    assert digest(doubled, X) != digest(doubled, tf.cast(X, tf.float64))
    assert digest(failing, X) != digest(failing_otherwise, X)


def test_what_else_counts():
    program = prepared(doubled, X)
    options = [(), ("sweep",), (1,), (True,), (1.0,), (None,), (NOWHERE,), (frozenset("ab"),)]
    digests = [program_digest.digest(program, *more) for more in options]
    assert None not in digests
    assert len({*digests}) == len(options)


def test_what_nothing_is_known_of_has_no_digest():
    assert program_digest.digest(prepared(doubled, X), object()) is None
    assert program_digest.digest(prepared(doubled, X), lambda x: x) is None


def summed(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return x + 1.0, x * 2.0


def summed_the_other_way(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    first, second = summed(x)
    return second, first


def test_it_counts_which_result_is_added_to_which_total():
    empty = ir.StackProgram((), {}, (), (), "", {}, {})

    def of(fn: Any) -> str | None:
        add = ir.Accumulate((), ("one", "two"), fn, ("x",), (0,), "add", NOWHERE)
        return profile(adding(add, empty), {"x": ir.TensorType("float32", ())}, {}).digest

    assert of(summed) == of(summed)
    assert of(summed) != of(summed_the_other_way)
