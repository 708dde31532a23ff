"""The vectorizer as the runtimes use it: for the straight-line pieces of a block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.backend.op_traits import CHECKS
from pcbatch.backend.private import graphs, xla_operations
from pcbatch.errors import Span
from pcbatch.vectorizer.interpreter import Interpreter, contains
from pcbatch.vectorizer.pretransposed import AS_WRITTEN, Forms
from pcbatch.vectorizer.session import Session
from pcbatch.vectorizer.values import Value, plain, shared, stack, stacked


def run_graph(
    session: Session,
    graph: graphs.FuncGraph,
    arguments: Sequence[Value],
    outputs: Sequence[tf.Tensor] | None = None,
) -> list[Value]:
    """Build the batched counterpart of a traced function in the current graph.

    Args:
      session: the batch; its `fault` says afterwards which members failed an assertion.
      graph: traced for one member.
      arguments: one per argument of the function; captures are added here.
      outputs: the tensors of the graph that are wanted; None: what the function returns.

    Returns:
      One value per output.
    """
    graphs.tell_variables(graph)
    captured: list[Value] = [shared(external) for external, _ in graph.captures]
    if contains(graph, CHECKS):
        session.fault = tf.zeros([session.size], tf.int32)
    wanted = list(graph.outputs if outputs is None else outputs)
    return Interpreter(session).graph(graph, [*arguments, *captured], wanted)


def report(session: Session) -> None:
    """Raise, when it runs, with the first assertion that a member failed, and with the members.

    XLA compiles no assertions, in this as in any other TensorFlow program.
    """
    if session.fault is None or not session.raises:
        return
    for number, check in enumerate(session.checks, 1):
        failed = tf.equal(session.fault, number)
        tf.debugging.Assert(
            tf.logical_not(tf.reduce_any(failed)),
            [f"{check.message} (asserted at {check.place}); members:", tf.where(failed)[:, 0]],
        )


def vectorize_block(
    graph: graphs.FuncGraph,
    members: Sequence[tf.Tensor],
    constants: Sequence[tf.Tensor],
    batch_size: int,
    span: Span,
    zero: tf.Tensor | None = None,
    forms: Forms = AS_WRITTEN,
) -> dict[str, tf.Tensor]:
    """Run what was traced for one member on a batch.

    Args:
      graph: of one member, see `trace`. Tensors that it captures are the same for all members.
      members: what its first inputs are, `[B, ...]` each.
      constants: what its other inputs are, the same for all members.
      batch_size: B, static.
      span: the user's code, for messages.
      zero: see `rounding`: results have the same bits in any kernel. None: they need not.
      forms: those that products may have in a loop on this machine's processors, see
        `pretransposed`.

    Returns:
      What the traced function returns, each `[B, ...]`.

    Raises:
      VectorizationError: an operation can neither be vectorized nor looped over.
    """
    session = Session(batch_size, xla_operations.under_xla(), span=span, zero=zero, forms=forms)
    results = run_graph(session, graph, [*map(stacked, members), *map(shared, constants)])
    report(session)
    return {name: stack(plain(x), batch_size) for name, x in named(graph, results).items()}


def copy_block(
    graph: graphs.FuncGraph, inputs: Sequence[tf.Tensor], zero: tf.Tensor | None = None
) -> dict[str, tf.Tensor]:
    """Run what was traced for one member on one: the operations that a batch would have.

    Args:
      graph: of one member, see `trace`.
      inputs: what its inputs are.
      zero: see `rounding`.
    """
    session = Session(1, xla_operations.under_xla(), zero=zero)
    results = run_graph(session, graph, [*map(shared, inputs)])
    return {name: plain(result).local() for name, result in named(graph, results).items()}


def trace(
    fn: Callable[[Mapping[str, tf.Tensor]], dict[str, tf.Tensor]], specs: Mapping[str, Any]
) -> graphs.FuncGraph:
    """The graph of a function of one member's tensors by name."""

    def flat(*tensors: tf.Tensor) -> Any:
        return fn(dict(zip(specs, tensors, strict=True)))

    return graphs.trace(flat, list(specs.values()))


def named(graph: graphs.FuncGraph, results: Sequence[Any]) -> dict[str, Any]:
    """The results of a graph by the names that its function gave them."""
    return dict(zip(sorted(graph.structured_outputs), results, strict=True))
