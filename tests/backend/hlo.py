"""Read compiled HLO text as far as the tests need: computations, and who runs whom."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEADER = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) \(.*\{$")
_CALLED = re.compile(
    r"(?:body|condition|to_apply|calls|branch_computations|true_computation|false_computation)="
    r"\{?(%[\w.\-]+(?:, %[\w.\-]+)*)"
)
_BODY = re.compile(r"body=%([\w.\-]+)")


def computations(text: str) -> dict[str, list[str]]:
    """The instructions of each computation."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        header = _HEADER.match(line)
        if header:
            current = found.setdefault(header.group(1), [])
        elif line.strip():
            current.append(line.strip())
    return found


def _callees(line: str) -> list[str]:
    """The computations that an instruction runs."""
    return [n.strip(" %") for m in _CALLED.finditer(line) for n in m[1].split(", ")]


def loop_depths(text: str) -> dict[str, int]:
    """How many while loops are around each computation: the fewest, over the ways to it."""
    by_name = computations(text)
    entry = re.search(r"^ENTRY %?([\w.\-]+)", text, re.MULTILINE)
    assert entry
    depths = {entry[1]: 0}
    pending = [entry[1]]
    while pending:
        name = pending.pop()
        for line in by_name[name]:
            bodies = set(_BODY.findall(line))
            for other in _callees(line):
                depth = depths[name] + (other in bodies)
                if depth < depths.get(other, depth + 1):
                    depths[other] = depth
                    pending.append(other)
    return depths


def inside_loops(text: str, fused: bool = True) -> Iterator[str]:
    """Every instruction that runs in the body of some while loop, once.

    Args:
      text: the compiled program.
      fused: with those within a fusion, whose results are no arrays but its root's.
    """
    by_name = computations(text)
    pending = [m.group(1) for lines in by_name.values() for x in lines for m in _BODY.finditer(x)]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for line in by_name[name]:
            yield line
            if fused or " fusion(" not in line:
                pending.extend(_callees(line))
