"""Files of NumPy's format that grow: arrays [rows, ...] to which rows are written as they come.

Rows are written by `write` and not through `np.lib.format.open_memmap`. A write that finds no room
raises an `OSError`; a store into mapped memory ends the process by SIGBUS, and what has been stored
counts as the memory of the process until the system writes it out.
"""

from __future__ import annotations

import io
import os
import pathlib
from typing import Any

import numpy as np


class Growing:
    """A file of rows; what is written to it can be read by `numpy.load` at any time.

    The header has room for any number of rows, so that it is written over in place.

    Args:
      path: the file. One that is there is gone on with.
      shape: of a row.
      dtype: of its numbers.

    Raises:
      OSError: the file cannot be made.
    """

    def __init__(self, path: pathlib.Path, shape: tuple[int, ...], dtype: np.dtype):
        self.path, self._shape, self._dtype = path, shape, dtype
        self._row_bytes = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        self._start = len(self._header(0))
        path.touch()
        self._file = path.open("r+b", buffering=0)  # unbuffered: no bytes are left for later

    def write(self, first: int, rows: np.ndarray) -> None:
        """Write rows, [n, ...], the first of them as row number `first`.

        Raises:
          OSError: there is no room, or the disk fails. What was written before is as it was.
        """
        self._put(self._start + first * self._row_bytes, np.ascontiguousarray(rows))

    def declare(self, num_rows: int) -> None:
        """Say in the header how many rows there are.

        Raises:
          OSError: the disk fails.
        """
        self._put(0, np.frombuffer(self._header(num_rows), np.uint8))

    def sync(self) -> None:
        """Hand to the disk what was written, so that it is there after a power cut.

        Raises:
          OSError: the disk fails.
        """
        os.fsync(self._file.fileno())

    def close(self, num_rows: int) -> None:
        """Cut off what stands behind the rows, and hand all to the disk.

        To close it twice does nothing more.

        Raises:
          OSError: the disk fails.
        """
        if self._file.closed:
            return
        with self._file:
            self.declare(num_rows)
            self._file.truncate(self._start + num_rows * self._row_bytes)
            os.fsync(self._file.fileno())

    def _put(self, place: int, array: np.ndarray) -> None:
        self._file.seek(place)
        octets: Any = array.reshape(-1).view(np.uint8)
        left = memoryview(octets)
        while left:
            left = left[self._file.write(left) :]

    def _header(self, num_rows: int) -> bytes:
        made = io.BytesIO()
        form: Any = np.lib.format  # NumPy's stubs do not say its types
        descr, shape = form.dtype_to_descr(self._dtype), (num_rows, *self._shape)
        form.write_array_header_1_0(made, {"descr": descr, "fortran_order": False, "shape": shape})
        return made.getvalue()


def mapped(path: pathlib.Path, num_rows: int) -> np.ndarray:
    """The first rows of such a file, an array [num_rows, ...] that is read where it is used.

    It cannot be written to.

    Raises:
      OSError: there is no such file.
      ValueError: it is of another format, or has fewer rows.
    """
    array = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    if len(array) < num_rows:
        raise ValueError(f"{path.name} has {len(array)} of {num_rows} rows")
    return array[:num_rows]
