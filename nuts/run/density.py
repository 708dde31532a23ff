"""Log densities that know when they are the same, so that a second call compiles nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol

import tensorflow as tf

import pcbatch
from nuts.errors import SamplingError
from nuts.run.non_finite import first_culprit
from nuts.run.recording import record, same
from nuts.run.space import Space
from nuts.sampler.trajectory import Evaluate, Point, Target, evaluate, evaluate_batch
from nuts.structure import Structure

_NO_HANDLER = re.compile(r"No FFI handler registered for (\w+)")
"""What TensorFlow says where a program of JAX's calls one of JAX's own routines."""


class Density(Protocol):
    """A log density of vectors: of one position float[D], or of those of all chains.

    It may take discrete values beside the position. Those of the same target that reads the same
    are equal, so that they share a compiled program.
    """

    @property
    def evaluate(self) -> Evaluate:
        """What gives its value and its gradient at a position, in a program."""

    def check(self, positions: tf.Tensor, *given: tf.Tensor) -> None:
        """Look at what the target returns, and note what it reads.

        Args:
          positions: float[chains, D], where chains start, or others of this form.
          *given: [chains, ...], what else the target takes.

        Raises:
          SamplingError: the log density is not one number of the dtype of positions for a chain,
            or has no gradient.
        """

    def points(self, positions: tf.Tensor, *given: tf.Tensor) -> Point:
        """Evaluate it at all chains' positions, float[chains, D], outside of a program."""

    def explain(self, positions: tf.Tensor, chain: int, *given: tf.Tensor) -> str:
        """Say what is not finite at one of the positions: the end of a sentence, or nothing."""


class Recorded:
    """What is equal to another of the same function and the same record.

    Args:
      owner: what the user gave: a function or a distribution.
      function: the log density of positions as the user sees them, and of what is given beside.
      space: those positions.
    """

    def __init__(self, owner: Any, function: Callable[..., tf.Tensor], space: Space):
        self._owner, self._function, self._space = owner, function, space
        self._record: str | None = None
        self._captured: list[Any] = []

    def __call__(self, position: tf.Tensor, *given: tf.Tensor) -> tf.Tensor:
        """The log density of a vector, or of those of all chains."""
        return self._function(self._space.unflatten(position), *given)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Recorded)
            and self._owner is other._owner
            and self._record is not None
            and self._record == other._record
            and len(self._captured) == len(other._captured)
            and all(map(same, self._captured, other._captured))
        )

    def __hash__(self) -> int:
        return hash((id(self._owner), self._record))

    def record(self, spec: tf.TensorSpec, *given: tf.TensorSpec) -> None:
        """Note what the function reads now.

        Args:
          spec: the vectors that it takes.
          *given: what else it takes.

        Raises:
          SamplingError: it takes what a position holds for numbers, at a line of the user's; or it
            does not use a leaf of the position.
        """
        self._record, self._captured = record(self._function, self._space, spec, *given)

    def _check(self, position: tf.Tensor, wrong_shape: str, *given: tf.Tensor) -> None:
        """As `Density.check`, at what the function takes; it has its own words for a shape."""
        value = self._tried(position, *given)
        if not tf.is_tensor(value):
            raise SamplingError(f"the target must return a tensor, not {type(value).__name__}")
        if value.shape != position.shape[:-1]:
            raise SamplingError(wrong_shape.format(list(value.shape)))
        check_dtype(value, position)
        if evaluate(self, position, *given).gradient is None:
            raise SamplingError(
                "the target has no gradient: TensorFlow cannot differentiate what it computes "
                "(NumPy inside it, an integer cast, a sample?)"
            )
        self.record(*(tf.TensorSpec(x.shape, x.dtype) for x in (position, *given)))

    def _tried(self, position: tf.Tensor, *given: tf.Tensor) -> Any:
        try:
            return self(position, *given)
        except TypeError as error:
            if not all(sign in str(error) for sign in ("as an abstract array", "'tensorflow.")):
                raise
            raise SamplingError(
                "the target is written in JAX, and is given tensors of TensorFlow's\n"
                "help: nuts.sample(nuts.from_jax(target), ...)"
            ) from error
        except tf.errors.NotFoundError as error:
            missing = _NO_HANDLER.search(str(error))
            if not missing:
                raise
            raise SamplingError(
                f"the target calls {missing[1]}, a routine of JAX's that TensorFlow does not have\n"
                "help: nuts.sample(nuts.from_jax(log_density), ...), the function in JAX being for "
                "one position, without batched_target, calls TensorFlow's linear algebra"
            ) from None

    def _explain(self, position: tf.Tensor, *given: tf.Tensor) -> str:
        culprit = first_culprit(lambda x: self(x, *given), position)
        return f". {culprit}" if culprit else ""


