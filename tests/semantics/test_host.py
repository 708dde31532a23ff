"""Host calls, printing and the debugger: Python inside a batched program."""

from __future__ import annotations

import inspect
import io
import pdb
import signal
import sys

import numpy as np
import pytest
import tensorflow as tf

import pcbatch

FLOAT = tf.TensorSpec([], tf.float32)
WAYS = {
    "loop": {"strategy": "loop"},
    "local": {"strategy": "local"},
    "eager sweep": {"jit": False, "schedule": "sweep"},
    "eager switch": {"jit": False, "schedule": "switch"},
    "eager most active": {"jit": False, "schedule": "switch-most-active"},
}
CALLS: list[tuple[str, tuple[int, ...]]] = []


def note(text, member):
    """Write down a call: what, and for whom."""
    CALLS.append((text, tuple(int(m) for m in member)))
    return member.astype(np.float32)


@pytest.fixture(autouse=True)
def _no_calls_yet():
    CALLS.clear()


@pcbatch.autobatch
def visits(member, n):
    """Calls in a branch that only some take, in a loop, with a dead result, and in a recursion."""
    pcbatch.host_call(note, "first", member, result=FLOAT)
    if n % 2 == 1:
        pcbatch.host_call(note, "odd", member)
    for _ in range(2):
        pcbatch.host_call(note, "loop", member)
    if n > 0:
        visits(member, n - 1)
    pcbatch.host_call(note, "last", member)
    return n


def in_plain_python(member: int, n: int) -> list[str]:
    own = ["first", *(["odd"] if n % 2 else []), "loop", "loop"]
    return [*own, *(in_plain_python(member, n - 1) if n > 0 else []), "last"]


@pytest.mark.parametrize("way", WAYS)
def test_each_member_calls_once_and_in_program_order(way: str) -> None:
    """Dead results, branches and recursion: no call is removed, repeated or moved."""
    n = [3, 0, 2, 1, 3]
    visits.run(tf.range(5), tf.constant(n), throw=True, **WAYS[way])
    for member, start in enumerate(n):
        made = [text for text, members in CALLS if member in members]
        assert made == in_plain_python(member, start)


def test_waiting_members_share_a_call() -> None:
    """All five members come to the first call before it is made; one by one would be 50 calls."""
    visits.run(tf.range(5), tf.constant([3, 0, 2, 1, 3]), jit=False, throw=True)
    assert CALLS[0] == ("first", (0, 1, 2, 3, 4))
    assert len(CALLS) < sum(len(in_plain_python(0, n)) for n in (3, 0, 2, 1, 3)) / 2


def test_under_xla_and_with_growing_stacks() -> None:
    """Recursion deeper than the first capacity of the stacks, a host call on each level."""
    n = tf.constant([20, 3])
    visits.run(tf.range(2), n, throw=True)
    assert [t for t, members in CALLS if 0 in members] == in_plain_python(0, 20)
    assert [t for t, members in CALLS if 1 in members] == in_plain_python(1, 3)


def test_a_run_that_goes_on_makes_the_calls_that_are_left(tmp_path) -> None:
    """Stopped amid its calls and gone on from the checkpoint: none is lost, none made twice.

    The host function writes to a list of this module, which must not look like another program.
    """
    n = [3, 0, 2, 1, 3]
    args, path = (tf.range(5), tf.constant(n)), tmp_path / "checkpoint"
    stopped = visits.run(*args, jit=False, checkpoint=path, max_steps=9)
    before = len(CALLS)
    assert pcbatch.Status.STEP_LIMIT in stopped.status.numpy() and before
    visits.run(*args, jit=False, checkpoint=path, resume=path, throw=True)
    assert len(CALLS) > before
    for member, start in enumerate(n):
        made = [text for text, members in CALLS if member in members]
        assert made == in_plain_python(member, start)


def digit_sums(n):
    return np.array([sum(map(int, str(k))) for k in n], np.int32)


@pcbatch.autobatch(jit=False)
def rounds(n):
    count = 0
    while n > 9:
        n = pcbatch.host_call(digit_sums, n, result=tf.TensorSpec([], tf.int32))
        count += 1
    return count


def test_host_calls_in_lanes_that_are_refilled() -> None:
    numbers = np.random.default_rng(0).integers(0, 2**31 - 1, 60).astype(np.int32)
    found = [int(x) for x in pcbatch.map(rounds, numbers, lanes=8)]
    assert found == [rounds.single(n) for n in numbers]


@pcbatch.autobatch
def described(x, n, table=None):
    result = {"twice": FLOAT, "shape": (tf.TensorSpec([2], tf.int32),)}
    y = pcbatch.host_call(describe, {"x": x, "one": 1}, n=n, label="seen", result=result)
    return y["twice"], y["shape"][0]


