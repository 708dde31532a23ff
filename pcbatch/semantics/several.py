"""Builtins that are given the elements of lists as their arguments: `max(*xs)`, `print(*xs)`."""

from __future__ import annotations

import builtins
from typing import Any

import tensorflow as tf

from pcbatch.semantics import faults
from pcbatch.semantics.builtin_functions import builtin
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.misuse import TextOfMember
from pcbatch.semantics.operators import is_tensor
from pcbatch.semantics.static_values import MemberSequence


def of_several(name: str, elements: Any) -> Any:
    """Return what `max` or `min` goes over that is called with the elements of a list.

    Python goes over a single argument, and a call without any is an error.

    Args:
      name: "max" or "min".
      elements: the list of all arguments.
    """
    function = getattr(builtins, name)
    number = builtin(len, elements)
    if not isinstance(elements, MemberSequence):
        if not number:
            function()  # which says what it expects
        return elements[0] if number == 1 else elements
    faults.require(tf.not_equal(number, 0), faults.said(function))
    faults.require(tf.not_equal(number, 1), _of_one(name, elements))
    return elements


def _of_one(name: str, elements: Any) -> str:
    """What is said where there is one argument."""
    with faults.unchecked():
        element = elements[0]
    is_number = is_tensor(element) and element.shape.rank == 0
    samples = [(element.dtype.is_integer, 1), (element.dtype.is_floating, 1.0)] if is_number else []
    for is_one, sample in samples:
        if is_one:
            return faults.said(getattr(builtins, name), sample)
    return unknown(f"{name}(*xs) of one element: write {name}(xs), or {name}(xs[0])")


def printed(elements: Any) -> Any:
    """Return the elements that `print` is given; their number is to be known.

    Raises:
      TextOfMember: only members know it.
    """
    if isinstance(elements, MemberSequence):
        raise TextOfMember("print")
    return elements
