"""What a result was measured on."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import pathlib
import platform

PACKAGES = ("pcbatch", "tensorflow", "tensorflow-probability", "numpy")


def describe() -> dict[str, str]:
    """Name the processor, its cores, the Python, the packages and the date."""
    described = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            described[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            described[package] = "not installed"
    return described


def _processor() -> str:
    information = pathlib.Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
