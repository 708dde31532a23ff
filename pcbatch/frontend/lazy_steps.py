"""What loops over `islice` and `zip` of a generator compute in each round, see `lazy`."""

from __future__ import annotations

from typing import Any

from pcbatch.frontend import loop_protocol
from pcbatch.frontend.islice import checked_bounds
from pcbatch.frontend.loop_protocol import iterate
from pcbatch.frontend.selecting import at_any
from pcbatch.semantics import builtin_functions, operators


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
    part = iterate(iterable)
    found = at_any(part)
    return part if found is None else found


def counted(*bounds: Any) -> Any:
    """A `range` there."""
    return loop_protocol.iterate(loop_protocol.counted(*bounds))


def has_item(part: Any, count: Any) -> Any:
    """Whether there is an element after so many others."""
    lengths = loop_protocol.lengths_of(part)
    if not lengths:
        return True
    return operators.compare("<", count, builtin_functions.builtin(min, lengths))


def item(part: Any, count: Any) -> Any:
    """The element after so many others."""
    if loop_protocol.is_static(part) and operators.is_tensor(count):
        return operators.indexed(part)[count]
    return loop_protocol.item(part, count)
