"""Try whether an expression that goes over elements can be a part of a primitive."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import tensorflow as tf

from pcbatch.backend.private import graphs
from pcbatch.semantics.rounds import NeedsRounds, OnlyInProgram, trial


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """A primitive's function that says, when the program is traced, whether another can be one.

    What the attempt makes is in a graph of its own, which is dropped.

    Attributes:
      function: the other primitive's function.
    """

    function: Callable[..., tuple[Any, ...]]
    where_changed: ClassVar[tuple[bool]] = (False,)
    """What is said where it changes what it is given, which a loop may do."""

    def __call__(self, *values: Any) -> tuple[bool]:
        with graphs.FuncGraph("attempt").as_default(), trial():
            try:
                self.function(*values)
            except (NeedsRounds, OnlyInProgram, tf.errors.OperatorNotAllowedInGraphError):
                return (False,)
        return (True,)
