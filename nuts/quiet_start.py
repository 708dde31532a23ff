"""TensorFlow, imported without the lines that it writes about this machine.

TensorFlow's C++ side writes some lines to the standard error before it reads how much it is to
write. During the import another process reads all that is written there, leaves these lines out and
passes on the rest: whatever happens to this process, nothing else is lost.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator

from nuts import startup_lines


def import_tensorflow() -> None:
    """Import TensorFlow; later, too, it writes no lines about the machine.

    `TF_CPP_MIN_LOG_LEVEL` says how much it writes, if it is set.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with _filtered():
        import tensorflow  # noqa: F401


@contextlib.contextmanager
def _filtered() -> Iterator[None]:
    """Write to the standard error through the filter."""
    sys.stderr.flush()
    try:
        original = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    command = [sys.executable, "-I", "-S", str(pathlib.Path(startup_lines.__file__))]
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=original) as process:
            assert process.stdin is not None
            os.dup2(process.stdin.fileno(), 2)
            process.stdin.close()
            try:
                yield
            finally:
                sys.stderr.flush()
                os.dup2(original, 2)  # the filter reads to the end, and is waited for
    finally:
        os.close(original)
