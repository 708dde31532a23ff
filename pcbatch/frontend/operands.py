"""The operands of an expression: which they are, in Python's order, and how to replace them."""

from __future__ import annotations

import gast

from pcbatch.frontend import scope


def is_conditional(node: gast.AST) -> bool:
    """Whether Python evaluates a part of an expression only sometimes."""
    match node:
        case gast.BoolOp() | gast.IfExp():
            return True
        case gast.Compare(ops=ops):
            return len(ops) > 1
    return False


def operands(node: gast.AST) -> list[gast.AST]:
    """Return the operands of an expression in the order in which Python evaluates them."""
    match node:
        case gast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return [part for pair in pairs for part in pair if part is not None]
        case gast.Call(func=func, args=args, keywords=keywords):
            return [func, *args, *(keyword.value for keyword in keywords)]
        case gast.Lambda(args=args):
            return scope.defaults(args)
        case _ if isinstance(node, scope.COMPREHENSIONS):
            return [node.generators[0].iter]
    kinds = (gast.expr, gast.Slice)  # the latter is none of the former
    return [child for child in gast.iter_child_nodes(node) if isinstance(child, kinds)]


def replace_operands(node: gast.AST, new: dict[int, gast.AST]) -> None:
    """Replace operands in place."""
    for name, field in gast.iter_fields(node):
        if isinstance(field, list):
            setattr(node, name, [new.get(id(item), item) for item in field])
        else:
            setattr(node, name, new.get(id(field), field))
    holders = [*getattr(node, "keywords", []), *getattr(node, "generators", [])[:1]]
    if isinstance(node, scope.FUNCTIONS):
        holders.append(node.args)
    for holder in holders:
        replace_operands(holder, new)
