"""What lists, tuples and their elements are as values of inference.

A list that is only read is a structure, one of the member has its elements in buffers.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from pcbatch.infer.domain import Static, Value
from pcbatch.infer.kinds import is_list, is_tuple
from pcbatch.infer.likes import joined_like, like_of, like_of_all
from pcbatch.infer.meeting import Conflict
from pcbatch.semantics import data, pytree
from pcbatch.semantics.lists import Like, ListLayout, MemberList
from pcbatch.semantics.lists.fresh import Origins
from pcbatch.semantics.lists.handed import Handed
from pcbatch.semantics.pytree import LEAF, Node, Tree

Path = tuple[Any, ...]


def subtree(value: Value, path: Path) -> Value:
    """A part of a value."""
    if not path or not isinstance(value.tree, Node):
        return value
    start = 0
    for key, child in zip(value.tree.keys, value.tree.children, strict=True):
        end = start + pytree.count(child)
        if key == path[0]:
            return subtree(Value(child, value.leaves[start:end]), path[1:])
        start = end
    raise KeyError(path[0])


def child_values(value: Value) -> Iterator[tuple[Any, Value]]:
    """The parts of a container, by key."""
    if isinstance(value.tree, Node):
        start = 0
        for key, child in zip(value.tree.keys, value.tree.children, strict=True):
            end = start + pytree.count(child)
            yield key, Value(child, value.leaves[start:end])
            start = end


def layout_of(value: Value) -> ListLayout:
    """What is static of a list of the member."""
    leaf = subtree(value, ("layout",)).leaf
    assert isinstance(leaf, Static)
    layout: ListLayout = leaf.value
    return layout


def known_length(value: Value) -> int | None:
    """How many elements a list of the member has; None where only members know."""
    layout = layout_of(value)
    return None if layout.grows[0] else layout.capacity[0]


def data_of(value: Value) -> Value:
    """The buffers with the elements of a list of the member."""
    return subtree(value, ("data",))


def origins(tree_or_leaf: Any) -> Origins:
    """Where a list that is a structure is made."""
    found: Origins = tree_or_leaf.origins
    return found


def stored(value: Value) -> Value:
    """The list of the elements of a set, a dict or a queue of the member."""
    return subtree(value, ("stored",))


def is_any_tuple(tree: Tree) -> bool:
    """Whether a structure is a tuple, of the member or of a known length; no NamedTuple."""
    return is_tuple(tree) or (isinstance(tree, Node) and tree.type is tuple)


def like_of_tuples(a: Value, b: Value) -> Like | Conflict | None:
    """The type of the elements of tuples of two lengths; None where there are none.

    A `Conflict` says that no tuple of the member has both's elements.
    """
    likes = list[Like | None]()
    for value in (a, b):
        if is_tuple(value.tree):
            layout = layout_of(value)
            likes += [like_of(data_of(value), layout)] if layout.known else []
            continue
        elements = [child for _, child in child_values(value)]
        own = all(issubclass(n.type, tuple) for x in elements for n in pytree.nodes(x.tree))
        likes += [like_of_all(elements) if own else None] if elements else []
    same = not (is_tuple(a.tree) or is_tuple(b.tree)) and keys_of(a) == keys_of(b)
    if same or any(like is None for like in likes):
        return Conflict("", a, b)
    try:
        return functools.reduce(joined_like, filter(None, likes)) if likes else None
    except Conflict as conflict:
        return conflict


NO_TUPLE = Value(Node(tuple, (), ()), ())
"""The tuple without elements."""


def is_static_list(tree: Tree) -> bool:
    """Whether a structure is a list of a known length."""
    return isinstance(tree, Node) and tree.type is list


def both_lists(a: Tree, b: Tree) -> bool:
    """Whether two structures are lists of known lengths."""
    return is_static_list(a) and is_static_list(b)


def static_length(value: Value) -> int | None:
    """The number of elements of a list, or of a tuple that may grow; None where it is not known."""
    if isinstance(value.tree, Node) and issubclass(value.tree.type, (MemberList, Handed)):
        layout = layout_of(value)
        level = pytree.count(subtree(value, ("rows",)).tree) if is_list(value.tree) else 0
        return None if layout.grows[level] else layout.capacity[level]
    opened_value = opened(value)
    if is_any_tuple(value.tree) and origins(value.tree):
        return (
            None if isinstance(like_of_tuples(value, NO_TUPLE), Conflict) else len(keys_of(value))
        )
    return len(keys_of(opened_value)) if is_static_list(opened_value.tree) else None


def opened(value: Value) -> Value:
    """The value; of large plain data the first level is taken apart."""
    leaf = value.leaf
    if isinstance(leaf, Static) and isinstance(leaf.value, dict) and data.is_large(leaf.value):
        keys, leaves = tuple(leaf.value), leaf.value.values()
        whole = Node(type(leaf.value), keys, (LEAF,) * len(keys), origins=leaf.origins)
        return Value(whole, tuple(map(Static, leaves)))
    if not (isinstance(leaf, Static) and isinstance(leaf.value, list)):
        return value
    keys = tuple(range(len(leaf.value)))
    tree = Node(list, keys, (LEAF,) * len(keys), origins=leaf.origins)
    return Value(tree, tuple(map(Static, leaf.value)))


def keys_of(value: Value) -> tuple[Any, ...]:
    """The keys of a structure; none of a leaf."""
    return value.tree.keys if isinstance(value.tree, Node) else ()
