"""What one module has compiled is dropped before the next: that of all would fill the machine."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

import pcbatch
from tests.conformance.runners import release


@pytest.fixture(autouse=True, scope="module")
def dropped(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    for value in vars(request.module).values():
        clear: Any = getattr(value, "cache_clear", None)
        if clear is not None:
            clear()
        if isinstance(value, pcbatch.Autobatched):
            release(value)
    gc.collect()
