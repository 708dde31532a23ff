"""What is wrong with `init`, and what is no target, said before any sampling starts."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import tensorflow as tf

import pcbatch
from nuts.errors import SamplingError
from nuts.results.draws import Ending
from nuts.run.discrete import Discrete
from nuts.run.space import Space
from nuts.run.target import is_distribution, is_model
from nuts.structure import Structure


def check_kind(target: Any, batched_target: bool, discrete: bool = False) -> None:
    """Check that the target is something that can be sampled.

    Raises:
      SamplingError: it is neither a function nor a distribution; or it takes one position, whatever
        `batched_target` says; or `discrete` is not for it.
    """
    stated = is_distribution(target) or is_model(target)
    if not callable(target) and not stated:
        raise SamplingError(
            "target must be a function of one position or a pinned joint distribution, not "
            f"{target!r}{_how_to_give(target)}"
        )
    if batched_target and (stated or isinstance(target, pcbatch.Autobatched)):
        raise SamplingError(
            "batched_target=True is for a function of all chains' positions; a joint distribution, "
            "a model or an autobatched function is given as it is, for one position"
        )

    other = is_model(target) or isinstance(target, pcbatch.Autobatched)
    if discrete and (batched_target or other):
        raise SamplingError(
            "discrete=... is for a function in plain TensorFlow of one position and of discrete "
            "values, target(position, discrete), or for a joint distribution: not for "
            f"{'batched_target=True' if batched_target else repr(target)}"
        )


def check_takes_discrete(target: Callable[..., Any]) -> None:
    """Check that a function takes a position and discrete values.

    Raises:
      SamplingError: its parameters are others.
    """
    try:
        signature = inspect.signature(target)
    except ValueError:  # written in C: it has none to look at
        return
    try:
        signature.bind(None, None)
    except TypeError as error:
        raise SamplingError(
            f"with discrete=... the target takes a position and discrete values, but its "
            f"parameters are {signature}\n"
            'help: def target(position, discrete): ... tf.cast(discrete["z"], tf.float32) ...'
        ) from error


def _how_to_give(target: Any) -> str:
    known = {"pymc": "from_pymc", "bridgestan": "from_stan"}
    function = known.get(type(target).__module__.partition(".")[0])
    return f"\nhelp: nuts.sample(nuts.{function}(model), ...)" if function else ""


def read_init(init: Structure, num_chains: int) -> tuple[Space, Structure | None]:
    """Find out what one chain's position looks like, and where chains start.

    Args:
      init: a structure of arrays for one chain, or with an axis of `num_chains` in front of every
        leaf, or of `tf.TensorSpec` for one chain; or the `Ending` of a fit of so many chains.
      num_chains: the number of chains.

    Returns:
      The space of positions, and the structure of starts with the axis of chains; None for the
      latter where only shapes were given.

    Raises:
      SamplingError: a leaf is not floating, dtypes differ, there is no leaf, or it cannot be told
        whether a leaf has an axis of chains.
    """
    if isinstance(init, Ending):
        return _starts(tf.nest.map_structure(tf.convert_to_tensor, init.of_position))
    leaves = tf.nest.flatten(init)
    if not leaves:
        raise SamplingError("init has no tensor in it")
    are_specs = [isinstance(leaf, tf.TypeSpec) for leaf in leaves]
    if all(are_specs):
        _check_dtypes([leaf.dtype for leaf in leaves])
        for leaf in leaves:
            if not leaf.shape.is_fully_defined():
                raise SamplingError(f"init must give every size, but it has {leaf}")
        return Space(init), None
    if any(are_specs):
        raise SamplingError("init must give all leaves as arrays or all as tf.TensorSpec")
    try:
        tensors = tf.nest.map_structure(tf.convert_to_tensor, init)
    except (TypeError, ValueError) as error:
        raise SamplingError(f"init must be a structure of arrays of numbers: {error}") from error
    leaves = tf.nest.flatten(tensors)
    _check_dtypes([leaf.dtype for leaf in leaves])
    batched = all(leaf.shape.rank and leaf.shape[0] == num_chains for leaf in leaves)
    if batched and len(leaves) == 1 and leaves[0].shape.rank == 1 and num_chains > 1:
        raise SamplingError(
            f"init has shape [{num_chains}] and num_chains is {num_chains}: one position for all "
            "chains, or one number for each? Give one row per chain, as in "
            "tf.broadcast_to(init, [num_chains, *init.shape]) or init[:, tf.newaxis]"
        )
    if batched:
        return _starts(tensors)
    return _starts(
        tf.nest.map_structure(lambda t: tf.broadcast_to(t, [num_chains, *t.shape]), tensors)
    )


def read_values(init: Structure | None, discrete: Discrete | None) -> tf.Tensor | None:
    """Find the discrete values that a fit ended with: int32[num_chains, K]; None without a fit.

    Raises:
      SamplingError: they are not of these variables.
    """
    if not isinstance(init, Ending):
        return None
    values, supports = init.discrete or {}, discrete.supports if discrete is not None else {}
    here = {name: x.shape for name, x in supports.items()}
    there = {name: x.shape[1:] for name, x in values.items()}
    if here != there or any((x >= supports[name]).any() for name, x in values.items()):
        raise SamplingError(
            f"init is a fit with the discrete variables {there or 'of none'}, and this call has "
            f"{here or 'none'}\nhelp: give the discrete=... with which the fit was made"
        )
    return None if discrete is None else discrete.space.flatten(values)


def _starts(tensors: Structure) -> tuple[Space, Structure]:
    """The space of one chain's position, and the positions of all: float[num_chains, ...]."""
    specs = tf.nest.map_structure(lambda t: tf.TensorSpec(t.shape[1:], t.dtype), tensors)
    return Space(specs), tensors


