"""What programs make objects of classes in plain Python of, see `semantics.prelude`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pcbatch.frontend import (
    dicts_of_lists,
    dispatch,
    gone_over_objects,
    kept_iterators,
    shared_rows,
)
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.wanted_dicts import Dicts
from pcbatch.frontend.ways import Way


@dataclasses.dataclass
class PreludeObjects:
    """How the functions of a program are lowered, and what they have had a place for so far.

    Attributes:
      dicts: the dicts of containers.
      rows: the lists of lists.
      dispatching: the calls of functions that a member chooses.
      memos: the caches of nested functions.
      totals: the sums of elements of which one asks for a method of the user's.
      has_iterators: a variable has had an iterator, or a generator.
    """

    dicts: Dicts = dataclasses.field(default_factory=Dicts)
    rows: Way = dataclasses.field(default_factory=Way)
    dispatching: Way = dataclasses.field(default_factory=Way)
    memos: Way = dataclasses.field(default_factory=lambda: Way(taken=True))
    totals: Way = dataclasses.field(default_factory=Way)
    has_iterators: bool = False

    def rewrite(self, b: Builder, params: Sequence[str], is_called: bool) -> None:
        """Have a function make the objects, as far as they are wanted.

        Args:
          b: its builder; `b.source.node` is changed.
          params: its parameters, and what it has captured.
          is_called: another function calls it.
        """
        b.totals = self.totals
        dispatch.rewrite(b, self.dispatching)
        kept_iterators.rewrite(b, b.source.node, params, self.has_iterators)
        b.goes_over_objects = gone_over_objects.rewrite(b) or self.has_iterators
        dicts_of_lists.rewrite(b.source, b.is_builtin, b.callee, self.dicts, is_called)
        b.local |= shared_rows.rewrite(b.source, b.is_builtin, self.rows, params)
