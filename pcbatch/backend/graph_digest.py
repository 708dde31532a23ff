"""What a graph computes, as a digest that is equal in every process.

TensorFlow numbers functions as it traces them, so that the same graph calls them by other names in
another process. Here a function is what it computes.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from pcbatch.backend.private.graphs import NUMBERED, FuncGraph

_NUMBER = re.compile(r"_\d+$")


def digest(graph: FuncGraph) -> str | None:
    """The SHA-256 of what a function's graph computes; None where tensors from outside matter.

    The names of operations count: they tell what they cost, and where to count them.

    Args:
      graph: of a function without captures, else its values would have to be among the arguments.
    """
    if graph.captures:
        return None
    definition = graph.as_graph_def()
    nodes = _Digests(definition.library)
    total = hashlib.sha256()
    for node in definition.node:
        total.update(nodes.of_node(node))
    total.update(repr([x.name for x in (*graph.inputs, *graph.outputs)]).encode())
    return total.hexdigest()


class _Digests:
    """The digests of the functions of a library, each found once."""

    def __init__(self, library: Any):
        self._functions = {function.signature.name: function for function in library.function}
        self._known: dict[str, str] = {}

    def of_node(self, node: Any) -> bytes:
        """A node with functions by what they compute."""
        made = type(node)()
        made.CopyFrom(node)
        made.op = self._of_name(made.op)
        self._replace(made.attr)
        return bytes(made.SerializeToString(deterministic=True))

    def _replace(self, attributes: Any) -> None:
        for name in NUMBERED.intersection(attributes):
            del attributes[name]
        for value in attributes.values():
            called = [value.func] if value.HasField("func") else value.list.func
            for function in called:
                function.name = self._of_name(function.name)
                self._replace(function.attr)

    def _of_name(self, name: str) -> str:
        """The name of an operation or of a function: the latter without its number."""
        if name not in self._functions:
            return name
        if name not in self._known:
            self._known[name] = f"{_NUMBER.sub('', name)} {self._of_function(name)}"
        return self._known[name]

    def _of_function(self, name: str) -> str:
        function = self._functions[name]
        rest = type(function)()
        rest.CopyFrom(function)
        del rest.node_def[:]
        rest.signature.name = ""
        self._replace(rest.attr)
        total = hashlib.sha256(rest.SerializeToString(deterministic=True))
        for node in function.node_def:
            total.update(self.of_node(node))
        return total.hexdigest()
