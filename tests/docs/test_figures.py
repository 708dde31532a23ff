"""Each figure on the pages of `bench.pages` is one of `bench/results/`; no page has another."""

from __future__ import annotations

import pathlib
import re

import pytest

from bench import page_tables, pages
from tests.strangers.refusals import counts

UNITS = r"(?:ns|us|µs|ms|s|seconds?|minutes?|MB|GB|%|times|\u00d7)"
COUNTS = "two|three|four|five|six|seven|eight|nine|ten|twenty|a hundred|a thousand"
RATIO = rf"(?:twice|thrice|half|(?:{COUNTS}) times)[ \n]as[ \n]\w+"
CLAIM = re.compile(rf"(?<![\w.`-])(?:[\d,]*\d(?:\.\d+)?[ \n]?{UNITS}|{RATIO})(?!\w)", re.IGNORECASE)
"""A number with a unit of what is measured, or a ratio."""
NOT_MEASURED = re.compile(r"[^\n]*<!-- not measured -->")
"""A line whose number was chosen, as that of an option."""
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


DATED = "docs/measurements/"
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
    found = {name_of(page): untied(page.read_text()) for page in pages.PAGES}
    others = {name: figures for name, figures in found.items() if figures}
    assert {name: f for name, f in others.items() if not name.startswith(DATED)} == {}


def test_a_figure_that_is_not_in_the_results_is_noticed() -> None:
    tie = "<!-- near_limit[what=100 chains]: figure -->"
    assert pages.written(f"it is 1.13 {tie}") == f"it is 1.13 {tie}"
    assert pages.written(f"it is 1.2 {tie}") == f"it is 1.1 {tie}"
    with pytest.raises(LookupError, match="0 rows"):
        pages.written("1.13 <!-- near_limit[what=7 chains]: figure -->")
    with pytest.raises(LookupError, match="2 rows"):
        pages.written("1.13 <!-- near_limit[]: figure -->")
    assert untied("It takes 12 s, or 3.4 times as long, with `9 s`.") == ["12 s", "3.4 times"]
    assert untied("1.4\ntimes more, 3\u00d7, Twice as fast; one of 3 timeslots") == [
        "1.4\ntimes",
        "3\u00d7",
        "Twice as fast",
    ]
    assert untied(f"It takes 12 s {tie}.\nA limit of 3 s. <!-- not measured -->") == []


def test_the_counts_of_strangers_are_those_of_the_corpus() -> None:
    """`tests/conformance/test_strangers.py` sees that the table of refusals is true."""
    assert page_tables.rows("strangers") == [counts()]
