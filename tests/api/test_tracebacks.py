"""Tracebacks of pcbatch's errors: the user's frames, and one of pcbatch."""

from __future__ import annotations

import traceback

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.api.tracebacks import short
from pcbatch.errors import MemberError, PcbatchError, ProgramError


def reshaped(x):
    return tf.reshape(x, [3, 4])


@pcbatch.autobatch
def fails_in_a_helper(x):
    y = reshaped(x)
    return y


@pcbatch.autobatch
def draws_from_a_state(x):
    return x + np.random.random()


@pcbatch.autobatch
def raises(n):
    if n > 2:
        raise ValueError("too big")
    return n


def names(error: BaseException) -> list[str]:
    """The functions of a traceback, from the outside to the inside."""
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def test_shows_one_frame_of_pcbatch():
    for call in (raises, raises.run):
        with pytest.raises(MemberError) as caught:
            call(np.arange(5), **({} if call is raises else {"throw": True}))
        assert names(caught.value) == ["test_shows_one_frame_of_pcbatch", "call"]


def test_of_what_caused_an_error_the_users_frames_are_left():
    with pytest.raises(ProgramError) as caught:
        fails_in_a_helper(np.ones([2, 5]))
    assert names(caught.value.__cause__) == ["fails_in_a_helper", "reshaped"]
    assert "node" not in str(caught.value)


def test_an_exception_that_users_do_not_know_is_no_cause():
    for call in (draws_from_a_state, draws_from_a_state.lower):
        with pytest.raises(ProgramError, match="drawn from a state") as caught:
            call(np.ones(2))
        assert caught.value.__cause__ is None


def test_all_frames_are_shown_where_they_are_asked_for(monkeypatch):
    monkeypatch.setenv("PCBATCH_TRACEBACKS", "whole")
    with pytest.raises(PcbatchError) as caught:
        draws_from_a_state(np.ones(2))
    assert len(names(caught.value)) > 5


def test_other_exceptions_pass_as_they_are():
    def look_up():
        return {}["x"]

    with pytest.raises(KeyError) as caught:
        short(look_up)()
    assert names(caught.value) == ["test_other_exceptions_pass_as_they_are", "call", "look_up"]