def describe(record, n, label):
    """Numbers come as arrays with an axis of members, literals too; the rest as it is."""
    assert label == "seen" and record["one"].shape == record["x"].shape[:1] == n.shape
    shape = np.stack([n, np.full_like(n, record["x"].shape[1])], 1)
    return {"twice": 2 * record["x"].sum(1), "shape": (shape,)}


@pytest.mark.parametrize("way", [*WAYS, "single"])
def test_arguments_and_results_are_structures(way: str) -> None:
    x, n = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf.constant([7, 8])
    if way == "single":
        rows = [described.single(x[i], n[i]) for i in range(2)]
        twice, shape = (tf.stack(column) for column in zip(*rows))
    else:
        twice, shape = described.run(x, n, throw=True, **WAYS[way]).value
    np.testing.assert_array_equal(twice, [12.0, 30.0])
    np.testing.assert_array_equal(shape, [[7, 3], [8, 3]])


@pcbatch.autobatch
def positive_rows(rows):
    total = 0.0
    for row in rows:
        if row > 0:
            total += pcbatch.host_call(np.sqrt, row, result=FLOAT)
    return total


@pytest.mark.parametrize("way", WAYS)
def test_a_call_in_a_loop_over_rows(way: str) -> None:
    """Whoever has left the loop holds an index beyond its end while others still gather rows."""
    rows = tf.constant([[4.0, -1.0, 1.0], [-1.0, -1.0, 9.0], [16.0, -1.0, -1.0]])
    total = positive_rows.run(rows, throw=True, **WAYS[way]).value
    np.testing.assert_array_equal(total, [3.0, 3.0, 4.0])


INTERRUPTED = {**WAYS, "xla": {}}


def test_a_host_function_may_run_another_batched_program() -> None:
    """Also one that has run before, and holds graphs of its own; lambdas may name it."""
    numbers = tf.constant([3, 40])
    assert rounds(numbers).numpy().tolist() == [0, 1]

    @pcbatch.autobatch(jit=False)
    def asks(n):
        return pcbatch.host_call(
            lambda k: rounds(k).numpy() + 1, n, result=tf.TensorSpec([], tf.int32)
        )

    assert asks(numbers).numpy().tolist() == [1, 2]


@pytest.mark.parametrize("way", INTERRUPTED)
def test_ctrl_c_in_a_host_call_raises_there_and_loses_nothing(way: str, tmp_path) -> None:
    """Who has returned is DONE; the machine can go on from where the call was about to be made."""
    calls = []

    def slow(n):
        calls.append(n.tolist())
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        return n

    @pcbatch.autobatch
    def asks(n):
        if n == 0:
            return n
        return pcbatch.host_call(slow, n * 2, result=tf.TensorSpec([], tf.int32))

    n, how = tf.constant([0, 3, 0, 4]), INTERRUPTED[way]
    goes_on = how.get("strategy") is None
    result = asks.run(n, **how, **({"checkpoint": tmp_path / "run"} if goes_on else {}))
    done, cancelled = pcbatch.Status.DONE, pcbatch.Status.CANCELLED
    last = [cancelled, cancelled] if way == "loop" else [done, cancelled]
    assert result.status.numpy().tolist() == [done, cancelled, *last]
    assert len(calls) == 1
    if goes_on:
        result = asks.run(n, **how, resume=tmp_path / "run", throw=True)
        assert result.value.numpy().tolist() == [0, 6, 0, 8]
        assert calls == [[6, 8], [6, 8]]


# --- Mistakes ------------------------------------------------------------------------------------


def broken(x):
    raise ZeroDivisionError("no such simulation")


@pcbatch.autobatch
def calls_broken(x):
    y = x + 1
    return pcbatch.host_call(broken, y, result=FLOAT)


@pytest.mark.parametrize("way", WAYS)
def test_an_error_of_the_function_names_the_line_of_the_call(way: str) -> None:
    line = inspect.getsourcelines(calls_broken.__wrapped__)[1] + 3
    with pytest.raises(pcbatch.HostCallError, match="no such simulation") as caught:
        calls_broken.run(tf.constant([1.0, 2.0]), **WAYS[way])
    assert f"tests/semantics/test_host.py:{line}" in str(caught.value)
    assert "pcbatch.host_call(broken, y" in str(caught.value)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda x: x[:1], r"float32\[1\], but for 2 members it must be float32\[2\]"),
        (lambda x: x.astype(np.complex64), "complex64"),
        (lambda x: (x, x), "not the structure"),
        (lambda x: "yes", "<U3"),
    ],
)
def test_a_wrong_result_is_refused(answer, message: str) -> None:
    @pcbatch.autobatch(jit=False)
    def asks(x):
        return pcbatch.host_call(answer, x, result=FLOAT)

    with pytest.raises(pcbatch.HostCallError, match=message):
        asks(tf.constant([1.0, 2.0]))


