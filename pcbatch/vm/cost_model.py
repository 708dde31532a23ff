"""What a segment costs, what it must not be fed, and what else its graph tells.

An estimate from the operations of one member: TensorFlow has no public way to XLA's own analysis.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.backend import elementwise, graph_digest, jax_calls, op_traits
from pcbatch.backend.private.graphs import FuncGraph
from pcbatch.semantics import cost_annotations
from pcbatch.vectorizer.segments import Segment

_HAZARDS = op_traits.HAZARDS | op_traits.LOOPS | op_traits.CHECKS | {"EnsureShape", "XlaSharding"}
_LOOP_TURNS = 100
_BY_CONSTANT = 8.0
_SERIES, _ROUNDING = 30.0, 3.0
"""The instructions of an exponential or a sine, and those by which a result is rounded."""
_NOTHING = {"Placeholder", "Const", "Identity", "Reshape", "NoOp"}
"""Operations that compute nothing."""


@dataclasses.dataclass(frozen=True, slots=True)
class Profile:
    """An estimate of a segment for one member.

    Attributes:
      flops: floating-point operations, counted from the shapes of the graph or stated by
        `pcbatch.expensive`.
      hazards: it has operations that fail on junk in eager kernels (integer division, Cholesky).
      loops: it has loops, which junk could keep from ending.
      counted: how often it calls each function marked by `pcbatch.counted`.
      kinds: the types of its operations.
      float_kinds: those that may compute with fractions; "Complex" for complex ones.
      whole: the variables that it reads, but for those of which it only takes elements.
      matrix: how many numbers the largest matrix has that it multiplies by a vector.
      scalar_steps: about how many instructions it is, if it computes with single numbers only;
        infinity where it does not.
      operations: how many operations there are to compile, however large their arrays.
      digest: of the graph, equal in every process; None where it does not say all. That of a sum
        is empty.
    """

    flops: float = 0.0
    hazards: bool = False
    loops: bool = False
    counted: tuple[tuple[str, int], ...] = ()
    kinds: frozenset[str] = frozenset()
    float_kinds: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    matrix: int = 0
    scalar_steps: float = 0.0
    operations: int = 0
    digest: str | None = ""

    @property
    def rounds(self) -> bool:
        """Whether results are rounded (see `rounding`) where XLA compiles the segment: fractions
        are, but for those of matrix products, whose bits depend on the batch anyway."""
        return bool(self.float_kinds) and not self.kinds & op_traits.PRODUCTS

    def __add__(self, other: Profile) -> Profile:
        return Profile(
            self.flops + other.flops,
            self.hazards or other.hazards,
            self.loops or other.loops,
            self.counted + other.counted,
            self.kinds | other.kinds,
            self.float_kinds | other.float_kinds,
            self.whole | other.whole,
            max(self.matrix, other.matrix),
            self.scalar_steps + other.scalar_steps,
            self.operations + other.operations,
        )


def profile(
    seg: Segment, types: Mapping[str, ir.TensorType], shared: Mapping[str, ir.TensorType]
) -> Profile:
    """Read the graph of a segment for one member."""
    if seg.moves_only:
        single = all(types[name].shape == () for name in (*seg.reads, *seg.writes))
        return Profile(whole=frozenset(seg.reads), scalar_steps=0.0 if single else math.inf)
    lead = [1] if seg.primitives[0].batched else []
    specs = {n: tf.TensorSpec([*lead, *types[n].shape], types[n].dtype) for n in seg.reads}
    graph = seg.graph(specs, shared)
    operations = graph.get_operations()
    marked = cost_annotations.count(op.name for op in operations)
    total = _profile_nodes(operations) + Profile(
        counted=marked, whole=_read_whole(seg.reads, graph)
    )
    library = graph.as_graph_def().library.function
    nodes = [node for function in library for node in function.node_def]
    kinds = frozenset(node.op for node in nodes)
    hazards, loops = bool(kinds & _HAZARDS), bool(kinds & op_traits.LOOPS)
    floats = _float_kinds((n.op, [tf.as_dtype(d) for d in _dtypes(n)]) for n in nodes)
    total += Profile(0.0, hazards, loops, kinds=kinds, float_kinds=floats)
    return dataclasses.replace(total, digest=graph_digest.digest(graph))


def _profile_nodes(operations: Sequence[tf.Operation]) -> Profile:
    flops, hazards, loops = 0.0, False, False
    priced: dict[str, float] = {}
    for op in operations:
        hazards |= op.type in _HAZARDS and not _is_root_or_square(op)
        loops |= op.type in op_traits.LOOPS
        if found := cost_annotations.price(op.name):
            priced.update([found])
            continue
        size = sum(int(np.prod(o.shape)) for o in op.outputs if o.shape.is_fully_defined())
        if (function := elementwise.called(op)) is not None:
            flops += function.operations * max(math.prod(o.shape) for o in op.outputs)
        elif (called := jax_calls.behind(op)) is not None:
            flops += called.flops
        elif op.type in op_traits.PRODUCTS and op.inputs[0].shape.is_fully_defined():
            inner = np.prod([np.prod(i.shape) for i in op.inputs[:2]]) / max(size, 1)
            flops += 2 * size * float(np.sqrt(inner))
        elif op.type in op_traits.LOOPS:
            flops += _LOOP_TURNS * max(size, 1)
        elif op.type not in _NOTHING:
            flops += size
    kinds = frozenset(op.type for op in operations)
    floats = _float_kinds(
        (op.type, [t.dtype for t in (*op.inputs, *op.outputs)]) for op in operations
    )
    return Profile(
        flops + sum(priced.values()),
        hazards,
        loops,
        kinds=kinds,
        float_kinds=floats,
        matrix=max(map(_matrix, operations), default=0),
        scalar_steps=sum(map(_scalar_steps, operations)),
        operations=sum(op.type not in _NOTHING for op in operations),
    )


def _matrix(op: tf.Operation) -> int:
    """How many numbers the matrix has that an operation multiplies by a vector; 0 otherwise."""
    if op.type not in op_traits.PRODUCTS or op.inputs[0].dtype != tf.float32:
        return 0
    shapes = [t.shape for t in (*op.inputs[:2], *op.outputs)]
    if not all(s.rank == 2 and s.is_fully_defined() for s in shapes) or 1 not in shapes[-1]:
        return 0
    return max(s.num_elements() for s in shapes[:2])


def _scalar_steps(op: tf.Operation) -> float:
    """About how many instructions an operation is, if it is one of single numbers."""
    if op.type in ("Placeholder", "Const", "Identity", "NoOp"):
        return 0.0
    tensors = (*op.inputs, *op.outputs)
    if op.type in op_traits.CALLED or any(t.shape.rank != 0 for t in tensors):
        return math.inf
    floats = any(t.dtype.is_floating for t in tensors)
    if op.type in op_traits.QUOTIENTS and not floats:
        # Processors divide whole numbers one by one; a constant divisor is a product.
        return _BY_CONSTANT if op.inputs[1].op.type == "Const" else math.inf
    if floats and op.type in op_traits.FUNCTIONS:
        one = op.type in op_traits.ONE_INSTRUCTION or _is_root_or_square(op)
        return (1.0 if one else _SERIES) + _ROUNDING
    return 1.0


def _is_root_or_square(op: tf.Operation) -> bool:
    """Whether an operation is a power of which LLVM makes a square root or a product."""
    if op.type != "Pow":
        return False
    exponent = tf.get_static_value(op.inputs[1])
    return exponent is not None and bool(np.isin(exponent, (0.5, 2.0)).all())


def _read_whole(names: Iterable[str], graph: FuncGraph) -> frozenset[str]:
    """The first inputs of a graph, by name, of which it does not only take elements."""
    return frozenset(
        name
        for name, value in zip(names, graph.inputs, strict=False)  # shared values come after them
        if not all(op.type in op_traits.ELEMENT_READS for op in value.consumers())
    )


def _float_kinds(operations: Iterable[tuple[str, Sequence[tf.DType]]]) -> frozenset[str]:
    """The kinds that compute with fractions, of pairs of a kind and its dtypes, or "Complex"."""
    found = set()
    for kind, dtypes in operations:
        if any(d.is_complex for d in dtypes):
            found.add("Complex")
        if any(d.is_floating for d in dtypes):
            found.add(kind)
    return frozenset(found)


def _dtypes(node: Any) -> list[int]:
    """The dtypes, as TensorFlow numbers them, that a node of a graph names."""
    values = node.attr.values()
    return [v.type for v in values if v.type] + [t for v in values for t in v.list.type]
