"""Each optimization has a section of its own, with what a reader wants of it."""

from __future__ import annotations

import re

import pcbatch
from tests.docs.pages import DOCS

PAGE = (DOCS / "how_it_works" / "optimizations.md").read_text()
SECTIONS = dict(re.findall(r"^### (.+?)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_each_optimization_has_a_section() -> None:
    assert list(SECTIONS) == list(pcbatch.OPTIMIZATIONS)


def test_each_section_says_what_when_how_to_leave_it_out_and_what_it_buys() -> None:
    for name, section in SECTIONS.items():
        for part in ("*What*: ", "*When*: ", f'*Leave it out*: `without="{name}"`. ', "*Where*: "):
            assert section.count(part) == 1, (name, part)
        assert "<!-- optimizations[" in section or "so it has no figure" in section, name


def test_the_files_that_sections_name_are_there() -> None:
    for name, section in SECTIONS.items():
        files = re.findall(r"`([\w/]+\.py)`", section)
        assert files, name
        assert all((DOCS.parent / "pcbatch" / file).exists() for file in files), name
