"""Variables that are None on one path and a value on another, and such that are two texts.

See `semantics.none_or_value` and `semantics.chosen_texts`.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from pcbatch.infer.domain import BufferRef, Leaf, Static, Tensor, Value, as_tensor, is_number
from pcbatch.infer.kinds import is_list, is_object
from pcbatch.infer.opening import expanded
from pcbatch.semantics import pytree
from pcbatch.semantics.chosen_texts import ChosenText, is_coded
from pcbatch.semantics.constants import code_of, is_constant
from pcbatch.semantics.element_leaves import common_tree, is_fraction_beside
from pcbatch.semantics.named_texts import spelled_room
from pcbatch.semantics.none_or_value import MaybeNone, is_maybe, maybe, value_tree
from pcbatch.semantics.optional import Optional
from pcbatch.semantics.pytree import LEAF, Node, Tree, stands_for_pythons
from pcbatch.semantics.references import NOTHING, is_reference_tree
from pcbatch.semantics.spelling import SPELLED, codes_of
from pcbatch.semantics.texts import Text

NONE = Static(None)
MOST_WITHIN = 6
"""So many values that may be None are within each other at most."""
TEXT = Node(ChosenText, ("code", "kind"), (LEAF, LEAF))


def holds_maybe(tree: Tree) -> bool:
    """Whether there is one in a structure."""
    return any(map(is_maybe, pytree.nodes(tree)))


def has_no_end(tree: Tree, depth: int = 0) -> bool:
    """Whether a structure has one in one in one: each round of a loop would add another."""
    depth += is_maybe(tree)
    children = tree.children if isinstance(tree, Node) else ()
    return depth > MOST_WITHIN or any(has_no_end(child, depth) for child in children)


def of_argument(tree: Tree) -> Tree:
    """The structure in a program of an argument in which an `Optional` may be."""
    if not isinstance(tree, Node):
        return tree
    children = tuple(map(of_argument, tree.children))
    if tree.type is Optional:
        return maybe(children[1])
    if tree.type is ChosenText:
        return TEXT
    return dataclasses.replace(tree, children=children)


def is_text(tree: Tree) -> bool:
    """Whether a structure is a text, or a constant of an Enum, that depends on the member."""
    return is_chosen(tree) or is_spelled(tree)


def is_chosen(tree: Tree) -> bool:
    """Whether it is one of several, of which the member has the code."""
    return isinstance(tree, Node) and tree.type is ChosenText


def is_spelled(tree: Tree) -> bool:
    """Whether a structure is a text of which a member has the characters."""
    return isinstance(tree, Node) and tree.type is Text


def holds_chosen(tree: Tree) -> bool:
    """Whether there is the code of one in a structure."""
    return any(is_chosen(node) or is_coded(node) for node in pytree.nodes(tree))


def with_nones(a: Value, b: Value) -> tuple[Value, Value]:
    """Two values of one structure, where they differ only in what is None, or which text; else as
    they are.
    """
    tree = _common(a, b)
    if tree is None or (tree == a.tree and tree == b.tree):
        return a, b
    found, others = (
        [leaf for leaf, _ in lifted([(x, "") for x in v.leaves], v.tree, tree)] for v in (a, b)
    )
    return _filled(tree, found, others), _filled(tree, others, found)


def _common(a: Value, b: Value) -> Tree | None:
    """The structure of both; None where there is none."""
    nones = (a.leaf == NONE, b.leaf == NONE)
    if all(nones):
        return LEAF
    if any(nones):
        other = b if nones[0] else a
        if is_maybe(other.tree) or is_reference_tree(other.tree):
            return other.tree
        return maybe(other.tree) if _can_be_none(other) else None
    if is_reference_tree(a.tree) and is_reference_tree(b.tree):
        return common_tree(a.tree, b.tree)
    if _is_text(a) and _is_text(b) and a.leaf != b.leaf and _kind(a) is _kind(b):
        return SPELLED if _kind(a) is str and spelled_room() else TEXT
    if is_fraction_beside(a.tree, b.tree) and LEAF in (a.tree, b.tree):
        number, other = (a, b) if a.tree == LEAF else (b, a)
        return other.tree if _is_integer(number.leaf) else None
    if is_maybe(a.tree) != is_maybe(b.tree):
        inner = _common(value_of(a), value_of(b))
        return None if inner is None else maybe(inner)
    if not (isinstance(a.tree, Node) and isinstance(b.tree, Node)):
        return a.tree if a.tree == b.tree else None
    if (a.tree.type, a.tree.keys, a.tree.meta) != (b.tree.type, b.tree.keys, b.tree.meta):
        return None
    children = [_common(x, y) for x, y in zip(_children(a), _children(b), strict=True)]
    if any(child is None for child in children):
        return None
    return dataclasses.replace(
        a.tree, children=tuple(filter(None, children)), origins=a.tree.origins | b.tree.origins
    )


def _is_integer(leaf: Leaf | None) -> bool:
    """Whether a leaf is an integer: beside a fraction it is one."""
    if leaf is None or not is_number(leaf):
        return False
    type_ = as_tensor(leaf).type
    return type_.shape == () and tf.as_dtype(type_.dtype).is_integer


def characters_of(value: Value) -> int:
    """How many characters the texts in a value have room for; 0 where there are none such."""
    if not isinstance(value.tree, Node):
        return 0
    if is_spelled(value.tree) and isinstance(value.leaves[0], Tensor):
        return value.leaves[0].type.shape[-1]
    return max(map(characters_of, _children(value)), default=0)


def is_any_text(value: Value) -> bool:
    """Whether a value is a text, be it Python's or one that depends on the member."""
    return is_spelled(value.tree) or _is_text(value)


