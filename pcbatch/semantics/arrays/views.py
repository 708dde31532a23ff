"""Which of NumPy's functions give a view of an array, or itself; all others make a new one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pcbatch.semantics import sharing

VIEWS = frozenset(
    [
        "T", "asanyarray", "asarray", "ascontiguousarray", "atleast_1d", "atleast_2d",
        "broadcast_to", "diag", "diagonal", "expand_dims", "flip", "fliplr", "flipud", "imag",
        "moveaxis", "ravel", "real", "reshape", "split", "squeeze", "swapaxes", "transpose",
    ]
)  # fmt: skip
"""By the name of the function, the method or the attribute."""
CONVERSIONS = frozenset(
    [
        "bool_", "complex128", "complex64", "double", "float16", "float32", "float64", "int16",
        "int32", "int64", "int8", "intp", "single", "uint16", "uint32", "uint64", "uint8",
    ]
)  # fmt: skip
"""Types, which give an array of that type as it is; of a number they make a number."""


def shared(name: str, result: Any, arguments: Iterable[Any]) -> Any:
    """Note what a result has to do with the arrays that a function of NumPy is given."""
    views = name in VIEWS or name in CONVERSIONS
    return (sharing.views if views else sharing.own)(result, arguments)
