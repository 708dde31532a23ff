"""Nested Python structures as a tree and a flat list of leaves.

Nodes are tuples, NamedTuples, lists, dicts (in insertion order), queues, labels, dataclass and
attrs instances, objects of other classes that a program has made, and functions that hold values:
closures, methods of structures, and `functools.partial`; everything else is a leaf. `tf.nest` knows
fewer of them and sorts the keys of a dict, which a loop over the dict would notice.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.errors import ArgumentError
from pcbatch.semantics import data
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.labels import Labels
from pcbatch.semantics.static_values import Closure, Method
from pcbatch.semantics.user_code import is_typed_by_user


@dataclasses.dataclass(frozen=True, slots=True)
class Leaf:
    """The tree of anything that is not a node."""


LEAF = Leaf()
_OWN = "__pcbatch_"
MADE = f"{_OWN}made"
"""The attribute that says of an object of a class without fields that a program has made it."""
PLACE = f"{_OWN}place"
"""The attribute of a reference that says which object of the heap it is to."""


STANDS_FOR: dict[type, type] = {}
"""By a type of Python's whose objects have parts, the class that has its place in a program."""


def stands_for_pythons(kind: type) -> bool:
    """Whether a class has the place of one of Python's."""
    return kind in STANDS_FOR.values()


