"""Operations with a state: what changes a variable, draws from a random state or reads a clock."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator

import tensorflow as tf

from pcbatch.backend import op_traits
from pcbatch.backend.private import graphs


class Touch(enum.Enum):
    """What an operation does to a state outside of the program."""

    CHANGES = "changes a variable"
    DRAWS = "draws from a random state"
    READS_CLOCK = "reads the clock"


_READERS = {
    "ReadVariableOp", "VarHandleOp", "VariableShape", "VarIsInitializedOp", "ResourceGather",
    "ResourceGatherNd", "LookupTableFindV2", "LookupTableSizeV2", "LookupTableExportV2",
}  # fmt: skip
"""Operations on a resource that leave it as it is."""

_DRAWS = {
    "RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal",
    "ParameterizedTruncatedNormal", "RandomGamma", "RandomPoisson", "RandomPoissonV2",
    "Multinomial", "RandomShuffle", "RandomCrop", "NonDeterministicInts",
    "StatefulStandardNormal", "StatefulStandardNormalV2", "StatefulTruncatedNormal",
    "StatefulUniform", "StatefulUniformFullInt", "StatefulUniformInt", "StatefulRandomBinomial",
    "RngSkip", "RngReadAndSkip",
}  # fmt: skip


def touch(op: tf.Operation) -> Touch | None:
    """What an operation itself does to a state; None for nothing.

    Whatever takes a resource, has an effect by its registration and is not known to read only
    counts as a change: scatters, the updates of optimizers, iterators, queues, tables.
    """
    if op.type in _DRAWS:
        return Touch.DRAWS
    if op.type == "Timestamp":
        return Touch.READS_CLOCK
    takes_resource = any(t.dtype == tf.resource for t in op.inputs)
    if not takes_resource or op.type in _READERS or op.type in op_traits.CALLED:
        return None
    return Touch.CHANGES if graphs.is_stateful(op) else None


def all_operations(operations: Iterable[tf.Operation]) -> Iterator[tf.Operation]:
    """Yield operations, and those of the functions that they call."""
    for op in operations:
        yield op
        for name in function_attributes(op):
            yield from all_operations(graphs.function_graph(op, name).get_operations())


def function_attributes(op: tf.Operation) -> list[str]:
    """The names of the functions that an operation calls."""
    names: list[str] = []
    for attribute in op_traits.CALLED.get(op.type, ()):
        value = op.get_attr(attribute)
        names += [f.name for f in value] if isinstance(value, list) else [value.name]
    return names
