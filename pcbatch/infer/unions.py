"""Objects of several classes that a variable, or a list, has beside each other: tagged unions.

They are on the heap, and of one class there, see `semantics.dispatchers`. That they meet is noted
where two types do not fit; where the program does not type, inference begins again with a union.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pcbatch.infer.domain import Static, Value, static
from pcbatch.infer.kinds import is_object
from pcbatch.infer.list_values import subtree
from pcbatch.semantics import pytree
from pcbatch.semantics.dispatchers import assigned_by, is_of_class, tagged_union
from pcbatch.semantics.plain_classes import constants
from pcbatch.semantics.pytree import Node, Tree
from pcbatch.semantics.references import can_be_referred_to, is_reference_tree, kind_of_tree
from pcbatch.semantics.tagged_unions import TAG, members_of
from pcbatch.semantics.user_code import is_own_module


def met(a: Tree, b: Tree) -> Iterator[set[type]]:
    """The classes of objects that stand at the same place of two structures, where they differ."""
    if not (isinstance(a, Node) and isinstance(b, Node)):
        return
    first, second = _classes(a), _classes(b)
    if first and second:
        if first != second:
            yield {*first, *second}
    elif len(a.children) == len(b.children):
        for x, y in zip(a.children, b.children, strict=True):
            yield from met(x, y)


def _classes(tree: Node) -> tuple[type, ...]:
    """The classes that an object of a structure may be of; () of what is none of the user's."""
    if not (is_reference_tree(tree) or is_object(tree)):
        return ()
    return beside([kind_of_tree(tree) if is_reference_tree(tree) else tree.type])


def beside(kinds: Iterable[type]) -> tuple[type, ...]:
    """The classes that may be members of a union: those of the user's, and their unions'."""
    found = (x for x in kinds if can_be_referred_to(x) and not is_own_module(x.__module__))
    return tuple(member for kind in found for member in members_of(kind) or (kind,))


def merged(groups: Iterable[Iterable[type]]) -> list[type]:
    """The unions of classes that have met, each class in one of them."""
    found = list[set[type]]()
    for group in map(set, groups):
        apart = [x for x in found if not x & group]
        found = [*apart, group.union(*(x for x in found if x & group))]
    return [tagged_union(tuple(sorted(group, key=_order))) for group in found]


def _order(kind: type) -> tuple[str, str]:
    return kind.__module__, kind.__qualname__


def class_in(value: Value) -> type:
    """The class that the user has written of an object of a union that is not on the heap yet."""
    leaf = subtree(value, (TAG,)).leaf
    assert isinstance(leaf, Static)
    kind: type = leaf.value
    return kind


def tag_in(value: Value) -> Value:
    """The tag of such an object."""
    assert isinstance(value.tree, Node)
    return static(members_of(value.tree.type).index(class_in(value)))


def methods_among(names: Iterable[str], members: Iterable[type]) -> list[str]:
    """The attributes of an object that are methods, or properties, of some of these classes."""
    found = [vars(base) for kind in members for base in kind.__mro__]
    return sorted(x for x in names if any(is_of_class(own.get(x)) for own in found))


@dataclasses.dataclass(frozen=True)
class AsTagged:
    """A primitive's function that makes an object of a class, which is one of a union.

    Attributes:
      function: it.
      kind: the class.
      union: the union.
    """

    function: Callable[..., tuple[Any, ...]]
    kind: type
    union: type

    def __call__(self, *values: Any) -> tuple[Any]:
        (made,) = self.function(*values)
        own = dict(constants(self.kind, assigned_by(members_of(self.union))))
        own |= pytree.named_parts(made) | {TAG: self.kind}
        tagged: Any = object.__new__(self.union)
        vars(tagged).update(own)
        return (pytree.as_made(tagged),)

    def __getattr__(self, name: str) -> Any:
        """What is said of the function."""
        return getattr(self.function, name)
