"""Iterators that variables have: `it = iter(xs)`, `next(it)`, and a loop over what is left."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.element_sources import TAKING_BUILTINS
from pcbatch.frontend.generator_calls import as_going
from pcbatch.frontend.lazy_calls import name_of, sources
from pcbatch.frontend.nodes import assigned, method_call, module_call
from pcbatch.frontend.runtime_names import GENERATED, ITERATORS, LAZY, LOOPS

IsBuiltin = Callable[[str], bool]
_MAKING = ("iter", "zip", "enumerate", "reversed")


def rewrite(b: Builder, node: gast.AST, given: Sequence[str], anywhere: bool = False) -> None:
    """Have a function keep its iterators as objects of `iterators.Iterator`.

    Args:
      b: its builder, which takes note.
      node: the function, which is changed.
      given: its parameters, and what it has captured.
      anywhere: what `next` is called with may be such an object, whatever it is.
    """
    is_builtin = b.is_builtin
    if not isinstance(node, gast.FunctionDef):
        return
    parts = list(gast.walk(node))
    asked = set(filter(None, (_asked(part, is_builtin) for part in parts)))
    made = {name for part in parts for name in _made(part, is_builtin, asked)}
    other = {name for part in parts for name in _otherwise(part, is_builtin)}
    elements = {x.id for part in parts for x in _elements(part)}
    names = (made | asked.intersection((*given, *elements))) - other
    maybe = {t.id for part in parts for t, v in assigned(part) if _may_be_generated(t, v)}
    if not names and not anywhere and not maybe:
        return
    b.has_iterators = True
    change = _Rewrite(b, names, made, anywhere, maybe)
    whole = gast.If(None, node.body, [])
    change.generic_visit(whole)
    node.body = whole.body


def _elements(node: gast.AST) -> Iterator[gast.Name]:
    """The variables of a loop."""
    if isinstance(node, gast.For | gast.comprehension):
        yield from (x for x in gast.walk(node.target) if isinstance(x, gast.Name))


def _asked(node: gast.AST, is_builtin: IsBuiltin) -> str:
    """The variable that a call of `next` asks."""
    match node:
        case gast.Call(func=gast.Name(id="next"), args=[gast.Name(id=name), *_]):
            return name if is_builtin("next") else ""
    return ""


def _is_making(node: gast.AST, is_builtin: IsBuiltin) -> bool:
    match node:
        case _ if is_generated(node):
            return True
        case gast.Call(func=gast.Name(id=name), args=args, keywords=[]) if name in _MAKING:
            return is_builtin(name) and (name != "iter" or len(args) == 1)
    return False


def is_generated(node: gast.AST) -> bool:
    """Whether an expression makes a generator that is kept, see `kept_generators`."""
    match node:
        case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr=function)):
            return name == GENERATED and function in ("generated", "generated_by")
    return False


def _made(node: gast.AST, is_builtin: IsBuiltin, asked: set[str]) -> list[str]:
    """The variables that are assigned an iterator which is kept."""
    return [
        target.id
        for target, value in assigned(node)
        if isinstance(target, gast.Name)
        and _is_making(value, is_builtin)
        and (is_generated(value) or value.func.id == "iter" or target.id in asked)
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
    b: Builder
    names: set[str]
    made: set[str]
    anywhere: bool
    maybe: set[str]

    def is_builtin(self, name: str) -> bool:
        return self.b.is_builtin(name)

    def visit(self, node: gast.AST) -> gast.AST:
        match node:
            case gast.Assign() | gast.AnnAssign():
                return self._assignment(node)
            case gast.For(target=target, iter=source, body=body, orelse=orelse):
                return self._loop(node, target, source, body, orelse)
            case gast.Call(func=gast.Name(id=name), args=[source, *rest]) if self.is_builtin(name):
                if name == "next" and (self._is_one(source) or self._may_be_one(source)):
                    return self._next(source, list(map(self.visit, rest)), node)
                if name == "next" and is_generated(source):
                    return self._first(source, list(map(self.visit, rest)), node)
                if name == "iter" and self._is_one(source):
                    return source
                if name in TAKING_BUILTINS and self._is_one(source):
                    node.args[0] = _rest(source, node)
                elif name in TAKING_BUILTINS and self._is_maybe(source):
                    node.args[0] = _rest_or_itself(source, node)
            case gast.Call(func=gast.Attribute(attr="join" | "extend"), args=[source]):
                if self._is_one(source):
                    node.args[0] = _rest(source, node)
            case gast.comprehension(iter=source) if self._is_one(source):
                node.iter = as_going(source)
            case gast.comprehension(iter=source) if self._is_maybe(source):
                node.iter = _rest_or_itself(source, source)
        if (name := name_of(self.b, node)) or _maps(self.b, node):
            taken = sources(name, node) if name else node.args[1:]
            node.args = [as_going(a) if self._is_one(a) and a in taken else a for a in node.args]
        return self.generic_visit(node)

    def _next(self, source: gast.expr, default: list[gast.AST], node: gast.AST) -> gast.AST:
        """What `next` gives; what raises has changed nothing, so that handlers may follow."""
        if default:
            return _called("advance_or", [source, *default], node)
        test, over = _called("advance", [source], node), module_call(LAZY, "no_next", [], node)
        found = gast.IfExp(test, method_call(source, "taken", [], node), over)
        if not isinstance(source, gast.Name) or source.id not in self.made:
            # It may be an object of a class of the user's.
            is_kept, own = _called("is_iterator", [source], node), "__next__"
            found = gast.IfExp(
                is_kept, gast.copy_location(found, node), method_call(source, own, [], node)
            )
        return gast.copy_location(found, node)

    def _first(self, source: gast.expr, default: list[gast.AST], node: gast.AST) -> gast.AST:
        """What `next` gives of a generator that has no other name."""
        if default:
            return _called("advance_or", [source, *default], node)
        return _called("first_of", [source], node)

    def _is_maybe(self, node: gast.AST) -> bool:
        """Whether a variable may have a generator, as the class of what made it says."""
        return isinstance(node, gast.Name) and node.id in self.maybe - self.names

    def _is_one(self, node: gast.AST) -> bool:
        return isinstance(node, gast.Name) and node.id in self.names

    def _may_be_one(self, node: gast.AST) -> bool:
        """Whether an expression may give an iterator that is kept, and is evaluated several times
        without a difference."""
        match node:
            case (
                gast.Attribute(value=value)
                | gast.Subscript(value=value, slice=gast.Name() | gast.Constant())
            ):
                return self._may_be_one(value)
        return self.anywhere and isinstance(node, gast.Name)

    def _assignment(self, node: gast.AST) -> gast.AST:
        for target, value in list(assigned(node)):
            if is_generated(value):
                continue
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
        if self._is_one(source):
            node.iter = as_going(source)
        if not several:
            return self.generic_visit(node)
        one, number = several
        count = gast.copy_location(gast.Constant(number, None), node)
        test = method_call(one, "has_several", [count], node)
        parts = [method_call(one, "taken", [], node) for _ in range(number)]
        taken = gast.copy_location(gast.Tuple(parts, gast.Load()), node)
        first = gast.copy_location(gast.Assign([target], taken, None), node)
        whole = gast.copy_location(gast.While(test, [first, *body], orelse), node)
        return self.generic_visit(whole)

    def _several(self, source: gast.expr) -> tuple[gast.expr, int] | None:
        """The iterator that a loop goes over, and how many elements a round takes."""
        match source:
            case gast.Call(func=gast.Name(id="zip"), args=[first, *more], keywords=[]) if more:
                same = all(isinstance(x, gast.Name) and x.id == first.id for x in more)
                if self._is_one(first) and same and self.is_builtin("zip"):
                    return first, 1 + len(more)
        return None


def _maps(b: Builder, node: gast.AST) -> bool:
    """Whether an expression is a call of `map` or `filter`."""
    return b.is_builtin_call(node, "map") or b.is_builtin_call(node, "filter")


def _called(name: str, args: list[gast.AST], place: gast.AST) -> gast.Call:
    return module_call(ITERATORS, name, args, place)


def _may_be_generated(target: gast.AST, value: gast.AST) -> bool:
    match target, value:
        case gast.Name(), gast.IfExp(body=body):
            return is_generated(body)
    return False


def _rest_or_itself(owner: gast.Name, place: gast.AST) -> gast.IfExp:
    """What is left of a generator; of another thing that itself."""
    test = _called("is_iterator", [copy.deepcopy(owner)], place)
    other = copy.deepcopy(owner)
    return gast.copy_location(gast.IfExp(test, _rest(copy.deepcopy(owner), place), other), place)


def _rest(owner: gast.AST, place: gast.AST) -> gast.Call:
    """A list of what is left of an iterator."""
    return _called("rest", [owner, gast.copy_location(gast.List([], gast.Load()), place)], place)
