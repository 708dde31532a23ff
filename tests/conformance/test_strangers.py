"""Functions as strangers type them run unchanged; `python -m tests.strangers` runs all of them.

Here a few of each field run, and those that are refused are tried again. With `PCBATCH_STRESS=1`
all run.
"""

from __future__ import annotations

import dataclasses
import warnings

import pytest

import pcbatch
from tests.strangers.comparing import differences
from tests.strangers.corpus import FIELDS, Stranger, load, strangers
from tests.strangers.idioms import idioms_of
from tests.strangers.refusals import FILE, refusals
from tests.strangers.running import Verdict, batch, first_line, report
from tests.support.extent import LARGE

REFUSED = refusals()
ACCEPTED = [stranger for stranger in strangers() if str(stranger) not in REFUSED]
AT_LEAST = 460
"""So many functions run unchanged and right."""
SAMPLE = slice(4, None, 12)
"""Which of those that run are run here."""
SLOW = {"automata.wolfram_density", "searching.quick_select"}
"""It takes some ten seconds to refuse them."""


def named(name: str) -> Stranger:
    return next(stranger for stranger in strangers() if str(stranger) == name)


def test_there_are_many_of_many_fields():
    assert len(strangers()) >= 120
    assert len({stranger.field for stranger in strangers()}) >= 12
    assert len({str(stranger) for stranger in strangers()}) == len(strangers())
    assert all(6 <= len(stranger.members) <= 10 for stranger in strangers())
    assert not any("pcbatch" in path.read_text() for path in FIELDS.glob("*.py"))


def test_most_run():
    assert len(ACCEPTED) >= AT_LEAST


@pytest.mark.every(36)
@pytest.mark.parametrize("stranger", ACCEPTED if LARGE else ACCEPTED[SAMPLE], ids=str)
def test_right(stranger):
    found = report(stranger, jit=False)
    assert found.verdict is Verdict.RIGHT, found.line


@pytest.mark.every(3)
@pytest.mark.parametrize("name", REFUSED if LARGE else sorted(REFUSED.keys() - SLOW))
def test_refused(name):
    """Where one of these runs now, write the table anew: `python -m tests.strangers --update`."""
    stranger = named(name)
    with pytest.raises(pcbatch.ProgramError) as caught:
        stranger.batched().lower(*batch(stranger.members))
    assert first_line(caught.value) == REFUSED[name], f"{FILE} is stale"


def test_truth_is_told_from_what_differs():
    """A wrong value, a wrong type, a missing exception and another exception are noticed."""
    stranger = named("calendars.days_in_month")
    result = stranger.batched().run(*batch(stranger.members), jit=False)
    truths = stranger.truths()
    assert not list(differences(result, truths))
    for wrong in (30, True, ValueError("month must be in 1..12"), (29,), None):
        assert len(list(differences(result, [wrong, *truths[1:]]))) == 1
    assert list(differences(result, [29.0, *truths[1:]]))
    for wrong in (28, TypeError("month must be in 1..12"), ValueError("no such month")):
        assert len(list(differences(result, [*truths[:3], wrong, *truths[4:]]))) == 1


def test_idioms_of_what_a_function_calls_count():
    assert {"recursion", "swap of elements"} <= idioms_of(named("sorting.quick_sort_in_place"))
    assert {"math.*", "isinstance", "raise"} <= idioms_of(named("number_theory.is_prime"))
    assert "recursion" not in idioms_of(named("sorting.bubble_sort"))


REMEDIES = {
    "structures.rides": {
        "self.calls = set()": "self.calls = []",
        "if floor != self.floor:": "if floor != self.floor and floor not in self.calls:",
        "self.calls.add(floor)": "self.calls.append(floor)",
    },
}
"""What the refusals of these functions say to write instead."""


@pytest.mark.every(3)
@pytest.mark.parametrize("name", REMEDIES)
def test_remedies_work_when_followed(name, tmp_path):
    stranger = named(name)
    source, path = stranger.path.read_text(), tmp_path / "remedied.py"
    for old, new in REMEDIES[name].items():
        assert source.count(old) == 1
        source = source.replace(old, new)
    path.write_text(source)
    remedied = dataclasses.replace(stranger, path=path, plain=getattr(load(path), stranger.name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = remedied.batched().run(*batch(stranger.members), jit=False)
    assert not list(differences(result, remedied.truths()))