class Reference:
    """A reference to an object on the heap of a member, see `semantics.references`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Node:
    """A container: `keys` names the children; `meta` is what else is needed to rebuild it.

    Attributes:
      origins: of a list, where a program makes it; two that differ in nothing else are equal.
    """

    type: type
    keys: tuple[Any, ...]
    children: tuple[Tree, ...]
    meta: Any = None
    origins: frozenset[Any] = dataclasses.field(default=frozenset(), compare=False, repr=False)

    def __str__(self) -> str:
        inner = ", ".join(
            f"{k}: {c}" if isinstance(c, Node) else str(k)
            for k, c in zip(self.keys, self.children, strict=True)
        )
        return f"{self.type.__name__}({inner})"


Tree = Leaf | Node


def is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(type(value), "_fields")


def fields(kind: type) -> tuple[str, ...]:
    """The fields of a NamedTuple or a dataclass, in the order of the arguments that they keep.

    None where the user's own code makes the objects, which may keep something else.
    """
    makers = (getattr(kind, name, None) for name in ("__new__", "__init__", "__post_init__"))
    codes = (getattr(maker, "__code__", None) for maker in makers)
    if any(code is not None and is_typed_by_user(code.co_filename) for code in codes):
        return ()
    if dataclasses.is_dataclass(kind):
        return tuple(f.name for f in dataclasses.fields(kind) if f.init)
    return getattr(kind, "_fields", ()) if issubclass(kind, tuple) else ()


def _parts(value: Any) -> tuple[tuple[Any, ...], list[Any], Any] | None:
    """Keys, children and meta of a container; None for a leaf."""
    if isinstance(value, tf.Tensor):
        return None
    if isinstance(value, Reference):
        return (PLACE,), [object.__getattribute__(value, PLACE)], None
    if isinstance(value, Labels):
        return ("code",), [value.code], value.kind
    if is_namedtuple(value):
        return value._fields, list(value), None
    if type(value) in (tuple, list):
        return tuple(range(len(value))), list(value), None
    if type(value) is collections.deque:
        return tuple(range(len(value))), list(value), value.maxlen
    if isinstance(value, dict):
        factory = value.default_factory if isinstance(value, collections.defaultdict) else None
        return tuple(value), list(value.values()), factory
    if _is_bound_to_structure(value):
        return ("__self__",), [value.__self__], _method_of(value)
    if isinstance(value, Method) and value.owner is not None and _parts(value.owner) is not None:
        return ("__self__",), [value.owner], value.unbound
    if isinstance(value, functools.partial) and _holds_values(value):
        return ("func", "args", "keywords"), [value.func, value.args, value.keywords], None
    if isinstance(value, Closure):
        return tuple(value.captured), list(value.captured.values()), value.factory
    if is_made(value):
        own = attributes(value)
        return tuple(sorted(own)), [own[name] for name in sorted(own)], MADE
    value = standing(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(f.name for f in dataclasses.fields(value))
        return names, [getattr(value, n) for n in names], None
    if hasattr(type(value), "__attrs_attrs__"):
        names = tuple(a.name for a in type(value).__attrs_attrs__)
        return names, [getattr(value, n) for n in names], None
    return None


def is_made(value: Any) -> bool:
    """Whether a value is an object of a class without fields that a program has made."""
    if isinstance(value, (type, super, Reference)):
        return False
    return MADE in getattr(value, "__dict__", ())


def attributes(value: Any) -> dict[str, Any]:
    """What has been assigned to an object, by name."""
    return {name: one for name, one in vars(value).items() if not name.startswith(_OWN)}


def as_made(value: Any) -> Any:
    """An object, which is said to be made by a program."""
    vars(value)[MADE] = True
    return value


def with_attribute(value: Any, name: str, new: Any) -> Any:
    """A copy of an object that a program has made, to which an attribute is assigned."""
    copied = object.__new__(type(value))
    vars(copied).update(vars(value), **{name: new})
    return copied


def parts(value: Any) -> list[Any] | None:
    """The children of a container; None for a leaf."""
    found = _parts(value)
    return None if found is None else found[1]


def named_parts(value: Any) -> dict[Any, Any]:
    """The children of a container by their keys."""
    found = _parts(value)
    assert found is not None
    return dict(zip(found[0], found[1], strict=True))


def with_part(value: Any, key: Any, new: Callable[[Any], Any]) -> Any:
    """A container with one of its children made anew; `new` is given the old one."""
    return with_parts(value, lambda k, child: new(child) if k == key else child)


def with_parts(value: Any, new: Callable[[Any, Any], Any]) -> Any:
    """A container with its children made anew; `new` is given the key and the old child."""
    found = _parts(value)
    assert found is not None
    keys, children, meta = found
    tree = Node(type(standing(value)), keys, (LEAF,) * len(keys), meta)
    return unflatten(tree, [new(k, child) for k, child in zip(keys, children, strict=True)])


def _holds_values(value: functools.partial[Any]) -> bool:
    """Whether a partial call is of an autobatched function, or has tensors among its arguments."""
    leaves, _ = flatten((value.func, value.args, value.keywords))
    return any(isinstance(leaf, (tf.Tensor, Buffer, Method)) for leaf in leaves)


def _method_of(bound: Any) -> Any:
    """What makes a bound method of its owner: its name, or a function that is not there."""
    function = getattr(bound, "__func__", None)
    own = getattr(getattr(bound.__self__, bound.__name__, None), "__func__", None)
    return bound.__name__ if function is own else function


def _is_bound_to_structure(value: Any) -> bool:
    """Whether a value is a method of a structure or of a tensor, like `state._replace`."""
    if not isinstance(value, (types.MethodType, types.BuiltinMethodType)):
        return False
    owner = value.__self__
    return isinstance(owner, (tf.Tensor, Buffer, set)) or _parts(owner) is not None


def flatten(
    value: Any, *, whole: bool = False, stop: type | tuple[type, ...] = ()
) -> tuple[list[Any], Tree]:
    """Split a value into its leaves, in order, and its tree.

    Args:
      value: anything.
      whole: large containers of plain data are leaves, see `semantics.data`.
      stop: a type, or some, whose instances are leaves, too.
    """
    leaves: list[Any] = []
    return leaves, _flatten_into(value, leaves, whole, stop)


def _flatten_into(
    value: Any, leaves: list[Any], whole: bool, stop: type | tuple[type, ...]
) -> Tree:
    is_leaf = isinstance(value, stop) or (whole and data.is_large(value))
    parts = None if is_leaf else _parts(value)
    if parts is None:
        leaves.append(dense(value))
        return LEAF
    keys, children, meta = parts
    trees = tuple(_flatten_into(child, leaves, whole, stop) for child in children)
    return Node(STANDS_FOR.get(type(value), type(value)), keys, trees, meta)


def standing(value: Any) -> Any:
    """What has the place of a value in a program, with its attributes; most have their own."""
    kind: Any = STANDS_FOR.get(type(value))
    if kind is None:
        return value
    return kind(*(getattr(value, field.name) for field in dataclasses.fields(kind)))


def dense(value: Any) -> Any:
    """The value; a gradient that TensorFlow gives as rows and their places as one tensor."""
    return tf.convert_to_tensor(value) if isinstance(value, tf.IndexedSlices) else value


def unflatten(tree: Tree, leaves: Iterable[Any]) -> Any:
    """Rebuild a value from its tree and its leaves."""
    return _build(tree, iter(leaves))


def _build(tree: Tree, leaves: Iterator[Any]) -> Any:
    if isinstance(tree, Leaf):
        return next(leaves)
    children = [_build(child, leaves) for child in tree.children]
    if tree.type in (tuple, list):
        return tree.type(children)
    if tree.type is collections.deque:
        return tree.type(children, tree.meta)
    if issubclass(tree.type, tuple):
        return tree.type(*children)
    if issubclass(tree.type, (types.MethodType, types.BuiltinMethodType)):
        by_name = isinstance(tree.meta, str)
        return getattr(children[0], tree.meta) if by_name else tree.meta.__get__(children[0])
    if issubclass(tree.type, Method):
        return tree.meta.bind(children[0])
    if tree.type is Labels:
        return Labels.coded(children[0], tree.meta)
    if issubclass(tree.type, functools.partial):
        function, args, keywords = children
        return tree.type(function, *args, **keywords)
    named = dict(zip(tree.keys, children, strict=True))
    if tree.type is Closure:
        return Closure(tree.meta, named)
    if issubclass(tree.type, collections.defaultdict):
        return tree.type(tree.meta, named)
    if issubclass(tree.type, dict):
        return tree.type(named) if tree.type is not dict else named
    # An object: its fields are set directly, as its __init__ may check what tensors cannot say.
    instance = object.__new__(tree.type)
    for name, child in named.items():
        object.__setattr__(instance, name, child)
    return as_made(instance) if tree.meta == MADE else instance


def count(tree: Tree) -> int:
    """The number of leaves."""
    return 1 if isinstance(tree, Leaf) else sum(map(count, tree.children))


def spread(axes: Any, tree: Tree, what: str) -> Iterator[int | None]:
    """The batch axis of each leaf: 0, or None for one that all members share.

    Args:
      axes: 0, None, or a structure of these that is a prefix of the tree.
      tree: of the value.
      what: what a message calls the axes.

    Raises:
      ArgumentError: they have another axis, or another structure than the value.
    """
    if axes is None or isinstance(axes, int):
        if axes not in (0, None):
            raise ArgumentError(f"{what} is {axes}: the batch is on axis 0 of every batched value")
        yield from [axes] * count(tree)
        return
    children = _axes_of_children(axes, tree)
    if children is None or isinstance(tree, Leaf):
        raise ArgumentError(f"{what} has another structure than the argument: {axes!r}")
    for inner, child in zip(children, tree.children, strict=True):
        yield from spread(inner, child, what)


def _axes_of_children(axes: Any, tree: Tree) -> list[Any] | None:
    """The axes of each child; None where they do not fit the container."""
    if isinstance(tree, Leaf):
        return None
    if isinstance(axes, Mapping):
        return [axes[k] for k in tree.keys] if set(axes) == set(tree.keys) else None
    by_position = isinstance(axes, (tuple, list)) and issubclass(tree.type, (tuple, list))
    return list(axes) if by_position and len(axes) == len(tree.keys) else None


def paths(tree: Tree, prefix: str = "") -> list[str]:
    """A printable path per leaf: "" for a bare leaf, ".q" or ".0" below a node."""
    if isinstance(tree, Leaf):
        return [prefix]
    return [
        path
        for key, child in zip(tree.keys, tree.children, strict=True)
        for path in paths(child, f"{prefix}.{key}")
    ]


def nodes(tree: Tree) -> Iterator[Node]:
    """The containers in a structure, itself among them."""
    if isinstance(tree, Node):
        yield tree
        for child in tree.children:
            yield from nodes(child)


def join_trees(type_: type, keys: Sequence[Any], children: Sequence[Tree]) -> Node:
    """The tree of a container with these children."""
    return Node(type_, tuple(keys), tuple(children))
