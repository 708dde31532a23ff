"""What is said where data decide which object is meant, and the objects are not alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pcbatch.semantics.references import kind_of
from pcbatch.semantics.user_code import is_users_object


class ObjectsDiffer(TypeError):
    """Which of several objects is meant depends on data, and they are not alike.

    Attributes:
      classes: of the objects.
    """

    def __init__(self, classes: set[type]):
        named = ", ".join(sorted(kind.__name__ for kind in classes))
        super().__init__(
            f"which object of {named} is meant depends on data, and what they have is not of the "
            "same types"
        )
        self.classes = classes


def objects_differ(values: Iterable[Any]) -> ObjectsDiffer | None:
    """What is wrong with values of different structures, if objects are among them."""
    classes = {kind_of(value) for value in values if is_users_object(value)}
    return ObjectsDiffer(classes) if classes else None


def refuse_objects(values: Iterable[Any]) -> None:
    """Refuse values of different structures, if objects are among them.

    Raises:
      ObjectsDiffer: they are.
    """
    error = objects_differ(values)
    if error is not None:
        raise error
