"""What stands in for the functions of `itertools` at the head of a `for` loop.

Where all elements are a Python container's and the rounds are few, Python's own function is called
and the loop is unrolled. Otherwise it is a loop over a stream, if an element at an index of the
member's can be had.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import tensorflow as tf

from pcbatch.frontend import streams
from pcbatch.frontend.element_tables import at_any, is_pythons
from pcbatch.frontend.islice import checked_bounds
from pcbatch.frontend.loop_protocol import counted, iterate, lengths_of
from pcbatch.semantics import builtin_functions, faults, operators
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.rounds import FEW
from pcbatch.semantics.static_values import as_index

MOST_NUMBERS = 4_000_000
"""More numbers than this in a table of selections are taken for a mistake."""
MOST_ROUNDS = 2**31 - 1
"""More rounds cannot be counted."""


# --- What is selected from -----------------------------------------------------------------------


def _static(number: Any, what: str) -> int:
    found = None if operators.is_tensor(number) else as_index(number)
    if found is None:
        raise TypeError(f"{what} must be an integer that is the same for all members")
    return found


def _size(part: Any, name: str) -> Any:
    """How many elements a part has, which must have an end."""
    found = lengths_of(part)
    if not found or isinstance(part, streams.Cycle):
        raise Unsupported(
            f"itertools.{name} is given elements that have no end",
            "in Python it would never return.",
            "take some of them: itertools.islice(..., 10)",
        )
    return functools.reduce(functools.partial(builtin_functions.builtin, min), found)


def _is_nothing(part: Any) -> bool:
    return is_pythons(part) and not len(part)


def _selecting(
    name: str, parts: Sequence[Any], rounds: Any, make: Callable[[list[Any]], streams.Stream]
) -> Any:
    """Python's own selection, or a stream.

    Args:
      name: of the function.
      parts: what `iterate` returned.
      rounds: how many there are; None: no end.
      make: a stream, of parts of which any element can be had.

    Raises:
      TypeError: neither can be.
    """
    plain = all(map(is_pythons, parts))
    if plain and isinstance(rounds, int) and rounds <= FEW:
        return None
    if isinstance(rounds, int) and rounds > MOST_ROUNDS:
        _refuse_number(name, rounds)
    found = [at_any(part, constants=not plain) for part in parts]
    if all(part is not None for part in found):
        return make(found)
    if plain:  # the loop is unrolled, or too long
        return None
    _refuse_types(name)


def _refuse_types(name: str) -> NoReturn:
    raise Unsupported(
        f"the elements that itertools.{name} is given are not of one type",
        "the loop takes the element at a number of the member's: all must be numbers of one type, "
        "arrays of one shape, or tuples of them.",
        "give it numbers of one type, e.g. [1.0, 2.5] for [1, 2.5],\n"
        "or go over each part in a loop of its own",
    )


def _refuse_number(name: str, rounds: int) -> NoReturn:
    raise Unsupported(
        f"itertools.{name} would give {rounds:,} selections",
        "that many are not counted, or kept in a table.",
        "write nested loops, which leave early what cannot succeed:\n"
        "for i in range(n):\n    for j in range(i + 1, n):",
    )


# --- The functions -------------------------------------------------------------------------------


def _selections(kind: str, iterable: Any, r: Any) -> Any:
    part, number = iterate(iterable), _static(r, "the number of elements that are selected")
    if number < 0:
        getattr(itertools, kind)((), number)  # Python raises.
    size = _size(part, kind)
    if operators.is_tensor(size):
        return _of_member(kind, part, size, number)
    rounds = streams.count(kind, size, number)
    if rounds * number > MOST_NUMBERS:
        _refuse_number(kind, rounds)
    found = _selecting(
        kind, [part], rounds, lambda parts: streams.Selections(parts[0], kind, size, number)
    )
    return getattr(itertools, kind)(iterate(iterable), number) if found is None else found


def _of_member(kind: str, part: Any, size: Any, number: int) -> Any:
    """Selections from as many elements as the member has: the pairs are known."""
    if kind == "combinations" and number == 2:
        return streams.AllPairs(part, size)
    raise Unsupported(
        f"itertools.{kind} is given as many elements as the member has",
        "its selections are kept in a table, the same for all members; only pairs are computed.",
        "write nested loops:\n"
        "for i in range(n):\n    for j in range(i + 1, n):\n        for k in range(j + 1, n):",
    )


def combinations(iterable: Any, r: Any) -> Any:
    """Stand in for `itertools.combinations`."""
    return _selections("combinations", iterable, r)


def combinations_with_replacement(iterable: Any, r: Any) -> Any:
    """Stand in for `itertools.combinations_with_replacement`."""
    return _selections("combinations_with_replacement", iterable, r)


def permutations(iterable: Any, r: Any = None) -> Any:
    """Stand in for `itertools.permutations`."""
    size = _size(iterate(iterable), "permutations") if r is None else r
    return _selections("permutations", iterable, size)


def product(*iterables: Any, repeat: Any = 1) -> Any:
    """Stand in for `itertools.product`."""
    number = _static(repeat, "repeat")
    if number < 0:
        itertools.product(repeat=number)  # Python raises.
    parts = [iterate(x) for x in iterables] * number
    sizes = [_size(part, "product") for part in parts]
    known = not any(map(operators.is_tensor, sizes))
    found = _selecting(
        "product",
        parts,
        math.prod(sizes) if known else None,
        lambda streamed: streams.Product(tuple(streamed), tuple(sizes)),
    )
    return itertools.product(*map(_all, parts)) if found is None else found


def ndindex(*shape: Any) -> Any:
    """Stand in for `np.ndindex`."""
    several = len(shape) == 1 and not operators.is_tensor(shape[0]) and as_index(shape[0]) is None
    sizes = tuple(shape[0]) if several else shape
    if not any(map(operators.is_tensor, sizes)):
        np.ndindex(*sizes)  # Python raises.
    for size in filter(operators.is_tensor, sizes):
        faults.require(size >= 0, "ValueError: negative dimensions are not allowed")
    return product(*map(counted, sizes))


def _all(part: Any) -> list[Any]:
    return [part[k] for k in range(len(part))]


def chain(*iterables: Any) -> Any:
    """Stand in for `itertools.chain`."""
    parts = [iterate(x) for x in iterables]
    sizes = [_size(part, "chain") for part in parts[:-1]]
    if not parts:
        return ()
    rounds = sum(len(part) for part in parts) if all(map(is_pythons, parts)) else None
    found = _selecting(
        "chain", parts, rounds, lambda streamed: streams.Chained(tuple(streamed), tuple(sizes))
    )
    return itertools.chain(*map(_all, parts)) if found is None else found


def from_iterable(iterable: Any) -> Any:
    """Stand in for `itertools.chain.from_iterable`."""
    if operators.is_tensor(iterable) and iterable.shape.rank >= 2:
        return tf.reshape(iterable, [-1, *iterable.shape[2:]])
    part = iterate(iterable)
    if not is_pythons(part):
        _refuse_types("chain.from_iterable")
    return chain(*_all(part))


def _of_one(name: str, iterable: Any, make: Callable[[Any, Any], streams.Stream]) -> Any:
    """A stream of one part; None where Python's own function is to be called on it."""
    part = iterate(iterable)
    rounds = len(part) if is_pythons(part) else None
    return _selecting(name, [part], rounds, lambda parts: make(parts[0], part))


