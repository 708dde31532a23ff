"""Gradients of random programs with lists that grow and objects on a heap, against plain Python."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import pcbatch
from tests.conformance.generator import load
from tests.conformance.generator.slopes import ARGS, sources
from tests.gradients.test_shared_programs import refused
from tests.gradients.truth import value_and_slopes
from tests.support.extent import sized
from tests.support.random_programs import assert_run
from tests.support.tolerances import GRADIENT, assert_close

COUNT = int(os.environ.get("PCBATCH_GENERATED_GRADIENTS", sized(10, 50, 100))) // 10
"""To infer one of these programs takes some ten times as long as one without objects."""
BY = (2, 3)


def check(source: str, **how: Any) -> None:
    """Assert that a program has the values and slopes of plain Python, and fails where it does."""
    members = [[x[i].item() for x in ARGS] for i in range(len(ARGS[0]))]
    plain = load(source.replace("@pcbatch.autobatch", ""))["main"]
    truth = [value_and_slopes(plain, BY, member) for member in members]
    both = pcbatch.value_and_grad(load(source)["main"], argnums=BY)
    result = both.run(*ARGS, throw=False, **how)
    assert (np.asarray(result.status) > 0).tolist() == [one is None for one in truth]
    values, slopes = result.value
    for i, one in enumerate(truth):
        if one is not None:
            found = (values[i], *(slope[i] for slope in slopes))
            assert_close(found, one, GRADIENT, f"member {i}")


def test_random_programs_with_lists_and_objects() -> None:
    def run(source: str) -> bool:
        return not refused(lambda: check(source, jit=False))

    assert_run(COUNT, run, sources())
