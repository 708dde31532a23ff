"""Each figure on the pages of `bench.pages` is one of `bench/results/`; no page has another."""

from __future__ import annotations

import pathlib
import re

import pytest

from bench import page_tables, pages
from tests.strangers.refusals import counts

UNITS = r"(?:ns|us|µs|ms|s|seconds?|minutes?|MB|GB|%|times as (?:fast|long|slow)|times faster)"
CLAIM = re.compile(rf"(?<![\w.`-])[\d,]*\d(?:\.\d+)? ?{UNITS}(?!\w)")
"""A number with a unit of what is measured."""
NOT_MEASURED = re.compile(r"[^\n]*<!-- not measured -->")
"""A line whose number was chosen, as that of an option."""
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


NOT_YET = (
    "cluster.md",
    "nuts.md",
    "python.md",
)
"""Pages some of whose figures name no saved result so far; no other page may have such a figure."""
DATED = "measurements/"
"""Pages that say when, where and by which command they were measured."""


def name_of(page: pathlib.Path) -> str:
    return str(page.relative_to(pages.ROOT))


def untied(text: str) -> list[str]:
    """Numbers with a unit that name no result, outside of code and of tables that are written."""
    text = CODE.sub("", NOT_MEASURED.sub("", pages.TABLE.sub("", text)))
    return CLAIM.findall(pages.FIGURE.sub("", text))


@pytest.mark.parametrize("page", pages.PAGES, ids=name_of)
def test_figures_are_those_of_the_results(page: pathlib.Path, update_golden: bool) -> None:
    if update_golden:
        page.write_text(pages.written(page.read_text()))
    assert page.read_text() == pages.written(page.read_text())


def test_no_other_figure_stands_there() -> None:
    """A page that has none any more leaves the list."""
    found = {name_of(page): untied(page.read_text()) for page in pages.PAGES}
    with_others = [name.removeprefix("docs/") for name, figures in found.items() if figures]
    assert [name for name in with_others if not name.startswith(DATED)] == sorted(NOT_YET)


def test_a_figure_that_is_not_in_the_results_is_noticed() -> None:
    tie = "<!-- near_limit[what=100 chains]: figure -->"
    assert pages.written(f"it is 1.13 {tie}") == f"it is 1.13 {tie}"
    assert pages.written(f"it is 1.2 {tie}") == f"it is 1.1 {tie}"
    with pytest.raises(LookupError, match="0 rows"):
        pages.written("1.13 <!-- near_limit[what=7 chains]: figure -->")
    with pytest.raises(LookupError, match="2 rows"):
        pages.written("1.13 <!-- near_limit[]: figure -->")
    assert untied("It takes 12 s, or 3.4 times as long, with `9 s`.") == [
        "12 s",
        "3.4 times as long",
    ]
    assert untied(f"It takes 12 s {tie}.\nA limit of 3 s. <!-- not measured -->") == []


def test_the_counts_of_strangers_are_those_of_the_corpus() -> None:
    """`tests/conformance/test_strangers.py` sees that the table of refusals is true."""
    assert page_tables.rows("strangers") == [counts()]
