"""A part of a graph as one kernel of XLA on CPU.

XLA on CPU runs a compiled program as a sequence of kernels, and each costs about a microsecond
beside what it computes; one turn of NUTS has five hundred. A call that says `xla_cpu_small_call` is
compiled as one kernel, with the loops in it. A graph cannot say so, but a call of StableHLO can:
the part is lowered by itself, and called.

XLA compiles only some operations that way, without matrix products, sorting and scattering. A part
that has others stays as it is. Where rows are scattered, a loop writes one after the other.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from pcbatch.backend import op_traits
from pcbatch.backend.blocked_sums import OFFLOADED
from pcbatch.backend.clean_thread import in_clean_thread
from pcbatch.backend.private import graphs, xla_operations

_ATTRIBUTES = {"inlineable": "false", "xla_cpu_small_call": "true"}
_HERE = threading.local()


class _Part(NamedTuple):
    """A function as StableHLO.

    Attributes:
      module: serialized.
      captured: what it takes after its arguments.
      results: what it returns: the function's results, and something of no interest.
      tree: the structure of the function's results.
    """

    module: bytes
    captured: tuple[tf.Tensor, ...]
    results: tuple[tf.TensorSpec, ...]
    tree: Any


class Kernels:
    """The parts of a program that are kernels; equal ones are lowered once."""

    def __init__(self) -> None:
        self._parts: dict[Any, _Part | None] = {}

    def call(self, key: Any, fn: Callable[..., Any], carried: Any, *given: Any) -> Any:
        """`outlined` for a function of which the key, with its arguments' types, says all."""
        args = (carried, *given)
        if inside():
            return fn(*args)
        leaves = [tf.convert_to_tensor(x) for x in tf.nest.flatten(args)]
        specs = tuple(tf.TensorSpec(x.shape, x.dtype) for x in leaves)
        whole = key, specs
        if whole not in self._parts:
            self._parts[whole] = in_clean_thread(lambda: _lowered(fn, args, specs))
        part = self._parts[whole]
        if part is None:
            return fn(*args)
        given = (*leaves, *part.captured)
        results = xla_operations.call_module(part.module, given, part.results, _ATTRIBUTES)
        own = len(tf.nest.flatten(part.tree))
        return tf.nest.pack_sequence_as(part.tree, results[:own])


def outlined(fn: Callable[..., Any], carried: Any, *given: Any) -> Any:
    """Call a function in a graph that XLA compiles for a CPU, as one kernel if it can be one.

    Args:
      fn: takes and returns structures of tensors. It captures no tensors of the graph.
      carried: its first argument, which it may change in place: large results take its place.
      *given: its other arguments, which are only read.

    Returns:
      The result of `fn`.
    """
    return Kernels().call(None, fn, carried, *given)


def inside() -> bool:
    """Whether what is built now is meant for one kernel."""
    return getattr(_HERE, "inside", False)


def scatter_each(
    areas: Sequence[tf.Tensor],
    row: tf.Tensor,
    values: Sequence[tf.Tensor],
    count: tf.Tensor | None,
    at_once: int,
) -> list[tf.Tensor]:
    """Write `values[k][i]` at `areas[k][row[i]]` where there is such a row, by a loop.

    Args:
      areas: [rows, ...] each.
      row: int32[lanes], no row twice.
      values: [lanes, ...] each.
      count: int32[], how many come first for which there is a row; there is none for the others.
        None: not known.
      at_once: how many rows one turn of the loop writes: more are faster, and take longer to
        compile.
    """
    parts = [(i, 0, new) for i, new in enumerate(values)]
    return _scatter_parts(areas, row, parts, count, at_once)


def scatter_parts(
    area: tf.Tensor,
    row: tf.Tensor,
    parts: Sequence[tf.Tensor],
    count: tf.Tensor | None,
    at_once: int,
) -> tf.Tensor:
    """`scatter_each` of rows that are in parts, [lanes, ...] each, one behind the other.

    The loop writes them where they belong; to put them together first would be to move them twice.
    """
    starts = itertools.accumulate((int(x.shape[1]) for x in parts[:-1]), initial=0)
    several = [(0, start, x) for start, x in zip(starts, parts, strict=True)]
    return _scatter_parts([area], row, several, count, at_once)[0]


def _scatter_parts(
    areas: Sequence[tf.Tensor],
    row: tf.Tensor,
    parts: Sequence[tuple[int, int, tf.Tensor]],
    count: tf.Tensor | None,
    at_once: int,
) -> list[tf.Tensor]:
    """Write parts of rows: into which of the areas, from which column on, and what."""
    lanes = int(row.shape[0])
    several = min(at_once, lanes)
    places = {(areas[i].shape.rank, column) for i, column, _ in parts}

    def write_one(i: tf.Tensor, areas: list[tf.Tensor]) -> list[tf.Tensor]:
        at = _slice(row, tf.expand_dims(i, 0), [1])
        source = _starts(tf.expand_dims(i, 0), {(rank, 0) for rank, _ in places})
        place = _starts(at, places)
        written = list(areas)
        for k, column, new in parts:
            area = written[k]
            rank, size = area.shape.rank, [1, *(int(n) for n in new.shape[1:])]
            value = _slice(new, source[rank, 0], size)
            if count is None:
                old = _slice(area, place[rank, column], size)
                value = tf.where(at[0] < int(area.shape[0]), value, old)
            written[k] = xla_operations.dynamic_update_slice(area, value, place[rank, column])
        return written

    def write(several: int, i: tf.Tensor, areas: tuple[tf.Tensor, ...]) -> Any:
        # The last rows are written twice where their number is no multiple.
        first, written = tf.minimum(i, lanes - several), list(areas)
        for k in range(several):
            written = write_one(first + k, written)
        return i + several, tuple(written)

    begin = tf.constant(0), tuple(areas)
    some, one = functools.partial(write, several), functools.partial(write, 1)
    if count is None:
        return list(xla_operations.while_loop(lambda i, _: i < lanes, some, begin)[1])
    if several > 1:
        begin = xla_operations.while_loop(lambda i, _: i + several <= count, some, begin)
    return list(xla_operations.while_loop(lambda i, _: i < count, one, begin)[1])