class OfOne(Recorded):
    """The log density of one position; a `Density`."""

    evaluate = staticmethod(evaluate)

    def check(self, positions: tf.Tensor, *given: tf.Tensor) -> None:
        """See `Density`."""
        wrong_shape = (
            "the target must return the log density of ONE position, a scalar; for a position of "
            f"{positions.shape[-1]} numbers it returned shape {{}}. Sum over data points and "
            "coordinates; give a function of a batch as batched_target=True"
        )
        self._check(positions[0], wrong_shape, *(x[0] for x in given))

    def points(self, positions: tf.Tensor, *given: tf.Tensor) -> Point:
        """See `Density`."""
        return evaluate_start(self, positions, given)

    def explain(self, positions: tf.Tensor, chain: int, *given: tf.Tensor) -> str:
        """See `Density`."""
        return self._explain(positions[chain], *(x[chain] for x in given))


class OfAll(Recorded):
    """The log densities of all chains' positions, float[chains, D]; a `Density`.

    Args:
      owner, function, space: as for `Recorded`; `space` is that of one chain's position.
      num_chains: the only number of positions that the function knows.
    """

    evaluate = staticmethod(evaluate_batch)

    def __init__(
        self,
        owner: Any,
        function: Callable[[Structure], tf.Tensor],
        space: Space,
        num_chains: int,
    ):
        super().__init__(owner, function, space)
        self._all = for_all_chains(super().__call__, num_chains)

    def __call__(self, position: tf.Tensor, *given: tf.Tensor) -> tf.Tensor:
        """The log densities of all chains' positions, or of one."""
        return self._all(position)

    def check(self, positions: tf.Tensor, *given: tf.Tensor) -> None:
        """See `Density`."""
        num_chains = positions.shape[0]
        wrong_shape = (
            "with batched_target=True the target must return one log density per chain, shape "
            f"[{num_chains}]; for the positions of {num_chains} chains it returned shape {{}}"
        )
        self._check(positions, wrong_shape)

    def points(self, positions: tf.Tensor, *given: tf.Tensor) -> Point:
        """See `Density`."""
        return evaluate(self, positions)

    def explain(self, positions: tf.Tensor, chain: int, *given: tf.Tensor) -> str:
        """See `Density`."""
        return self._explain(positions)


@pcbatch.autobatch(in_axes=(None, 0, 0), static_argnames=("target",), strategy="local")
def evaluate_start(target, position, given=()):
    """Evaluate a function where a chain starts: straight-line code, once, not worth compiling."""
    return evaluate(target, position, *given)


def for_all_chains(target: Target, num_chains: int) -> Target:
    """Let a function of all chains' positions be called with a batch of one, too.

    That is how `pcbatch` asks for the type of a result. The function itself may need its full
    batch, for instance where each chain has data of its own.

    Args:
      target: float[num_chains, D] -> float[num_chains].
      num_chains: the only batch that it knows.
    """

    def log_density(vectors: tf.Tensor) -> tf.Tensor:
        if vectors.shape[0] == num_chains:
            return target(vectors)
        if vectors.shape[0] != 1:
            raise ValueError(f"a target of {num_chains} chains was given {vectors.shape[0]}")
        return target(tf.repeat(vectors, num_chains, axis=0))[:1]

    return log_density


def check_dtype(value: tf.Tensor, position: tf.Tensor) -> None:
    """Check that a log density has the dtype of positions.

    Raises:
      SamplingError: it has another.
    """
    if value.dtype != position.dtype:
        raise SamplingError(
            f"the target returned {value.dtype.name} for a position in {position.dtype.name}"
        )
