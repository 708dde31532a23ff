"""The shared tensors of a program, as inference finds them."""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch.infer.domain import Leaf, Shared, Static, Value
from pcbatch.ir import TensorType
from pcbatch.semantics import pytree


@dataclasses.dataclass(frozen=True, slots=True)
class Origin:
    """Where a shared tensor comes from, so that a later call can read it again.

    Attributes:
      kind: "argument", "free" (a global or a closure variable) or "constant".
      owner: the parameter's name, the function whose free name it is, or the tensor itself.
      name: the free name.
      leaf: which leaf of the argument or of the free value.
    """

    kind: str
    owner: Any
    name: str = ""
    leaf: int = 0

    def key(self) -> tuple[Any, ...]:
        owner = self.owner if self.kind == "argument" else id(self.owner)
        return (self.kind, owner, self.name, self.leaf)


@dataclasses.dataclass
class SharedTensors:
    """The shared tensors that a program has been found to use.

    Attributes:
      shared: the type and the origin of each shared tensor.
      reserved: the names of the members' arguments, which no shared tensor may have.
      defaults: values of parameters that calls have left out, if they can change, by their ids.
    """

    shared: dict[str, tuple[TensorType, Origin]] = dataclasses.field(default_factory=dict)
    reserved: frozenset[str] = frozenset()
    defaults: dict[int, Any] = dataclasses.field(default_factory=dict)

    def share(self, name: str, type_: TensorType, origin: Origin, weak: bool = False) -> Shared:
        """Register a tensor that is the same for all members, once per origin."""
        for known, (_, other) in self.shared.items():
            if other.key() == origin.key():
                return Shared(known, type_, weak)
        unique, number = name, 2
        while unique in self.shared or unique in self.reserved:
            unique, number = f"{name}~{number}", number + 1
        self.shared[unique] = (type_, origin)
        return Shared(unique, type_, weak)

    def constant(self, name: str, tensor: tf.Tensor) -> Shared:
        """Share a tensor that the user's code holds on to."""
        return self.share(name, type_of(tensor), Origin("constant", tensor))

    def abstract(self, name: str, value: Any, owner: Any = None) -> Value:
        """The abstract value of a Python value: concrete tensors in it are shared.

        Args:
          name: how to call its tensors.
          value: the value.
          owner: the function whose free name it is; None for a constant.
        """
        leaves, tree = pytree.flatten(value, whole=True)
        paths = pytree.paths(tree, name)
        return Value(tree, tuple(
            self._leaf(path, leaf, Origin("free", owner, name, i) if owner else None)
            for i, (path, leaf) in enumerate(zip(paths, leaves, strict=True))
        ))  # fmt: skip

    def _leaf(self, path: str, leaf: Any, origin: Origin | None) -> Leaf:
        if not isinstance(leaf, tf.Tensor):
            return Static(leaf)
        if origin is None:
            return self.constant(path, leaf)
        return self.share(path, type_of(leaf), origin)


def type_of(tensor: Any) -> TensorType:
    return TensorType(tensor.dtype.name, tuple(tensor.shape))
