"""Log densities that know when they are the same, so that a second call compiles nothing.

A user's function may read what has changed since it was compiled: a list, a global, an array
written in place. Two calls of `nuts.sample` therefore share a compiled program only where they have
the same function *and* TensorFlow records the same operations, constants and tensors for it now.
The alternatives were to compare functions alone, which is wrong where data change, and to compile
in every call, which takes seconds.
"""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable
from typing import Any, Protocol

import tensorflow as tf

import pcbatch
from nuts.errors import SamplingError
from nuts.results.draws import named_draws
from nuts.run.non_finite import first_culprit, users_line
from nuts.run.space import Space
from nuts.sampler.trajectory import Evaluate, Point, Target, evaluate, evaluate_batch
from nuts.structure import Structure


class Density(Protocol):
    """A log density of vectors: of one position float[D], or of those of all chains.

    Those of the same target that reads the same are equal, so that they share a compiled program.
    """

    @property
    def evaluate(self) -> Evaluate:
        """What gives its value and its gradient at a position, in a program."""

    def check(self, positions: tf.Tensor) -> None:
        """Look at what the target returns, and note what it reads.

        Args:
          positions: float[chains, D], where chains start, or others of this form.

        Raises:
          SamplingError: the log density is not one number of the dtype of positions for a chain,
            or has no gradient.
        """

    def points(self, positions: tf.Tensor) -> Point:
        """Evaluate it at all chains' positions, float[chains, D], outside of a program."""

    def explain(self, positions: tf.Tensor, chain: int) -> str:
        """Say what is not finite at one of the positions: the end of a sentence, or nothing."""


class Recorded:
    """What is equal to another of the same function and the same record.

    Args:
      owner: what the user gave: a function or a distribution.
      function: the log density of positions as the user sees them.
      space: those positions.
    """

    def __init__(self, owner: Any, function: Callable[[Structure], tf.Tensor], space: Space):
        self._owner, self._function, self._space = owner, function, space
        self._record: str | None = None
        self._captured: list[Any] = []

    def __call__(self, position: tf.Tensor) -> tf.Tensor:
        """The log density of a vector, or of those of all chains."""
        return self._function(self._space.unflatten(position))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Recorded)
            and self._owner is other._owner
            and self._record is not None
            and self._record == other._record
            and len(self._captured) == len(other._captured)
            and all(map(_same, self._captured, other._captured))
        )

    def __hash__(self) -> int:
        return hash((id(self._owner), self._record))

    def record(self, spec: tf.TensorSpec) -> None:
        """Note what the function reads now.

        Args:
          spec: the vectors that it takes.

        Raises:
          SamplingError: it takes what a position holds for numbers, at a line of the user's; or it
            does not use a leaf of the position.
        """
        self._record, self._captured = _record(self._function, self._space, spec)

    def _check(self, position: tf.Tensor, wrong_shape: str) -> None:
        """As `Density.check`, at what the function takes; it has its own words for a shape."""
        value = self(position)
        if not tf.is_tensor(value):
            raise SamplingError(f"the target must return a tensor, not {type(value).__name__}")
        if value.shape != position.shape[:-1]:
            raise SamplingError(wrong_shape.format(list(value.shape)))
        check_dtype(value, position)
        if evaluate(self, position).gradient is None:
            raise SamplingError(
                "the target has no gradient: TensorFlow cannot differentiate what it computes "
                "(NumPy inside it, an integer cast, a sample?)"
            )
        self.record(tf.TensorSpec(position.shape, position.dtype))

    def _explain(self, position: tf.Tensor) -> str:
        culprit = first_culprit(self, position)
        return f". {culprit}" if culprit else ""


class OfOne(Recorded):
    """The log density of one position; a `Density`."""

    evaluate = staticmethod(evaluate)

    def check(self, positions: tf.Tensor) -> None:
        """See `Density`."""
        wrong_shape = (
            "the target must return the log density of ONE position, a scalar; for a position of "
            f"{positions.shape[-1]} numbers it returned shape {{}}. Sum over data points and "
            "coordinates; give a function of a batch as batched_target=True"
        )
        self._check(positions[0], wrong_shape)

    def points(self, positions: tf.Tensor) -> Point:
        """See `Density`."""
        return evaluate_start(self, positions)

    def explain(self, positions: tf.Tensor, chain: int) -> str:
        """See `Density`."""
        return self._explain(positions[chain])


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

    def __call__(self, position: tf.Tensor) -> tf.Tensor:
        """The log densities of all chains' positions, or of one."""
        return self._all(position)

    def check(self, positions: tf.Tensor) -> None:
        """See `Density`."""
        num_chains = positions.shape[0]
        wrong_shape = (
            "with batched_target=True the target must return one log density per chain, shape "
            f"[{num_chains}]; for the positions of {num_chains} chains it returned shape {{}}"
        )
        self._check(positions, wrong_shape)

    def points(self, positions: tf.Tensor) -> Point:
        """See `Density`."""
        return evaluate(self, positions)

    def explain(self, positions: tf.Tensor, chain: int) -> str:
        """See `Density`."""
        return self._explain(positions)


