"""Calls that run in Python on the host: from source form to `ir.HostCall`."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Operand, constant
from pcbatch.infer.domain import Leaf, Shared, Static, Tensor, Value, empty_type, static
from pcbatch.infer.evaluate import instantiate
from pcbatch.ir import TensorType
from pcbatch.semantics import host, pytree


@dataclasses.dataclass(frozen=True)
class HostCode:
    """What runs on the host, as the runtimes call it: on arrays, one per argument leaf.

    Attributes:
      code: takes the members and the arguments; see `semantics.host.HostFunction`.
      args: the abstract positional arguments, then the keyword arguments.
      keywords: the names of the latter.
      spec: the structure of the result.
      name: for messages.
      span: the call.
    """

    code: host.HostCode
    args: tuple[Value, ...]
    keywords: tuple[str, ...]
    spec: Any
    name: str
    span: Span

    def __call__(self, members: np.ndarray, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        supply = iter(arrays)

        def batch(value: Any) -> np.ndarray:
            array = np.asarray(value)
            return np.broadcast_to(array, (members.size, *array.shape))

        def make(i: int, j: int, leaf: Leaf) -> np.ndarray:
            empty = empty_type(leaf)
            if empty:
                return np.zeros(
                    (members.size, *empty.shape), tf.as_dtype(empty.dtype).as_numpy_dtype
                )
            array = next(supply)
            return batch(array) if isinstance(leaf, Shared) else array

        dynamic = instantiate(self.args, make)
        values = [
            _lift(value, abstract, batch)
            for value, abstract in zip(dynamic, self.args, strict=True)
        ]
        first = len(values) - len(self.keywords)
        named = dict(zip(self.keywords, values[first:], strict=True))
        args = tuple(values[:first])
        results = host.run(self.code, members, args, named, self.spec, self.name, self.span)
        return tuple(x for x in results if 0 not in x.shape[1:])


def _lift(value: Any, abstract: Value, batch: Any) -> Any:
    """Give the static numbers of a value the axis of members."""
    leaves, tree = pytree.flatten(value)
    if len(leaves) != len(abstract.leaves):  # a static object that is itself a container
        return value
    lifted = (
        batch(x) if isinstance(leaf, Static) and host.is_numeric(leaf.value) else x
        for x, leaf in zip(leaves, abstract.leaves, strict=True)
    )
    return pytree.unflatten(tree, lifted)


@dataclasses.dataclass(frozen=True, slots=True)
class Planned:
    """A host call, ready to be emitted: what runs, on which operands, and what it gives."""

    code: HostCode
    operands: tuple[Operand, ...]
    result: Value


def plan(
    function: host.HostFunction,
    positional: list[Operand],
    named: dict[str, Operand],
    span: Span,
) -> Planned:
    """Find out what a call of a host function runs.

    Raises:
      ProgramError: its arguments do not fit.
    """
    args = tuple(map(_known, positional))
    kwargs = {name: _known(operand) for name, operand in named.items()}
    try:
        code, args, kwargs, spec = function.plan(args, kwargs, span)
    except TypeError as error:
        raise ProgramError(report.HostCallMismatch(span, str(error))) from None
    operands = tuple(map(_operand, (*args, *kwargs.values())))
    values = tuple(o.value for o in operands)
    first = positional[0].value.leaf if positional else None
    called = first.value if isinstance(first, Static) else function
    name = getattr(called, "__name__", None) or function.__name__
    run = HostCode(code, values, tuple(kwargs), spec, name, span)
    return Planned(run, operands, _result(spec))


def _known(operand: Operand) -> Any:
    """The Python value of an operand where all of it is static, else the operand itself."""
    leaves = [leaf.value for leaf in operand.value.leaves if isinstance(leaf, Static)]
    if len(leaves) < len(operand.value.leaves):
        return operand
    return pytree.unflatten(operand.value.tree, leaves)


def _operand(value: Any) -> Operand:
    return value if isinstance(value, Operand) else constant(static(value))


def _result(spec: Any) -> Value:
    leaves, tree = pytree.flatten(spec)
    return Value(tree, tuple(
        Static(None) if x is None else Tensor(TensorType(x.dtype.name, tuple(x.shape)))
        for x in leaves
    ))  # fmt: skip
