"""Random states, clocks, variables and texts: refused in the user's words, with a way out."""

from __future__ import annotations

import datetime
import functools
import os
import random
import re
import secrets
import time
import uuid

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.support.members import check
from tests.support.tolerances import Tolerance, assert_close

TOTAL = tf.Variable(1.0, dtype=tf.float64)
COUNTS = tf.Variable([1.0, 2.0], dtype=tf.float64)
NUMPY_STATE, PYTHON_STATE = np.random.default_rng(0), random.Random(1)
TENSORFLOW_STATE = tf.random.Generator.from_seed(1)


class Noise:
    def __init__(self):
        self.state = np.random.default_rng(0)

    def draw(self):
        return self.state.normal()


NOISE = Noise()


def from_numpy(x):
    return x + np.random.normal()


def from_a_generator(x):
    return x + NUMPY_STATE.normal()


def from_python(x):
    return x * random.choice([1.0, 2.0])


def from_entropy(x):
    return x + np.random.default_rng().normal()


def at_a_time(x):
    return x + time.time()


@tf.function
def counting(x):
    TOTAL.assign_add(x)
    return x


CHANGES = {
    "assign_add": lambda x: TOTAL.assign_add(x) + TOTAL,
    "assign": lambda x: TOTAL.assign(x),
    "assign_sub": lambda x: (TOTAL.assign_sub(x), x)[1],
    "scatter_nd_update": lambda x: (COUNTS.scatter_nd_update([[0]], [x]), x)[1],
    "in a tf.function": lambda x: counting(x),
}
DRAWS = {
    "numpy": lambda x: x + np.random.random(),
    "numpy, with arguments": lambda x: x + np.random.normal(0, 1),
    "numpy's seed": lambda x: (np.random.seed(0), x)[1],
    "a generator": lambda x: x + NUMPY_STATE.normal(),
    "a generator without a seed": lambda x: x + np.random.default_rng().normal(),
    "a generator seeded by a member": lambda x: x + random.Random(x).random(),
    "random": lambda x: x + random.random(),
    "a function of random": lambda x: x + random.gauss(0, 1),
    "a generator of random": lambda x: x + PYTHON_STATE.random(),
    "the system's": lambda x: x + random.SystemRandom().random(),
    "urandom": lambda x: x + os.urandom(1)[0],
    "uuid": lambda x: x + uuid.uuid4().int % 3,
    "secrets": lambda x: x + secrets.randbelow(3),
    "choice of secrets": lambda x: x + secrets.choice([1, 2]),
    "TensorFlow's normal": lambda x: x + tf.random.normal([], dtype=tf.float64),
    "TensorFlow's shuffle": lambda x: x + tf.random.shuffle(tf.constant([1.0], tf.float64))[0],
    "TensorFlow's generator": lambda x: x + TENSORFLOW_STATE.normal([], dtype=tf.float64),
    "a partial": lambda x: x + functools.partial(np.random.normal, 0.0, 1.0)(),
    "a comprehension": lambda x: sum([np.random.random() for _ in range(3)], x),
    "map": lambda x: x + sum(map(NUMPY_STATE.normal, [0.0, 1.0])),
    "an attribute": lambda x: x + NOISE.state.normal(),
    "a method": lambda x: x + NOISE.draw(),
    "a helper, numpy": lambda x: from_numpy(x),
    "a helper, a generator": lambda x: from_a_generator(x),
    "a helper, random": lambda x: from_python(x),
}
CLOCKS = {
    "time": lambda x: x + time.time(),
    "perf_counter": lambda x: x + time.perf_counter(),
    "monotonic": lambda x: x + time.monotonic(),
    "now": lambda x: x + datetime.datetime.now().second,
    "today": lambda x: x + datetime.date.today().day,
    "timestamp": lambda x: x + tf.timestamp(),
    "a helper": lambda x: at_a_time(x),
    "a helper, entropy": lambda x: from_entropy(x),
}
TEXTS = {
    "percent of a float": lambda n: len("%g" % (n / 2)),
    "print": lambda n: print(n),
    "print of a list": lambda n: print("n", [n]),
    "a method": lambda n: len(n.__str__()),
    "hash": lambda n: hash(n),
    "id": lambda n: id(n),
}
KNOWN_TEXTS = {
    "str of a float": lambda n: len(str(n / 2)),
    "str of a list": lambda n: len(str([n])),
    "an f-string of a float": lambda n: len(f"{n / 2}"),
    "a comprehension": lambda n: len([str(k / 2) for k in (n, n)]),
    "repr of a list": lambda n: shown([n, n]),
    "a quotient": lambda n: shown(n / 2),
    "str that is returned": lambda n: str(n),
    "format": lambda n: len(format(n)),
    "an f-string": lambda n: 1 if f"{n:>3}" == "  3" else 0,
    "str.format": lambda n: len("{}".format(n)),  # noqa: UP032
    "str.format by name": lambda n: len("{n}".format(n=n)),  # noqa: UP032
    "percent": lambda n: len("%d" % n),  # noqa: UP031
    "percent of a tuple": lambda n: len("%s %s" % (n, 1)),  # noqa: UP031
    "chr": lambda n: ord(chr(n)),
    "a join": lambda n: len(",".join(map(str, [n, n]))),
    "a key": lambda n: {"3": 1}.get(str(n), 0),
    "a sort": lambda n: sorted([n, n], key=str)[0],
    "a helper with an f-string": lambda n: compared(n) + 1,
    "a helper with percent": lambda n: percent(n),
    "repeated": lambda n: len("ab" * n),
}


