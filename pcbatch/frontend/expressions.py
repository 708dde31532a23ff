"""Lower expressions: straight-line parts become primitives, the rest becomes control flow.

Three kinds of expression cannot be part of a primitive: a call of a function of the program, what
is evaluated only sometimes (`and`, `or`, conditional expressions, chained comparisons), and what
assigns (`:=`). An expression with such a part inside is split: `f(x) + g(y) * z` becomes calls into
temporaries and one primitive `%1 + %2 * z`. What Python evaluates before such a part and could see
its effect is put into a temporary before it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

import gast

from pcbatch import ir
from pcbatch.frontend import narrowed_elements, narrowing, reductions, scope, special_calls
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import read, tuple_of
from pcbatch.frontend.operands import is_conditional, operands, replace_operands
from pcbatch.semantics.collected import ELEMENTS
from pcbatch.semantics.host import HostFunction


def value(b: Builder, node: gast.AST) -> ir.Variable:
    """Lower an expression and return the variable that holds its value."""
    match node:
        case gast.Name(id=name) if not b.is_builtin(name):
            return name
        case gast.NamedExpr(target=target):
            into(b, node.value, target.id)
            return target.id
        case gast.Call() if is_program_call(b, node):
            return _call(b, node, None)
        case _ if _goes_into(b, node):
            target = b.flow.temporary()
            into(b, node, target)
            return target
    rest = residual(b, node)
    target = b.flow.temporary()
    b.primitive((target,), rest)
    return target


def _goes_into(b: Builder, node: gast.AST) -> bool:
    """Whether `into` lowers an expression in a way of its own."""
    is_special = special_calls.operation(b, node) is not None or isinstance(node, gast.Lambda)
    is_special = is_special or narrowed_elements.is_marked(node)
    return is_special or is_conditional(node) or reduction(b, node) is not None


def settled_value(b: Builder, node: gast.AST, later: Sequence[gast.AST]) -> ir.Variable:
    """Lower an expression into a variable that keeps its value while `later` is evaluated."""
    variable = value(b, node)
    return _copy(b, variable, node) if variable in scope.bound_names(later) else variable


def into(b: Builder, node: gast.AST, target: ir.Variable) -> None:
    """Lower an expression and put its value into a variable."""
    match node:
        case gast.Name(id=name) if not b.is_builtin(name):
            b.flow.move(target, name, b.span(node))
        case gast.Call() if is_program_call(b, node):
            _call(b, node, target)
        case _ if narrowed_elements.is_marked(node):
            into(b, narrowed_elements.unmarked(node), target)
            narrowing.settle_element(b, target, node, narrowed_elements.witness_of(node))
        case _ if operation := special_calls.operation(b, node):
            parts = special_calls.parts_of(node)
            variables = [settled_value(b, p, parts[k + 1 :]) for k, p in enumerate(parts)]
            special_calls.lower(b, node, operation, variables, target)
        case gast.IfExp():
            _conditional(b, node, target)
        case gast.BoolOp() | gast.Compare() if is_conditional(node) and not target.startswith("%"):
            # The target may be read by the operands, so it is assigned at the end.
            b.flow.move(target, value(b, node), b.span(node))
        case gast.BoolOp():
            _short_circuit(b, node, target)
        case gast.Compare() if len(node.ops) > 1:
            _chain(b, node, target)
        case gast.Lambda():
            closure(b, node, target)
        case gast.NamedExpr():
            b.flow.move(target, value(b, node), b.span(node))
        case _ if found := reduction(b, node):
            b.lower_rounds(b, found, node, target)
        case _:
            b.primitive((target,), residual(b, node))


def test(b: Builder, node: gast.AST, then: ir.Label, orelse: ir.Label) -> None:
    """Lower a condition: go to `then` where it holds, else to `orelse`."""
    match node:
        case gast.Constant(value=constant):
            b.flow.jump(then if constant else orelse, b.span(node))
        case gast.UnaryOp(op=gast.Not(), operand=operand):
            test(b, operand, orelse, then)
        case gast.BoolOp(op=op):
            kind = "and" if isinstance(op, gast.And) else "or"
            values = narrowed_elements.operation(b, node).values
            for part in values[:-1]:
                (more,) = b.flow.labels(kind, "next")
                test(b, part, *((more, orelse) if kind == "and" else (then, more)))
                b.flow.start(more)
            test(b, values[-1], then, orelse)
        case gast.IfExp(test=condition):
            arms = narrowed_elements.choice(b, node)
            yes, no = b.flow.labels("ifexp", "then", "else")
            test(b, condition, yes, no)
            b.flow.start(yes)
            test(b, arms.body, then, orelse)
            b.flow.start(no)
            test(b, arms.orelse, then, orelse)
        case gast.Compare(ops=ops) if len(ops) > 1:
            _chain_test(b, node, then, orelse)
        case _:
            narrowing.branch(b, node, value(b, special_calls.truth(b, node)), then, orelse)


def closure(b: Builder, node: gast.FunctionDef | gast.Lambda, target: ir.Variable) -> None:
    """Lower a nested function: its decorators and defaults are evaluated here, its body later."""
    b.closures({target: with_defaults(b, node)})


def with_defaults(
    b: Builder, node: gast.FunctionDef | gast.Lambda
) -> gast.FunctionDef | gast.Lambda:
    """Evaluate a nested function's decorators and defaults; return what is left of it.

    Defaults other than constants become variables, which the closure captures, so that its
    signature can be had without running anything.
    """
    node = copy.deepcopy(node)
    decorators = list(getattr(node, "decorator_list", []))
    parts = [*decorators, *scope.defaults(node.args)]
    new = _in_order(b, parts, False)
    for k in range(len(decorators), len(parts)):
        if not isinstance(new[k], gast.Constant):
            variable = value(b, new[k])
            if not variable.startswith("%"):  # the body may take the variable itself, which changes
                variable = _copy(b, variable, new[k])
            new[k] = read(variable, new[k])
    replace_operands(node, {id(old): rest for old, rest in zip(parts, new, strict=True)})
    return node


def has_flow(b: Builder, node: gast.AST, in_call: bool = False) -> bool:
    """Whether an expression has a part that cannot be in a primitive.

    Args:
      b: the builder.
      node: the expression.
      in_call: whether it is an argument of a call inside a primitive; a lambda there is plain
        Python, elsewhere it is a value that may live on and so becomes a `Closure`.
    """
    match node:
        case gast.NamedExpr():
            return True
        case gast.Name(id=name):
            return name in b.unbound  # what stands before it is evaluated first
        case gast.Lambda() if not in_call or not b.unbound.isdisjoint(scope.taken_names(node)):
            return True
        case _ if narrowed_elements.is_marked(node):
            return True
        case _ if is_conditional(node) or reduction(b, node) or special_calls.operation(b, node):
            return True
        case gast.Call():
            return is_program_call(b, node) or any(has_flow(b, n, True) for n in operands(node))
    return any(has_flow(b, part, in_call) for part in operands(node))


def reduction(b: Builder, node: gast.AST) -> reductions.Reduction | None:
    """What goes over elements one by one in an expression that may need loops; else None."""
    known = b.reductions.get(id(node))
    if known is None:  # the node is kept, so that no other has its identity
        known = b.reductions[id(node)] = node, reductions.find(b, node)
    return known[1]


def is_program_call(b: Builder, node: gast.Call) -> bool:
    """Whether a call may call a function of the program.

    A callee that is known now decides it; one that only the running program knows (a parameter, a
    method of a local variable) is left to inference.
    """
    known = b.callee(node.func)
    if known is not None or reduction(b, node):
        return known is not None and b.calls_program(known)
    root = node.func
    while isinstance(root, gast.Attribute):
        root = root.value
    displays = (gast.Constant, gast.JoinedStr, gast.List, gast.Tuple, gast.Dict, gast.Set)
    return not isinstance(root, (*displays, *scope.COMPREHENSIONS))


def residual(b: Builder, node: gast.AST) -> gast.AST:
    """Lower the parts of an expression that cannot be in a primitive; return what is left of it."""
    if not has_flow(b, node):
        return node
    match node:
        case gast.Name():
            return node
        case _ if reduction(b, node) or special_calls.operation(b, node):
            return read(value(b, node), node)
        case gast.Call() if not is_program_call(b, node):
            pass
        case gast.Call() | gast.NamedExpr() | gast.Lambda():
            return read(value(b, node), node)
        case _ if narrowed_elements.is_marked(node):
            return read(value(b, node), node)
        case _ if is_conditional(node):
            return read(value(b, node), node)
    node = copy.deepcopy(node)
    parts = operands(node)
    replacements = _in_order(b, parts, isinstance(node, gast.Call))
    replace_operands(node, {id(old): new for old, new in zip(parts, replacements, strict=True)})
    return node


def _in_order(b: Builder, parts: Sequence[gast.AST], in_call: bool) -> list[gast.AST]:
    """Lower operands from left to right; return what is left of each."""
    results = []
    for k, part in enumerate(parts):
        rest = part if not has_flow(b, part, in_call) else residual(b, part)
        later = [p for p in parts[k + 1 :] if has_flow(b, p, in_call)]
        results.append(_settle(b, rest, later) if later else rest)
    return results


def _settle(b: Builder, node: gast.AST, later: Sequence[gast.AST]) -> gast.AST:
    """Make an operand safe from what the operands after it do."""
    match node:
        case gast.Constant() | gast.Lambda():
            return node
        case gast.Name(id=name):
            rebound = name in scope.bound_names(later)
            return read(_copy(b, name, node), node) if rebound else node
        case gast.Attribute() if b.callee(node) is not None:
            return node
        case gast.Starred() | gast.Slice() | gast.FormattedValue() | gast.JoinedStr():
            node = copy.deepcopy(node)
            replace_operands(node, {id(part): _settle(b, part, later) for part in operands(node)})
            return node
        case gast.Tuple(elts=elements) if any(isinstance(e, gast.Slice) for e in elements):
            node = copy.deepcopy(node)
            node.elts = [_settle(b, element, later) for element in node.elts]
            return node
    return read(value(b, node), node)


def _copy(b: Builder, name: str, node: gast.AST) -> ir.Variable:
    target = b.flow.temporary()
    b.flow.move(target, name, b.span(node))
    return target


def _call(b: Builder, node: gast.Call, target: ir.Variable | None) -> ir.Variable:
    """Lower a call of a function of the program; return the variable that takes the result."""
    values = [tuple_of(a) if isinstance(a, gast.Starred) else a for a in node.args]
    elements = getattr(node, "elements", None)  # see `taken_whole`
    keywords = [*node.keywords, *([gast.keyword(ELEMENTS, elements)] if elements else [])]
    parts = [node.func, *values, *(keyword.value for keyword in keywords)]
    variables = [settled_value(b, part, parts[k + 1 :]) for k, part in enumerate(parts)]
    kinds = ["*" if isinstance(a, gast.Starred) else None for a in node.args]
    kinds += [keyword.arg or "**" for keyword in keywords]
    target = target or b.flow.temporary()
    callee, *args = variables
    if _sees_variables(b, node):
        unseen = sorted(b.local.difference(keyword.arg for keyword in node.keywords))
        args += unseen
        kinds += [f"?{name}" for name in unseen]
    b.flow.emit(ir.Call((target,), callee, tuple(args), tuple(kinds), b.span(node)))
    return target


def _sees_variables(b: Builder, node: gast.Call) -> bool:
    """Whether a call is one of a host function that is shown the caller's variables."""
    known = b.callee(node.func)
    value = known.value if known is not None else None
    return isinstance(value, HostFunction) and value.sees_variables


