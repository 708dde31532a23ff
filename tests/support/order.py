"""The order of files: the longest first, else a worker is alone with it at the end."""

from __future__ import annotations

from collections import Counter

import pytest

SECONDS = {
    "tests/backend/test_memory.py": 60,
    "tests/conformance/test_conformance.py": 500,
    "tests/conformance/test_generated.py": 130,
    "tests/docs/test_site.py": 300,
    "tests/gradients/test_random_objects.py": 40,
    "tests/gradients/test_shared_programs.py": 110,
    "tests/nuts/test_counts.py": 60,
    "tests/nuts/test_discrete.py": 120,
    "tests/nuts/test_discrete_calls.py": 90,
    "tests/nuts/test_exactness.py": 60,
    "tests/nuts/test_from_pymc.py": 70,
    "tests/nuts/test_from_stan.py": 60,
    "tests/nuts/test_going_on.py": 120,
    "tests/nuts/test_posteriors.py": 70,
    "tests/nuts/test_workers.py": 120,
    "tests/runtime/test_processes.py": 60,
    "tests/semantics/test_heap.py": 200,
    "tests/semantics/test_none_in_lists.py": 100,
    "tests/semantics/test_spelled.py": 270,
}
"""Files of few tests that take long, by what `PCBATCH_COSTS` says. Others count a second a test."""


def longest_first(tests: list[pytest.Item]) -> None:
    """Order tests by their files; those of a file stay in their order."""
    files = Counter(map(_file, tests))
    tests.sort(key=lambda test: -SECONDS.get(_file(test), files[_file(test)]))


def _file(test: pytest.Item) -> str:
    return test.nodeid.partition("::")[0]
