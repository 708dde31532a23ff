"""Models of libraries that state their posteriors in JAX, as targets of `nuts.sample`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from nuts.errors import SamplingError
from nuts.structure import Structure


class JaxModel:
    """The posterior of such a model; made by `nuts.from_numpyro` and `nuts.from_pymc`.

    Args:
      log_density: JAX, the log density of one position in the library's unconstrained space, a dict
        by variable.
      specs: the form of a position, a `tf.TensorSpec` for each variable.
      constrain: JAX, what the model's user wants to see of one position, a dict by name.
      dims: for what the user sees, the names of its axes.
      coords: for the name of an axis, the labels along it.

    Attributes:
      log_density: the same as a function of tensors.
      specs, dims, coords: as given.
    """

    def __init__(
        self,
        log_density: Callable[[Any], Any],
        specs: Mapping[str, tf.TensorSpec],
        constrain: Callable[[Any], Any],
        dims: Mapping[str, Sequence[str]] | None = None,
        coords: Mapping[str, Sequence[Any]] | None = None,
    ):
        self.log_density, self._constrain = pcbatch.from_jax(log_density), constrain
        self.specs = dict(sorted(specs.items()))
        self.dims, self.coords = dict(dims or {}), dict(coords or {})

    def check(self) -> None:
        """Trace all of it, which raises what JAX or TensorFlow have against it."""
        _ = self.shown
        tf.function(self._slopes, autograph=False).get_concrete_function(self.specs)

    @functools.cached_property
    def shown(self) -> dict[str, tf.TensorSpec]:
        """The form of what the model's user wants to see of one position."""
        import jax

        form = {
            name: jax.ShapeDtypeStruct(spec.shape, spec.dtype.as_numpy_dtype)
            for name, spec in self.specs.items()
        }
        found = jax.eval_shape(self._constrain, form)
        return {name: tf.TensorSpec(x.shape, x.dtype) for name, x in sorted(found.items())}

    def _slopes(self, position: Structure) -> Structure:
        return tf.gradients(self.log_density(position), tf.nest.flatten(position))

    @functools.cached_property
    def _batched(self) -> Callable[[Any], Any]:
        """Compiled once for each number of positions: the slices of a run share it."""
        import jax

        return jax.jit(jax.vmap(self._constrain))

    def constrained(self, positions: Structure) -> Structure:
        """What the model's user wants to see of positions, `[n, ...]` in every leaf."""
        arrays = {name: np.asarray(x) for name, x in positions.items()}
        values = self._batched(arrays)
        return {name: tf.constant(np.asarray(x)) for name, x in sorted(values.items())}


def check_free(free: Sequence[str], discrete: Sequence[str], help_text: str) -> None:
    """Check that the variables of a model that are not observed can be sampled.

    Args:
      free: the names of all of them.
      discrete: of those that are discrete.
      help_text: what the library has for those.

    Raises:
      SamplingError: there is none, or one is discrete.
    """
    if discrete:
        raise SamplingError(
            f"discrete variables of the model are not observed: {', '.join(discrete)}\n"
            "why: NUTS follows the gradient of the log density, and a discrete value has none\n"
            f"help: {help_text}; or give nuts.sample the log density in TensorFlow, as a function "
            "of the position and of discrete values, and with discrete=... how many they have"
        )
    if not free:
        raise SamplingError("the model has no variable that is not observed: nothing to sample")


def not_installed(function: str, error: ImportError, packages: str) -> SamplingError:
    """What to raise where a library cannot be imported.

    Args:
      function: what needs it.
      error: what its import raised.
      packages: what pip is to install.
    """
    missing = error.name or str(error)
    return SamplingError(
        f"{function} needs {missing}, which is not installed: pip install {packages}"
    )
