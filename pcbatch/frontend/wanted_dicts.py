"""Which objects of the prelude a program makes in the place of dicts and sets."""

from __future__ import annotations

import dataclasses

from pcbatch.frontend.inner_containers import any_container


@dataclasses.dataclass
class Dicts:
    """Whether functions are lowered with objects of the prelude.

    Attributes:
      kinds: of these classes; none at first.
      wanted: those for which functions have had a place so far.
      needed: whether there was a `defaultdict(list)`, which nothing else can be.
      inner: the classes for sets and dicts in containers, for which functions have had a place.
      on_heap: whether these are objects on the heap.
      apart: whether those of each container have a class of their own.
      every: the classes for these, and for those that attributes have, and records that containers
        have, see `every_container`; and the same with all records.
      level: how many of the two are taken.
    """

    kinds: frozenset[str] = frozenset()
    wanted: set[str] = dataclasses.field(default_factory=set)
    needed: bool = False
    inner: set[str] = dataclasses.field(default_factory=set)
    on_heap: bool = False
    apart: bool = False
    every: tuple[set[str], set[str]] = dataclasses.field(default_factory=lambda: (set(), set()))
    level: int = 0

    def take(self) -> frozenset[str]:
        """Take more classes of the prelude, in turn; those that are new."""
        known = self.kinds
        if self.wanted - known:
            self.kinds |= self.wanted
        elif self.inner and not self.on_heap:
            self.on_heap = True
        elif self._are_apart() and not self.apart:
            self.apart = True
        return self._with_heap() - known

    def take_every(self) -> frozenset[str]:
        """Take those of attributes, and records; the classes."""
        known = self._of_level()
        for level in range(self.level + 1, len(self.every) + 1):
            if self.every[level - 1] - known:
                self.on_heap, self.apart, self.level = True, False, level
                return self._with_heap()
        return frozenset()

    def _of_level(self) -> set[str]:
        return self.every[self.level - 1] if self.level else self.inner

    def _are_apart(self) -> bool:
        return any(any_container(kind) != kind for kind in self.inner)

    def _with_heap(self) -> frozenset[str]:
        if self.on_heap:
            inner = self._of_level()
            self.kinds |= inner if self.apart else set(map(any_container, inner))
        return self.kinds
