"""Ctrl-C, heard where a run can stop without losing anything.

Within `interrupts` the signal sets an event, which the run looks at where its state is whole; a
second one raises `KeyboardInterrupt` at once. Within `at_once`, where a run waits for code of the
user's own, the first one raises, since that code knows nothing of the event.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any


class _Listener:
    """The handler of SIGINT while something runs.

    Attributes:
      heard: whether Ctrl-C has been pressed.
      at_once: raise instead of setting `heard`.
    """

    def __init__(self) -> None:
        self.heard, self.at_once = threading.Event(), False

    def handle(self, number: int, frame: Any) -> None:
        if self.at_once or self.heard.is_set():
            signal.default_int_handler(number, frame)
        self.heard.set()


def _handler() -> Any:
    """What hears Ctrl-C, if this thread is the one that signals reach; else None."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.getsignal(signal.SIGINT)


def _listener(handler: Any) -> _Listener | None:
    """The listener that a handler belongs to, if it does."""
    owner = getattr(handler, "__self__", None)
    return owner if isinstance(owner, _Listener) else None


@contextlib.contextmanager
def interrupts() -> Iterator[threading.Event]:
    """Hear Ctrl-C without an exception: the event is set instead.

    A run within another one shares its event. Where the user has a signal handler of his own, or in
    another thread than the main one, which signals do not reach, nothing is changed.
    """
    handler = _handler()
    listener = _listener(handler)
    if listener is not None:
        with _raising(listener, False):
            yield listener.heard
        return
    if handler is not signal.default_int_handler:
        yield threading.Event()
        return
    listener = _Listener()
    signal.signal(signal.SIGINT, listener.handle)
    try:
        yield listener.heard
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextlib.contextmanager
def at_once() -> Iterator[None]:
    """Let Ctrl-C raise `KeyboardInterrupt`, as it does in plain Python."""
    listener = _listener(_handler())
    if listener is None:
        yield
        return
    with _raising(listener, True):
        yield


@contextlib.contextmanager
def _raising(listener: _Listener, wanted: bool) -> Iterator[None]:
    before, listener.at_once = listener.at_once, wanted
    try:
        yield
    finally:
        listener.at_once = before
