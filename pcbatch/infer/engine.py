"""The fixpoint: which blocks are reached, with which abstract values, in which specializations.

The analysis is optimistic constant propagation over the call graph. A function is specialized per
structure, dtype and shape of its arguments and per static object among them; within a
specialization, values meet at joins (`domain.join`). Blocks inside an unrolled loop are kept apart
by the loop's position. After the fixpoint the same transfer functions run once more with an
emitter that writes the typed program down.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from pcbatch import ir, structure
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Callee, Operand, bind, captured, check_static, constant, fits
from pcbatch.infer.domain import (
    BufferRef,
    Conflict,
    Static,
    Tensor,
    Value,
    as_tensor,
    is_number,
    join,
    unroll_key,
)
from pcbatch.infer.emit import Emitter, check_allocations
from pcbatch.infer.evaluate import Evaluator, Origin, Outcome, Store
from pcbatch.infer.liveness import live_in
from pcbatch.operators import truth
from pcbatch.values import Closure

MAX_INSTANCES = 256
MAX_TYPES = 32
MAX_UNROLL = 1024


@dataclasses.dataclass(frozen=True, slots=True)
class Binding:
    """A variable's abstract value (None: unbound on some path) and where it was assigned."""

    value: Value | None
    span: Span


Environment = dict[str, Binding]
Context = tuple[tuple[str, int], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """A block of a function, apart for each position of the unrolled loops around it."""

    label: str
    context: Context = ()

    def __str__(self) -> str:
        return self.label + "".join(f"#{k}" for _, k in self.context)


class Instance:
    """One specialization of a function, as far as it is known."""

    def __init__(self, callee: Callee, source: ir.Function, name: str, params: dict[str, Value]):
        self.callee, self.source, self.name, self.params = callee, source, name, params
        self.result: Value | None = None
        self.blocks = {block.label: block for block in source.blocks}
        self.live = live_in(source)
        self.places: dict[Place, Environment] = {}
        self.callers: dict[tuple[str, Place], tuple[Instance, Place]] = {}
        self.free: dict[str, Value] = {}

    @property
    def entry(self) -> Place:
        return Place(self.source.blocks[0].label)


@dataclasses.dataclass(frozen=True)
class Frontend:
    """What inference needs from outside.

    Attributes:
      lower: the source form of a function.
      free_value: the current value of a free name of a function, `(function, name, span)`.
      callee: the `Callee` behind an autobatched object; None for any other object.
      closure: the `Callee` behind a factory of closures and the names that they capture; None if
        its functions cannot be lowered.
      is_batched: whether a callable takes the batch axis itself.
    """

    lower: Callable[[Callee], ir.Function]
    free_value: Callable[[Callable[..., Any], str], Any]
    callee: Callable[[Any], Callee | None]
    closure: Callable[[Any, tuple[str, ...]], Callee | None]
    is_batched: Callable[[Any], bool]


@dataclasses.dataclass(frozen=True)
class Inferred:
    """A typed program and what the caller must know to run it.

    Attributes:
      program: the typed call form.
      params: the abstract arguments of the entry function, by parameter.
      result: the abstract result; its tensor leaves are the program's results, in order.
      shared: where the tensors behind `program.shared` come from.
      free: every free name that was read, with the value that it had.
    """

    program: ir.Program
    params: Mapping[str, Value]
    result: Value
    shared: Mapping[str, Origin]
    free: tuple[tuple[Callable[..., Any], str, Any], ...]


class Engine:
    """One run of inference."""

    def __init__(self, frontend: Frontend, store: Store):
        self.frontend, self.store = frontend, store
        self.evaluate = Evaluator(store)
        self.instances: list[Instance] = []
        self.free_reads: dict[tuple[int, str], tuple[Callable[..., Any], str, Any]] = {}
        self._closures: dict[int, Callee | None] = {}
        self._sources: list[tuple[Callee, ir.Function]] = []
        self._plain_calls: dict[int, Callable[..., Any]] = {}
        self._queue: deque[tuple[Instance, Place]] = deque()
        self._queued: set[tuple[str, Place]] = set()

    # --- Instances -------------------------------------------------------------------------

    def instance(self, callee: Callee, arguments: dict[str, Operand], span: Span) -> Instance:
        """The specialization that serves a call, widened to its arguments."""
        check_static(callee, arguments, span)
        for known in self.instances:
            if known.callee.same(callee) and fits(callee, known.params, arguments):
                self._widen(known, arguments, span)
                return known
        name = callee.function.__name__
        same_name = sum(i.source.name == name for i in self.instances)
        if same_name >= MAX_INSTANCES:
            raise ProgramError(report.TooManyInstances(span, name, MAX_INSTANCES))
        self._check_growth(callee, arguments, span)
        params = {p: operand.value for p, operand in arguments.items()}
        source = self.lower(callee)
        unique = f"{source.name}~{same_name + 1}" if same_name else source.name
        created = Instance(callee, source, unique, params)
        self.instances.append(created)
        self._enter(created)
        return created

    def _check_growth(self, callee: Callee, arguments: dict[str, Operand], span: Span) -> None:
        """Refuse a recursion that passes on an argument of another type for ever."""
        alike = [
            i.params
            for i in self.instances
            if i.callee.same(callee) and _same_statics(i.params, arguments)
        ]
        if len(alike) < MAX_TYPES:
            return
        for name, old in alike[0].items():
            new = arguments[name].value
            if new != old:
                raise ProgramError(
                    report.ArgumentConflict(
                        span, name, callee.function.__name__, str(new), str(old)
                    )
                )

    def _widen(self, instance: Instance, arguments: dict[str, Operand], span: Span) -> None:
        changed = False
        for name, old in instance.params.items():
            try:
                new = join(old, arguments[name].value)
            except Conflict as c:
                raise ProgramError(report.ArgumentConflict(
                    span, name + c.path, instance.source.name, str(c.right), str(c.left)
                )) from None  # fmt: skip
            changed |= new != old
            instance.params[name] = new
        if changed:
            self._enter(instance)

    def _enter(self, instance: Instance) -> None:
        span = instance.source.span
        env = {name: Binding(value, span) for name, value in instance.params.items()}
        self._flow(instance, instance.entry, env, span)

    def enqueue(self, instance: Instance, place: Place) -> None:
        if (instance.name, place) not in self._queued:
            self._queued.add((instance.name, place))
            self._queue.append((instance, place))

    def run(self) -> None:
        """Analyse until nothing changes."""
        while self._queue:
            instance, place = self._queue.popleft()
            self._queued.discard((instance.name, place))
            Transfer(self, instance, place, None).run()

    # --- Joins -----------------------------------------------------------------------------

    def place(self, instance: Instance, label: str, env: Environment, span: Span) -> Place:
        """Where a jump to `label` with these values goes."""
        live = instance.live[label]
        keys = [(v, unroll_key(env[v].value)) for v in live if v in env and env[v].value]
        context = tuple((v, k) for v, k in keys if k is not None)
        if any(k > MAX_UNROLL for _, k in context):
            raise ProgramError(report.UnrollTooLong(span, MAX_UNROLL))
        return Place(label, context)

    def _flow(self, instance: Instance, place: Place, env: Environment, span: Span) -> None:
        live = instance.live[place.label]
        arriving = {
            v: env.get(v, Binding(None, span)) for v in live if v not in instance.source.free
        }
        known = instance.places.get(place)
        if known is None:
            instance.places[place] = arriving
            self.enqueue(instance, place)
            return
        joined = {v: _join_bindings(v, known[v], arriving[v]) for v in arriving}
        if any(joined[v].value != known[v].value for v in joined):
            instance.places[place] = joined
            self.enqueue(instance, place)

    def flow(self, instance: Instance, label: str, env: Environment, span: Span) -> None:
        self._flow(instance, self.place(instance, label, env, span), env, span)

    def returned(self, instance: Instance, value: Value, span: Span) -> None:
        """Note a `return`; the callers are analysed again if it changes the result."""
        try:
            joined = value if instance.result is None else join(instance.result, value)
        except Conflict as c:
            raise ProgramError(report.ResultConflict(span, str(c.right), str(c.left))) from None
        if joined != instance.result:
            instance.result = joined
            for caller, place in instance.callers.values():
                self.enqueue(caller, place)

    def free(self, instance: Instance, name: str, span: Span) -> Value:
        """The abstract value of a global or a closure variable."""
        if name not in instance.free:
            function = instance.callee.function
            try:
                value = self.frontend.free_value(function, name)
            except ProgramError as error:
                if error.diagnostic.span.line:
                    raise
                raise ProgramError(dataclasses.replace(error.diagnostic, span=span)) from None
            self.free_reads[id(function), name] = (function, name, value)
            instance.free[name] = self.store.abstract(name, value, function)
        return instance.free[name]

    def closure(self, function: Value) -> Callee | None:
        """The callee behind a closure value; None for anything else."""
        tree = function.tree
        if not isinstance(tree, structure.Node) or tree.type is not Closure:
            return None
        key = id(tree.meta)
        if key not in self._closures:
            self._closures[key] = self.frontend.closure(tree.meta, tree.keys)
        return self._closures[key]

    def lower(self, callee: Callee) -> ir.Function:
        """The source form of a function, made once."""
        for known, source in self._sources:
            if known.same(callee):
                return source
        source = self.frontend.lower(callee)
        self._sources.append((callee, source))
        return source

    def plain_call(self, op: ir.Call, batched: bool) -> Callable[..., tuple[Any, ...]]:
        """A primitive that calls its first argument, which is no autobatched function."""
        if id(op) not in self._plain_calls:
            self._plain_calls[id(op)] = _caller(op.keywords, batched)
        return self._plain_calls[id(op)]


def _caller(keywords: tuple[str | None, ...], batched: bool) -> Callable[..., tuple[Any, ...]]:
    def call(function: Callable[..., Any], *values: Any) -> tuple[Any, ...]:
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for value, keyword in zip(values, keywords, strict=True):
            match keyword:
                case None:
                    positional.append(value)
                case "*":
                    positional.extend(value)
                case "**":
                    named.update(value)
                case _:
                    named[keyword] = value
        callee = function.function if batched else function
        return (callee(*positional, **named),)

    return call


def _join_bindings(name: str, old: Binding, new: Binding) -> Binding:
    if old.value is None or new.value is None:
        return Binding(None, old.span)
    try:
        return Binding(join(old.value, new.value), old.span)
    except Conflict as c:
        where = (
            f"at line {old.span.line}" if old.span.line != new.span.line else "on the other path"
        )
        raise ProgramError(
            report.JoinConflict(new.span, name + c.path, str(c.right), str(c.left), where)
        ) from None


class Transfer:
    """Abstractly run one block, to its successors' environments or into an emitter."""

    def __init__(self, engine: Engine, instance: Instance, place: Place, emitter: Emitter | None):
        self.engine, self.instance, self.place, self.emitter = engine, instance, place, emitter
        self.env: Environment = dict(instance.places[place])

    def run(self) -> None:
        block = self.instance.blocks[self.place.label]
        for op in block.operations:
            if not self._operation(op):
                return
        self._terminator(block.terminator)

    # --- Reading and writing variables -----------------------------------------------------

    def read(self, name: str, span: Span) -> Value:
        if name in self.instance.source.free:
            return self.engine.free(self.instance, name, span)
        binding = self.env.get(name)
        if binding is None or binding.value is None:
            raise ProgramError(report.MaybeUnbound(span, name))
        return binding.value

    def operand(self, name: str, span: Span) -> Operand:
        value = self.read(name, span)
        return self.emitter.operand(name, value) if self.emitter else constant(value)

    def assign(self, name: str, value: Value, span: Span) -> None:
        self.env[name] = Binding(value, span)

    # --- Operations ------------------------------------------------------------------------

    def _operation(self, op: ir.CallOperation) -> bool:
        """Run one operation; False if nothing after it is reached yet."""
        match op:
            case ir.Primitive(fn=ir.move):
                self._move(op)
            case ir.Primitive():
                self._primitive(op, op.fn, op.args, op.batched)
            case ir.Call():
                return self._call(op)
            case ir.Store():
                self._store(op)
        return True

    def _move(self, op: ir.Primitive) -> None:
        operands = [self.operand(a, op.span) for a in op.args]
        for target, operand in zip(op.targets, operands, strict=True):
            self.assign(target, operand.value, op.span)
        if self.emitter:
            self.emitter.moves(op.targets, operands, op.span)

    def _primitive(
        self,
        op: ir.Primitive | ir.Call,
        fn: Callable[..., tuple[Any, ...]],
        args: tuple[str, ...],
        batched: bool = False,
    ) -> None:
        operands = [self.operand(a, op.span) for a in args]
        values = tuple(o.value for o in operands)
        name = f"{self.instance.name}.{op.targets[0]}"
        outcome: Outcome = self.engine.evaluate(fn, values, op.span, name, batched)
        for target, value in zip(op.targets, outcome.values, strict=True):
            self.assign(target, value, op.span)
        if self.emitter:
            self.emitter.primitive(op, fn, operands, outcome, batched)

    def _call(self, op: ir.Call) -> bool:
        function = self.read(op.callee, op.span)
        leaf = function.leaf
        target = leaf.value if isinstance(leaf, Static) else None
        callee = self.engine.frontend.callee(target)
        if callee is not None:
            return self._call_instance(op, callee, [], op.keywords)
        callee = self.engine.closure(function)
        if callee is not None and not self._is_straight(op, callee, function):
            own = captured(self.operand(op.callee, op.span))
            return self._call_instance(op, callee, own, (*[None] * len(own), *op.keywords))
        if leaf is not None and (not isinstance(leaf, Static) or not callable(target)):
            raise ProgramError(report.NotCallable(op.span, op.callee, str(function)))
        batched = self.engine.frontend.is_batched(target)
        fn = self.engine.plain_call(op, batched)
        self._primitive(op, fn, (op.callee, *op.args), batched)
        return True

    def _is_straight(self, op: ir.Call, callee: Callee, function: Value) -> bool:
        """Whether a nested function is straight-line code, so that Python may just call it."""
        values = [function, *(self.read(a, op.span) for a in op.args)]
        calls = any(self.engine.closure(v) is not None for v in values[1:]) or any(
            self.engine.frontend.callee(x.value) is not None
            for v in values
            for x in v.leaves
            if isinstance(x, Static)
        )
        nested = any(_holds_closure(child) for v in values for child in _children_of(v.tree))
        return not calls and not nested and len(self.engine.lower(callee).blocks) == 1

    def _call_instance(
        self,
        op: ir.Call,
        callee: Callee,
        leading: list[Operand],
        keywords: tuple[str | None, ...],
    ) -> bool:
        operands = [*leading, *(self.operand(a, op.span) for a in op.args)]
        arguments = bind(callee, operands, keywords, op.span, self.engine.store)
        target = self.engine.instance(callee, arguments, op.span)
        target.callers[self.instance.name, self.place] = (self.instance, self.place)
        if target.result is None:
            if self.emitter:
                self.emitter.call(op, target, arguments)
                self.emitter.unreachable(op.span)
            return False
        self.assign(op.targets[0], target.result, op.span)
        if self.emitter:
            self.emitter.call(op, target, arguments)
        return True

    def _store(self, op: ir.Store) -> None:
        buffer = self.read(op.buffer, op.span)
        index, value = self.operand(op.index, op.span), self.operand(op.value, op.span)
        if not isinstance(buffer.leaf, BufferRef):
            raise ProgramError(report.StoreTarget(op.span, op.buffer, str(buffer)))
        element = self.engine.store.buffers[buffer.leaf.name].element
        if not _is_integer_scalar(index.value):
            raise ProgramError(report.StoreIndex(op.span, op.buffer, str(index.value)))
        leaf = value.value.leaf
        try:
            fitting = leaf is not None and join(
                value.value, Value(value.value.tree, (Tensor(element),))
            )
        except Conflict:
            fitting = None
        if not fitting:
            raise ProgramError(
                report.StoreElement(op.span, op.buffer, str(value.value), str(element))
            )
        if self.emitter:
            self.emitter.store(buffer.leaf.name, index, value, element, op.span)

    # --- Terminators -----------------------------------------------------------------------

    def _terminator(self, terminator: ir.CallTerminator) -> None:
        match terminator:
            case ir.Jump(target, span):
                self._jump(target, span)
            case ir.Branch():
                self._branch(terminator)
            case ir.Return((variable,), span):
                operand = self.operand(variable, span)
                self.engine.returned(self.instance, operand.value, span)
                if self.emitter:
                    self.emitter.returns(operand, self.instance.result, span)
            case ir.Fail(message, span):
                if self.emitter:
                    self.emitter.fail(message, span)

    def _jump(self, label: str, span: Span) -> None:
        self.engine.flow(self.instance, label, self.env, span)
        if self.emitter:
            self.emitter.jump(self._edge(label, span), span)

    def _edge(self, label: str, span: Span) -> tuple[Place, list[tuple[str, Value, Value]]]:
        """The place that an edge leads to and, per live variable, its value here and there."""
        place = self.engine.place(self.instance, label, self.env, span)
        there = self.instance.places[place]
        return place, [
            (v, self.env[v].value, there[v].value)
            for v in there
            if there[v].value is not None and v in self.env
        ]

    def _branch(self, branch: ir.Branch) -> None:
        value = self.read(branch.condition, branch.span)
        decided = _decide(value, branch.span)
        if decided is not None:
            self._jump(branch.then if decided else branch.orelse, branch.span)
            return
        for label in (branch.then, branch.orelse):
            self.engine.flow(self.instance, label, self.env, branch.span)
        if self.emitter:
            condition = self.operand(branch.condition, branch.span)
            edges = [self._edge(x, branch.span) for x in (branch.then, branch.orelse)]
            self.emitter.branch(condition, edges[0], edges[1], branch.span)


def _same_statics(params: Mapping[str, Value], arguments: Mapping[str, Operand]) -> bool:
    """Whether the static objects among two sets of arguments are the same."""

    def statics(value: Value) -> list[Any]:
        return [x for x in value.leaves if isinstance(x, Static) and not is_number(x)]

    return all(
        value.tree == arguments[name].value.tree
        and statics(value) == statics(arguments[name].value)
        for name, value in params.items()
    )


def _is_integer_scalar(value: Value) -> bool:
    leaf = value.leaf
    if leaf is None or not is_number(leaf):
        return False
    type_ = as_tensor(leaf).type
    return type_.shape == () and tf.as_dtype(type_.dtype).is_integer


def _children_of(tree: structure.Tree) -> tuple[structure.Tree, ...]:
    return tree.children if isinstance(tree, structure.Node) else ()


def _holds_closure(tree: structure.Tree) -> bool:
    if not isinstance(tree, structure.Node):
        return False
    return tree.type is Closure or any(map(_holds_closure, tree.children))


def _decide(value: Value, span: Span) -> bool | None:
    """The truth of a condition that is known before anything runs, else None.

    Raises:
      ProgramError: the condition is a tensor that is not a scalar.
    """
    leaf = value.leaf
    if leaf is None:
        return len(value.tree.keys) > 0
    match leaf:
        case Static(condition):
            return bool(truth(condition))
        case BufferRef():
            return True
        case _:
            if leaf.type.shape != ():
                raise ProgramError(report.ConditionNotScalar(span, str(leaf)))
            return None


def infer(
    callee: Callee, arguments: Mapping[str, Value], frontend: Frontend, store: Store
) -> Inferred:
    """Find the types of a program and write it in typed call form.

    Args:
      callee: the function to run.
      arguments: the abstract value of each of its parameters.
      frontend: how to get at source form, free names and callees.
      store: the shared tensors known so far (the shared arguments).

    Returns:
      The typed program, its abstract result, and the shared tensors and free names that it reads.

    Raises:
      ProgramError: the program is ill-typed, or an expression of the user's fails.
    """
    engine = Engine(frontend, store)
    found: list[ir.Program] = []

    @tf.function(autograph=False)
    def scratch() -> None:
        operands = {name: constant(value) for name, value in arguments.items()}
        source = frontend.lower(callee)
        entry = engine.instance(callee, operands, source.span)
        engine.run()
        if entry.result is None:
            raise ProgramError(report.NeverReturns(source.span, source.name))
        found.append(_emit(engine, entry))

    scratch.get_concrete_function()
    entry = engine.instances[0]
    shared = {name: origin for name, (_, origin) in store.shared.items()}
    return Inferred(found[0], entry.params, entry.result, shared, tuple(engine.free_reads.values()))


def _emit(engine: Engine, entry: Instance) -> ir.Program:
    """Write down the functions that the entry reaches."""
    emitters = {entry.name: Emitter(entry, engine.store)}
    pending = deque([entry])
    while pending:
        instance = pending.popleft()
        emitter = emitters[instance.name]
        waiting, seen = deque([instance.entry]), {instance.entry}
        while waiting:
            place = waiting.popleft()
            emitter.begin(place)
            Transfer(engine, instance, place, emitter).run()
            for successor in emitter.finish():
                if successor not in seen:
                    seen.add(successor)
                    waiting.append(successor)
        for callee in emitter.callees:
            if callee.name not in emitters:
                emitters[callee.name] = Emitter(callee, engine.store)
                pending.append(callee)
    program = ir.Program(
        {name: emitter.function() for name, emitter in emitters.items()},
        entry.name,
        {name: type_ for name, (type_, _) in engine.store.shared.items()},
        dict(engine.store.buffers),
    )
    check_allocations(program)
    return program
