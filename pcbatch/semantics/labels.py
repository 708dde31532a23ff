"""What users see of texts, and constants of an Enum, of each member: results, and arguments."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.constants import code_of, constant_of, is_constant


@dataclasses.dataclass(init=False, eq=False, repr=False)
class Labels:
    """A batch of texts, or of constants of an Enum.

    A function that returns a text, or a constant of an Enum, returns one, and it may be passed to
    an autobatched function, where the parameter is the member's text or constant.

    Attributes:
      code: int64[B], a number for each text or constant, the same in all programs; of a list of a
        length per member a ragged tensor, int64[B, None]. Of texts that the program makes a ragged
        tensor of their characters, int32[B, None], or int32[B, None, None].
      kind: `str`, or the Enum.
    """

    code: Any
    kind: type

    def __init__(self, values: Sequence[Any] | np.ndarray):
        """Labels of given texts or constants.

        Args:
          values: texts alone, or constants of one Enum, one per member.

        Raises:
          TypeError: they are something else.
        """
        each = values.tolist() if isinstance(values, np.ndarray) else list(values)
        kinds = set(map(type, each))
        if len(kinds) != 1 or not all(map(is_constant, each)):
            raise TypeError(
                "pcbatch.Labels is made of texts, or of constants of one Enum, one per member"
            )
        codes = {value: code_of(value) for value in set(each)}
        self.code = tf.constant([codes[value] for value in each], tf.int64)
        self.kind = kinds.pop()

    @classmethod
    def coded(cls, code: Any, kind: type) -> Labels:
        """Labels of given codes.

        Args:
          code: int64[B], or a ragged tensor; of characters int32[B, None].
          kind: `str`, or the Enum.
        """
        made = object.__new__(cls)
        made.code, made.kind = code, kind
        return made

    def tolist(self) -> list[Any]:
        """A text or a constant per member; of a member that did not return None, or any of them."""
        ragged = isinstance(self.code, tf.RaggedTensor)
        if self.is_spelled:
            return _joined(self.code.to_list(), self.code.shape.rank)
        codes = self.code.to_list() if ragged else np.asarray(self.code).tolist()
        found: list[Any] = _constants(codes, self.kind)
        return found

    def numpy(self) -> np.ndarray:
        """An array of texts, "" where `tolist` has None; of an Enum one of objects."""
        found = self.tolist()
        if self.kind is str and self._rank == 1:
            return np.array(["" if text is None else text for text in found], np.str_)
        array = np.empty(len(found), object)
        array[:] = found
        return array

    @property
    def is_spelled(self) -> bool:
        """Whether `code` has characters: a program has made these texts."""
        return isinstance(self.code, tf.RaggedTensor) and self.code.dtype == tf.int32

    @property
    def _rank(self) -> int:
        """The number of axes: 2 of lists of texts."""
        return int(self.code.shape.rank) - self.is_spelled

    def __len__(self) -> int:
        return int(self.code.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        """What one member has; with a slice, a mask or several places, labels."""
        if isinstance(index, (int, np.integer)):
            return self.tolist()[index]
        if isinstance(index, slice):
            return Labels.coded(self.code[index], self.kind)
        places = np.arange(len(self))[np.asarray(index)]
        return Labels.coded(tf.gather(self.code, places), self.kind)

    def __eq__(self, other: Any) -> Any:
        """bool[B]: which members have a text or a constant, or the same as others have."""
        if isinstance(other, Labels):
            codes = [_digests(x.code) if x.is_spelled else x.code for x in (self, other)]
            return tf.equal(*codes)
        if is_constant(other):
            code = _digests(self.code) if self.is_spelled else self.code
            return tf.equal(code, code_of(other))
        return NotImplemented

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else tf.logical_not(equal)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        known = not tf.is_symbolic_tensor(getattr(self.code, "flat_values", self.code))
        return f"pcbatch.Labels({self.tolist() if known else self.code})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Labels, (self.tolist(),)

    def __tf_flatten__(self) -> tuple[tuple[type], tuple[Any]]:
        """How `tf.nest` takes it apart."""
        return (self.kind,), (self.code,)

    @classmethod
    def __tf_unflatten__(cls, kind: tuple[type], parts: tuple[Any]) -> Labels:
        """How `tf.nest` puts it together."""
        return cls.coded(parts[0], kind[0])


def _joined(codes: Any, rank: int) -> Any:
    if rank == 1:
        return "".join(map(chr, codes))
    return [_joined(part, rank - 1) for part in codes]


def _digests(codes: tf.RaggedTensor) -> Any:
    """The codes of texts of whose characters there is a ragged tensor."""
    rank = int(codes.shape.rank)
    if rank > 2:
        return codes.with_values(_digests(codes.values))
    return tf.constant([code_of(text) for text in _joined(codes.to_list(), rank)], tf.int64)


def _constants(codes: Any, kind: type) -> Any:
    if isinstance(codes, list):
        return [_constants(code, kind) for code in codes]
    return constant_of(codes, kind)
