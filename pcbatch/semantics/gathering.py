"""Structures that were copied out of sequences, or are one of several, while it is noted."""

from __future__ import annotations

import contextvars
from typing import Any, NamedTuple

from pcbatch.semantics import pytree


class Gathered(NamedTuple):
    """A copy of an element.

    Attributes:
      element: the copy.
      source: the sequence that it was copied out of.
      leaves, tree: what was in the copy at first.
    """

    element: Any
    source: Any
    leaves: list[Any]
    tree: pytree.Tree

    def has_changed(self) -> bool:
        """Whether something has been written to the copy, which the sequence does not see."""
        leaves, tree = pytree.flatten(self.element, whole=True)
        return tree != self.tree or any(
            a is not b for a, b in zip(leaves, self.leaves, strict=True)
        )


GATHERED: contextvars.ContextVar[list[Gathered] | None] = contextvars.ContextVar(
    "gathered", default=None
)
"""What was copied while it is noted."""


def gathered(element: Any, source: Any) -> Any:
    """Note that an element is a copy of what is in a sequence, of whichever; returns it."""
    noted = GATHERED.get()
    if noted is not None and pytree.parts(element) is not None:
        noted.append(Gathered(element, source, *pytree.flatten(element, whole=True)))
    return element
