"""The page of errors has each program with its message, and nothing of a message is lost."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter

from tests.docs.pages import DOCS


def hook():
    spec = importlib.util.spec_from_file_location("errors_page", DOCS / "hooks" / "errors.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_each_program_has_a_section_with_its_whole_message() -> None:
    errors = hook()
    sections = errors.page().split("\n## ")[1:]
    cases = sorted(errors.FOLDER.glob("*.py"))
    assert len(sections) == len(cases) > 150
    for section, case in zip(sections, cases, strict=True):
        assert f"{{#{case.stem}}}" in section
        assert case.read_text().strip() in section
        message = case.with_suffix(".txt").read_text()
        assert ("help: " in message) == ("**What to do:**" in section)
        shown = re.sub(r"\\([*_<>\[\]])", r"\1", section[section.index("```text") :])
        shown = shown.replace("Why", "why").replace("What to do", "help")
        assert not Counter(words(message)) - Counter(words(shown))