def shown(n):
    return len(str(n))


def exponent(n):
    return len(f"{n / 2:e}")


def compared(n):
    return 1 if f"{n}" == "3" else 0


def printed(n):
    print("n is", n)
    return n


def percent(n):
    return {"3": 1}.get("%s" % n, 0)  # noqa: UP031


IN_HELPERS = {
    "print": lambda n: printed(n),
    "an exponent": lambda n: exponent(n),
}


def repeated_text(n):
    return len(b"ab" * n)


def refusal(function, argument) -> str:
    with pytest.raises(pcbatch.ProgramError) as caught:
        pcbatch.autobatch(function).lower(argument)
    assert "tests/frontend/test_misuse.py" in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", CHANGES)
def test_changing_a_variable_is_refused(name) -> None:
    assert "is changed" in refusal(CHANGES[name], np.zeros(3))
    assert TOTAL.numpy() == 1.0


@pytest.mark.parametrize("name", DRAWS)
def test_drawing_from_a_random_state_is_refused(name) -> None:
    assert "random numbers are drawn from a state" in refusal(DRAWS[name], np.zeros(3))


@pytest.mark.parametrize("name", CLOCKS)
def test_reading_a_clock_is_refused(name) -> None:
    assert "is read when the function is traced" in refusal(CLOCKS[name], np.zeros(3))


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_of_a_member_is_refused(name, capsys) -> None:
    text = refusal(TEXTS[name], np.array([3, 12], np.int32))
    assert "is asked of a value of a member" in text
    assert "debug_print" in text and "Tensor(" not in text
    assert capsys.readouterr().out == ""


@pytest.mark.every(16)
@pytest.mark.parametrize("name", KNOWN_TEXTS)
def test_the_text_of_an_integer_is_known(name) -> None:
    check(KNOWN_TEXTS[name], np.array([3, 12], np.int32), jit=False)


@pytest.mark.parametrize("name", IN_HELPERS)
def test_the_text_of_a_member_is_refused_in_a_helper(name, capsys) -> None:
    text = refusal(IN_HELPERS[name], np.array([3, 12], np.int32))
    assert "is asked of a value of a member" in text
    assert re.search(r" in (exponent|printed)$", text, re.MULTILINE)
    assert "Tensor(" not in text + capsys.readouterr().out


def vector(x):
    if x.shape.rank != 1:
        raise ValueError(
            f"a vector is needed, not {x}",
        )
    assert x.shape[0] == 3, f"three numbers are needed, not {x}"
    return x


