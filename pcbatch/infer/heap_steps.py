"""What the operations of a block do with objects on the heap."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.frontend.loop_protocol import goes_over
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Operand, children, constant
from pcbatch.infer.changing import shown
from pcbatch.infer.domain import Static, Value
from pcbatch.infer.evaluate import plain_call
from pcbatch.infer.fields import has_axes
from pcbatch.infer.heap import COUNT, Empty, refers
from pcbatch.infer.heap_stores import HeapStores
from pcbatch.infer.kinds import is_object
from pcbatch.infer.likes import like_of
from pcbatch.infer.list_values import child_values, data_of, keys_of, layout_of
from pcbatch.infer.unions import AsTagged, class_in, methods_among, tag_in
from pcbatch.semantics import pytree, references
from pcbatch.semantics.generated import ELEMENT, Generated, Own
from pcbatch.semantics.lists import Changing
from pcbatch.semantics.lists.record_on_heap import WithValues
from pcbatch.semantics.plain_classes import (
    construct,
    is_plain,
    new,
    on_heap,
    with_dict,
)
from pcbatch.semantics.references import is_reference_tree, kind_of_tree
from pcbatch.semantics.tagged_unions import TAG, members_of

APPEND = Changing("append")
TRUE = Value(pytree.LEAF, (Static(True),))


class HeapSteps(HeapStores):
    """Makes objects on the heap, reads and changes them."""

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
        fn = self._tagged(op, fn, args)
        with on_heap(heap.kinds - {self._made_by(op)}):
            if heap.listed and any(refers(self.read(arg, op.span).tree) for arg in args):
                found, args = self.on_heap(fn, args, op.targets[0], op.span)
                if self._called(op) is goes_over:
                    self.note_gone_over(found.attributes, op.span)
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

    def _made_by(self, op: ir.Primitive | ir.Call) -> Any:
        """The class whose object an operation makes, if it is a call of one."""
        called = self._called(op)
        if isinstance(called, type):
            return with_dict(called)
        return called.kind if isinstance(called, WithValues) else called

    def _tagged(
        self, op: ir.Primitive | ir.Call, fn: Callable[..., tuple[Any, ...]], args: tuple[str, ...]
    ) -> Callable[..., tuple[Any, ...]]:
        """A primitive's function; where it makes an object of a class of a union, of the union."""
        kind = self._made_by(op)
        if self.instance.callee.function is construct and op.args[:1] == (new.__name__,):
            leaf = self.read(args[1], op.span).leaf
            kind = with_dict(leaf.value) if isinstance(leaf, Static) else None
        union = self.engine.heap.union_of(kind)
        return fn if union is None else AsTagged(fn, kind, union)

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
        own = dict(child_values(operand.value))
        if members_of(kind):
            if kind not in heap.first:
                self._note_present(operand.value, name, span)
            own[TAG] = tag_in(operand.value)
        heap.note(kind, own)
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

    def _note_present(self, value: Value, name: str, span: Span) -> None:
        """Take note of the attributes that an object of a union has.

        Raises:
          ProgramError: another object of its class has others.
        """
        assert isinstance(value.tree, pytree.Node)
        kind, names = class_in(value), frozenset(keys_of(value)) - {TAG}
        known = self.engine.heap.present.get(kind, names)
        if names != known:
            self._refuse_lacking(kind, name, min(names ^ known), span)
        for method in methods_among(names, members_of(value.tree.type)):
            said = "it is a method, or a property, of another class"
            raise ProgramError(report.AttributeOnHeap(span, method, kind.__name__, said))
        self.engine.heap.note_present(kind, names)

    def _refuse_lacking(self, kind: type, name: str, attribute: str, span: Span) -> NoReturn:
        elsewhere = "another place of the program"
        told = report.AttributeOnOnePath(span, shown(name), attribute, kind.__name__, elsewhere)
        raise ProgramError(told)

    def _may_lack(self, kind: Any) -> bool:
        """Whether an object of a class may be without an attribute that others have."""
        known = kind in self.engine.heap.first or issubclass(kind, Generated)
        return known or len(members_of(kind)) > 0

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
            elif attribute == TAG:
                part = constant(tag_in(operand.value))
            elif part is None and self._may_lack(kind):
                part = blank(self.read(variable, span))
                if part is None:  # the type of the values is not known yet
                    continue
            elif part is None:
                self._refuse_lacking(kind, name, attribute, span)
            found[attribute] = part
        return found


def _is_generated(tree: pytree.Node) -> bool:
    """Whether a structure is that of a generator that is not on the heap yet."""
    return tree.meta == pytree.MADE and issubclass(tree.type, Generated)


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
