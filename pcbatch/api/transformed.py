"""`pcbatch.grad`, `pcbatch.value_and_grad`, `pcbatch.checkpoint` and `pcbatch.jvp`."""

from __future__ import annotations

import dataclasses
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.api.autobatched import Autobatched
from pcbatch.api.decorate import autobatch
from pcbatch.errors import ArgumentError, ProgramError, Span
from pcbatch.infer.calls import Callee
from pcbatch.runtime.arguments import ArgumentOptions
from pcbatch.semantics import pytree
from pcbatch.semantics.plain_runs import plain_run
from pcbatch.semantics.static_values import Closure
from pcbatch.semantics.transformations import (
    ForwardMode,
    Gradient,
    OfNested,
    Recomputed,
    Transformation,
)


def value_and_grad(fn: Any, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Any:
    """Make the function that gives the value of another one, and its gradient.

    Args:
      fn: an autobatched function, or a Python function of one example, that returns a float for
        each member.
      argnums: the position of the argument with regard to which it is differentiated, or a tuple of
        positions. Of a structure each float is; None stands for what is no float.
      has_aux: `fn` returns a pair: the float, and something beside that is handed on.

    Returns:
      An autobatched function of the same arguments, with the same options. It returns the pair
      (value, gradient), or ((value, aux), gradient) with `has_aux`. The gradient is that of each
      member alone: of an argument that all members share there is one for each. It has the form of
      the argument, for several positions a tuple of them. A member that fails has a status, as
      without the gradient.

    Raises:
      ArgumentError: `argnums` is no position.
    """
    return _made(fn, _gradient(argnums, has_aux, with_value=True))


def grad(fn: Any, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Any:
    """Make the function that gives the gradient of another one.

    Args, Raises: see `value_and_grad`.

    Returns:
      As `value_and_grad`, without the value: the gradient, or the pair (gradient, aux).
    """
    return _made(fn, _gradient(argnums, has_aux, with_value=False))


def checkpoint(fn: Any) -> Any:
    """Make the same function, of which a gradient records the arguments only.

    The way back computes a call of it again when it comes there, and only then records what the
    call does. So a run needs memory for one call at a time, and about as much time again as the
    calls take without a gradient. Without a gradient nothing changes.

    Args:
      fn: an autobatched function, or a Python function of one example. It is given no list and
        changes none of outside, calls no Python on the host, and does not call itself.

    Returns:
      An autobatched function of the same arguments, with the same options.

    Source: Griewank and Walther 2008, chapter 12 (checkpointing of calls).
    """
    return _made(fn, Recomputed())


def _jvp(fn: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    """Run a function, and give the derivative of its result along a direction: forward mode.

    Nothing is recorded. In a program it is for one member, elsewhere it runs a batch.

    Args:
      fn: an autobatched function, or a Python function of one example.
      primals: the tuple of its arguments, by position.
      tangents: how each of them moves, a tuple: floats, arrays and structures like the argument. A
        number stands for all members. None stands for what does not move, and for what is no float.

    Returns:
      The pair (result, tangent of the result). The tangent has the form of the result, with None
      for what is no float.

    Raises:
      ArgumentError: `fn` is no function, or the arguments and their tangents are no tuples.
      ProgramError: the tangents do not fit the arguments.
      MemberError: some member failed.
    """
    if isinstance(fn, Closure) or not callable(fn):
        raise ArgumentError(f"jvp is of a function, not of {fn!r}")
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple):
        raise ArgumentError(
            "jvp takes the arguments and their tangents as tuples: "
            "pcbatch.jvp(f, (x, n), (dx, None))"
        )
    of = fn if isinstance(fn, Autobatched) else _autobatched(fn)
    if "jvp" not in of.transformed:
        of.transformed["jvp"] = _program_of(of)
    if len(primals) == len(tangents):
        tangents = tuple(map(_of_all_members, primals, tangents))
    try:
        return of.transformed["jvp"](primals, tangents)
    except ProgramError as error:
        if error.diagnostic.span.file != __file__:
            raise
        caller = sys._getframe(2)  # `ForwardMode.__call__` is between
        here = Span(caller.f_code.co_filename, caller.f_lineno, 1, 0, 0)
        raise ProgramError(dataclasses.replace(error.diagnostic, span=here)) from None


def _of_all_members(primal: Any, tangent: Any) -> Any:
    """A tangent in which a number is one for each member of a batch."""
    leaves, tree = pytree.flatten(primal)
    moves, same = pytree.flatten(tangent)
    if tree != same:
        return tangent
    return pytree.unflatten(tree, [
        np.full(np.shape(x), t, np.asarray(x).dtype) if type(t) in (int, float) else t
        for x, t in zip(leaves, moves, strict=True)
    ])  # fmt: skip


jvp = ForwardMode("jvp", _jvp)


def _program_of(fn: Autobatched) -> Autobatched:
    def program(primals: Any, tangents: Any) -> Any:
        return jvp(fn, primals, tangents)

    made = autobatch(program)
    return OfInterpreter(made._function, made._options, fn._defaults)


def _gradient(argnums: int | tuple[int, ...], has_aux: bool, with_value: bool) -> Gradient:
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    if not isinstance(numbers, tuple) or not all(isinstance(n, int) for n in numbers):
        raise ArgumentError(f"argnums is a position, or a tuple of positions, not {argnums!r}")
    return Gradient(argnums, bool(has_aux), with_value)


def _made(fn: Any, by: Transformation) -> Any:
    if isinstance(fn, Closure) or _is_of_nested(fn):
        return functools.partial(OfNested(by), fn)
    if not callable(fn):
        raise ArgumentError(f"{by.name} is of a function, not of {fn!r}")
    if not isinstance(fn, Autobatched):
        return _of(_autobatched(fn), by)
    if by not in fn.transformed:  # written in a call, it must not be compiled at each
        fn.transformed[by] = _of(fn, by)
    return fn.transformed[by]


def _of(fn: Autobatched, by: Transformation) -> TransformedFunction:
    return (GradientFunction if isinstance(by, Gradient) else TransformedFunction)(fn, by)


def _is_of_nested(fn: Any) -> bool:
    return isinstance(fn, functools.partial) and isinstance(fn.func, OfNested)


def _autobatched(fn: Callable[..., Any]) -> Autobatched:
    if isinstance(fn, types.FunctionType) and not hasattr(fn, "__wrapped__"):
        return autobatch(fn)

    def call(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    call.__name__ = getattr(fn, "__name__", type(fn).__name__)
    return autobatch(call)


class TransformedFunction(Autobatched):
    """What a transformation has made of an autobatched function."""

    def __init__(self, of: Autobatched, by: Transformation):
        super().__init__(of._function, of._options, of._defaults, of._bound, of)
        self._of, self._by = of, by
        self.unbound = self
        if of._bound:
            assert isinstance(of.unbound, Autobatched)
            self.unbound = type(self)(of.unbound, by)
        self.__name__ = f"{by.name}_{of.__name__}"
        self.__qualname__ = f"{by.name}({of.__qualname__})"

    @functools.cached_property
    def _callee(self) -> Callee:
        of = self._of._callee
        return dataclasses.replace(of, transformations=(*of.transformations, self._by))

    @tf.autograph.experimental.do_not_convert
    def single(self, *args: Any, **kwargs: Any) -> Any:
        """What the function itself gives for one example."""
        return self._of.single(*args, **kwargs)

    def _like(self, options: ArgumentOptions) -> Autobatched:
        return type(self)(self._of._like(options), self._by)

    def bind(self, owner: Any) -> Autobatched:
        """The same of an object's method."""
        return type(self)(self._of.bind(owner), self._by)

    def __reduce_ex__(self, protocol: Any) -> str | tuple[Any, ...]:
        """Pickle the function that it is made of."""
        return type(self), (self._of, self._by)


class OfInterpreter(Autobatched):
    """What plain Python cannot compute."""

    @tf.autograph.experimental.do_not_convert
    def single(self, *args: Any, **kwargs: Any) -> Any:
        """The result for one example, by the reference interpreter and TensorFlow's derivatives.

        Plain Python has no gradients, and `math.sin(x)` would hide its argument from a tape.
        """
        with plain_run(False):
            names = self._options.static_argnames
            bound = self._signature.bind(*self._bound, *args, **kwargs)
            given = list(bound.arguments.items())[len(self._bound) :]
            for name, value in given:
                if name not in names:
                    bound.arguments[name] = _mapped(_batch_of_one, value)
            rest = bound.args[len(self._bound) :]
            result = self.run(*rest, in_axes=0, strategy="loop", throw=True, **bound.kwargs)
        return _mapped(_only, result.value)


class GradientFunction(OfInterpreter, TransformedFunction):
    """The gradient of an autobatched function; made by `grad` and `value_and_grad`."""


def _mapped(fn: Callable[[Any], Any], value: Any) -> Any:
    leaves, tree = pytree.flatten(value)
    return pytree.unflatten(tree, [fn(leaf) for leaf in leaves])


def _batch_of_one(leaf: Any) -> Any:
    if isinstance(leaf, bool | int | float | np.generic | np.ndarray | tf.Tensor):
        return np.asarray(leaf)[np.newaxis]
    return leaf


def _only(leaf: Any) -> Any:
    """What the only member has: a number or an array."""
    if not isinstance(leaf, tf.Tensor):
        return leaf
    row = leaf.numpy()[0]
    return row.item() if np.ndim(row) == 0 else row
