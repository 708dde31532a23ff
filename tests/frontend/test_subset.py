"""Every kind of syntax node has a known fate, and names are sorted as Python sorts them."""

from __future__ import annotations

import ast
import inspect

import gast
import pytest
import tensorflow as tf

from pcbatch.frontend import (
    loop_protocol,
    loops,
    ranges,
    scope,
    source,
    statements,
    subset,
    unpacking,
)
from pcbatch.semantics.static_values import UnrollIndex
from tests.frontend import test_programs

CONTEXT = {"Global", "Nonlocal"}
"""Refused by a rule that looks at what the node says."""

NOT_NODES = {"AST"}
ABSTRACT = {"expr", "stmt", "slice", "excepthandler"}
FUTURE = {"TemplateStr", "Interpolation"}
"""Python 3.14's template strings: refused as unknown syntax."""


def node_kinds() -> list[str]:
    kinds = [n for n, v in vars(gast).items() if isinstance(v, type) and issubclass(v, ast.AST)]
    return sorted(set(kinds) - NOT_NODES - ABSTRACT)


@pytest.mark.parametrize("kind", node_kinds())
def test_every_node_kind_has_one_fate(kind):
    cls = getattr(gast, kind)
    fates = [
        issubclass(cls, subset.STATEMENTS),
        issubclass(cls, subset.EXPRESSIONS),
        issubclass(cls, subset.PARTS),
        issubclass(cls, subset.NEVER),
        cls in subset.REFUSED,
        kind in CONTEXT | FUTURE,
    ]
    assert sum(fates) == 1


def test_every_accepted_statement_is_handled():
    text = inspect.getsource(statements) + inspect.getsource(loops)
    missing = [cls.__name__ for cls in subset.STATEMENTS if f"gast.{cls.__name__}" not in text]
    # A `pass` has nothing to lower.
    assert missing == ["Pass"]


@pytest.mark.parametrize(
    "fn", dict.fromkeys(fn for fn, _ in test_programs.GRID), ids=lambda fn: fn.__name__
)
def test_local_names_agree_with_the_compiler(fn):
    code = fn.__code__
    found = source.find(fn)
    local = scope.local_names(found.node)
    targets = {
        name.id
        for node in gast.walk(found.node)
        if isinstance(node, gast.comprehension)
        for name in gast.walk(node.target)
        if isinstance(name, gast.Name)
    }
    # From Python 3.12 on the variables of a comprehension are stored in the function's frame.
    assert set(code.co_varnames + code.co_cellvars) - targets == set(local) - targets


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a + b(c, d=e)", "a b c e"),
        ("[x + y for x in z if w]", "z w y"),
        ("[x for x in x]", "x"),
        ("[y for x in a for y in x + b]", "a b"),
        ("{k: v + n for k, v in items}", "items n"),
        ("lambda x, y=z, *args, k=w, **kw: x + y + free + k + len(args)", "z w free len"),
        ("lambda x: lambda y: x + y + z", "z"),
        ("[lambda: x for x in xs]", "xs"),
        ("f'{a:{b}}'", "a b"),
        ("(x := y) + x", "y x"),
        ("def f(x=a):\n    t = x + u\n    def g(): return t + v\n    return g() + f(x)", "a u v"),
        ("@deco\ndef f(x):\n    for i in xs: y = i\n    return y", "deco xs"),
    ],
)
def test_free_names(text, names):
    (statement,) = gast.parse(text).body
    node = statement.value if isinstance(statement, gast.Expr) else statement
    assert scope.free_names(node) == tuple(names.split())


# --- What loops and unpacking do to values ---------------------------------------------


def rounds(value: object) -> list:
    """Run the loop protocol over a value."""
    it = loop_protocol.iterate(value)
    k = loop_protocol.first(it)
    items = []
    while loop_protocol.has_item(it, k):
        items.append(loop_protocol.item(it, k))
        k = loop_protocol.after(k)
    return items


