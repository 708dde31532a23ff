"""Arrays of NumPy's that a primitive is given: it may not change them, as it runs several times."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from pcbatch.infer.domain import Static, Value
from pcbatch.semantics.sharing import static_array


def static_arrays(args: tuple[Value, ...]) -> list[tuple[np.ndarray, tuple[int, int]]]:
    """The arrays of NumPy's among arguments, each with the numbers of the argument and the leaf."""
    leaves = ((i, j, leaf) for i, value in enumerate(args) for j, leaf in enumerate(value.leaves))
    found = ((static_array(x.value), (i, j)) for i, j, x in leaves if isinstance(x, Static))
    return [(array, place) for array, place in found if array is not None]


@contextlib.contextmanager
def frozen(args: tuple[Value, ...]) -> Iterator[None]:
    """Have NumPy refuse, inside, to write to the arrays among some arguments."""
    arrays = [array for array, _ in static_arrays(args) if array.flags.writeable]
    for array in arrays:
        array.flags.writeable = False
    try:
        yield
    finally:
        for array in sorted(arrays, key=lambda array: array.base is not None):
            array.flags.writeable = True


def is_refused(error: Exception) -> bool:
    """Whether NumPy has refused to write to an array."""
    return isinstance(error, ValueError) and "read-only" in str(error)