def check_is_one_position(
    target: Callable[[Structure], Any], init: Structure, num_chains: int
) -> None:
    """Check that what is taken for the one position of all chains is not a wrong number of starts.

    Raises:
      SamplingError: the target takes each row of it as well.
    """
    if isinstance(init, Ending):
        return
    if any(isinstance(leaf, tf.TypeSpec) for leaf in tf.nest.flatten(init)):
        return
    tensors = tf.nest.map_structure(tf.convert_to_tensor, init)
    leaves = tf.nest.flatten(tensors)
    sizes = {leaf.shape[0] if leaf.shape.rank else 1 for leaf in leaves}
    vector = len(leaves) == 1 and leaves[0].shape.rank == 1
    if vector or len(sizes) > 1 or sizes & {0, 1, num_chains}:
        return
    try:
        value = target(tf.nest.map_structure(lambda leaf: leaf[0], tensors))
    except Exception:  # whatever a function says of another form: it does not take it
        return
    if not tf.is_tensor(value) or value.shape.rank:
        return
    count = sizes.pop()
    raise SamplingError(
        f"init is {count} rows and num_chains is {num_chains}: one position for all chains, or "
        f"{count} starts? The target takes both all rows and one of them. Give as many starts as "
        f"there are chains; if it is one position, tf.broadcast_to(x, [{num_chains}, *x.shape]) "
        "of each leaf"
    )


def check_init_fits(space: Space, wanted: Space) -> None:
    """Check that the positions of `init` are those that a joint distribution has.

    Raises:
      SamplingError: the structures or the shapes differ.
    """
    try:
        tf.nest.assert_same_structure(space.specs, wanted.specs)
        same = [x.shape for x in space.leaves] == [x.shape for x in wanted.leaves]
    except (TypeError, ValueError):
        same = False
    if not same:
        raise SamplingError(
            f"init has the form {space.specs}, but the distribution, in unconstrained space, "
            f"{wanted.specs}"
        )
    if space.dtype != wanted.dtype:
        raise SamplingError(
            f"init has {space.dtype.name}, and positions of the target are {wanted.dtype.name}"
        )


def _check_dtypes(dtypes: list[tf.DType]) -> None:
    for dtype in dtypes:
        if dtype not in (tf.float32, tf.float64):
            raise SamplingError(f"positions must be float32 or float64, but init has {dtype.name}")
    if len(set(dtypes)) > 1:
        names = ", ".join(sorted({dtype.name for dtype in dtypes}))
        raise SamplingError(f"all leaves of init must have one dtype, but it has {names}")