def test_a_call_that_cannot_be_is_refused_when_the_program_is_made() -> None:
    @pcbatch.autobatch
    def no_spec(x):
        return pcbatch.host_call(broken, x, result=3.0)

    @pcbatch.autobatch
    def no_function(x):
        return pcbatch.host_call(x, x, result=FLOAT)

    @pcbatch.autobatch
    def no_format(x):
        pcbatch.debug_print(x)
        return x

    @pcbatch.autobatch
    def no_number(x):
        return pcbatch.host_call(broken, x, result=tf.TensorSpec([], tf.string))

    for program, message in (
        (no_number, "numbers only"),
        (no_spec, "no tf.TensorSpec"),
        (no_function, "known before the program runs"),
        (no_format, "format string"),
    ):
        with pytest.raises(pcbatch.ProgramError, match=message):
            program.lower(tf.constant([1.0]))


def test_a_graph_has_no_host() -> None:
    """Inside a tf.function, and in an exported program, a host call is refused with a reason."""
    with pytest.raises(pcbatch.ArgumentError, match="no host can help"):
        tf.function(lambda x: calls_broken(x), autograph=False)(tf.constant([1.0]))
    with pytest.raises(pcbatch.PcbatchError, match="cannot be exported"):
        calls_broken.lower(tf.constant([1.0])).compile().export("/nowhere")


# --- Printing and the debugger -------------------------------------------------------------------


@pcbatch.autobatch
def printing(n, x):
    while n > 0:
        pcbatch.debug_print("n={:d} x={x:.1f} v={v}", n, x=x, v=tf.stack([x, x]))
        n -= 1
        x = x / 2
    return x


@pytest.mark.parametrize("way", WAYS)
def test_debug_print_prints_each_member(way: str, capsys: pytest.CaptureFixture) -> None:
    printing.run(tf.constant([2, 0, 1]), tf.constant([1.0, 2.0, 4.0]), throw=True, **WAYS[way])
    lines = capsys.readouterr().out.splitlines()
    assert [x for x in lines if x[1] == "0"] == [
        "[0] n=2 x=1.0 v=[1. 1.]",
        "[0] n=1 x=0.5 v=[0.5 0.5]",
    ]
    assert [x for x in lines if x[1] == "2"] == ["[2] n=1 x=4.0 v=[4. 4.]"]
    assert len(lines) == 3


def test_debug_print_in_plain_python(capsys: pytest.CaptureFixture) -> None:
    printing.single(1, 2.0)
    assert capsys.readouterr().out == "n=1 x=2.0 v=[2. 2.]\n"


@pcbatch.autobatch(jit=False)
def stops(n, x):
    y = x * 2
    gone = y + 1  # noqa: F841
    if n > 1:
        sometimes = 5  # noqa: F841
        pcbatch.breakpoint(more=x + y)
        y = y * tf.cast(n, tf.float32)
    else:
        other = n  # noqa: F841
    return y


def test_breakpoint_shows_the_waiting_members_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(sys, "breakpointhook", lambda **shown: seen.append(shown))
    stops(tf.constant([2, 1, 3]), tf.constant([1.0, 2.0, 3.0]))
    (shown,) = seen
    assert shown["members"].tolist() == [0, 2]
    assert {name: value.tolist() for name, value in shown["variables"].items()} == {
        "gone": [3.0, 7.0],
        "more": [3.0, 9.0],
        "n": [2, 3],
        "sometimes": [5, 5],
        "x": [1.0, 3.0],
        "y": [2.0, 6.0],
    }


def test_breakpoint_in_plain_python_shows_the_callers_variables(monkeypatch) -> None:
    seen = []
    monkeypatch.setattr(sys, "breakpointhook", lambda **shown: seen.append(shown))
    stops.single(2, 1.0)
    assert seen[0]["variables"] == {
        "n": 2,
        "x": 1.0,
        "y": 2.0,
        "gone": 3.0,
        "sometimes": 5,
        "more": 3.0,
    }


def test_breakpoint_stops_in_pdb_at_the_users_line(monkeypatch: pytest.MonkeyPatch) -> None:
    output = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("p members\np y * n\ncontinue\n"), stdout=output)
    debugger.use_rawinput = False
    monkeypatch.setattr(pdb, "set_trace", lambda: debugger.set_trace(sys._getframe(1)))
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    trace = sys.gettrace()
    try:
        value = stops(tf.constant([2, 1, 3]), tf.constant([1.0, 2.0, 3.0]))
    finally:
        sys.settrace(trace)
    np.testing.assert_array_equal(value, [4.0, 4.0, 18.0])
    line = inspect.getsourcelines(stops.__wrapped__)[1] + 6
    text = output.getvalue()
    assert (
        f"tests/semantics/test_host.py({line})" in text and "pcbatch.breakpoint(more=x + y)" in text
    )
    assert "array([0, 2])" in text and "array([ 4., 18.])" in text
