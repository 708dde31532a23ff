"""Run a function of the benchmarks in a process of its own, on some of the cores.

A fresh process is needed where a first compilation or a peak of memory is measured, and where the
number of cores differs: thread pools are sized when TensorFlow starts.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

MARK = "result: "
GIVEN_BACK = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "0"}
"""What lets freed arrays go back to the system at once. A peak of memory could hide in them; every
allocation of this size asks the system, which takes time."""


def call(
    function: Callable[..., Any],
    cores: int | None = None,
    limit: float | None = None,
    for_memory: bool = False,
    environment: Mapping[str, str] | None = None,
    **arguments: Any,
) -> Any:
    """Call a function of a module in a new process.

    Args:
      function: a module's own function; its result must survive JSON.
      cores: how many cores the process may use; None: all of this one's.
      limit: end the process, and those that it started, after so many seconds.
      for_memory: a peak of memory is measured, see `GIVEN_BACK`.
      environment: variables of its environment that differ from those of this process.
      **arguments: what to call it with, likewise.

    Returns:
      What it returns.

    Raises:
      RuntimeError: the process failed; the end of what it wrote is in the message.
      TimeoutError: it has taken too long.
    """
    allowed = sorted(os.sched_getaffinity(0))[:cores]
    task = {
        "module": function.__module__,
        "function": function.__name__,
        "arguments": arguments,
        "cores": allowed,
    }
    command = [sys.executable, "-m", "bench.apart", json.dumps(task)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | (GIVEN_BACK if for_memory else {}) | dict(environment or {}),
        start_new_session=True,
    )
    try:
        out, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(f"{function.__name__} has taken more than {limit:g} s") from error
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    lines = [line for line in out.splitlines() if line.startswith(MARK)]
    if process.returncode or not lines:
        said = (errors or out).strip().splitlines()[-5:]
        raise RuntimeError(f"{function.__name__}, exit {process.returncode}: " + "\n".join(said))
    return json.loads(lines[-1].removeprefix(MARK))


def main(task: dict[str, Any]) -> None:
    """Do the task in this process, which has imported nothing large yet."""
    os.sched_setaffinity(0, task["cores"])
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    function = getattr(importlib.import_module(task["module"]), task["function"])
    print(MARK + json.dumps(function(**task["arguments"])), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
