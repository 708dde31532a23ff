"""Options of the test suite."""

from __future__ import annotations

import gc
import os
import pathlib
import signal
import zlib
from collections.abc import Iterator

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

from pcbatch.api.autobatched import Autobatched
from pcbatch.vm import uninitialized
from tests.conformance.programs import PROGRAMS
from tests.conformance.runners import release
from tests.support import compiled
from tests.support.compiled import resident
from tests.support.extent import LARGE, leave_out
from tests.support.order import longest_first


def pytest_configure(config: pytest.Config) -> None:
    """Hear Ctrl-C, as its tests need: a shell starts background jobs with SIGINT ignored."""
    if "PCBATCH_COSTS" in os.environ:
        config.pluginmanager.import_plugin("tests.support.costs")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    uninitialized.unset = poison
    gc.collect()
    gc.freeze()  # What has been imported stays: no collection need look at it again.
    gc.set_threshold(20_000, 10, 20)  # Tracing makes many objects, few of them garbage.


def poison(shape: list[int], dtype: str) -> tf.Tensor:
    """What the suite has in place of unset memory, so that nothing can depend on what is there."""
    dtype = tf.as_dtype(dtype)
    if dtype.is_floating or dtype.is_complex:
        return tf.fill(shape, tf.constant(np.nan, dtype))
    return tf.fill(shape, tf.constant(True if dtype.is_bool else dtype.max - 6, dtype))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the golden files from what is seen"
    )
    parser.addoption("--share", default="1/1", help="which share of the files to run, as 2/3")


def pytest_ignore_collect(collection_path: pathlib.Path, config: pytest.Config) -> bool | None:
    """Leave out the files of other shares. A file's share hangs on its name only."""
    if collection_path.suffix != ".py":
        return None
    share, shares = map(int, config.getoption("--share").split("/"))
    name = collection_path.relative_to(config.rootpath).as_posix()
    return True if zlib.crc32(name.encode()) % shares != share - 1 else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not LARGE:
        leave_out(items)
    if hasattr(config, "workerinput"):
        longest_first(items)


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten instead of compared."""
    return request.config.getoption("--update-golden")


GROWTH = 512
"""By so many megabytes a process may grow before something is dropped."""
_held = {"compiled": 0, "released": 0}
"""What it held when that was last done."""


def has_grown(since: str) -> bool:
    return resident() > _held[since] + GROWTH


def drop_compiled() -> None:
    compiled.drop()
    _held["compiled"] = resident()


@pytest.fixture(autouse=True)
def dropped() -> Iterator[None]:
    """Drop what XLA has compiled, amid a module, too: all of it would fill the machine."""
    yield
    if has_grown("compiled"):
        drop_compiled()


@pytest.fixture(autouse=True, scope="module")
def released() -> Iterator[None]:
    """Drop the programs of the modules so far.

    To find them takes a second: a module that took little memory leaves it to a later one.
    """
    yield
    if not has_grown("released"):
        return
    for value in (*gc.get_objects(), *(program.function for program in PROGRAMS)):
        if issubclass(type(value), Autobatched):
            release(value)
    drop_compiled()
    _held["released"] = resident()
