"""Arguments that are None for some members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import tensorflow as tf

from pcbatch.errors import ArgumentError
from pcbatch.semantics import pytree
from pcbatch.semantics.optional import Optional

if TYPE_CHECKING:
    from pcbatch.runtime.arguments import LeafArgument


def check_optional(trees: Mapping[str, pytree.Tree], leaves: Iterable[LeafArgument]) -> None:
    """Refuse an `Optional` that does not say for each member whether it has a value.

    Args:
      trees: the structure of each parameter's value.
      leaves: of all arguments.

    Raises:
      ArgumentError: there is one.
    """
    paths = {path for name, tree in trees.items() for path in _paths_of_optional(tree, name)}
    for leaf in leaves:
        if leaf.path not in paths:
            continue
        rank, dtype = leaf.value.shape.rank, leaf.value.dtype
        if dtype != tf.bool or rank != (leaf.axis == 0):
            raise ArgumentError(
                f"argument `{leaf.path}` is {dtype.name}{list(leaf.value.shape)}: of a "
                "pcbatch.Optional it is a bool for each member"
            )


def _paths_of_optional(tree: pytree.Tree, path: str) -> Iterator[str]:
    """The paths of what says whether members have a value."""
    if not isinstance(tree, pytree.Node):
        return
    for key, child in zip(tree.keys, tree.children, strict=True):
        if tree.type is Optional and key == "has_value":
            yield f"{path}.{key}"
        yield from _paths_of_optional(child, f"{path}.{key}")
