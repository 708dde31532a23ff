"""The table of functions that are refused, with the first line of each message."""

from __future__ import annotations

import pathlib

from tests.strangers.corpus import strangers
from tests.strangers.running import Report, Verdict

FILE = pathlib.Path(__file__).with_name("refused.txt")


def refusals() -> dict[str, str]:
    """The first line of what is said of each function that is refused, by its name."""
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    return dict(line.split(": ", 1) for line in lines)


def update(reports: list[Report]) -> None:
    """Write the table anew; functions that were not run stay in it as they are."""
    table = refusals()
    for one in reports:
        table.pop(str(one.stranger), None)
        if one.verdict is Verdict.REFUSED:
            table[str(one.stranger)] = one.line
    FILE.write_text("".join(f"{name}: {table[name]}\n" for name in sorted(table)))


def counts() -> dict[str, int]:
    """How many functions of how many fields there are, and what the table says becomes of them."""
    functions, refused = len(strangers()), len(refusals())
    fields = len({one.field for one in strangers()})
    run = functions - refused
    return {"fields": fields, "functions": functions, "run": run, "refused": refused}
