"""A program that copies lines, but for those that TensorFlow writes about a machine at its start.

It is run by its path, without the package: see `quiet_start`.
"""

from __future__ import annotations

import re
import signal
import sys

HEADER = b"WARNING: All log messages before absl::InitializeLog() is called"
INFORMATION = re.compile(rb"I\d{4} \d\d:\d\d:")
"""How a line begins that is neither a warning nor an error."""


def is_about_the_machine(line: bytes) -> bool:
    """Whether a line says how TensorFlow starts, and nothing of what goes wrong."""
    return line.startswith(HEADER) or INFORMATION.match(line) is not None


def main() -> None:
    """Copy the standard input to the standard output, line by line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the other process
    for line in sys.stdin.buffer:
        if not is_about_the_machine(line):
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
