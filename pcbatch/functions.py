"""What Python's builtin functions mean on the values of one member.

The frontend sends calls of the builtins in `FUNCTIONS`, and whatever is iterated over inside an
expression, here. Where no tensor takes part, Python decides.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf

from pcbatch import structure
from pcbatch.operators import (
    binary,
    compare,
    is_tensor,
    is_weak,
    mark_weak,
    promote,
    truth,
)

__all__ = ["FUNCTIONS", "builtin", "iterated"]

MAX_ITERATED = 10_000
"""More rows of a tensor than this, each with code of its own, are taken for a mistake."""

_REQUIRED = object()


def iterated(value: Any, pattern: tuple[Any, ...] | None = None) -> Any:
    """Return what an expression iterates over: a tensor becomes a list of its rows.

    Args:
      value: a tensor with a static leading axis, or anything that Python can iterate over.
      pattern: how the target takes each element apart: None for a name, else one pattern per part,
        () where the parts are all names. A tensor that is taken apart becomes a list, too.

    Raises:
      TypeError: the value is a scalar tensor.
      ValueError: its leading axis is not static, or too long.
    """
    items = _rows(value) if is_tensor(value) else value
    return items if pattern is None else (_opened(item, pattern) for item in items)


def _rows(value: Any) -> list[Any]:
    if value.shape.rank == 0:
        raise TypeError("a scalar tensor cannot be iterated over")
    if value.shape.rank is None or value.shape[0] is None:
        raise ValueError("iterating over a tensor needs a static leading dimension")
    if value.shape[0] > MAX_ITERATED:
        raise ValueError(
            f"an expression takes each of the {value.shape[0]} rows of this tensor on its own, "
            f"and more than {MAX_ITERATED} are too many: use operations on whole tensors"
        )
    rows: list[Any] = tf.unstack(value)
    return [mark_weak(row) for row in rows] if is_weak(value) else rows


def _opened(value: Any, pattern: tuple[Any, ...] | None) -> Any:
    if pattern is None:
        return value
    parts = iterated(value)
    if not any(part is not None for part in pattern):
        return parts
    parts = list(parts)
    if len(parts) != len(pattern):  # Python says so.
        return parts
    return [_opened(part, inner) for part, inner in zip(parts, pattern, strict=True)]


# --- Numbers -----------------------------------------------------------------------------------


def _absolute(value: Any) -> Any:
    return mark_weak(abs(value)) if is_weak(value) else abs(value)


def _to_int(value: Any) -> Any:
    if value.dtype.is_integer:
        return value
    return mark_weak(tf.cast(value, tf.int32))


def _to_float(value: Any) -> Any:
    return value if value.dtype.is_floating else mark_weak(tf.cast(value, tf.float32))


def _round(value: Any, digits: int | None = None) -> Any:
    if digits is not None:
        scale = 10.0**digits
        rounded = tf.round(value * scale) / scale
        return mark_weak(rounded) if is_weak(value) else rounded
    return value if value.dtype.is_integer else mark_weak(tf.cast(tf.round(value), tf.int32))


def _power(base: Any, exponent: Any, modulus: Any = None) -> Any:
    if modulus is not None:
        raise TypeError("pow() with a modulus takes Python integers, not tensors")
    return binary("**", base, exponent)


def _divmod(a: Any, b: Any) -> Any:
    return binary("//", a, b), binary("%", a, b)


def _length(value: Any) -> int:
    if not is_tensor(value):  # A container of tensors.
        return len(value)
    if value.shape.rank == 0:
        raise TypeError("a scalar tensor has no len()")
    return int(value.shape[0])


# --- Sequences ---------------------------------------------------------------------------------


def _sum(values: Any, start: Any = 0) -> Any:
    if is_tensor(values):
        return binary("+", tf.reduce_sum(values, axis=0), start)
    return functools.reduce(lambda a, b: binary("+", a, b), values, start)


def _any(values: Any, deciding: bool = True) -> Any:
    """Whether an element is true; with `deciding=False` whether all are, the other way round."""
    reduce, join = (tf.reduce_any, tf.logical_or) if deciding else (tf.reduce_all, tf.logical_and)
    if is_tensor(values) and values.shape.rank == 1:
        return reduce(values if values.dtype == tf.bool else tf.not_equal(values, 0))
    result: Any = not deciding
    for value in iterated(values):
        holds = truth(value)
        if is_tensor(holds):
            result = join(result, holds) if is_tensor(result) else holds
        elif holds == deciding:
            return deciding
    return result


def _all(values: Any) -> Any:
    return _any(values, False)


def _extremum(name: str, *args: Any, key: Any = None, default: Any = _REQUIRED) -> Any:
    """`min` or `max`: of equal elements the first."""
    elementwise, reduce = {
        "min": (tf.minimum, tf.reduce_min),
        "max": (tf.maximum, tf.reduce_max),
    }[name]
    values: Any = args[0] if len(args) == 1 else None
    if key is None and is_tensor(values) and values.shape.rank == 1:
        return mark_weak(reduce(values)) if is_weak(values) else reduce(values)
    items = list(iterated(args[0]) if len(args) == 1 else args)
    if not items and default is not _REQUIRED:
        return default

    def step(a: Any, b: Any) -> Any:
        if not (is_tensor(a) or is_tensor(b)):
            return getattr(builtins, name)(a, b)
        if any(is_tensor(x) and x.shape.rank != 0 for x in (a, b)):
            raise TypeError(f"{name}() compares scalars; use tf.reduce_{name} or tf.{name}imum")
        weak = is_weak(a) and is_weak(b)
        result = elementwise(*promote(a, b))
        return mark_weak(result) if weak else result

    if not items:
        return getattr(builtins, name)(items)
    return functools.reduce(step, items) if key is None else _best(name, items, key)


def _best(name: str, items: Sequence[Any], key: Callable[[Any], Any]) -> Any:
    best, least = items[0], key(items[0])
    for item in items[1:]:
        own = key(item)
        better = truth(compare("<" if name == "min" else ">", own, least))
        if is_tensor(better):
            best, least = _chosen(better, item, best), _chosen(better, own, least)
        elif better:
            best, least = item, own
    return best


def _chosen(condition: Any, yes: Any, no: Any) -> Any:
    """Choose between two values of the same structure, leaf by leaf."""
    (leaves, tree), (others, other_tree) = structure.flatten(yes), structure.flatten(no)
    if tree != other_tree:
        raise TypeError("the elements to choose from must have the same structure")

    def leaf(a: Any, b: Any) -> Any:
        if a is b or not (is_tensor(a) or is_weak(a)):
            if a is not b and a != b:
                raise TypeError(f"which of {a!r} and {b!r} it is depends on data")
            return a
        weak = is_weak(a) and is_weak(b)
        result = tf.where(condition, *promote(a, b))
        return mark_weak(result) if weak else result

    return structure.unflatten(tree, map(leaf, leaves, others))


def _sorted(values: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    """A stable sort; the elements are scalars, or `key` makes scalars of them."""
    items = list(iterated(values))
    keys = items if key is None else [key(item) for item in items]
    if not any(map(is_tensor, keys)):
        order = builtins.sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)
        return [items[k] for k in order]
    if not all((is_tensor(k) and k.shape.rank == 0) or is_weak(k) for k in keys):
        raise TypeError("sorted() compares scalars: give a key=, or use tf.sort or tf.argsort")
    weights = _stack(keys)
    if weights.dtype == tf.bool:
        weights = tf.cast(weights, tf.int32)
    order = tf.argsort(weights, direction="DESCENDING" if reverse else "ASCENDING", stable=True)
    flat = [structure.flatten(item) for item in items]
    trees = [tree for _, tree in flat]
    if any(tree != trees[0] for tree in trees):
        raise TypeError("the elements to sort must have the same structure")
    leaves = zip(*(leaves for leaves, _ in flat), strict=True)
    columns = [_taken(_stack(column), order) for column in leaves]
    return [structure.unflatten(trees[0], row) for row in zip(*columns, strict=True)]


def _taken(column: Any, order: Any) -> list[Any]:
    rows: list[Any] = tf.unstack(tf.gather(column, order))
    return [mark_weak(row) for row in rows] if is_weak(column) else rows


def _stack(values: Sequence[Any]) -> Any:
    """Stack tensors and numbers, which are brought to one dtype as an operator would."""
    if not all(is_tensor(v) or is_weak(v) for v in values):
        raise TypeError("only tensors and numbers can be sorted by a key that depends on data")

    def step(a: Any, b: Any) -> Any:
        weak = is_weak(a) and is_weak(b)
        common = promote(a, b)[0]
        return mark_weak(common) if weak and is_tensor(common) else common

    dtype = tf.convert_to_tensor(functools.reduce(step, values)).dtype
    stacked = tf.stack([tf.cast(v, dtype) for v in values])
    return mark_weak(stacked) if all(map(is_weak, values)) else stacked


_OF_TENSORS: dict[Callable[..., Any], Callable[..., Any]] = {
    abs: _absolute, int: _to_int, float: _to_float, bool: truth, len: _length, round: _round,
    pow: _power, divmod: _divmod,
}  # fmt: skip
_OF_SEQUENCES: dict[Callable[..., Any], Callable[..., Any]] = {
    sum: _sum, any: _any, all: _all, sorted: _sorted,
    min: functools.partial(_extremum, "min"), max: functools.partial(_extremum, "max"),
}  # fmt: skip
_OF_ITERABLES: tuple[Any, ...] = (list, tuple, enumerate, zip, map, filter, reversed, iter)

FUNCTIONS = frozenset(f.__name__ for f in (*_OF_TENSORS, *_OF_SEQUENCES, *_OF_ITERABLES))
"""The builtins that may meet tensors."""


def builtin(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call one of the builtins in `FUNCTIONS`, which may meet tensors."""
    if "key" in kwargs:
        kwargs["key"] = _on_tensors(kwargs["key"])
    if function in (map, filter) and args:
        args = (_on_tensors(args[0]), *args[1:])
    if function in _OF_ITERABLES:
        return function(*(iterated(a) if is_tensor(a) else a for a in args), **kwargs)
    if function in _OF_SEQUENCES and isinstance(args[0] if args else (), Iterator):
        return _OF_SEQUENCES[function](*args, **kwargs)
    flat = [v for a in args for v in (a if isinstance(a, (tuple, list)) else (a,))]
    plain = not any(map(is_tensor, (*flat, *kwargs.values())))
    if function in _OF_TENSORS:
        return function(*args, **kwargs) if plain else _OF_TENSORS[function](*args, **kwargs)
    # A key, or an object that is iterated over, may bring tensors in.
    sure = all(isinstance(a, (tuple, list)) or is_weak(a) for a in args) and "key" not in kwargs
    return function(*args, **kwargs) if plain and sure else _OF_SEQUENCES[function](*args, **kwargs)


def _on_tensors(function: Any) -> Any:
    """What a builtin that is handed over, like `key=abs`, means on tensors."""
    known = function in _OF_TENSORS or function in _OF_SEQUENCES if callable(function) else False
    return functools.partial(builtin, function) if known else function
