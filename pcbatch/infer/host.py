"""Calls that run in Python on the host: from source form to `ir.HostCall`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Operand, constant
from pcbatch.infer.domain import Leaf, Shared, Static, Tensor, Value, empty_type, static
from pcbatch.infer.stand_ins import instantiate
from pcbatch.ir import TensorType
from pcbatch.ir.analysis.activity import is_floating
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
        args, named = self.arguments(members, arrays)
        results = host.run(self.code, members, args, named, self.spec, self.name, self.span)
        return tuple(x for x in results if 0 not in x.shape[1:])

    def arguments(
        self, members: np.ndarray, arrays: Sequence[np.ndarray]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments by position and by name, as the code takes them."""
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
        return tuple(values[:first]), named


@dataclasses.dataclass(frozen=True)
class HostGradient:
    """What runs on the host on the way back through a call; see `ir.HostCall.gradient`.

    Attributes:
      of: the call.
      function: the user's.
    """

    of: HostCode
    function: Callable[..., Any]

    def __call__(self, members: np.ndarray, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        leaves, tree = pytree.flatten(self.of.spec)
        own = len(arrays) - sum(0 not in x.shape for x in leaves)
        adjoints = iter(arrays[own:])
        adjoint = pytree.unflatten(tree, [
            np.zeros((members.size, *x.shape)) if 0 in x.shape else next(adjoints) for x in leaves
        ])  # fmt: skip
        args, _ = self.of.arguments(members, arrays[:own])
        name, specs = f"the gradient of {self.of.name}", tuple(map(_specs, self.of.args))
        given = {"adjoint": adjoint}
        found = host.run(self._adjoints, members, args, given, specs, name, self.of.span)
        return tuple(x for x in found if 0 not in x.shape[1:])

    def _adjoints(self, members: np.ndarray, *args: Any, adjoint: Any) -> tuple[Any, ...]:
        """What the user's function gives, with zeros for what has no derivative."""
        found, specs = self.function(*args, adjoint=adjoint), map(_specs, self.of.args)
        if not isinstance(found, tuple) or len(found) != len(args):
            raise TypeError(
                f"it returned {type(found).__name__}, and not a tuple with the derivative with "
                f"regard to each argument, of which there are {len(args)}"
            )
        return tuple(_filled(x, spec, members.size) for x, spec in zip(found, specs, strict=True))


def _specs(value: Value) -> Any:
    """The specs of a value's floats that are no constants; None for the other leaves."""
    return pytree.unflatten(value.tree, [_spec(leaf) for leaf in value.leaves])


def _spec(leaf: Leaf) -> tf.TensorSpec | None:
    type_ = leaf.type if isinstance(leaf, Tensor | Shared) else None
    if type_ is None or not is_floating(type_):
        return None
    return tf.TensorSpec(type_.shape, type_.dtype)


def _filled(found: Any, spec: Any, members: int) -> Any:
    """What a gradient gives for one argument; nothing where there is no derivative."""
    specs, tree = pytree.flatten(spec)
    leaves, given = pytree.flatten(found)
    if found is None:
        leaves = [None] * len(specs)
    elif given != tree:
        raise TypeError(f"it returned {given} for an argument of the structure {tree}")
    return pytree.unflatten(tree, [
        None if x is None else np.zeros((members, *x.shape)) if leaf is None else leaf
        for leaf, x in zip(leaves, specs, strict=True)
    ])  # fmt: skip


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
    gradient: HostGradient | None


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
        planned = function.plan(args, kwargs, span)
    except TypeError as error:
        raise ProgramError(report.HostCallMismatch(span, str(error))) from None
    operands = tuple(map(_operand, (*planned.args, *planned.kwargs.values())))
    values = tuple(o.value for o in operands)
    first = positional[0].value.leaf if positional else None
    called = first.value if isinstance(first, Static) else function
    name = getattr(called, "__name__", None) or function.__name__
    run = HostCode(planned.code, values, tuple(planned.kwargs), planned.result, name, span)
    back = None if planned.gradient is None else HostGradient(run, planned.gradient)
    return Planned(run, operands, _result(planned.result), back)


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
