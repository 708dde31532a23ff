"""Lists that the entry function is given: those that are written to are copied first."""

from __future__ import annotations

import dataclasses
from typing import Any

from pcbatch import ir
from pcbatch.infer.domain import Value
from pcbatch.infer.kinds import is_key, is_object, is_record
from pcbatch.infer.list_values import Path
from pcbatch.infer.lists import Lists
from pcbatch.semantics.lists.fresh import NOWHERE, Fresh, Origins, Site, within
from pcbatch.semantics.pytree import Node, Tree


def argument_lists(lists: Lists, code: Any, name: str) -> Fresh | None:
    """Which lists of an argument are to be copied."""
    paths = (site.path for site in _sites(lists, code))
    return _nested([(0, *path[1:]) for path in paths if path[0] == name])


def _sites(lists: Lists, code: Any) -> list[Site]:
    """The lists among the arguments that are to be copied."""
    return [x for x in lists.plans if x.code is code and x.label == "argument"]


def _nested(paths: list[Path]) -> Fresh | None:
    if not paths:
        return None
    if () in paths:
        return Fresh(True)
    keys = dict.fromkeys(path[0] for path in paths)
    below = {key: _nested([p[1:] for p in paths if p[0] == key]) for key in keys}
    return Fresh(False, tuple((key, part) for key, part in below.items() if part is not None))


def given(name: str, value: Value, code: Any) -> Value:
    """An argument with the lists in it marked, and what else may be changed."""

    def marked(tree: Tree, path: Path, outer: Origins | None) -> Tree:
        if not isinstance(tree, Node):
            return tree
        own = NOWHERE
        if tree.type not in (list, tuple, dict) and not is_object(tree):
            return tree
        by_names = tree.type is dict and not all(map(is_key, tree.keys))
        if tree.type is list or by_names or is_record(tree):
            here = frozenset({Site(code, "argument", 0, (name, *path))})
            own = within(outer) if outer is not None and tree.type is list else here
        children = tuple(
            marked(child, (*path, key), own if tree.type is list else None)
            for key, child in zip(tree.keys, tree.children, strict=True)
        )
        return dataclasses.replace(tree, children=children, origins=own)

    return Value(marked(value.tree, (), None), value.leaves)


ARGUMENTS = "lists"
"""The block that the entry function begins with if it copies lists that it is given."""


def with_copies_of_arguments(source: ir.Function, code: Any, lists: Lists) -> ir.Function:
    """The entry function, which copies the lists that it is given and that are written to."""
    written = {site.path[0] for site in _sites(lists, code)}
    parameters = [p for p in source.params if p in written]
    if not parameters:
        return source
    operations = tuple(
        ir.Primitive((p,), _same, (p,), f"a copy of {p}", source.span) for p in parameters
    )
    jump = ir.Jump(source.blocks[0].label, source.span)
    block = ir.Block(ARGUMENTS, operations, jump)
    return dataclasses.replace(source, blocks=(block, *source.blocks))


def _same(value: Any) -> tuple[Any]:
    return (value,)
