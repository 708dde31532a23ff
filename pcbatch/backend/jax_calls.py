"""Calls of functions that are written in JAX, as operations of TensorFlow.

JAX lowers a function to StableHLO, which one operation of TensorFlow's, XlaCallModule, runs. The
operation knows its function, so that a batched one can take its place.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from pcbatch.backend.private import xla_operations

PLATFORM = "tpu"
"""For a CPU JAX would call LAPACK, which TensorFlow's XLA does not have. For a TPU it leaves matrix
decompositions to XLA, which writes them out on any platform."""
VERSION = "1.13.0"
"""Of StableHLO: TensorFlow 2.21 reads it, and JAX's own is younger. An older one has no form for
what JAX asks of the accuracy of a function."""
EXPANDED = {"Eigh", "Qr", "ProductOfElementaryHouseholderReflectors", "Sharding"}
"""What XLA itself writes out of what JAX calls by name."""
EMPTY = re.compile(
    r"stablehlo\.custom_call @AllocateBuffer\(\) : \(\) -> (tensor<(?:\d+x)*(.*?)>) "
)
"""`jnp.empty` of JAX 0.12 for a TPU: its type, and that of its elements."""
WIDE = (tf.float64, tf.int64, tf.uint64, tf.complex128)
"""Dtypes that JAX makes narrower unless it is told not to."""


class NotInXla(Exception):
    """TensorFlow's XLA does not have what JAX calls."""


class JaxFunction:
    """A function of arrays that is written in JAX, and gives a sequence of arrays.

    Args:
      function: it.
      name: what to call it in messages.
    """

    def __init__(self, function: Callable[..., Sequence[Any]], name: str):
        self._function, self._name = function, name
        self._batched: dict[tuple[int | None, ...], JaxFunction] = {}
        self._modules: dict[Any, _Module] = {}

    def __call__(self, *tensors: tf.Tensor) -> list[tf.Tensor]:
        """Call it on tensors, in a graph or eagerly.

        Raises:
          NotInXla: TensorFlow cannot run what JAX makes of it.
        """
        types = tuple((tuple(t.shape.as_list()), t.dtype.as_numpy_dtype) for t in tensors)
        if types not in self._modules:
            self._modules[types] = self._lowered(types)
        module = self._modules[types]
        _CALLED[_digest(module.content)] = Called(self, module.flops)
        return xla_operations.whole_module(module.content, tensors, module.results)

    def batched(self, axes: tuple[int | None, ...]) -> JaxFunction:
        """The same function of many members: for each argument 0, the axis of members, or None."""
        if axes not in self._batched:
            import jax

            self._batched[axes] = JaxFunction(jax.vmap(self._function, axes), self._name)
        return self._batched[axes]

    def _lowered(self, types: Sequence[tuple[tuple[int, ...], Any]]) -> _Module:
        import jax
        import jax.export
        from jax.extend import mlir

        with wide(jax, [dtype for _, dtype in types]):
            specs = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in types]
            compiled = jax.jit(self._function, keep_unused=True)
            made = jax.export.export(compiled, platforms=[PLATFORM])(*specs)
            cost = compiled.lower(*specs).cost_analysis() or {}
        text = EMPTY.sub(_zeros, made.mlir_module())
        unknown = sorted(set(re.findall(r"custom_call @(\w+)", text)) - EXPANDED)
        if unknown:
            raise NotInXla(_not_here(self._name, unknown))
        results = [tf.TensorSpec(x.shape, x.dtype) for x in made.out_avals]
        content = mlir.serialize_portable_artifact(text.encode(), VERSION)
        return _Module(content, results, float(cost.get("flops", 0.0)))


def _zeros(empty: re.Match[str]) -> str:
    """Zeros in the place of an array that JAX leaves empty, as JAX itself has it for a CPU."""
    whole, element = empty.groups()
    if element == "i1":
        return f"stablehlo.constant dense<false> : {whole} "
    zero = "0" if element.lstrip("u").startswith("i") else "0.0"
    zero = f"({zero}, {zero})" if element.startswith("complex") else zero
    return f"stablehlo.constant dense<{zero}> : {whole} "


class _Module(NamedTuple):
    """A function for arguments of some types.

    Attributes:
      content: it as serialized StableHLO.
      results: what it gives.
      flops: how many operations XLA counts in it; it counts the body of a loop once.
    """

    content: bytes
    results: list[tf.TensorSpec]
    flops: float


class Called(NamedTuple):
    """What an operation of TensorFlow's calls."""

    function: JaxFunction
    flops: float


_CALLED: dict[bytes, Called] = {}
"""By the digest of a module."""


def wide(jax: Any, dtypes: Sequence[Any]) -> Any:
    """The context in which JAX has numbers of 64 bits if an argument has some."""
    found = any(tf.as_dtype(dtype) in WIDE for dtype in dtypes)
    return jax.enable_x64(found or jax.config.jax_enable_x64)


def behind(op: tf.Operation) -> Called | None:
    """What an operation calls that is written in JAX; None: nothing."""
    is_call = op.type == "XlaCallModule"
    return _CALLED.get(_digest(op.get_attr("module"))) if is_call else None


def _digest(module: bytes) -> bytes:
    return hashlib.sha256(module).digest()


def _not_here(name: str, calls: list[str]) -> str:
    text = (
        f"{name} cannot be called from TensorFlow: JAX gives {', '.join(calls)} to a library that "
        "TensorFlow's XLA does not have"
    )
    if "LuDecomposition" in calls:
        text += (
            "\nhelp: for a covariance matrix take jnp.linalg.cholesky and "
            "jax.scipy.linalg.cho_solve instead of det, slogdet, solve or inv"
        )
    return text
