"""Compiled programs on disk, so that a later process need not compile them again.

`directory()` says where they are, `size()` how much they take, `clear()` removes them. The
environment variable `PCBATCH_CACHE` names another directory; where it is empty, nothing is kept.
See docs/cache.md.
"""

from pcbatch.cache import executables
from pcbatch.cache.store import LIMIT, clear, directory, size

__all__ = ["LIMIT", "clear", "directory", "size"]

if directory() is not None:
    executables.keep()
