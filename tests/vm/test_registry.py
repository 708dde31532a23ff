"""Each optimization of the sweep can go: a line less in the registry, and results stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.backend.target import PORTABLE, this_machine
from pcbatch.vectorizer.matmul import batch_last
from pcbatch.vm.block_info import prepare
from pcbatch.vm.context import Context
from pcbatch.vm.sweep import registry
from pcbatch.vm.sweep.few_members import Together
from pcbatch.vm.sweep.masked import Masked
from pcbatch.vm.sweep.plan import Plan
from pcbatch.vm.sweep.registry import REGISTRY, SCHEDULES, plan_for
from tests.conformance.programs import BY_NAME
from tests.support.programs import approach, climb, halvings
from tests.support.tolerances import Tolerance, assert_close
from tests.support.tuning import tune, vectors
from tests.test_layers import GRAPH

MEMBERS = 800
FLOATS = Tolerance(1e-5, 1e-6)
"""Twelve steps of `tanh` of a sum of thirty products, in float32."""
N = (np.arange(MEMBERS) % 13).astype(np.int32)
X = np.linspace(0.1, 0.9, 30 * MEMBERS, dtype=np.float32).reshape(MEMBERS, 30)


@pcbatch.autobatch
def orbit(x, n):
    """A small block with much arithmetic, of vectors."""
    while n > 0:
        x = tf.sin(x) + tf.cos(0.5 * x) * tf.exp(-0.1 * x * x)
        if n % 3 == 1:
            x = x + 0.25
        n -= 1
    return x


@pcbatch.autobatch
def swing(x, n):
    """Two large blocks, with small ones between."""
    if n <= 0:
        return x
    x = swing(0.5 * x + tf.sin(x), n - 2)
    while n > 3:
        x = 0.5 * x + tf.cos(x)
        n -= 1
    return x


class Case(NamedTuple):
    """A program in which an optimization acts.

    Attributes:
      function: a program.
      args: of a batch.
      given: what makes it act on any machine.
    """

    function: Any
    args: tuple[np.ndarray, ...]
    given: Callable[[pytest.MonkeyPatch], None] = lambda patch: None


def _wide(patch: pytest.MonkeyPatch) -> None:
    vectors(patch, wide=True)
    patch.setattr(batch_last, "LEAST", 1)


SMALL, LARGE = Case(climb, (N,)), Case(approach, (X, N))
FEW = Case(swing, (X[:8], N[:8]))
CASES = {
    "outlining": SMALL,
    "order": SMALL,
    "compaction": SMALL,
    "repetition": SMALL,
    "fused pass": Case(halvings, (N,)),
    "outlined blocks": Case(orbit, (X[:, :3], N)),
    "buckets": LARGE,
    "waiting": LARGE,
    "pre-transposed operands": LARGE,
    "batch-last layout": LARGE._replace(given=_wide),
    "caches": LARGE._replace(given=lambda patch: tune(patch, cached_cost=1e7)),
    "bucket sizes": LARGE,
    "rounds": LARGE,
    "few members": FEW,
}


def planned(case: Case) -> Plan:
    form = case.function.lower(*case.args).stack_form
    return plan_for(Context(prepare(form), len(case.args[0]), this_machine()), "auto")


@pytest.mark.every(3)
def test_each_stands_there_once() -> None:
    names = [one.name for one in REGISTRY]
    assert len({*names}) == len(names) and {*names} == CASES.keys()


@pytest.mark.every(14)
@pytest.mark.parametrize("name", [one.name for one in REGISTRY])
def test_each_can_go(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[name]
    case.given(monkeypatch)
    as_it_is = planned(case)
    rest = tuple(one for one in REGISTRY if one.name != name)
    monkeypatch.setattr(registry, "REGISTRY", rest)
    assert planned(case) != as_it_is, "it acts here"
    # A function of its own, as compiled programs are kept.
    alone = pcbatch.autobatch(lambda *args: case.function(*args))
    compiled = alone.lower(*case.args).compile(shards=1)
    result = tf.nest.flatten(compiled(*case.args))
    for member in range(0, 8, 2):
        plain = tf.nest.flatten(case.function.single(*(a[member] for a in case.args)))
        for got, want in zip(result, plain, strict=True):
            assert_close(got[member], want, FLOATS)


def test_many_stages_of_few_members_are_several_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(planned(FEW).alone, Together)
    tune(monkeypatch, longest_together=30)
    kinds = [type(stage) for stage in planned(FEW).stages]
    assert len(kinds) > 1 and Together in kinds
    alone = pcbatch.autobatch(lambda *args: swing(*args))
    result = alone.lower(*FEW.args).compile(shards=1)(*FEW.args)
    plain = [swing.single(x, n) for x, n in zip(*FEW.args, strict=True)]
    assert_close(result, np.stack(plain), FLOATS)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", [name for name in BY_NAME if name.startswith(("fib", "coll"))])
def test_a_plan_runs_each_block_that_can_move(name: str, schedule: str) -> None:
    """Whichever one optimization is left out, on any target, for batches of any size."""
    program = BY_NAME[name]
    prepared = prepare(program.function.lower(*program.args, **program.static).stack_form)
    for size in (1, 200, 5000):
        for target in (PORTABLE, this_machine()):
            context = Context(prepared, size, target)
            movable = {code.index for code in context.codes if not code.waits}
            for left_out in ("", *(one.name for one in REGISTRY)):
                plan = plan_for(context, schedule, (left_out,))
                runs = [code.index for stage in plan.stages for code in {*stage.codes}]
                assert movable <= {*runs}
                assert all(1 <= lanes <= size for lanes in plan.lanes(context))


def test_without_any_the_plan_is_the_published_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "REGISTRY", ())
    for case in (SMALL, LARGE, FEW):
        (stage,) = planned(case).stages
        assert isinstance(stage, Masked) and stage.rounds is None and not stage.outlined
        assert [code.index for code in stage.codes] == [*range(len(stage.codes))]


def test_nothing_but_the_registry_and_other_optimizations_imports_one() -> None:
    """So that each is a file that can go. Shards ask the rule for caches, see `caches`."""
    modules = {one.__module__ for one in REGISTRY}
    allowed = {*modules, registry.__name__, "pcbatch.runtime.shards"}
    importing = {who for who, what in GRAPH.items() if what & modules and who.startswith("pcbatch")}
    assert importing <= allowed
