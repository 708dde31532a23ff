"""What is looked for in a text of which a member has the characters: `find`, `count`, `replace`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import texts
from pcbatch.semantics.faults import require
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.numbers.promotion import mark_weak
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.texts import Text, either, shifted, taken, text, used


def places(self: Text, part: Any) -> tf.Tensor:
    """bool[M + 1]: at which places a part begins; that without characters at each."""
    part = text(part)
    starts = tf.range(self.codes.shape[0] + 1)
    offsets = tf.range(part.codes.shape[0])
    found = taken(self.codes, starts[:, None] + offsets[None, :])
    same = tf.equal(found, part.codes[None, :]) | (offsets[None, :] >= part.length)
    return tf.reduce_all(same, 1) & (starts + part.length <= self.length)


def contains(self: Text, part: Any) -> Any:
    """`part in self`."""
    return tf.reduce_any(places(self, part))


# --- Where it is ----------------------------------------------------------------------------------


def _bound(bound: Any, length: Any, low: Any, high: Any, default: Any) -> Any:
    if bound is None:
        return tf.cast(default, tf.int32)
    position = narrowed(bound)
    position = tf.where(position < 0, position + length, position)
    return tf.minimum(tf.maximum(position, low), high)


def _bounds(self: Text, start: Any, stop: Any) -> tuple[Any, Any, Any]:
    """The first place of a slice, that behind its last, and whether it begins within the text."""
    low = _bound(start, self.length, 0, self.length, 0)
    high = _bound(stop, self.length, 0, self.length, self.length)
    return low, high, start is None or narrowed(start) <= self.length


def _within(self: Text, part: Any, start: Any, stop: Any) -> tf.Tensor:
    """Where a part begins, of a slice."""
    part = text(part)
    low, high, begun = _bounds(self, start, stop)
    at = tf.range(self.codes.shape[0] + 1)
    return places(self, part) & (at >= low) & (at + part.length <= high) & begun


def find(self: Text, part: Any, start: Any = None, stop: Any = None) -> Any:
    """`str.find`."""
    found = _within(self, part, start, stop)
    first = tf.argmax(tf.cast(found, tf.int32), output_type=tf.int32)
    return mark_weak(tf.where(tf.reduce_any(found), first, -1))


def rfind(self: Text, part: Any, start: Any = None, stop: Any = None) -> Any:
    """`str.rfind`."""
    found = _within(self, part, start, stop)
    return mark_weak(tf.reduce_max(tf.where(found, tf.range(found.shape[0]), -1)))


def index(self: Text, part: Any, start: Any = None, stop: Any = None) -> Any:
    """`str.index`."""
    place = find(self, part, start, stop)
    require(place >= 0, "ValueError: substring not found")
    return place


def rindex(self: Text, part: Any, start: Any = None, stop: Any = None) -> Any:
    """`str.rindex`."""
    place = rfind(self, part, start, stop)
    require(place >= 0, "ValueError: substring not found")
    return place


def startswith(self: Text, part: Any, start: Any = None, stop: Any = None) -> Any:
    """`str.startswith`."""
    if isinstance(part, tuple):
        return tf.reduce_any([startswith(self, one, start, stop) for one in part] or [False])
    low = _bound(start, self.length, 0, self.length, 0)
    return taken(_within(self, part, start, stop), low)


def endswith(self: Text, part: Any, start: Any = None, stop: Any = None) -> Any:
    """`str.endswith`."""
    if isinstance(part, tuple):
        return tf.reduce_any([endswith(self, one, start, stop) for one in part] or [False])
    place = _bounds(self, start, stop)[1] - text(part).length
    return (place >= 0) & taken(_within(self, part, start, stop), tf.maximum(place, 0))


def partition(self: Text, part: Any) -> tuple[Text, Text, Text]:
    """`str.partition`."""
    place = find(self, _separator(part))
    before, behind = self[: tf.maximum(place, 0)], shifted(self, place + text(part).length)
    found = ((before, self), (part, ""), (behind, ""))
    return _chosen(place >= 0, found)


def rpartition(self: Text, part: Any) -> tuple[Text, Text, Text]:
    """`str.rpartition`."""
    place = rfind(self, _separator(part))
    before, behind = self[: tf.maximum(place, 0)], shifted(self, place + text(part).length)
    found = ((before, ""), (part, ""), (behind, self))
    return _chosen(place >= 0, found)


def _chosen(condition: Any, pairs: tuple[Any, Any, Any]) -> tuple[Text, Text, Text]:
    a, b, c = (either(condition, yes, no) for yes, no in pairs)
    return a, b, c


def _separator(part: Any) -> Any:
    require(text(part).length > 0, "ValueError: empty separator")
    return part


# --- Wherever it is -------------------------------------------------------------------------------


def apart(self: Text, part: Any) -> tf.Tensor:
    """int32[M]: where a part is found, one behind the other; then M. A part has characters."""
    size = self.codes.shape[0]
    found = tf.sort(tf.where(places(self, part)[:-1], tf.range(size), size))
    if isinstance(part, str) and not _overlaps_itself(part):
        return found
    # After one the next is the first behind it: so many steps further on are known by doubling.
    following = tf.searchsorted(found, found + tf.maximum(text(part).length, 1))
    numbers = tf.zeros([min(size, 1)], tf.int32)
    while numbers.shape[0] < size:
        numbers = tf.concat([numbers, _at(following, numbers)], 0)[:size]
        following = _at(following, following)
    return tf.where(numbers < size, taken(found, numbers), size)


def _at(values: tf.Tensor, indices: tf.Tensor) -> tf.Tensor:
    """What stands there; behind the last one what says so."""
    size = values.shape[0]
    return tf.where(indices < size, taken(values, indices), size)


def _overlaps_itself(part: str) -> bool:
    """Whether a part may begin within itself."""
    return any(part.startswith(part[k:]) for k in range(1, len(part)))


def count(self: Text, part: Any, start: Any = None, stop: Any = None) -> Any:
    """`str.count`."""
    low, high, begun = _bounds(self, start, stop)
    size = self.codes.shape[0]
    cut = Text(tf.where(tf.range(size) < high, self.codes, 0), tf.maximum(low, high))
    number = tf.reduce_sum(tf.cast(apart(shifted(cut, low), part) < size, tf.int32))
    of_nothing = tf.cast(begun & (low <= high), tf.int32) * (high - low + 1)
    return mark_weak(tf.where(tf.equal(text(part).length, 0), of_nothing, number))


def replace(self: Text, old: Any, new: Any, count: Any = -1) -> Text:
    """`str.replace`.

    A member stops where what is replaced has no characters.
    """
    found, old, new = apart(self, old), text(old), text(new)
    require(old.length > 0, unknown("a text without characters is replaced"))
    size = self.codes.shape[0]
    most = tf.where(narrowed(count) < 0, size, narrowed(count))
    found = tf.where(tf.range(size) < most, found, size)
    at = tf.range(size)
    number = tf.searchsorted(found, at, side="right") - 1
    behind = at - taken(found, number)
    inside = (number >= 0) & (behind < old.length)
    starts = inside & tf.equal(behind, 0)
    lengths = tf.where(starts, new.length, tf.cast(used(self) & ~inside, tf.int32))
    return _written(self.codes, starts, new, lengths)


def _written(codes: Any, starts: Any, new: Text, lengths: Any) -> Text:
    """Characters one behind the other, some of them replaced by a text."""
    size = codes.shape[0]
    ends = tf.cumsum(lengths)
    room = size * max(1, new.codes.shape[0])
    at = tf.range(room)
    which = tf.minimum(tf.searchsorted(ends, at, side="right"), size - 1)
    offset = at - tf.gather(ends - lengths, which)
    replaced = taken(new.codes, offset)
    found = tf.where(tf.gather(starts, which), replaced, tf.gather(codes, which))
    length = tf.reduce_sum(lengths)
    return Text(tf.where(at < length, found, 0), length)


METHODS: dict[str, Callable[..., Any]] = {
    "count": count, "endswith": endswith, "find": find, "index": index, "partition": partition,
    "replace": replace, "rfind": rfind, "rindex": rindex, "rpartition": rpartition,
    "startswith": startswith,
}  # fmt: skip
texts.register(METHODS)
