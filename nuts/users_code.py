"""Places in the user's code, and what to say where it takes a recorded tensor for a number."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import os
import sysconfig
import traceback
from collections.abc import Iterable

_LIBRARIES = ("tensorflow", "tensorflow_probability", "numpy", "pcbatch", "nuts")

_STANDARD = sysconfig.get_path("stdlib")

ONE_NUMBER = (
    "Python's if, while, and, or, not, bool, int and float, and NumPy, want one number\n"
    "help: choose by tf.where(condition, this, that), or, where only one of them may be computed, "
    "by tf.cond(condition, lambda: this, lambda: that); loop by tf.while_loop; take tf.exp(x) for "
    "np.exp(x)"
)
"""The end of a sentence that says what goes through the user's code together."""


def wants_number(error: Exception) -> bool:
    """Whether TensorFlow raised an error where a recorded tensor is used as a number: as a
    condition, an index, by `.numpy()` or by NumPy."""
    return "symbolic" in str(error).lower()


def users_line(frames: Iterable[traceback.FrameSummary]) -> str:
    """Where the user's code is, ", at file:line: `code`": the innermost frame outside libraries."""
    own = [frame for frame in frames if not is_library(frame.filename)]
    return quoted(own[-1].filename, own[-1].lineno or 0) if own else ""


def quoted(file: str, number: int) -> str:
    """A place in the user's code: ", at file:line: `code`"."""
    return f", at {file}:{number}: `{linecache.getline(file, number).strip()}`"


def is_library(file: str) -> bool:
    """Whether a file is not the user's: of TensorFlow, TFP, NumPy, Python or this project."""
    own = file.startswith(_STANDARD) and "site-packages" not in file
    return own or file.startswith((*_folders(), "<"))


@functools.cache
def _folders() -> tuple[str, ...]:
    """Where the libraries are; to look does not import them."""
    specs = map(importlib.util.find_spec, _LIBRARIES)
    return tuple(os.path.dirname(spec.origin) for spec in specs if spec and spec.origin)
