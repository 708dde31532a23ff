"""Log densities of a position and of discrete values; see `nuts.samplers.gibbs`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.errors import SamplingError
from nuts.run.density import OfOne
from nuts.run.discrete import Discrete
from nuts.run.space import Space
from nuts.samplers.count_slice import UNBOUNDED
from nuts.samplers.gibbs import Gibbs, Together
from nuts.structure import Structure

_PROBES = 4
"""How many positions are looked at to see whether terms are what they are said to be."""


class OfMixed(OfOne):
    """The log density of one position and of discrete values; a `nuts.run.density.Density`.

    Args:
      owner: what the user gave.
      target: takes a position and values by name. Returns the log density, or a dict of terms whose
        sum it is; a term that has the name and the shape of a variable has in each of its elements
        all that depends on that element of the variable.
      space: of positions.
      discrete: the variables.

    Attributes:
      together: the names of the variables that have such terms, as `check` has found them.
    """

    def __init__(
        self,
        owner: Any,
        target: Callable[[Structure, dict[str, tf.Tensor]], Any],
        space: Space,
        discrete: Discrete,
    ):
        self._target, self._discrete = target, discrete
        self.together: tuple[str, ...] = ()

        def log_density(position: Structure, values: tf.Tensor) -> tf.Tensor:
            return _total(target(position, discrete.space.unflatten(values)))

        super().__init__(owner, log_density, space)

    def gibbs(self) -> Gibbs:
        """What draws the values."""
        flat, slices = self._discrete.flat.tolist(), self._discrete.slices()
        together = tuple(
            Together(name, slices[name].start, tuple(flat[slices[name]])) for name in self.together
        )
        taken = {i for name in self.together for i in range(*slices[name].indices(len(flat)))}
        others = [i for i in range(len(flat)) if i not in taken]
        one_by_one = tuple(i for i in others if flat[i] != UNBOUNDED)
        counts = tuple(i for i in others if flat[i] == UNBOUNDED)
        return Gibbs(tuple(flat), one_by_one, together, counts)

    def terms(self, position: tf.Tensor, values: tf.Tensor, name: str) -> tf.Tensor:
        """The terms of a variable in a row: float[n]."""
        return tf.reshape(self._returned(position, values)[name], [-1])

    def _returned(self, position: tf.Tensor, values: tf.Tensor) -> Any:
        """What the target returns for vectors."""
        discrete = self._discrete.space.unflatten(values)
        return self._target(self._space.unflatten(position), discrete)

    def check(self, positions: tf.Tensor, *given: tf.Tensor) -> None:
        """See `Density`."""
        super().check(positions, *given)
        made = self._returned(positions[0], given[0][0])
        if not isinstance(made, dict):
            return
        supports = self._discrete.supports
        own = [name for name in supports if name in made]
        fit = [name for name in own if made[name].shape == supports[name].shape]
        wrong = [name for name in own if name not in fit]
        if wrong:
            name = wrong[0]
            raise SamplingError(
                f"the term {name} of the target has the shape {list(made[name].shape)}, and the "
                f"variable {list(supports[name].shape)}\nhelp: give one number for each element of "
                f"{name}, or another name to a term that is not of {name} alone"
            )
        for name in fit:
            self._check_terms(name, positions)
        # Those without a largest value are drawn one by one, whatever is known of their terms.
        self.together = tuple(name for name in fit if (supports[name] != UNBOUNDED).all())

    def _check_terms(self, name: str, positions: tf.Tensor) -> None:
        """Check that each element of a variable counts in its own term alone.

        Raises:
          SamplingError: a probe has found that it does not.
        """
        generator = np.random.RandomState(0)
        place, flat = self._discrete.slices()[name], self._discrete.likely
        for probe in range(_PROBES):
            noise = generator.uniform(-1, 1, positions.shape[-1]) * (probe > 0)
            position = positions[0] + tf.constant(noise, positions.dtype)
            before, after = generator.randint(flat, size=(2, flat.size))
            outside = np.ones(flat.size, bool)
            outside[place] = False
            after = np.where(outside, before, after)
            some = np.where(generator.uniform(size=flat.size) < 0.5, before, after)
            seen = [self._probe(position, values, name) for values in (before, after, some)]
            (of_before, rest), (of_after, rest_after), (of_some, rest_some) = seen
            wanted = np.where((some == after)[place], of_after, of_before)
            pairs = [(of_some, wanted), (rest_after, rest), (rest_some, rest)]
            if not all(_close(*pair) for pair in pairs):
                raise SamplingError(
                    f"the terms {name} of the target are not of one element of {name} each\n"
                    f"why: where some elements of {name} change, other terms change with them, so "
                    "that the elements cannot be drawn at once\n"
                    f"help: give the terms another name, such as all_{name}, or return their sum: "
                    "the elements are then drawn one by one"
                )

    def _probe(
        self, position: tf.Tensor, values: np.ndarray, name: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """The terms of a variable, and the sum of all other terms."""
        made = dict(self._returned(position, tf.constant(values, tf.int32)))
        terms = np.ravel(made.pop(name))
        return terms, np.asarray(_total(made)) if made else np.zeros(())


def _total(made: Any) -> Any:
    """The log density of what a target returns."""
    if not isinstance(made, dict):
        return made
    return tf.add_n([tf.reduce_sum(term) for term in made.values()])


def _close(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether numbers are equal up to rounding, where both are finite."""
    known = np.isfinite(one) & np.isfinite(other)
    rounding = 1e3 * np.finfo(one.dtype).eps
    apart = np.abs(one - other)[known]
    return bool((apart <= rounding * (1 + np.abs(one))[known]).all())
