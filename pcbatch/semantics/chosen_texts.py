"""A text, or a constant of an Enum, that is one of several, as the member's values say.

A variable that means one or the other holds the code, see `semantics.constants`.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn, Self

import tensorflow as tf

from pcbatch.semantics.constants import code_of, is_constant
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.misuse import Unsupported, deciding
from pcbatch.semantics.named_texts import all_texts, want_spelled
from pcbatch.semantics.places import first_of
from pcbatch.semantics.pytree import LEAF, Node, Tree


def used() -> Unsupported:
    """What to say of a use that has no meaning on such a text."""
    return Unsupported(
        "a text that depends on the member is used",
        "a member has the number of one of the program's texts, or constants, or a text's "
        "characters: operators, builtins and methods of texts have a meaning on these, an array of "
        "NumPy's, or the text of an object, has none.",
        "look up what belongs to each text, in a dict of the program:\n"
        'speed = {"slow": 1, "fast": 3}[state]',
    )


def refuse(*_: Any, **__: Any) -> NoReturn:
    """Stand for what has no meaning on such a text; it may have one on the text's characters."""
    want_spelled()
    raise used()


@dataclasses.dataclass(eq=False, repr=False)
class ChosenText:
    """One of several texts, or of several constants of an Enum.

    What Python itself would do with the object is refused.

    Attributes:
      code: says which, an int64 scalar.
      kind: `str`, or the Enum.
      among: what it is one of, and its place there, in the expression that chooses it; elsewhere
        None.
    """

    code: Any
    kind: type = str
    among: ClassVar[tuple[Sequence[Any], Any] | None] = None

    def one_of(self, values: Sequence[Any], place: Any) -> Self:
        """The same, of which it is known what it may be, and its place there."""
        vars(self)["among"] = values, place
        return self

    def __getattr__(self, name: str) -> Any:
        return Meanings.of_text(self, name)

    __bool__ = deciding(used)
    __eq__ = __hash__ = __iter__ = __len__ = refuse
    __repr__ = __str__ = __format__ = refuse


@dataclasses.dataclass(eq=False, repr=False)
class Coded:
    """Such a text, or constant, as it is kept in a list: its class says of which kind it is."""

    code: Any
    kind: ClassVar[type]


@functools.lru_cache(maxsize=1024)
def coded(kind: Any) -> Node:
    """The structure of an element of a list of texts, or of constants of an Enum."""
    own = types.new_class(kind.__name__, (Coded,), {}, lambda names: names.update(kind=kind))
    return Node(own, ("code",), (LEAF,))


def is_coded(tree: Tree) -> bool:
    """Whether a structure is that of such an element."""
    return isinstance(tree, Node) and issubclass(tree.type, Coded)


def holds_text(tree: Tree) -> bool:
    """Whether such an element is a text, or a constant of an Enum which is one."""
    assert isinstance(tree, Node)
    return issubclass(vars(tree.type)["kind"], str)


def has_own_order(tree: Tree) -> bool:
    """Whether such an element is a constant of an Enum whose class says what is less."""
    assert isinstance(tree, Node)
    return hasattr(getattr(vars(tree.type)["kind"], "__lt__", None), "__code__")


def decoded(tree: Tree, code: Any) -> ChosenText:
    """The text, or constant, of an element."""
    assert isinstance(tree, Node)
    kind: type = vars(tree.type)["kind"]
    return ChosenText(code, kind)


def chosen(values: Sequence[Any], place: Any) -> ChosenText:
    """The text, or constant, at a place that there is."""
    codes = tf.constant([code_of(value) for value in values], tf.int64)
    place = tf.clip_by_value(tf.cast(place, tf.int32), 0, max(len(values) - 1, 0))
    code = tf.gather(codes, place) if values else tf.zeros([], tf.int64)
    found = ChosenText(code, type(values[0]) if values else str)
    return found.one_of(values, place) if values else found


def are_constants(values: Sequence[Any]) -> bool:
    """Whether there are texts alone, or constants of one Enum, and at least one."""
    kinds = set(map(type, values))
    return len(kinds) == 1 and all(map(is_constant, values))


def candidates(value: ChosenText) -> tuple[Sequence[Any], Any]:
    """What a text, or a constant, may be, in order, and its place there."""
    if value.among is not None:
        return value.among
    found = list(value.kind) if issubclass(value.kind, enum.Enum) else all_texts()
    if not found:
        refuse()
    codes = tf.constant([code_of(one) for one in found], tf.int64)
    return found, first_of(tf.equal(codes, value.code))


def either(condition: Any, yes: Any, no: Any) -> ChosenText:
    """One of two texts."""
    return ChosenText(tf.where(condition, _code(yes), _code(no)), _kind(yes))


def are_alike(a: Any, b: Any) -> bool:
    """Whether both are texts, or both constants of one Enum, which may depend on the member."""
    return _is_known(a) and _is_known(b) and _kind(a) is _kind(b)


def equal(a: Any, b: Any) -> Any:
    """`a == b`, of which one at least is such a text."""
    return tf.equal(_code(a), _code(b)) if can_be_equal(a, b) else False


def can_be_equal(a: Any, b: Any) -> bool:
    """Whether both are texts, or constants of one Enum."""
    if not (_is_known(a) and _is_known(b)):
        return False
    return _kind(a) is _kind(b) or all(issubclass(_kind(x), str) for x in (a, b))


def truth(value: ChosenText) -> Any:
    """Whether it has a character; a constant of an Enum is true."""
    return True if _is_plain_enum(value.kind) else tf.not_equal(value.code, code_of(""))


def attributes(value: ChosenText, name: str) -> dict[Any, Any]:
    """What each constant of an Enum has by a name."""
    if not issubclass(value.kind, enum.Enum):
        refuse()
    return {constant: getattr(constant, name) for constant in value.kind}


def _is_plain_enum(kind: type) -> bool:
    return not issubclass(kind, str)


def _is_known(value: Any) -> bool:
    return isinstance(value, ChosenText) or is_constant(value)


def _code(value: Any) -> Any:
    return value.code if isinstance(value, ChosenText) else code_of(value)


def _kind(value: Any) -> type:
    return value.kind if isinstance(value, ChosenText) else type(value)
