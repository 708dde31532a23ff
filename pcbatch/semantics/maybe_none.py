"""What comparisons, operators and subscripts mean on a value that is None for some members.

Behind `if x is not None:` it is known to be the value, and is that value again (`settled`). What
takes it without knowing this is refused, but for the operations here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import identity
from pcbatch.semantics.faults import require, said
from pcbatch.semantics.none_or_value import MaybeNone, refuse
from pcbatch.semantics.sharing import is_array
from pcbatch.semantics.types import is_tensor, type_of

_CHANGED = (
    "RuntimeError: an element has become None behind a condition, or an assignment, that says it "
    "is not; an operator or a property has changed it"
)
_EXAMPLES: dict[type, Any] = {bool: True, int: 1, float: 1.0, complex: 1j, str: ""}
"""An example of each kind of number, and of a text, for what Python says."""


def settled(value: Any) -> tuple[Any]:
    """A primitive: a value of which a condition has found that it is not None."""
    return (value.value if isinstance(value, MaybeNone) else value,)


def settled_element(value: Any, *_: Any) -> tuple[Any]:
    """The same of an element, which may be another one since then; the member stops where it is.

    Args:
      value: the element.
      *_: the witness, which is None where the element may be.
    """
    return (known(value, _CHANGED) if isinstance(value, MaybeNone) else value,)


def known(value: MaybeNone, message: str) -> Any:
    """The value; the members for which it is None stop with a status."""
    require(value.there, message)
    return value.value


def operand(function: Callable[..., Any], value: MaybeNone, *others: Any) -> Any:
    """The value that an operator takes, and what else it is given, from left to right."""
    return known(value, said(function, None, *map(example, others)))


def operands(function: Callable[..., Any], a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands, one of which at least may be None, as the values that they have to be."""
    first, second = (x.value if isinstance(x, MaybeNone) else x for x in (a, b))
    if isinstance(a, MaybeNone) and isinstance(b, MaybeNone):
        require(tf.logical_or(a.there, b.there), said(function, None, None))
    if isinstance(a, MaybeNone):
        require(a.there, said(function, None, example(second)))
    if isinstance(b, MaybeNone):
        require(b.there, said(function, example(first), None))
    return first, second


def example(value: Any) -> Any:
    """A number, or a text, of the same kind as a value; anything else is refused beside None."""
    return _EXAMPLES[type_of(value)] if type_of(value) in _EXAMPLES else refuse()


OF_ONE = (len, sum, sorted, list, tuple, set, frozenset, min, max, any, all, enumerate, reversed)
"""Builtins that raise where the only thing that they are given is None, whatever it is else."""


def taken(function: Callable[..., Any], args: Sequence[Any]) -> list[Any]:
    """The arguments of a function of Python that raises where one of them is None."""
    if len(args) == 1 and function in OF_ONE:
        return [operand(function, args[0])]
    if len(args) == 2:
        return list(operands(function, *args))
    known = [x.value if isinstance(x, MaybeNone) else x for x in args]
    for place, value in enumerate(args):
        if isinstance(value, MaybeNone):
            examples = map(example, known)
            shown = [None if k == place else x for k, x in enumerate(examples)]
            require(value.there, said(function, *shown))
    return known


def is_none(value: MaybeNone) -> Any:
    """Whether it is None."""
    return tf.logical_not(value.there) if is_tensor(value.there) else not value.there


def equal(compare: Callable[[str, Any, Any], Any], a: Any, b: Any) -> Any:
    """`a == b`, of which one at least may be None.

    Raises:
      Unsupported: one is an array, which NumPy compares element by element where it is not None.
    """
    if any(map(is_array, (a, b, getattr(a, "value", None), getattr(b, "value", None)))):
        refuse()
    if not isinstance(a, MaybeNone):
        a, b = b, a
    if b is None:
        return is_none(a)
    if not isinstance(b, MaybeNone):
        return tf.logical_and(a.there, compare("==", a.value, b))
    same = tf.logical_and(b.there, compare("==", a.value, b.value))
    return tf.where(a.there, same, is_none(b))


def identical(a: Any, b: Any) -> Any:
    """`a is b`, of which one may be None: the other is None, or they are objects, or dicts.

    Raises:
      Unsupported: they are something else.
    """
    first, other = (a, b) if isinstance(a, MaybeNone) else (b, a)
    if other is None:
        return is_none(first)
    values = [x.value if isinstance(x, MaybeNone) else x for x in (first, other)]
    if not all(map(identity.may_be_copy, values)):
        refuse()
    one = identity.is_one(*values)
    return equal(lambda *_: one, first, other)


def subscripted(value: MaybeNone) -> Any:
    """What `value[...]` looks up in."""
    return operand(operator.getitem, value, 0)


def gone_over(value: MaybeNone) -> Any:
    """What a loop, or a comprehension, goes over."""
    return operand(iter, value)


def index(value: MaybeNone, sequence: type) -> Any:
    """The index of an element of a list or a tuple."""
    name = sequence.__name__
    return known(value, f"TypeError: {name} indices must be integers or slices, not NoneType")


def attributed(value: MaybeNone, name: str) -> Any:
    """What `value.name` looks up in."""
    return known(value, f"AttributeError: 'NoneType' object has no attribute '{name}'")


def _unpack(value: Any) -> Any:
    first, second = value
    return first, second


def unpacked(value: MaybeNone) -> Any:
    """What `a, b = value` takes apart."""
    return operand(_unpack, value)
