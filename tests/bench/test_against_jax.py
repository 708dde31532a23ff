"""What is measured beside JAX is the same there: bundled models, loops, chains."""

from __future__ import annotations

import argparse

import numpy as np
import pytest

from bench import few_members
from bench.bundled import DIMENSIONS, Bundled
from bench.loops import LOOPS
from tests.support.members import of_member
from tests.support.tolerances import Tolerance, assert_close

SUM = Tolerance(1e-4, 1e-4)
"""Log densities are sums of up to 569 terms of float32, of sizes up to 1e4."""
ROUNDS = Tolerance(1e-4, 2e-4)
"""A bisection ends with an interval of 1e-4, and the mean with two numbers 1e-5 apart."""
MEMBERS = 6


@pytest.mark.every(2)
@pytest.mark.parametrize("model", DIMENSIONS)
def test_a_bundled_model_has_the_same_density_in_jax(model: str) -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    from bench.peers.jax_targets import log_density

    target = Bundled(model)
    ours, theirs = target.log_density(), log_density(target)
    starts = target.starts(4)
    found = np.array([(ours(x), theirs(x)) for x in starts], np.float64)
    # Up to a constant.
    assert_close(*(found - found[0]).T, SUM)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_the_same_in_plain_python_and_in_jax(name: str) -> None:
    loop = LOOPS[name]
    arguments = loop.arguments(MEMBERS)
    value = loop.function.run(*arguments, jit=False, throw=True).value
    shared = [x.shape[0] != MEMBERS for x in arguments]
    for member in range(MEMBERS):
        own = [x if s else x[member] for x, s in zip(arguments, shared, strict=True)]
        assert_close(of_member(value, member), loop.function.single(*own), ROUNDS)
    pytest.importorskip("jax", reason="JAX is not installed")
    from bench.peers.vmapped import VMAPPED

    assert_close(np.asarray(value), np.asarray(VMAPPED[name](*arguments)), ROUNDS)


@pytest.mark.large
def test_few_members_without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(few_members.peers.SAMPLERS, "NumPyro", "bench.peers.nowhere")
    parser = argparse.ArgumentParser()
    few_members.add_arguments(parser)
    words = "--models eight_schools --chains 2 --peers NumPyro --rounds 1".split()
    (row,) = few_members.run(parser.parse_args(words))
    assert row["over the best"] == 1.0 and row["NumPyro us/gradient"] is None
    assert "nowhere" in row["gap"] and row["pcbatch us/gradient"] > 0
