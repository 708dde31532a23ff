"""The class that stands for several, and its methods: each calls the one of the object's own class.

The methods are written down in Python, and lowered as the user's own functions are. What the bodies
of the classes have besides, such as a number, is a property of the union.
"""

from __future__ import annotations

import collections
import functools
import inspect
import linecache
import types
import typing
from collections.abc import Sequence
from typing import Any, NoReturn

from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.plain_classes import assigned
from pcbatch.semantics.references import class_tag
from pcbatch.semantics.special import COMPARE, is_users
from pcbatch.semantics.tagged_unions import MEMBERS, class_of

_ALIKE = (object, typing.Generic, typing.Protocol)
"""Bases that say nothing of objects."""
_MAKING = ("__init__", "__new__", "__post_init__", "__init_subclass__", "__class_getitem__")
"""Methods that are asked of the class that is called."""
_COMPARED = {name for names in COMPARE.values() for name in names}
_MISSING = object()
_Case = tuple[str, Any]
"""What a method does for the objects of a class: a statement, and what `@` means in it."""
_FILES: collections.Counter[str] = collections.Counter()
"""How many unions have a name: each is as in a file of its own."""
_SAID = {
    "__len__": "object of type '{}' has no len()", "__iter__": "'{}' object is not iterable",
    "__call__": "'{}' object is not callable", "__getitem__": "'{}' object is not subscriptable",
}  # fmt: skip
"""What Python says where the objects of a class have no such method."""


@functools.lru_cache(maxsize=64)
def tagged_union(members: tuple[type, ...]) -> type:
    """The class whose objects are those of several classes.

    Args:
      members: the classes, two or more; an object's tag is the place of its class.
    """
    name = " or ".join(kind.__name__ for kind in members)
    _FILES[name] += 1
    number = f" {_FILES[name]}" if _FILES[name] > 1 else ""
    made = _Text(f"<{name}{number}>", members)
    body: dict[str, Any] = {
        MEMBERS: members,
        "__module__": members[0].__module__,
        "__class__": property(class_of),
    }
    names = dict.fromkeys(n for kind in members for base in kind.__mro__ for n in vars(base))
    for own in names:
        if own not in body and (found := _dispatched(own, members, made)) is not None:
            body[own] = found
    made.keep()
    return types.new_class(name, _bases(members), {}, lambda new: new.update(body))


@functools.lru_cache(maxsize=256)
def assigned_by(members: tuple[type, ...]) -> frozenset[str]:
    """The attributes that objects of some of these classes may have, beside what classes have."""
    names = (getattr(kind, "__dataclass_fields__", ()) for kind in members)
    return frozenset().union(*map(assigned, members), *names)


def _bases(members: Sequence[type]) -> tuple[type, ...]:
    """The classes that all are derived from, or are, without those that others of them have."""
    shared = [x for x in members[0].__mro__ if all(issubclass(kind, x) for kind in members)]
    shared = [x for x in shared if x not in _ALIKE]
    return tuple(x for x in shared if not any(y is not x and issubclass(y, x) for y in shared))


def _dispatched(name: str, members: Sequence[type], made: _Text) -> Any:
    """What the union has by a name; None where that is what all classes have, or nothing."""
    found = [inspect.getattr_static(kind, name, _MISSING) for kind in members]
    is_assigned = name in assigned_by(tuple(members)) and not any(map(is_of_class, found))
    if name in _MAKING or is_assigned:
        return None
    if all(x is found[0] for x in found):
        return found[0] if is_of_class(found[0]) or not _is_special(name) else None
    if _is_special(name) and not any(map(is_users, found)):
        return next(filter(inspect.isfunction, found), None) if name in _COMPARED else None
    own = [(kind, x) for kind, x in zip(members, found, strict=True) if x is not _MISSING]
    if all(_is_called(x) for _, x in own):
        generators = {inspect.isgeneratorfunction(x) for x in found}
        if generators == {False}:
            cases = [_called(name, *each) for each in zip(members, found, strict=True)]
            return made.add(name, "*args, **keywords", cases)
        if generators == {True} and all(x.__code__.co_argcount == 1 for _, x in own):
            return made.add(name, "", [("yield from @(self)", x) for _, x in own])
    elif not any(_is_called(x) or _decides(x) for _, x in own):
        return _property(name, found, members, made)
    return property(functools.partial(_refuse, name, members)) if name[:4] != "_abc" else None


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_called(found: Any) -> bool:
    return isinstance(found, (types.FunctionType, staticmethod, classmethod))