def pairwise(iterable: Any) -> Any:
    """Stand in for `itertools.pairwise`."""
    part = iterate(iterable)
    found = _of_one("pairwise", part, lambda streamed, _: streams.Pairs(streamed))
    return itertools.pairwise(_all(part)) if found is None else found


def zip_longest(*iterables: Any, fillvalue: Any = None) -> Any:
    """Stand in for `itertools.zip_longest`."""
    parts = [iterate(x) for x in iterables]
    sizes = [_size(part, "zip_longest") for part in parts]
    rounds = max((len(p) for p in parts), default=0) if all(map(is_pythons, parts)) else None
    found = _selecting(
        "zip_longest",
        parts,
        rounds,
        lambda streamed: streams.Longest(tuple(streamed), tuple(sizes), fillvalue),
    )
    if found is None:
        return itertools.zip_longest(*map(_all, parts), fillvalue=fillvalue)
    return found


def islice(iterable: Any, *bounds: Any) -> Any:
    """Stand in for `itertools.islice`."""
    start, stop, step = {1: (0, *bounds, 1), 2: (*bounds, 1)}.get(len(bounds), bounds)
    start, step = (0 if start is None else start), (1 if step is None else step)
    part = iterate(iterable)
    if is_pythons(part) and not any(map(operators.is_tensor, (start, stop, step))):
        return itertools.islice(_all(part), start, stop, step)
    found = () if _is_nothing(part) else at_any(part)
    if found is None:
        _refuse_types("islice")
    start, stop, step = checked_bounds(start, stop, step, one=len(bounds) == 1)
    number = None
    if stop is not None:
        rest = operators.binary("-", operators.binary("+", stop, step), 1)
        number = operators.binary("//", operators.binary("-", rest, start), step)
        number = builtin_functions.builtin(max, number, 0)
    return streams.Part(found, start, step, number)


