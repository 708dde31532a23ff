"""Assertions inside primitives: what they say, and whether a member has passed them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import tensorflow as tf

from pcbatch.backend.op_traits import CHECKS
from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.states import all_operations
from pcbatch.vectorizer.values import Value, shared, stacked

_NAME = "pcbatch_assertions_hold"


def assertions_hold() -> tf.Tensor:
    """Make a boolean of one member: whether the assertions made before it hold.

    It is true where it is not vectorized: there a failed assertion raises.
    """
    return tf.raw_ops.PlaceholderWithDefault(input=True, shape=[], name=_NAME)


@rule("PlaceholderWithDefault", always=True)
def outcome(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    session = interpreter.session
    if not op.name.rpartition("/")[2].startswith(_NAME):
        return [inputs[0]]
    session.raises = False
    if session.fault is None:
        return [shared(tf.constant(True))]
    return [stacked(tf.equal(session.fault, 0))]


def messages(operations: Iterable[tf.Operation]) -> list[str]:
    """What the assertions among some operations, and in functions that they call, say."""
    texts = (text for op in all_operations(operations) for text in _messages(op))
    return list(dict.fromkeys(texts))


def _messages(op: tf.Operation) -> Iterator[str]:
    if op.type == "Assert":
        texts = [text(tf.get_static_value(t)) for t in op.inputs[1:] if t.dtype == tf.string]
        yield next((t for t in texts if t), "an assertion does not hold")
    elif op.type in CHECKS:
        yield f"{op.get_attr('message').decode()}: a value is infinite or not a number"


def text(value: object) -> str:
    """The first piece of a constant string; empty where it is not known."""
    item = next(iter(getattr(value, "flat", [value])), b"")
    return item.decode(errors="replace").strip() if isinstance(item, bytes) else ""
