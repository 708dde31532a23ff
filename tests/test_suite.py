"""The suite itself: workers that stay small, what is left out, the order of files, and costs."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import tensorflow as tf

from tests.support.compiled import drop, hashed
from tests.support.costs import report
from tests.support.extent import IN_ALL, IN_LARGE, leave_out
from tests.support.order import SECONDS, longest_first

ROOT = Path(__file__).parents[1]


@pytest.mark.thorough
def test_what_is_dropped_is_compiled_again_when_it_is_called() -> None:
    compiled: list[int] = []

    @tf.function(jit_compile=True)
    def twice(x):
        compiled.append(1)
        return 2 * x

    assert twice(tf.constant(3)) == 6
    assert drop()
    assert not drop(), "nothing has been compiled since"
    assert twice(tf.constant(4)) == 8
    assert drop(), "it was compiled again"
    assert compiled == [1], "and not traced again"


def test_names_are_hashed_as_tensorflow_does() -> None:
    """As in the handle of a variable."""
    handle = tf.io.serialize_tensor(tf.Variable(1.0).handle)
    assert varint(hashed(b"N10tensorflow3VarE")) in handle.numpy()


def varint(value: int) -> bytes:
    """A number as protocol buffers write it."""
    digits = []
    while value:
        value, digit = divmod(value, 128)
        digits.append(digit + 128 * (value > 0))
    return bytes(digits)


class Case:
    """As much of a test as the choice of tests looks at."""

    def __init__(self, nodeid: str, *marks: pytest.MarkDecorator) -> None:
        self.nodeid, self.marks = nodeid, {mark.name: mark.mark for mark in marks}
        self.left_out: list[pytest.MarkDecorator] = []

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.left_out.append(mark)


def test_marks_say_what_is_left_out() -> None:
    def left_out(everything: bool) -> str:
        """One letter a case: whether it is left to `make test-all` or `make large`, or runs."""
        letters = [("-", []), ("a", [IN_ALL]), ("l", [IN_LARGE])]
        mark = pytest.mark
        some = [Case("one", mark.thorough), Case("two", mark.large), Case("three")]
        each = [Case(f"each[{k}]", mark.every(3)) for k in range(4)]
        half = [Case(f"half[{k}]", mark.every(4, 2)) for k in range(5)]
        cases = [*some, *each, *half]
        leave_out(cases, everything)
        return "".join(
            next(letter for letter, found in letters if found == case.left_out) for case in cases
        )

    assert left_out(everything=False) == "al-" + "-aa-" + "-lal-"
    assert left_out(everything=True) == "-l-" + "----" + "-l-l-"


def test_the_longest_file_comes_first() -> None:
    long = max(SECONDS, key=SECONDS.__getitem__)
    names = ["a.py::one", "b.py::one", "b.py::two", f"{long}::one", "b.py::three"]
    tests = [SimpleNamespace(nodeid=name) for name in names]
    longest_first(tests)
    assert [test.nodeid for test in tests] == [names[3], names[1], names[2], names[4], names[0]]


def test_files_that_are_told_to_take_long_are_there() -> None:
    assert not [name for name in SECONDS if not (ROOT / name).exists()]


def test_costs_are_summed(tmp_path: Path) -> None:
    costs = [
        {"test": "tests/a/test_x.py::one", "process": 1, "seconds": 1.5, "resident": 900},
        {"test": "tests/a/test_x.py::two[3]", "process": 2, "seconds": 2.0, "resident": 800},
        {"test": "tests/test_y.py::one", "process": 2, "seconds": 4.0, "resident": 850},
    ]
    path = tmp_path / "costs"
    path.write_text("".join(json.dumps(cost) + "\n" for cost in costs))
    lines = [" ".join(line.split()) for line in report(path)]
    assert lines[0] == "folder 4.0 s, at most 850 MB, 1 tests: tests"
    assert lines[1] == "folder 3.5 s, at most 900 MB, 2 tests: tests/a"
    assert lines[-2:] == [
        "process 6.0 s, at most 850 MB, 2 tests: 2",
        "process 1.5 s, at most 900 MB, 1 tests: 1",
    ]
