"""The types that generated programs are made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TypeAlias

SCALARS = ("i32", "f32", "bool", "i64")
NUMBERS = ("i32", "i64", "f32")


@dataclasses.dataclass(frozen=True, slots=True)
class Structure:
    """A structure with named or numbered parts.

    Attributes:
      name: "tuple", "list", "dict", or the class that the prelude defines.
      parts: the type of each part by its key.
    """

    name: str
    parts: tuple[tuple[str, Type], ...]

    def access(self, key: str) -> str:
        """What to write after a structure for one of its parts."""
        match self.name:
            case "tuple" | "list":
                return f"[{key}]"
            case "dict":
                return f'["{key}"]'
        return f".{key}"

    def display(self, values: dict[str, str]) -> str:
        """The text that makes a structure of the texts of its parts."""
        match self.name:
            case "tuple":
                return f"({', '.join(values.values())})"
            case "list":
                return f"[{', '.join(values.values())}]"
            case "dict":
                return "{" + ", ".join(f'"{k}": {v}' for k, v in values.items()) + "}"
        return f"{self.name}({', '.join(f'{k}={v}' for k, v in values.items())})"


@dataclasses.dataclass(frozen=True, slots=True)
class Function:
    """A nested function of one scalar."""

    param: str
    result: str


Type: TypeAlias = "str | Structure | Function"


def _numbered(name: str, *types: Type) -> Structure:
    return Structure(name, tuple((str(i), t) for i, t in enumerate(types)))


PAIR = Structure("Pair", (("count", "i32"), ("level", "f32")))
BOX = Structure("Box", (("size", "i64"), ("open", "bool")))
STRUCTURES = (
    _numbered("tuple", "i32", "f32"),
    _numbered("tuple", "bool", "i32"),
    PAIR,
    Structure("dict", (("n", "i32"), ("x", "f32"))),
    _numbered("list", "i32", "i32"),
    _numbered("tuple", "i64", _numbered("tuple", "f32", "bool")),
    BOX,
    Structure("dict", (("pair", PAIR), ("on", "bool"))),
)


def places(name: str, type_: Type) -> Iterator[tuple[str, str]]:
    """Every scalar that a variable holds: the text that reads it, and its type."""
    if isinstance(type_, str):
        yield name, type_
    elif isinstance(type_, Structure):
        for key, part in type_.parts:
            yield from places(name + type_.access(key), part)


@dataclasses.dataclass(frozen=True, slots=True)
class Signature:
    """What a caller must know: `fuel` and `log` come before the parameters."""

    name: str
    params: tuple[str, ...]
    result: Type
