"""`value[index]` where the value or the index is a tensor of one member."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import (
    chosen_texts,
    data,
    element_leaves,
    exceptions,
    maybe_none,
    misuse,
    sharing,
)
from pcbatch.semantics.advanced_indexing import as_arrays, chosen, is_advanced, is_array
from pcbatch.semantics.buffers import Buffer, Room
from pcbatch.semantics.chosen_objects import refuse_objects
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.gathering import gathered
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.numbers.promotion import is_weak, mark_weak, marked, side_by_side
from pcbatch.semantics.places import check_range, gather, is_dynamic, narrowed, place, shown
from pcbatch.semantics.slices import has_dynamic_bounds
from pcbatch.semantics.static_values import MemberSequence, PartOfArray
from pcbatch.semantics.text_indexing import OfChosen, OfKnown, one_of_texts


def indexed(value: Any, *texts: str, adding: bool = False) -> Any:
    """What `value[...]` is looked up in.

    Args:
      value: what the user indexes.
      *texts: the user's text of each part of the index, for messages.
      adding: the element is assigned afterwards, so that a `defaultdict` may add it.

    Python decides for static containers with static indices. A tensor takes NumPy's basic indices,
    and integer tensors among them, which TensorFlow's slices would not vectorize over.
    """
    if isinstance(value, Room) and value.version is None:
        return _InRoom(value, texts)
    if isinstance(value, Buffer):
        return _Array(value.array, texts, copies=True)
    if isinstance(value, (tf.Tensor, tf.Variable, np.ndarray)):
        return _Array(value, texts)
    if isinstance(value, (tuple, list)):
        return _Sequence(value)
    if isinstance(value, MemberSequence):
        return value.looked_up(*texts, adding=adding)
    if isinstance(value, range):
        return _Range(value)
    if isinstance(value, (str, bytes)):
        return OfKnown(value)
    if isinstance(value, ChosenText):
        return OfChosen(value)
    return Meanings.table(value, texts, adding) if isinstance(value, dict) else value


class ChoosesRow(TypeError):
    """Which of the lists in a list is meant depends on data."""


class _Range:
    """A range: an index that is a tensor gives one of its numbers."""

    def __init__(self, value: range):
        self.value = value

    def __getitem__(self, index: Any) -> Any:
        numbers = self.value
        if has_dynamic_bounds(index):
            raise misuse.Unsupported(
                "a part of a range has bounds that depend on the member",
                "what is left is no range that all members share.",
                "take the part of a list: list(range(10))[:n]\nor loop to the bound: range(n)",
            )
        if not isinstance(index, (tf.Tensor, tf.Variable)):
            return numbers[index]
        exceptions.within(index, len(numbers), "IndexError: range object index out of range")
        ends = (numbers.start, numbers.stop, numbers.step)
        is_wide = not all(tf.int32.min <= end <= tf.int32.max for end in ends)
        dtype = tf.int64 if is_wide else tf.int32
        place = tf.cast(index, tf.int64)
        place = tf.where(place < 0, place + len(numbers), place)
        return mark_weak(tf.cast(numbers.start + numbers.step * place, dtype))


def one_of(numbers: tf.Tensor, index: tf.Tensor) -> tf.Tensor:
    """One of several numbers, or arrays, at an index of the member."""
    return marked(gather(numbers, index, 0), is_weak(numbers))


class _Sequence:
    """A tuple or a list: an index that is a tensor chooses among elements of one type."""

    def __init__(self, value: Any):
        self.value = value

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, MaybeNone):
            index = maybe_none.index(index, type(self.value))
        if has_dynamic_bounds(index):
            return Meanings.sliced(self.value, index)
        if not isinstance(index, (tf.Tensor, tf.Variable)):
            return self.value[index]
        if index.dtype.is_integer:
            message = exceptions.of_sequence(type(self.value))
            if chosen_texts.are_constants(self.value):
                return one_of_texts(self.value, index, message)
            exceptions.within(index, len(self.value), message)
        if not self.value:  # the member has stopped
            return mark_weak(tf.constant(0))
        if data.is_flat(self.value):  # no walk through a hundred thousand structures
            return one_of(side_by_side(self.value), index)
        kinds = {x.stands_for for x in self.value if isinstance(x, MemberSequence)}
        if kinds:
            raise ChoosesRow(
                "which of several dicts that are written to by a member's key is meant depends on "
                'data: write by known keys, row["q"] = x'
                if kinds == {dict}
                else "which of several lists that are written to is meant depends on data: make "
                "them the rows of one list, [[...], [...]]"
            )
        for part in self.value:
            if isinstance(part, set):
                raise TypeError(
                    "which set in a list is meant depends on data: keep one set of pairs of the "
                    "place and the element"
                )
            if isinstance(part, collections.deque):
                raise misuse.Unsupported(
                    "which deque in a list, or in a dict, is meant depends on data",
                    "a member's number may choose among lists, which lie side by side.",
                    "keep lists there, which do the same:\n"
                    "rows = [[] for _ in range(n)]  # or {name: [] for name in names}\n"
                    "first = rows[i].pop(0)  # instead of rows[i].popleft()",
                )

        def leaf(*parts: Any) -> Any:
            known = next((part for part in parts if part is not None), None)
            leaves = [known if part is None else part for part in parts]
            if chosen_texts.are_constants(leaves):
                return chosen_texts.chosen(leaves, place(narrowed(index), len(leaves)))
            return sharing.views(one_of(side_by_side(leaves), index), leaves)

        flat = list(map(element_leaves.flattened, self.value))
        tree = element_leaves.common_tree_of(own for _, own in flat)
        if tree is None and all(type(part) is list for part in self.value):
            row = Meanings.row(self.value, narrowed(place(index, len(self.value))))
            return gathered(row, self.value)
        if tree is None:
            refuse_objects(self.value)
            tf.nest.map_structure(leaf, *self.value)  # says how they differ
            raise TypeError("which of several elements of different forms is meant depends on data")
        leaves = (element_leaves.lifted(*part, tree, element_leaves.itself) for part in flat)
        return gathered(element_leaves.unflattened(tree, map(leaf, *leaves)), self.value)


class _InRoom:
    """A buffer among others: an element is taken where it lies, without taking out the rest."""

    def __init__(self, value: Room, texts: tuple[str, ...]):
        self.value, self.texts = value, texts

    def __getitem__(self, index: Any) -> Any:
        first, *rest = index if isinstance(index, tuple) else (index,)
        element = self._element(first)
        if element is None:
            return _Array(self.value.array, self.texts, copies=True)[index]
        return _Array(element, self.texts[1:])[tuple(rest)] if rest else element

    def _element(self, index: Any) -> tf.Tensor | None:
        """The element, if the index means one that there is, or a member's own."""
        length = self.value.length
        if type(index) is int and -length <= index < length:
            return self.value.element(index % length)
        if not is_dynamic(index) or index.dtype == tf.bool or index.shape.rank != 0:
            return None
        exceptions.within(index, length, exceptions.bounds(shown(self.texts, 0), 0, length))
        return self.value.element(narrowed(place(index, length)))


