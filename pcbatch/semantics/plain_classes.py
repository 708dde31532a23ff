"""Classes of the user's that are no dataclasses: an object has what its methods have assigned.

An object that the program makes of one is a structure, as one of a dataclass is. One that was made
outside is one Python object for all members.
"""

from __future__ import annotations

import abc
import contextvars
import dis
import functools
import inspect
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from pcbatch.semantics import pytree
from pcbatch.semantics.rounds import OnlyInProgram
from pcbatch.semantics.scoped import Scoped
from pcbatch.semantics.tagged_unions import members_of
from pcbatch.semantics.user_code import is_installed, is_typed_by_user

_METACLASSES = (type, abc.ABCMeta)
_BASES = (object, abc.ABC, typing.Generic)
_OWN = ("__new__", "__setattr__", "__delattr__", "__getattribute__")
"""Methods that would decide themselves what an object is, or has."""


@functools.lru_cache(maxsize=1024)
def is_plain(kind: Any) -> bool:
    """Whether an object of a class is made by its `__init__`, and has what is assigned to it."""
    if not isinstance(kind, type) or type(kind) not in _METACLASSES:
        return False
    if members := members_of(kind):
        return all(map(is_plain, members))
    if any(getattr(kind, name) is not getattr(object, name) for name in _OWN):
        return False
    if hasattr(kind, "__getattr__") or hasattr(kind, "__del__"):
        return False
    if hasattr(kind, "__dataclass_fields__") or hasattr(kind, "__attrs_attrs__"):
        return False
    own = [base for base in kind.__mro__ if base not in _BASES]
    if not own or any(is_installed(base.__module__) for base in own):
        return False
    function = initializer(kind)
    return function is None or is_typed_by_user(function.__code__.co_filename)


@functools.lru_cache(maxsize=1024)
def with_dict(kind: Any) -> Any:
    """The class of the objects that a program makes of one: itself, if it has no `__slots__`.

    An object of the class that is given has its attributes in a dict, as every other has.
    """
    bases = (base for base in kind.__mro__ if "__slots__" in vars(base))
    slots = {name for base in bases for name in _slots(base)}
    if not slots or not is_plain(kind):
        return kind
    own: dict[str, Any] = {name: _Unset(name) for name in slots}
    if not kind.__dictoffset__:
        own[_DECLARED] = frozenset(slots)
    own |= {"__module__": kind.__module__, "__qualname__": kind.__qualname__, _WRITTEN: kind}
    return types.new_class(kind.__name__, (kind,), {}, lambda names: names.update(own))


def written(kind: Any) -> Any:
    """The class that the user has written, of the one that its objects have, see `with_dict`."""
    return vars(kind).get(_WRITTEN, kind)


def is_declared(kind: Any, name: str) -> bool:
    """Whether an attribute may be assigned: one of `__slots__`, where a class has nothing else."""
    declared = getattr(kind, _DECLARED, None)
    return declared is None or name in declared


_WRITTEN, _DECLARED = "__pcbatch_written__", "__pcbatch_declared__"


def _slots(kind: type) -> list[str]:
    """The attributes that a class declares; private names are mangled."""
    names = vars(kind)["__slots__"]
    private = f"_{kind.__name__.lstrip('_')}"
    declared = [names] if isinstance(names, str) else list(names)
    own = [name for name in declared if name not in ("__dict__", "__weakref__")]
    return [private + x if x.startswith("__") and not x.endswith("__") else x for x in own]


class _Unset:
    """What a class has for an attribute to which nothing has been assigned: nothing."""

    def __init__(self, name: str):
        self._name = name

    def __get__(self, owner: Any, kind: type) -> Any:
        raise AttributeError(self._name)


def initializer(kind: Any) -> types.FunctionType | None:
    """The `__init__` of such a class; None where it has none, or it is no function of its own."""
    found = kind.__init__
    return found if isinstance(found, types.FunctionType) else None


@functools.lru_cache(maxsize=1024)
def defaults(kind: Any) -> Mapping[str, Any]:
    """What a class has for attributes that its methods assign: `count = 0` in its body.

    An object has them from the beginning, so that it has the same attributes where paths meet.
    """
    return constants(kind, assigned(kind))


@functools.lru_cache(maxsize=1024)
def assigned(kind: Any) -> frozenset[str]:
    """The names of the attributes that methods of a class assign, to whatever object."""
    members = [member for base in kind.__mro__ for member in vars(base).values()]
    functions = [f for m in members for f in (m, getattr(m, "fget", m), getattr(m, "fset", m))]
    steps = (
        step for f in filter(inspect.isfunction, functions) for step in dis.get_instructions(f)
    )
    return frozenset(str(step.argval) for step in steps if step.opname == "STORE_ATTR")


def constants(kind: Any, names: Iterable[str]) -> Mapping[str, Any]:
    """What a class has for some attributes in its body: numbers, texts and None."""
    found = {name: inspect.getattr_static(kind, name, _NOTHING) for name in sorted(names)}
    return {name: value for name, value in found.items() if isinstance(value, _CONSTANTS)}


_NOTHING = object()
_CONSTANTS = (bool, int, float, complex, str, type(None))


_ON_HEAP: contextvars.ContextVar[frozenset[type]] = contextvars.ContextVar(
    "on_heap", default=frozenset()
)


def on_heap(kinds: frozenset[type]) -> Scoped[frozenset[type]]:
    """Have objects of some classes made by calls of the program alone, inside."""
    return Scoped(_ON_HEAP, kinds)


def kinds_on_heap() -> frozenset[type]:
    """The classes whose objects are made by calls of the program alone, here."""
    return _ON_HEAP.get()


def check_made(kind: type) -> None:
    """Refuse to make an object of a class in a plain function, where that takes the program.

    Raises:
      OnlyInProgram: it does.
    """
    if with_dict(kind) in _ON_HEAP.get():
        raise OnlyInProgram(f"an object of {kind.__name__} is made")


def new(kind: Any) -> Any:
    """An object of such a class, to which nothing has been assigned."""
    made: Any = object.__new__(with_dict(kind))
    vars(made).update(defaults(kind))
    return pytree.as_made(made)


def construct(kind: Any, /, *args: Any, **kwargs: Any) -> Any:
    """What a call of such a class does: a function of the program, as `__init__` may be one."""
    made = new(kind)
    kind.__init__(made, *args, **kwargs)
    return made
