"""Where the lists in a primitive's results come from: some are those that it was given."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pcbatch.infer.domain import Leaf, Static, Value
from pcbatch.infer.kinds import is_changeable, is_key, is_list, is_record, kind_of_object
from pcbatch.infer.list_values import child_values, layout_of
from pcbatch.infer.objects import reached
from pcbatch.infer.parts import origins_of
from pcbatch.semantics import pytree
from pcbatch.semantics.gathering import Gathered
from pcbatch.semantics.lists.fresh import (
    NOWHERE,
    Helped,
    Older,
    Origin,
    Origins,
    Site,
    Within,
    identity,
    is_one,
    is_parameter,
    within,
)
from pcbatch.semantics.pytree import Node, Tree

Known = dict[int, tuple[Any, Origins]]
"""By the identity of a list, the list and where it is made."""


@dataclasses.dataclass
class Named:
    """What is changed in place, and what may be there under another name, which has a copy.

    Of dicts and objects: those to whose values something is assigned, and those that were put into
    a container of the member's, which keeps what they hold. Of lists of arrays: those of which an
    operator changes an element, and those whose elements a variable may still mean.

    Attributes:
      assigned: where what is changed is made.
      copied: where what has copies is made.
      given: pairs: what a call gives, as the function calls it and as its caller does.
    """

    assigned: Origins = NOWHERE
    copied: Origins = NOWHERE
    given: frozenset[tuple[Origin, Origin]] = frozenset()

    def forget(self, sites: Iterable[Site]) -> None:
        """Take back that something is assigned to dicts which are kept as the member's own now."""
        own = {site.in_any_round for site in sites}
        self.assigned = frozenset(
            x for x in self.assigned if not (isinstance(x, Site) and x.in_any_round in own)
        )

    def has_copies(self) -> bool:
        """Whether a copy would not see what is assigned.

        What a function is handed as its own, so as to change it, its callers change, too. What has
        copies in a function has them for the callers that are given it.
        """
        copied, known = self.copied, NOWHERE
        while copied != known:
            known = copied
            copied |= {outer for inner, outer in self.given if inner in copied}
        return bool(self.assigned & copied) or any(map(is_parameter, copied))


def has_lists(value: Value) -> bool:
    """Whether there is a list in a value."""
    large = any(isinstance(x, Static) and kind_of_object(x.value) for x in value.leaves)
    return large or _holds_list(value.tree)


def _holds_list(tree: Tree) -> bool:
    if not isinstance(tree, Node):
        return False
    if issubclass(tree.type, (list, dict, collections.deque)) or is_list(tree) or is_record(tree):
        return True
    return any(map(_holds_list, tree.children))


def _pairs(concrete: Any, value: Value) -> Iterator[tuple[Any, Value]]:
    """Each object in a structure with its abstract value."""
    yield concrete, value
    parts = pytree.parts(concrete)
    if parts is None or not isinstance(value.tree, Node):
        return
    for part, (_, child) in zip(parts, child_values(value), strict=True):
        yield from _pairs(part, child)


def known(
    values: Iterable[Any], args: Iterable[Value], origins_of: Callable[[Value], Origins]
) -> Known:
    """Where the lists among the operands of a primitive are made."""
    found: Known = {}
    for concrete, value in zip(values, args, strict=True):
        for part, abstract in _pairs(concrete, value):
            if kind_of_object(part) or is_changeable(type(part)):
                found[id(part)] = part, origins_of(abstract)
    return found


def one_object(values: Iterable[Any], args: Iterable[Value], a: Any, b: Any) -> bool | None:
    """Whether two objects, dicts or lists that a primitive reads or makes are one.

    Args:
      values: the operands of the primitive.
      args: their abstract values.
      a, b: what is compared.

    Returns:
      None where it depends on the member.
    """
    names = {
        id(part): identity(origins_of(abstract))
        for concrete, value in zip(values, args, strict=True)
        for part, abstract in _pairs(concrete, value)
        if id(part) in (id(a), id(b))
    }
    if not all(names.values()) or any(isinstance(x, Within) for own in names.values() for x in own):
        return None
    if len(names) < 2:
        return False  # the primitive has made the other one
    first, second = names.values()
    if not first & second:
        return False
    return True if first == second and is_one(first) and not isinstance(a, list) else None


def with_helped(found: Known, given: Iterable[tuple[Any, Any]]) -> Known:
    """The same with objects and dicts of texts that plain functions have made."""
    result = dict(found)
    for part, code in given:
        by_names = isinstance(part, dict) and part and not all(map(is_key, part))
        if by_names or is_changeable(type(part)):
            result.setdefault(id(part), (part, frozenset({Helped(code)})))
    return result


def with_gathered(found: Known, gathered: Iterable[Gathered]) -> Known:
    """The same with copies of elements of those lists, and of what is one of several objects."""
    result = dict(found)
    for element, source, *_ in gathered:
        objects = NOWHERE
        if not kind_of_object(element) or isinstance(element, dict):
            parts = pytree.parts(source) or ()
            objects = NOWHERE.union(*(result[id(x)][1] for x in parts if id(x) in result))
        if objects:
            result[id(element)] = element, objects
        elif id(source) in found:
            result[id(element)] = element, within(found[id(source)][1])
    return result


def hidden(leaves: Iterable[Any], found: Known) -> Origins:
    """Where those lists are made that an object which is no structure holds on to."""
    parts = (part for leaf in leaves for part in reached(leaf) if part is not leaf)
    return NOWHERE.union(*(found[id(part)][1] for part in parts if id(part) in found))


def marked(concrete: Any, value: Value, found: Known) -> Value:
    """A result with where the lists in it are made, as far as they are known ones."""
    own = found.get(id(concrete), (None, NOWHERE))[1]
    leaf = value.leaf
    if leaf is not None:
        if not (isinstance(leaf, Static) and kind_of_object(concrete)):
            return value
        return Value(value.tree, (dataclasses.replace(leaf, origins=own),))
    if is_list(value.tree):
        assert isinstance(value.tree, Node)
        if not own or not layout_of(value).borrowed:
            return value
        return Value(dataclasses.replace(value.tree, origins=own), value.leaves)
    parts = pytree.parts(concrete)
    if parts is None:
        return value
    children, leaves = list[Tree](), list[Leaf]()
    for part, (_, child) in zip(parts, child_values(value), strict=True):
        new = marked(part, child, found)
        children.append(new.tree)
        leaves += new.leaves
    assert isinstance(value.tree, Node)
    tree = dataclasses.replace(value.tree, children=tuple(children), origins=own)
    return Value(tree, tuple(leaves))


def provenance(value: Value) -> tuple[Any, ...]:
    """Where the lists in a value are made, for a key."""
    found = [leaf.origins for leaf in value.leaves if isinstance(leaf, Static)]
    return (*_tree_origins(value.tree), *filter(None, found))


def made_at(value: Value) -> Origins:
    """Where all the lists in a value may be made."""
    return NOWHERE.union(*provenance(value))


def holds_twice(value: Value) -> bool:
    """Whether a value may have one list in two places."""
    lists = (n.origins for n in pytree.nodes(value.tree) if not issubclass(n.type, tuple))
    sites = [site for origins in lists for site in origins if isinstance(site, Site | Older)]
    return len(set(sites)) < len(sites)


def _tree_origins(tree: Tree) -> Iterator[Origins]:
    if isinstance(tree, Node):
        if tree.origins and not issubclass(tree.type, tuple):  # nothing changes a tuple
            yield tree.origins
        for child in tree.children:
            yield from _tree_origins(child)