@pcbatch.autobatch(in_axes=(None, 0), static_argnames=("target",), strategy="local")
def evaluate_start(target, position):
    """Evaluate a function where a chain starts: straight-line code, once, not worth compiling."""
    return evaluate(target, position)


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


def _same(a: tf.Tensor, b: tf.Tensor) -> bool:
    """Whether two tensors, which never change, are equal bit for bit; handles are by identity."""
    if a is b or a.dtype != b.dtype or not (a.dtype.is_floating or a.dtype.is_integer):
        return a is b
    return a.shape == b.shape and a.numpy().tobytes() == b.numpy().tobytes()


def _record(
    function: Callable[[Structure], tf.Tensor], space: Space, spec: tf.TensorSpec
) -> tuple[str | None, list[Any]]:
    """The digest of the graph of a log density and its gradient, and the tensors it captures.

    None where TensorFlow cannot record it for a reason that the compiler explains better.

    Raises:
      SamplingError: it takes what a position holds for numbers, at a line of the user's; or it does
        not use a leaf of the position.
    """
    unused: list[str] = []

    @tf.function(autograph=False)
    def value_and_gradient(position: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        leaves = named_draws(space.unflatten(position))
        with tf.GradientTape() as tape:
            tape.watch(leaves)
            value = function(tf.nest.pack_sequence_as(space.specs, list(leaves.values())))
        gradients = tape.gradient(value, leaves)
        unused[:] = [name for name, gradient in gradients.items() if gradient is None]
        return value, [gradient for gradient in gradients.values() if gradient is not None]

    try:
        traced = value_and_gradient.get_concrete_function(spec)
    except _UNRECORDABLE as error:
        where = users_line(traceback.extract_tb(error.__traceback__))
        if where:
            raise SamplingError(
                f"the target wants a number of a position{where}\n{_WHY}"
            ) from error
        return None, []
    if unused:
        raise SamplingError(_unused(unused))
    definition = traced.graph.as_graph_def()
    _strip(definition)
    content = definition.SerializeToString(deterministic=True)
    return hashlib.sha256(content).hexdigest(), list(traced.captured_inputs)


_UNRECORDABLE = (TypeError, ValueError, AttributeError, NotImplementedError)
"""What TensorFlow raises where a recorded tensor is used as a number: as a condition, an index, by
`.numpy()` or by NumPy."""

_WHY = (
    "why: all chains go through the target together, so that a position there stands for those of "
    "all of them; Python's if, while, and, or, not, bool, int and float, and NumPy, want one "
    "number\n"
    "help: choose by tf.where(condition, this, that), or, where only one of them may be computed, "
    "by tf.cond(condition, lambda: this, lambda: that); loop by tf.while_loop; take tf.exp(x) for "
    "np.exp(x)"
)


def _unused(names: list[str]) -> str:
    told = ", ".join(names)
    return (
        f"the log density has no gradient with regard to {told}: it does not use it, or only in a "
        "way that TensorFlow cannot differentiate\n"
        "why: nothing would hold its chains, which would run away: the posterior is improper\n"
        f"help: give {told} a prior in the log density, or leave it out of init"
    )


def _strip(definition: Any) -> None:
    """Take out of a `GraphDef` what is new in every trace: names, and numbers of gradients.

    What those numbers stand for, a user's own gradient, is in the graph itself.
    """
    numbers = {node.name: str(i) for i, node in enumerate(definition.node)}
    for node in definition.node:
        node.name = numbers[node.name]
        node.attr.pop("_gradient_op_type", None)
        node.ClearField("experimental_debug_info")
        for i, source in enumerate(node.input):
            control, (name, *output) = source.startswith("^"), source.lstrip("^").split(":")
            node.input[i] = ":".join(["^" * control + numbers[name], *output])
