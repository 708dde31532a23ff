"""The flags by which XLA keeps what it compiles."""

from __future__ import annotations

import os

import pytest

from pcbatch.cache import executables

FLAGS = executables.FLAGS


@pytest.mark.parametrize("given", ["", "--tf_xla_auto_jit=2"])
def test_flags_of_the_user_stay(monkeypatch, given):
    monkeypatch.setenv(FLAGS, given)
    executables.keep()
    executables.keep()
    (kept,) = [x for x in os.environ[FLAGS].split() if "directory" in x]
    assert kept.endswith("=ram://pcbatch")
    assert executables.flags() == given


def test_a_directory_of_the_user_stays(monkeypatch):
    given = "--tf_xla_persistent_cache_directory=/tmp/mine"
    monkeypatch.setenv(FLAGS, given)
    executables.keep()
    assert os.environ[FLAGS] == given == executables.flags()
