"""The page of errors has each program with its message, and nothing of a message is lost."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator

import pcbatch
from pcbatch.errors import SITE, Diagnostic, HostCallError, MemberError
from tests.docs.site import hook


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def kinds() -> Iterator[type[Diagnostic]]:
    """All classes of mistakes, in whatever module."""
    for module in pkgutil.walk_packages(pcbatch.__path__, "pcbatch."):
        importlib.import_module(module.name)
    classes = [Diagnostic]
    while classes:
        kind = classes.pop()
        classes += kind.__subclasses__()
        if hasattr(kind, "title") and kind.__module__.startswith("pcbatch."):
            yield kind


def test_each_kind_has_a_section_to_which_its_message_leads() -> None:
    anchors = re.findall(r"^## .+ \{#(\w+)\}$", hook("errors").page(), re.MULTILINE)
    expected = {kind.__name__ for kind in kinds()} | {HostCallError.__name__, MemberError.__name__}
    assert sorted(anchors) == sorted(expected)


def test_messages_end_with_the_address_of_their_section() -> None:
    for case in sorted(hook("errors").FOLDER.glob("*.txt")):
        *_, last = case.read_text().splitlines()
        assert re.fullmatch(rf"see: {SITE}/errors\.html#\w+ \(`make docs` builds it\)", last), case


def test_each_program_has_its_whole_message() -> None:
    errors = hook("errors")
    shown = dict(re.findall(r"^### .+? \{#(\w+)\}\n(.*?)(?=^##|\Z)", errors.page(), re.M | re.S))
    cases = sorted(errors.FOLDER.glob("*.py"))
    assert sorted(shown) == [case.stem for case in cases]
    assert len(cases) > 150
    for case in cases:
        section = shown[case.stem]
        assert case.read_text().strip() in section
        message, _, _ = case.with_suffix(".txt").read_text().rpartition("see: ")
        assert ("help: " in message) == ("**What to do:**" in section)
        said = re.sub(r"\\([*_<>\[\]])", r"\1", section[section.index("```text") :])
        said = said.replace("Why", "why").replace("What to do", "help")
        assert not Counter(words(message)) - Counter(words(said))
