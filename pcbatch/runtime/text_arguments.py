"""Arguments that are texts, for a program that needs their characters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from pcbatch.runtime.arguments import Arguments, LeafArgument
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.labels import Labels
from pcbatch.semantics.pytree import Node, Tree
from pcbatch.semantics.spelling import SPELLED


def are_spelled(arguments: Arguments) -> bool:
    """Whether there are texts in arguments that are their characters."""
    return any(isinstance(leaf, _Characters) for leaf in arguments.leaves)


def spelled(arguments: Arguments, room: int) -> Arguments:
    """The same arguments, in which each text is its characters.

    Args:
      arguments: as they were read; texts may be their characters already.
      room: how many characters a text has room for, at least; the longest one may need more.
    """
    by_name = {name: (list[LeafArgument](), tree) for name, tree in arguments.trees.items()}
    for leaf in arguments.leaves:
        by_name[leaf.parameter][0].append(leaf)
    made = {name: _spelled(iter(own), tree) for name, (own, tree) in by_name.items()}
    texts = [leaf for own, _ in made.values() for leaf in own if isinstance(leaf, _Characters)]
    while any(leaf.value.shape[1] > room for leaf in texts):
        room *= 2
    leaves = [
        dataclasses.replace(_widened(leaf, room), index=k)
        for own, _ in made.values()
        for k, leaf in enumerate(own)
    ]
    trees = {name: tree for name, (_, tree) in made.items()}
    return dataclasses.replace(arguments, trees=trees, leaves=tuple(leaves))


@dataclasses.dataclass(frozen=True, slots=True)
class _Characters(LeafArgument):
    """The characters of texts, int32[B, M]."""


def _widened(leaf: LeafArgument, room: int) -> LeafArgument:
    if not isinstance(leaf, _Characters):
        return leaf
    missing = room - leaf.value.shape[1]
    return dataclasses.replace(leaf, value=tf.pad(leaf.value, [[0, 0], [0, missing]]))


def _spelled(leaves: Iterator[LeafArgument], tree: Tree) -> tuple[list[LeafArgument], Tree]:
    if not isinstance(tree, Node):
        return [next(leaves)], tree
    if tree.type is ChosenText:
        code, kind = next(leaves), next(leaves)
        return (_leaves(code), SPELLED) if kind.value is str else ([code, kind], tree)
    found, children = list[LeafArgument](), list[Tree]()
    for child in tree.children:
        own, new = _spelled(leaves, child)
        found += own
        children.append(new)
    return found, dataclasses.replace(tree, children=tuple(children))


def _leaves(code: LeafArgument) -> list[LeafArgument]:
    """The leaves of texts that are their characters, of their codes."""
    texts = Labels.coded(code.value, str).tolist()
    lengths = np.array(list(map(len, texts)), np.int32)
    codes = np.zeros([len(texts), max(1, *lengths)], np.int32)
    for row, text in zip(codes, texts, strict=True):
        row[: len(text)] = list(map(ord, text))
    path = code.path.removesuffix(".code")
    known = {f.name: getattr(code, f.name) for f in dataclasses.fields(code)}
    return [
        _Characters(**known | {"path": f"{path}.codes", "value": tf.constant(codes)}),
        dataclasses.replace(code, path=f"{path}.length", value=tf.constant(lengths)),
    ]
