"""How the functions that pcbatch makes of functions are pickled: as Python pickles functions.

A function of a module is pickled as its name, and loading gives the very function that the name
stands for. `cloudpickle` carries functions of `__main__` and nested ones by value instead, and
looks at plain functions only, so there is one for it to find: `f.__pcbatch_plain__`, a twin of the
plain function that `f` was made of. `pickle` finds the twin by its name and from it `f` itself;
`cloudpickle` carries the twin, and another process makes `f` anew.
"""

from __future__ import annotations

import functools
import hashlib
import linecache
import operator
import os
import sys
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

from pcbatch.errors import NotPickledError

PLAIN = "__pcbatch_plain__"
TEXT = "__pcbatch_text__"
"""The attribute in which a function that is carried has the source that goes with it."""

Make = Callable[..., "Wrapper"]
"""Makes a wrapper of a plain function and of what else is in `How`; a function of a module."""
How = tuple[Any, ...]
Text = tuple[str, str]
"""The name of a file, and what is in it."""

_LOCK = threading.RLock()
_MADE: weakref.WeakKeyDictionary[Any, list[tuple[weakref.ref[Any], Make, How]]] = (
    weakref.WeakKeyDictionary()
)
_LOADED: list[Any] = []
"""What was made anew of functions that live as long as their modules: it is compiled once."""


class Wrapper:
    """What pcbatch has made of a plain function; a copy of a function is the function itself."""

    __wrapped__: Any
    __module__: str
    __qualname__: str

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    @property
    def __pcbatch_plain__(self) -> types.FunctionType:
        """A twin of the plain function, whose name leads to it by way of the wrapper."""
        with _LOCK:
            kept = vars(self)
            if PLAIN not in kept:
                kept[PLAIN] = _twin(self.__wrapped__, f"{self.__qualname__}.{PLAIN}")
            twin: types.FunctionType = kept[PLAIN]
            return twin


class OfThisProcess:
    """What has compiled code or graphs in it, which stay in the process that made them."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise NotPickledError(
            f"a `{type(self).__name__}` belongs to the process that made it and is not pickled.\n"
            "help: pickle the function and its arguments, and lower it there; or write a compiled "
            "program to a file with f.lower(...).compile().export(path)"
        )

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


def note(wrapper: Any, function: Any, make: Make, how: How) -> None:
    """Remember what was made of a function, and how, to find it when it is loaded."""
    with _LOCK:
        known = [entry for entry in _MADE.get(function, ()) if entry[0]() not in (None, wrapper)]
        _MADE[function] = [*known, (weakref.ref(wrapper), make, how)]


def reduce(wrapper: Wrapper, make: Make, how: How, protocol: int) -> str | tuple[Any, ...]:
    """What `__reduce_ex__` of a wrapper returns.

    Args:
      wrapper: has `__module__`, `__qualname__` and, as `__wrapped__`, a plain function.
      make: makes it again.
      how: its further arguments.
      protocol: of pickle.
    """
    function, text = wrapper.__wrapped__, None
    if _named(wrapper) is wrapper:
        # Older protocols name what is in a class or an object by way of that, for ever.
        if wrapper.__module__ != "__main__" or protocol < 4:
            return wrapper.__qualname__
        function = wrapper.__pcbatch_plain__
        note(wrapper, function, make, how)
    elif function.__module__ == "__main__" or _named(function) is not function:
        text = _text(function)
    about = {name: getattr(wrapper, name, None) for name in functools.WRAPPER_ASSIGNMENTS[:4]}
    return load, (function, make, how, about, text)


def load(function: Any, make: Make, how: How, about: dict[str, Any], text: Text | None) -> Any:
    """Find a wrapper of a function, or make it."""
    with _LOCK:
        for wrapper, known, options in _MADE.get(function, ()):
            found = wrapper()
            if found is not None and (known, options) == (make, how):
                return found
        if text is not None:
            function.__dict__[TEXT] = text
        made: Wrapper = make(function, *how)
        if _named(function) is function:
            _LOADED.append(made)
        made.__dict__.update(about)
        return made


def settle(function: types.FunctionType) -> types.FunctionType:
    """Give a function that was carried its name and its source back; the same function.

    Not when it is loaded: `cloudpickle` fills it in later. It takes the name of the file away, and
    the file may be another one here.
    """
    text = function.__dict__.pop(TEXT, None)
    if text is not None:
        function.__code__ = _renamed(function.__code__, _file(*text))
    function.__qualname__ = function.__qualname__.removesuffix(f".{PLAIN}")
    return function


def _text(function: types.FunctionType) -> Text:
    """The name of a function's file, and what is in it."""
    file = function.__code__.co_filename
    return file, "".join(linecache.getlines(file, function.__globals__))


def _file(file: str, text: str) -> str:
    """The name under which `linecache` has the text of a function that was carried."""
    if not text or "".join(linecache.getlines(file)) == text:
        return file
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    name = f"<{os.path.basename(file)} {digest}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    return name


def _renamed(code: types.CodeType, file: str) -> types.CodeType:
    """The code, that of nested functions too, as that of another file."""
    constants = tuple(
        _renamed(c, file) if isinstance(c, types.CodeType) else c for c in code.co_consts
    )
    return code.replace(co_filename=file, co_consts=constants)


def _named(value: Any) -> Any:
    """What the module and the name of a function lead to; None where they lead nowhere."""
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    try:
        return operator.attrgetter(value.__qualname__)(module)
    except AttributeError:
        return None


def _twin(function: types.FunctionType, qualname: str) -> types.FunctionType:
    twin = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    functools.update_wrapper(twin, function)
    twin.__kwdefaults__, twin.__qualname__ = function.__kwdefaults__, qualname
    del twin.__dict__["__wrapped__"]
    twin.__dict__[TEXT] = _text(function)
    return twin
