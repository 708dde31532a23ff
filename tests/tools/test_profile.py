"""Profiles: their counts are those of an ordinary run, and what the table, chart and page show."""

from __future__ import annotations

import html.parser
import inspect

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.conformance.programs import BY_NAME
from tests.support.tolerances import assert_close


@pcbatch.autobatch
def climb(n, x):
    if n <= 0:
        return tf.reduce_sum(tf.linalg.matvec(tf.eye(64) * 0.5, x))
    return climb(n - 1, x * 0.5) + climb(n - 2, x)


FIRST = inspect.getsourcelines(climb.__wrapped__)[1]
N, X = tf.constant([5, 1, 3, 0]), tf.ones([4, 64])


@pytest.mark.parametrize("schedule", ["sweep", "switch", "switch-most-active"])
def test_a_profile_counts_what_a_run_counts(schedule: str) -> None:
    how = {"schedule": schedule, "jit": False}
    profile = pcbatch.profile(climb, **how)(N, X)
    result = climb.run(N, X, **how)
    stats = result.stats
    assert [(b.label, b.executions, b.active, b.utilization) for b in profile.blocks] == [
        (b.label, b.executions, b.active, b.utilization) for b in stats.blocks
    ]
    assert profile.timeline.steps.tolist() == list(range(1, stats.steps + 1))
    np.testing.assert_array_equal(profile.result.check().value, result.value)


def test_under_xla_and_with_expensive_blocks() -> None:
    """The heavy block has nearly all of the time, its line too; shares add up."""
    profile = pcbatch.profile(climb)(N, X)
    stats = climb.run(N, X).stats
    assert [b.active for b in profile.blocks] == [b.active for b in stats.blocks]
    assert sum(b.share for b in profile.blocks) == pytest.approx(1.0)
    hottest = max(profile.lines(), key=lambda x: x.share)
    assert hottest.line == FIRST + 3 and hottest.share > 0.5
    assert "matvec" in hottest.text
    assert hottest.active == sum(leaves(n) for n in N.numpy())


@pytest.mark.thorough
def test_lanes_are_those_of_the_buckets_that_ran() -> None:
    """The heavy block runs on buckets smaller than the batch."""
    n, x = tf.range(100) % 6, tf.ones([100, 64])
    profile = pcbatch.profile(climb)(n, x)
    counts = climb.run(n, x, shards=1).stats.blocks
    assert any(b.batch_size < 100 for b in counts)
    assert [(b.label, b.executions, b.batch_size, b.utilization) for b in profile.blocks] == [
        (b.label, b.executions, b.batch_size, b.utilization) for b in counts
    ]
    moved = sum(b.active for b in counts) / sum(b.executions * b.batch_size for b in counts)
    assert f"{moved:.1%} of all lanes" in profile.html()
    pytest.importorskip("matplotlib", reason="matplotlib, which draws profiles, is not installed")
    used = profile.plot().axes[1].patches[0].get_data().values
    assert 0 < np.max(used) <= 1
    rows = profile.timeline.executions @ [b.batch_size for b in counts]
    assert_close(used, profile.timeline.active.sum(1) / np.maximum(rows, 1))


def leaves(n: int) -> int:
    return 1 if n <= 0 else leaves(n - 1) + leaves(n - 2)


def depth(n: int) -> int:
    return 0 if n <= 0 else 1 + max(depth(n - 1), depth(n - 2))


def test_the_timeline_shows_who_lives_and_how_deep() -> None:
    profile = pcbatch.profile(climb, jit=False, schedule="switch")(N, X)
    time = profile.timeline
    assert time.live[0] == 4 and time.live[-1] == 0 and (np.diff(time.live) <= 0).all()
    assert time.depth_max.max() == max(depth(n) for n in N.numpy())
    assert (time.depth_mean <= time.depth_max).all()
    np.testing.assert_array_equal(time.executions.sum(1), np.ones(len(time.steps)))


def test_a_long_run_has_longer_rows_and_the_same_sums() -> None:
    fine = pcbatch.profile(climb, jit=False)(N, X).timeline
    coarse = pcbatch.profile(climb, rows=4, jit=False)(N, X).timeline
    assert len(coarse.steps) <= 9 < len(fine.steps)
    assert coarse.steps[-1] == fine.steps[-1]
    np.testing.assert_array_equal(coarse.active.sum(0), fine.active.sum(0))
    where = np.searchsorted(fine.steps, coarse.steps)
    np.testing.assert_array_equal(coarse.live, fine.live[where])
    np.testing.assert_array_equal(np.cumsum(coarse.active, 0), np.cumsum(fine.active, 0)[where])