def _is_text(value: Value) -> bool:
    leaf = value.leaf
    if is_spelled(value.tree):
        return bool(spelled_room())
    return is_chosen(value.tree) or (isinstance(leaf, Static) and is_constant(leaf.value))


def _kind(value: Value) -> type:
    """Of a text or a constant of an Enum: `str`, or the Enum."""
    if is_spelled(value.tree):
        return str
    (*_, leaf) = value.leaves
    assert isinstance(leaf, Static)
    return leaf.value if is_chosen(value.tree) else type(leaf.value)


def _children(value: Value) -> list[Value]:
    assert isinstance(value.tree, Node)
    found, start = [], 0
    for child in value.tree.children:
        end = start + pytree.count(child)
        found.append(Value(child, value.leaves[start:end]))
        start = end
    return found


def value_of(value: Value) -> Value:
    """What a value that may be None is where it is not; another value itself."""
    return _children(value)[1] if is_maybe(value.tree) else value


def _can_be_none(value: Value) -> bool:
    """Whether something can stand for it where it is None: numbers, arrays, the buffers of another
    path, and what all members share, in containers of them.
    """
    return all(map(_is_of_parts, pytree.nodes(value.tree)))


def _is_of_parts(node: Node) -> bool:
    """Whether a container is known by its parts; a set, a dict or a queue of the member is not."""
    own = (tuple, list, dict, collections.deque, MaybeNone, ChosenText, Text)
    return issubclass(node.type, own) or is_object(node) or is_list(node)


def lifted(
    leaves: Sequence[tuple[Leaf | None, str]], tree: Tree, wanted: Tree
) -> list[tuple[Leaf | None, str]]:
    """The leaves, with their variables, of a value in a structure in which parts may be None.

    Args:
      leaves: of the value; a leaf that is None has to be filled in.
      tree: of the value.
      wanted: what `with_nones` has found for it.
    """
    if tree == wanted:
        return list(leaves)
    assert isinstance(wanted, Node)
    if is_reference_tree(wanted):
        return list(leaves) if is_reference_tree(tree) else [(Static(np.int32(NOTHING)), "")]
    if is_maybe(wanted) and not is_maybe(tree):
        if isinstance(tree, pytree.Leaf) and leaves[0][0] == NONE:
            return [(Static(False), ""), *[(None, "")] * pytree.count(value_tree(wanted))]
        return [(Static(True), ""), *lifted(leaves, tree, value_tree(wanted))]
    if stands_for_pythons(wanted.type) and tree == LEAF:
        return [*leaves, (Static(1), "")]
    if is_chosen(wanted):
        ((leaf, _),) = leaves
        return [(part, "") for part in _coded(leaf)]
    if is_spelled(wanted) and not is_spelled(tree):
        ((leaf, _),) = leaves
        return [(part, "") for part in _spelled(leaf)]
    assert isinstance(tree, Node)
    found, start = list[tuple[Leaf | None, str]](), 0
    for child, other in zip(tree.children, wanted.children, strict=True):
        end = start + pytree.count(child)
        found += lifted(leaves[start:end], child, other)
        start = end
    return found


def _coded(leaf: Leaf | None) -> tuple[Leaf | None, Leaf | None]:
    """The parts of one of several texts, of a text; None for what has to be filled in."""
    assert leaf is None or isinstance(leaf, Static)
    return (None, None) if leaf is None else (Static(code_of(leaf.value)), Static(type(leaf.value)))


def _spelled(leaf: Leaf | None) -> tuple[Leaf | None, Leaf | None]:
    """The parts of a text of which a member has the characters, in the same way."""
    assert leaf is None or isinstance(leaf, Static)
    if leaf is None:
        return None, None
    codes, length = codes_of(leaf.value)
    return Static(codes), Static(length)


def _filled(tree: Tree, own: Sequence[Leaf | None], others: Sequence[Leaf | None]) -> Value:
    """A value, where the other one's leaves stand for those of a part that is None."""
    pairs = zip(own, others, strict=True)
    leaves = (other if leaf is None else leaf for leaf, other in pairs)
    return Value(tree, tuple(leaf for leaf in leaves if leaf is not None))


def carried_over(value: Value, names: Sequence[str], wanted: Value) -> list[tuple[Leaf, str]]:
    """The leaves of a value, with their variables, where parts of it may be None.

    Args:
      value: as it is here.
      names: of its leaves.
      wanted: what it is there.
    """
    own = list(zip(value.leaves, names, strict=True))
    if value.tree == wanted.tree:
        return own
    there = expanded(value)
    own = own if there is value else [(leaf, "") for leaf in there.leaves]
    found = lifted(own, there.tree, wanted.tree)
    pairs = zip(found, wanted.leaves, strict=True)
    return [(filling(w) if leaf is None else leaf, name) for (leaf, name), w in pairs]


def filling(wanted: Leaf) -> Leaf:
    """What is written where a leaf stands for None."""
    match wanted:
        case Static():
            return wanted
        case BufferRef(type_, rooms):
            return BufferRef(type_, rooms[:1])
    dtype = tf.as_dtype(as_tensor(wanted).type.dtype)
    return Static(False if dtype == tf.bool else 0)
