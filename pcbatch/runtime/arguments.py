"""The arguments of a batched call: batched, shared or static, and the size of the batch."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import frontend
from pcbatch.errors import ArgumentError
from pcbatch.frontend import diagnostics
from pcbatch.infer.domain import Leaf, Static, Tensor, Value
from pcbatch.infer.maybe_none import of_argument
from pcbatch.infer.store import Origin, SharedTensors, type_of
from pcbatch.ir import TensorType
from pcbatch.runtime.special_arguments import check_special, with_texts
from pcbatch.semantics import data, large, plain_classes, pytree
from pcbatch.semantics.numbers import widths


@dataclasses.dataclass(frozen=True)
class ArgumentOptions:
    """How a function's arguments are read.

    Attributes:
      in_axes: 0 or None, or a tuple or dict of these (nested like the argument) per parameter.
      static_argnames: the parameters that are Python values, part of the specialization.
    """

    in_axes: Any = 0
    static_argnames: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class LeafArgument:
    """One leaf of one argument: its path for messages, its axis and its value.

    `axis` is 0 for a batched leaf, None for a shared one and "static" for a Python value; `was` is
    what large plain data was like at the call.
    """

    path: str
    parameter: str
    index: int
    axis: int | str | None
    value: Any
    weak: bool = False
    was: data.Data | None = None

    def key(self) -> Any:
        """What a specialization depends on: of a batched leaf the type of one member's."""
        if self.axis == "static":
            return self.axis, Static(self.value if self.was is None else self.was)
        type_ = type_of(self.value)
        if self.axis == 0:
            type_ = dataclasses.replace(type_, shape=type_.shape[1:])
        return self.axis, (type_, self.weak)


@dataclasses.dataclass(frozen=True)
class Arguments:
    """The arguments of one call, taken apart.

    Attributes:
      trees: the structure of each parameter's value.
      leaves: all leaves, in order.
      batch_size: B.
      widths: what a Python number is in the program.
      bound: how many leaves are objects of a bound method, the first ones.
    """

    trees: Mapping[str, pytree.Tree]
    leaves: tuple[LeafArgument, ...]
    batch_size: int
    widths: widths.Widths
    bound: int = 0

    def batched(self) -> tuple[tf.Tensor, ...]:
        return tuple(leaf.value for leaf in self.leaves if leaf.axis == 0)

    def shared(self, parameter: str, index: int) -> tf.Tensor:
        """The value of a shared leaf."""
        return next(x.value for x in self.leaves if x.parameter == parameter and x.index == index)

    def signature(self) -> tuple[Any, ...]:
        """What a specialization depends on; compares with ==."""
        return tuple(self.trees.items()), tuple(leaf.key() for leaf in self.leaves)

    def abstract(self, store: SharedTensors) -> dict[str, Value]:
        """The abstract value of each parameter."""
        types = {x.path: x.key()[1][0] for x in self.leaves if x.axis != "static"}
        check_special(self.trees, types)
        store.reserved = frozenset(leaf.path for leaf in self.leaves if leaf.axis == 0)
        leaves: dict[str, list[Leaf]] = {name: [] for name in self.trees}
        for leaf in self.leaves:
            leaves[leaf.parameter].append(_abstract_leaf(leaf, store))
        return {
            name: Value(of_argument(tree), tuple(leaves[name])) for name, tree in self.trees.items()
        }


def _abstract_leaf(leaf: LeafArgument, store: SharedTensors) -> Leaf:
    match leaf.axis:
        case 0:
            return Tensor(TensorType(leaf.value.dtype.name, tuple(leaf.value.shape[1:])))
        case None:
            origin = Origin("argument", leaf.parameter, "", leaf.index)
            return store.share(leaf.path, type_of(leaf.value), origin, leaf.weak)
        case _:
            return Static(leaf.value)


def static_names(function: Callable[..., Any], given: str | Iterable[str]) -> tuple[str, ...]:
    """The static arguments' names, checked against the signature."""
    names = (given,) if isinstance(given, str) else tuple(given)
    parameters = inspect.signature(function).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for name in names:
        if name not in parameters and not takes_any:
            raise ArgumentError(
                f"{function.__name__}: static_argnames names {name!r}, which is no parameter "
                f"(they are {', '.join(parameters)})"
            )
    return names