def test_members_that_fail_or_are_stopped_have_their_status() -> None:
    stopped = pcbatch.profile(climb, jit=False, schedule="switch", max_steps=5)(N, X)
    assert stopped.timeline.steps[-1] == 5
    status = climb.run(N, X, jit=False, schedule="switch", max_steps=5).status
    np.testing.assert_array_equal(stopped.result.status, status)
    assert pcbatch.Status.STEP_LIMIT in status.numpy()


def test_host_calls_and_growing_stacks_are_part_of_a_profile() -> None:
    program = BY_NAME["best_outcome"]
    profile = pcbatch.profile(program.function, jit=False)(*program.args)
    stats = program.function.run(*program.args, jit=False).stats
    assert [b.active for b in profile.blocks] == [b.active for b in stats.blocks]
    deep = tf.constant([18, 2])
    grown = pcbatch.profile(line, jit=False)(deep)
    assert grown.timeline.depth_max.max() == 18
    np.testing.assert_array_equal(grown.result.check().value, deep)


def test_what_cannot_be_profiled_is_refused() -> None:
    refused = {
        "made by pcbatch.autobatch": lambda: pcbatch.profile(len),
        "rows is 0": lambda: pcbatch.profile(line, rows=0),
        "no option 'strategy'": lambda: pcbatch.profile(line, strategy="local"),
    }
    for message, call in refused.items():
        with pytest.raises(pcbatch.ArgumentError, match=message):
            call()


def test_a_batch_without_members_has_a_profile(tmp_path) -> None:
    profile = pcbatch.profile(line, jit=False)(tf.zeros([0], tf.int32))
    assert sum(b.executions for b in profile.blocks) == 0
    assert "line.entry" in profile.table() and "line.entry" in profile.html()
    pytest.importorskip("matplotlib", reason="matplotlib, which draws profiles, is not installed")
    profile.plot(tmp_path / "empty.png")


@pcbatch.autobatch
def line(n):
    return 0 if n == 0 else 1 + line(n - 1)


@pytest.fixture(scope="module")
def small() -> pcbatch.Profile:
    return pcbatch.profile(climb, jit=False)(N, X)


def test_the_table_has_blocks_and_lines(small: pcbatch.Profile) -> None:
    blocks, lines = small.table().split("\n\n")
    head, *rows = blocks.splitlines()
    assert head.split() == ["block", "lines", "executions", "active", "utilization", "time", "%"]
    assert [row.split()[0] for row in rows] == [b.label for b in small.blocks]
    assert [int(row.split()[3]) for row in rows] == [b.active for b in small.blocks]
    assert f"test_profile.py:{FIRST + 4}" in lines
    assert "return climb(n - 1, x * 0.5) + climb(n - 2, x)" in lines


def test_a_printed_profile_is_its_table(small: pcbatch.Profile) -> None:
    assert str(small) == small.table()


def test_the_chart_has_the_heat_map_utilization_and_depths(small, tmp_path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, which draws profiles, is not installed")
    figure = small.plot(tmp_path / "profile.png")
    assert (tmp_path / "profile.png").read_bytes().startswith(b"\x89PNG")
    heat, used, depths, *_ = figure.axes
    assert [label.get_text() for label in heat.get_yticklabels()] == [b.label for b in small.blocks]
    (mesh,) = heat.collections
    assert_close(mesh.get_array(), (small.timeline.active / small.batch_size).T)
    live = used.patches[1].get_data().values
    assert_close(live, small.timeline.live / small.batch_size)
    np.testing.assert_array_equal(depths.patches[0].get_data().values, small.timeline.depth_max)


class Balanced(html.parser.HTMLParser):
    """Checks that tags match, and collects what the page shows."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, dict]] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.attributes.append((tag, dict(attrs)))
        if tag not in ("meta", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        self.attributes.append((tag, dict(attrs)))

    def handle_endtag(self, tag) -> None:
        if tag != "rect":
            assert self.open.pop() == tag


@pytest.mark.thorough
def test_the_page_is_whole_and_needs_nothing_else(small: pcbatch.Profile, tmp_path) -> None:
    text = small.html(tmp_path / "profile.html")
    assert (tmp_path / "profile.html").read_text() == text
    page = Balanced()
    page.feed(text)
    assert not page.open
    shown = [a["data-label"] for tag, a in page.attributes if tag == "g"]
    assert shown == [b.label for b in small.blocks]
    lines = {a["data-line"] for tag, a in page.attributes if "data-line" in a}
    assert {str(x.line) for x in small.lines()} <= lines
    assert not any(key in a for _, a in page.attributes for key in ("src", "href"))
    assert "import" not in text.partition("<script>")[2]
    hottest = max(small.blocks, key=lambda b: b.share)
    fills = [a["fill"] for tag, a in page.attributes if tag == "rect" and "fill" in a]
    assert fills[[b.label for b in small.blocks].index(hottest.label)] == "rgb(255,63,63)"
