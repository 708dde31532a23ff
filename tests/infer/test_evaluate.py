"""Inference tries an expression once for the types of what it reads."""

from __future__ import annotations

from collections import Counter
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch import ir
from pcbatch.frontend import lower
from pcbatch.infer.evaluate import Evaluator
from pcbatch.infer.heap import OnHeap
from pcbatch.infer.instance import operations
from pcbatch.infer.known_primitives import KnownPrimitives
from pcbatch.infer.provenance import provenance
from tests.semantics.test_heap import a_search_tree

MEMBERS = np.array([1, 5])


@pytest.fixture(name="tried")
def _tried(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """How often the expressions of each function were tried on values of the same types."""
    counter = Counter[Any]()
    evaluate = Evaluator._evaluate

    def counting(self: Evaluator, fn: Any, args: Any, span: Any, name: str, *rest: Any) -> Any:
        outcome = evaluate(self, fn, args, span, name, *rest)
        expression = fn.function if isinstance(fn, OnHeap) else fn
        if isinstance(expression, FunctionType):
            made = tuple(map(provenance, args))
            counter[self, fn, args, made, name.rpartition(".")[0]] += 1
        return outcome

    monkeypatch.setattr(Evaluator, "_evaluate", counting)
    return counter


def numbers_in_a_list(n):
    numbers = []
    for i in range(n):
        numbers.append(i * i)
    numbers[n // 2] = 7
    return numbers[0] + numbers[n - 1]


@pytest.mark.parametrize(
    ("function", "reads_heap"), [(numbers_in_a_list, False), (a_search_tree, True)]
)
def test_an_expression_is_tried_once_by_each_run_of_inference(function, reads_heap, tried):
    pcbatch.autobatch(function).lower(MEMBERS)
    assert any(isinstance(fn, OnHeap) for _, fn, *_ in tried) == reads_heap
    assert max(tried.values()) == 1


def decides(n):
    return n + 1 if n > 3 else n


def with_a_helper(n):
    first = n * 2
    second = decides(first)
    return first * 5 + second


def test_an_expression_is_not_tried_again_when_a_plain_function_has_been_taken_in(tried):
    pcbatch.autobatch(with_a_helper).lower(MEMBERS)
    assert len({evaluator for evaluator, *_ in tried}) > 1  # inference has begun again
    often = Counter[Any]()
    for (_, fn, *_), count in tried.items():
        often[fn.__code__] += count
    assert set(often.values()) == {1}


def counted_at_the_end(n):
    try:
        if n > 3:
            return n
        n = n * 2
    finally:
        n = n + 1
    return n


def test_expressions_with_equal_code_in_two_places_stay_two():
    known = KnownPrimitives()
    forms = [lower(counted_at_the_end, needs_call=lambda value: False) for _ in range(2)]
    lowered = map(known.in_place_of, forms)
    first, second = ([op.fn for op in operations(source)] for source in lowered)
    functions = [fn for fn in first if isinstance(fn, FunctionType) and fn is not ir.move]
    assert first == second
    assert max(Counter(fn.__code__ for fn in functions).values()) > 1
    assert len(set(functions)) == len(functions)
