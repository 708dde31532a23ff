"""What programs compute that take elements one by one, by an index of the member.

Of a generator function's, see `lazy`; and of what an iterator in a variable goes over.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn

import tensorflow as tf

from pcbatch.frontend import loop_protocol
from pcbatch.frontend.element_tables import at_any
from pcbatch.frontend.islice import checked_bounds
from pcbatch.frontend.loop_protocol import Counted, Enumerated, Zipped
from pcbatch.frontend.plain import PlainSequence
from pcbatch.frontend.streams import Item, Lengths, Stream
from pcbatch.semantics import builtin_functions, faults, misuse, operators
from pcbatch.semantics.iterated import iterated
from pcbatch.semantics.lists import columns
from pcbatch.semantics.lists.indexed_items import Steps
from pcbatch.semantics.meanings import gone_over


def slice_bounds(start: Any, stop: Any, step: Any, one: bool) -> tuple[Any, Any, Any]:
    """The bounds of `islice` for `goes_on` and `is_chosen`, see `checked_bounds`."""
    start, step = (0 if start is None else start), (1 if step is None else step)
    return checked_bounds(start, stop, step, one=one)


def goes_on(count: Any, start: Any, stop: Any) -> Any:
    """Whether `islice`, which has taken so many elements, asks for another one."""
    if stop is None:
        return True
    return operators.compare("<", count, builtin_functions.builtin(max, start, stop))


def is_chosen(count: Any, start: Any, stop: Any, step: Any) -> Any:
    """Whether `islice` gives the element that it has asked for after so many others."""
    if not any(map(operators.is_tensor, (start, step))) and (start, step) == (0, 1):
        return True  # it asks for none behind the stop
    inside = operators.compare(">=", count, start)
    if stop is not None:
        inside = operators.binary("&", inside, operators.compare("<", count, stop))
    left = operators.binary("%", operators.binary("-", count, start), step)
    return operators.binary("&", inside, operators.compare("==", left, 0))


def beside(iterable: Any) -> Any:
    """What `zip` takes elements from beside a generator."""
    part = loop_protocol.iterate(iterable)
    found = at_any(part)
    return part if found is None else found


def backwards(iterable: Any) -> Any:
    """What an iterator goes over from last to first."""
    return loop_protocol.iterate(loop_protocol.backward(iterable))


def counted(*bounds: Any) -> Counted:
    """A `range`, whose length may be the member's."""
    found = loop_protocol.counted(*bounds)
    if isinstance(found, range):
        return Counted(found.start, found.step, len(found))
    return found


def has_item(part: Any, index: Any) -> Any:
    """Whether there is an element at an index of the member."""
    lengths = loop_protocol.lengths_of(part)
    return not lengths or operators.compare("<", index, builtin_functions.builtin(min, lengths))


def item(part: Any, index: Any) -> Any:
    """The element at an index of the member, also of what a loop would unroll."""
    match part:
        case Zipped(parts=parts):
            return tuple(item(one, index) for one in parts)
        case Enumerated(elements=elements, start=start):
            with faults.unchecked():
                return operators.binary("+", start, index), item(elements, index)
    if not loop_protocol.is_static(part):
        return loop_protocol.item(part, index)
    known = part.items_of_plain if isinstance(part, PlainSequence) else part
    return operators.indexed(tuple(known))[index]


Steps.has_item, Steps.item = staticmethod(has_item), staticmethod(item)


def no_next() -> NoReturn:
    """What `next(it)` does where there is no element.

    Raises:
      StopIteration: always.
    """
    raise StopIteration


def kept_generator() -> None:
    """Stand in for a generator expression that a variable keeps.

    Raises:
      Unsupported: always.
    """
    raise misuse.Unsupported(
        "a generator expression is kept, and read elsewhere",
        "it would make its elements where it is read, and be empty when it is read again.",
        "read it where it is made, or make a list:\nsquares = [x * x for x in xs]",
    )


# --- Rows and columns ----------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Columns(Stream):
    """`zip(*rows)` of a list of lists of the member.

    Attributes:
      rows: the list.
      number: how many rows it had to begin with.
    """

    rows: Any
    number: Any

    def lengths(self, lengths: Lengths) -> list[Any]:
        return [columns.width(self.rows, self.number)]

    def item(self, k: Any, item: Item) -> Any:
        return columns.column(self.rows, self.number, k)


def turned(rows: Any) -> Any:
    """What a loop over `zip(*rows)` goes over."""
    rows = gone_over(rows)
    if columns.rows_of(rows) is not None:
        return Columns(rows, tf.identity(rows.length()))
    return loop_protocol.zipped(*iterated(rows))


def parts(rows: Any, number: str) -> Any:
    """`zip(*rows)` where so many variables take what it gives."""
    found = columns.parts(gone_over(rows), number)
    return builtin_functions.builtin(zip, *iterated(rows)) if found is None else found
