"""The order of files: the longest first, else a worker is alone with it at the end."""

from __future__ import annotations

from collections import Counter

import pytest

SECONDS = {
    "tests/backend/test_memory.py": 60,
    "tests/conformance/test_generated.py": 200,
    "tests/gradients/test_random_objects.py": 80,
    "tests/gradients/test_shared_programs.py": 250,
    "tests/nuts/test_counts.py": 60,
    "tests/nuts/test_discrete.py": 120,
    "tests/nuts/test_discrete_calls.py": 80,
    "tests/nuts/test_exactness.py": 100,
    "tests/nuts/test_from_pymc.py": 80,
    "tests/nuts/test_from_stan.py": 60,
    "tests/nuts/test_posteriors.py": 80,
    "tests/runtime/test_processes.py": 60,
}
"""Files of few tests that take long, by what `PCBATCH_COSTS` says. Others count a second a test."""


def longest_first(tests: list[pytest.Item]) -> None:
    """Order tests by their files; those of a file stay in their order."""
    files = Counter(map(_file, tests))
    tests.sort(key=lambda test: -SECONDS.get(_file(test), files[_file(test)]))


def _file(test: pytest.Item) -> str:
    return test.nodeid.partition("::")[0]
