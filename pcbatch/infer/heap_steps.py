"""What the operations of a block do with objects on the heap."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import Diagnostic, ProgramError, Span
from pcbatch.frontend.loop_protocol import goes_over
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Operand, children, constant
from pcbatch.infer.changing import NONE, ListChange, shown
from pcbatch.infer.domain import Static, Value
from pcbatch.infer.evaluate import plain_call
from pcbatch.infer.fields import has_axes
from pcbatch.infer.heap import COUNT, ChangingOnHeap, Empty, refers, stands_for
from pcbatch.infer.heap_reading import ReadsHeap
from pcbatch.infer.kinds import is_changeable, is_object
from pcbatch.infer.likes import like_of
from pcbatch.infer.list_values import child_values, data_of, keys_of, layout_of
from pcbatch.ir.analysis import effects
from pcbatch.semantics import pytree, references
from pcbatch.semantics.generated import ELEMENT, Generated, Own, generated_by
from pcbatch.semantics.lists import Changing
from pcbatch.semantics.lists.record_on_heap import WithValues
from pcbatch.semantics.plain_classes import (
    construct,
    initializer,
    is_declared,
    is_plain,
    new,
    on_heap,
    with_dict,
)
from pcbatch.semantics.prelude_dicts import RecordOnHeap
from pcbatch.semantics.references import Attribute, is_reference_tree, kind_of_tree
from pcbatch.semantics.static_values import AttributeName

APPEND = Changing("append")
TRUE = Value(pytree.LEAF, (Static(True),))
AT = "%at"
"""The variable with the place of the object that is changed."""
_GONE_OVER = "what a loop goes over"


class HeapSteps(ReadsHeap):
    """Makes, reads and changes objects on the heap."""

    def _primitive(
        self,
        op: ir.Primitive | ir.Call,
        fn: Callable[..., tuple[Any, ...]],
        args: tuple[str, ...],
        batched: bool = False,
    ) -> bool:
        heap = self.engine.heap
        if not self._is_kept(fn, args, op.span):
            return False
        if (owner := getattr(fn, "of_part", "")) and refers(self.read(owner, op.span).tree):
            self._check_in_place(args, op)
        with on_heap(heap.kinds - {self._made_by(op)}):
            if heap.listed and any(refers(self.read(arg, op.span).tree) for arg in args):
                found, args = self.on_heap(fn, args, op.targets[0], op.span)
                if self._called(op) is goes_over:
                    name = self.instance.callee.function.__name__
                    heap.gone_over |= dict.fromkeys(found.attributes, name)
                    self._check_same(found.attributes, op.span)
                fn = found
            reached = super()._primitive(op, fn, args, batched)
        if not reached:
            return False
        heap.note_made(self.read(target, op.span) for target in op.targets)
        if isinstance(fn, Empty):
            self.begin_list(op.targets[0], op.span)
        return not self._is_new(op) or self._put_on_heap(op.targets[0], op.span)

    def _is_kept(self, fn: Callable[..., Any], args: tuple[str, ...], span: Span) -> bool:
        """Whether a generator has what is read of it; if not, this is not reached so far."""
        takes = self.instance.callee.function is Generated.taken
        if not isinstance(fn, Own) and not takes:
            return True
        tree = self.read(args[0], span).tree if args else None
        if not isinstance(tree, pytree.Node):
            return True
        if not is_reference_tree(tree):
            assert not _is_generated(tree), "a generator has to be on the heap"
            return True
        attribute = fn.attribute if isinstance(fn, Own) else ELEMENT
        found = self.engine.heap.knows(kind_of_tree(tree), attribute)
        if self.emitter and not found:
            self.emitter.unreachable(span)
        return found

    def _check_in_place(self, args: tuple[str, ...], op: ir.Primitive | ir.Call) -> None:
        """Refuse to change an array that is an attribute, of which other names are not known."""
        if has_axes(self.read(args[0], op.span)):
            raise ProgramError(report.ArrayOnHeap(op.span))

    def _check_same(self, attributes: Iterable[Attribute], span: Span) -> None:
        """Refuse a loop of a kept generator over an attribute that the program replaces."""
        heap = self.engine.heap
        for kind, name in heap.replaced.intersection(heap.gone_over, attributes):
            said = f"`{kind.__name__}.{name}` is assigned when the object has been made"
            generator = heap.gone_over[kind, name]
            raise ProgramError(report.VariableKept(span, _GONE_OVER, generator, said))

    def _is_new(self, op: ir.Primitive | ir.Call) -> bool:
        """Whether an object is made that `__init__` hands on."""
        if not op.targets:
            return False
        (target, *_), args = op.targets, op.args
        tree = self.read(target, op.span).tree
        if not isinstance(tree, pytree.Node):
            return False
        if self.instance.callee.function is construct and args[:1] == (new.__name__,):
            return tree.type in self.engine.heap.first
        return _is_generated(tree)

    # --- Objects ---------------------------------------------------------------------------

    def _called(self, op: ir.Primitive | ir.Call) -> Any:
        """The Python object that an operation calls; None where it is no call, or of anything
        else."""
        leaf = self.read(op.callee, op.span).leaf if isinstance(op, ir.Call) else None
        return leaf.value if isinstance(leaf, Static) else None

    def _made_by(self, op: ir.Primitive | ir.Call) -> Any:
        """The class whose object an operation makes, if it is a call of one."""
        called = self._called(op)
        if isinstance(called, type):
            return with_dict(called)
        return called.kind if isinstance(called, WithValues) else called

    def _call(self, op: ir.Call) -> bool:
        kind = self._made_by(op)
        if not isinstance(kind, type) or kind not in self.engine.heap.kinds:
            return super()._call(op)
        if is_plain(kind):
            reached = super()._call(op)
        else:
            fn = plain_call(op.keywords, False)
            reached = self._primitive(op, fn, (op.callee, *op.args))
        return reached and self._put_on_heap(op.targets[0], op.span)

    def _put_on_heap(self, name: str, span: Span) -> bool:
        """Have a variable refer to an object on the heap that is like the one that it has."""
        heap, operand = self.engine.heap, self.operand(name, span)
        if not is_object(operand.value.tree):
            return True
        assert isinstance(operand.value.tree, pytree.Node)
        kind = operand.value.tree.type
        heap.note(kind, dict(child_values(operand.value)))
        parts = self._parts(kind, name, operand, span)
        if not parts:
            heap.note(kind, {COUNT: TRUE})
        lists = heap.attributes(kind)
        # The variable is a reference then, and no longer what has the arrays.
        arrays = [lists[attribute] for attribute, part in parts.items() if has_axes(part.value)]
        if arrays:
            self.note_mixed((*arrays, name), span)
        fn, args = Next(kind), tuple(lists[attribute] for attribute in parts)[:1]
        made = ir.Primitive((name,), fn, args, f"{kind.__name__} on the heap", span)
        return self._primitive(made, fn, args) and all(
            self._put((kind, attribute), APPEND, [part], (lists[attribute], name), span)
            for attribute, part in parts.items()
        )

    def _parts(self, kind: type, name: str, operand: Operand, span: Span) -> dict[str, Operand]:
        """What the lists of attributes get of an object.

        Raises:
          ProgramError: another object of the class has an attribute that this one has not.
        """
        own = dict(zip(keys_of(operand.value), children(operand), strict=True))
        found = dict[str, Operand]()
        for attribute, variable in self.engine.heap.attributes(kind).items():
            part = own.get(attribute)
            if attribute == COUNT:
                part = constant(TRUE)
            elif part is None and (kind in self.engine.heap.first or issubclass(kind, Generated)):
                part = blank(self.read(variable, span))
                if part is None:  # the type of the values is not known yet
                    continue
            elif part is None:
                elsewhere = "another place of the program"
                raise ProgramError(report.AttributeOnOnePath(
                    span, shown(name), attribute, kind.__name__, elsewhere
                ))  # fmt: skip
            found[attribute] = part
        return found

    def _put(
        self,
        key: Attribute,
        changing: Changing,
        operands: list[Operand],
        names: tuple[str, ...],
        span: Span,
    ) -> bool:
        """Change the list of an attribute.

        Raises:
          ProgramError: the value does not fit into it.
        """
        target = self.operand(names[0], span)
        try:
            return self.change(ListChange(NONE, changing, target, operands, names, span))
        except ProgramError as error:
            kind, name = key
            if issubclass(kind, Generated) and isinstance(error.diagnostic, report.ListInList):
                said = "it is a list that another name means, too"
            elif isinstance(error.diagnostic, report.ListElement):
                said = error.diagnostic.what
            else:
                raise
            told: Diagnostic = report.AttributeOnHeap(span, name, kind.__name__, said)
            if issubclass(kind, Generated):
                what = _GONE_OVER if name.startswith("%") else f"`{name}`"
                told = report.VariableKept(span, what, kind.__name__, said)
            raise ProgramError(told) from error

    def change(self, made: ListChange) -> bool:
        """Change a list, see `ListChanges`; a key reads from the heap, and so does `xs.extend(s)`
        of a set that is there."""
        heap = self.engine.heap
        for operand in made.operands:
            heap.note_handed_on(operand.value)
        has_key = "key" in made.changing.keywords and refers(made.target.value.tree)
        if heap.listed and (has_key or any(stands_for(x.value.tree) for x in made.operands)):
            parts = (made.changing.method, made.changing.keywords, made.changing.options)
            found = self.reading(
                lambda read: ChangingOnHeap(*parts, read, heap),
                made.changing, made.values, made.read, made.result, made.span,
            )  # fmt: skip
            lists = [heap.listed[x] for x in found.attributes]
            operands = [*made.operands, *(self.operand(x, made.span) for x in lists)]
            made = ListChange(
                made.result, found, made.target, operands, (*made.read, *lists), made.span
            )
        return super().change(made)

    def store_by_names(self, op: ir.Store, owner: Value) -> bool | None:
        """Assign a value of a dict, or an attribute, see `FieldChanges`."""
        self.engine.heap.note_handed_on(self.read(op.value, op.span))
        return super().store_by_names(op, owner)

    def store_on_heap(self, op: ir.Store) -> bool | None:
        """Assign to an attribute of an object on the heap; None for any other assignment."""
        owner, key = self.read(op.buffer, op.span), self.read(op.index, op.span).leaf
        if not is_reference_tree(owner.tree):
            return None
        kind = kind_of_tree(owner.tree)
        is_attribute = isinstance(key, Static) and isinstance(key.value, AttributeName)
        if not is_attribute and not issubclass(kind, RecordOnHeap):
            return None
        if not isinstance(key, Static):
            raise ProgramError(report.NamedKeys(op.span, "a dict"))
        name = assigned_attribute(kind, key.value)
        if not self._is_making():
            self.engine.heap.replaced.add((kind, name))
            self._check_same([(kind, name)], op.span)
        value = self.operand(op.value, op.span)
        if not self.engine.heap.knows(kind, name) or not is_changeable(kind):
            known = self._is_initial(kind, op) or issubclass(kind, Generated)
            if not known or not is_declared(kind, name):
                raise ProgramError(report.AttributeOfObject(op.span, name))
            self.engine.heap.note(kind, {name: value.value})
        fn = PlaceOf(name)
        at = ir.Primitive((AT,), fn, (op.buffer,), f"the place of {op.buffer}", op.span)
        if not self._primitive(at, fn, (op.buffer,)):
            return False
        variable = self.engine.heap.attributes(kind).get(name)
        if variable is None:
            self.engine.heap.note(kind, {name: value.value})
            return True
        operands, names = [self.operand(AT, op.span), value], (variable, AT, op.value)
        return self._put((kind, name), Changing("__setitem__"), operands, names, op.span)

    def _is_making(self) -> bool:
        """Whether this is an `__init__` that nobody calls for an object that has been made."""
        waiting, seen = [self.instance], set[str]()
        while waiting:
            instance = waiting.pop()
            function = instance.callee.function
            if function is construct or instance.name in seen:
                continue
            if function.__name__ != "__init__":
                return False
            seen.add(instance.name)
            waiting += [caller for caller, _ in instance.callers.values()]
        return True

    def _is_initial(self, kind: type, op: ir.Store) -> bool:
        """Whether an assignment stands at the beginning of `__init__`: no other use of the object
        is before it, so that no attribute is read that has not been assigned."""
        callee = self.instance.callee
        source = self.engine.lower(callee)
        if callee.function is not initializer(kind) or self.place.label != source.blocks[0].label:
            return False
        own = source.params[0]
        before = self.instance.blocks[self.place.label].operations[: self.position]
        uses = (x for x in before if own in effects.reads(x))
        return op.buffer == own and all(self._is_no_read(x, own) for x in uses)

    def _is_no_read(self, op: ir.CallOperation, own: str) -> bool:
        """Whether an operation reads no attribute of an object: it assigns one, or makes a
        generator, which reads some when it goes on."""
        if isinstance(op, ir.Call):
            return self._called(op) is generated_by
        return isinstance(op, ir.Store) and op.buffer == own


def _is_generated(tree: pytree.Node) -> bool:
    """Whether a structure is that of a generator that is not on the heap yet."""
    return tree.meta == pytree.MADE and issubclass(tree.type, Generated)


def assigned_attribute(kind: Any, key: Any) -> str:
    """The attribute of an object that is assigned; the keys of a record have attributes, too."""
    return str(key if isinstance(key, AttributeName) else kind.attributes.get(key, key))


def blank(values: Value) -> Operand | None:
    """What the list of an attribute has of an object that is not initialized.

    Args:
      values: the list.

    Returns:
      None as long as the type of the values is not known.
    """
    layout = layout_of(values)
    if len(layout.grows) > 1:
        return constant(Value(pytree.Node(list, (), ()), ()))
    if not layout.known:
        return None
    like = like_of(data_of(values), layout)
    zeros = (np.zeros(s, d) for s, d in zip(like.shapes, like.dtypes, strict=True))
    return constant(Value(like.tree, tuple(Static(x[()]) for x in zeros)))


@dataclasses.dataclass(frozen=True)
class Next:
    """The primitive that refers to the next object of a class, given a list of an attribute."""

    kind: type

    def __call__(self, values: Any) -> tuple[Any]:
        place = tf.cast(values.length(), tf.int32)
        return (references.reference(self.kind, place),)


@dataclasses.dataclass(frozen=True)
class PlaceOf:
    """The primitive that gives the place of an object to an attribute of which is assigned."""

    attribute: str

    def __call__(self, value: Any) -> tuple[Any]:
        references.check_there(value, self.attribute)
        return (references.place_in_list(value),)
