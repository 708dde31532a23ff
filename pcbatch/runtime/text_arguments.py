"""Arguments that are texts, for a program that needs their characters."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from pcbatch.runtime.arguments import Arguments, LeafArgument
from pcbatch.runtime.specialization import Specialization
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.labels import Labels
from pcbatch.semantics.named_texts import CharactersNeeded
from pcbatch.semantics.pytree import Node, Tree
from pcbatch.semantics.spelling import SPELLED, NeedsRoom
from pcbatch.semantics.texts import rows_of


class TextArguments:
    """How a function takes arguments that are texts: each by its number, or as its characters.

    Which of the two is known when a program has been specialized for them.
    """

    def __init__(self) -> None:
        self._as_characters: list[Any] = []
        self._room = 0

    def specialized(
        self, arguments: Arguments, specialize: Callable[[Arguments], Specialization], room: int
    ) -> tuple[Specialization, Arguments]:
        """The specialization for arguments, and they as it takes them.

        Args:
          arguments: of a call.
          specialize: makes the specialization for arguments as they are.
          room: how many characters a text has room for, at least.
        """
        known = self._as_characters and arguments.signature() in self._as_characters
        if not (known or are_spelled(arguments)):
            try:
                return specialize(arguments), arguments
            except CharactersNeeded:
                self._as_characters.append(arguments.signature())
        room = max(room, self._room)
        while True:
            arguments = spelled(arguments, room)
            try:
                made = specialize(arguments)
            except NeedsRoom as needs:
                room = needs.room
                continue
            self._room = max(self._room, made.inferred.text_room)
            return made, arguments


def are_spelled(arguments: Arguments) -> bool:
    """Whether there are texts in arguments that are their characters."""
    return any(are_codes for tree in arguments.trees.values() for are_codes in _are_codes(tree))


def spelled(arguments: Arguments, room: int) -> Arguments:
    """The same arguments, in which each text is its characters.

    Args:
      arguments: as they were read; texts may be their characters already.
      room: how many characters a text has room for, at least; the longest one may need more.
    """
    by_name = {name: list[LeafArgument]() for name in arguments.trees}
    for leaf in arguments.leaves:
        by_name[leaf.parameter].append(leaf)
    trees, leaves = dict[str, Tree](), list[LeafArgument]()
    for name, tree in arguments.trees.items():
        own, trees[name] = _spelled(iter(by_name[name]), tree)
        leaves += [dataclasses.replace(leaf, index=k) for k, leaf in enumerate(own)]
    are_codes = [found for tree in trees.values() for found in _are_codes(tree)]
    pairs = list(zip(leaves, are_codes, strict=True))
    while any(leaf.value.shape[1] > room for leaf, found in pairs if found):
        room *= 2
    widened = tuple(_widened(leaf, room) if found else leaf for leaf, found in pairs)
    return dataclasses.replace(arguments, trees=trees, leaves=widened)


def _are_codes(tree: Tree) -> Iterator[bool]:
    """For each leaf, whether it has the characters of texts, int32[B, M]."""
    if tree == SPELLED:
        yield from (True, False)
    elif isinstance(tree, Node):
        for child in tree.children:
            yield from _are_codes(child)
    else:
        yield False


def _widened(leaf: LeafArgument, room: int) -> LeafArgument:
    missing = room - leaf.value.shape[1]
    return dataclasses.replace(leaf, value=tf.pad(leaf.value, [[0, 0], [0, missing]]))


def _spelled(leaves: Iterator[LeafArgument], tree: Tree) -> tuple[list[LeafArgument], Tree]:
    if not isinstance(tree, Node):
        return [next(leaves)], tree
    if tree.type is ChosenText:
        code, kind = next(leaves), next(leaves)
        return (_characters(code), SPELLED) if kind.value is str else ([code, kind], tree)
    found, children = list[LeafArgument](), list[Tree]()
    for child in tree.children:
        own, new = _spelled(leaves, child)
        found += own
        children.append(new)
    return found, dataclasses.replace(tree, children=tuple(children))


def _characters(code: LeafArgument) -> list[LeafArgument]:
    """The leaves of texts that are their characters, of their codes."""
    texts = Labels.coded(code.value, str).tolist()
    codes, lengths = rows_of(texts)
    path = code.path.removesuffix(".code")
    return [
        dataclasses.replace(code, path=f"{path}.codes", value=tf.constant(codes)),
        dataclasses.replace(code, path=f"{path}.length", value=tf.constant(lengths)),
    ]
