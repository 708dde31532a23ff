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
        self._result: pytree.Tree | None = None
        self._pullback: FromJax | None = None

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
        moving = [i for i, x in enumerate(tensors) if x.dtype.is_floating]
        smooth = [i for i, x in enumerate(results) if x.dtype.is_floating]

        def gradient(*upstream: tf.Tensor) -> list[tf.Tensor | None]:
            if any(x.dtype.is_complex for x in (*tensors, *results)):
                raise PcbatchError(
                    f"{self._name} has complex numbers, and from_jax has no gradient of those: "
                    "TensorFlow and JAX mean conjugates by it\n"
                    "help: give and return real and imaginary parts"
                )
            if self._pullback is None:
                self._pullback = FromJax(self._slopes(moving, smooth))
            slopes = self._pullback(list(tensors), [upstream[i] for i in smooth])
            found = dict(zip(moving, slopes, strict=True))
            return [found.get(i) for i in range(len(tensors))]

        return results, gradient

    def _slopes(self, moving: Sequence[int], smooth: Sequence[int]) -> Callable[..., Any]:
        """The slopes of some arguments, of all of them and the slopes of some results; in JAX."""

        def slopes(leaves: list[Any], upstream: list[Any]) -> Any:
            import jax

            def of_moving(*these: Any) -> list[Any]:
                whole = dict(enumerate(leaves)) | dict(zip(moving, these, strict=True))
                results = self._leaves_of_result(*whole.values())
                return [results[i] for i in smooth]

            _, back = jax.vjp(of_moving, *(leaves[i] for i in moving))
            return back(upstream)

        slopes.__name__ = f"the gradient of {self._name}"
        return slopes


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
    gradient is JAX's (`jax.vjp`), of any order.

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
