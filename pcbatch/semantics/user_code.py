"""Which code is the user's: no part of Python's library, of an installed package or of pcbatch."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
import traceback
import types
from pathlib import Path
from typing import Any

_INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
_OWN = str(Path(__file__).parents[1]) + os.sep
_NAMES = (
    "dispatch", "iterators", "prelude", "prelude_dicts", "prelude_queues", "prelude_sets",
    "rationals", "row_lists",
)  # fmt: skip
_PRELUDE = tuple(str(Path(__file__).with_name(f"{name}.py")) for name in _NAMES)
"""Written in Python for programs, which take it in like the user's own code."""
_MODULES = tuple(f"pcbatch.semantics.{name}" for name in _NAMES)
_PACKAGES = tuple(f"{os.sep}{folder}{os.sep}" for folder in ("site-packages", "dist-packages"))
_FROZEN = "<frozen "
_GENERATED = ("<string>", "<attrs ", "<__array_function__", "<decorator-gen")
"""Code that no person wrote; other names in angle brackets are cells of an interactive session."""


def is_installed_file(file: str) -> bool:
    """Whether the code of a file belongs to Python's library or to an installed package."""
    return file.startswith(_INSTALLED) or any(folder in file for folder in _PACKAGES)


def is_own_file(file: str) -> bool:
    """Whether the code of a file is pcbatch's."""
    return file.startswith(_OWN)


def is_own_module(module: str) -> bool:
    """Whether a module is pcbatch's, the prelude among them."""
    return module.partition(".")[0] == "pcbatch"


def is_users_file(file: str) -> bool:
    """Whether the user has written the code of a file; a cell of a notebook is one, too.

    The prelude's code is taken for such.
    """
    own = file.startswith(_OWN) and file not in _PRELUDE
    return not (own or is_installed_file(file) or file.startswith(_FROZEN))


def is_typed_by_user(file: str) -> bool:
    """Whether the user has typed the code of a file; methods that `dataclass` makes are not."""
    return is_users_file(file) and not file.startswith(_GENERATED)


def users_frames(error: BaseException) -> list[tuple[types.CodeType, int]]:
    """The frames of the user's code that an error went through, and the line in each."""
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    return [
        (code, line)
        for code, line in frames
        if is_users_file(code.co_filename) and not is_own_file(code.co_filename)
    ]


@functools.lru_cache(maxsize=1024)
def is_installed(module: str) -> bool:
    """Whether a module belongs to an installed package, or to pcbatch itself."""
    if module.partition(".")[0] in ("pcbatch", "builtins"):
        return module not in _MODULES
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and is_installed_file(file)


def is_users_object(value: Any) -> bool:
    """Whether an object is of a class that the user has written, and has attributes."""
    if isinstance(value, (type, types.ModuleType)) or not hasattr(value, "__dict__"):
        return False
    return not is_installed(type(value).__module__)
