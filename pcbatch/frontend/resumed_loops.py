"""What a generator that goes on keeps in another way: its containers, and where its loops are.

A container is an attribute of the generator, so that what changes it changes that. A loop in which
an element is given counts its rounds, and looks for the next element when it goes on.

    found = []                          g.found = []
    for x in xs:                        k = 0
        found.append(x)         =>      while has_item(iterate(xs), k):
        yield x                             x, k = item(iterate(xs), k), k + 1
                                            g.found.append(x)
                                            yield x
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.kept_iterators import is_generated
from pcbatch.frontend.new_lists import fresh
from pcbatch.frontend.nodes import assigned, assignment, constant, method_call, module_call, read
from pcbatch.frontend.own_nodes import own_nodes
from pcbatch.frontend.runtime_names import ITERATORS, LOOPS
from pcbatch.frontend.yielding import is_given
from pcbatch.semantics.generated import PARAMETER, own


def rewrite(b: Builder) -> None:
    """Have the statements of a generator keep what they have so that it can be kept.

    Args:
      b: the builder of a generator that goes on; `b.source.node` is changed.
    """
    node = b.source.node
    loops = _Loops(b)
    whole = gast.If(None, node.body, [])
    loops.generic_visit(whole)
    node.body = _Attributes(frozenset(_containers(b))).visited(whole.body)
    b.local |= loops.names


def _containers(b: Builder) -> Iterator[str]:
    """The variables that are assigned new containers, and nothing else."""
    node = b.source.node
    counts = scope.binding_counts(node.body)
    made: dict[str, int] = {}
    for part in own_nodes(node, generators=False):
        for target, value in assigned(part):
            if isinstance(target, gast.Name) and _is_container(b, value):
                made[target.id] = made.get(target.id, 0) + 1
    others = {*scope.parameters(node.args), *_bound_inside(node)}
    for name, count in made.items():
        if count + _augmented(node, name) == counts[name] and name not in others:
            yield name


def _bound_inside(node: gast.FunctionDef) -> Iterator[str]:
    """The names that comprehensions and functions in a function have for variables of theirs."""
    for part in own_nodes(node):
        if isinstance(part, scope.FUNCTIONS):
            yield from scope.local_names(part)
        elif isinstance(part, scope.COMPREHENSIONS):
            yield from scope.bound_names([g.target for g in part.generators])


def _augmented(node: gast.FunctionDef, name: str) -> int:
    parts = (x.target for x in own_nodes(node, generators=False) if isinstance(x, gast.AugAssign))
    return sum(isinstance(x, gast.Name) and x.id == name for x in parts)


def _is_container(b: Builder, value: gast.expr) -> bool:
    match value:
        case gast.BinOp(left=left, right=right):
            return _is_container(b, left) or _is_container(b, right)
        case gast.Tuple():
            return False
    return fresh(value, b.is_builtin, b.callee) is not None


class _Attributes(gast.NodeTransformer):
    """Has variables be attributes of the generator."""

    def __init__(self, names: frozenset[str]):
        self._names = names

    def visited(self, body: list[gast.stmt]) -> list[gast.stmt]:
        return [self.visit(statement) for statement in body]

    def visit_Name(self, node: gast.Name) -> gast.AST:
        if node.id not in self._names:
            return node
        owner = read(PARAMETER, node)
        return gast.copy_location(gast.Attribute(owner, own(node.id), node.ctx), node)


class _Loops(gast.NodeTransformer):
    """Has the loops in which an element is given count their rounds."""

    def __init__(self, b: Builder):
        self._b = b
        self.names = frozenset[str]()
        pairs = (pair for n in own_nodes(b.source.node) for pair in assigned(n))
        self._generators = {t.id for t, value in pairs if _is_name(t) and is_generated(value)}

    def _new(self, kind: str) -> str:
        name = f"{kind}{self._b.flow.temporary()}"
        self.names |= {name}
        return name

    def visit_For(self, node: gast.For) -> gast.AST | list[gast.AST]:
        self.generic_visit(node)
        if not any(is_given(n) for s in node.body for n in gast.walk(s)):
            return node
        before = list[gast.stmt]()
        source = self._source(node.iter, before, scope.bound_names(node.body))
        if source is None:
            return node
        index = self._new("index")
        found = module_call(LOOPS, "iterate_again", [source], node.iter)
        test = module_call(LOOPS, "has_item", [found, read(index, node)], node.iter)
        again = copy.deepcopy(found)
        one = module_call(LOOPS, "item", [again, read(index, node)], node.iter)
        if isinstance(node.iter, gast.Name):
            test = _either(node.iter, "has_next", test)
            one = _either(node.iter, "taken", one)
        first = gast.copy_location(gast.Assign([node.target], one, None), node.iter)
        added = gast.BinOp(read(index, node), gast.Add(), constant(1, node))
        next_ = assignment(index, gast.copy_location(added, node.iter), node.iter)
        whole = gast.While(test, [first, next_, *node.body], node.orelse)
        start = assignment(index, constant(0, node.iter))
        return [*before, start, gast.copy_location(whole, node)]

    visit_FunctionDef: Callable[..., gast.AST]

    def visit_Lambda(self, node: gast.AST) -> gast.AST:
        return node

    visit_FunctionDef = visit_Lambda

    def _source(
        self, node: gast.expr, before: list[gast.stmt], changed: frozenset[str]
    ) -> gast.expr | None:
        """What a loop goes over, found each time; None where that is kept as it is.

        Args:
          node: the expression.
          before: takes statements that stand in front of the loop.
          changed: the variables that the loop binds.
        """
        b = self._b
        match node:
            case gast.Call(func=gast.Name(id="enumerate"), args=[inner, *rest]) if b.is_builtin(
                "enumerate"
            ):
                source = self._source(inner, before, changed)
                return source and module_call(LOOPS, "enumerated", [source, *rest], node)
            case gast.Call(func=gast.Name(id="zip"), args=args, keywords=[]) if b.is_builtin("zip"):
                found = [self._source(a, before, changed) for a in args]
                if any(x is None for x in found):
                    return None
                return module_call(LOOPS, "zipped", [x for x in found if x], node)
            case gast.Name(id=name) if name in self._generators:
                return None
            case gast.Name(id=name) if name in changed:  # the loop goes on over what it was
                return self._named(node, before)
            case (
                gast.List() | gast.ListComp() | gast.BinOp() | gast.Call(func=gast.Name())
                | gast.Subscript(slice=gast.Slice())
            ) if _is_container(b, node):  # fmt: skip
                return self._named(node, before)
        if not _is_same(node):
            return None
        for part in gast.walk(node):
            if isinstance(part, gast.Attribute):
                said = [copy.deepcopy(part.value), constant(part.attr, node)]
                call = module_call(LOOPS, "goes_over", said, node)
                before.append(gast.copy_location(gast.Expr(call), node))
        return copy.deepcopy(node)

    def _named(self, node: gast.expr, before: list[gast.stmt]) -> gast.expr:
        """A variable that has what a loop goes over."""
        name = self._new("elements")
        before.append(assignment(name, copy.deepcopy(node), node))
        return read(name, node)


def _is_name(node: gast.AST) -> bool:
    return isinstance(node, gast.Name)


def _either(kept: gast.Name, method: str, other: gast.expr) -> gast.expr:
    """What to ask of a variable, which may have a generator that is kept."""
    test = module_call(ITERATORS, "is_iterator", [copy.deepcopy(kept)], kept)
    asked = method_call(copy.deepcopy(kept), method, [], kept)
    return gast.copy_location(gast.IfExp(test, asked, other), kept)


def _is_same(node: gast.expr) -> bool:
    """Whether an expression gives the same object as long as a loop goes over it, if no attribute
    is assigned meanwhile."""
    match node:
        case gast.Attribute(value=value):
            return _is_same(value)
        case gast.Tuple(elts=elements):
            return all(map(_is_same, elements))
        case gast.UnaryOp(operand=gast.Constant()):
            return True
    return isinstance(node, gast.Name | gast.Constant)