def _decides(found: Any) -> bool:
    """Whether what a class has decides itself what an attribute is, as a `cached_property`."""
    return hasattr(type(found), "__get__") and not isinstance(found, property)


def _refuse(name: str, members: Sequence[type], value: Any) -> NoReturn:
    kinds = " and ".join(kind.__name__ for kind in members)
    raise Unsupported(
        f"`{name}` is another kind of thing in each of {kinds}",
        "which class an object is of is known only when the program runs: methods, properties, "
        "and generators without arguments can be told apart then.",
        f"have a method of one kind in each class, or ask: isinstance(x, {members[0].__name__})",
    )


def is_of_class(found: Any) -> bool:
    """Whether what a class has is a method, or a property, which no object has as an attribute."""
    return _is_called(found) or isinstance(found, property)


def _called(name: str, kind: type, found: Any) -> _Case:
    """What a method does for the objects of a class."""
    if found is _MISSING or (_is_special(name) and not is_users(found)):
        return _lacks(name, kind)
    if isinstance(found, (staticmethod, classmethod)):
        return "return @(*args, **keywords)", getattr(kind, name)
    return "return @(self, *args, **keywords)", found


def _property(name: str, found: Sequence[Any], members: Sequence[type], made: _Text) -> Any:
    """A property that gives what the object's class says of an attribute."""
    gets, sets = list[_Case](), list[_Case]()
    for kind, own in zip(members, found, strict=True):
        is_own = isinstance(own, property)
        gets.append(("return @(self)", own.fget) if is_own else _read(name, kind, own))
        sets.append(("@(self, *args)", own.fset) if is_own and own.fset else _lacks(name, kind))
    has_setter = any(isinstance(own, property) and own.fset for own in found)
    return property(made.add(name, "", gets), made.add(name, "*args", sets) if has_setter else None)


def _read(name: str, kind: type, own: Any) -> _Case:
    return _lacks(name, kind) if own is _MISSING else ("return @", own)


def _lacks(name: str, kind: type) -> _Case:
    """What is done for the objects of a class that has no such method, or attribute."""
    if name == "__eq__":
        return "return self is args[0]", None
    if name == "__bool__":
        return "return True", None
    if _is_special(name):
        said = _SAID.get(name, "'{}' object has no " + name).format(kind.__name__)
        return f"raise TypeError({said!r})", None
    said = f"'{kind.__name__}' object has no attribute '{name}'"
    return f"raise AttributeError({said!r})", None


class _Text:
    """Functions that are written down together, as in a file.

    Args:
      file: what the file is called.
      members: the classes of a union.
    """

    def __init__(self, file: str, members: Sequence[type]):
        self._file, self._members = file, members
        self._lines = list[str]()
        self._names: dict[str, Any] = {"class_tag": class_tag, "__name__": members[0].__module__}

    def add(self, name: str, parameters: str, cases: Sequence[_Case]) -> types.FunctionType:
        """Write down a function that does what a case says, by the tag of its first argument."""
        start = len(self._lines)
        self._lines.append(f"def {name}(self{', ' if parameters else ''}{parameters}):")
        self._lines.append(f"    tag = class_tag(self, {name!r})")
        groups = [*dict.fromkeys(map(self._key, cases))]
        for number, same in enumerate(groups):
            tags = [tag for tag, case in enumerate(cases) if self._key(case) == same]
            statement, own = cases[tags[0]]
            alias = f"{self._members[tags[0]].__name__}_{name}_{start}"
            self._names[alias] = own
            asked = " or ".join(f"tag == {tag}" for tag in tags)
            last = number == len(groups) - 1  # what is left needs no question
            where = "else:" if last and number else f"{'elif' if number else 'if'} {asked}:"
            self._lines.append(f"    {where}")
            self._lines.append(f"        {statement.replace('@', alias)}")
        code = compile("\n" * start + "\n".join(self._lines[start:]), self._file, "exec")
        space = dict[str, Any]()
        exec(code, self._names, space)
        function: types.FunctionType = space[name]
        return function

    @staticmethod
    def _key(case: _Case) -> tuple[str, int]:
        statement, own = case
        return statement, id(own)

    def keep(self) -> None:
        """Have the text found where the functions' source is asked for."""
        lines = [f"{line}\n" for line in self._lines]
        linecache.cache[self._file] = (sum(map(len, lines)), None, lines, self._file)
