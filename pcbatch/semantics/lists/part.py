"""An array with as many elements as each member has: a slice with bounds of the member, and an
array that is made with a shape of the member.

It is a value: an assignment to an element gives its name another one. So it holds the elements
themselves, and how many of them count. Operators and NumPy's functions of each element give another
one; reductions see what counts.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
import tensorflow as tf

from pcbatch.semantics import limits, pytree, sharing
from pcbatch.semantics.arrays import comparing, elementwise
from pcbatch.semantics.arrays.operands import marked, unified
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.by_leaves import check_numbers
from pcbatch.semantics.lists.dense import Dense, spread
from pcbatch.semantics.lists.member import MemberList, made
from pcbatch.semantics.lists.queues import MemberDeque
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.operators import binary, compare, is_tensor, is_weak, mark_weak
from pcbatch.semantics.rounds import UnknownLength
from pcbatch.semantics.static_values import PartOfArray

MISMATCH = "boolean index did not match indexed array along axis 0"
INHOMOGENEOUS = (
    "ValueError: setting an array element with a sequence. The requested array has an "
    "inhomogeneous shape after 1 dimensions. The detected shape was {...} + inhomogeneous part."
)
BROADCAST = "ValueError: operands could not be broadcast together with shapes {...} {...} "


_OF_EACH = {*elementwise.MEANINGS, *comparing.MEANINGS} - {"select"}
METHODS: dict[str, Callable[..., Any]] = {}
"""Functions of NumPy that see which elements count; `part_reductions` has them, and others."""
SEQUENCES: dict[str, Callable[..., Any]] = {}
"""Those that take several arrays in a sequence; `part_products` has them."""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ArrayPart(PartOfArray):
    """Some elements of an array, along its first axes.

    Attributes:
      array: `[room, ...]`; the elements from `number` on do not count.
      number: of elements, an int32 scalar; an int where it is one for all members.
      inner: the numbers along the axes that follow, as far as one may be the member's.
    """

    array: Any
    number: Any
    inner: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        sharing.made(self.array)

    @property
    def numbers(self) -> tuple[Any, ...]:
        """How many elements count, along each axis of which that may be the member's."""
        return (self.number, *self.inner)

    def with_array(self, array: Any) -> ArrayPart:
        """The same with other elements."""
        return ArrayPart(
            mark_weak(array) if is_weak(self.array) else array, self.number, self.inner
        )

    @property
    def counts(self) -> list[Any]:
        """The same for all axes: an int where it is one for all members."""
        return [*self.numbers, *self.array.shape[len(self.numbers) :].as_list()]

    @property
    def stands_for(self) -> type:
        """The type that Python has for it."""
        return np.ndarray

    # --- As a sequence ---------------------------------------------------------------------

    def length(self) -> Any:
        """The number of elements."""
        return _length(self.number)

    @property
    def used(self) -> tf.Tensor:
        """bool[room, *inner rooms]: which elements count."""
        found = tf.range(self.array.shape[0]) < self.number
        for axis, number in enumerate(self.inner, 1):
            along = tf.range(self.array.shape[axis]) < number
            found = found[..., tf.newaxis] & along
        return found

    @property
    def used_of_all(self) -> tf.Tensor:
        """The same in the shape of the array."""
        return tf.broadcast_to(spread(self.used, self.array), self.array.shape)

    def list(self) -> MemberList:
        """The elements as a list."""
        if self.inner:
            raise unsupported("a list of the rows")
        weak = (is_weak(self.array),)
        return made(Dense(pytree.LEAF, (self.array,), weak, self.length()))

    def __getitem__(self, index: Any) -> Any:
        return Meanings.inside(self, index if isinstance(index, tuple) else (index,), ())

    def looked_up(self, *texts: str, adding: bool = False) -> Any:
        """What an index is looked up in, see `MemberSequence`."""
        return _Shown(self, texts)

    def item(self, index: Any) -> Any:
        """The element at a place that there is."""
        found = sharing.view(tf.gather(self.array, index), self.array)
        found = mark_weak(found) if is_weak(self.array) else found
        return ArrayPart(found, self.inner[0], self.inner[1:]) if self.inner else found

    def contains(self, value: Any) -> Any:
        """Whether an element equals a value."""
        return tf.reduce_any(compare("==", self.array, value) & spread(self.used, self.array))

    def is_same(self, other: Any) -> Any:
        """Whether another one is this very object."""
        return self is other

    def truth(self) -> NoReturn:
        """Refuse the truth of an array."""
        raise Unsupported(
            "the truth of an array is asked for",
            "NumPy has none for an array of several elements.",
            "ask for its length, len(v[:n]) > 0, or for its elements: np.any(v[:n])",
        )

    def backward(self) -> Any:
        """The elements from last to first."""
        return self[::-1]

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.number, int):
            return iter([self.item(k) for k in range(self.number)])
        raise UnknownLength("iterating over a tensor needs a static leading dimension")

    def builtin(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """What one of Python's builtins is of arguments among which there are such parts."""
        if function is len:
            return self.length()
        listed = [x.list() if isinstance(x, ArrayPart) else x for x in args]
        return Meanings.builtin(function, tuple(listed), kwargs)

    # --- As an array -----------------------------------------------------------------------

    @property
    def shape(self) -> tuple[Any, ...]:
        return (*map(_length, self.numbers), *self.counts[len(self.numbers) :])

    @property
    def size(self) -> Any:
        return functools.reduce(functools.partial(binary, "*"), self.shape)

    @property
    def ndim(self) -> int:
        return int(self.array.shape.rank)

    @property
    def dtype(self) -> tf.DType:
        return self.array.dtype

    @property
    def T(self) -> Any:
        """The array with its axes turned."""
        return METHODS["transpose"](self)

    def __matmul__(self, other: Any) -> Any:
        return METHODS["matmul"](self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return METHODS["matmul"](other, self)

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"a part of an array has no '{name}' here")
        return functools.partial(METHODS[name], self)

    def compared(self, symbol: str, other: Any) -> Any:
        """What a comparison of each element gives."""
        return Meanings.of_each(functools.partial(compare, symbol), self, other)

    def numpy(self, name: str, meaning: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """What a function of NumPy is of arguments among which there are such parts."""
        if name in METHODS:
            return METHODS[name](*args, **kwargs)
        if name not in _OF_EACH:
            raise unsupported(f"np.{name}")
        return Meanings.of_each(functools.partial(meaning, **kwargs), *args)

    def in_sequence(self, name: str, args: Any, kwargs: Any) -> Any:
        """What a function of NumPy is of a sequence of such parts."""
        if name not in SEQUENCES:
            raise unsupported(f"np.{name}")
        return SEQUENCES[name](*args, **kwargs)


def _length(number: Any) -> Any:
    """A number of elements as Python has it."""
    return mark_weak(tf.identity(number)) if is_tensor(number) else number


class _Shown:
    """An array of which an index is looked up that has a text.

    Args:
      part: the array.
      texts: of each part of the index.
    """

    def __init__(self, part: ArrayPart, texts: tuple[str, ...]):
        self._part, self._texts = part, texts

    def __getitem__(self, index: Any) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        return Meanings.inside(self._part, parts, self._texts)


def unsupported(what: str) -> Unsupported:
    """What to say of what is not known of an array with as many elements as the member has."""
    return Unsupported(
        f"{what} is not known of an array whose length is the member's",
        "of such an array these are known: functions of each element, reductions such as sum, "
        "mean, std, max, any, argmax and median, cumsum, diff, sort, argsort, dot, outer, ravel, "
        "reshape, diag, concatenate, stack, percentile, pad, and most functions of np.linalg.",
        "take an array of one length, and a mask for what counts:\n"
        "v = np.where(np.arange(8) < n, v, 0)\n"
        "or make a list of it: list(v[:n])",
    )


def counted(array: Any, counts: Sequence[Any]) -> Any:
    """The array of which so many elements count along each axis.

    Args:
      array: of as many axes.
      counts: an int where all count that there are.
    """
    known = len(counts)
    while known and isinstance(counts[known - 1], int):
        known -= 1
    if not known:
        return array
    numbers = tuple(n if isinstance(n, int) else tf.convert_to_tensor(n, tf.int32)
                    for n in counts[:known])  # fmt: skip
    return ArrayPart(array, numbers[0], numbers[1:])


def of_list(value: Any) -> Any:
    """The array that NumPy makes of a list or a queue whose length is the member's.

    Anything else is given back as it is: what has a known length is taken apart.
    """
    found = value.listed() if isinstance(value, MemberDeque) else value
    if not isinstance(found, MemberList) or not is_tensor(found.length()):
        return found
    mine = found.dense()
    check_numbers(mine)
    counts = [found.length()]
    if is_tensor(mine.row_lengths):
        if len(mine.columns) > 1:
            raise unsupported("an array of rows of tuples")
        counts.append(_of_all_rows(mine))
    columns = [mark_weak(c) if w else c for c, w in zip(mine.columns, mine.weak, strict=True)]
    tensors, weak = unified(columns)
    # A copy: what is written to the list afterwards does not change it.
    array = tf.stack(tensors, -1) if len(tensors) > 1 else tf.identity(tensors[0])
    return counted(marked(array, weak), counts)


def _of_all_rows(mine: Dense) -> tf.Tensor:
    """The length of the rows, which NumPy wants to be one for all."""
    lengths = tf.broadcast_to(mine.row_lengths, [mine.capacity])
    number = tf.convert_to_tensor(mine.length, tf.int32)
    first = lengths[0] if mine.capacity else tf.zeros([], tf.int32)
    here = tf.range(mine.capacity) < number
    require(tf.reduce_all(tf.equal(lengths, first) | ~here), INHOMOGENEOUS)
    require(number > 0, limits.unknown("an array of no rows has one axis in NumPy"))
    return tf.convert_to_tensor(first)


Meanings.array = of_list


class NoTensor(Unsupported, TypeError):
    """TensorFlow is given a part; where it takes an operator, the part's own is called then."""


def _to_tensor(value: ArrayPart, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    error = unsupported("a function of TensorFlow")
    raise NoTensor(error.said, error.why, error.remedy)


tf.register_tensor_conversion_function(ArrayPart, _to_tensor)
