"""Results, and arguments, that are texts or constants of an Enum: what callers get, and give."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ArgumentError, PcbatchError
from tests.conformance.programs.record import ints
from tests.runtime.executors import Here
from tests.support.enums import Light, Speed
from tests.support.members import check

N = ints(0, 1, 2, 3, 5, 6, 15)
FIZZ = ["FizzBuzz", "", "", "Fizz", "Buzz", "Fizz", "FizzBuzz"]


class Found(NamedTuple):
    name: str
    number: int


@pcbatch.autobatch(jit=False)
def fizz(n):
    if n % 15 == 0:
        return "FizzBuzz"
    if n % 3 == 0:
        return "Fizz"
    return "Buzz" if n % 5 == 0 else ""


@pcbatch.autobatch(jit=False)
def mixed(color, n):
    if color == "red" and n > 1:
        return "purple"
    return color


@pcbatch.autobatch(jit=False)
def other(light):
    return Light.RED if light is Light.GREEN else Light.GREEN


# --- Results --------------------------------------------------------------------------------------


def always(n):
    return "ok"


def in_a_structure(n):
    kind = "odd" if n % 2 else "even"
    return Found(kind, n), [kind, "fixed"], {"light": Light.RED if n < 3 else Light.GREEN}


def text_or_none(n):
    if n > 3:
        return "big"
    return None


def list_of_texts(n):
    words = []
    for k in range(n % 7):
        words.append("even" if k % 2 == 0 else "odd")
    return words


def list_or_none(n):
    if n == 2:
        return None
    return ["low" if k < 2 else "high" for k in range(n % 7)]


def of_a_table(n):
    return ["Mon", "Tue", "Wed", "Thu"][n % 4], {0: "zero", 1: "one"}.get(n, "many")


def text_of_an_enum(n):
    return (Speed.SLOW if n < 4 else Speed.FAST), (Light.RED if n else Light.GREEN)


def or_an_exception(n):
    if n == 3:
        raise ValueError("three")
    return "a" if n > 3 else "b"


def by_recursion(n):
    if n < 2:
        return "done"
    return by_recursion(n - 2) if n % 3 else "three"


PROGRAMS: list[Callable[..., Any]] = [
    always, in_a_structure, text_or_none, list_of_texts, list_or_none, of_a_table, text_of_an_enum,
    or_an_exception, by_recursion,
]  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_values(program: Callable[..., Any]) -> None:
    check(program, N, jit=False)


@pytest.mark.parametrize("how", [{"strategy": "local"}, {"strategy": "hybrid"}, {"shards": 2}, {}])
def test_each_strategy(how: dict[str, Any]) -> None:
    assert fizz.run(N, jit=True, **how).value.tolist() == FIZZ


def test_what_callers_do_with_labels() -> None:
    found = fizz(N)
    assert found.tolist() == list(found) == FIZZ
    assert (found.numpy() == FIZZ).all()
    assert np.asarray(found).tolist() == FIZZ
    assert (len(found), found[3], found[-3:].tolist()) == (7, "Fizz", FIZZ[-3:])
    assert found[found == "Fizz"].tolist() == ["Fizz"] * 2
    assert found[[0, -1]].tolist() == ["FizzBuzz"] * 2
    with pytest.raises(IndexError):
        found[7]
    assert (found == "Fizz").numpy().tolist() == [word == "Fizz" for word in FIZZ]
    assert (found != fizz(N[::-1])).numpy().any()
    assert repr(found) == f"pcbatch.Labels({FIZZ})"


def test_constants_of_an_enum() -> None:
    found = other(pcbatch.Labels([Light.RED, Light.GREEN]))
    assert found.tolist() == [Light.GREEN, Light.RED]
    assert found.numpy().dtype == object
    assert (found == Light.RED).numpy().tolist() == [False, True]


def test_a_member_that_did_not_return_has_no_label() -> None:
    found = pcbatch.autobatch(or_an_exception).run(N, jit=False).value
    assert found.tolist() == ["b", "b", "b", None, "a", "a", "a"]
    assert found.numpy()[3] == ""


def test_another_text_in_the_place_of_none() -> None:
    found = pcbatch.autobatch(text_or_none)(N)
    assert found.filled("small").tolist() == ["small" if n <= 3 else "big" for n in np.asarray(N)]


# --- Arguments ------------------------------------------------------------------------------------

COLORS = ["red", "grün", "red"]


@pytest.mark.parametrize(
    "make", [pcbatch.Labels, np.array, tf.constant, lambda x: np.array(x, object)]
)
def test_texts_of_each_member_as_an_argument(make: Callable[..., Any]) -> None:
    assert mixed(make(COLORS), ints(1, 2, 3)).tolist() == ["red", "grün", "purple"]


def test_labels_in_a_structure() -> None:
    def f(state):
        return state["n"] if state["color"] == "red" else -1

    value = pcbatch.autobatch(f, jit=False)({"color": np.array(COLORS), "n": ints(1, 2, 3)})
    assert value.numpy().tolist() == [1, -1, 3]


def test_what_one_function_returns_another_one_takes() -> None:
    assert mixed(fizz(N), N).tolist() == FIZZ


def test_one_text_for_all_members_is_static() -> None:
    f = pcbatch.autobatch(lambda n, mode: n if mode == "fast" else -n, jit=False)
    assert f.run(N, "fast", in_axes=(0, None)).value.numpy().tolist() == np.asarray(N).tolist()


def test_a_list_of_texts_is_no_batch() -> None:
    with pytest.raises(ArgumentError, match=r"np\.array\(words\) of a list of texts"):
        pcbatch.autobatch(lambda words: len(words))(["red", "blue"])


def test_a_table_of_texts_is_refused() -> None:
    with pytest.raises(ArgumentError, match="a member has one text"):
        mixed(np.array([COLORS]), ints(1))


def test_labels_are_one_for_each_member() -> None:
    labels = pcbatch.Labels(COLORS)
    with pytest.raises(ArgumentError, match="which text, or constant of an Enum, the member has"):
        mixed.run(labels, ints(1, 2, 3), in_axes=(None, 0))


@pytest.mark.parametrize("values", [[1, 2], [], ["red", Light.RED], [None, "red"]])
def test_labels_are_made_of_texts_or_constants(values: list[Any]) -> None:
    with pytest.raises(TypeError, match="texts, or of constants of one Enum"):
        pcbatch.Labels(values)


# --- Elsewhere ------------------------------------------------------------------------------------


def test_map_gives_and_takes_texts() -> None:
    assert list(pcbatch.map(fizz, N)) == FIZZ
    pairs = zip(COLORS, [1, 2, 3], strict=True)
    assert list(pcbatch.map(mixed, pairs, lanes=2)) == ["red", "grün", "purple"]
    assert list(pcbatch.map(other, [Light.RED, Light.GREEN])) == [Light.GREEN, Light.RED]


def test_one_example() -> None:
    assert mixed.single("red", 2) == "purple"


def test_through_a_graph() -> None:
    @tf.function(autograph=False)
    def graph(n):
        found = fizz(n)
        return found, found == "Fizz"

    found, equal = graph(tf.constant(N))
    assert found.tolist() == FIZZ
    assert equal.numpy().tolist() == [word == "Fizz" for word in FIZZ]


def test_pickled_and_taken_apart() -> None:
    found = fizz(N)
    assert pickle.loads(pickle.dumps(found)).tolist() == FIZZ
    assert tf.nest.map_structure(lambda x: x[2:4], found).tolist() == FIZZ[2:4]


def test_on_workers() -> None:
    assert fizz.run(N, executor=Here(), parts=2, jit=True).value.tolist() == FIZZ


def test_an_exported_program_returns_numbers(tmp_path) -> None:
    pytest.importorskip("jax")
    with pytest.raises(PcbatchError, match="an exported program returns arrays of numbers"):
        fizz.lower(N).compile().export(tmp_path / "fizz.zip")
