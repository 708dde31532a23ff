"""Dicts that are not changed: a member's key chooses one of the values."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import chosen_texts, one_of_two, pytree, references, sharing
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.constants import is_constant
from pcbatch.semantics.element_leaves import flattened, itself, lifted, unflattened
from pcbatch.semantics.faults import require
from pcbatch.semantics.gathering import gathered
from pcbatch.semantics.keys import matches, place_of, varies
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.dense import Dense, NotOneType
from pcbatch.semantics.lists.layout import ListLayout
from pcbatch.semantics.lists.member import made
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.misuse import NotOnHeap, ReadAdds, ValueOfDict
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.operators import compare, is_tensor, mark_weak
from pcbatch.semantics.places import first_of
from pcbatch.semantics.registry import register_method
from pcbatch.semantics.spelling import is_text
from pcbatch.semantics.texts import Text, either
from pcbatch.semantics.types import type_of


class Table:
    """What `mapping[key]` is looked up in.

    Args:
      mapping: a dict whose keys are known.
      texts: the user's text of the key.
      adding: a missing key is added afterwards.
    """

    def __init__(self, mapping: Mapping[Any, Any], texts: tuple[str, ...], adding: bool = False):
        self.mapping, self.texts, self.adding = mapping, texts, adding

    def __getitem__(self, key: Any) -> Any:
        if isinstance(self.mapping, collections.defaultdict):
            return self._with_default(self.mapping, key)
        if not varies(key):
            return self.mapping[key]
        if isinstance(self.mapping, collections.Counter):
            return get(self.mapping, key, 0)
        text = self.texts[0] if len(self.texts) == 1 else f"({', '.join(self.texts)})"
        place = place_of(list(self.mapping), key, text)
        return _at(list(self.mapping.values()), place)

    def _with_default(self, mapping: collections.defaultdict[Any, Any], key: Any) -> Any:
        """An element of a `defaultdict`, to which reading a missing key adds it."""
        missing: Any = mapping.default_factory
        if not varies(key) and (key in mapping or missing is None):
            return mapping[key]
        if missing not in (int, float, bool, complex):
            raise ReadAdds(f"{missing.__name__}()" if isinstance(missing, type) else "0")
        if self.adding:
            return get(mapping, key, missing())
        if not varies(key) or not mapping:
            raise ReadAdds(repr(missing()))
        found = matches(list(mapping), key)
        require(tf.reduce_any(found), adds(missing()))
        return _at(list(mapping.values()), first_of(found))


def adds(zero: Any) -> str:
    """What is said where a key is not there that reading would add: a `defaultdict` grows then."""
    return unknown(f"reading a key that a defaultdict has not would add it: d.get(key, {zero!r})")


def get(mapping: Mapping[Any, Any], key: Any, default: Any = None) -> Any:
    """`mapping.get(key, default)`."""
    if not varies(key):
        return mapping.get(key, default)
    if not mapping:
        return default
    found = matches(list(mapping), key)
    if default is None:
        return or_none(tf.reduce_any(found), _at(list(mapping.values()), first_of(found)))
    if type(default) is list:  # lists may have other lengths
        place = tf.where(tf.reduce_any(found), first_of(found), len(mapping))
        return _at([*mapping.values(), default], place)
    return chosen(tf.reduce_any(found), _at(list(mapping.values()), first_of(found)), default)


def _at(values: Sequence[Any], place: Any) -> Any:
    """The value at a place: a structure of numbers, or a copy of a list."""
    if chosen_texts.are_constants(values):
        return chosen_texts.chosen(values, place)
    try:
        found = elements.of_items(values)
    except NotOneType:
        if any(map(_holds_text, values)):
            return _with_texts(values, place)
        if _are_alike(values):
            parts = {key: _at([value[key] for value in values], place) for key in values[0]}
            return gathered(parts, values)
        if all(type(value) is dict for value in values):
            return _dict(values, place)
        if not all(isinstance(value, list) for value in values):
            raise ValueOfDict(", ".join(sorted({_kind(value) for value in values}))) from None
        return _row(values, place)
    rows = (lifted(*flattened(value), found.tree, itself) for value in values)
    for column, *leaves in zip(found.columns, *rows, strict=True):
        sharing.views(column, leaves)
    return gathered(element_at(found, place), values)


def _are_alike(values: Sequence[Any]) -> bool:
    """Whether all values are dicts with the same keys in the same order."""
    return all(type(x) is dict for x in values) and len({tuple(x) for x in values}) == 1


def _holds_text(value: Any) -> bool:
    """Whether a text is among the parts of a tuple."""
    return isinstance(value, tuple) and any(is_constant(leaf) for leaf in pytree.flatten(value)[0])


def _with_texts(values: Sequence[Any], place: Any) -> Any:
    """One of several tuples, of which some parts are texts."""
    flat = [pytree.flatten(value) for value in values]
    if any(tree != flat[0][1] for _, tree in flat):
        raise ValueOfDict(", ".join(sorted({_kind(value) for value in values})))
    columns = zip(*(leaves for leaves, _ in flat), strict=True)
    return pytree.unflatten(flat[0][1], [_at(column, place) for column in columns])


def element_at(found: Dense, place: Any) -> Any:
    """One of the elements of a list; where there is none at the place, any."""
    place = tf.clip_by_value(place, 0, max(found.capacity - 1, 0)) if is_tensor(place) else place
    leaves = [sharing.view(tf.gather(column, place), column) for column in found.columns]
    pairs = zip(leaves, found.weak, strict=True)
    return unflattened(found.tree, [mark_weak(x) if weak else x for x, weak in pairs])


def _row(rows: Sequence[list[Any]], place: Any) -> Any:
    """One of several lists of different lengths."""
    dense = elements.unified([elements.of_items(row) for row in rows])
    lengths = tf.constant([len(row) for row in rows], tf.int32)
    resized = [row.resized(max(map(len, rows))) for row in dense]
    columns = zip(*(row.columns for row in resized), strict=True)
    own = tuple(tf.gather(tf.stack(column), place) for column in columns)
    row = made(Dense(dense[0].tree, own, dense[0].weak, mark_weak(tf.gather(lengths, place))))
    known = row.layout
    layout = ListLayout(known.capacity, known.grows, known.weak, borrowed=True)
    return dataclasses.replace(row, layout=layout)


def _dict(values: Sequence[dict[Any, Any]], place: Any) -> Any:
    """One of several dicts with other keys.

    Raises:
      ValueOfDict: their keys, or their values, are of several kinds.
    """
    try:
        return Meanings.dict_of_pairs(_row([list(value.items()) for value in values], place))
    except NotOneType:
        raise ValueOfDict("dict") from None


def _kind(value: Any) -> str:
    return "number" if is_tensor(value) else type_of(value).__name__


def chosen(condition: Any, yes: Any, no: Any) -> Any:
    """One of two values of one structure, in what Python's promotion makes of both.

    Raises:
      ValueOfDict: they are not of one kind.
    """
    if any(isinstance(value, MaybeNone) for value in (yes, no)):
        return _chosen_or_none(condition, _as_maybe(yes), _as_maybe(no))
    if chosen_texts.are_alike(yes, no):
        return chosen_texts.either(condition, yes, no)
    if any(isinstance(value, Text) for value in (yes, no)) and all(map(is_text, (yes, no))):
        return either(condition, yes, no)
    if type(yes) in Meanings.contents and type(no) is not type(yes):
        raise NotOnHeap(f"{_kind(yes)}, {_kind(no)}")
    (leaves, tree), (others, other_tree) = pytree.flatten(yes), pytree.flatten(no)
    numbers = all(
        is_tensor(x) or isinstance(x, (bool, int, float, complex)) for x in (*leaves, *others)
    )
    if tree != other_tree or not numbers:
        raise ValueOfDict(f"{_kind(yes)}, {_kind(no)}")
    return one_of_two.structure(condition, yes, no)


def _as_maybe(value: Any) -> MaybeNone:
    return value if isinstance(value, MaybeNone) else MaybeNone(value is not None, value)


def _chosen_or_none(condition: Any, yes: MaybeNone, no: MaybeNone) -> MaybeNone:
    """One of two values, which may be None."""
    there = tf.where(condition, yes.there, no.there)
    if no.value is None:
        return MaybeNone(there, yes.value)
    return MaybeNone(
        there, no.value if yes.value is None else chosen(condition, yes.value, no.value)
    )


def assigned(table: dict[Any, Any], key: ChosenText | Text, value: Any) -> dict[Any, Any]:
    """A dict behind `table[key] = value`, where which of the keys it is depends on the member.

    A member whose text is no key stops: Python's dict would have one more, only for this member.
    """
    found = {k: compare("==", key, k) for k in table if is_constant(k)}
    meant = {k: same for k, same in found.items() if same is not False}
    require(
        tf.reduce_any(list(meant.values())) if meant else tf.constant(False),
        unknown("a text that depends on the member adds no key to a dict"),
    )
    return {k: chosen(meant[k], value, old) if k in meant else old for k, old in table.items()}


def or_none(condition: Any, value: Any) -> Any:
    """A value where a condition holds, else None.

    Raises:
      ValueOfDict: it is no number, no array, no text and no tuple of them.
    """
    if isinstance(value, MaybeNone):
        return MaybeNone(tf.logical_and(condition, value.there), value.value)
    if references.is_reference(value):
        return references.or_none(condition, value)
    _, tree = pytree.flatten(value)
    plain = (tuple, ChosenText, Text)
    if any(not issubclass(node.type, plain) for node in pytree.nodes(tree)):
        raise ValueOfDict("get")
    return MaybeNone(condition, value)


Meanings.table = Table
Meanings.row = _row
register_method(dict, "get", get)
