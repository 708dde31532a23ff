"""Ways to lower functions, of which inference takes one where a program types so."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass
class Way:
    """A way to lower some of what functions do.

    Attributes:
      taken: functions are lowered so.
      wanted: there has been a place for it in a function so far.
    """

    taken: bool = False
    wanted: bool = False

    def take(self) -> bool:
        """Take the way; False where it is taken, or there was no place for it."""
        new = self.wanted and not self.taken
        self.taken |= new
        return new

    def drop(self) -> bool:
        """Leave the way; False where it is not taken, or there was no place for it."""
        new = self.wanted and self.taken
        self.taken &= not new
        return new
