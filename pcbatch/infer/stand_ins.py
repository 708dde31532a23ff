"""Python values that stand for abstract ones, and a primitive's function run on them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from pcbatch.infer.domain import Leaf, Static, Value
from pcbatch.infer.provenance import one_object
from pcbatch.semantics import identity, pytree
from pcbatch.semantics.spelling import at_rest


def instantiate(args: tuple[Value, ...], make: Callable[[int, int, Leaf], Any]) -> list[Any]:
    """Python values for abstract ones; `make` gives what stands for a leaf that is not static."""
    result = []
    for i, value in enumerate(args):
        leaves = [
            leaf.value if isinstance(leaf, Static) else make(i, j, leaf)
            for j, leaf in enumerate(value.leaves)
        ]
        result.append(pytree.unflatten(value.tree, leaves))
    return result


def with_objects_known(
    fn: Callable[..., tuple[Any, ...]], values: Sequence[Any], args: tuple[Value, ...]
) -> tuple[Any, ...]:
    """What a primitive gives, where it is known what the objects are called that it reads."""
    with identity.known(functools.partial(one_object, values, args)):
        return tuple(map(at_rest, fn(*values)))
