"""What assignments to attributes of objects on the heap do, and other changes of what is there."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from pcbatch import ir
from pcbatch.errors import Diagnostic, ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Operand
from pcbatch.infer.changing import NONE, ListChange
from pcbatch.infer.domain import Static, Value
from pcbatch.infer.heap import ChangingOnHeap, refers, stands_for
from pcbatch.infer.heap_reading import ReadsHeap
from pcbatch.infer.kinds import is_changeable
from pcbatch.ir.analysis import effects
from pcbatch.semantics import references
from pcbatch.semantics.generated import Generated, generated_by
from pcbatch.semantics.lists import Changing
from pcbatch.semantics.plain_classes import construct, initializer, is_declared
from pcbatch.semantics.prelude_dicts import RecordOnHeap
from pcbatch.semantics.references import Attribute, is_reference_tree, kind_of_tree
from pcbatch.semantics.static_values import AttributeName
from pcbatch.semantics.tagged_unions import members_of

AT = "%at"
"""The variable with the place of the object that is changed."""
_GONE_OVER = "what a loop goes over"


class HeapStores(ReadsHeap):
    """Changes objects on the heap."""

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
        if any(not is_changeable(member) for member in self.engine.heap.having(kind, name)):
            raise ProgramError(report.AttributeOfObject(op.span, name))
        if not self.engine.heap.knows(kind, name) or not is_changeable(kind):
            known = self._is_initial(kind, op) or issubclass(kind, Generated)
            if not known and is_changeable(kind):
                raise ProgramError(report.AttributeAfterInit(op.span, kind.__name__, name))
            if not known or not is_declared(kind, name):
                raise ProgramError(report.AttributeOfObject(op.span, name))
            self.engine.heap.note(kind, {name: value.value})
            self._note_assigned(kind, name)
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
        makers = tuple(map(initializer, members_of(kind) or (kind,)))
        if callee.function not in makers or self.place.label != source.blocks[0].label:
            return False
        own = source.params[0]
        before = self.instance.blocks[self.place.label].operations[: self.position]
        uses = (x for x in before if own in effects.reads(x))
        return op.buffer == own and all(self._is_no_read(x, own) for x in uses)

    def _note_assigned(self, kind: type, name: str) -> None:
        """Take note that the `__init__` of a class of a union assigns an attribute."""
        present = self.engine.heap.present
        for member in members_of(kind):
            if initializer(member) is self.instance.callee.function:
                known = present.get(member, frozenset[str]())
                self.engine.heap.note_present(member, known | {name})

    def _is_no_read(self, op: ir.CallOperation, own: str) -> bool:
        """Whether an operation reads no attribute of an object: it assigns one, or makes a
        generator, which reads some when it goes on."""
        if isinstance(op, ir.Call):
            return self._called(op) is generated_by
        return isinstance(op, ir.Store) and op.buffer == own

    def note_gone_over(self, attributes: Iterable[Attribute], span: Span) -> None:
        """Take note of what a loop of this function, a kept generator, reads in each round."""
        name = self.instance.callee.function.__name__
        self.engine.heap.gone_over |= dict.fromkeys(attributes, name)
        self._check_same(attributes, span)

    def _check_same(self, attributes: Iterable[Attribute], span: Span) -> None:
        """Refuse a loop of a kept generator over an attribute that the program replaces."""
        heap = self.engine.heap
        for kind, name in heap.replaced.intersection(heap.gone_over, attributes):
            said = f"`{kind.__name__}.{name}` is assigned when the object has been made"
            generator = heap.gone_over[kind, name]
            raise ProgramError(report.VariableKept(span, _GONE_OVER, generator, said))

    def _called(self, op: ir.Primitive | ir.Call) -> Any:
        """The Python object that an operation calls; None where it is no call, or of anything
        else."""
        leaf = self.read(op.callee, op.span).leaf if isinstance(op, ir.Call) else None
        return leaf.value if isinstance(leaf, Static) else None


def assigned_attribute(kind: Any, key: Any) -> str:
    """The attribute of an object that is assigned; the keys of a record have attributes, too."""
    return str(key if isinstance(key, AttributeName) else kind.attributes.get(key, key))


@dataclasses.dataclass(frozen=True)
class PlaceOf:
    """The primitive that gives the place of an object to an attribute of which is assigned."""

    attribute: str

    def __call__(self, value: Any) -> tuple[Any]:
        references.check_assigned(value, self.attribute)
        return (references.place_in_list(value),)
