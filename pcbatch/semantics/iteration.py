"""The functions of `itertools` and `operator`, and `functools.reduce`, inside an expression.

Python's own function is called on the rows of each array, which are as many as the shape says. At
the head of a loop something else takes its place, see `frontend/selecting`.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any, NoReturn

from pcbatch.semantics import builtin_functions
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.iterated import iterated
from pcbatch.semantics.operators import binary, compare, indexed, is_tensor, truth, unary
from pcbatch.semantics.registry import call
from pcbatch.semantics.rounds import UnknownLength, limited
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.texts import Text

Meaning = Callable[..., Any]


def _rows(value: Any) -> Any:
    """The elements of what may be a member's."""
    sequence = isinstance(value, (Buffer, ChosenText, MemberSequence, Text)) or is_tensor(value)
    return iterated(value) if sequence else limited(value)


def _called(function: Any) -> Any:
    """What calls a function that is handed over, which may be one of Python's builtins."""
    name = getattr(function, "__name__", "")
    known = name in builtin_functions.FUNCTIONS and getattr(builtins, name) is function
    return functools.partial(builtin_functions.builtin if known else call, function)


def _on_rows(function: Meaning) -> Meaning:
    """A function of iterables."""

    def run(*values: Any, **how: Any) -> Any:
        return function(*map(_rows, values), **how)

    return run


def _selecting(function: Meaning) -> Meaning:
    """A function of one iterable, and of a number."""

    def run(iterable: Any, r: Any = None) -> Any:
        if is_tensor(r):
            raise UnknownLength("the number of elements that are selected is a member's")
        rows = list(_rows(iterable))
        return function(rows) if r is None else function(rows, r)

    return run


def _with_function(function: Meaning) -> Meaning:
    """A function of a function of the elements, and of an iterable; Python decides on truths."""

    def run(predicate: Any, iterable: Any) -> Any:
        return function(_called(predicate), _rows(iterable))

    return run


def accumulate(iterable: Any, func: Any = None, *, initial: Any = None) -> Any:
    """`itertools.accumulate`."""
    step = functools.partial(binary, "+") if func is None else _called(func)
    return itertools.accumulate(_rows(iterable), step, initial=initial)


def reduce(function: Any, iterable: Any, *initial: Any) -> Any:
    """`functools.reduce`."""
    return functools.reduce(_called(function), _rows(iterable), *initial)


def compress(data: Any, selectors: Any) -> Any:
    """`itertools.compress`, where Python can decide."""
    return (d for d, s in zip(_rows(data), _rows(selectors), strict=False) if truth(s))


def islice(iterable: Any, *bounds: Any) -> Any:
    """`itertools.islice` with bounds that are the same for all members."""
    if any(map(is_tensor, bounds)):
        raise UnknownLength("a bound of islice is a member's")
    return itertools.islice(_rows(iterable), *bounds)


def repeat(object: Any, *times: Any) -> Any:
    """`itertools.repeat`."""
    if any(map(is_tensor, times)):
        raise UnknownLength("a number of repetitions is a member's")
    return itertools.repeat(object, *times)


def product(*iterables: Any, repeat: int = 1) -> Any:
    """`itertools.product`."""
    return itertools.product(*(list(_rows(x)) for x in iterables), repeat=repeat)


def count(start: Any = 0, step: Any = 1) -> NoReturn:
    """`itertools.count` from a number of the member, which only a loop of the program goes over."""
    raise UnknownLength("from where itertools.count counts depends on the member")


_BINARY: dict[Meaning, str] = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/",
    operator.floordiv: "//", operator.mod: "%", operator.pow: "**", operator.matmul: "@",
    operator.and_: "&", operator.or_: "|", operator.xor: "^", operator.lshift: "<<",
    operator.rshift: ">>",
}  # fmt: skip
_COMPARE: dict[Meaning, str] = {
    operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=", operator.eq: "==",
    operator.ne: "!=",
}  # fmt: skip
_UNARY: dict[Meaning, str] = {
    operator.neg: "-", operator.pos: "+", operator.invert: "~", operator.not_: "not",
}  # fmt: skip

MEANINGS: dict[Meaning, Meaning] = {
    **{f: functools.partial(binary, symbol) for f, symbol in _BINARY.items()},
    **{f: functools.partial(compare, symbol) for f, symbol in _COMPARE.items()},
    **{f: functools.partial(unary, symbol) for f, symbol in _UNARY.items()},
    operator.getitem: lambda value, index: indexed(value)[index],
    operator.abs: functools.partial(builtin_functions.builtin, abs),
    **{f: _on_rows(f) for f in (itertools.chain, itertools.pairwise, itertools.zip_longest)},
    **{
        f: _selecting(f)
        for f in (
            itertools.combinations,
            itertools.permutations,
            itertools.combinations_with_replacement,
        )
    },
    **{f: _with_function(f) for f in (itertools.takewhile, itertools.dropwhile)},
    itertools.accumulate: accumulate, itertools.product: product, itertools.compress: compress,
    itertools.islice: islice, itertools.repeat: repeat, functools.reduce: reduce,
    itertools.count: count,
    itertools.cycle: lambda iterable: itertools.cycle(_rows(iterable)),
}  # fmt: skip
"""By the function of Python's library."""