def read(
    function: FunctionType,
    signature: inspect.Signature,
    bound: tuple[Any, ...],
    options: ArgumentOptions,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> Arguments:
    """Bind a call's arguments to the parameters and take them apart.

    Args:
      function: the user's function.
      signature: of the function.
      bound: `(self,)` for a method.
      options: which arguments are batched.
      args: positional arguments, batched values or tf.TensorSpecs with the batch on axis 0.
      kwargs: keyword arguments.

    Raises:
      ArgumentError: they do not fit the signature, or not together.
    """
    name = function.__name__
    given, supplied = _bind(name, signature, (*bound, *args), kwargs)
    parameters = list(signature.parameters)
    axes = _axes_by_parameter(name, parameters[len(bound) :], options)
    trees: dict[str, pytree.Tree] = {}
    leaves: list[LeafArgument] = []
    for position, (parameter, value) in enumerate(given.items()):
        is_static = parameter in options.static_argnames
        if position < len(bound):
            trees[parameter] = pytree.LEAF
            leaves.append(LeafArgument(parameter, parameter, 0, "static", value))
        elif is_static or parameter not in supplied:
            if is_static:
                _check_hashable(name, parameter, value)
            flat, trees[parameter] = large.parts(function, parameter, value)
            leaves += _static_leaves(parameter, flat, trees[parameter], store_tensors=not is_static)
        else:
            flat, trees[parameter] = pytree.flatten(with_texts(value, parameter))
            leaves += _leaves(function, parameter, flat, trees[parameter], axes[parameter])
    known = widths.of_arguments(x.value.dtype for x in leaves if x.axis != "static" and not x.weak)
    leaves = [_settled(leaf, known) if leaf.weak else leaf for leaf in leaves]
    return Arguments(trees, tuple(leaves), _batch_size(name, leaves), known, len(bound))


def _settled(leaf: LeafArgument, known: widths.Widths) -> LeafArgument:
    """A Python number for all members, as wide as the program's numbers."""
    dtype = known.shared_float
    if isinstance(leaf.value, int):
        with widths.using(known):
            dtype = widths.literal(leaf.value).dtype
    return dataclasses.replace(leaf, value=_to_tensor(leaf.path, leaf.value, dtype))


_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _bind(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Iterable[str]]:
    """The arguments by parameter, and the parameters that are no defaults."""
    parameters = signature.parameters
    by_position = not kwargs and len(args) == len(parameters)
    if by_position and all(p.kind in _BY_POSITION for p in parameters.values()):
        return dict(zip(parameters, args, strict=True)), parameters
    try:
        given = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise ArgumentError(f"{name}{signature}: {error}") from None
    supplied = set(given.arguments)
    given.apply_defaults()
    return given.arguments, supplied


def _check_hashable(name: str, parameter: str, value: Any) -> None:
    try:
        hash(value)
    except TypeError:
        raise ArgumentError(
            f"{name}: static argument `{parameter}` is {value!r}, which is not hashable.\n"
            "help: static arguments are part of a specialization's key: use a tuple instead of a "
            "list, a frozen dataclass instead of a dict"
        ) from None


def _static_leaves(
    parameter: str, flat: list[Any], tree: pytree.Tree, store_tensors: bool
) -> list[LeafArgument]:
    paths = pytree.paths(tree, parameter)
    return [
        LeafArgument(path, parameter, i, "static", x.value, was=x.was)
        if isinstance(x, large.Large)
        else LeafArgument(
            path, parameter, i, None if store_tensors and tf.is_tensor(x) else "static", x
        )
        for i, (path, x) in enumerate(zip(paths, flat, strict=True))
    ]


def _axes_by_parameter(
    name: str, parameters: list[str], options: ArgumentOptions
) -> dict[str, Any]:
    axes = options.in_axes
    if axes is None or isinstance(axes, int):
        return dict.fromkeys(parameters, axes)
    if isinstance(axes, Mapping):
        unknown = [k for k in axes if k not in parameters]
        if unknown:
            raise ArgumentError(f"{name}: in_axes names {unknown[0]!r}, which is no parameter")
        return {p: axes.get(p, 0) for p in parameters}
    if len(axes) != len(parameters):
        raise ArgumentError(
            f"{name}: in_axes has {len(axes)} entries for {len(parameters)} parameters "
            f"({', '.join(parameters)})"
        )
    return dict(zip(parameters, axes, strict=True))


def _leaves(
    function: FunctionType, parameter: str, flat: list[Any], tree: pytree.Tree, axes: Any
) -> Iterator[LeafArgument]:
    paths = pytree.paths(tree, parameter)
    spread = list(pytree.spread(axes, tree, f"in_axes of `{parameter}`"))
    for i, (path, leaf, axis) in enumerate(zip(paths, flat, spread, strict=True)):
        yield _leaf(function, path, parameter, i, axis, leaf)


def _leaf(
    function: FunctionType,
    path: str,
    parameter: str,
    index: int,
    axis: int | None,
    value: Any,
) -> LeafArgument:
    if value is None or isinstance(value, (str, type)) or callable(value):
        return LeafArgument(path, parameter, index, "static", value)
    weak = axis is None and type(value) in (int, float)
    if weak:
        return LeafArgument(path, parameter, index, axis, value, weak)
    if isinstance(value, tf.RaggedTensor):
        raise ArgumentError(
            f"argument `{path}` is a ragged tensor: an argument has one shape for all members.\n"
            "help: pass rows of one length, and the lengths beside them: "
            "rows.to_tensor(), rows.row_lengths()"
        )
    if not isinstance(value, (tf.Tensor, tf.TensorSpec)):
        value = _to_tensor(path, value)
    if axis == 0 and value.shape.rank == 0:
        place = frontend.parameter_place(function, parameter)
        raise ArgumentError(diagnostics.NoBatchAxis(place, path, parameter, function.__name__))
    if not value.shape.is_fully_defined():
        raise ArgumentError(
            f"argument `{path}` has no static shape: {value.shape}.\n"
            "help: the batch size and all other dimensions must be known when the program is "
            "traced: batch a tf.data.Dataset with drop_remainder=True, name all dimensions in an "
            "input_signature, or use tf.ensure_shape"
        )
    return LeafArgument(path, parameter, index, axis, value)


def _to_tensor(path: str, value: Any, dtype: tf.DType | None = None) -> tf.Tensor:
    if isinstance(value, np.ndarray) and value.dtype.kind not in "biufc":
        raise ArgumentError(f"argument `{path}` is an array of dtype {value.dtype}: no numbers")
    try:
        return tf.convert_to_tensor(value, dtype)
    except (ValueError, TypeError, OverflowError) as error:
        raise ArgumentError(
            f"argument `{path}` is {value!r}, which no tensor can hold: {error}\n"
            f"help: name `{path.split('.')[0]}` in static_argnames if it is a Python object"
            + _of_class(value)
        ) from None


def _of_class(value: Any) -> str:
    """What to do with an object that is to have a batch in its attributes."""
    kind: Any = type(value)
    if not plain_classes.is_plain(kind):
        return ""
    return f"\nor put @dataclasses.dataclass above `{kind.__name__}`, if it holds the batch"


def _batch_size(name: str, leaves: list[LeafArgument]) -> int:
    sizes = {x.path: int(x.value.shape[0]) for x in leaves if x.axis == 0}
    if not sizes:
        texts = next((x.parameter for x in leaves if isinstance(x.value, str)), None)
        batched = "one batched tensor (in_axes 0)"
        if texts is not None:
            batched = f"one batch: np.array({texts}) of a list of texts has one for each member"
        raise ArgumentError(
            f"{name}: no argument has a batch axis, so the batch size is unknown.\n"
            f"help: pass at least {batched}; for one example call .single(...)"
        )
    first_path, first = next(iter(sizes.items()))
    for path, size in sizes.items():
        if size != first:
            raise ArgumentError(
                f"{name}: the batch sizes differ: `{first_path}` has {first} members on axis 0, "
                f"`{path}` has {size}.\n"
                f"help: give every batched argument the same leading axis, or share one with "
                f"in_axes={{{path.split('.')[0]!r}: None}}"
            )
    return first


def of_example(args: Any) -> widths.Widths:
    """What a Python number is where plain Python runs one example: 64 bits wide if all are such.

    Beside tensors and arrays it is as wide as in a batch of them.
    """
    wide = {int: tf.int64, float: tf.float64}
    leaves, _ = pytree.flatten(args)
    numbers = [wide[type(x)] for x in leaves if type(x) in wide]
    arrays = [x.dtype for x in leaves if isinstance(x, (tf.Tensor, np.ndarray, np.generic))]
    given = [] if arrays else numbers
    return widths.of_arguments([*given, *(t for t in arrays if widths.kind(t) >= 0)])
