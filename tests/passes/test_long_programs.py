"""What long programs take to compile grows with their length, counted and not timed."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pcbatch.backend.target import XLA_CPU
from pcbatch.backend.tuning import NARROW as TUNING
from pcbatch.frontend.plain import PlainSequence, plain
from pcbatch.infer.domain import Static
from pcbatch.ir.analysis import flow
from pcbatch.passes import webs
from pcbatch.vm.block_info import prepare
from pcbatch.vm.context import Context
from pcbatch.vm.groups import groups, too_long
from pcbatch.vm.sweep.registry import plan_for
from pcbatch.vm.sweep.subloops import fits_kernel
from tests.passes import long_programs

TWICE = 2.2
"""A program of twice the length takes so many times as much, at most."""


def _calls_of(
    owner: Any, name: str, kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[int]:
    """How often a function runs for a program, and for one of twice the length."""
    counts = collections.Counter[int]()
    real = getattr(owner, name)

    def counted(*args: Any) -> Any:
        counts[number] += 1
        return real(*args)

    monkeypatch.setattr(owner, name, counted)
    for number in (20, 40):
        long_programs.make(kind, number, folder).lower(long_programs.argument(kind))
    return [counts[20], counts[40]]


def test_a_long_unrolled_loop_compares_as_often_as_it_has_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a hash of its value, a number was compared with those of all other rounds."""
    found = _calls_of(Static, "__eq__", "pairs", tmp_path, monkeypatch)
    assert found[1] <= TWICE * found[0]


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", ["loops", "functions"])
def test_many_small_blocks_are_compiled_a_few_together(tmp_path: Path, kind: str) -> None:
    numbers = []
    for number in (20, 40):
        lowered = long_programs.make(kind, number, tmp_path).lower(long_programs.argument(kind))
        context = Context(prepare(lowered.stack_form), 16, XLA_CPU)
        (stage,) = plan_for(context, "auto").stages
        cut = groups(stage.codes, TUNING)
        assert tuple(code for group in cut for code in group) == stage.codes
        longest = max(code.length for code in stage.codes)
        assert max(sum(code.length for code in group) for group in cut) <= TUNING.group + longest
        assert not fits_kernel(context, stage.codes, 16)
        assert all(fits_kernel(context, group, 16) for group in cut)
        numbers.append(len(cut))
    assert numbers[1] <= TWICE * numbers[0]


def test_a_block_with_many_variables_is_no_kernel(tmp_path: Path) -> None:
    function = long_programs.make("variables", 80, tmp_path)
    lowered = function.lower(long_programs.argument("variables"))
    context = Context(prepare(lowered.stack_form), 16, XLA_CPU)
    assert too_long(context.codes[1:2], TUNING)
    assert not fits_kernel(context, context.codes[1:2], 16)


@pytest.mark.every(2)
@pytest.mark.parametrize(("kind", "number"), [("loops", 14), ("functions", 6)])
def test_blocks_in_groups_compute_the_same(tmp_path: Path, kind: str, number: int) -> None:
    function = long_programs.make(kind, number, tmp_path)
    x = long_programs.argument(kind)
    lowered = function.lower(x)
    expected = lowered.interpret("call")
    compiled = lowered.compile(schedule="sweep")
    assert any(len(groups(stage.codes, TUNING)) > 1 for stage in compiled.machine.stages)
    np.testing.assert_array_equal(compiled(x), expected)


def test_plain_data_is_told_apart_by_its_text() -> None:
    data = plain(((1, 2), (3.0, "a"), None))
    assert isinstance(data, PlainSequence) and data == plain(((1, 2), (3.0, "a"), None))
    assert plain((1,)) != plain((1.0,)) and plain((0.0,)) != plain((-0.0,))
    assert plain((1,)) != plain((True,))
    assert plain((float("nan"),)) == plain((float("nan"),))
    assert data[1] == (3.0, "a") and len(data) == 3
    few = ([1, 2], [3, 4])  # The loop may write to them.
    assert plain(few) is few
    mixed = (1, object())
    assert plain(mixed) is mixed


def test_static_numbers_of_one_value_have_one_hash() -> None:
    nan, other = float("nan"), float("-nan") * 1
    assert hash(Static(nan)) == hash(Static(nan + 0)) and Static(nan) == Static(other)
    assert hash(Static(nan)) == hash(Static(other))
    assert Static(1) != Static(True) and Static(0.0) != Static(-0.0)
    assert hash(Static(3)) == hash(Static(3)) != hash(Static(4))


def test_the_branches_of_a_long_program_are_converted_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One after the other, each after a look at all blocks, took the square of their number."""
    found = _calls_of(flow, "of_function", "branches", tmp_path, monkeypatch)
    assert found[0] == found[1] > 0


def test_what_reaches_a_block_is_only_what_is_read_later(tmp_path: Path) -> None:
    """With the variables of all other functions, too, it took the square of their number."""
    sizes = []
    for number in (10, 20):
        function = long_programs.make("functions", number, tmp_path)
        program = function.lower(long_programs.argument("functions")).stack_form
        reaching = webs.reaching(flow.of_stack(program))
        sizes.append(max(len(state) for state in reaching.values()))
    assert sizes[1] <= sizes[0] + 10, sizes


def test_a_block_with_many_registers_is_no_kernel_even_to_move_them(tmp_path: Path) -> None:
    lowered = long_programs.make("variables", 80, tmp_path).lower(
        long_programs.argument("variables")
    )
    context = Context(prepare(lowered.stack_form), 16, XLA_CPU)
    loop = max(context.codes, key=lambda code: len(code.reads) + len(code.writes))
    assert len(loop.reads) + len(loop.writes) > TUNING.kernel_registers
    assert not fits_kernel(context, (loop,), 16, whole=False)
