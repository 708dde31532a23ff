"""Texts and constants of Enums, which are no numbers: each has a code.

A code is the same in all programs and processes. Which constant a code means is known in the
process that has asked for the code.
"""

from __future__ import annotations

import enum
import functools
import hashlib
from typing import Any

import numpy as np

from pcbatch.semantics.named_texts import note

_TEXTS: dict[int, str] = {}
"""The text of each code that was asked for."""


def is_constant(value: Any) -> bool:
    """Whether a value is a text or a constant of an Enum, which is no number."""
    return type(value) is str or (isinstance(value, enum.Enum) and not isinstance(value, int))


def code_of(value: Any) -> np.int64:
    """The code of a text or a constant of an Enum."""
    code = digest_of(value)
    if isinstance(value, str):
        text = value.value if isinstance(value, enum.Enum) else value
        _TEXTS[int(code)] = text
        note(text)
    return code


def digest_of(value: Any) -> np.int64:
    """The code, of a text that no value may be: 63 bits of a digest, so that no two share it."""
    name = value
    if isinstance(value, enum.Enum):
        kind, text = type(value), value.value
        own = isinstance(value, str)
        name = text if own else f"\0{kind.__module__}.{kind.__qualname__}.{value.name}"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return np.int64(int.from_bytes(digest[:8], "big") >> 1)


def constant_of(code: int, kind: type) -> Any:
    """The text, or the constant of an Enum, that a code means; None where it means none.

    Args:
      code: of it.
      kind: `str`, or the Enum.
    """
    known = _TEXTS if kind is str else _constants_of(kind)
    return known.get(code)


@functools.lru_cache(maxsize=1024)
def _constants_of(kind: type[enum.Enum]) -> dict[int, Any]:
    return {int(code_of(value)): value for value in kind}
