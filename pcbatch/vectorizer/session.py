"""One vectorization: the batch, the active members, what the user hears of it."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any, ClassVar

import tensorflow as tf

from pcbatch.backend.private import graphs
from pcbatch.backend.private.converters import Converters
from pcbatch.errors import PcbatchError, Span, underlined
from pcbatch.semantics.user_code import is_typed_by_user
from pcbatch.vectorizer.pretransposed import AS_WRITTEN, Forms, MatrixOrigin


class VectorizationError(PcbatchError):
    """An operation of the user's code has no batched counterpart."""


class VectorizationWarning(UserWarning):
    """An operation of the user's code runs in a loop over the members."""


_SAID: dict[Any, Any] = {}
"""Where Python notes which warnings were shown."""


@dataclasses.dataclass(frozen=True, slots=True)
class Assertion:
    """An assertion of the single-example code: its message and its place."""

    message: str
    place: str


class Session:
    """What is common to the whole of one vectorization.

    Attributes:
      size: the number of members, B.
      mask: bool[B], the members whose values count here; None where all do.
      xla: whether the result will be compiled with XLA.
      strict: refuse an operation without a batched form.
      span: the user's code, for messages; None where only the operation's own trace is known.
      checks: the assertions met so far; member b has failed number `fault[b] - 1`.
      zero: see `rounding`; None where results may depend on what is around an operation.
      forms: those that products with shared matrices may have, see `pretransposed`.
      raises: whether a failed assertion is to raise, as nothing asks `fault`.
      fault: int32[B], 0 for members that have failed nothing; None where nothing is asserted.
      warnings: how often any session has warned.
    """

    warnings: ClassVar[int] = 0

    def __init__(
        self,
        size: int,
        xla: bool,
        strict: bool = False,
        span: Span | None = None,
        zero: tf.Tensor | None = None,
        forms: Forms = AS_WRITTEN,
    ):
        self.size, self.xla, self.strict, self.span, self.zero = size, xla, strict, span, zero
        self.forms = forms
        self.mask: tf.Tensor | None = None
        self.checks: list[Assertion] = []
        self.fault: tf.Tensor | None = None
        self.raises = True
        self._numbers: dict[int, int] = {}
        self._origins: dict[int, tuple[tf.Tensor, MatrixOrigin]] = {}
        self._warned: set[tuple[str, int]] = set()
        self._converters: dict[int, tuple[Any, Converters]] = {}

    def converters(self) -> Converters:
        """TensorFlow's rules for the current graph."""
        graph = tf.compat.v1.get_default_graph()
        if id(graph) not in self._converters:
            # The graph is kept beside the rules: its id must not be given to another one.
            self._converters[id(graph)] = (graph, Converters(self.size))
        return self._converters[id(graph)][1]

    def origin(self, tensor: tf.Tensor) -> MatrixOrigin:
        """Where a shared matrix comes from."""
        _, origin = self._origins.get(id(tensor), (tensor, MatrixOrigin(tensor)))
        return origin

    def comes_from(self, tensor: tf.Tensor, origin: MatrixOrigin) -> None:
        """Note where a shared matrix comes from."""
        self._origins[id(tensor)] = tensor, origin

    def fail(self, op: tf.Operation, message: str, bad: tf.Tensor) -> None:
        """Record that the active members of `bad`, bool[B], fail an assertion."""
        if self.fault is None:
            return
        if id(op) not in self._numbers:
            self.checks.append(Assertion(message, self.place(op)))
            self._numbers[id(op)] = len(self.checks)
        if self.mask is not None:
            bad = bad & self.mask
        self.fault = tf.where(bad & tf.equal(self.fault, 0), self._numbers[id(op)], self.fault)

    def warn(self, op: tf.Operation, reason: str) -> None:
        """Say that an operation runs in a loop; refuse it when strict.

        The warning stands at the user's line. One line is named once per vectorization, and by
        Python's own rules for warnings once per process.
        """
        if self.strict:
            raise self.error(op, reason)
        file, line = self._location(op)
        if (file, line) in self._warned:
            return
        Session.warnings += 1
        self._warned.add((file, line))
        warnings.warn_explicit(
            f"{op.type} at {self.place(op)} {reason}: it runs in a loop over the members, which is "
            "slow. Mark a function that takes the batch axis itself with pcbatch.batched(fn), or, "
            "for random numbers, use pcbatch.random.",
            VectorizationWarning,
            file,
            line,
            registry=_SAID,
        )

    def _location(self, op: tf.Operation) -> tuple[str, int]:
        frame = _users_frame(op)
        if frame is not None:
            return frame[0], frame[1]
        return (__file__, 1) if self.span is None else (self.span.file, self.span.line)

    def error(self, op: tf.Operation, reason: str, remedy: str = "") -> VectorizationError:
        """The error for an operation, at the user's line."""
        lines = [f"{op.type} at {self.place(op)} {reason}"]
        excerpt = self._excerpt(op)
        if excerpt:
            lines.append(excerpt)
        remedy = remedy or (
            "mark a function that takes the batch axis itself with pcbatch.batched(fn), or write "
            "the code with operations that have a batched form."
        )
        return VectorizationError("\n".join([*lines, f"help: {remedy}"]))

    def place(self, op: tf.Operation) -> str:
        """The user's line that made an operation."""
        frame = _users_frame(op)
        if frame is not None:
            return f"{frame[0]}:{frame[1]}"
        return "an unknown place" if self.span is None else str(self.span)

    def _excerpt(self, op: tf.Operation) -> str:
        frame = _users_frame(op)
        if frame is None:
            return "" if self.span is None else self.span.excerpt()
        text = (frame[3] or "").strip()
        return underlined(frame[1], text, 0, len(text)) if text else ""


def _users_frame(op: tf.Operation) -> Any:
    """The innermost frame of the user's code; None where there is none."""
    frames = reversed(graphs.traceback_of(op))
    return next((frame for frame in frames if is_typed_by_user(frame[0])), None)
