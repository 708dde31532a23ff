"""Figures of the documents, from `bench/results/`: `python -m bench.pages` writes them.

A table stands between `<!-- table: NAME -->` and `<!-- end of table -->`. A figure in a sentence,
or in a table that is written by hand, has behind it where it is from: file, row and column.

    It is 1.13 <!-- near_limit[what=100 chains]: figure --> times as fast.

It keeps as many digits behind the point as it has.
`tests/docs/test_figures.py` fails where a page is not what this module writes.
"""

from __future__ import annotations

import re

from bench import report
from bench.page_tables import TABLES, Row, rows

ROOT = report.RESULTS.parents[1]
DOCS = ROOT / "docs"
NOTES = DOCS / "notes"
"""What the site leaves out: figures that were taken by hand, which no command repeats."""
PAGES = (
    ROOT / "README.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if NOTES not in page.parents),
)
"""The README, and the pages of the site."""

TABLE = re.compile(r"(<!-- table: (\w+)(?: (\w+))? -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)
FIGURE = re.compile(
    r"(?P<number>[\d,]*\d(?:\.\d+)?)(?P<behind>[^\d\n|]*?)"
    r"<!-- (?P<file>\w+)\[(?P<where>[^\]]*)\]: (?P<column>.+?) -->"
)


def main() -> None:
    """Write the figures into all pages."""
    for page in PAGES:
        page.write_text(written(page.read_text()))


def written(text: str) -> str:
    """The text of a page with the figures that the results have."""
    return FIGURE.sub(_figure, TABLE.sub(_table, text))


def _table(found: re.Match[str]) -> str:
    begin, name, argument, _, end = found.groups()
    return begin + "\n" + TABLES[name](*([argument] if argument else [])) + "\n\n" + end


def _figure(found: re.Match[str]) -> str:
    value = one_row(found["file"], found["where"])[found["column"]]
    digits = len(found["number"].partition(".")[2])
    return f"{value:,.{digits}f}" + found[0][len(found["number"]) :]


def one_row(name: str, where: str) -> Row:
    """The row of a result that has some values.

    Args:
      name: of the file in `bench/results/`.
      where: `column=value` for each, with `; ` between them.

    Raises:
      LookupError: no row has them, or more than one.
    """
    wanted = dict(part.split("=", 1) for part in where.split("; ") if part)
    found = [row for row in rows(name) if all(str(row[k]) == v for k, v in wanted.items())]
    if len(found) != 1:
        raise LookupError(f"{len(found)} rows of {name} have {where}")
    return found[0]


if __name__ == "__main__":
    main()
