"""Arguments that are None for some members, and texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.errors import ArgumentError
from pcbatch.ir import TensorType
from pcbatch.semantics import pytree
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.constants import is_constant
from pcbatch.semantics.labels import Labels
from pcbatch.semantics.optional import Optional

_HAS_VALUE, _CODE = TensorType("bool", ()), TensorType("int64", ())
_FOR_EACH = {
    (Optional, "has_value"): (_HAS_VALUE, "whether the member has a value"),
    (ChosenText, "code"): (_CODE, "which text, or constant of an Enum, the member has"),
}


def check_special(trees: Mapping[str, pytree.Tree], types: Mapping[str, TensorType]) -> None:
    """Refuse an `Optional` or `Labels` that do not say for each member what it has.

    Args:
      trees: the structure of each parameter's value.
      types: what a member has of each leaf that is a tensor, by its path.

    Raises:
      ArgumentError: there is one.
    """
    for kind, path in (found for name, tree in trees.items() for found in _parts(tree, name)):
        wanted, meaning = _FOR_EACH[kind]
        if types.get(path, wanted) != wanted:
            shown = "Labels" if kind[0] is ChosenText else "an Optional"
            raise ArgumentError(
                f"argument `{path}` is {types[path]} for each member, and of {shown} it is "
                f"{wanted}: {meaning}"
            )


def _parts(tree: pytree.Tree, path: str) -> Iterator[tuple[tuple[type, str], str]]:
    """What is one for each member, and its path."""
    if not isinstance(tree, pytree.Node):
        return
    for key, child in zip(tree.keys, tree.children, strict=True):
        if (tree.type, key) in _FOR_EACH:
            yield (tree.type, key), f"{path}.{key}"
        yield from _parts(child, f"{path}.{key}")


def with_texts(value: Any, path: str) -> Any:
    """An argument, in which each `Labels`, and each array of texts, is a text of the member.

    Args:
      value: of the user.
      path: what messages call it.

    Raises:
      ArgumentError: an array of texts has several axes.
    """
    leaves, tree = pytree.flatten(value, stop=Labels)
    texts = [isinstance(leaf, Labels) or _is_of_texts(leaf) for leaf in leaves]
    if not any(texts):
        return value
    named = zip(leaves, texts, pytree.paths(tree, path), strict=True)
    return pytree.unflatten(tree, [_text(x, at) if is_text else x for x, is_text, at in named])


def _is_of_texts(leaf: Any) -> bool:
    if isinstance(leaf, np.ndarray):
        objects = leaf.dtype == object and leaf.size > 0
        return leaf.dtype.kind in "UT" or (objects and all(map(is_constant, leaf.flat)))
    return tf.is_tensor(leaf) and leaf.dtype == tf.string and not tf.is_symbolic_tensor(leaf)


def _text(value: Any, path: str) -> ChosenText:
    if not isinstance(value, Labels):
        texts = value if isinstance(value, np.ndarray) else _decoded(value)
        if texts.ndim != 1:
            raise ArgumentError(
                f"argument `{path}` is an array of texts of shape {list(texts.shape)}: a member "
                "has one text.\nhelp: pass a list of arrays of one text per member"
            )
        value = Labels(texts) if len(texts) else Labels.coded(tf.zeros([0], tf.int64), str)
    if value.is_spelled:
        value = Labels(value.tolist())
    return ChosenText(value.code, value.kind)


def _decoded(texts: tf.Tensor) -> np.ndarray:
    return np.char.decode(texts.numpy().astype(np.bytes_), "utf-8")
