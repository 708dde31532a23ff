"""Plain Python inside a batched program: host calls, printing, the debugger.

Outside of a batched program (`.single`, or a plain call) the same functions run at once, on a batch
of one. Inside, inference turns a call of a `HostFunction` into the operation `ir.HostCall`.

Source: the send and receive pairs of graph program extraction in Swift for TensorFlow.
"""

from __future__ import annotations

import functools
import pdb
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch.errors import NOWHERE, HostCallError, Span
from pcbatch.semantics import pytree
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.interrupts import at_once
from pcbatch.semantics.texts import Text

HostCode = Callable[..., Any]
"""Takes the numbers of the members, int[K], and the arguments; returns the result."""


class HostPlan(NamedTuple):
    """What a call of a host function runs.

    Attributes:
      code: what runs.
      args, kwargs: the arguments that go to it.
      result: the structure of `tf.TensorSpec`s of its result; None: it has none.
      gradient: takes the arguments and `adjoint`, of the structure of the result, and returns the
        adjoints of `args`; None: no derivative is known.
    """

    code: HostCode
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    result: Any = None
    gradient: Callable[..., Any] | None = None


class HostFunction:
    """A function that runs in Python on the host, wherever it is called.

    Args:
      name: how users call it.
      plain: what it does when it is called outside of a batched program.
      plan: takes the arguments by position and by name, and the place of the call. An argument that
        only the running program knows is something opaque.
      sees_variables: pass the local variables of the calling function by name, too.
    """

    def __init__(
        self,
        name: str,
        plain: Callable[..., Any],
        plan: Callable[..., HostPlan],
        sees_variables: bool = False,
    ):
        self.__name__, self.__doc__ = name, plain.__doc__
        self.__wrapped__ = plain
        self.plan, self.sees_variables = plan, sees_variables

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<pcbatch.{self.__name__}>"

    def __reduce__(self) -> str:
        return self.__name__  # a global of this module


# --- host_call -----------------------------------------------------------------------------------


