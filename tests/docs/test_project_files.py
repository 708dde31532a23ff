"""Files about the project agree with each other."""

from __future__ import annotations

import configparser
import re

from tests.docs.pages import DOCS, ROOT


def test_the_citation_has_the_version_and_the_license() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    citation = (ROOT / "CITATION.cff").read_text()
    for key in ("version", "license"):
        assert re.findall(rf"^{key}: (.+)$", citation, re.MULTILINE) == [config["metadata"][key]]


def test_each_page_is_in_the_navigation() -> None:
    """MkDocs says so, too, but does not fail. Examples are parts of pages that a hook makes."""
    navigation = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    pages = [page.relative_to(DOCS).as_posix() for page in sorted(DOCS.rglob("*.md"))]
    missing = [page for page in pages if f" {page}\n" not in navigation]
    assert [
        page for page in missing if not page.startswith(("reference/examples/", "notes/"))
    ] == []
