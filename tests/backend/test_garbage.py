"""What collections of garbage go over while a function runs."""

import gc
import weakref

import pytest

from pcbatch.backend import garbage


class _Node:
    """It leads to itself, so that only a collection takes it away."""

    def __init__(self):
        self.itself = self


def _collected_alive(node):
    """Whether a collection finds no garbage in what only a cycle holds."""
    known = weakref.ref(node)
    del node
    gc.collect()
    return known() is not None


@pytest.fixture(autouse=True)
def _nothing_frozen():
    """The tests freeze what has been imported, see `conftest.py`."""
    gc.unfreeze()
    yield
    gc.freeze()


def test_garbage_from_before_is_left_until_afterwards():
    old = [_Node()]
    known = weakref.ref(old[0])

    @garbage.of_new_objects
    def collect():
        old.clear()
        gc.collect()
        return known() is not None, _collected_alive(_Node())

    assert collect() == (True, False)
    gc.collect()
    assert known() is None


def test_collections_are_as_before_when_it_has_raised():
    @garbage.of_new_objects
    def fail():
        assert gc.get_freeze_count() > 0
        raise ValueError("told")

    with pytest.raises(ValueError, match="told"):
        fail()
    assert gc.get_freeze_count() == 0


def test_what_the_user_has_frozen_stays_so():
    gc.freeze()
    assert garbage.of_new_objects(lambda n: n + 1)(3) == 4
    assert gc.get_freeze_count() > 0
