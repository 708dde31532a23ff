"""Whether a call comes from a plain Python run of one example."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

_PLAIN = threading.local()


def in_plain_run() -> bool:
    """Whether the call comes from a plain Python run, where everything is plain Python."""
    return getattr(_PLAIN, "on", False)


@contextlib.contextmanager
def plain_run(on: bool = True) -> Iterator[None]:
    """Have the calls inside be of a plain Python run, or of none."""
    before = in_plain_run()
    _PLAIN.on = on
    try:
        yield
    finally:
        _PLAIN.on = before
