"""A text that is one of several, as the member's values say: what may be asked of it.

All texts that a program names have a code each, and a variable that means one or the other holds
the code. The code of a text is the same in all programs and processes.
"""

from __future__ import annotations

import dataclasses
import hashlib
import threading
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.numbers.promotion import mark_weak

_TEXTS: dict[int, str] = {}
_LOCK = threading.Lock()


def used() -> Unsupported:
    """What to say of a use that has no meaning on such a text."""
    return Unsupported(
        "a text that depends on the member is used",
        "all that is known of it is which one it is: `==`, `!=`, `in` a tuple of texts, `match`, "
        "its truth, and what a dict has for it.",
        "look up what belongs to each text, in a dict of the program:\n"
        'speed = {"slow": 1, "fast": 3}[state]',
    )


def refuse(*_: Any, **__: Any) -> NoReturn:
    """Refuse such a use.

    Raises:
      Unsupported: always.
    """
    raise used()


@dataclasses.dataclass(eq=False, repr=False)
class ChosenText:
    """One of several texts.

    What Python itself would do with the object is refused.

    Attributes:
      code: of the text, an int32 scalar.
    """

    code: Any

    __bool__ = __eq__ = __hash__ = __iter__ = __len__ = refuse
    __repr__ = __str__ = __format__ = refuse


def code_of(text: str) -> np.int32:
    """The code of a text: of its digest, or the next that no other text has."""
    code = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:4]) >> 1
    with _LOCK:
        while _TEXTS.setdefault(code, text) != text:
            code = (code + 1) % 2**31
    return np.int32(code)


def chosen(texts: Sequence[str], place: Any) -> ChosenText:
    """The text at a place that there is."""
    codes = tf.constant([code_of(text) for text in texts], tf.int32)
    place = tf.clip_by_value(tf.cast(place, tf.int32), 0, max(len(texts) - 1, 0))
    return ChosenText(tf.gather(codes, place) if texts else tf.zeros([], tf.int32))


def are_texts(values: Sequence[Any]) -> bool:
    """Whether there are texts alone, and at least one."""
    return bool(values) and all(type(value) is str for value in values)


def either(condition: Any, yes: Any, no: Any) -> ChosenText:
    """One of two texts."""
    return ChosenText(tf.where(condition, _code(yes), _code(no)))


def is_text(value: Any) -> bool:
    """Whether a value is a text, which may depend on the member."""
    return isinstance(value, (str, ChosenText))


def equal(a: Any, b: Any) -> Any:
    """`a == b`, of which one at least is such a text."""
    return tf.equal(_code(a), _code(b)) if is_text(a) and is_text(b) else False


MOST_LETTERS = 40
"""Texts of so many characters may be searched."""


def is_within(value: ChosenText, whole: str) -> Any:
    """`value in whole`: whether it is one of all the parts of a text."""
    return tf.reduce_any(tf.equal(value.code, [code_of(part) for part in _parts(whole)]))


def find(whole: str, value: Any) -> Any:
    """`whole.find(value)`."""
    parts = _parts(whole)
    found = tf.equal(value.code, [code_of(part) for part in parts])
    places = tf.constant([whole.find(part) for part in parts])
    place = tf.gather(places, tf.argmax(tf.cast(found, tf.int32)))
    return mark_weak(tf.where(tf.reduce_any(found), place, -1))


def index(whole: str, value: Any) -> Any:
    """`whole.index(value)`; the member stops where it is not there."""
    place = find(whole, value)
    require(place >= 0, "ValueError: substring not found")
    return place


def _parts(whole: str) -> list[str]:
    """All the texts that are within a text."""
    if len(whole) > MOST_LETTERS:
        refuse()
    ends = range(len(whole) + 1)
    return sorted({whole[a:b] for b in ends for a in range(b + 1)})


def truth(value: ChosenText) -> Any:
    """Whether it has a character."""
    return tf.not_equal(value.code, code_of(""))


def _code(value: Any) -> Any:
    return code_of(value) if isinstance(value, str) else value.code
