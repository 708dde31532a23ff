"""`float` of a text of the member is Python's, to the last bit."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import pcbatch

NUMBERS = [
    "1", "0", "-0", "+12.50", "1200", "3.", ".5", "-.25", "1e5", "1E-3", "2.5e+10", " 7 ", "inf",
    "-Infinity", "nan", "0.1", "123456789012345", "9007199254740992", "1e22", "1e25", "0.000001",
    "5e-22", "-1e-5", "00012.3400", "0e400", "7e0000001",
]  # fmt: skip
WRONG = ["", ".", "e5", "1e", "1e+", "--1", "1.2.3", "abc", "1a", "+", "-", "1 2", "infx", "1e5.0"]
LONG = ["0.30000000000000004", "123456789012345678", "1e400", "1_000"]


def drawn(seed: int) -> list[str]:
    """Texts of up to 15 digits."""
    rng = random.Random(seed)
    found = []
    for _ in range(200):
        digits = "".join(rng.choices("0123456789", k=rng.randint(1, 15)))
        place = rng.randint(0, len(digits))
        exponent = f"e{rng.randint(-7, 7)}" if rng.random() < 0.5 else ""
        found.append(f"{rng.choice(['', '-', '+'])}{digits[:place]}.{digits[place:]}{exponent}")
    return found


@pcbatch.autobatch
def parsed(text):
    return float(text)


@pytest.mark.parametrize("options", [{"jit": False}, {}], ids=str)
def test_numbers_are_pythons(options):
    texts = NUMBERS + drawn(1)
    values = parsed.run(np.array(texts), throw=True, **options).value.numpy().tolist()
    for text, value in zip(texts, values, strict=True):
        truth = float(text)
        assert value == truth or (math.isnan(value) and math.isnan(truth)), text
        assert math.copysign(1, value) == math.copysign(1, truth) or math.isnan(truth), text


def test_what_is_no_number_is_a_value_error():
    result = parsed.run(np.array([*WRONG, "1"]), jit=False)
    for k in range(len(WRONG)):
        assert result.message(k).startswith("ValueError: could not convert string to float")
    assert not result.message(len(WRONG))


def test_more_digits_than_pcbatch_reads_stop_the_member():
    result = parsed.run(np.array([*LONG, "1"]), jit=False)
    assert all("a limit of pcbatch" in result.message(k) for k in range(len(LONG)))


def summed(n):
    expression = f"{n}.5+{n * n}"
    i = expression.index("+")
    return float(expression[:i]) + float(expression[i + 1 :]) + float(str(n))


def test_of_a_text_that_is_made():
    n = np.array([0, 3, 12])
    value = pcbatch.autobatch(summed).run(n, jit=False, throw=True).value
    assert value.numpy().tolist() == [*map(summed, n.tolist())]