def _host_call(
    fn: Callable[..., Any],
    *args: Any,
    result: Any = None,
    gradient: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> Any:
    """Call plain Python from inside an autobatched function.

    Members that come to the call wait there. When no other member can move, `fn` is called once for
    each such place, with all the members that wait there, and the run goes on. It may have side
    effects: it runs exactly once for each member and each time that the member calls it, and the
    calls of one member run in the order of the program. Which members share a call depends on
    strategy, schedule and batch, so `fn` must treat each member by itself. Under
    `strategy="loop"` and in `.single` it is given one member at a time. Inside a `tf.function`
    no host can help, and the call is refused.

    Args:
      fn: takes the arguments for the K members that wait: each number or tensor in them is a NumPy
        array `[K, ...]` (a view where all members share it), each text one of texts; anything else
        comes as it is.
      *args, **kwargs: what to pass: numbers, tensors, buffers, structures of them, static objects.
      result: a structure of `tf.TensorSpec` for the result of one member; None: no result.
      gradient: takes what `fn` takes, and `adjoint=`: the derivative of what is differentiated with
        regard to the result, arrays `[K, ...]` in the structure of `result`. It returns a tuple
        with the derivative with regard to each of `args`: arrays `[K, ...]` in its structure, None
        for what has none. It runs once for each call on the way back. None: a gradient through the
        call is refused.

    Returns:
      The result, of the structure of `result`; `fn` must return arrays `[K, ...]`.

    Raises:
      HostCallError: `fn` raised, or returned something else; the message names the line.
    """
    named = {**kwargs, "result": result, "gradient": gradient}
    plan = _plan_host_call((fn, *args), named, None)
    args, kwargs = _map(_batch_of_one, plan.args), _map(_batch_of_one, plan.kwargs)
    name, spec = getattr(fn, "__name__", repr(fn)), plan.result
    arrays = run(plan.code, np.zeros(1, np.int64), args, kwargs, spec, name, None)
    tensors = [tf.convert_to_tensor(array[0]) for array in arrays]
    return pytree.unflatten(pytree.flatten(spec)[1], tensors) if spec is not None else None


def _plan_host_call(
    args: tuple[Any, ...], kwargs: Mapping[str, Any], span: Span | None
) -> HostPlan:
    if not args or not callable(args[0]):
        raise TypeError("host_call needs a Python function that is known before the program runs")
    fn, rest = args[0], {k: v for k, v in kwargs.items() if k not in ("result", "gradient")}
    gradient = kwargs.get("gradient")
    if gradient is not None and not callable(gradient):
        raise TypeError("host_call: gradient is a Python function that is known beforehand")
    if gradient is not None and rest:
        raise TypeError(f"host_call: with a gradient pass {', '.join(rest)} by position")
    result = _checked(kwargs.get("result"))
    return HostPlan(lambda members, *a, **k: fn(*a, **k), args[1:], rest, result, gradient)


def _checked(spec: Any) -> Any:
    for leaf in pytree.flatten(spec)[0] if spec is not None else ():
        if not (isinstance(leaf, tf.TensorSpec) and leaf.shape.is_fully_defined()):
            raise TypeError(
                f"host_call: result has {leaf!r}, which is no tf.TensorSpec of a static shape"
            )
        if np.dtype(leaf.dtype.as_numpy_dtype).kind == "O":
            raise TypeError(f"host_call: result has {leaf!r}; members have numbers only")
    return spec


def is_numeric(value: Any) -> bool:
    """Whether a value comes to the host as an array."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufc"
    return tf.is_tensor(value) or isinstance(value, (bool, int, float, complex, np.generic))


def _batch_of_one(value: Any) -> Any:
    value = value.array if isinstance(value, Buffer) else value
    return np.asarray(value)[None] if is_numeric(value) else value


def _map(fn: Callable[[Any], Any], value: Any) -> Any:
    leaves, tree = pytree.flatten(value)
    return pytree.unflatten(tree, map(fn, leaves))


def run(
    code: HostCode,
    members: np.ndarray,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    spec: Any,
    name: str,
    span: Span | None,
) -> tuple[np.ndarray, ...]:
    """Run the code of a host call for some members and check its result.

    Returns:
      One array per leaf of `spec` that is not None.

    Raises:
      HostCallError: it raised, or its result is not what `spec` says.
      KeyboardInterrupt: Ctrl-C, which a run otherwise hears between two slices only.
    """
    try:
        with at_once():
            result = code(members, *map(_with_texts, args), **_with_texts(dict(kwargs)))
    except Exception as error:  # the user's code may raise anything; it is passed on
        raise HostCallError(name, f"{type(error).__name__}: {error}", span) from error
    if spec is None:
        return ()
    wanted, tree = pytree.flatten(spec)
    leaves, found = pytree.flatten(result)
    if found != tree:
        why = f"it returned {found}, not the structure of `result`, of arrays of all members"
        raise HostCallError(name, why, span)
    pairs = zip(leaves, wanted, pytree.paths(tree, "result"), strict=True)
    return tuple(
        _array(leaf, spec, members.size, name, path, span)
        for leaf, spec, path in pairs
        if spec is not None
    )


def _with_texts(value: Any) -> Any:
    """An argument in which texts are arrays of Python's texts."""
    leaves, tree = pytree.flatten(value, stop=Text)
    if not any(isinstance(leaf, Text) for leaf in leaves):
        return value
    return pytree.unflatten(tree, [_decoded(x) if isinstance(x, Text) else x for x in leaves])


def _decoded(value: Text) -> np.ndarray:
    codes, lengths = (np.asarray(x) for x in (value.codes, value.length))
    rows = zip(codes.reshape([-1, codes.shape[-1]]), lengths.ravel(), strict=True)
    texts = ["".join(map(chr, row[:n])) for row, n in rows]
    return np.array(texts, np.str_).reshape(lengths.shape)


def _array(
    leaf: Any, spec: tf.TensorSpec, size: int, name: str, path: str, span: Span | None
) -> np.ndarray:
    array, dtype, shape = np.asarray(leaf), spec.dtype.as_numpy_dtype, (size, *spec.shape)
    if array.shape != shape or not np.can_cast(array.dtype, dtype, "same_kind"):
        raise HostCallError(
            name,
            f"{path} is {array.dtype}{list(array.shape)}, but for {size} members it must be "
            f"{spec.dtype.name}{list(shape)}",
            span,
        )
    return array.astype(dtype)


# --- debug_print ---------------------------------------------------------------------------------


def _debug_print(fmt: str, *args: Any, **kwargs: Any) -> None:
    """Print from inside an autobatched function, one line per member, with the member's number.

    Args:
      fmt: a format string as for `str.format`: `pcbatch.debug_print("x is {:.3f}", x)`.
      *args, **kwargs: what to format: numbers and tensors of the member, or anything static.
    """
    print(_formatted(fmt, args, kwargs))


def _formatted(fmt: str, args: Any, kwargs: Mapping[str, Any]) -> str:
    args, kwargs = _map(_plain, tuple(args)), _map(_plain, dict(kwargs))
    return fmt.format(*args, **kwargs)


def _plain(value: Any) -> Any:
    """A number as Python has it, so that every format code works; an array as NumPy has it."""
    if not is_numeric(value):
        return value
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array


def _print_members(members: np.ndarray, fmt: str, *args: Any, **kwargs: Any) -> None:
    for k, member in enumerate(members):
        pick = lambda x, k=k: x[k] if isinstance(x, np.ndarray) else x  # noqa: E731
        print(f"[{member}] {_formatted(fmt, _map(pick, args), _map(pick, kwargs))}")


def _plan_print(args: tuple[Any, ...], kwargs: Mapping[str, Any], span: Span | None) -> HostPlan:
    if not args or not isinstance(args[0], str):
        raise TypeError("debug_print needs a format string that is known before the program runs")
    return HostPlan(_print_members, args, kwargs)


# --- breakpoint ----------------------------------------------------------------------------------


def _breakpoint(**values: Any) -> None:
    """Stop in the debugger inside an autobatched function, for all members that come here.

    The debugger shows `members`, the numbers of the members that wait here, and the local variables
    of the function that are bound on every way here, all these members in a leading axis. Like
    Python's `breakpoint` it calls `sys.breakpointhook` where that has been replaced, with the
    keyword arguments `members` and `variables`.

    Args:
      **values: more values to show, by name.
    """
    caller = sys._getframe(2)  # `HostFunction.__call__` is between
    span = Span(caller.f_code.co_filename, caller.f_lineno, 1, 0, 0)
    _stop(span, np.zeros(1, np.int64), **(caller.f_locals | values))


def _stop(span: Span, members: np.ndarray, **variables: Any) -> None:
    if sys.breakpointhook is not sys.__breakpointhook__:
        sys.breakpointhook(members=members, variables=variables)
        return
    # pdb stops in a frame that has these variables and stands at the user's line.
    here = {"members": members, "variables": variables, "__stop__": pdb.set_trace}
    here.update((name, value) for name, value in variables.items() if name.isidentifier())
    line = max(span.line, 2)
    exec(compile("\n" * (line - 2) + "__stop__()\npass", span.file, "exec"), here)


def _plan_breakpoint(
    args: tuple[Any, ...], kwargs: Mapping[str, Any], span: Span | None
) -> HostPlan:
    if args:
        raise TypeError("breakpoint takes keyword arguments only")
    return HostPlan(functools.partial(_stop, span or NOWHERE), (), kwargs)


host_call = HostFunction("host_call", _host_call, _plan_host_call)
debug_print = HostFunction("debug_print", _debug_print, _plan_print)
breakpoint = HostFunction("breakpoint", _breakpoint, _plan_breakpoint, sees_variables=True)