class _Array:
    """A tensor: each integer tensor in the index is a gather along its axis.

    Args:
      value: the tensor.
      texts: the user's text of each part of the index.
      copies: it is a buffer's, which gives copies and no views.
    """

    def __init__(self, value: Any, texts: tuple[str, ...] = (), copies: bool = False):
        self.value, self.texts, self.copies = value, texts, copies

    def __getitem__(self, index: Any) -> Any:
        parts = as_arrays(index if isinstance(index, tuple) else (index,))
        if any(map(_is_selection, parts)):
            return self._selected(parts)
        check_range(self.value.shape, parts, self.texts)
        if any(map(_has_own_bounds, parts)):
            return Meanings.inside(self.value, parts, self.texts)
        found = self._found(parts)
        basic = _is_basic(parts) and not self.copies
        return sharing.view(found, self.value) if basic else found

    def _selected(self, parts: tuple[Any, ...]) -> Any:
        """The elements that truth values of the member choose, or a part of an array."""
        first, *rest = parts
        whole = is_dynamic(first) and all(_is_basic((p,)) and not _has_own_bounds(p) for p in rest)
        if not whole:
            return Meanings.inside(self.value, parts, self.texts)
        axes = (slice(None),) * first.shape.rank
        value = _Array(self.value, self.texts)[(*axes, *rest)] if rest else self.value
        return Meanings.selected(value, first)

    def _found(self, parts: tuple[Any, ...]) -> Any:
        if is_advanced(parts):
            return chosen(tf.convert_to_tensor(self.value), parts)
        if any(map(_gathers, parts)):
            return self._by_axis(parts)
        return self.value[parts[0] if len(parts) == 1 else parts]

    def _by_axis(self, parts: tuple[Any, ...]) -> Any:
        """Static parts first, in one slice; then the gathers, from the last axis to the first."""
        value = tf.convert_to_tensor(self.value)
        keep = tuple(slice(None) if _gathers(p) else p for p in parts)
        gathers, axis = [], 0
        for position, part in enumerate(parts):
            if part is Ellipsis:
                taken = sum(p is not None and p is not Ellipsis for p in parts[position + 1 :])
                static = sum(p is not None and p is not Ellipsis for p in parts[:position])
                axis += value.shape.rank - taken - static
            elif _gathers(part):
                gathers.append((axis, part))
                axis += 1
            elif part is None or isinstance(part, slice):
                axis += 1
        if not all(map(_gathers, parts)):
            value = value[keep]
        for axis, part in reversed(gathers):
            value = gather(value, part, axis)
        return value


def _is_selection(part: Any) -> bool:
    """Whether a part of an index chooses as many elements as the member's values say."""
    mask = is_dynamic(part) and part.dtype == tf.bool and bool(part.shape.rank)
    return mask or isinstance(part, PartOfArray)


def _gathers(part: Any) -> bool:
    """Whether a part of an index chooses elements as TensorFlow's slices do not."""
    return is_dynamic(part) or is_array(part)


def _is_basic(parts: tuple[Any, ...]) -> bool:
    """Whether an index gives a view, as NumPy's basic ones do."""
    return all(getattr(part, "shape", ()) == () and not isinstance(part, list) for part in parts)


def _has_own_bounds(part: Any) -> bool:
    """Whether a part of an index is a slice with a bound of the member's own."""
    bounds = (part.start, part.stop, part.step) if isinstance(part, slice) else ()
    return any(map(is_dynamic, bounds))
