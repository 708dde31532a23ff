"""A slice of an array with bounds of the member: as many elements as each member has.

It cannot be written to, so it holds the elements themselves, and how many of them count. Operators
and NumPy's functions of each element give another one; reductions see what counts.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
import tensorflow as tf

from pcbatch.semantics import pytree, sharing
from pcbatch.semantics.arrays import comparing, elementwise
from pcbatch.semantics.arrays.methods import FUNCTIONS
from pcbatch.semantics.arrays.operands import marked, unified
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.by_leaves import check_numbers
from pcbatch.semantics.lists.dense import Dense, spread
from pcbatch.semantics.lists.member import MemberList, made
from pcbatch.semantics.lists.queues import MemberDeque
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.operators import binary, compare, is_tensor, is_weak, mark_weak, unary
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.rounds import UnknownLength
from pcbatch.semantics.slices import bounds_of
from pcbatch.semantics.static_values import Meanings, PartOfArray, as_index

MISMATCH = "boolean index did not match indexed array along axis 0"
BROADCAST = "ValueError: operands could not be broadcast together: {} have other lengths"


_OF_EACH = {*elementwise.MEANINGS, *comparing.MEANINGS} - {"select"}
METHODS: dict[str, Callable[..., Any]] = {}
"""Functions of NumPy that see which elements count; `part_reductions` has them."""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ArrayPart(PartOfArray):
    """Some elements of an array, along its first axis.

    Attributes:
      array: `[room, ...]`; the elements from `number` on do not count.
      number: of elements, an int32 scalar.
    """

    array: Any
    number: Any

    @property
    def stands_for(self) -> type:
        """The type that Python has for it."""
        return np.ndarray

    # --- As a sequence ---------------------------------------------------------------------

    def length(self) -> Any:
        """The number of elements."""
        return mark_weak(tf.identity(self.number))

    @property
    def used(self) -> tf.Tensor:
        """bool[room]: which elements count."""
        return tf.range(self.array.shape[0]) < self.number

    def list(self) -> MemberList:
        """The elements as a list."""
        weak = (is_weak(self.array),)
        return made(Dense(pytree.LEAF, (self.array,), weak, self.length()))

    def __getitem__(self, index: Any) -> Any:
        first, *rest = index if isinstance(index, tuple) else (index,)
        if rest:
            return self._inside(rest)[first]
        if isinstance(first, ArrayPart) or getattr(first, "dtype", None) == tf.bool:
            return Meanings.selected(self.array, self._mask(first))
        if isinstance(first, slice):
            return _taken(self.array, self.number, first)
        return self.item(self._place(first))

    def _mask(self, condition: Any) -> Any:
        """Which elements of the array a condition on those that count chooses."""
        if not isinstance(condition, ArrayPart) or condition.dtype != tf.bool:
            raise unsupported("an index that is an array")
        require(tf.equal(condition.number, self.number), "IndexError: " + MISMATCH)
        return _fitted(condition, self.array.shape[0]) & self.used

    def _inside(self, where: Sequence[Any]) -> ArrayPart:
        """What an index along the other axes gives, of all elements."""
        if not all(map(_is_known_index, where)):
            raise unsupported("an index of several parts")
        if len(where) >= self.ndim:
            raise IndexError(
                f"too many indices for array: array is {self.ndim}-dimensional, but "
                f"{len(where) + 1} were indexed"
            )
        found = self.array[(slice(None), *where)]
        return ArrayPart(mark_weak(found) if is_weak(self.array) else found, self.number)

    def _place(self, index: Any) -> tf.Tensor:
        at = narrowed(index)
        at = tf.where(at < 0, at + self.number, at)
        require((at >= 0) & (at < self.number), "IndexError: index out of bounds for axis 0")
        return tf.clip_by_value(at, 0, max(self.array.shape[0] - 1, 0))

    def item(self, index: Any) -> Any:
        """The element at a place that there is."""
        found = sharing.view(tf.gather(self.array, index), self.array)
        return mark_weak(found) if is_weak(self.array) else found

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
        return (self.length(), *self.array.shape[1:].as_list())

    @property
    def size(self) -> Any:
        inner = self.array.shape[1:].num_elements()
        return binary("*", self.length(), inner)

    @property
    def ndim(self) -> int:
        return int(self.array.shape.rank)

    @property
    def dtype(self) -> tf.DType:
        return self.array.dtype

    def __matmul__(self, other: Any) -> Any:
        return METHODS["dot"](self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return METHODS["dot"](other, self)

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"a part of an array has no '{name}' here")
        return functools.partial(METHODS[name], self)

    def compared(self, symbol: str, other: Any) -> Any:
        """What a comparison of each element gives."""
        return of_each(functools.partial(compare, symbol), self, other)

    def numpy(self, name: str, meaning: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """What a function of NumPy is of arguments among which there are such parts."""
        if name in METHODS:
            return METHODS[name](*args, **kwargs)
        if name not in _OF_EACH:
            raise unsupported(f"np.{name}")
        return of_each(functools.partial(meaning, **kwargs), *args)

    def refused(self, name: str) -> Exception:
        """What to say of a function of NumPy that is given a sequence of such parts."""
        return unsupported(f"np.{name}")


def _is_known_index(index: Any) -> bool:
    """Whether a part of an index is the same for all members."""
    bounds = (index.start, index.stop, index.step) if isinstance(index, slice) else (index,)
    return not any(map(is_tensor, bounds)) and (
        isinstance(index, slice) or as_index(index) is not None
    )


def unsupported(what: str) -> Unsupported:
    return Unsupported(
        f"{what} of a slice with bounds of the member",
        "its length is the member's, and NumPy's arrays have one shape here: functions of each "
        "element are known, sum, prod, mean, median, var, std, max, min, ptp, any, all, argmax, "
        "argmin, cumsum, diff, dot and sort.",
        "take the whole array, and a mask for what counts:\n"
        "v = np.where(np.arange(8) < n, v, 0)\n"
        "or make a list of it: list(v[:n])",
    )


def _taken(array: Any, length: Any, where: slice) -> ArrayPart:
    """The elements of an array, of which so many count, that a slice means."""
    step = 1 if where.step is None else where.step
    if not is_tensor(step) and step == 0:
        raise ValueError("slice step cannot be zero")
    if is_tensor(step):
        require(tf.not_equal(step, 0), "ValueError: slice step cannot be zero")
    first, count = bounds_of(where.start, where.stop, step, length)
    room = array.shape[0]
    places = tf.clip_by_value(first + narrowed(step) * tf.range(room), 0, max(room - 1, 0))
    found = sharing.view(tf.gather(array, places), array) if room else array
    return ArrayPart(mark_weak(found) if is_weak(array) else found, count)


def part_of(array: Any, where: slice) -> ArrayPart:
    """A slice of an array."""
    array = tf.convert_to_tensor(array) if not is_tensor(array) else array
    return _taken(array, array.shape[0], where)


def of_list(value: Any) -> Any:
    """The array that NumPy makes of a list or a queue whose length is the member's.

    Anything else is given back as it is: what has a known length is taken apart.
    """
    found = value.listed() if isinstance(value, MemberDeque) else value
    if not isinstance(found, MemberList) or not is_tensor(found.length()):
        return found
    mine = found.dense()
    check_numbers(mine)
    if is_tensor(mine.row_lengths):
        raise ValueError("setting an array element with a sequence: the rows may differ in length")
    columns = [mark_weak(c) if w else c for c, w in zip(mine.columns, mine.weak, strict=True)]
    tensors, weak = unified(columns)
    # A copy: what is written to the list afterwards does not change it.
    array = tf.stack(tensors, -1) if len(tensors) > 1 else tf.identity(tensors[0])
    return ArrayPart(marked(array, weak), found.length())


# --- Operators -----------------------------------------------------------------------------------


def of_each(function: Callable[..., Any], *operands: Any) -> Any:
    """What a function of each element gives of parts, arrays and numbers."""
    rank = max(x.ndim for x in operands if isinstance(x, ArrayPart))
    parts = [x if isinstance(x, ArrayPart) else _as_part(x, rank) for x in operands]
    known = [p for p in parts if isinstance(p, ArrayPart)]
    number = functools.reduce(_longer, [p.number for p in known])
    for part in known:
        good = tf.equal(part.number, number) | tf.equal(part.number, 1)
        require(good, BROADCAST.format("slices"))
    room = max(p.array.shape[0] for p in known)
    values = [_fitted(p, room) if isinstance(p, ArrayPart) else p for p in parts]
    found = function(*values)
    return _each_part(found, number)


def _each_part(found: Any, number: Any) -> Any:
    if isinstance(found, tuple):
        return tuple(ArrayPart(x, number) for x in found)
    return ArrayPart(found, number)


def _as_part(value: Any, rank: int) -> Any:
    """An array of as many axes as the parts have; anything else as it is."""
    if getattr(getattr(value, "shape", None), "rank", None) == rank:
        return ArrayPart(value, tf.constant(value.shape[0]))
    shape = getattr(value, "shape", ())
    if isinstance(value, (list, tuple)) or (isinstance(shape, tuple) and len(shape) == rank):
        array = FUNCTIONS["array"](value)
        return ArrayPart(array, tf.constant(array.shape[0])) if array.shape.rank == rank else array
    return value


def _longer(a: Any, b: Any) -> Any:
    return tf.where(tf.equal(a, 1), b, a)


def _fitted(part: ArrayPart, room: int) -> Any:
    """The elements in another room; one element stands for all."""
    own = part.array.shape[0]
    places = tf.clip_by_value(tf.range(room), 0, max(own - 1, 0))
    places = tf.where(tf.equal(part.number, 1), tf.zeros_like(places), places)
    found = tf.gather(part.array, places) if own else tf.zeros([room, *part.array.shape[1:]])
    return mark_weak(found) if is_weak(part.array) else found


def _operator(apply: Callable[..., Any], symbol: str, turned: bool = False) -> Callable[..., Any]:
    def run(self: ArrayPart, *others: Any) -> Any:
        operands = (*others, self) if turned else (self, *others)
        return of_each(functools.partial(apply, symbol), *operands)

    return run


_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
_UNARY = {"neg": "-", "pos": "+", "invert": "~"}
for _name, _symbol in _BINARY.items():
    setattr(ArrayPart, f"__{_name}__", _operator(binary, _symbol))
    setattr(ArrayPart, f"__r{_name}__", _operator(binary, _symbol, turned=True))
for _name, _symbol in _UNARY.items():
    setattr(ArrayPart, f"__{_name}__", _operator(unary, _symbol))


Meanings.part = part_of
Meanings.array = of_list


class NoTensor(Unsupported, TypeError):
    """TensorFlow is given a part; where it takes an operator, the part's own is called then."""


def _to_tensor(value: ArrayPart, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    error = unsupported("a function of TensorFlow")
    raise NoTensor(error.said, error.why, error.remedy)


tf.register_tensor_conversion_function(ArrayPart, _to_tensor)
