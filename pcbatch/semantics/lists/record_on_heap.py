"""What reads a dict with known texts as keys that is an object on the heap, see `prelude_dicts`."""

from __future__ import annotations

import ast
import functools
import keyword
from typing import Any, NoReturn

from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.references import reference_kind

READING = (
    "get", "keys", "values", "items", "copy", "__len__", "__iter__", "__contains__", "__getitem__",
    "__eq__", "__ne__", "__or__", "__ror__",
)  # fmt: skip
"""The methods that change nothing."""


def attributes(keys: tuple[str, ...]) -> dict[str, str]:
    """The attribute that has the value of each key; no method is called so."""
    return {key: f"at_{key}" if _is_name(key) else f"at{i}" for i, key in enumerate(keys)}


def _is_name(key: str) -> bool:
    return key.isidentifier() and not keyword.iskeyword(key)


def as_dict(own: Any) -> dict[str, Any]:
    """What a record has, as a dict."""
    return {key: getattr(own, name) for key, name in own.attributes.items()}


def refuse(*_: Any, **__: Any) -> NoReturn:
    """Refuse to change which keys a record has, or several of its values at once."""
    raise Unsupported(
        "a dict with known texts as keys is changed that a container has, or that has two names",
        "each of its keys is an attribute of an object: one value may be assigned, which all names "
        "see.",
        'assign the values one by one, row["q"] = x, and give a dict all of its keys at first',
    )


CHANGING = ("update", "pop", "popitem", "setdefault", "clear", "__delitem__")
"""The methods that are refused."""


def presented(value: Any) -> Any:
    """A result, in which a record is the dict that it stands for."""
    if type(value) is tuple:
        return tuple(map(presented, value))
    stands_for = Meanings.contents.get(type(value))
    if stands_for is None or not hasattr(reference_kind(value), "attributes"):
        return value
    return stands_for(value)


class WithValues:
    """What makes records that have some values at first: the function of a `defaultdict`.

    Attributes:
      kind: their class.
      text: the values, as constants: it tells 0 from 0.0, and 0.0 from -0.0.
    """

    def __init__(self, kind: type, text: str):
        self.kind, self.text = kind, text

    def __call__(self) -> Any:
        return self.kind(*ast.literal_eval(self.text))


_made = functools.lru_cache(maxsize=1024)(WithValues)


def with_values(kind: type, *values: Any) -> WithValues:
    """What makes records of a class with some values; the same as before for the same."""
    return _made(kind, repr(values))
