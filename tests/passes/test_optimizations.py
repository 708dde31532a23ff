"""Optimizations left out, one by one: they do what their names say, and results stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch import ir
from pcbatch.api.lowered import Compiled
from pcbatch.backend.tuning import NARROW
from pcbatch.runtime.optimizations import OPTIMIZATIONS, PASSES, SCHEDULING
from pcbatch.vm.sweep import plan
from pcbatch.vm.sweep.buckets import Bucket
from pcbatch.vm.sweep.compaction import Compacted
from pcbatch.vm.sweep.masked import Masked
from tests.support.members import check
from tests.support.programs import approach, climb, step
from tests.support.tuning import tune

MEMBERS = 800


@pcbatch.autobatch
def carry(x, n):
    """Something wide that is needed when both calls have returned, and not in between."""
    if n <= 0:
        return x
    left = carry(x + 1.0, n - 1)
    right = carry(2.0 * left, n - 3)
    return left + right + x


N = tf.constant(np.arange(MEMBERS) % 13, tf.int32)
X = tf.constant(np.linspace(0.1, 0.9, 30 * MEMBERS).reshape(MEMBERS, 30), tf.float32)


def small(**how: Any) -> Compiled:
    return climb.lower(N).compile(**{"shards": 1, **how})


def large(**how: Any) -> Compiled:
    return approach.lower(X, N).compile(**{"shards": 1, **how})


@pytest.fixture(scope="module")
def wanted() -> np.ndarray:
    """The results of `climb` in plain Python."""
    return np.array([climb.single(int(n)) for n in range(13)], np.int32)[N.numpy()]


@pytest.mark.every(6)
@pytest.mark.parametrize(
    "name", sorted(PASSES.keys() - {"cancel pushes", "drop checks", "arrays in place"})
)
def test_a_pass_left_out_changes_the_program_and_not_its_results(
    name: str, wanted: np.ndarray
) -> None:
    changed = small(without=name, jit=False)
    assert changed.machine.program != climb.lower(N).stack_form
    np.testing.assert_array_equal(changed(N), wanted)


@pytest.mark.thorough
def test_pushes_are_cancelled_unless_left_out() -> None:
    few, how = (X[:13], N[:13]), {"shards": 1, "jit": False}
    as_it_is, left_out = (
        carry.lower(*few).compile(**how, without=without) for without in ((), "cancel pushes")
    )
    a, b = (_pushes(compiled.machine.program) for compiled in (as_it_is, left_out))
    assert a < b
    np.testing.assert_array_equal(as_it_is(*few), left_out(*few))


def _pushes(program: ir.StackProgram) -> int:
    return sum(isinstance(op, ir.Push) for block in program.blocks for op in block.operations)


@pcbatch.autobatch
def table(n):
    """Fills a table cell by cell, and reads it as a whole in between."""
    cells, sums = np.zeros((4, 5)), np.zeros(3)
    for i in range(n):
        cells[i % 4, i % 5] += n
        cells[-1, 0] = cells[i % 4, 0] + i
        sums[i % 3] += cells.max()
        if i == 7:
            cells = cells * 2
    return cells.sum() + sums[n % 3]


@pytest.mark.parametrize("options", [{"jit": False}, {}], ids=str)
def test_arrays_are_written_in_place_unless_it_is_left_out(options: dict[str, Any]) -> None:
    as_it_is, left_out = (
        table.lower(N[:13]).compile(shards=1, without=w, **options) for w in ((), "arrays in place")
    )
    assert set(as_it_is.machine.program.buffers) == {"table.cells", "table.sums"}
    assert not left_out.machine.program.buffers
    wanted = [table.single(n) for n in range(13)]
    np.testing.assert_array_equal(as_it_is(N[:13]), wanted)
    np.testing.assert_array_equal(left_out(N[:13]), wanted)


def swapped(n):
    a, b = np.zeros(4), np.ones(4)
    for i in range(n):
        a[i % 4] += b[(i + 1) % 4] + n
        b[i % 4] -= 1
        a, b = b, a
    return a[0] + 10 * b[1] + 100 * a[2] + 1000 * b[3]


def taken_over(n):
    row, t = np.ones(n % 2 + 5), 0.0
    for i in range(n):
        new = np.zeros(n % 2 + 5)
        new[i % 5] = row[(i + 2) % 5] + i
        new[-1] += row[0]
        t += new.sum() - row[1]
        row = new
    return t + row[-1]


def by_recursion(n):
    seen = np.zeros(6)
    seen[n % 6] = n
    below = by_recursion(n - 1) if n > 0 else 0.0
    seen[0] += below % 7
    return seen[0] + 2 * seen[n % 6] + below % 100


def in_two_places(n):
    x = np.zeros(3)
    for i in range(n):
        old = x.copy()
        x[i % 3] = i + old[0]
        if old[1] > 2:
            x = old + 1.0
            x[2] += 1
    return x[0] + 10 * x[1] + 100 * x[2]


MOVED = pytest.mark.parametrize(
    "function", [swapped, taken_over, by_recursion, in_two_places], ids=lambda f: f.__name__
)


@MOVED
def test_arrays_that_take_each_others_places(function: Any) -> None:
    check(function, N[:13].numpy(), jit=False)


@MOVED
@pytest.mark.every(4)
def test_compiled_arrays_that_take_each_others_places(function: Any) -> None:
    check(function, N[:13].numpy(), jit=True)


@pcbatch.autobatch
def total(row: Any, n: Any) -> Any:
    """Its index is in range, as a pass finds."""
    found = row[0]
    for i in range(3):
        found = found * n + row[i]
    return found


def test_checks_that_cannot_fail_are_dropped_unless_left_out() -> None:
    rows, how = np.arange(39).reshape(13, 3).astype(np.int32), {"shards": 1, "jit": False}
    given = rows, N[:13]
    as_it_is, left_out = (
        total.lower(*given).compile(**how, without=without) for without in ((), "drop checks")
    )
    assert _checks(as_it_is.machine.program) < _checks(left_out.machine.program)
    np.testing.assert_array_equal(as_it_is(*given), left_out(*given))


def _checks(program: ir.StackProgram) -> int:
    return sum(isinstance(op, ir.Check) for block in program.blocks for op in block.operations)


def stages(compiled: Compiled) -> tuple[plan.Stage, ...]:
    return compiled.machine.stages


def dominant(compiled: Compiled) -> Bucket:
    """The last stage of a turn, which waits."""
    last = stages(compiled)[-1]
    assert isinstance(last, Bucket)
    return last


def test_the_schedule_says_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    tune(monkeypatch, cached_cost=1e7)
    lazy = {"jit": False}  # the stages are those of a compiled run; nothing is compiled

    def left_out(of: Any, name: str | tuple[str, ...]) -> tuple[plan.Stage, ...]:
        return stages(of(without=name, **lazy))

    assert isinstance(stages(small(**lazy))[0], Compacted)
    for name in ("compaction", "outlining"):
        assert isinstance(left_out(small, name)[0], Masked)
    order, flow = (
        [c.index for c in x[0].codes] for x in (stages(small(**lazy)), left_out(small, "order"))
    )
    assert order != flow == sorted(flow)
    names = ("outlining", (), "repetition", ("outlining", "repetition"))
    often, compacted, *once = (left_out(small, x)[0].codes for x in names)
    assert len(often) > len(compacted) > len(once[0]) == len({c.index for c in once[0]})
    assert len(once[0]) == len(once[1])

    whole = dominant(large(**lazy))
    assert whole.wait and len(whole.sizes) > 1 and whole.sizes[0] < MEMBERS
    assert [type(x) for x in left_out(large, "buckets")] == [Masked]
    assert all(getattr(x, "wait", None) is None for x in left_out(large, "waiting"))
    assert dominant(large(without="bucket sizes", **lazy)).sizes == whole.sizes[:1]
    assert dominant(large(without="caches", **lazy)).sizes[0] == MEMBERS


@pytest.mark.thorough
def test_rounds_are_one_where_they_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small loop before a large block: with one round a turn it takes as many turns."""

    @pcbatch.autobatch
    def wind(x, n):
        i = 0
        while i < n:
            j = 0
            while j < 9:
                j = j + 1 if (i + j) % 5 != 4 else j + 2
                if j == 4:
                    i = i + 0
            x = step(x)
            i += 1
        return x

    tune(monkeypatch, in_a_row=1)
    many, one = (wind.lower(X, N).compile(shards=1, without=w) for w in ((), "rounds"))
    steps = [c.run(X, N).stats.steps for c in (many, one)]
    assert NARROW.rounds > 9 and steps[1] > 2 * steps[0]