def cycle(iterable: Any) -> Any:
    """Stand in for `itertools.cycle`."""
    part = iterate(iterable)
    if _is_nothing(part):
        return ()
    found = at_any(part)
    if found is None:
        _refuse_types("cycle")
    return streams.Cycle(found, _size(found, "cycle"))


def repeat(object: Any, times: Any = None) -> Any:
    """Stand in for `itertools.repeat`."""
    if times is not None:
        whole = (
            times.dtype.is_integer if operators.is_tensor(times) else as_index(times) is not None
        )
        if not whole:
            raise TypeError("itertools.repeat() takes a number of times that is an integer")
    few = times is not None and not operators.is_tensor(times) and times <= FEW
    if few:
        return itertools.repeat(object, times)
    return streams.Same(object, None if times is None else builtin_functions.builtin(max, times, 0))


def count(start: Any = 0, step: Any = 1) -> Any:
    """Stand in for `itertools.count`."""
    for number in (start, step):
        whole = number.dtype.is_integer if operators.is_tensor(number) else as_index(number)
        if whole is None or whole is False:
            raise Unsupported(
                "itertools.count is given a float",
                "Python adds the step up, so that errors add up, too; a loop here multiplies.",
                "count in integers, and multiply:\n"
                "for k in itertools.count():\n    x = start + k * step",
            )
    return streams.From(start, step)


def groupby(iterable: Any, key: Any = None) -> Any:
    """Stand in for `itertools.groupby` where `frontend.grouped` does not."""
    raise Unsupported(
        "a group of itertools.groupby is kept, or gone over more than once",
        "in Python it goes over the elements themselves, and is empty when it has been gone over, "
        "or when the next group is asked for.",
        "make a list of it first:\nfor key, group in groupby(xs):\n    group = list(group)",
    )


STAND_INS: dict[int, tuple[Any, str]] = {
    id(function): (function, function.__name__)
    for function in (
        itertools.combinations, itertools.combinations_with_replacement, itertools.permutations,
        itertools.product, itertools.chain, itertools.pairwise, itertools.zip_longest,
        itertools.islice, itertools.cycle, itertools.repeat, itertools.count, itertools.groupby,
        np.ndindex,
    )
}  # fmt: skip
"""The names here of what stands in for a function, by its identity."""


def stand_in(function: Any) -> str:
    """The name of what stands in for a function; "" where nothing does."""
    if getattr(function, "__self__", None) is itertools.chain:
        return "from_iterable" if function.__name__ == "from_iterable" else ""
    known, name = STAND_INS.get(id(function), (None, ""))
    return name if known is function else ""