def _slice(array: tf.Tensor, start: tf.Tensor, sizes: Sequence[int]) -> tf.Tensor:
    """`xla_operations.dynamic_slice`, which takes TensorFlow a twentieth of the time to lower.

    `Slice` becomes the same if its start is not constant. In deeply nested loops TensorFlow asks
    again and again whether it is, so that this is only for the loops that write rows.
    """
    return tf.raw_ops.Slice(input=array, begin=start, size=list(sizes))


def _starts(row: tf.Tensor, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], tf.Tensor]:
    """int32[rank]: where a column of a row, int32[1], starts in areas of some ranks."""
    return {
        (rank, column): tf.concat([row, [column], [0] * (rank - 2)], 0) if rank > 1 else row
        for rank, column in sorted(places)
    }


def _lowered(
    fn: Callable[..., Any], args: tuple[Any, ...], specs: Sequence[tf.TensorSpec]
) -> _Part | None:
    """Lower a function; None if it has operations that one kernel cannot have."""
    trees = []

    def flat(*values: tf.Tensor) -> list[tf.Tensor]:
        result = fn(*tf.nest.pack_sequence_as(args, values))
        trees.append(tf.nest.map_structure(lambda _: None, result))
        results = [tf.convert_to_tensor(x) for x in tf.nest.flatten(result)]
        return [*results, *_something_of(values, len(tf.nest.flatten(args[0])))]

    _HERE.inside = True
    function = tf.function(
        flat,
        jit_compile=True,
        autograph=False,
        experimental_attributes=graphs.IN_ANY_ORDER,
    )
    concrete = function.get_concrete_function(*specs)
    if not _can_be_one(concrete.graph):
        return None
    text = function.experimental_get_compiler_ir(*specs)
    return _Part(
        text(stage="stablehlo_serialized"),
        tuple(concrete.captured_inputs),
        tuple(tf.TensorSpec(x.shape, x.dtype) for x in concrete.outputs),
        trees[-1],
    )


def _something_of(values: Sequence[tf.Tensor], changed: int) -> list[tf.Tensor]:
    """Tensors that depend on the arguments of the graph and on what it has captured.

    XLA aborts the process where a kernel does not use an argument, and it may find that it need
    not. What the kernel returns is used. An argument that it returned as it is would be copied.
    (An argument that XLA knew as a constant would not be used either: see `call_module`.)

    Args:
      values: the arguments.
      changed: how many of them, at the beginning, the graph changes in place if it uses them.
    """
    graph = values[0].graph
    own = {id(x) for x in values[:changed] if x.consumers()}
    tensors = [x for x in (*values, *graph.internal_captures) if id(x) not in own]
    empty = [tf.identity(x) for x in tensors if 0 in x.shape]
    alike: dict[Any, list[tf.Tensor]] = {}
    for x in tensors:
        if 0 not in x.shape:
            alike.setdefault((x.dtype, x.shape.rank), []).append(x)
    numbers = [_sum_of_firsts(several) for several in alike.values()]
    return [*empty, functools.reduce(tf.add, numbers)] if numbers else empty


def _sum_of_firsts(tensors: Sequence[tf.Tensor]) -> tf.Tensor:
    """The sum of the first numbers of some tensors with one dtype and as many axes.

    A sum takes as long to compile as it has terms. Numbers side by side take the square of that:
    XLA asks for each of them whose it is.
    """
    rank = tensors[0].shape.rank
    first, one = tf.zeros([rank], tf.int32), tf.ones([rank], tf.int32)
    numbers = [tf.reshape(tf.slice(x, first, one), []) if rank else x for x in tensors]
    if tensors[0].dtype.is_bool:
        numbers = [tf.cast(x, tf.int32) for x in numbers]
    return tf.cast(functools.reduce(tf.add, numbers), tf.int32)


def _is_offloaded(op: tf.Operation) -> bool:
    """Whether XLA may have a library reduce floats."""
    if op.type not in op_traits.FLOAT_REDUCTIONS or not op.inputs[0].dtype.is_floating:
        return False
    size = op.inputs[0].shape.num_elements()
    return size is None or size >= OFFLOADED


def _can_be_one(graph: graphs.FuncGraph) -> bool:
    for op in graph.get_operations():
        if op.type not in op_traits.OUTLINABLE or _is_offloaded(op):
            return False
        if not all(_can_be_one(graphs.called(op, name)) for name in _functions(op)):
            return False
    return True


def _functions(op: tf.Operation) -> tuple[str, ...]:
    """The attributes that name functions which become part of the kernel."""
    return ("reducer",) if op.type == "XlaVariadicReduceV2" else op_traits.CALLED.get(op.type, ())
