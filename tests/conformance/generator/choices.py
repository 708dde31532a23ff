"""What all writers of random programs do: choose, count, and name variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hypothesis import strategies as st


class Choices:
    """Makes choices; `draw` makes every one of them, and shrinks towards the first option."""

    def __init__(self, draw: Callable[..., Any]):
        self.draw = draw
        self.names = 0

    def pick(self, options: Iterable[Any]) -> Any:
        """One of several options."""
        return self.draw(st.sampled_from(list(options)))

    def number(self, low: int, high: int) -> int:
        """An integer, both bounds included."""
        return self.draw(st.integers(low, high))

    def fresh(self) -> str:
        """The name of a new variable."""
        self.names += 1
        return f"v{self.names}"


class Blanks(dict[str, str]):
    """What is put into the blanks of a template: drawn when first asked for, and then the same.

    Args:
      draws: what draws the text of each blank; it is handed the other blanks.
    """

    def __init__(self, draws: Mapping[str, Callable[[Blanks], Any]]):
        super().__init__()
        self._draws = draws

    def __missing__(self, name: str) -> str:
        self[name] = str(self._draws[name](self))
        return self[name]
