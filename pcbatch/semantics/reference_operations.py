"""What operators and builtins mean on objects of the heap, each of which may be None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics.chosen_classes import ChosenClass
from pcbatch.semantics.faults import require, unchecked
from pcbatch.semantics.meanings import Meanings, contents
from pcbatch.semantics.plain_classes import written
from pcbatch.semantics.references import (
    class_tag,
    has,
    is_of,
    is_reference,
    is_there,
    place_of,
    python_type,
    reference_kind,
    unsupported_reference,
)
from pcbatch.semantics.special import COMPARE, FIELDS, derived_from, says
from pcbatch.semantics.tagged_unions import members_of


def identical(a: Any, b: Any) -> Any:
    """`a is b`, of which one is a reference."""
    if not all(x is None or is_reference(x) for x in (a, b)):
        return False
    one, other = (tf.cast(place_of(x), tf.int32) for x in (a, b))
    same = tf.equal(one, other)
    if a is None or b is None or reference_kind(a) is reference_kind(b):
        return same
    return same & tf.less(one, 0)


def equal(a: Any, b: Any) -> Any:
    """`a == b`, of which one is a reference; NotImplemented where a method of the user's says it.

    Raises:
      Unsupported: the objects are compared attribute by attribute.
    """
    kinds = [reference_kind(x) for x in (a, b) if is_reference(x)]
    said = [kind for kind in kinds if says(kind, "__eq__")]
    if not said or a is None or b is None:
        return identical(a, b)
    if any(derived_from(kind, "__eq__") == FIELDS for kind in said):
        value = a if is_reference(a) else b
        raise unsupported_reference(
            value,
            "`==` of a dataclass compares all attributes, and what these lead to",
            "compare whether they are one object: a is b\n"
            "or say what makes them equal: a.value == b.value",
        )
    for value in filter(is_reference, (a, b)):
        require(is_there(value), _NONE_BESIDE.format(reference_kind(value).__name__))
    return NotImplemented


_NONE_BESIDE = (
    "TypeError: None is compared with `==` to an object of `{}`, whose class says what `==` means: "
    "ask `is None` first"
)


def has_no_order(symbol: str, a: Any, b: Any) -> str:
    """What Python says of `a < b` of two objects whose classes do not say it; "" where it is no
    such comparison."""
    if not (is_reference(a) and is_reference(b)):
        return ""
    kinds = [reference_kind(x) for x in (a, b)]
    if any(map(says, kinds, COMPARE[symbol])):
        return ""
    first, second = (kind.__name__ for kind in kinds)
    return f"TypeError: '{symbol}' not supported between instances of '{first}' and '{second}'"


def truth(value: Any, of_contents: Callable[[Any], Any]) -> Any:
    """`bool(value)` of a reference.

    Args:
      value: the reference.
      of_contents: gives the truth of a set, or a dict.

    Raises:
      Unsupported: the class says which of its objects are true.
    """
    if type(value) in Meanings.contents:
        with unchecked():  # None has no elements
            return tf.logical_and(is_there(value), of_contents(contents(value)))
    kind = reference_kind(value)
    if any(says(kind, name) for name in ("__bool__", "__len__")):
        remedy = "say what is asked: node is not None, len(node) > 0"
        raise unsupported_reference(value, "its class says what its truth is", remedy)
    return is_there(value)


def type_of(value: Any) -> type | ChosenClass:
    """`type(value)` of a reference; the members for which it is None stop."""
    kind = python_type(value)
    require(is_there(value) if kind is not type(None) else True, _NO_TYPE.format(kind.__name__))
    if not members_of(kind):
        return kind
    with unchecked():
        return ChosenClass(class_tag(value, "__class__"), tuple(map(written, members_of(kind))))


_NO_TYPE = "TypeError: type() is asked of None, where a `{}` is meant: ask `is None` first"


def is_instance(value: Any, classes: Any) -> Any:
    """`isinstance(value, classes)` of a reference."""
    found, of_none = is_of(value, lambda kind: issubclass(kind, classes)), isinstance(None, classes)
    if found is of_none:
        return found
    if of_none:
        return tf.logical_or(found, tf.logical_not(is_there(value)))
    return tf.logical_and(found, is_there(value))


# --- Attributes by name --------------------------------------------------------------------------


def has_attribute(value: Any, name: str) -> Any:
    """`hasattr(value, name)`; None has no attribute of an object."""
    if not is_reference(value):
        return hasattr(value, name)
    found = has(value, name)
    return hasattr(None, name) if found is False else tf.logical_and(found, is_there(value))


def get_attribute(value: Any, name: str, *default: Any) -> Any:
    """`getattr(value, name)`, or with what an object has instead that has no such attribute.

    Raises:
      Unsupported: there is a default for the members for which the object is None.
    """
    if not is_reference(value):
        return getattr(value, name, *default)
    if not default:
        return getattr(value, name)
    if has(value, name) is False:
        return getattr(None, name, *default)
    remedy = f"ask first:\nnode.{name} if node is not None else {default[0]!r}"
    asked = f"getattr() has a default for `{name}`, which None has not"
    raise unsupported_reference(value, asked, remedy)
