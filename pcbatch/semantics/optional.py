"""What users see of values that are None for some members: results, and arguments."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.constants import code_of, is_constant
from pcbatch.semantics.labels import Labels
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.numbers.widths import cast_exactly


def _refuse(self: Optional, *_: Any) -> NoReturn:
    raise TypeError(
        "a pcbatch.Optional is None for some members, and is no array itself\n"
        "help: .has_value tells which members have a value, and .value has it; .filled(x) is an "
        "array with x in the place of None, .tolist() a list with None"
    )


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Optional:
    """A batch of values that are None for some members.

    A function that returns None for some members returns one, and it may be passed to an
    autobatched function, where the parameter is None for the same members.

    What Python would do with it as with one value, its truth, `==`, its length and its elements,
    raises a TypeError.

    Attributes:
      has_value: bool[B], whether a member has a value; of the elements of a list of a length per
        member a ragged tensor, bool[B, None].
      value: a structure of `[B, ...]` tensors; zeros, or an empty row of a ragged tensor, for the
        members that have none.
    """

    has_value: Any
    value: Any

    __bool__ = __eq__ = __getitem__ = __iter__ = __len__ = _refuse
    __hash__ = object.__hash__

    @property
    def is_none(self) -> tf.Tensor:
        """bool[B]: whether it is None for a member."""
        return tf.logical_not(self.has_value)

    def filled(self, fill: Any) -> Any:
        """The value, with a number for the members that have none.

        Args:
          fill: the number, which stands in each leaf of the value; where the value is a text, or a
            constant of an Enum, another one.

        Raises:
          TypeError: there is a list of a length per member in the value.
        """
        leaves, tree = pytree.flatten(self.value)
        if isinstance(self.has_value, tf.RaggedTensor):
            return pytree.unflatten(tree, [_filled_rows(self.has_value, x, fill) for x in leaves])
        if any(isinstance(x, tf.RaggedTensor) for x in leaves):
            raise TypeError(
                "no number stands for a list\n"
                "help: .tolist() has None for the members that have no list"
            )
        return pytree.unflatten(tree, [self._filled(x, fill) for x in leaves])

    def _filled(self, leaf: Any, fill: Any) -> Any:
        if leaf is None:
            return None
        return _chosen(self.has_value, leaf, _filler(fill, leaf.dtype))

    def tolist(self) -> list[Any]:
        """One Python value per member: None, or its numbers, in tuples and lists as it has them."""
        return rows_of(self, len(_rows(self.has_value)))

    def __repr__(self) -> str:
        there = getattr(self.has_value, "flat_values", self.has_value)
        known = isinstance(there, (np.ndarray, tf.Tensor)) and not tf.is_symbolic_tensor(there)
        inside = self.tolist() if known else f"has_value={self.has_value}, value={self.value}"
        return f"pcbatch.Optional({inside})"

    def __tf_flatten__(self) -> tuple[tuple[()], tuple[Any, Any]]:
        """How `tf.nest` takes it apart."""
        return (), (self.has_value, self.value)

    @classmethod
    def __tf_unflatten__(cls, _: tuple[()], parts: tuple[Any, Any]) -> Optional:
        """How `tf.nest` puts it together."""
        return cls(has_value=parts[0], value=parts[1])


def _filled_rows(there: tf.RaggedTensor, value: tf.RaggedTensor, fill: Any) -> tf.RaggedTensor:
    filler = _filler(fill, value.dtype)
    return tf.ragged.map_flat_values(_chosen, there, value, filler)


def _filler(fill: Any, dtype: tf.DType) -> Any:
    return cast_exactly(code_of(fill) if is_constant(fill) else fill, dtype)


def _as_python(tensor: tf.Tensor) -> list[Any]:
    values: list[Any] = np.asarray(tensor).tolist()
    return values


def zeros_for_none(value: Any) -> Any:
    """A value in which what is None for a member is zero in each of its leaves.

    Args:
      value: a structure of `[B, ...]` tensors, with `MaybeNone` or `Optional` in it.
    """
    kinds = (MaybeNone, Optional)
    leaves, tree = pytree.flatten(value, stop=kinds)
    if not any(isinstance(x, kinds) for x in leaves):
        return value
    return pytree.unflatten(tree, [_zeroed(x) if isinstance(x, kinds) else x for x in leaves])


def _zeroed(maybe: MaybeNone | Optional) -> MaybeNone | Optional:
    there = maybe.there if isinstance(maybe, MaybeNone) else maybe.has_value
    leaves, tree = pytree.flatten(maybe.value)
    zeroed = [_chosen(there, x, tf.zeros([], x.dtype)) if _is_dense(x) else x for x in leaves]
    inner = zeros_for_none(pytree.unflatten(tree, zeroed))
    return dataclasses.replace(maybe, value=inner)


def _is_dense(leaf: Any) -> bool:
    return isinstance(leaf, tf.Tensor)


def _chosen(condition: tf.Tensor, yes: tf.Tensor, no: tf.Tensor) -> tf.Tensor:
    """For each member `yes`, `[B, ...]`, or `no`, a scalar, as bool[B] says."""
    shape = [-1, *([1] * (yes.shape.rank - 1))]
    return tf.where(tf.reshape(condition, shape), yes, no)


def rows_of(value: Any, size: int, dense: Callable[[Any], Iterable[Any]] = _as_python) -> list[Any]:
    """The value of each member.

    Args:
      value: a structure of `[B, ...]` tensors.
      size: B.
      dense: the values of all members of a tensor; by default as Python has them.
    """
    if isinstance(value, Optional):
        rows = rows_of(value.value, size, dense)
        return [_or_none(*pair) for pair in zip(_rows(value.has_value), rows, strict=True)]
    if value is None:
        return [None] * size
    if isinstance(value, Labels):
        return value.tolist()
    if isinstance(value, tf.RaggedTensor):
        lists: list[Any] = value.to_list()
        return lists
    parts = pytree.parts(value)
    if parts is None:
        return list(dense(value))
    columns = [rows_of(part, size, dense) for part in parts]
    return [_with(value, [column[k] for column in columns]) for k in range(size)]


def _rows(has_value: Any) -> Sequence[Any]:
    ragged = isinstance(has_value, tf.RaggedTensor)
    rows: list[Any] = (has_value.to_list if ragged else np.asarray(has_value).tolist)()
    return rows


def _or_none(there: Any, row: Any) -> Any:
    """The value of a member, or None; a list of such, where there is one of what is there."""
    if not isinstance(there, list):
        return row if there else None
    if not isinstance(row, list):
        row = [_with(row, parts) for parts in zip(*(pytree.parts(row) or ()), strict=True)]
    return [_or_none(*pair) for pair in zip(there, row, strict=True)]


def _with(container: Any, children: Sequence[Any]) -> Any:
    supply = iter(children)
    return pytree.with_parts(container, lambda *_: next(supply))


def concatenated(values: Sequence[Any], rows: Sequence[int]) -> Any:
    """Some members of several batches.

    Args:
      values: structures of `[B, ...]` tensors, alike but for the size of the batch.
      rows: which members, counted through all batches.
    """
    leaves, trees = zip(*map(pytree.flatten, values), strict=True)
    columns = zip(*leaves, strict=True)
    return pytree.unflatten(trees[0], [_rows_of_leaf(column, rows) for column in columns])


def _rows_of_leaf(column: Sequence[Any], rows: Sequence[int]) -> Any:
    return None if column[0] is None else tf.gather(tf.concat(column, 0), rows)
