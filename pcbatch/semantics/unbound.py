"""Variables without a value: the flag that says whether one has any, and what Python says."""

from __future__ import annotations

from collections.abc import Callable

_PREFIX = "__bound_"


def flag(name: str) -> str:
    """The variable that says whether another one has a value."""
    return f"{_PREFIX}{name}"


def flagged(names: tuple[str, ...]) -> frozenset[str]:
    """The variables of which the flags are among some names."""
    flags = (name for name in names if name.startswith(_PREFIX))
    return frozenset(name.removeprefix(_PREFIX) for name in flags)


def _said(read: Callable[[], object]) -> str:
    try:
        read()
    except NameError as error:
        return str(error)
    raise AssertionError("the variable has a value")


def _local() -> object:
    sample = None
    del sample
    return sample  # noqa: F821


def _free() -> object:
    sample = None

    def inner() -> object:
        return sample  # noqa: F821

    del sample
    return inner()


LOCAL, FREE = _said(_local), _said(_free)
"""What the running Python says of a variable `sample` without a value: a local one, and one of the
function around."""
