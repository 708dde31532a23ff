"""The truth of a value is Python's, whatever asks for it: a condition, `filter`, `any`, `not`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.random_programs import is_pythons

N = np.arange(7)
KINDS = {
    "a_made_text": "'a' * ({k} % 2)",
    "digits": "str({k})[1:]",
    "a_chosen_text": "('x' if {k} % 2 else '')",
    "a_list": "[0] * ({k} % 2)",
    "a_list_that_grew": "grown({k} % 2)",
    "a_set": "set(range({k} % 2))",
    "a_dict": "{{i: i for i in range({k} % 2)}}",
    "a_queue": "deque([1] * ({k} % 2))",
    "a_tuple": "tuple(range({k} % 2))",
    "an_integer": "{k} % 2",
    "a_float": "{k} % 2 * 0.5",
    "a_bool": "({k} % 2 == 1)",
    "none_or_a_number": "(7 if {k} % 2 else None)",
    "an_object_with_a_length": "Sized({k} % 2)",
    "an_object_with_a_truth": "Honest({k} % 2)",
}
"""What has elements, or is not zero, where a number is odd."""

SOURCE = """
from collections import deque


class Sized:
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size


class Honest:
    def __init__(self, size):
        self.size = size

    def __bool__(self):
        return self.size > 0


def grown(n):
    xs = []
    for i in range(n):
        xs.append(i)
    return xs


def program(n):
    x, y, z = {x}, {y}, {z}
    told = [bool(y), any([x, y]), all((x, z)), any(v for v in [y, x]), all(not v for v in [x, y])]
    told += [not x and not y, sum(map(bool, [x, y, z])) > 1]
    kept = [1 for v in [x, y, z] if v], len([v for v in (x, y) if not v])
    many = len(list(filter(None, [x, y, z]))), [1 if v else 2 for v in (x, z)]
    way = 1 if x else 2, 1 if x and y else 2, 1 if x or y else 2
    first = next((i for i, v in enumerate([x, y, z]) if v), -1)
    rounds = 0
    while x and rounds < 3:
        rounds += 1
    if not z:
        rounds += 10
    return told, kept, many, way, first, rounds
"""


@pytest.mark.parametrize("kind", KINDS)
def test_the_truth(kind: str, tmp_path: Path) -> None:
    parts = {name: KINDS[kind].format(k=k) for name, k in zip("xyz", ("n", "(n // 2)", "(n + 1)"))}
    source = SOURCE
    for name, part in parts.items():
        source = source.replace(f"{{{name}}}", part)
    assert is_pythons(tmp_path / f"{kind}.py", source, N)
