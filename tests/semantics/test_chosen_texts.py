"""A text of which a member has one of several: what is known of it, and what is refused."""

from __future__ import annotations

import enum
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics.constants import code_of

N = np.array([0, 3, 5, 9])


def last_state(n):
    return "slow" if n < 4 else "faster"


REFUSED = {
    "tensor": lambda n: tf.stack([last_state(n)]),
    "array": lambda n: np.array([last_state(n) for _ in range(n)]).size,
}


@pytest.mark.parametrize("use", REFUSED)
def test_what_is_not_known_of_a_text_is_refused(use):
    with pytest.raises(pcbatch.ProgramError, match="a text that depends on the member is used"):
        pcbatch.autobatch(REFUSED[use])(N)


def counted(n):
    counts = {"slow": 0, "faster": 0}
    for k in range(n):
        counts[last_state(k)] += 1
    return counts["slow"]


def test_a_text_of_the_member_is_a_key_of_a_dict_that_is_changed():
    batched = pcbatch.autobatch(counted)
    value = batched.run(N, strategy="local", jit=False, throw=True).value
    np.testing.assert_array_equal(value, [counted(int(n)) for n in np.asarray(N)])


def test_a_key_that_is_not_there_is_the_members_exception():
    f = pcbatch.autobatch(lambda n: {"slow": 1}[last_state(n)])
    result = f.run(N, strategy="local", jit=False)
    assert [bool(s) for s in np.asarray(result.status)] == [False, False, True, True]
    with pytest.raises(KeyError):
        f.single(9)


def test_where_a_text_is_in_another():
    f = pcbatch.autobatch(lambda n: ("a slow one".index(last_state(n)), "slow".find(last_state(n))))
    result = f.run(N, strategy="local", jit=False)
    assert result.message(3).startswith("ValueError: substring not found")
    assert [np.asarray(part)[0].item() for part in result.value] == [2, 0]


class Light(enum.Enum):
    RED = 1
    GREEN = 2


class Other(enum.Enum):
    RED = 1


class Speed(str, enum.Enum):  # noqa: UP042
    SLOW = "slow"
    FASTER = "faster"


def test_constants_of_an_enum_equal_those_of_the_same_enum():
    def f(n):
        light = Light.RED if n < 4 else Light.GREEN
        return (
            light == Light.RED, light is Light.GREEN, light == Other.RED, light == 1,
            light.value, light.name == "RED", {Other.RED: 1, Light.GREEN: 2}.get(light, 3),
            isinstance(light, Light), 1 if light else 0, last_state(n) == Speed.SLOW,
        )  # fmt: skip

    value = pcbatch.autobatch(f).run(N, strategy="local", jit=False, throw=True).value
    for m, n in enumerate(N):
        assert [np.asarray(part)[m].item() for part in value] == list(f(int(n)))


def test_texts_that_are_constants_equal_their_texts():
    def f(n):
        speed = Speed.SLOW if n < 4 else Speed.FASTER
        return speed == "slow", speed == last_state(n), speed is Speed.FASTER, type(speed) is Speed

    value = pcbatch.autobatch(f).run(N, strategy="local", jit=False, throw=True).value
    for m, n in enumerate(N):
        assert [np.asarray(part)[m].item() for part in value] == list(f(int(n)))


def test_an_exception_shows_its_expression():
    def f(n):
        if n > 4:
            raise ValueError(last_state(n))
        return n

    result = pcbatch.autobatch(f).run(N, strategy="local", jit=False)
    assert [bool(s) for s in np.asarray(result.status)] == [False, False, True, True]


def test_a_place_that_a_text_has_not_is_the_members_exception():
    f = pcbatch.autobatch(lambda n: 1 if "abcd"[n] == "d" else 0)
    result = f.run(N, strategy="local", jit=False)
    assert [bool(s) for s in np.asarray(result.status)] == [False, False, True, True]
    assert np.asarray(result.value)[:2].tolist() == [0, 1]


@pytest.mark.thorough
def test_the_code_of_a_text_is_the_same_in_another_process():
    script = "from pcbatch.semantics.constants import code_of; print(code_of('red'))"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert int(found.stdout) == code_of("red")
