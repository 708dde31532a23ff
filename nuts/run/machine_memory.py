"""How much memory this process may still take: of the machine, and of the container it runs in."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterator
from typing import NamedTuple

MEMINFO = pathlib.Path("/proc/meminfo")
OWN_GROUPS = pathlib.Path("/proc/self/cgroup")
GROUPS = pathlib.Path("/sys/fs/cgroup")


class MachineMemory(NamedTuple):
    """Bytes.

    Attributes:
      left: what is free, or is in use for files that can be read again.
      total: all that there is, swap included.
    """

    left: int
    total: int


def machine_memory() -> MachineMemory | None:
    """What the machine has, or the container's limit where that is less; None if not known."""
    found = _of_machine()
    if found is None:
        return None
    limits = list(_of_groups())
    return MachineMemory(
        min([found.left, *(limit.left for limit in limits)]),
        min([found.total, *(limit.total for limit in limits)]),
    )


def _of_machine() -> MachineMemory | None:
    """Linux says what is left; elsewhere what there is stands for it."""
    try:
        kilobytes = dict(re.findall(r"^(\w+):\s*(\d+) kB", MEMINFO.read_text(), re.MULTILINE))
        total = int(kilobytes["MemTotal"]) + int(kilobytes["SwapTotal"])
        return MachineMemory(1024 * int(kilobytes["MemAvailable"]), 1024 * total)
    except (OSError, KeyError):
        return _of_system()


def _of_system() -> MachineMemory | None:
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # this system has no such names
        return None
    return MachineMemory(there, there)


def _of_groups() -> Iterator[MachineMemory]:
    """The limits of the control groups of this process, of both versions."""
    try:
        lines = OWN_GROUPS.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            names, root = ("memory.max", "memory.current", "inactive_file"), GROUPS
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            root = GROUPS / "memory"
        else:
            continue
        inner = root / path.lstrip("/")
        for folder in (inner, *inner.parents):
            if folder.is_relative_to(root) and (limit := _of_group(folder, *names)):
                yield limit


def _of_group(folder: pathlib.Path, limit: str, usage: str, files: str) -> MachineMemory | None:
    """The limit of one group; None where it has none.

    Args:
      folder: of the group.
      limit, usage: names of files with a number of bytes.
      files: what `memory.stat` calls the cache of files that can be read again.
    """
    try:
        most = int((folder / limit).read_text())
        used = int((folder / usage).read_text())
        again = re.search(rf"^{files} (\d+)", (folder / "memory.stat").read_text(), re.MULTILINE)
    except (OSError, ValueError):  # no such group is mounted, or its limit is "max"
        return None
    used -= int(again[1]) if again else 0
    return MachineMemory(max(most - used, 0), most)