@pytest.mark.parametrize("shape, said", [((2, 3, 3), "a vector"), ((2, 4), "three numbers")])
def test_the_message_of_a_helpers_own_exception_is_the_helpers(shape, said) -> None:
    assert f"{said} {'is' if 'vec' in said else 'are'} needed" in refusal(
        lambda x: vector(x), np.zeros(shape)
    )


def test_texts_of_symbolic_tensors_are_tensorflows_elsewhere() -> None:
    texts = []
    tf.function(lambda x: texts.append((str(x), repr(x), f"{x}")) or x)(tf.constant(1.0))
    assert all("x:0" in text and "float32" in text for text in texts[0])


def test_repeating_text_a_members_number_of_times_is_refused() -> None:
    assert "is repeated" in refusal(repeated_text, np.array([3, 12], np.int32))


REPEATED = {
    "a list": lambda n: len([7] * n),
    "a tuple": lambda n: len((7,) * n),
    "from the left": lambda n: len(n * [7]),
    "a list of members": lambda n: sum([n] * n),
}


@pytest.mark.parametrize("name", REPEATED)
def test_a_list_or_tuple_is_repeated_as_often_as_a_member_says(name) -> None:
    result = pcbatch.autobatch(REPEATED[name]).run(np.array([3, 12], np.int32), strategy="local")
    assert result.value.numpy().tolist() == [REPEATED[name](n) for n in (3, 12)]


def timed(x):
    began = time.perf_counter()
    y = x + 1.0
    assert time.perf_counter() >= began
    return y


def seeded(x):
    return x + float(np.random.default_rng(0).normal())


CACHE: dict[str, float] = {}


def cached(x):
    """Makes something at the first call only; the name of a clock makes it worth a second look."""
    if "now" not in CACHE:
        CACHE["now"] = float(np.random.RandomState(0).normal())
    return x + CACHE["now"]


@pytest.mark.parametrize("helper", [timed, seeded, cached], ids=lambda f: f.__name__)
def test_what_gives_the_same_each_time_is_no_misuse(helper) -> None:
    program = pcbatch.autobatch(lambda x: helper(x) * 2.0)
    found = program.run(np.arange(3.0), strategy="local").value
    assert_close(found, [helper(k) * 2.0 for k in range(3)], Tolerance(1e-12))


def test_text_and_products_of_what_is_the_same_for_all_are_pythons() -> None:
    def program(x):
        label = f"{3:>2}" + str(4) + "%d" % 5  # noqa: UP031
        return x * len(label) + len([7] * 3), [1.0, 2.0] * tf.stack([x, x])

    count, product = pcbatch.autobatch(program).run(np.arange(3.0), strategy="local").value
    np.testing.assert_array_equal(count, np.arange(3.0) * 4 + 3)
    np.testing.assert_array_equal(product[:, 1], 2 * np.arange(3.0))


def test_the_remedies_work() -> None:
    def digits(n):
        return np.array([len(str(k)) for k in n], np.int32)

    @pcbatch.autobatch(in_axes=(0, 0, None))
    def program(n, key, now):
        count = pcbatch.host_call(digits, n, result=tf.TensorSpec([], tf.int32))
        key = pcbatch.random.fold_in(key, n)
        return count, pcbatch.random.normal(key), now + 1.0

    keys = pcbatch.random.split(pcbatch.random.key(0), 3)
    now = tf.constant(time.time(), tf.float64)
    count, drawn, later = program.run(np.array([3, 12, 345]), keys, now, strategy="local").value
    np.testing.assert_array_equal(count, [1, 2, 3])
    assert len(set(drawn.numpy().tolist())) == 3
    np.testing.assert_array_equal(later, [now.numpy() + 1.0] * 3)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: (TOTAL.assign_add(x), x)[1],
        lambda x: (COUNTS.scatter_nd_update([[0]], [x]), x)[1],
        lambda x: (COUNTS.scatter_nd_sub([[0]], [x]), x)[1],
    ],
    ids=["assign_add", "scatter_nd_update", "scatter_nd_sub"],
)
def test_vectorize_refuses_to_change_a_variable_that_nobody_reads(change) -> None:
    with pytest.raises(pcbatch.VectorizationError, match="changes a variable"):
        pcbatch.vectorize(change)(tf.zeros(3, tf.float64))
