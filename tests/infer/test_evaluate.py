"""Inference tries an expression once for the types of what it reads."""

from __future__ import annotations

from collections import Counter
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch.infer.evaluate import Evaluator
from pcbatch.infer.heap import OnHeap
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
