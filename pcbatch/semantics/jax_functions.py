"""Functions that are written in JAX, for programs and for TensorFlow."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.backend.jax_calls import JaxFunction, NotInXla
from pcbatch.errors import ArgumentError, PcbatchError
from pcbatch.semantics import pytree


class FromJax:
    """A function of tensors that calls one in JAX; make it with `pcbatch.from_jax`."""

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function)
        self._function = function
        self._name = getattr(function, "__name__", type(function).__name__)
        self._flat: dict[Any, _Flat] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it on structures of tensors, arrays or numbers."""
        leaves, tree = pytree.flatten((args, kwargs))
        tensors = [_tensor(leaf, self._name) for leaf in leaves]
        form = tree, tuple((tuple(t.shape), t.dtype) for t in tensors)
        if form not in self._flat:  # what it returns may depend on all of that
            self._flat[form] = _Flat(self._function, self._name, tree)
        return self._flat[form](tensors)


class _Flat:
    """A function for arguments of one structure and of some types."""

    def __init__(self, function: Callable[..., Any], name: str, tree: pytree.Tree):
        self._function, self._name, self._tree = function, name, tree
        self._value = JaxFunction(self._leaves_of_result, name)
        self._slopes: dict[tuple[bool, ...], JaxFunction] = {}
        self._result: pytree.Tree | None = None

    def __call__(self, tensors: Sequence[tf.Tensor]) -> Any:
        leaves = tf.custom_gradient(self._with_gradient)(*tensors)
        assert self._result is not None
        return pytree.unflatten(self._result, leaves)

    def _leaves_of_result(self, *leaves: Any) -> tuple[Any, ...]:
        args, kwargs = pytree.unflatten(self._tree, leaves)
        result = self._function(*args, **kwargs)
        found, self._result = pytree.flatten(result)
        return tuple(found)

    def _with_gradient(self, *tensors: tf.Tensor) -> tuple[list[tf.Tensor], Any]:
        results = _called(self._value, tensors)
        smooth = tuple(t.dtype.is_floating for t in (*tensors, *results))

        def gradient(*upstream: tf.Tensor) -> list[tf.Tensor | None]:
            wanted = [g for g, r in zip(upstream, results, strict=True) if r.dtype.is_floating]
            pullback = self._pullback(smooth, len(tensors))
            slopes = iter(_called(pullback, (*tensors, *wanted)))
            return [next(slopes) if t.dtype.is_floating else None for t in tensors]

        return results, gradient

    def _pullback(self, smooth: tuple[bool, ...], number: int) -> JaxFunction:
        """The slopes of the floating arguments: of those, and of the slopes of such results."""
        if smooth not in self._slopes:

            def slopes(*values: Any) -> tuple[Any, ...]:
                import jax

                leaves, upstream = list(values[:number]), values[number:]
                moving = [i for i in range(number) if smooth[i]]

                def of_moving(*these: Any) -> tuple[Any, ...]:
                    whole = dict(enumerate(leaves)) | dict(zip(moving, these, strict=True))
                    results = self._leaves_of_result(*whole.values())
                    kept = zip(results, smooth[number:], strict=True)
                    return tuple(result for result, is_smooth in kept if is_smooth)

                _, back = jax.vjp(of_moving, *(leaves[i] for i in moving))
                return tuple(back(tuple(upstream)))

            self._slopes[smooth] = JaxFunction(slopes, f"the gradient of {self._name}")
        return self._slopes[smooth]


def _called(function: JaxFunction, tensors: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    try:
        return function(*tensors)
    except NotInXla as error:
        raise PcbatchError(str(error)) from None


def _tensor(leaf: Any, name: str) -> tf.Tensor:
    try:
        tensor = tf.convert_to_tensor(leaf)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: {leaf!r} is not a tensor, an array or a number") from error
    if not tensor.shape.is_fully_defined():
        raise ArgumentError(
            f"{name}: JAX wants every size, but an argument has the shape {tensor.shape}\n"
            "help: give the tf.function an input_signature without None, or tf.ensure_shape"
        )
    return tensor


def from_jax(function: Callable[..., Any]) -> FromJax:
    """Make a function that is written in JAX one that TensorFlow and programs can call.

    It runs within the same XLA computation as what calls it. In an autobatched function, and under
    `pcbatch.vectorize`, it is called for one member, and `jax.vmap` makes it one for all. Its
    gradient is JAX's (`jax.vjp`), of first order.

    Args:
      function: takes structures (tuples, lists, dicts, NamedTuples) of arrays and returns one. It
        is traced: for conditions and loops that depend on values it needs `jax.lax`, or it is
        called from an autobatched function, which has them.

    Returns:
      A callable of tensors. Numbers of 64 bits stay what they are, whether JAX is told to keep such
      or not.

    Raises:
      PcbatchError: in a call: TensorFlow's XLA does not have what JAX calls, such as an LU
        decomposition.
    """
    return FromJax(function)
