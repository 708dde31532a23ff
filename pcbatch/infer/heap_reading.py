"""Primitives that read attributes of objects on the heap are given the lists of these."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar

from pcbatch.errors import ProgramError, Span
from pcbatch.infer.array_steps import global_nodes
from pcbatch.infer.call_steps import CallSteps
from pcbatch.infer.domain import Value
from pcbatch.infer.heap import ChangingOnHeap, OnHeap
from pcbatch.infer.kinds import is_list
from pcbatch.infer.list_plans import Replan
from pcbatch.infer.list_values import layout_of
from pcbatch.semantics import references
from pcbatch.semantics.references import Attribute

Reading = TypeVar("Reading", OnHeap, ChangingOnHeap)


class ReadsHeap(CallSteps):
    """Knows the lists of the heap, and which of them a primitive reads."""

    def read(self, name: str, span: Span) -> Value:
        """The value of a variable; the lists of the heap are the same for all functions."""
        known = self.engine.heap.values.get(name)
        return super().read(name, span) if known is None else known

    def kept(self, targets: tuple[str, ...]) -> dict[str, Value]:
        """The variables that may be read after the operation; the lists of the heap always may."""
        lists = self.engine.heap.values.items()
        return super().kept(targets) | {k: value for k, value in lists if k not in targets}

    def known(self, name: str) -> Value | None:
        """The value of a variable of the function, or of the heap."""
        found = self.engine.heap.values.get(name)
        return super().known(name) if found is None else found

    def nodes(self, variable: str, value: Value) -> tuple[str, ...]:
        """The leaves of a variable that are arrays; what is on the heap may be read anywhere."""
        on_heap = variable in self.engine.heap.values
        return global_nodes(variable, value) if on_heap else super().nodes(variable, value)

    def begin_list(self, name: str, span: Span) -> None:
        """Keep the list of an attribute in a buffer; inference begins again once for all of them.

        Raises:
          Replan: there is one that has not been kept so until now.
        """
        heap, lists, value = self.engine.heap, self.engine.lists, self.read(name, span)
        if not is_list(value.tree) or not layout_of(value).grows[0]:
            key = next(key for key, variable in heap.listed.items() if variable == name)
            with contextlib.suppress(Replan):
                lists.write(lists.of(value), grows=True, like=heap.likes.get(key))
        heap.values[name] = value
        if len(heap.values) == len(heap.listed) and not all(
            is_list(x.tree) for x in heap.values.values()
        ):
            raise Replan

    def on_heap(
        self, fn: Callable[..., tuple[Any, ...]], args: tuple[str, ...], target: str, span: Span
    ) -> tuple[OnHeap, tuple[str, ...]]:
        """A primitive's function with the lists of the heap that it reads as its last arguments."""
        heap, values = self.engine.heap, tuple(self.read(name, span) for name in args)
        found = self.reading(lambda read: OnHeap(fn, read, heap), fn, values, args, target, span)
        return found, (*args, *(heap.listed[x] for x in found.attributes))

    def reading(
        self,
        make: Callable[[tuple[Attribute, ...]], Reading],
        key: Any,
        values: tuple[Value, ...],
        names: tuple[str, ...],
        target: str,
        span: Span,
    ) -> Reading:
        """A function that reads from the heap, with all the attributes that it reads.

        It is evaluated as it will be when it is run, so that this is not done once more.

        Args:
          make: makes it of these.
          key: stands for it.
          values: its arguments.
          names: what they are called, for messages.
          target: the variable that its first result is assigned to.
          span: where it stands.
        """
        heap, where = self.engine.heap, f"{self.instance.name}.{target}"
        while True:
            found: Reading = make(heap.read.setdefault(key, ()))
            more: tuple[str, ...] = tuple(heap.listed[x] for x in found.attributes)
            given = (*values, *(self.read(name, span) for name in more))
            try:
                self.engine.evaluate(found, given, span, where, False, (*names, *more))
            except references.NotGiven as missing:
                heap.read[key] = (*found.attributes, missing.attribute)
                continue
            except ProgramError:
                pass  # what is wrong is said where it is run
            return found
