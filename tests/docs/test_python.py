"""The page on accepted and refused Python says what is so: its examples are run."""

from __future__ import annotations

import ast
import re
import types
from pathlib import Path
from typing import NamedTuple

import pytest
import tensorflow as tf

import pcbatch
from pcbatch import frontend
from pcbatch.errors import ProgramError
from tests.frontend.source_interpreter import define
from tests.support.members import of_member

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
SECTION = re.compile(r"^### (?P<title>.+?)\n(?P<body>.*?)```python\n(?P<code>.*?)```", re.M | re.S)


class Example(NamedTuple):
    """A section of the page."""

    title: str
    body: str
    code: str

    def function(self) -> types.FunctionType:
        """Return the example's `f`, as a plain function."""
        f = define(self.code, "f", tf=tf, pcbatch=pcbatch, __name__="example")
        return getattr(f, "__wrapped__", f)

    def expected(self) -> tuple[int, object]:
        """Return the argument and the result that the last comment states."""
        argument, result = re.search(r"# f\((\d+)\) is (.+)", self.code).groups()
        return int(argument), ast.literal_eval(result)


ACCEPTED, REFUSED = (
    [Example(**match.groupdict()) for match in SECTION.finditer(part)]
    for part in PAGE.partition("## Accepted")[2].split("\n## Refused")
)


def needs_call(value: object) -> bool:
    return isinstance(value, pcbatch.Autobatched)


def plain(value: object) -> object:
    """Return a result with its tensors as Python numbers."""
    return tf.nest.map_structure(lambda leaf: leaf.numpy() if tf.is_tensor(leaf) else leaf, value)


def test_the_table_lists_the_sections():
    rows = re.findall(r"^\| (.+?) \| (accepted|refused) \|$", PAGE, re.M)
    sections = [(e.title, "accepted") for e in ACCEPTED] + [(e.title, "refused") for e in REFUSED]
    assert rows == sections
    assert ACCEPTED
    assert REFUSED


@pytest.mark.parametrize("example", ACCEPTED, ids=[e.title for e in ACCEPTED])
def test_accepted(example):
    f = example.function()
    argument, expected = example.expected()
    assert plain(pcbatch.autobatch(f).single(argument)) == expected


@pytest.mark.every(40)
@pytest.mark.parametrize("example", ACCEPTED, ids=[e.title for e in ACCEPTED])
def test_accepted_in_a_batch(example):
    f = pcbatch.autobatch(example.function())
    argument, expected = example.expected()
    result = f.run(tf.constant([argument, 1, argument]), strategy="local", throw=True)
    assert [of_member(result.value, k) for k in (0, 2)] == [expected, expected]


@pytest.mark.parametrize("example", REFUSED, ids=[e.title for e in REFUSED])
def test_refused(example):
    with pytest.raises(ProgramError) as caught:
        frontend.lower(example.function(), needs_call=needs_call)
    assert f"Refused by `{type(caught.value.diagnostic).__name__}`." in example.body
