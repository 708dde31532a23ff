"""Arguments that are None for some members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pcbatch.errors import ArgumentError
from pcbatch.ir import TensorType
from pcbatch.semantics import pytree
from pcbatch.semantics.optional import Optional

_FOR_EACH = TensorType("bool", ())


def check_optional(trees: Mapping[str, pytree.Tree], types: Mapping[str, TensorType]) -> None:
    """Refuse an `Optional` that does not say for each member whether it has a value.

    Args:
      trees: the structure of each parameter's value.
      types: what a member has of each leaf that is a tensor, by its path.

    Raises:
      ArgumentError: there is one.
    """
    for path in (path for name, tree in trees.items() for path in _paths_of_optional(tree, name)):
        if types.get(path, _FOR_EACH) != _FOR_EACH:
            raise ArgumentError(
                f"argument `{path}` is {types[path]} for each member, and of a pcbatch.Optional it "
                f"is {_FOR_EACH}: whether the member has a value"
            )


def _paths_of_optional(tree: pytree.Tree, path: str) -> Iterator[str]:
    """The paths of what says whether members have a value."""
    if not isinstance(tree, pytree.Node):
        return
    for key, child in zip(tree.keys, tree.children, strict=True):
        if tree.type is Optional and key == "has_value":
            yield f"{path}.{key}"
        yield from _paths_of_optional(child, f"{path}.{key}")
