"""The types of what is put into sets and dicts."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from pcbatch.infer.domain import Static, Value, container
from pcbatch.infer.kinds import is_held, kind_of
from pcbatch.infer.likes import element_like, like_of_all
from pcbatch.infer.list_values import child_values, keys_of, opened, subtree
from pcbatch.infer.maybe_none import holds_maybe
from pcbatch.semantics import pytree
from pcbatch.semantics.chosen_texts import ChosenText, are_constants
from pcbatch.semantics.lists import Like, MemberDict, MemberSet, counters
from pcbatch.semantics.lists.by_leaves import are_numbers, compares
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.rationals import Fraction
from pcbatch.semantics.texts import Text

LIKE_LISTS = ("list",)
"""The kinds whose methods are known by their own names."""


IN_PLACE = {
    ("list", "+"): "extend", ("deque", "+"): "deque.extend", ("list", "*"): "repeat",
    ("deque", "*"): "deque.repeat", ("set", "|"): "set.update",
    ("set", "&"): "set.intersection_update", ("set", "-"): "set.difference_update",
    ("set", "^"): "set.symmetric_difference_update", ("dict", "|"): "dict.update",
}  # fmt: skip
"""The method that `x op= y` is, by the kind of `x` and the operator."""


def is_frozen(value: Value) -> bool:
    """Whether a value is a frozenset of the member."""
    tree = value.tree
    own = isinstance(tree, pytree.Node) and tree.type is MemberSet
    return own and subtree(value, ("kind",)).leaf == Static("frozenset")


def method_name(kind: str, name: str) -> str:
    """What the change of a method is called in `lists.CHANGES`."""
    return name if kind in LIKE_LISTS else f"{kind}.{name}"


def of_kind_of_dict(value: Value, method: str) -> str:
    """The name of a method that a `Counter` or an `OrderedDict` has, or that does more there."""
    if method in ("dict.update", "dict.subtract") and is_counter(value):
        return method.replace("dict.", "dict.counter_")
    if method in ("dict.popitem", "dict.move_to_end") and _is(collections.OrderedDict, value):
        return method.replace("dict.", "dict.ordered_")
    return method


def in_place(value: Value, symbol: str) -> str:
    """The method that `x op= y` is; "" where there is none."""
    if is_counter(value) and symbol in counters.IN_PLACE:
        return f"dict.counter_{counters.IN_PLACE[symbol]}"
    return IN_PLACE.get((kind_of(value), symbol), "")


def is_counter(value: Value) -> bool:
    """Whether a value is a Counter."""
    return _is(collections.Counter, value)


def _is(kind: type, value: Value) -> bool:
    """Whether a value is a dict of a kind, of the member or not."""
    tree = value.tree
    if not isinstance(tree, pytree.Node):
        return False
    own = tree.type is MemberDict and subtree(value, ("kind",)).leaf == Static(kind.__name__)
    return own or issubclass(tree.type, kind)


def whole(item: Any) -> Value:
    """The abstract value of a Python object."""
    leaves, tree = pytree.flatten(item)
    return Value(tree, tuple(map(Static, leaves)))


def keyed_likes(
    method: str, operands: list[Value], likes: Callable[[Value], list[Like | None]]
) -> list[Like | None]:
    """The types of the elements that a method puts into a set or a dict; None where it cannot be.

    Args:
      method: "set.add", ...
      operands: its arguments.
      likes: gives the types of the elements of a sequence.
    """
    match method, operands:
        case "set.add", [element]:
            return [of_key(element)]
        case (("dict.__setitem__" | "dict.setdefault"), [key, value]):
            return [_of_pair(key, value)]
        case _, [other] if _takes_pairs(method) and kind_of(other) == "dict":
            pairs = child_values(opened(other))
            if isinstance(other.tree, pytree.Node) and issubclass(other.tree.type, dict):
                return [_of_pair(whole(key), value) for key, value in pairs]
            return likes(other)
        case "dict.update", [other]:
            return [like if _is_pair(like) else None for like in likes(other)]
        case (("dict.counter_update" | "dict.counter_subtract"), [other]):
            return [like if like is None else _counted(like) for like in likes(other)]
        case (("set.update" | "set.symmetric_difference_update"), others):
            return [like for other in others for like in likes(other)]
    return []


def _takes_pairs(method: str) -> bool:
    """Whether a method of a dict takes the pairs of another dict."""
    return method == "dict.update" or method.startswith("dict.counter_")


def _counted(like: Like) -> Like:
    """The type of pairs of a key and a count."""
    count = element_like(whole(0))
    assert count is not None
    return Like(
        pytree.join_trees(tuple, (0, 1), (like.tree, count.tree)),
        (*like.dtypes, *count.dtypes),
        (*like.shapes, *count.shapes),
        (*like.weak, *count.weak),
    )


def _is_pair(like: Like | None) -> bool:
    tree = like.tree if like is not None else None
    return isinstance(tree, pytree.Node) and tree.type is tuple and len(tree.keys) == 2


def of_key(key: Value) -> Like | None:
    """The type of keys like a value; None where it can be no key of a member's set or dict."""
    special = _holds_list(key.tree) or holds_maybe(key.tree) or not compares(key.tree, "__eq__")
    like = None if special else element_like(key)
    return like if like is None or are_numbers(like.tree, like.shapes) else None


def _of_pair(key: Value, value: Value) -> Like | None:
    if of_key(key) is None or _holds_list(value.tree):
        return None
    return element_like(container(tuple, (0, 1), [key, value]))


def _holds_list(tree: pytree.Tree) -> bool:
    """Whether a value holds what can be changed in place, of which a dict would have a copy."""
    kept = (tuple, pytree.Reference, MaybeNone, ChosenText, Text, Fraction)
    return any(not issubclass(node.type, kept) for node in pytree.nodes(tree))


def are_named_alike(*dicts: Value) -> bool:
    """Whether dicts have texts as keys, or constants of one Enum, and values of one type.

    Some of them may be the member's own.
    """
    named = [x for x in dicts if not is_held(x.tree)]
    keys = [key for x in named for key in keys_of(x)]
    values = [value for x in named for _, value in child_values(x)]
    alike = are_constants(keys) and like_of_all(values) is not None
    return alike and all(kind_of(x) == "dict" for x in dicts)
