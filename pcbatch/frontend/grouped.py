"""`itertools.groupby` at the head of a loop: a generator function of the program stands for it.

In Python a group is an iterator over the elements themselves, which is empty once it has been gone
over, or when the next group is asked for. Here it is a list. So a group must be taken whole in its
round, once: `list(group)`, `sum(group)`, a loop over it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.element_sources import TAKING, TAKING_BUILTINS, TAKING_FUNCTIONS
from pcbatch.frontend.nodes import constant, read
from pcbatch.frontend.own_nodes import own_nodes, parents_of, reads_of

_GROUPS = """
def {name}(values, key):
    start = 0
    if len(values) > 0:
        last = {first}
    while start < len(values):
        stop = start + 1
        while stop < len(values):
            found = {next}
            if not found == last:
                break
            stop += 1
        else:
            found = last
        yield last, values[start:stop]
        start, last = stop, found
"""
_OF_ELEMENTS = {"first": "values[0]", "next": "values[stop]"}
_OF_KEYS = {"first": "key(values[0])", "next": "key(values[stop])"}
_BUILTINS = (*TAKING_BUILTINS, "any", "all")
"""What needs a group once; what is left of it when they know enough is left by `groupby`, too."""
_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
_LAZY = ("enumerate", "zip", "map", "filter")
"""What goes over it as its own elements are asked for."""


def rewrite(b: Builder) -> None:
    """Have a function go over groups by generator functions of its own.

    Args:
      b: its builder; `b.source.node` is changed, and `b.local` has their names.
    """
    function = b.source.node
    if not isinstance(function, gast.FunctionDef) or not b.is_builtin("list"):
        return
    nodes = list(own_nodes(function, generators=False))
    heads = [n for n in nodes if isinstance(n, gast.For | gast.comprehension)]
    found = [(n, keys) for n in heads if (keys := _groups_by(b, n.iter)) is not None]
    if not found:
        return
    parents = parents_of(function)
    loops = [n for n, _ in found if isinstance(n, gast.For)]
    for number, (node, keys) in enumerate(found):
        if not _Group(b, node, parents).is_taken_once() or not _stays_in(function, node, loops):
            continue
        name, call = f"__groups_{number}", node.iter
        (made,) = gast.parse(_GROUPS.format(name=name, **keys)).body
        for part in gast.walk(made):
            gast.copy_location(part, call)
        function.body.insert(0, made)
        b.local |= {name}
        given = [*call.args[1:], *(k.value for k in call.keywords)]
        key = given[0] if given else constant(None, call)
        values = gast.copy_location(gast.Call(read("list", call), [call.args[0]], []), call)
        node.iter = gast.copy_location(gast.Call(read(name, call), [values, key], []), call)


def _groups_by(b: Builder, node: gast.expr) -> dict[str, str] | None:
    """How a call of `groupby` makes the keys of the elements; None for anything else."""
    if not isinstance(node, gast.Call):
        return None
    known = b.callee(node.func)
    if known is None or known.value is not itertools.groupby:
        return None
    key = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "key")]
    plain = len(node.args) in (1, 2) and len(key) == len(node.args) - 1 + len(node.keywords) <= 1
    if not plain or any(isinstance(part, gast.Starred) for part in node.args):
        return None
    is_none = [isinstance(part, gast.Constant) and part.value is None for part in key]
    return _OF_KEYS if key and not is_none[0] else _OF_ELEMENTS


@dataclasses.dataclass(frozen=True)
class _Group:
    """The groups of a loop.

    Attributes:
      b: the builder of the function.
      loop: a statement, or a part of a comprehension.
      parents: of the function's nodes.
    """

    b: Builder
    loop: gast.AST
    parents: dict[int, gast.AST]

    def is_taken_once(self) -> bool:
        """Whether a round takes its group whole, and once, or leaves it alone."""
        match self.loop.target:
            case gast.Tuple(elts=[key, gast.Name(id=name)]):
                nodes = [n for part in self._rounds() for n in gast.walk(part)]
            case _:
                return False
        if self._becomes_list(name):
            return True
        named = [n for n in (*gast.walk(key), *nodes) if isinstance(n, gast.Name) and n.id == name]
        reads = [n for n in named if isinstance(n.ctx, gast.Load)]
        return len(named) == len(reads) <= 1 and all(map(self._is_whole, reads))

    def _becomes_list(self, name: str) -> bool:
        """Whether a round begins with `group = list(group)`, so that it is any list afterwards."""
        match self.loop:
            case gast.For(
                body=[
                    gast.Assign(
                        targets=[gast.Name(id=target)],
                        value=gast.Call(
                            func=gast.Name(id="list" | "tuple" | "sorted" as maker),
                            args=[gast.Name(id=given)],
                        ),
                    ),
                    *_,
                ]
            ):
                return target == given == name and self.b.is_builtin(maker)
        return False

    def _rounds(self) -> Sequence[gast.AST]:
        """What is done with each group."""
        if isinstance(self.loop, gast.For):
            return self.loop.body
        whole = self.parents[id(self.loop)]
        is_dict = isinstance(whole, gast.DictComp)
        made = [whole.key, whole.value] if is_dict else [whole.elt]
        return [*self.loop.ifs, *self._behind(), *made]

    def _behind(self) -> Sequence[gast.comprehension]:
        """The loops within it of a comprehension."""
        every = self.parents[id(self.loop)].generators
        return every[every.index(self.loop) + 1 :]

    def _is_whole(self, given: gast.AST) -> bool:
        """Whether what an expression gives is gone over whole, once in a round."""
        parent = self.parents[id(given)]
        match parent:
            case gast.Call(func=gast.Name(id=name)) if name in _LAZY and self.b.is_builtin(name):
                return self._is_whole(parent)
            case gast.Call(func=function, args=[first, *_]) if first is given:
                return _takes_all(self.b, function) and self._is_reached_once(parent)
            case gast.comprehension(iter=elements) if elements is given:
                whole = self.parents[id(parent)]
                lazy = isinstance(whole, gast.GeneratorExp) and whole.generators[0] is parent
                return self._is_whole(whole) if lazy else self._is_reached_once(given)
            case gast.For(iter=elements) if elements is given:
                return self._is_reached_once(given)
            case gast.Starred():
                return self._is_reached_once(given)
        return False

    def _is_reached_once(self, node: gast.AST) -> bool:
        """Whether an expression is evaluated once in a round at most."""
        rounds = self._rounds()
        while not any(node is part for part in rounds):
            parent = self.parents[id(node)]
            match parent:
                case gast.For(iter=elements) if elements is node:
                    pass
                case gast.comprehension(iter=elements) if elements is node:
                    whole = self.parents[id(parent)]
                    before = whole.generators[: whole.generators.index(parent)]
                    if before and before[-1] is not self.loop:
                        return False
                    if before:
                        return True
                    parent = whole
                case gast.For() | gast.While() | gast.Lambda() | gast.FunctionDef():
                    return False
                case _ if isinstance(parent, _COMPREHENSIONS):
                    return False
            node = parent
        return isinstance(self.loop, gast.For) or node in self.loop.ifs or not self._behind()


def _takes_all(b: Builder, function: gast.expr) -> bool:
    """Whether a function goes over all of its first argument."""
    match function:
        case gast.Name(id=name) if b.is_builtin(name):
            return name in _BUILTINS
        case gast.Attribute(attr=name) if name in TAKING:
            return True
    known = b.callee(function)
    return known is not None and any(known.value is one for one in TAKING_FUNCTIONS)


def _stays_in(function: gast.FunctionDef, node: gast.AST, loops: Sequence[gast.For]) -> bool:
    """Whether nothing outside of such loops reads the variable of a loop's groups."""
    if not isinstance(node, gast.For):
        return True
    name = node.target.elts[1].id
    inside = [x for loop in loops for x in reads_of(name, loop.body)]
    own = [
        x
        for part in gast.walk(function)
        if isinstance(part, _COMPREHENSIONS) and name in scope.bound_names(_targets(part))
        for x in reads_of(name, [part])
    ]
    known = {id(x) for x in (*inside, *own)}
    return all(id(x) in known for x in reads_of(name, function.body))


def _targets(node: gast.expr) -> list[gast.expr]:
    return [part.target for part in node.generators]
