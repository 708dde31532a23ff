"""Iterators that variables have: `it = iter(xs)`, `next(it)`, and a loop over what is left."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import gast

from pcbatch.frontend.element_sources import TAKING_BUILTINS
from pcbatch.frontend.nodes import assigned, method_call, module_call
from pcbatch.frontend.runtime_names import ITERATORS, LAZY, LOOPS
from pcbatch.frontend.source import Source

IsBuiltin = Callable[[str], bool]
_MAKING = ("iter", "zip", "enumerate", "reversed")


def rewrite(source: Source, is_builtin: IsBuiltin, given: Sequence[str]) -> bool:
    """Have a function keep its iterators as objects of `iterators.Iterator`.

    Args:
      source: the function.
      is_builtin: whether a name means one of Python's builtins.
      given: its parameters, and what it has captured.

    Returns:
      Whether it has such iterators.
    """
    node = source.node
    if not isinstance(node, gast.FunctionDef):
        return False
    asked = set(filter(None, (_asked(part, is_builtin) for part in gast.walk(node))))
    made = {name for part in gast.walk(node) for name in _made(part, is_builtin, asked)}
    other = {name for part in gast.walk(node) for name in _otherwise(part, is_builtin)}
    names = (made | asked.intersection(given)) - other
    if not names:
        return False
    change = _Rewrite(is_builtin, names)
    whole = gast.If(None, node.body, [])
    change.generic_visit(whole)
    node.body = whole.body
    return True


def _asked(node: gast.AST, is_builtin: IsBuiltin) -> str:
    """The variable that a call of `next` asks."""
    match node:
        case gast.Call(func=gast.Name(id="next"), args=[gast.Name(id=name), *_]):
            return name if is_builtin("next") else ""
    return ""


def _is_making(node: gast.AST, is_builtin: IsBuiltin) -> bool:
    match node:
        case gast.Call(func=gast.Name(id=name), args=args, keywords=[]) if name in _MAKING:
            return is_builtin(name) and (name != "iter" or len(args) == 1)
    return False


def _made(node: gast.AST, is_builtin: IsBuiltin, asked: set[str]) -> list[str]:
    """The variables that are assigned an iterator which is kept."""
    return [
        target.id
        for target, value in assigned(node)
        if isinstance(target, gast.Name)
        and _is_making(value, is_builtin)
        and (value.func.id == "iter" or target.id in asked)
    ]


def _otherwise(node: gast.AST, is_builtin: IsBuiltin) -> list[str]:
    """The variables that are assigned something else."""
    return [
        target.id
        for target, value in assigned(node)
        if isinstance(target, gast.Name) and not _is_making(value, is_builtin)
    ]


@dataclasses.dataclass
class _Rewrite(gast.NodeTransformer):
    is_builtin: IsBuiltin
    names: set[str]

    def visit(self, node: gast.AST) -> gast.AST:
        match node:
            case gast.Assign() | gast.AnnAssign():
                return self._assignment(node)
            case gast.For(target=target, iter=source, body=body, orelse=orelse):
                return self._loop(node, target, source, body, orelse)
            case gast.Call(func=gast.Name(id=name), args=[source, *rest]) if self.is_builtin(name):
                if name == "next" and self._is_one(source):
                    return self._next(source, list(map(self.visit, rest)), node)
                if name == "iter" and self._is_one(source):
                    return source
                if name in TAKING_BUILTINS and self._is_one(source):
                    node.args[0] = _rest(source, node)
            case gast.Call(func=gast.Attribute(attr="join" | "extend"), args=[source]):
                if self._is_one(source):
                    node.args[0] = _rest(source, node)
            case gast.ListComp() | gast.SetComp() | gast.DictComp():
                first = node.generators[0]
                if self._is_one(first.iter):
                    first.iter = _rest(first.iter, node)
        return self.generic_visit(node)

    def _next(self, source: gast.expr, default: list[gast.AST], node: gast.AST) -> gast.AST:
        """What `next` gives; what raises has changed nothing, so that handlers may follow."""
        if default:
            return _called("advance_or", [source, *default], node)
        test, over = _called("advance", [source], node), module_call(LAZY, "no_next", [], node)
        return gast.copy_location(
            gast.IfExp(test, method_call(source, "taken", [], node), over), node
        )

    def _is_one(self, node: gast.AST) -> bool:
        return isinstance(node, gast.Name) and node.id in self.names

    def _assignment(self, node: gast.AST) -> gast.AST:
        for target, value in list(assigned(node)):
            if self._is_one(target) and _is_making(value, self.is_builtin):
                self._make(node, value)
        return self.generic_visit(node)

    def _make(self, node: gast.AST, value: gast.expr) -> None:
        """Have a statement keep an iterator as an object."""
        source = value.args[0] if value.func.id == "iter" else value
        if value.func.id == "iter" and self._is_one(source):
            made: gast.expr = source
        else:
            standing = {
                "zip": (LOOPS, "zipped"),
                "enumerate": (LOOPS, "enumerated"),
                "reversed": (LAZY, "backwards"),
            }
            parts = value.args if value.func.id != "iter" else [source]
            parts[:] = [self._counted(part) for part in parts]
            source = parts[0] if value.func.id == "iter" else source
            if (own := standing.get(value.func.id)) is not None:
                source = module_call(*own, value.args, value)
            source = module_call(LOOPS, "iterate", [source], value)
            made = _called("Iterator", [source], value)
        if isinstance(node.value, gast.Tuple):
            node.value.elts[node.value.elts.index(value)] = made
        else:
            node.value = made

    def _counted(self, node: gast.expr) -> gast.expr:
        """A `range`, whose length may be the member's; anything else as it is."""
        is_range = isinstance(node, gast.Call) and isinstance(node.func, gast.Name)
        if is_range and node.func.id == "range" and self.is_builtin("range"):
            return module_call(LAZY, "counted", node.args, node)
        return node

    def _loop(
        self,
        node: gast.For,
        target: gast.expr,
        source: gast.expr,
        body: list[gast.stmt],
        orelse: list[gast.stmt],
    ) -> gast.AST:
        several = self._several(source)
        if not several:
            return self.generic_visit(node)
        one, number = several
        if number == 1:
            test, taken = (
                method_call(one, "has_next", [], node),
                method_call(one, "taken", [], node),
            )
        else:
            count = gast.copy_location(gast.Constant(number, None), node)
            test = method_call(one, "has_several", [count], node)
            parts = [method_call(one, "taken", [], node) for _ in range(number)]
            taken = gast.copy_location(gast.Tuple(parts, gast.Load()), node)
        first = gast.copy_location(gast.Assign([target], taken, None), node)
        whole = gast.copy_location(gast.While(test, [first, *body], orelse), node)
        return self.generic_visit(whole)

    def _several(self, source: gast.expr) -> tuple[gast.expr, int] | None:
        """The iterator that a loop goes over, and how many elements a round takes."""
        if self._is_one(source):
            return source, 1
        match source:
            case gast.Call(func=gast.Name(id="zip"), args=[first, *more], keywords=[]):
                same = all(isinstance(x, gast.Name) and x.id == first.id for x in more)
                if self._is_one(first) and same and self.is_builtin("zip"):
                    return first, 1 + len(more)
        return None


def _called(name: str, args: list[gast.AST], place: gast.AST) -> gast.Call:
    return module_call(ITERATORS, name, args, place)


def _rest(owner: gast.AST, place: gast.AST) -> gast.Call:
    """A list of what is left of an iterator."""
    return _called("rest", [owner, gast.copy_location(gast.List([], gast.Load()), place)], place)
