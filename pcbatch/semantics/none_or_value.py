"""A value that is None for some members; `maybe_none` says what may be done with it."""

from __future__ import annotations

import dataclasses
from typing import Any

from pcbatch.semantics.misuse import Unsupported, deciding, refusing
from pcbatch.semantics.pytree import LEAF, Node, Tree


def used() -> Unsupported:
    """What to say of a use that has no meaning on a value that is None for some members."""
    return Unsupported(
        "a value that is None for some members is used",
        "operators, comparisons, subscripts and functions of numbers stop the members for which it "
        "is None, as Python does; nothing else takes it.",
        "ask first, by its name:\nif best is not None:\n    y = tf.abs(best)",
    )


refuse = refusing(used)


@dataclasses.dataclass(eq=False, repr=False)
class MaybeNone:
    """A value, or None.

    What Python itself would do with the object, its truth, equality, hash, text and elements, is
    refused.

    Attributes:
      there: whether it is the value: a bool, or a bool scalar.
      value: a structure of numbers; where there is none, any.
    """

    there: Any
    value: Any

    __bool__ = deciding(used)
    __eq__ = __hash__ = __iter__ = __len__ = refuse
    __repr__ = __str__ = __format__ = refuse


FIELDS = ("there", "value")


def is_maybe(tree: Tree) -> bool:
    """Whether a structure is a value that may be None."""
    return isinstance(tree, Node) and tree.type is MaybeNone


def maybe(tree: Tree) -> Node:
    """The structure of what is None, or has a structure."""
    return Node(MaybeNone, FIELDS, (LEAF, tree))


def value_tree(tree: Tree) -> Tree:
    """The structure of what is not None, of what may be."""
    return tree.children[1] if isinstance(tree, Node) and is_maybe(tree) else tree