def test_names_are_those_of_passes_and_each_is_explained() -> None:
    from pcbatch.passes import pipeline
    from pcbatch.passes.tracing import Traced

    known = Traced(climb.lower(N).call_form)
    passes = (*pipeline.call_form_passes(known), *pipeline.stack_form_passes(known))
    assert PASSES.keys() <= {name for name, _ in passes}
    assert OPTIMIZATIONS == {**PASSES, **SCHEDULING} and all(OPTIMIZATIONS.values())
    assert pcbatch.OPTIMIZATIONS is OPTIMIZATIONS


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("compact", "there is no optimization 'compact' to leave out; did you mean 'compaction'?"),
        (
            ("outlining", "zzz"),
            "there is no optimization 'zzz' to leave out; there are drop checks, ",
        ),
        (3, "without is 3: the name of an optimization, or several"),
        ((3,), "there is no optimization 3 to leave out; there are drop checks,"),
    ],
)
def test_unknown_names_are_refused(names: Any, said: str) -> None:
    with pytest.raises(pcbatch.ArgumentError) as error:
        climb.lower(N).compile(without=names)
    assert str(error.value).startswith(said)


def test_compile_refuses_wrong_options() -> None:
    with pytest.raises(pcbatch.ArgumentError, match="unknown schedule 'swep'"):
        climb.lower(N).compile(schedule="swep")
