"""Write the typed call form of one specialization.

A source variable becomes one typed variable per tensor leaf: `tree.q` for leaf `q` of `tree`. A
variable whose type changes along the way gets another name for each type: `x`, `x~2`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from pcbatch import ir, structure
from pcbatch.errors import ProgramError, Span
from pcbatch.infer.allocation import allocate
from pcbatch.infer.calls import Operand
from pcbatch.infer.domain import BufferRef, Leaf, Shared, Static, Tensor, Value, as_tensor
from pcbatch.infer.evaluate import Outcome, typed
from pcbatch.infer.failures import number_too_large
from pcbatch.infer.store import Store
from pcbatch.operators import DoesNotFit, fits, truth

if TYPE_CHECKING:
    from pcbatch.infer.host import Planned
    from pcbatch.infer.instance import Instance, Place


class Emitter:
    """Collects the blocks of one typed function."""

    def __init__(self, instance: Instance, store: Store):
        self.instance, self._program_store = instance, store
        self.callees: list[Instance] = []
        self._types: dict[str, ir.TensorType] = {}
        self._blocks: list[ir.Block] = []
        self._versions: dict[str, dict[ir.TensorType, str]] = {}
        self._temporaries = 0
        self._params = tuple(
            name
            for param in instance.source.params
            for name in self._tensor_names(param, instance.params[param])
        )

    # --- Names -----------------------------------------------------------------------------

    def _name(self, variable: str, type_: ir.TensorType) -> str:
        versions = self._versions.setdefault(variable, {})
        if type_ not in versions:
            # A shared tensor of the program may have the name of a variable of this function.
            name, number = variable, 2
            while name in self._types or name in self._program_store.shared:
                name, number = f"{variable}~{number}", number + 1
            versions[type_] = name
            self._types[name] = type_
        return versions[type_]

    def _leaf_name(self, variable: str, leaf: Leaf) -> str:
        match leaf:
            case Tensor(type_):
                return self._name(variable, type_)
            case Shared(name) | BufferRef(name):
                return name
            case Static():
                return ""

    def operand(self, variable: str, value: Value) -> Operand:
        paths = structure.paths(value.tree, variable)
        names = (self._leaf_name(p, x) for p, x in zip(paths, value.leaves, strict=True))
        return Operand(value, tuple(names))

    def _tensor_names(self, variable: str, value: Value) -> list[str]:
        names = self.operand(variable, value).names
        return [n for n, x in zip(names, value.leaves, strict=True) if isinstance(x, Tensor)]

    def _temporary(self, type_: ir.TensorType) -> str:
        self._temporaries += 1
        return self._name(f"%t{self._temporaries}", type_)

    # --- Operations ------------------------------------------------------------------------

    def begin(self, place: Place) -> None:
        self._label = str(place)
        self._operations: list[ir.CallOperation] = []
        self._terminator: ir.CallTerminator | None = None
        self._edges: list[ir.Block] = []
        self._successors: list[Place] = []

    def finish(self) -> list[Place]:
        """Close the block; its successors in the order of its terminator."""
        self._blocks.append(ir.Block(self._label, tuple(self._operations), self._terminator))
        self._blocks.extend(self._edges)
        return self._successors

    def _add(
        self,
        targets: Iterable[str],
        fn: Callable[..., tuple[Any, ...]],
        args: Iterable[str],
        text: str,
        span: Span,
        batched: bool = False,
    ) -> None:
        self._operations.append(ir.Primitive(tuple(targets), fn, tuple(args), text, span, batched))

    def moves(self, targets: tuple[str, ...], operands: list[Operand], span: Span) -> None:
        pairs = [
            (target_name, name)
            for target, operand in zip(targets, operands, strict=True)
            for target_name, name, leaf in zip(
                self.operand(target, operand.value).names, operand.names, operand.value.leaves,
                strict=True,
            )
            if isinstance(leaf, Tensor)
        ]  # fmt: skip
        if pairs:
            self._add([t for t, _ in pairs], ir.move, [n for _, n in pairs], "move", span)

    def primitive(
        self,
        op: ir.Primitive | ir.Call,
        fn: Callable[..., tuple[Any, ...]],
        operands: list[Operand],
        outcome: Outcome,
        batched: bool,
    ) -> None:
        """Emit a primitive: leaves that are its arguments become moves, the rest is computed."""
        moved: list[tuple[str, str]] = []
        computed: list[tuple[str, int, int]] = []
        for i, (target, value) in enumerate(zip(op.targets, outcome.values, strict=True)):
            names = self.operand(target, value).names
            for j, (name, leaf) in enumerate(zip(names, value.leaves, strict=True)):
                alias = outcome.aliases[i][j]
                if isinstance(leaf, BufferRef) and alias is None:
                    self._add((), allocate, (), f"allocate {leaf.name}", op.span)
                if not isinstance(leaf, Tensor):
                    continue
                if alias is None:
                    computed.append((name, i, j))
                else:
                    moved.append((name, operands[alias[0]].names[alias[1]]))
        values = tuple(o.value for o in operands)
        args = [n for o in operands for n in o.names if n]
        text = op.text if isinstance(op, ir.Primitive) else f"{op.callee}(...)"
        checked = outcome.trace.hold is not None
        if computed or checked:
            run = typed(fn, values, tuple((i, j) for _, i, j in computed), outcome.trace)
            results = [name for name, _, _ in computed]
            if checked:
                results.append(self._temporary(ir.TensorType("bool", ())))
            self._compute_and_move(results, moved, run, args, text, op.span, batched)
            if checked:
                self._fail_unless(results[-1], "; ".join(outcome.trace.assertions), op.span)
        elif moved:
            self._add([t for t, _ in moved], ir.move, [n for _, n in moved], "move", op.span)

    def _fail_unless(self, condition: str, message: str, span: Span) -> None:
        """Stop the members for which an assertion inside a primitive does not hold."""
        then, failed = f"{self._label}.checked", f"{self._label}.failed"
        branch = ir.Branch(condition, then, failed, span)
        self._blocks.append(ir.Block(self._label, tuple(self._operations), branch))
        self._edges.append(ir.Block(failed, (), ir.Fail(message, span)))
        self._label, self._operations = then, []

    def _compute_and_move(
        self,
        results: list[str],
        moved: list[tuple[str, str]],
        run: Callable[..., tuple[Any, ...]],
        args: list[str],
        text: str,
        span: Span,
        batched: bool,
    ) -> None:
        """Both read the old values, so what the moves overwrite is computed from first."""
        sources = {name for _, name in moved}
        if not sources & set(results):
            self._add(results, run, args, text, span, batched)
            if moved:
                self._add([t for t, _ in moved], ir.move, [n for _, n in moved], "move", span)
            return
        fresh = [self._temporary(self._types[name]) for name in results]
        self._add(fresh, run, args, text, span, batched)
        targets = [t for t, _ in moved] + results
        self._add(targets, ir.move, [n for _, n in moved] + fresh, "move", span)

    def _materialize(self, leaf: Leaf, name: str, wanted: Tensor, span: Span) -> str:
        """A variable of the wanted type that holds the leaf's value."""
        if isinstance(leaf, Tensor) and leaf.type == wanted.type:
            return name
        result = self._temporary(wanted.type)
        self._convert(result, leaf, name, wanted, span)
        return result

    def _convert(self, target: str, leaf: Leaf, name: str, wanted: Tensor, span: Span) -> None:
        dtype, shape = wanted.type.dtype, wanted.type.shape
        match leaf:
            case Static(value):
                if not fits(value, tf.as_dtype(dtype)):
                    does_not_fit = DoesNotFit(value, tf.as_dtype(dtype))
                    raise ProgramError(number_too_large(span, does_not_fit))
                constant = lambda: (tf.constant(value, dtype, shape),)  # noqa: E731
                self._add([target], constant, [], repr(value), span)
            case Shared(_, type_) if type_ == wanted.type:
                self._add([target], lambda x: (tf.identity(x),), [name], name, span)
            case _:
                cast = lambda x: (tf.cast(x, dtype),)  # noqa: E731
                self._add([target], cast, [name], f"{dtype}({name})", span)

    def call(self, op: ir.Call, target: Instance, arguments: Mapping[str, Operand]) -> None:
        args = [
            self._materialize(leaf, name, wanted, op.span)
            for param in target.source.params
            for leaf, name, wanted in zip(
                arguments[param].value.leaves, arguments[param].names,
                target.params[param].leaves, strict=True,
            )
            if isinstance(wanted, Tensor)
        ]  # fmt: skip
        results = self._tensor_names(op.targets[0], target.result) if target.result else []
        self._operations.append(ir.Call(tuple(results), target.name, tuple(args), (), op.span))
        if target not in self.callees:
            self.callees.append(target)

    def host(self, op: ir.Call, planned: Planned) -> None:
        targets = self._tensor_names(op.targets[0], planned.result)
        args = tuple(n for o in planned.operands for n in o.names if n)
        code = planned.code
        self._operations.append(ir.HostCall(tuple(targets), code, args, code.name, op.span))

    def store(
        self, buffer: str, index: Operand, value: Operand, element: ir.TensorType, span: Span
    ) -> None:
        (index_leaf,), (leaf,) = index.value.leaves, value.value.leaves
        index_name = self._materialize(index_leaf, index.names[0], as_tensor(index_leaf), span)
        value_name = self._materialize(leaf, value.names[0], Tensor(element), span)
        self._operations.append(ir.Store(buffer, index_name, value_name, span))

    # --- Terminators -----------------------------------------------------------------------

    def returns(self, operand: Operand, result: Value, span: Span) -> None:
        leaves = zip(operand.value.leaves, operand.names, result.leaves, strict=True)
        values = [
            self._materialize(leaf, name, wanted, span)
            for leaf, name, wanted in leaves
            if isinstance(wanted, Tensor)
        ]
        self._terminator = ir.Return(tuple(values), span)

    def fail(self, message: str, span: Span) -> None:
        self._terminator = ir.Fail(message, span)

    def unreachable(self, span: Span) -> None:
        """End a block after a call that never returns."""
        self._terminator = ir.Fail("a function that never returns has returned", span)

    def jump(self, edge: Any, span: Span) -> None:
        place = edge[0]
        self._convert_edge(edge, span)
        self._terminator = ir.Jump(str(place), span)
        self._successors.append(place)

    def branch(self, condition: Operand, then: Any, orelse: Any, span: Span) -> None:
        (leaf,), (name,) = condition.value.leaves, condition.names
        wanted = Tensor(ir.TensorType("bool", ()))
        if as_tensor(leaf).type != wanted.type:
            result = self._temporary(wanted.type)
            self._add([result], lambda x: (truth(x),), [name], f"bool({name})", span)
            name = result
        elif not isinstance(leaf, Tensor):
            name = self._materialize(leaf, name, wanted, span)
        labels = [self._edge_block(edge, i, span) for i, edge in enumerate((then, orelse))]
        self._terminator = ir.Branch(name, labels[0], labels[1], span)
        self._successors.extend((then[0], orelse[0]))

    def _edge_block(self, edge: Any, number: int, span: Span) -> str:
        """The label to branch to; a block of its own where the edge converts values."""
        outer, self._operations = self._operations, []
        self._convert_edge(edge, span)
        operations, self._operations = self._operations, outer
        if not operations:
            return str(edge[0])
        label = f"{self._label}.edge{number}"
        self._edges.append(ir.Block(label, tuple(operations), ir.Jump(str(edge[0]), span)))
        return label

    def _convert_edge(self, edge: Any, span: Span) -> None:
        for variable, here, there in edge[1]:
            if here is None or here == there:
                continue
            source, target = self.operand(variable, here), self.operand(variable, there)
            for leaf, name, wanted, target_name in zip(
                here.leaves, source.names, there.leaves, target.names, strict=True
            ):
                if isinstance(wanted, Tensor) and target_name != name:
                    self._convert(target_name, leaf, name, wanted, span)

    # --- The function ----------------------------------------------------------------------

    def function(self) -> ir.Function:
        result = self.instance.result
        results = (x.type for x in result.leaves if isinstance(x, Tensor)) if result else ()
        return ir.Function(
            name=self.instance.name,
            params=self._params,
            blocks=tuple(self._blocks),
            span=self.instance.source.span,
            types=dict(self._types),
            results=tuple(results),
        )
