"""f-strings, `format`, `%` and `str`: the texts of values of members."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import chosen_texts, number_texts, special, spelling, text_tables, texts
from pcbatch.semantics.caught import is_exception
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.misuse import TextOfMember, refuse_text
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.spelling import join, varies
from pcbatch.semantics.texts import either
from pcbatch.semantics.texts import text as spelled
from pcbatch.semantics.types import is_tensor

_SHOWING: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def shown(value: Any, conversion: str = "", spec: Any = "") -> Any:
    """What an f-string shows of a value; of a member's a text that depends on the member.

    Args:
      value: the value.
      conversion: the letter behind `!`.
      spec: a text; or the parts of one, some of which are numbers of the member.

    Raises:
      TextOfMember: there is none, as of an array.
    """
    if isinstance(value, ChosenText) and value.kind is not str:
        return _of_constant(_SHOWING[conversion] if conversion else format, value, spec)
    if is_exception(value) and conversion in ("", "s"):
        return shown(text_of(value), "", spec)
    if isinstance(value, MaybeNone):
        if spec != "":
            return _no_text()
        return either(value.there, shown(value.value, conversion), "None")
    own = not conversion and special.method(value, "__format__")
    if conversion in ("", "s", "r") and not own and (said := users_text(value, conversion)):
        return shown(said(), "", spec)
    if not own and _has_parts_of_members(value):
        return shown(text_of(value), "", spec)
    if not (is_tensor(value) or varies(value)) and isinstance(spec, str):
        refuse_text('f"{...}"', value)
        found = _SHOWING[conversion](value) if conversion else value
        return format(found, spec)
    if conversion == "a":
        return _no_text()
    return _laid_out(_shown_by(conversion, value), spec)


def _shown_by(conversion: str, value: Any) -> Any:
    """What the letter behind `!` makes of a value."""
    if not (is_tensor(value) or varies(value)):
        return value if not conversion else _SHOWING[conversion](value)
    if conversion == "r":
        return representation(value)
    return text_of(value) if conversion == "s" else value


def users_text(value: Any, conversion: str = "") -> Callable[[], Any] | None:
    """The method of the user's that gives the text of an object; None where there is none.

    Args:
      value: the object.
      conversion: "r" for what `repr` gives.
    """
    said = None if conversion == "r" else special.of_builtin(str, value)
    return said or special.of_builtin(repr, value)


def _of_constant(function: Callable[[Any], str], value: ChosenText, spec: Any = "") -> Any:
    """The text of a constant of an Enum."""
    return _no_text() if spec else text_tables.mapped(function, value)


def _no_text() -> Any:
    raise TextOfMember('f"{...}"')


def _laid_out(value: Any, spec: Any) -> Any:
    found, width = _specification(spec)
    if isinstance(value, str) or varies(value):
        if (found["type"] or "s") != "s" or found["sign"] or found["align"] == "=":
            return _no_text()
        if found["group"] or found["alternate"]:
            return _no_text()
        whole = spelled(value)
        if found["precision"]:
            whole = whole[: int(found["precision"])]
        return number_texts.aligned(whole, found, width, "<")
    if not is_tensor(value):
        value = tf.convert_to_tensor(value)
    if found["type"] == "c":
        return number_texts.aligned(spelling.character(value), found, width, "<")
    if value.dtype == tf.bool and value.shape.rank == 0 and spec == "":
        return spelled(text_of(value))
    return number_texts.laid_out(value, found, width)


def _specification(spec: Any) -> tuple[re.Match[str], Any]:
    """What a specification says, and how wide it wants the text."""
    parts = [spec] if isinstance(spec, str) else list(spec)
    of_member = [part for part in parts if not isinstance(part, str)]
    written = [part if isinstance(part, str) else number_texts.BY_MEMBER for part in parts]
    found = number_texts.SPECIFICATION.fullmatch("".join(written))
    if found is None or len(of_member) > 1:
        return _no_text()
    if not of_member:
        return found, int(found["width"] or 0)
    if found["width"] != number_texts.BY_MEMBER or not _is_integer(of_member[0]):
        return _no_text()
    return found, narrowed(of_member[0])


def text_of(value: Any) -> Any:
    """`str(value)`.

    Raises:
      TextOfMember: there is none, as of an array.
    """
    if isinstance(value, ChosenText) and value.kind is not str:
        return _of_constant(str, value)
    if is_exception(value):
        said = value.text()
        return said if isinstance(said, str) else text_of(said)
    if varies(value) or isinstance(value, str):
        return value
    return representation(value)


def representation(value: Any) -> Any:
    """`repr(value)`."""
    if _has_parts_of_members(value):
        return _of_container(value)
    if varies(value):
        return number_texts.quoted(spelled(value))
    if not is_tensor(value):
        refuse_text("repr", value)
        return repr(value)
    if value.shape.rank == 0 and value.dtype == tf.bool:
        return chosen_texts.chosen(("False", "True"), tf.cast(value, tf.int32))
    if _is_integer(value):
        return texts.of_integer(tf.convert_to_tensor(value))
    if value.shape.rank == 0 and value.dtype.is_floating:
        return number_texts.of_float(value)
    raise TextOfMember("str")


def _is_integer(value: Any) -> bool:
    whole = is_tensor(value) and (value.dtype.is_integer or value.dtype == tf.bool)
    return whole and value.shape.rank == 0


def _has_parts_of_members(value: Any) -> bool:
    """Whether a value is a list, a tuple or a dict of Python's, in which a member's numbers are."""
    return type(value) in (list, tuple, dict) and is_of_member(value)


def is_of_member(value: Any) -> bool:
    """Whether a value is a member's number, or holds one in containers of Python's."""
    if type(value) in (list, tuple):
        return any(map(is_of_member, value))
    if type(value) is dict:
        return any(map(is_of_member, value.values()))
    return is_tensor(value) or varies(value)


_BRACKETS: dict[type, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")"), dict: ("{", "}")}


def _of_container(value: Any) -> Any:
    opening, closing = _BRACKETS[type(value)]
    if type(value) is dict:
        items = [f_string(repr(k), ": ", representation(v)) for k, v in value.items()]
    else:
        items = [representation(part) for part in value]
    closing = f",{closing}" if type(value) is tuple and len(items) == 1 else closing
    parts = [part for item in items for part in (", ", item)][1:]
    return f_string(opening, *parts, closing)


def f_string(*parts: Any) -> Any:
    """An f-string of its parts, each a text."""
    if all(isinstance(part, str) for part in parts):
        return "".join(parts)
    return join("", parts)


def formatted(template: str, *args: Any, **kwargs: Any) -> Any:
    """`template.format(...)`."""
    parser, parts, number = string.Formatter(), list[Any](), 0
    for literal, field, spec, conversion in parser.parse(template):
        parts.append(literal)
        if field is None or spec is None:
            continue
        if not field or field[0] in ".[":
            field, number = f"{number}{field}", number + 1
        value, _ = parser.get_field(field, args, kwargs)
        if "{" in spec:
            spec, number = _nested(spec, args, kwargs, number)
        parts.append(shown(value, conversion or "", spec))
    return f_string(*parts)


def _nested(spec: str, args: Any, kwargs: Any, number: int) -> tuple[Any, int]:
    """The specification in a template that has fields of its own."""
    parser, parts = string.Formatter(), list[Any]()
    for literal, field, inner, conversion in parser.parse(spec):
        parts.append(literal)
        if field is None:
            continue
        if inner or conversion:
            return _no_text(), number
        if not field or field[0] in ".[":
            field, number = f"{number}{field}", number + 1
        parts.append(parser.get_field(field, args, kwargs)[0])
    return specification(*parts), number


def specification(*parts: Any) -> Any:
    """A specification of its parts: a text, if none of them depends on the member."""
    if any(is_tensor(part) or varies(part) for part in parts):
        return parts
    return "".join(map(format, parts))


_IN_TEMPLATE = re.compile(
    r"%(?:(?P<percent>%)|(?P<flags>[-+ 0]*)(?P<width>\d+)?(?:\.(?P<precision>\d+))?"
    r"(?P<type>[dixXosfcr]))"
)


def percent(template: str, values: Any) -> Any:
    """`template % values`.

    Raises:
      TextOfMember: there is a conversion that is not known of a member's value.
    """
    given = list(values) if isinstance(values, tuple) else [values]
    if not any(map(is_of_member, given)):
        refuse_text("%", values)
        return template % values
    parts, end = list[Any](), 0
    supply = iter(given)
    for found in _IN_TEMPLATE.finditer(template):
        parts.append(_literal(template[end : found.start()]))
        end = found.end()
        if found["percent"]:
            parts.append("%")
            continue
        value = next(supply, supply)
        if value is supply:
            raise TypeError("not enough arguments for format string")
        parts.append(_converted(value, found))
    parts.append(_literal(template[end:]))
    if next(supply, supply) is not supply:
        raise TypeError("not all arguments converted during string formatting")
    return f_string(*parts)


def _literal(part: str) -> str:
    if "%" in part:
        raise TextOfMember("%")
    return part


def _converted(value: Any, found: re.Match[str]) -> Any:
    """What one conversion of `template % values` shows."""
    flags, kind = found["flags"], found["type"].replace("i", "d")
    if not (is_tensor(value) or varies(value) or _has_parts_of_members(value)):
        return found[0] % (value,)
    align = "<" if "-" in flags else ">"
    width = found["width"] or ""
    precision = f".{found['precision']}" if found["precision"] else ""
    if kind in "sr":
        return shown(value, kind, f"{align}{width}{precision}")
    if kind == "c" and not precision:
        character = value if varies(value) else spelling.character(value)
        return shown(character, "", f"{align}{width}")
    if not (is_tensor(value) and (kind == "f" or _is_integer(value))):
        raise TextOfMember("%")
    if precision and kind != "f":
        raise TextOfMember("%")
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zero = "0" if "0" in flags and "-" not in flags else ""
    return shown(value, "", f"{'' if zero else align}{sign}{zero}{width}{precision}{kind}")
