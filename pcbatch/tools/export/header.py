"""What the header of an exported program says: names, shapes, dtypes and structures, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from pcbatch.runtime.arguments import Arguments, LeafArgument
from pcbatch.semantics import pytree
from pcbatch.semantics.pytree import Leaf, Tree

CONTAINERS: dict[type, str] = {tuple: "tuple", list: "list", dict: "dict"}


def describe(tree: Tree, leaves: Iterable[Any]) -> Any:
    """A structure as JSON.

    Args:
      tree: the structure.
      leaves: per leaf the name of a tensor, or None for a leaf that is none.

    Returns:
      For a leaf its name; for a node {"kind", "keys", "children"}, where the kind is "tuple",
      "list", "dict", or the class's name.
    """
    return _describe(tree, iter(leaves))


def _describe(tree: Tree, leaves: Any) -> Any:
    if isinstance(tree, Leaf):
        return next(leaves)
    keys = [key if isinstance(key, (int, str)) else str(key) for key in tree.keys]
    kind = CONTAINERS.get(tree.type, tree.type.__name__)
    children = [_describe(child, leaves) for child in tree.children]
    return {"kind": kind, "keys": keys, "children": children}


def tensor(name: str, value: Any, **more: Any) -> dict[str, Any]:
    """The entry of one tensor."""
    dtype = tf.as_dtype(value.dtype).name
    return {"name": name, "dtype": dtype, "shape": list(value.shape), **more}


def inputs(leaves: Iterable[LeafArgument]) -> list[dict[str, Any]]:
    """The entries of the inputs: the leaves of the arguments that are tensors."""
    return [tensor(x.path, x.value, batched=x.axis == 0) for x in leaves]


def parameters(arguments: Arguments) -> dict[str, Any]:
    """The structure of each parameter that holds a tensor; static leaves are None."""
    result = {}
    for name, tree in arguments.trees.items():
        leaves = [x for x in arguments.leaves if x.parameter == name]
        names = [None if x.axis == "static" else x.path for x in leaves]
        if any(names):
            result[name] = describe(tree, names)
    return result


def result(value: Any) -> tuple[list[str], list[tf.Tensor], Any]:
    """Names, tensors and structure of a function's result; None in it stays None."""
    leaves, tree = pytree.flatten(value)
    paths = pytree.paths(tree, "value")
    names = [p if tf.is_tensor(x) else None for p, x in zip(paths, leaves, strict=True)]
    kept = [(p, x) for p, x in zip(paths, leaves, strict=True) if tf.is_tensor(x)]
    return [p for p, _ in kept], [x for _, x in kept], describe(tree, names)
