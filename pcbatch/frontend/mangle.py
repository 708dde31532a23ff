"""What the class around a function does to its names: private names and `super()`."""

from __future__ import annotations

import gast


def resolve_class_names(node: gast.AST, class_name: str | None) -> None:
    """Mangle private names and spell out `super()`, in place.

    Code that is taken out of its class body loses both, so they are made explicit: `self.__x` in
    class `A` becomes `self._A__x`, and `super()` becomes `super(__class__, self)`.

    Args:
      node: a `def` or a lambda, changed in place.
      class_name: the innermost class around it, or None.
    """
    if class_name is None:
        return
    parameters = [*node.args.posonlyargs, *node.args.args]
    first = parameters[0].id if parameters else None
    _ClassNames(class_name.lstrip("_"), first).visit(node)


class _ClassNames(gast.NodeVisitor):
    def __init__(self, class_name: str, first: str | None):
        self.class_name = class_name
        self.first = first

    def visit_Name(self, node: gast.Name) -> None:
        node.id = self._mangle(node.id)

    def visit_Attribute(self, node: gast.Attribute) -> None:
        node.attr = self._mangle(node.attr)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: gast.FunctionDef) -> None:
        node.name = self._mangle(node.name)
        self.generic_visit(node)

    def visit_Call(self, node: gast.Call) -> None:
        self.generic_visit(node)
        match node.func:
            case gast.Name(id="super") if not node.args and self.first is not None:
                node.args = [_name_like(node, "__class__"), _name_like(node, self.first)]

    def _mangle(self, name: str) -> str:
        private = name.startswith("__") and not name.endswith("__") and self.class_name
        return f"_{self.class_name}{name}" if private else name


def _name_like(node: gast.AST, name: str) -> gast.Name:
    """Return a read of a name that stands where the node stands."""
    fresh = gast.Name(id=name, ctx=gast.Load(), annotation=None, type_comment=None)
    return gast.copy_location(fresh, node)
