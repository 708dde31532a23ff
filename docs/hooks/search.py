"""The search puts chapters of the tutorial first, and dated measurements last."""

from __future__ import annotations

from typing import Any

BOOSTS = {"tutorial": 4.0, "measurements": 0.2}
"""By folder: a number above 1 moves a page up among the results."""


def on_page_markdown(markdown: str, page: Any, **kwargs: Any) -> None:
    """Set what Material's search reads; MkDocs calls this for each page."""
    folder = page.file.src_uri.partition("/")[0]
    if folder in BOOSTS:
        page.meta.setdefault("search", {"boost": BOOSTS[folder]})
