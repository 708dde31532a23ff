"""What a result was measured on."""

from __future__ import annotations

import contextlib
import datetime
import importlib.metadata
import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).parent.parent
PACKAGES = ("tensorflow", "tensorflow-probability", "numpy")
PEERS = ("jax", "blackjax", "numpyro", "pystan")


def describe() -> dict[str, str]:
    """Name the processor, its cores, the commit, the Python, the packages and the date.

    The load is that of the last minute: where it is above the number of cores other work ran
    beside, and only ratios mean something. Packages of peers are named where they are installed.
    """
    described = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "load": f"{os.getloadavg()[0]:.1f}",
        "system": f"{platform.system()} {platform.machine()}",
        "commit": _commit(),
        "python": platform.python_version(),
    }
    for package in (*PACKAGES, *PEERS):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            described[package] = importlib.metadata.version(package)
    return described


def peak_bytes() -> int:
    """The most resident memory that this process has had. Linux only."""
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)[1])


def _commit() -> str:
    """The commit that is measured, marked where files have been changed since.

    Results that other benchmarks have just saved do not count, nor what is written about them.
    """
    commit = _git("describe", "--always", "--exclude=*")
    changed = _git(
        "status", "--porcelain", "--untracked-files=no", "--", ".", ":!bench/results", ":!docs"
    )
    return f"{commit}-dirty" if commit and changed else commit or "unknown"


def _git(*arguments: str) -> str:
    """What git prints; nothing where there is no git or no repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def _processor() -> str:
    information = pathlib.Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
