"""Each figure on the pages of `bench.pages` is one of `bench/results/`; no page has another."""

from __future__ import annotations

import inspect
import pathlib
import re
from collections.abc import Iterator

import pytest

from bench import all_targets, page_tables, pages
from tests.docs.site import MODULES
from tests.strangers.refusals import counts

TIME = r"(?:(?:micro|milli)?seconds?|minutes?|hours?)"
COMPARED = r"(?:times|x[ \n](?:as|faster|slower)|\u00d7|faster|slower)"
UNITS = rf"(?:ns|us|µs|ms|s|{TIME}|KB|MB|GB|%|percent|{COMPARED})"
COUNTS = "two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|fifty|a hundred|a thousand"
PARTS = "third|quarter|fifth|tenth|twentieth|fiftieth|hundredth"
RATIO = (
    rf"(?:twice|thrice|half|(?:{COUNTS}) times)[ \n]as[ \n]\w+"
    rf"|(?:twice|(?:{COUNTS}) times)[ \n]the[ \n]time"
    rf"|(?:half|a[ \n](?:{PARTS}))[ \n]of[ \n]the[ \n](?:time|memory)|(?:{COUNTS})[ \n]{TIME}"
)
CLAIM = re.compile(rf"(?<![\w.`-])(?:[\d,]*\d(?:\.\d+)?[ \n]?{UNITS}|{RATIO})(?!\w)", re.IGNORECASE)
"""A number with a unit of what is measured, or a ratio."""
NOT_MEASURED = re.compile(r"[^\n]*<!-- not measured -->")
"""A line whose number was chosen, as that of an option."""
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


DATED = "docs/measurements/"
"""Pages that say when, where and by which command they were measured."""
DATED_PAGES = [page for page in pages.PAGES if page.parent.name == "measurements"]
RESULT_OF = {"first_calls": "compile"}
"""Results that a table has another name for."""


COMMAND = re.compile(r"python (?:-m |examples/|bench/)\w|\bmake \w|\bpytest ")
NO_COMMAND = "*Measured by hand: no command repeats these figures.*"
"""What a section of a dated page says of itself where that is so."""
CELL = re.compile(r"\| *[-+]?[\d,]*\d(?:\.\d+)? *(?=\|)")
"""A cell of a table that is a number."""


def name_of(page: pathlib.Path) -> str:
    return str(page.relative_to(pages.ROOT))


def untied(text: str) -> list[str]:
    """Numbers with a unit that name no result, outside of code and of tables that are written.

    Cells that are numbers, too: their unit stands in the head of the table.
    """
    text = CODE.sub("", NOT_MEASURED.sub("", pages.TABLE.sub("", text)))
    text = pages.FIGURE.sub("", text)
    return [*CLAIM.findall(text), *CELL.findall(text)]


def commands(name: str) -> str:
    """A pattern of the commands that measure a result."""
    ways = [rf"python -m (?:bench|tests\.)? ?{name}\b", rf"python bench/{name}\.py"]
    return "|".join([*ways, "python -m bench targets"] if name in all_targets.CASES else ways)


@pytest.mark.parametrize("page", pages.PAGES, ids=name_of)
def test_figures_are_those_of_the_results(page: pathlib.Path, update_golden: bool) -> None:
    if update_golden:
        page.write_text(pages.written(page.read_text()))
    assert page.read_text() == pages.written(page.read_text())


def test_no_other_figure_stands_there() -> None:
    found = {name_of(page): untied(page.read_text()) for page in pages.PAGES}
    others = {name: figures for name, figures in found.items() if figures}
    assert {name: f for name, f in others.items() if not name.startswith(DATED)} == {}


@pytest.mark.parametrize("page", pages.PAGES, ids=name_of)
def test_each_result_on_a_page_has_its_command_there(page: pathlib.Path) -> None:
    text = page.read_text()
    results = {found["file"] for found in pages.FIGURE.finditer(text)}
    tables = {table[2] for table in pages.TABLE.finditer(text)} - {"measured", "targets"}
    for name in results | {RESULT_OF.get(table, table) for table in tables}:
        assert re.search(commands(name), text), f"{name_of(page)} does not say how to get {name}"


@pytest.mark.parametrize("page", DATED_PAGES, ids=name_of)
def test_each_section_of_a_dated_page_says_how_it_was_measured(page: pathlib.Path) -> None:
    head, *sections = re.split(r"^(?=## )", page.read_text(), flags=re.MULTILINE)
    assert "2026" in head
    for section in sections:
        if untied(section):
            said = COMMAND.search(head + section) is not None, NO_COMMAND in section
            assert said in ((True, False), (False, True)), section.splitlines()[0]


def test_no_figure_stands_in_comments_of_code_nor_in_docstrings() -> None:
    comments = [
        comment
        for page in pages.PAGES
        if page.name != "python.md"  # what its functions return
        for block in re.findall(r"^```python.*?^```$", page.read_text(), re.M | re.S)
        for comment in re.findall(r"#(.*)", block)
    ]
    found = [figure for text in [*comments, *docstrings()] for figure in untied(text)]
    assert found == []


def docstrings() -> Iterator[str]:
    """What the reference shows of public names and of members of public classes."""
    for module in MODULES:
        for value in (getattr(module, name) for name in module.__all__):
            members = vars(value).values() if inspect.isclass(value) else ()
            yield from (inspect.getdoc(shown) or "" for shown in (value, *members))


@pytest.mark.parametrize("page", pages.PAGES, ids=name_of)
def test_a_wrong_figure_is_noticed_on_each_page(page: pathlib.Path) -> None:
    text = page.read_text()
    for found in pages.FIGURE.finditer(text):
        start, end = found.span("number")
        wrong = text[:start] + "98765" + text[end:]
        assert pages.written(wrong) != wrong
    if page not in DATED_PAGES:
        wrong = text + "\nIt is 3.4 times as fast.\n\n| program | ms |\n| fib | 7.2 |\n"
        assert untied(wrong) == [*untied(text), "3.4 times", "| 7.2 "]


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
    assert untied("about ten seconds, a fiftieth of the memory, 40 microseconds, 5 percent") == [
        "ten seconds",
        "a fiftieth of the memory",
        "40 microseconds",
        "5 percent",
    ]
    assert untied(f"| program | ms |\n| fib | 3.2 |\n| gcd | 1.13 {tie} |") == ["| 3.2 "]


def test_the_counts_of_strangers_are_those_of_the_corpus() -> None:
    """`tests/conformance/test_strangers.py` sees that the table of refusals is true."""
    assert page_tables.rows("strangers") == [counts()]