def _conditional(b: Builder, node: gast.IfExp, target: ir.Variable) -> None:
    yes, no, end = b.flow.labels("ifexp", "then", "else", "end")
    test(b, node.test, yes, no)
    node = narrowed_elements.choice(b, node)
    for label, arm in ((yes, node.body), (no, node.orelse)):
        b.flow.start(label)
        into(b, arm, target)
        b.flow.jump(end, b.span(arm))
    b.flow.start(end)


def _short_circuit(b: Builder, node: gast.BoolOp, target: ir.Variable) -> None:
    kind = "and" if isinstance(node.op, gast.And) else "or"
    (end,) = b.flow.labels(kind, "end")
    node = narrowed_elements.operation(b, node)
    for part in node.values[:-1]:
        into(b, part, target)
        if kind == "or":
            narrowing.of_first(b, part, target, end)
            continue
        (more,) = b.flow.labels(kind, "next")
        b.flow.close(ir.Branch(target, more, end, b.span(part)))
        b.flow.start(more)
    into(b, node.values[-1], target)
    b.flow.jump(end, b.span(node))
    b.flow.start(end)


def _chain(b: Builder, node: gast.Compare, target: ir.Variable) -> None:
    (end,) = b.flow.labels("chain", "end")
    for k, link in enumerate(_links(b, node)):
        b.primitive((target,), link)
        if k < len(node.ops) - 1:
            (more,) = b.flow.labels("chain", "next")
            b.flow.close(ir.Branch(target, more, end, b.span(link)))
            b.flow.start(more)
    b.flow.jump(end, b.span(node))
    b.flow.start(end)


def _chain_test(b: Builder, node: gast.Compare, then: ir.Label, orelse: ir.Label) -> None:
    for k, link in enumerate(_links(b, node)):
        if k == len(node.ops) - 1:
            test(b, link, then, orelse)
        else:
            (more,) = b.flow.labels("chain", "next")
            test(b, link, more, orelse)
            b.flow.start(more)


def _links(b: Builder, node: gast.Compare) -> Iterator[gast.Compare]:
    """Yield the comparisons of a chain; each operand is lowered when its turn comes, once."""
    left = node.left
    for k, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
        left, right = _in_order(b, [left, right], False)
        if k < len(node.ops) - 1:
            if not isinstance(right, gast.Name | gast.Constant):
                left = _settle(b, left, [])
            right = _settle(b, right, node.comparators[k + 1 :])
        yield gast.copy_location(gast.Compare(left=left, ops=[op], comparators=[right]), node)
        left = right
