"""Each figure on the pages of `bench.pages` is one of `bench/results/`; no page has another.

Sections of dated pages may have others: those that name the command that prints them.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import pathlib
import re
import shlex
from collections.abc import Iterator

import pytest

from bench import all_targets, page_tables, pages
from bench.__main__ import COMMANDS, load
from nuts.command_line import make_parser
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


DATED_PAGES = [page for page in pages.PAGES if page.parent.name == "measurements"]
"""Pages whose sections say when and by which command they were measured."""
RESULT_OF = {"first_calls": "compile"}
"""Results that a table has another name for."""


MEASURED = re.compile(r"\bMeasured by\s`([^`]+)`")
"""What a section of a dated page says of its figures."""
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
DECIMAL = re.compile(r"(?<![\w.`/-])\d[\d,]*\.\d+(?![\w.]*\d)")
BENCH = re.compile(r"`(python -m bench [^`-][^`]*)`")
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
    undated = [page for page in pages.PAGES if page not in DATED_PAGES]
    found = {name_of(page): untied(page.read_text()) for page in undated}
    assert {name: figures for name, figures in found.items() if figures} == {}


@pytest.mark.parametrize("page", pages.PAGES, ids=name_of)
def test_each_result_on_a_page_has_its_command_there(page: pathlib.Path) -> None:
    text = page.read_text()
    results = {found["file"] for found in pages.FIGURE.finditer(text)}
    tables = {table[2] for table in pages.TABLE.finditer(text)} - {"measured", "targets"}
    for name in results | {RESULT_OF.get(table, table) for table in tables}:
        assert re.search(commands(name), text), f"{name_of(page)} does not say how to get {name}"


@pytest.mark.parametrize("page", DATED_PAGES, ids=name_of)
def test_each_section_of_a_dated_page_says_how_it_was_measured(page: pathlib.Path) -> None:
    for section in re.split(r"^(?=## )", page.read_text(), flags=re.MULTILINE):
        check_section(section)


def check_section(section: str) -> None:
    """Fail where a section has a figure without a command that exists, or without a date."""
    title, written = section.splitlines()[0], pages.TABLE.sub("", section)
    commands = MEASURED.findall(written)
    assert commands or not untied(section), (title, untied(section))
    assert MEASURED.search(section) or not decimals(section), (title, decimals(section))
    assert DATE.search(written) or not commands, title
    for command in commands:
        check_command(command)


def decimals(section: str) -> list[str]:
    """Numbers with a decimal point.

    Those without a unit count on dated pages only. They may be settings of what is measured, for
    which the command of a table in the section is enough.
    """
    text = CODE.sub("", NOT_MEASURED.sub("", pages.TABLE.sub("", section)))
    return DECIMAL.findall(pages.FIGURE.sub("", text))


def check_command(command: str) -> None:
    """Fail where a command is not there, or does not take its options."""
    program, *words = shlex.split(command)
    if program == "make":
        makefile = (pages.ROOT / "Makefile").read_text()
        target, *settings = words
        names = [rf"^{target}:", *(rf"^{word.partition('=')[0]} \?=" for word in settings)]
        assert all(re.search(name, makefile, re.MULTILINE) for name in names), command
        return
    assert [program, *words[:1]] == ["python", "-m"], command
    module, *options = words[1:]
    if module == "bench":
        parser = argparse.ArgumentParser(prog=command)
        load(COMMANDS[options[0]][0]).add_arguments(parser)
        parser.add_argument("--save", action="store_true")
        parser.parse_args(options[1:])
    elif module == "nuts":
        make_parser().parse_args(options)
    else:
        assert importlib.util.find_spec(module), command


@pytest.mark.parametrize("page", pages.PAGES, ids=name_of)
def test_the_benchmarks_that_a_page_names_are_there(page: pathlib.Path) -> None:
    for command in BENCH.findall(page.read_text()):
        check_command(command)


def test_the_site_has_no_notes() -> None:
    left_out = (pages.ROOT / "mkdocs.yml").read_text().partition("exclude_docs: |\n")[2]
    assert "notes/" in left_out.partition("\n\n")[0].split()
    for page in pages.PAGES:
        assert not re.search(r"\]\([^)]*\bnotes/", page.read_text()), name_of(page)


def test_a_section_without_its_command_is_noticed() -> None:
    figure = "## A loop\n\nIt takes 12 s."
    for section in (figure, "## A loop\n\nA ratio of 1.3.", f"{figure} `python -m bench lists`."):
        with pytest.raises(AssertionError, match="A loop"):
            check_section(section)
    check_section(f"{figure} Measured by `python -m bench lists` on 2026-11-26.")
    check_section(f"{figure} Measured by `make stress SEED=1` on 2026-11-26.")
    with pytest.raises(AssertionError, match="A loop"):
        check_section(f"{figure} Measured by `python -m bench lists`.")
    for command in ("make nothing", "make stress SEEDS=1", "python -m tests.nothing", "pytest"):
        with pytest.raises(AssertionError, match=command.split()[-1]):
            check_section(f"{figure} Measured by `{command}` on 2026-11-26.")
    with pytest.raises(SystemExit):
        check_section(f"{figure} Measured by `python -m bench lists --none` on 2026-11-26.")


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
