"""Values that are spread over arrays are stored: compiling takes little memory for any width."""

from __future__ import annotations

import gc
import re
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.backend import materialize
from pcbatch.backend.materialize import MOST_WAYS, materialized, ways
from tests.backend.hlo import computations

WIDTH, MEMBERS = 40, 8


def hashed(n: tf.Tensor, rounds: int) -> tf.Tensor:
    """A number to which some five ways more lead with each round."""
    for _ in range(rounds):
        n = tf.bitwise.bitwise_xor(n, tf.bitwise.left_shift(n, 5)) + tf.bitwise.right_shift(n, 3)
    return n


@pcbatch.autobatch
def tossed(key, a, b):
    """A choice between rows by a random number, in a loop: what NUTS does with positions."""
    for i in range(3):
        if pcbatch.random.bernoulli(pcbatch.random.fold_in(key, i)):
            a = b * 0.5
        else:
            b = a + 1.0
    return a, b


@pcbatch.autobatch
def chosen(n, a, b):
    """The same by a hash of integers, which is no function of ours."""
    k = 0
    while k < 3:
        n = hashed(n, 12)
        a, b = (b, a) if n % 2 == 0 else (a, b)
        k += 1
    return a


@pcbatch.autobatch
def scaled(n, a):
    """A number that multiplies a row."""
    k = 0
    while k < 3:
        n = hashed(n, 12)
        a = a * tf.cast(n % 3, tf.float32)
        k += 1
    return a


N = tf.range(MEMBERS) + 1
A = tf.reshape(tf.range(1.0 * MEMBERS * WIDTH), [MEMBERS, WIDTH])
KEYS = pcbatch.random.split(pcbatch.random.key(0), MEMBERS)
PROGRAMS = {
    "tossed": (tossed, (KEYS, A, -A)),
    "chosen": (chosen, (N, A, -A)),
    "scaled": (scaled, (N, A)),
}


def _operands(line: str) -> list[str]:
    inside = re.search(r" [\w\-]+\(([^)]*)\)", line)
    return re.findall(r"%([\w.\-]+)", inside[1]) if inside else []


def _numbers(line: str) -> int:
    """How many numbers an instruction of HLO gives."""
    shape = re.search(r"= \w+\[([\d,]*)\]", line)
    return int(np.prod([int(d) for d in shape[1].split(",") if d])) if shape else 0


def most_ways_of_what_is_spread(text: str) -> int:
    """The most ways, within one fusion of a compiled program, to a value that it spreads."""
    most = 0
    for lines in computations(text).values():
        found: dict[str, int] = {}
        numbers: dict[str, int] = {}
        for line in lines:
            name = re.match(r"(?:ROOT )?%([\w.\-]+) =", line)
            if name is None:
                continue
            read = [x for x in _operands(line) if x in found]
            beginning = re.search(r" (parameter|constant|get-tuple-element|fusion|while)\(", line)
            found[name[1]] = 1 if beginning or not read else sum(found[x] for x in read)
            numbers[name[1]] = _numbers(line)
            if " broadcast(" in line:
                spread = [x for x in read if 1 < numbers[x] < numbers[name[1]]]
                most = max([most, *(found[x] for x in spread)])
    return most


def compiled(name: str, schedule: str) -> str:
    function, args = PROGRAMS[name]
    anew = pcbatch.autobatch(function.__wrapped__)
    text: str = anew.lower(*args).compile(schedule=schedule).as_text("optimized_hlo")
    return text


@pytest.mark.every(6)
@pytest.mark.parametrize("schedule", ["sweep", "switch"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_kernel_computes_much_of_what_it_spreads(name: str, schedule: str) -> None:
    assert most_ways_of_what_is_spread(compiled(name, schedule)) <= MOST_WAYS


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["tossed", "chosen"])
def test_the_test_sees_what_it_is_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA fuses the conditions of choices; it leaves what `scaled` multiplies by alone."""
    monkeypatch.setattr(materialize, "MOST_WAYS", 1 << 100)
    monkeypatch.setattr(materialize, "_ways_of", lambda *_: 1)
    assert most_ways_of_what_is_spread(compiled(name, "sweep")) > MOST_WAYS


@pytest.mark.every(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_plain_python(name: str) -> None:
    function, args = PROGRAMS[name]
    results = [function.single(*(x[i] for x in args)) for i in range(MEMBERS)]
    wanted = tf.nest.map_structure(lambda *x: np.stack(x), *results)
    tf.nest.map_structure(np.testing.assert_array_equal, function(*args), wanted)


def test_ways_are_counted_to_a_limit() -> None:
    with tf.Graph().as_default():
        n = tf.compat.v1.placeholder(tf.int32, [3])
        assert ways(n) == 1
        assert ways(n + n) == 2
        assert ways(hashed(n, 1)) == ways(hashed(n, 1))
        assert ways(hashed(n, 1)) < ways(hashed(n, 2)) < MOST_WAYS
        assert ways(hashed(n, 1000)) == MOST_WAYS + 1


SAME: dict[str, Any] = {
    "bool": [True, False],
    "int8": [-128, 127],
    "int32": [-(2**31), -1, 0, 2**31 - 1],
    "int64": [-(2**63), 2**63 - 1],
    "uint8": [0, 255],
    "uint32": [0, 2**32 - 1],
    "float32": [-0.0, np.inf, -np.inf, 1e-40],
    "float64": [-0.0, 5e-324],
    "bfloat16": [1.5, -0.0],
    "float16": [6e-8, -0.0],
}


def _bits(value: Any) -> bytes:
    found: Callable[[], bytes] = np.asarray(value).tobytes
    return found()


@pytest.mark.parametrize("dtype", SAME)
def test_a_stored_value_has_the_same_bits(dtype: str) -> None:
    value = tf.constant(SAME[dtype], dtype)
    stored = tf.function(materialized, jit_compile=True)(value)
    assert stored.dtype == value.dtype
    assert _bits(stored) == _bits(value)


def test_a_value_is_stored_once_and_keeps_no_graph() -> None:
    graph = tf.Graph()
    with graph.as_default():
        deep = hashed(tf.compat.v1.placeholder(tf.int32, [3]), 30)
        assert materialize.spread(deep) is materialize.spread(deep)
        assert materialize.spread(deep) is not deep
        with tf.Graph().as_default():
            assert materialize.spread(deep) is deep
    kept = weakref.ref(graph)
    del graph, deep
    gc.collect()
    assert kept() is None
