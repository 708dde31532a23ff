"""What a batched function returns for a list of the members, and for None of some."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.element_leaves import unflattened
from pcbatch.semantics.labels import Labels
from pcbatch.semantics.lists.member import MemberList
from pcbatch.semantics.lists.part import ArrayPart
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.optional import Optional, zeros_for_none
from pcbatch.semantics.texts import Text

_KINDS: tuple[type, ...] = (MaybeNone, MemberList, ArrayPart, ChosenText, Text)
_BY_NUMBERS = list[type]()


def register_rows(kind: type) -> None:
    """Have the objects of a class be presented as lists of the rows whose numbers they have."""
    _BY_NUMBERS.append(kind)


def presented(value: Any) -> Any:
    """A result whose leaves have the batch axis, as users see it.

    Args:
      value: a structure in which a list of the members holds arrays, `[B, ...]`, for buffers.

    Returns:
      The structure. A list of one length for all members is a list; a list whose length is the
      member's is a ragged tensor, `[B, None, ...]`, for each leaf of an element. What is None for
      some members is an `Optional`, and a text or a constant of an Enum are `Labels`.
    """
    if isinstance(value, ChosenText):
        return Labels.coded(value.code, value.kind)
    if isinstance(value, Text):
        return Labels.coded(_shortened(value), str)
    if isinstance(value, MaybeNone):
        known = zeros_for_none(value)
        return Optional(has_value=known.there, value=presented(known.value))
    if isinstance(value, MemberList):
        return _presented(value)
    if type(value) in _BY_NUMBERS:
        return _presented_rows(value.numbers, value.rows)
    if isinstance(value, ArrayPart):
        return _presented_array(value)
    parts = pytree.parts(value)
    if parts is None or not any(map(_holds_one, parts)):
        return value
    leaves, tree = pytree.flatten(value, stop=(*_KINDS, *_BY_NUMBERS))
    return pytree.unflatten(tree, map(presented, leaves))


def _presented_array(value: ArrayPart) -> tf.RaggedTensor:
    """The elements that count, `[B, None, ...]`."""
    outer = tf.RaggedTensor.from_tensor(value.array, value.number)
    if not value.inner:
        return outer
    lengths = tf.repeat(value.inner[0], value.number)
    rows = ArrayPart(
        outer.flat_values, lengths, tuple(tf.repeat(x, value.number) for x in value.inner[1:])
    )
    return outer.with_flat_values(_presented_array(rows))


def _shortened(value: Text) -> tf.RaggedTensor:
    """The characters of texts, as many as each has."""
    codes, lengths = value.codes, value.length
    if not isinstance(codes, tf.RaggedTensor):
        return tf.RaggedTensor.from_tensor(codes, lengths)
    rows = tf.RaggedTensor.from_tensor(codes.flat_values, lengths.flat_values)
    return codes.with_flat_values(rows)


def _holds_one(value: Any) -> bool:
    own = (*_KINDS, *_BY_NUMBERS)
    return isinstance(value, own) or any(map(_holds_one, pytree.parts(value) or ()))


def _presented(value: MemberList) -> Any:
    leaves, tree = pytree.flatten(value.data)
    layout, level = value.layout, len(value.rows)
    columns = [_at(_shaped(x, layout.capacity), value.rows) for x in leaves]
    lengths = [_lengths(value, k) for k in range(len(layout.capacity))]
    return _nested(tree, columns, lengths[level:])


def _presented_rows(numbers: Any, rows: Any) -> Any:
    """The rows of a list that have some numbers, in their order."""
    if not isinstance(numbers, MemberList):  # there has never been a row
        return []
    (places,), _ = pytree.flatten(numbers.data)
    leaves, tree = pytree.flatten(rows.data)
    shaped = (_shaped(x, rows.layout.capacity) for x in leaves)
    columns = [tf.gather(column, places, batch_dims=1) for column in shaped]
    inner = _lengths(rows, 1)
    inner = None if inner is None else tf.gather(inner, places, batch_dims=1)
    return _nested(tree, columns, [_lengths(numbers, 0), inner])


def _shaped(array: tf.Tensor, capacity: tuple[int, ...]) -> tf.Tensor:
    return tf.reshape(array, [array.shape[0], *capacity, *array.shape[2:]])


def _at(column: tf.Tensor, rows: tuple[Any, ...]) -> tf.Tensor:
    for row in rows:
        column = tf.gather(column, row, batch_dims=1)
    return column


def _lengths(value: MemberList, level: int) -> tf.Tensor | None:
    """The lengths at a level, with an axis for each level around it that is left; None if fixed."""
    if not value.layout.grows[level]:
        return None
    sizes = value.size_of(level)
    if level == 0:
        return sizes[:, 0]
    return _at(sizes, value.rows[:level])


def _nested(tree: pytree.Tree, columns: list[tf.Tensor], lengths: list[Any]) -> Any:
    """Lists of lists, as far as lengths are fixed; then ragged tensors."""
    length, *inner = lengths
    if length is None:
        number = int(columns[0].shape[1]) if columns else 0
        parts = ([c[:, k] for c in columns] for k in range(number))
        if not inner:
            return [_element(tree, part) for part in parts]
        (rows,) = inner
        each = [None if rows is None else rows[:, k] for k in range(number)]
        return [_nested(tree, part, [row]) for part, row in zip(parts, each, strict=True)]
    if _is_row(tree) and len({(c.dtype, tuple(c.shape)) for c in columns}) == 1:
        return _ragged(tf.stack(columns, 2), length, inner)
    return _element(tree, [_ragged(c, length, inner) for c in columns])


def _element(tree: pytree.Tree, leaves: list[Any]) -> Any:
    return presented(unflattened(tree, leaves))


def _is_row(tree: pytree.Tree) -> bool:
    """Whether elements are lists of one length, without lists or tuples inside."""
    if not isinstance(tree, pytree.Node) or tree.type is not list:
        return False
    return all(child == pytree.LEAF for child in tree.children)


def _ragged(column: tf.Tensor, length: tf.Tensor, inner: list[Any]) -> tf.RaggedTensor:
    outer = tf.RaggedTensor.from_tensor(column, length)
    if not inner or inner[0] is None:
        return outer
    rows = tf.RaggedTensor.from_tensor(inner[0], length)
    values = tf.RaggedTensor.from_tensor(outer.flat_values, rows.flat_values)
    return outer.with_flat_values(values)
