"""Work that must not see the graph or the tapes of whoever asks for it."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def in_clean_thread(make: Callable[[], Result]) -> Result:
    """Make something in a thread of its own, which is in no graph and has no tapes.

    (`tf.init_scope` would leave the graph, too, but it stops the tapes that primitives open.)
    """
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(make).result()
