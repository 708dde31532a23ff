"""`list(zip(*rows))`: the columns of a matrix are lists, where they are only read.

Python's are tuples. A list of tuples whose lengths depend on the member has no form here, and a
list of lists has; what is read of either is the same.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.given_up import Parents
from pcbatch.frontend.nodes import become, read
from pcbatch.frontend.own_nodes import parents_among

_READING = ("sum", "len", "any", "all", "sorted", "list", "tuple", "set", "max", "min")
"""Builtins to which a column is its elements, if it is all that they are given."""
_GOING_OVER = ("zip", "enumerate", "reversed")
_COLUMN = "%column"


def rewrite(b: Builder) -> None:
    """Have columns that are only read be lists.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    function = b.source.node
    found = [node for node in gast.walk(function) if _is_turned(b, node)]
    if not found or isinstance(function, gast.Lambda):
        return
    uses = _Uses(b, parents_among(gast.walk(function)))
    for node in found:
        if uses.are_only_read(node):
            target = gast.copy_location(gast.Name(_COLUMN, gast.Store(), None, None), node)
            turned = node.args[0]
            kept = gast.copy_location(gast.Call(node.func, [read(_COLUMN, node)], []), node)
            loop = gast.comprehension(target, turned, [], 0)
            become(node, gast.copy_location(gast.ListComp(kept, [loop]), node))


def _is_turned(b: Builder, node: gast.AST) -> bool:
    """Whether it is `list(zip(*rows))`."""
    match node:
        case gast.Call(args=[gast.Call(args=[gast.Starred()], keywords=[]) as call], keywords=[]):
            return b.is_builtin_call(node, "list") and b.is_builtin_call(call, "zip")
    return False


class _Uses:
    """How the names of a function are used.

    Args:
      b: its builder.
      parents: of its nodes.
    """

    def __init__(self, b: Builder, parents: Parents):
        self._b, self._parents = b, parents
        nodes = list(gast.walk(b.source.node))
        self._loads = [
            x for x in nodes if isinstance(x, gast.Name) and isinstance(x.ctx, gast.Load)
        ]
        changed = (x.target for x in nodes if isinstance(x, gast.AugAssign))
        self._changed = {x.id for x in changed if isinstance(x, gast.Name)}
        self._kept = scope.nested_names(b.source.node)
        self._asked = set[tuple[str, str]]()

    def are_only_read(self, node: gast.AST) -> bool:
        """Whether nobody can tell the columns that an expression gives from lists."""
        self._asked.clear()
        return self.reads_columns(node)

    def reads_columns(self, node: gast.AST) -> bool:
        """Whether a list of columns is only read, and so are the columns."""
        match parent := self._parents[id(node)]:
            case gast.Assign(targets=[gast.Name() as name]):
                return self._all(name, self.reads_columns)
            case gast.Subscript(value=value, ctx=gast.Load()) if value is node:
                return not isinstance(parent.slice, gast.Slice) and self.reads(parent)
            case gast.Call(args=args) if self._is_builtin(parent, ("len",)):
                return len(args) == 1
            case gast.Call(args=args) if node in args and self._is_builtin(parent, _GOING_OVER):
                outer = self._parents[id(parent)]
                return self._goes_over(outer, parent, self._place(parent, args.index(node)))
        return self._goes_over(parent, node, None)

    def _place(self, call: gast.Call, position: int) -> int | None:
        """Which part of the target of a loop is a column."""
        if self._b.is_builtin_call(call, "enumerate"):
            return 1
        return position if self._b.is_builtin_call(call, "zip") else None

    def _goes_over(self, loop: gast.AST, node: gast.AST, place: int | None) -> bool:
        if not isinstance(loop, gast.For | gast.comprehension) or loop.iter is not node:
            return False
        match loop.target:
            case gast.Name() as name if place is None:
                return self._all(name, self.reads)
            case gast.Tuple() if place is None:
                return True
            case gast.Tuple(elts=parts) if place is not None and place < len(parts):
                name = parts[place]
                return isinstance(name, gast.Name) and self._all(name, self.reads)
        return False

    def _all(self, name: gast.Name, reads: Callable[[gast.AST], bool]) -> bool:
        """Whether all uses of a variable are such."""
        if name.id in self._changed or name.id in self._kept:
            return False
        asked = (name.id, reads.__name__)
        if asked in self._asked:  # a name may take over what another one has, and back
            return True
        self._asked.add(asked)
        return all(reads(use) for use in self._loads if use.id == name.id)

    def reads(self, node: gast.AST) -> bool:
        """Whether only the elements of a column are asked for."""
        match parent := self._parents[id(node)]:
            case gast.Subscript(value=value, ctx=gast.Load()):
                return value is node and not isinstance(parent.slice, gast.Slice)
            case gast.Call(args=args) if node in args:
                alone = len(args) == 1 and self._is_builtin(parent, _READING)
                return alone or self._is_builtin(parent, _GOING_OVER)
            case gast.Compare(ops=[gast.In() | gast.NotIn()], comparators=[value]):
                return value is node
            case gast.For() | gast.comprehension():
                return parent.iter is node
            case gast.Assign(targets=[gast.Tuple()]):
                return True
            case gast.Assign(targets=[gast.Name() as name]):
                return self._all(name, self.reads)
        return False

    def _is_builtin(self, call: gast.Call, names: tuple[str, ...]) -> bool:
        return any(self._b.is_builtin_call(call, name) for name in names)