def test_a_tensor_loop_counts_with_a_number():
    tensor = tf.constant([[1, 2], [3, 4]])
    assert loop_protocol.iterate(tensor) is tensor
    assert not isinstance(loop_protocol.first(tensor), UnrollIndex)
    assert [row.numpy().tolist() for row in rounds(tensor)] == [[1, 2], [3, 4]]
    index = tf.constant(1)
    assert loop_protocol.item(tensor, index).numpy().tolist() == [3, 4]


def test_a_container_loop_is_unrolled():
    assert isinstance(loop_protocol.first(loop_protocol.iterate([1, 2])), UnrollIndex)
    assert isinstance(loop_protocol.after(UnrollIndex(1)), UnrollIndex)
    assert rounds({"a": 1}) == ["a"]
    assert rounds(iter("ab")) == ["a", "b"]
    assert rounds(()) == []


def test_zip_and_enumerate_of_tensors_stay_lazy():
    a, b = tf.constant([1, 2, 3]), tf.constant([4, 5])
    zipped = loop_protocol.zipped(a, b)
    assert not isinstance(loop_protocol.first(zipped), UnrollIndex)
    assert [(int(x), int(y)) for x, y in rounds(zipped)] == [(1, 4), (2, 5)]
    numbered = loop_protocol.enumerated(zipped, 7)
    assert [(i, int(y)) for i, (_, y) in rounds(numbered)] == [(7, 4), (8, 5)]
    mixed = loop_protocol.zipped(a, "xy")
    assert isinstance(loop_protocol.first(mixed), UnrollIndex)
    assert [(int(x), y) for x, y in rounds(mixed)] == [(1, "x"), (2, "y")]
    assert rounds(loop_protocol.zipped()) == []


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: loop_protocol.iterate(tf.constant(1)), TypeError, "tensor is a scalar"),
        (lambda: loop_protocol.iterate(3), TypeError, "cannot iterate over int"),
        (lambda: loop_protocol.iterate(range(20_000)), RuntimeError, "more than 10000 elements"),
        (lambda: loop_protocol.zipped((1,), (1, 2), strict=True), ValueError, "different lengths"),
        (lambda: unpacking.unpack((1, 2), 3), ValueError, "cannot unpack 2 elements into 3"),
        (lambda: unpacking.unpack((1, 2), 1), ValueError, "cannot unpack 2 elements into 1"),
        (lambda: unpacking.unpack((1,), 1, 1), ValueError, "at least 2 variables"),
        (lambda: unpacking.unpack(tf.constant(1), 2), TypeError, "scalar tensor"),
        (lambda: unpacking.unpack(4, 2), TypeError, "cannot unpack int into 2"),
        (lambda: ranges.range_bounds(0, 1.5, 1), TypeError, "integers, not float"),
        (lambda: ranges.range_bounds(0, tf.constant(1.5), 1), TypeError, "not float32"),
        (lambda: ranges.range_bounds(0, tf.constant([1]), 1), TypeError, "of shape"),
        (lambda: ranges.range_bounds(0, 5, 0), ValueError, "must not be zero"),
    ],
)
def test_misuse_is_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_unpacking_a_tensor():
    first, rest = unpacking.unpack(tf.constant([1, 2, 3]), 1, 0)
    assert int(first) == 1
    assert [int(x) for x in rest] == [2, 3]
    assert unpacking.unpack("abcd", 1, 1) == ("a", ["b", "c"], "d")


@pytest.mark.parametrize("step", [2, -1, -3])
def test_range_with_a_step_of_unknown_sign(step):
    start, stop = (0, 7) if step > 0 else (7, 0)
    for wrap in (int, tf.constant):
        count, last, stride = ranges.range_bounds(wrap(start), wrap(stop), wrap(step))
        end = ranges.range_end(count, last, stride)
        seen = []
        while int(count) != int(end):
            seen.append(int(count))
            count = count + stride
        assert seen == list(range(start, stop, step))


def test_a_wide_bound_makes_a_wide_counter():
    start, stop, step = ranges.range_bounds(0, tf.constant(2**40), 1)
    assert {value.dtype for value in (start, stop, step)} == {tf.int64}
