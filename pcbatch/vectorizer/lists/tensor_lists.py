"""Tensor lists: what `tf.TensorArray`, `tf.scan`, `tf.map_fn` and gradients of loops use."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import tensorflow as tf

from pcbatch.vectorizer.coercion import coerce, coerce_list, with_rows
from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.kinds import ANY, PlainKind, Range, join
from pcbatch.vectorizer.lists import rows as row
from pcbatch.vectorizer.values import (
    Absent,
    ListOf,
    Plain,
    Value,
    flatten,
    int32,
    select,
    shared,
    stacked,
)

Values = Sequence[Value]


def dense(interpreter: Interpreter, value: Value) -> Value:
    """The value with its rows made."""
    return row.dense(value, interpreter.size)


def plus(length: Plain, step: int) -> Plain:
    """A length after a push or a pop."""
    if length.static is not None:
        return int32(int(length.static) + step)
    return Plain(length.local() + step, length.stacked)


# --- Making lists -----------------------------------------------------------------------------


@rule("EmptyTensorList", always=True)
def empty(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    most = interpreter.plain(op, inputs[1])
    limit = None if most.static is None or int(most.static) < 0 else int(most.static)
    capacity = 0 if limit is None else limit
    return [ListOf(None, capacity, limit is not None, (), int32(0))]


@rule("TensorListReserve", always=True)
def reserve(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    count = interpreter.plain(op, inputs[1])
    capacity = count.range.upper if count.static is None else int(count.static)
    if capacity is None and count.stacked:
        raise interpreter.session.error(
            op,
            "makes a list whose size depends on the member",
            "give it the largest size and ignore the rest.",
        )
    if capacity is None and interpreter.session.xla:
        raise interpreter.session.error(
            op,
            "makes a list whose size is not static, which XLA cannot compile",
            "give tf.TensorArray a size that is known when the function is traced.",
        )
    return [ListOf(None, capacity, False, (), count)]


@rule("TensorListFromTensor", always=True)
def from_tensor(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    value = interpreter.plain(op, inputs[0])
    return [_of_rows(batch_inside(value.local(), value.stacked), value.stacked)]


def batch_inside(tensor: tf.Tensor, is_stacked: bool) -> tf.Tensor:
    """`[B, N, ...]` as `[N, B, ...]` and back."""
    if not is_stacked:
        return tensor
    return tf.transpose(tensor, [1, 0, *range(2, tensor.shape.rank)])


def _of_rows(rows: tf.Tensor, is_stacked: bool) -> ListOf:
    shape = tuple(rows.shape[2:] if is_stacked else rows.shape[1:])
    count = rows.shape[0]
    length = int32(count) if count is not None else Plain(tf.shape(rows)[0], False)
    return ListOf(PlainKind(rows.dtype, shape, is_stacked), count, False, (rows,), length)


@rule("TensorListScatterV2", always=True)
def scatter(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    tensor, indices, _, count = (interpreter.plain(op, x) for x in inputs)
    size = -1 if count.static is None else int(count.static)
    if size < 0:
        if indices.static is None:
            raise interpreter.session.error(op, "makes a list whose size is not static")
        size = int(indices.static.max(initial=-1)) + 1
    fresh = ListOf(None, size, False, (), int32(size))
    return [_scatter(interpreter, fresh, tensor, indices)]


@rule("TensorListScatterIntoExistingList", always=True)
def scatter_into(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    lst = interpreter.list(op, dense(interpreter, inputs[0]))
    return [
        _scatter(
            interpreter, lst, interpreter.plain(op, inputs[1]), interpreter.plain(op, inputs[2])
        )
    ]


def _scatter(interpreter: Interpreter, lst: ListOf, tensor: Plain, indices: Plain) -> ListOf:
    count = tensor.kind.shape[0]
    for i in range(count):
        at = (slice(None), i) if indices.stacked else (i,)
        place = Plain(indices.local()[at], indices.stacked)
        item = tensor.local()[:, i] if tensor.stacked else tensor.local()[i]
        lst = row.write(
            lst, place, Plain(item, tensor.stacked), interpreter.session.mask, interpreter.size
        )
    return lst


@rule("TensorListSplit", always=True)
def split(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    tensor, _, lengths = (interpreter.plain(op, x) for x in inputs)
    if lengths.static is None or len(set(lengths.static.tolist())) != 1:
        raise interpreter.session.error(
            op, "splits into parts whose lengths are not static and equal"
        )
    count = len(lengths.static)
    lead = [interpreter.size] if tensor.stacked else []
    parts = tf.reshape(tensor.local(), [*lead, count, -1, *tensor.kind.shape[1:]])
    return [_of_rows(batch_inside(parts, tensor.stacked), tensor.stacked)]


@rule("TensorListResize", always=True)
def resize(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    lst, size = (
        interpreter.list(op, dense(interpreter, inputs[0])),
        interpreter.plain(op, inputs[1]),
    )
    if size.static is None or lst.capacity is None:
        # Gradients do this, with the length of a list at an earlier time: the rows are there.
        return [dataclasses.replace(lst, length=Plain(size.local(), size.stacked), origin=object())]
    count = int(size.static)
    rows = tuple(r[:count] for r in lst.rows)
    rows = tuple(tf.pad(r, [[0, count - r.shape[0]]] + [[0, 0]] * (r.shape.rank - 1)) for r in rows)
    return [
        dataclasses.replace(lst, capacity=count, rows=rows, length=int32(count), origin=object())
    ]


# --- Elements ---------------------------------------------------------------------------------


@rule("TensorListSetItem", always=True)
def set_item(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    lst, index, item = interpreter.list(op, inputs[0]), interpreter.plain(op, inputs[1]), inputs[2]
    if op.get_attr("resize_if_index_out_of_bounds"):
        return [_set_or_grow(interpreter, op, lst, index, item)]
    mask = interpreter.session.mask
    lst = with_rows(lst)
    fresh = row.is_empty(lst.element) and lst.single is None and lst.capacity is not None
    if fresh and isinstance(item, Plain) and not index.stacked:
        if mask is not None:
            value = coerce(item, dataclasses.replace(item.kind, stacked=True), interpreter.size)
            assert isinstance(value, Plain)
            item = stacked(select(mask, value.tensor, tf.zeros_like(value.tensor)))
        kind = dataclasses.replace(item.kind, range=ANY)
        return [dataclasses.replace(lst, element=kind, single=(index, item))]
    lst = interpreter.list(op, dense(interpreter, lst))
    return [row.write(lst, index, item, mask, interpreter.size)]


def _set_or_grow(
    interpreter: Interpreter, op: tf.Operation, lst: ListOf, index: Plain, item: Value
) -> ListOf:
    """Write to a TensorArray of dynamic size: a place past the end makes the list longer."""
    lst = interpreter.list(op, dense(interpreter, lst))
    if lst.capacity is None:
        raise interpreter.session.error(
            op,
            "writes to a tf.TensorArray of dynamic size in a loop without a static bound",
            "give the loop maximum_iterations=, or the array its size.",
        )
    if not lst.sealed:
        if index.static is None:
            raise interpreter.session.error(
                op, "makes a tf.TensorArray longer at a place that is not static"
            )
        wanted = max(lst.capacity, int(index.static) + 1)
        lst = coerce_list(lst, dataclasses.replace(lst.kind, capacity=wanted), interpreter.size)
    longer = plus(index, 1)
    length = tf.maximum(longer.local(), lst.length.local())
    if longer.static is not None and lst.length.static is not None:
        number = int32(max(int(longer.static), int(lst.length.static)))
    else:
        number = Plain(length, longer.stacked or lst.length.stacked)
    written = row.write(lst, index, item, interpreter.session.mask, interpreter.size, pushes=1)
    return dataclasses.replace(written, length=number)


@rule("TensorListGetItem", always=True)
def get_item(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    if isinstance(inputs[0], ListOf) and inputs[0].repeated is not None:
        return [inputs[0].repeated]
    lst, index = (
        interpreter.list(op, dense(interpreter, inputs[0])),
        interpreter.plain(op, inputs[1]),
    )
    if row.is_empty(lst.element):
        return [_zero_element(interpreter, op)]
    return [row.read(lst, row.in_range(index, lst, interpreter.session.mask), interpreter.size)]


def _zero_element(interpreter: Interpreter, op: tf.Operation, lead: tuple[int, ...] = ()) -> Value:
    """What a list gives that nothing has been written to."""
    shape = op.outputs[-1].shape
    if op.outputs[-1].dtype == tf.variant:
        return Absent()
    if not shape.is_fully_defined():
        return Absent()
    return shared(tf.zeros([*lead, *shape], op.outputs[-1].dtype))


@rule("TensorListPushBack", always=True)
def push(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    return [
        push_item(
            interpreter,
            interpreter.list(op, dense(interpreter, inputs[0])),
            dense(interpreter, inputs[1]),
        )
    ]


def push_item(interpreter: Interpreter, lst: ListOf, item: Value) -> ListOf:
    """The list with one element more."""
    length = lst.length
    if lst.sealed:
        # What lies behind the end of a list is never read: where all lists end at or before the
        # place of the new element, those of inactive members may be written to as well.
        mask = interpreter.session.mask if length.stacked or lst.popped else None
        written = row.write(lst, length, item, mask, interpreter.size, pushes=1)
    elif row.is_empty(lst.element) and lst.capacity == 0:
        # The first element: the rows are made of it.
        rows = tuple(t[tf.newaxis] for t in flatten(item))
        written = dataclasses.replace(
            lst, element=item.kind, capacity=1, rows=rows, pushes=lst.pushes + 1
        )
    else:
        written = _push_longer(interpreter, lst, item)
    return dataclasses.replace(written, length=plus(length, 1))


def _push_longer(interpreter: Interpreter, lst: ListOf, item: Value) -> ListOf:
    """Push to a list with no spare row."""
    element = join(lst.element, item.kind)
    kind = dataclasses.replace(lst.kind, element=element)
    lst = coerce_list(lst, kind, interpreter.size)
    assert element is not None
    new = flatten(coerce(item, element, interpreter.size))
    rows = tuple(tf.concat([r, n[tf.newaxis]], 0) for r, n in zip(lst.rows, new, strict=True))
    capacity = None if lst.capacity is None else lst.capacity + 1
    longer = dataclasses.replace(lst, capacity=capacity, rows=rows, pushes=lst.pushes + 1)
    if is_exact(lst):
        return longer
    return row.write(longer, lst.length, item, interpreter.session.mask, interpreter.size)


def is_exact(lst: ListOf) -> bool:
    """Whether the list has no row behind its end."""
    if lst.capacity is None:
        return not lst.length.stacked
    return lst.length.static is not None and int(lst.length.static) == lst.capacity


@rule("TensorListPopBack", always=True)
def pop(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    lst = interpreter.list(op, row.carried(inputs[0], interpreter.size))
    length = plus(lst.length, -1)
    shorter = dataclasses.replace(lst, length=length, popped=True)
    if lst.repeated is not None:
        return [shorter, lst.repeated]
    if row.is_empty(lst.element):
        return [shorter, _zero_element(interpreter, op)]
    if not lst.sealed and lst.capacity is not None and length.static is not None:
        count = int(length.static)
        shorter = dataclasses.replace(
            shorter, capacity=count, rows=tuple(r[:count] for r in lst.rows)
        )
    elif lst.capacity is None and not length.stacked:
        shorter = dataclasses.replace(shorter, rows=tuple(r[:-1] for r in lst.rows))
    return [
        shorter,
        row.read(lst, row.in_range(length, lst, interpreter.session.mask), interpreter.size),
    ]


@rule("TensorListLength", always=True)
def length_of(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    lst = interpreter.list(op, inputs[0])
    if lst.length.static is not None or lst.capacity is None:
        return [lst.length]
    return [dataclasses.replace(lst.length, range=Range(None, lst.capacity))]


@rule("TensorListElementShape", always=True)
def element_shape(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    element = interpreter.list(op, dense(interpreter, inputs[0])).element
    if isinstance(element, PlainKind):
        return [shared(tf.constant(element.shape, op.outputs[0].dtype, [len(element.shape)]))]
    return [shared(tf.constant(-1, op.outputs[0].dtype))]
