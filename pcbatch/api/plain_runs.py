"""Whether a call comes from a plain Python run of one example."""

from __future__ import annotations

import threading

_PLAIN = threading.local()


def in_plain_run() -> bool:
    """Whether the call comes from a plain Python run, where everything is plain Python."""
    return getattr(_PLAIN, "on", False)


def set_plain(on: bool) -> bool:
    """Say whether calls are of a plain Python run; returns what was said before."""
    before = in_plain_run()
    _PLAIN.on = on
    return before
